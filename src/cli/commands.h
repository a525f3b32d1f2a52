/* SPDX-License-Identifier: MIT */
/* commands.h: the one table of everything the command line understands
 *
 * It is the source of --help, of the parsing, of the manual pages and of the shell completions. A
 * new command is one file and one entry here. This header needs no GLib, so that the generator of
 * manual pages builds with a C compiler alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* GLib's own name of GError.
 * NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
struct _GError;
typedef struct PsimArguments PsimArguments;

/* Printed in each help and manual page. */
typedef enum {
    PSIM_EXIT_DONE = 0,
    PSIM_EXIT_NO = 1,
    PSIM_EXIT_USAGE = 2,
    PSIM_EXIT_INPUT = 3,
    PSIM_EXIT_IO = 4,
    PSIM_EXIT_FAULT = 5,
    PSIM_EXIT_INTERRUPTED = 130,
} PsimExit;

typedef enum {
    PSIM_VALUE_NONE,     /* a flag */
    PSIM_VALUE_TEXT,     /* taken as it is */
    PSIM_VALUE_COUNT,    /* a whole number */
    PSIM_VALUE_NUMBER,   /* a number, such as 300e9 */
    PSIM_VALUE_SCHEDULE, /* NAME[:CHUNKS] */
    PSIM_VALUE_MEMBER,   /* /json/pointer=value */
} PsimValueType;

typedef struct {
    const char *name; /* long form, without the dashes */
    char letter;      /* short form, or 0 */
    PsimValueType type;
    const char *value;   /* what the value is called in help: "N"; NULL for a flag */
    const char *help;    /* a phrase */
    const char *choices; /* for completion: "FILE", "list KIND", or the words; NULL: anything */
    /* Member of the plan that it sets; NULL: none. A flag sets true, or what follows "=". */
    const char *pointer;
} PsimCommandOption;

/* Options under one heading; an empty title goes on under the heading before. */
typedef struct {
    const char *title;
    const PsimCommandOption *options; /* ends with a NULL name */
} PsimCommandTopic;

typedef struct {
    const char *arguments; /* after the program's name: "run mt-nlg-530b" */
    const char *meaning;   /* a phrase */
    PsimExit exit;         /* what it ends with; a test runs every example */
} PsimCommandExample;

#define PSIM_MAX_TOPICS   10
#define PSIM_MAX_EXAMPLES 4

typedef struct {
    const char *name;
    const char *summary;       /* a phrase */
    const char *operands;      /* "[PLAN]" */
    const char *operands_help; /* a sentence or two */
    const char *choices;       /* of the first operand, as for options */
    int n_operands_min;
    int n_operands_max;
    PsimCommandTopic topics[PSIM_MAX_TOPICS];       /* ends with a NULL title */
    PsimCommandExample examples[PSIM_MAX_EXAMPLES]; /* ends with NULL arguments */
    const char *exit_no;                            /* what exit code 1 means here; NULL: unused */
    /* Returns the exit code; or sets @error, which decides it. */
    int (*run)(const PsimArguments *arguments, struct _GError **error);
} PsimCommand;

/** psim_commands: the table, ended by an entry without a name. */
extern const PsimCommand psim_commands[];

/* What each command does, one file each. */
int psim_command_run(const PsimArguments *arguments, struct _GError **error);
int psim_command_check(const PsimArguments *arguments, struct _GError **error);
int psim_command_compare(const PsimArguments *arguments, struct _GError **error);
int psim_command_schedule(const PsimArguments *arguments, struct _GError **error);
int psim_command_search(const PsimArguments *arguments, struct _GError **error);
int psim_command_validate(const PsimArguments *arguments, struct _GError **error);
int psim_command_calibrate(const PsimArguments *arguments, struct _GError **error);
int psim_command_teach(const PsimArguments *arguments, struct _GError **error);
int psim_command_serve(const PsimArguments *arguments, struct _GError **error);
int psim_command_show(const PsimArguments *arguments, struct _GError **error);
int psim_command_list(const PsimArguments *arguments, struct _GError **error);
