/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <string.h>

#define WIDTH 80

/* Words of @text, broken at WIDTH, each line after @indent spaces. */
static void
append_wrapped(GString *out, const char *text, unsigned indent)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    size_t column = 0;

    for (char **word = words; *word != NULL; word++) {
        if (column > 0 && column + 1 + strlen(*word) > WIDTH) {
            g_string_append_c(out, '\n');
            column = 0;
        }
        if (column == 0) {
            g_string_append_printf(out, "%*s", (int)indent, "");
            column = indent;
        } else {
            g_string_append_c(out, ' ');
            column++;
        }
        g_string_append(out, *word);
        column += strlen(*word);
    }
    g_string_append_c(out, '\n');
}

/* A command to copy: a line too long goes on after a backslash, broken before an option. */
static void
append_example(GString *out, const PsimCommandExample *example)
{
    g_auto(GStrv) parts = g_strsplit(example->arguments, " --", -1);
    size_t column = strlen("  plansim ") + strlen(parts[0]);

    g_string_append_printf(out, "  # %s\n  plansim %s", example->meaning, parts[0]);
    for (char **part = parts + 1; *part != NULL; part++) {
        const size_t n_part = strlen(" --") + strlen(*part);

        if (column + n_part + strlen(" \\") > WIDTH) {
            g_string_append(out, " \\\n   ");
            column = strlen("   ");
        }
        g_string_append_printf(out, " --%s", *part);
        column += n_part;
    }
    g_string_append_c(out, '\n');
}

static void
append_option(GString *out, const PsimCommandOption *option)
{
    g_autofree char *name = option->value == NULL
                                ? g_strdup(option->name)
                                : g_strdup_printf("%s %s", option->name, option->value);

    if (option->letter != 0)
        g_string_append_printf(out, "  -%c, --%-23s %s\n", option->letter, name, option->help);
    else
        g_string_append_printf(out, "      --%-23s %s\n", name, option->help);
}

static void
append_topic(GString *out, const PsimCommandTopic *topic)
{
    if (topic->title[0] != '\0')
        g_string_append_printf(out, "\n%s:\n", topic->title);
    for (const PsimCommandOption *option = topic->options; option->name != NULL; option++)
        append_option(out, option);
}

static void
append_exits(GString *out, const char *exit_no)
{
    g_autofree char *line =
        g_strdup_printf("Exit codes: 0 done%s%s, 2 wrong usage, 3 bad input, 4 cannot read or "
                        "write, 5 a fault of plansim, 130 interrupted",
                        exit_no == NULL ? "" : ", 1 ", exit_no == NULL ? "" : exit_no);

    g_string_append_c(out, '\n');
    append_wrapped(out, line, 0);
}

char *
psim_help_overview(void)
{
    GString *out = g_string_new("plansim: simulate one training step of a parallel plan\n"
                                "\n"
                                "Usage: plansim COMMAND [OPTION...]\n"
                                "\n");

    for (const PsimCommand *command = psim_commands; command->name != NULL; command++)
        g_string_append_printf(out, "  %-10s %s\n", command->name, command->summary);
    g_string_append(out, "\n"
                         "\"plansim COMMAND --help\" explains a command, \"plansim --version\" "
                         "names the version.\n"
                         "\n"
                         "Begin with:\n"
                         "  plansim run mt-nlg-530b\n"
                         "  plansim schedule 1f1b --pp 4 --microbatches 8\n");
    append_exits(out, "the answer is no");
    return g_string_free(out, /* free_segment= */ FALSE);
}

char *
psim_help_command(const PsimCommand *command)
{
    GString *out = g_string_new(NULL);

    g_string_append_printf(out, "plansim %s: %s\n\nUsage: plansim %s%s%s [OPTION...]\n\n",
                           command->name, command->summary, command->name,
                           command->operands[0] == '\0' ? "" : " ", command->operands);
    append_wrapped(out, command->operands_help, 0);
    g_string_append(out, "\nExamples:\n");
    for (const PsimCommandExample *example = command->examples; example->arguments != NULL;
         example++)
        append_example(out, example);
    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++)
        append_topic(out, topic);
    append_exits(out, command->exit_no);
    return g_string_free(out, /* free_segment= */ FALSE);
}
