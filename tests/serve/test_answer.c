/* SPDX-License-Identifier: MIT */
/* A host that fails as the query says: /api/run?gpus=CODE. */
#include "serve/answer.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *answer_suite(void);

static PsimResult *
refuse_all(
    const char *command, char **words, bool (*cancelled)(void *user), void *user, GError **error)
{
    ck_assert(!cancelled(user));
    ck_assert_ptr_nonnull(words[0]);
    g_set_error(error, PSIM_ERROR, atoi(words[0] + strlen("--gpus=")), "%s fails", command);
    return NULL;
}

static char *
tell(const char *command, const GError *error)
{
    return g_strdup_printf("%s: %s", command, error->message);
}

static const PsimServeHost host = {.ask = refuse_all, .tell = tell};

static const struct {
    int code;
    unsigned status;
} statuses[] = {
    {PSIM_ERROR_IO, 500},          {PSIM_ERROR_SYNTAX, 400},     {PSIM_ERROR_SCHEMA, 400},
    {PSIM_ERROR_VALUE, 400},       {PSIM_ERROR_MISMATCH, 400},   {PSIM_ERROR_LIMIT, 413},
    {PSIM_ERROR_UNSUPPORTED, 400}, {PSIM_ERROR_INFEASIBLE, 422}, {PSIM_ERROR_CANCELLED, 503},
    {PSIM_ERROR_INTERNAL, 500},
};

START_TEST(an_error_becomes_a_status_and_the_words_of_the_command_line)
{
    g_auto(PsimAnswer) answer = {0};
    g_autofree char *query = g_strdup_printf("gpus=%d", statuses[_i].code);

    psim_answer_find(&host, "/api/run", query, &answer);
    ck_assert_uint_eq(answer.status, statuses[_i].status);
    ck_assert_str_eq(answer.type, "text/plain; charset=utf-8");
    ck_assert_int_eq(strncmp(g_bytes_get_data(answer.body, NULL), "run: run fails\n",
                             g_bytes_get_size(answer.body)),
                     0);
}
END_TEST

static const struct {
    const char *path;
    unsigned status;
    const char *type;
} paths[] = {
    {"/", 200, "text/html; charset=utf-8"},
    {"/page.css", 200, "text/css; charset=utf-8"},
    {"/page.js", 200, "text/javascript; charset=utf-8"},
    {"/api/presets", 200, "application/json"},
    {"", 404, "text/plain; charset=utf-8"},
    {"//", 404, "text/plain; charset=utf-8"},
    {"/api/", 404, "text/plain; charset=utf-8"},
    {"/api/runs", 404, "text/plain; charset=utf-8"},
    {"/api/run/", 404, "text/plain; charset=utf-8"},
    {"/api/run.", 404, "text/plain; charset=utf-8"},
    {"/api/run.pdf", 404, "text/plain; charset=utf-8"},
    {"/api/schedule.", 404, "text/plain; charset=utf-8"},
    {"/api/../page.css", 404, "text/plain; charset=utf-8"},
    {"/page.css/../../etc/passwd", 404, "text/plain; charset=utf-8"},
};

START_TEST(only_known_paths_are_found)
{
    g_auto(PsimAnswer) answer = {0};

    psim_answer_find(&host, paths[_i].path, NULL, &answer);
    ck_assert_uint_eq(answer.status, paths[_i].status);
    ck_assert_str_eq(answer.type, paths[_i].type);
    ck_assert_ptr_nonnull(answer.policy);
}
END_TEST

START_TEST(a_long_address_is_refused)
{
    static const char message[] = "the address is longer than 4096 bytes\n";
    g_autofree char *long_query = g_strnfill(PSIM_SERVE_MAX_ADDRESS_BYTES, 'a');
    g_auto(PsimAnswer) answer = {0};

    psim_answer_find(&host, "/", long_query, &answer);
    ck_assert_uint_eq(answer.status, 414);
    ck_assert_uint_eq(g_bytes_get_size(answer.body), strlen(message));
    ck_assert_int_eq(memcmp(g_bytes_get_data(answer.body, NULL), message, strlen(message)), 0);
}
END_TEST

START_TEST(a_schedule_beyond_the_limit_is_refused)
{
    PsimScheduleOptions size = PSIM_SCHEDULE_OPTIONS_INIT;
    g_autoptr(GError) error = NULL;

    size.n_ranks = 64;
    size.n_microbatches = 1024;
    ck_assert(psim_serve_check(&size, &error));
    size.n_chunks = 2;
    ck_assert(!psim_serve_check(&size, &error));
    ck_assert_str_eq(error->message, "64 ranks x 1024 microbatches x 2 chunks are beyond the 65536 "
                                     "of a served run; \"plansim run\" takes them");
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_LIMIT));
    size.n_ranks = size.n_microbatches = size.n_chunks = G_MAXUINT32;
    ck_assert(!psim_serve_check(&size, NULL));
}
END_TEST

Suite *
answer_suite(void)
{
    Suite *suite = suite_create("answer");
    TCase *tcase = tcase_create("answers");

    tcase_add_loop_test(tcase, an_error_becomes_a_status_and_the_words_of_the_command_line, 0,
                        G_N_ELEMENTS(statuses));
    tcase_add_loop_test(tcase, only_known_paths_are_found, 0, G_N_ELEMENTS(paths));
    tcase_add_test(tcase, a_long_address_is_refused);
    tcase_add_test(tcase, a_schedule_beyond_the_limit_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
