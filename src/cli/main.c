/* SPDX-License-Identifier: MIT */
/* The command line is the first embedder: it includes plansim.h and nothing else of the library. It
 * asks no locale, prints results to standard output and everything else to standard error.
 */
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/list.h"
#include "cli/output.h"

#include <stdio.h>
#include <string.h>

static int
find_exit(const GError *error)
{
    if (error->domain != PSIM_ERROR)
        return error->domain == PSIM_USAGE_ERROR ? PSIM_EXIT_USAGE : PSIM_EXIT_FAULT;
    switch ((PsimError)error->code) {
    case PSIM_ERROR_IO:
        return PSIM_EXIT_IO;
    case PSIM_ERROR_SYNTAX:
    case PSIM_ERROR_SCHEMA:
    case PSIM_ERROR_VALUE:
    case PSIM_ERROR_MISMATCH:
    case PSIM_ERROR_LIMIT:
    case PSIM_ERROR_UNSUPPORTED:
        return PSIM_EXIT_INPUT;
    case PSIM_ERROR_INFEASIBLE:
        return PSIM_EXIT_NO;
    case PSIM_ERROR_CANCELLED:
        return PSIM_EXIT_INTERRUPTED;
    case PSIM_ERROR_INTERNAL:
        return PSIM_EXIT_FAULT;
    }
    return PSIM_EXIT_FAULT;
}

/* Complaints about files stand as they are, so that editors find the place. */
static int
report_error(const char *command, const GError *error)
{
    if (error->domain == PSIM_USAGE_ERROR)
        (void)fprintf(stderr, "plansim%s%s: %s\n", command == NULL ? "" : " ",
                      command == NULL ? "" : command, error->message);
    else
        (void)fprintf(stderr, "%s\n", error->message);
    return find_exit(error);
}

static int
print_text(const char *text)
{
    g_autoptr(GError) error = NULL;

    return psim_output_write_text(text, /* path= */ NULL, &error) ? PSIM_EXIT_DONE
                                                                  : report_error(NULL, error);
}

/* "--schedule list" lists instead of failing, as every choice does. */
static const char *
find_listing(const PsimArguments *arguments)
{
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);
        const char *choices = argument->option->choices;

        if (choices != NULL && g_str_has_prefix(choices, "list ") &&
            strcmp(argument->value, "list") == 0)
            return choices + strlen("list ");
    }
    return NULL;
}

static int
run_command(const PsimCommand *command, char **words)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimArguments) arguments = psim_arguments_parse(command, words, &error);

    if (arguments == NULL)
        return report_error(command->name, error);
    if (psim_arguments_flag(arguments, "help")) {
        g_autofree char *help = psim_help_command(command);

        return print_text(help);
    }
    const char *listing = find_listing(arguments);

    if (listing != NULL) {
        g_autofree char *list = psim_list_write(listing, /* names_only= */ false, &error);

        return print_text(list);
    }
    const int exit = command->run(arguments, &error);

    return error == NULL ? exit : report_error(command->name, error);
}

static const PsimCommand *
find_command(const char *name)
{
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

static int
refuse_command(const char *name)
{
    const char *words[24] = {"--help", "--version", "help"};
    size_t n_words = 3;
    g_autoptr(GError) error = NULL;

    for (const PsimCommand *command = psim_commands; command->name != NULL; command++)
        words[n_words++] = command->name;
    g_assert(n_words < G_N_ELEMENTS(words));
    psim_arguments_complain(&error, name[0] == '-' ? "unknown option" : "unknown command", name,
                            words, /* list_kind= */ NULL);
    return report_error(NULL, error);
}

static bool
is_any(const char *word, const char *first, const char *second)
{
    return strcmp(word, first) == 0 || strcmp(word, second) == 0;
}

static int
answer_help(const char *topic)
{
    if (topic == NULL) {
        g_autofree char *overview = psim_help_overview();

        return print_text(overview);
    }
    const PsimCommand *command = find_command(topic);

    if (command == NULL)
        return refuse_command(topic);
    g_autofree char *help = psim_help_command(command);

    return print_text(help);
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        g_autofree char *overview = psim_help_overview();

        (void)fputs(overview, stderr);
        return PSIM_EXIT_USAGE;
    }
    if (is_any(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
        return answer_help(argv[2]);
    if (is_any(argv[1], "--version", "-V")) {
        g_autofree char *version = g_strdup_printf("plansim %s\n", psim_version());

        return print_text(version);
    }
    const PsimCommand *command = find_command(argv[1]);

    if (command == NULL)
        return refuse_command(argv[1]);
    psim_interrupt_watch();
    return run_command(command, argv + 2);
}
