/* SPDX-License-Identifier: MIT */
#include "cli/arguments.h"

#include <check.h>
#include <string.h>

Suite *arguments_suite(void);

static const PsimCommand *
find_command(const char *name)
{
    const PsimCommand *command = psim_commands;

    while (strcmp(command->name, name) != 0)
        command++;
    return command;
}

/* As after `plansim run`. */
static PsimArguments *
parse(const char *line, GError **error)
{
    g_auto(GStrv) words = g_strsplit(line, " ", -1);

    return psim_arguments_parse(find_command("run"), words, error);
}

START_TEST(options_and_operands_may_come_in_any_order)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimArguments) arguments =
        parse("--tp 8 plan.json -qf json --pp=4 --set /a=b=c", &error);
    guint64 count = 0;

    ck_assert_ptr_null(error);
    ck_assert_str_eq(arguments->operands[0], "plan.json");
    ck_assert_ptr_null(arguments->operands[1]);
    ck_assert_str_eq(psim_arguments_text(arguments, "tp"), "8");
    ck_assert_str_eq(psim_arguments_text(arguments, "pp"), "4");
    ck_assert_str_eq(psim_arguments_text(arguments, "format"), "json");
    ck_assert_str_eq(psim_arguments_text(arguments, "set"), "/a=b=c");
    ck_assert(psim_arguments_flag(arguments, "quiet"));
    ck_assert(!psim_arguments_flag(arguments, "verbose"));
    ck_assert_ptr_null(psim_arguments_text(arguments, "dp"));
    ck_assert(psim_arguments_count(arguments, "tp", 1, 100, &count, NULL));
    ck_assert_uint_eq(count, 8);
    ck_assert(psim_arguments_count(arguments, "dp", 7, 100, &count, NULL));
    ck_assert_uint_eq(count, 7);
}
END_TEST

START_TEST(a_positive_count_is_neither_zero_nor_too_large)
{
    static const struct {
        const char *line;
        guint64 count; /* 0: refused */
    } lines[] = {{"", 4},       {"--tp 1", 1},  {"--tp 9", 9},
                 {"--tp 0", 0}, {"--tp 00", 0}, {"--tp 10", 0}};

    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimArguments) arguments = parse(lines[i].line, &error);
        guint64 count = 0;
        const bool good = psim_arguments_positive(arguments, "tp", 4, 9, &count, &error);

        ck_assert_int_eq(good, lines[i].count > 0);
        if (good)
            ck_assert_uint_eq(count, lines[i].count);
        else
            ck_assert_ptr_nonnull(strstr(error->message, "; must be from 1 to 9"));
    }
}
END_TEST

START_TEST(the_later_of_two_wins_and_the_order_is_kept)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimArguments) arguments = parse("--tp 8 --set /x=1 --tp 4", &error);

    ck_assert_str_eq(psim_arguments_text(arguments, "tp"), "4");
    ck_assert_uint_eq(arguments->given->len, 3);
    ck_assert_str_eq(g_array_index(arguments->given, PsimArgument, 1).value, "/x=1");
}
END_TEST

static const struct {
    const char *line;
    const char *message;
} refusals[] = {
    {"--modle x", "unknown option \"--modle\"; did you mean \"--model\"?"},
    {"--mdoel=x", "unknown option \"--mdoel\"; did you mean \"--model\"?"},
    {"--frobnicate", "unknown option \"--frobnicate\"; \"plansim run --help\" lists them"},
    {"-z", "unknown option \"-z\"; \"plansim run --help\" lists them"},
    {"--tp", "Missing argument for --tp"},
    {"--tp eight", "--tp is \"eight\"; must be a whole number"},
    {"--tp -8", "--tp is \"-8\"; must be a whole number"},
    {"--tp 8.5", "--tp is \"8.5\"; must be a whole number"},
    {"--tp=", "--tp is \"\"; must be a whole number"},
    {"--tokens 1T", "--tokens is \"1T\"; must be a number such as 300e9"},
    {"--tokens nan", "--tokens is \"nan\"; must be a number such as 300e9"},
    {"--tokens 0x10", "--tokens is \"0x10\"; must be a number such as 300e9"},
    {"--tokens 1-2", "--tokens is \"1-2\"; must be a number such as 300e9"},
    {"--set tensor=8", "--set is \"tensor=8\"; must be /POINTER=VALUE, such as /parallel/tensor=8"},
    {"--set /tensor", "--set is \"/tensor\"; must be /POINTER=VALUE, such as /parallel/tensor=8"},
    {"a b", "\"b\" is one word too many; expected [PLAN]"},
    {"--model \xff", "--model is \"\xff\"; must be UTF-8 text"},
    {"\xff", "an operand is not UTF-8"},
};

