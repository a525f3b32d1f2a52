/* SPDX-License-Identifier: MIT */
#include "serve/query.h"

#include "plansim.h"

#include <check.h>

Suite *query_suite(void);

static const struct {
    const char *command;
    const char *query;
    const char *words; /* joined by "|" */
} taken[] = {
    {"run", NULL, ""},
    {"run", "", ""},
    {"run", "plan=mt-nlg-530b", "mt-nlg-530b"},
    {"run", "tp=8&plan=a&tp=4", "--tp=8|a|--tp=4"},
    {"run", "balance=true&sequence-parallel=false", "--balance"},
    {"run", "schedule=interleaved%3A2", "--schedule=interleaved:2"},
    {"run", "tokens=300e9&gpus=-1", "--tokens=300e9|--gpus=-1"},
    {"run", "set=%2Fparallel%2Ftensor%3D8", "--set=/parallel/tensor=8"},
    {"run", "set=/hardware/fabric/nic_bandwidth=12.5+GB/s",
     "--set=/hardware/fabric/nic_bandwidth=12.5 GB/s"},
    {"run", "set=/a=25GB/s&set=/b=80+GiB&set=/c=[]", "--set=/a=25GB/s|--set=/b=80 GiB|--set=/c=[]"},
    {"schedule", "schedule=1f1b&pp=4&microbatches=8&channels=true&times=1,2,3",
     "1f1b|--pp=4|--microbatches=8|--channels|--times=1,2,3"},
};

START_TEST(parameters_become_the_words_of_a_command_line)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = psim_query_words(taken[_i].command, taken[_i].query, &error);

    ck_assert_ptr_nonnull(words);
    g_autofree char *joined = g_strjoinv("|", words);

    ck_assert_str_eq(joined, taken[_i].words);
}
END_TEST

#define NOT_PLAIN  "must be a number, or the name of something that is built in"
#define NOT_MEMBER "must be /POINTER=VALUE with a number, a quantity or a name as its value"

static const struct {
    const char *command;
    const char *query;
    int code;
    const char *message;
} refused[] = {
    {"run", "plan=/etc/passwd", PSIM_ERROR_VALUE, "plan is \"/etc/passwd\"; " NOT_PLAIN},
    {"run", "plan=%2e%2e%2fx", PSIM_ERROR_VALUE, "plan is \"../x\"; " NOT_PLAIN},
    {"run", "model=x.json", PSIM_ERROR_VALUE, "model is \"x.json\"; " NOT_PLAIN},
    {"run", "schedule=x.csv", PSIM_ERROR_VALUE, "schedule is \"x.csv\"; " NOT_PLAIN},
    {"run", "plan=--help", PSIM_ERROR_VALUE,
     "plan is \"--help\"; must be the name of something that is built in"},
    {"run", "tp=", PSIM_ERROR_VALUE, "tp is \"\"; " NOT_PLAIN},
    {"run", "balance=%0a", PSIM_ERROR_VALUE, "balance is \"\n\"; " NOT_PLAIN},
    {"run", "output=x", PSIM_ERROR_VALUE, "unknown parameter \"output\""},
    {"run", "unfold=true", PSIM_ERROR_VALUE, "unknown parameter \"unfold\""},
    {"schedule", "stage-times=x", PSIM_ERROR_VALUE, "unknown parameter \"stage-times\""},
    {"run", "set=x", PSIM_ERROR_VALUE,
     "set is \"x\"; must be /POINTER=VALUE, such as /parallel/tensor=8"},
    {"run", "set=/model=/etc/passwd", PSIM_ERROR_VALUE,
     "set is \"/model=/etc/passwd\"; " NOT_MEMBER},
    {"run", "set=/model=%22%5cu002fx%22", PSIM_ERROR_VALUE,
     "set is \"/model=\"\\u002fx\"\"; " NOT_MEMBER},
    {"run", "set=/model={}", PSIM_ERROR_VALUE, "set is \"/model={}\"; " NOT_MEMBER},
    {"run", "set=/model=9/etc/s", PSIM_ERROR_VALUE, "set is \"/model=9/etc/s\"; " NOT_MEMBER},
    {"run", "set=/model=9+x.json", PSIM_ERROR_VALUE, "set is \"/model=9 x.json\"; " NOT_MEMBER},
    {"run", "plan", PSIM_ERROR_SYNTAX,
     "the query must be NAME=VALUE&NAME=VALUE..., percent-encoded UTF-8"},
    {"run", "plan=%ff", PSIM_ERROR_SYNTAX,
     "the query must be NAME=VALUE&NAME=VALUE..., percent-encoded UTF-8"},
};

START_TEST(what_could_reach_a_file_or_is_unknown_is_refused)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = psim_query_words(refused[_i].command, refused[_i].query, &error);

    ck_assert_ptr_null(words);
    ck_assert_str_eq(error->message, refused[_i].message);
    ck_assert(g_error_matches(error, PSIM_ERROR, refused[_i].code));
}
END_TEST

START_TEST(long_values_and_many_parameters_are_refused)
{
    static const char message[] = "tp: at most 64 parameters of 256 bytes each are taken";
    g_autofree char *digits = g_strnfill(257, '1');
    g_autofree char *long_value = g_strconcat("tp=", digits, NULL);
    g_autoptr(GString) many = g_string_new("tp=1");

    for (int i = 0; i < 64; i++)
        g_string_append(many, "&tp=1");
    const char *const queries[] = {long_value, many->str};

    for (gsize i = 0; i < G_N_ELEMENTS(queries); i++) {
        g_autoptr(GError) error = NULL;

        ck_assert_ptr_null(psim_query_words("run", queries[i], &error));
        ck_assert_str_eq(error->message, message);
        ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_LIMIT));
    }
}
END_TEST

Suite *
query_suite(void)
{
    Suite *suite = suite_create("query");
    TCase *tcase = tcase_create("words");

    tcase_add_loop_test(tcase, parameters_become_the_words_of_a_command_line, 0,
                        G_N_ELEMENTS(taken));
    tcase_add_loop_test(tcase, what_could_reach_a_file_or_is_unknown_is_refused, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_test(tcase, long_values_and_many_parameters_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
