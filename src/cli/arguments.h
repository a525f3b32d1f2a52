/* SPDX-License-Identifier: MIT */
/* arguments.h: the words of a command line, checked against the table
 */
#pragma once

#include "cli/commands.h"

#include <glib.h>

G_BEGIN_DECLS

/* Errors in how the program was called; exit code 2. */
#define PSIM_USAGE_ERROR (psim_usage_error_quark())
GQuark psim_usage_error_quark(void);

/* One option as given. */
typedef struct {
    const PsimCommandOption *option;
    char *value; /* NULL for a flag */
} PsimArgument;

struct PsimArguments {
    const PsimCommand *command;
    GArray *given;   /* PsimArgument, in the order of the command line */
    char **operands; /* NULL-terminated */
};

/**
 * psim_arguments_parse:
 * @arguments    what follows the command, NULL-terminated; taken apart
 *
 * Errors: PSIM_USAGE_ERROR, with a hint where a word is close to one of ours.
 */
PsimArguments *psim_arguments_parse(const PsimCommand *command, char **arguments, GError **error);
void psim_arguments_free(PsimArguments *self);

/** psim_arguments_text: Returns: the last value of an option, or NULL; borrowed. */
const char *psim_arguments_text(const PsimArguments *self, const char *name);

/** psim_arguments_flag: Returns: whether an option was given. */
bool psim_arguments_flag(const PsimArguments *self, const char *name);

/**
 * psim_arguments_count:
 * The last value of a whole-number option.
 *
 * @fallback    what it is if the option was not given
 *
 * Errors: PSIM_USAGE_ERROR beyond @max.
 */
bool psim_arguments_count(const PsimArguments *self,
                          const char *name,
                          guint64 fallback,
                          guint64 max,
                          guint64 *ret_count,
                          GError **error);

/** psim_arguments_positive: the same, and PSIM_USAGE_ERROR for 0. */
bool psim_arguments_positive(const PsimArguments *self,
                             const char *name,
                             guint64 fallback,
                             guint64 max,
                             guint64 *ret_count,
                             GError **error);

/** psim_arguments_nearest: Returns: the word of a NULL-terminated list most like @word, or NULL. */
const char *psim_arguments_nearest(const char *word, const char *const *words);

/**
 * psim_arguments_complain:
 * Sets a usage error: WHAT "WORD"; did you mean "..."?
 *
 * @list_kind    where nothing is near: the list to look into; NULL: all words are named
 */
void psim_arguments_complain(GError **error,
                             const char *what,
                             const char *word,
                             const char *const *words,
                             const char *list_kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimArguments, psim_arguments_free)

G_END_DECLS