START_TEST(a_wrong_word_is_refused_with_what_would_be_right)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimArguments) arguments = parse(refusals[_i].line, &error);

    ck_assert_ptr_null(arguments);
    ck_assert(g_error_matches(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE));
    ck_assert_str_eq(error->message, refusals[_i].message);
}
END_TEST

START_TEST(a_count_beyond_its_ceiling_is_refused)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimArguments) arguments = parse("--tp 99999999999999999999", &error);
    guint64 count = 0;

    ck_assert(!psim_arguments_count(arguments, "tp", 1, 4294967295, &count, &error));
    ck_assert_str_eq(error->message, "--tp is 99999999999999999999; must be at most 4294967295");
}
END_TEST

START_TEST(a_command_with_operands_says_which_are_missing)
{
    g_autoptr(GError) error = NULL;
    char *words[] = {NULL};
    g_autoptr(PsimArguments) arguments =
        psim_arguments_parse(find_command("schedule"), words, &error);

    ck_assert_ptr_null(arguments);
    ck_assert_str_eq(error->message, "NAME is missing");
}
END_TEST

START_TEST(help_needs_no_operands)
{
    g_autoptr(GError) error = NULL;
    char help[] = "--help";
    char *words[] = {help, NULL};
    g_autoptr(PsimArguments) arguments =
        psim_arguments_parse(find_command("schedule"), words, &error);

    ck_assert(psim_arguments_flag(arguments, "help"));
}
END_TEST

static const char *const words[] = {"run", "check", "schedule", "show", NULL};

static const struct {
    const char *word;
    const char *nearest;
} misspellings[] = {
    {"rnu", "run"}, {"chekc", "check"}, {"shedule", "schedule"}, {"sow", "show"},
    {"x", NULL},    {"", NULL},         {"simulate", NULL},
};

START_TEST(nearest_counts_a_swap_as_one_edit)
{
    ck_assert_pstr_eq(psim_arguments_nearest(misspellings[_i].word, words),
                      misspellings[_i].nearest);
}
END_TEST

START_TEST(complaints_hint_or_point_at_a_list_or_name_all)
{
    g_autoptr(GError) near = NULL;
    g_autoptr(GError) listed = NULL;
    g_autoptr(GError) named = NULL;

    psim_arguments_complain(&near, "unknown word", "rn", words, NULL);
    psim_arguments_complain(&listed, "unknown word", "zzzzzz", words, "words");
    psim_arguments_complain(&named, "unknown word", "zzzzzz", words, NULL);
    ck_assert_str_eq(near->message, "unknown word \"rn\"; did you mean \"run\"?");
    ck_assert_str_eq(listed->message, "unknown word \"zzzzzz\"; \"plansim list words\" lists them");
    ck_assert_str_eq(named->message,
                     "unknown word \"zzzzzz\"; must be one of run, check, schedule, show");
}
END_TEST

Suite *
arguments_suite(void)
{
    Suite *suite = suite_create("arguments");
    TCase *tests = tcase_create("arguments");

    tcase_add_test(tests, options_and_operands_may_come_in_any_order);
    tcase_add_test(tests, a_positive_count_is_neither_zero_nor_too_large);
    tcase_add_test(tests, the_later_of_two_wins_and_the_order_is_kept);
    tcase_add_loop_test(tests, a_wrong_word_is_refused_with_what_would_be_right, 0,
                        G_N_ELEMENTS(refusals));
    tcase_add_test(tests, a_count_beyond_its_ceiling_is_refused);
    tcase_add_test(tests, a_command_with_operands_says_which_are_missing);
    tcase_add_test(tests, help_needs_no_operands);
    tcase_add_loop_test(tests, nearest_counts_a_swap_as_one_edit, 0, G_N_ELEMENTS(misspellings));
    tcase_add_test(tests, complaints_hint_or_point_at_a_list_or_name_all);
    suite_add_tcase(suite, tests);
    return suite;
}
