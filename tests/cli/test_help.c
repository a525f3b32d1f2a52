/* SPDX-License-Identifier: MIT */
#include "cli/help.h"

#include <check.h>
#include <string.h>

Suite *help_suite(void);

static int
count_commands(void)
{
    int n_commands = 0;

    while (psim_commands[n_commands].name != NULL)
        n_commands++;
    return n_commands;
}

START_TEST(every_entry_of_the_table_is_complete)
{
    const PsimCommand *command = &psim_commands[_i];
    int n_examples = 0;
    int n_helps = 0;

    ck_assert_ptr_nonnull(command->summary);
    ck_assert_ptr_nonnull(command->operands_help);
    ck_assert_ptr_nonnull(command->choices);
    while (n_examples < PSIM_MAX_EXAMPLES && command->examples[n_examples].arguments != NULL)
        n_examples++;
    ck_assert_int_ge(n_examples, 2);
    ck_assert_int_lt(n_examples, PSIM_MAX_EXAMPLES);
    for (const PsimCommandTopic *topic = command->topics; topic->title != NULL; topic++) {
        for (const PsimCommandOption *option = topic->options; option->name != NULL; option++) {
            ck_assert((option->value == NULL) == (option->type == PSIM_VALUE_NONE));
            ck_assert_ptr_nonnull(option->help);
            n_helps += strcmp(option->name, "help") == 0 ? 1 : 0;
        }
    }
    ck_assert_int_eq(n_helps, 1);
}
END_TEST

START_TEST(help_has_usage_examples_and_exit_codes_on_one_screen)
{
    g_autofree char *help = psim_help_command(&psim_commands[_i]);
    g_auto(GStrv) lines = g_strsplit(help, "\n", -1);

    ck_assert_ptr_nonnull(strstr(help, "\nUsage: plansim "));
    ck_assert_ptr_nonnull(strstr(help, "\nExamples:\n"));
    ck_assert_ptr_nonnull(strstr(help, "\nExit codes: 0 done"));
    ck_assert_uint_le(g_strv_length(lines), 56);
    for (char **line = lines; *line != NULL; line++)
        ck_assert_msg(strlen(*line) <= 80, "%s", *line);
}
END_TEST

START_TEST(the_overview_names_every_command)
{
    g_autofree char *overview = psim_help_overview();

    for (int i = 0; i < count_commands(); i++)
        ck_assert_ptr_nonnull(strstr(overview, psim_commands[i].summary));
}
END_TEST

Suite *
help_suite(void)
{
    Suite *suite = suite_create("help");
    TCase *tests = tcase_create("help");

    tcase_add_loop_test(tests, every_entry_of_the_table_is_complete, 0, count_commands());
    tcase_add_loop_test(tests, help_has_usage_examples_and_exit_codes_on_one_screen, 0,
                        count_commands());
    tcase_add_test(tests, the_overview_names_every_command);
    suite_add_tcase(suite, tests);
    return suite;
}
