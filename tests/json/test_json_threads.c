/* SPDX-License-Identifier: MIT */
/* Documents parsed by four threads at once; worth most under -Db_sanitize=thread. */
#include "main.h"
#include "json/document.h"
#include "json/reader.h"

#include <string.h>

#define N_THREADS 4
#define N_ROUNDS  200u

typedef struct {
    unsigned number;  /* told to the thread */
    unsigned n_wrong; /* told by the thread */
} Work;

/* Parses and reads documents of its own; also one that is refused. */
static void *
parse_many(void *data)
{
    Work *work = data;

    for (unsigned i = 0; i < N_ROUNDS; i++) {
        const unsigned number = work->number * 1000 + i;
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf("{\"number\": %u, \"half\": 0.5}", number);
        g_autoptr(PsimDocument) document =
            psim_document_parse(text, strlen(text), "x.json", &error);
        g_autoptr(PsimComplaints) complaints = psim_complaints_new();
        g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

        work->n_wrong += psim_reader_count(reader, "number", 0, 100000) != number;
        work->n_wrong += psim_reader_number(reader, "half", 0.0, 1.0) != 0.5;
        psim_reader_end(reader);
        work->n_wrong += !psim_complaints_finish(complaints, &error);
        work->n_wrong += psim_document_parse("{1", 2, "y.json", &error) != NULL;
    }
    return NULL;
}

START_TEST(four_threads_parse_at_once)
{
    GThread *threads[N_THREADS] = {NULL};
    Work works[N_THREADS] = {{.number = 0}};
    g_autoptr(GError) error = NULL;

    /* GLib makes its tables and our error domain at the first use, under locks that the thread
     * sanitizer does not see. */
    ck_assert_ptr_null(psim_document_parse("", 0, "y.json", &error));
    for (unsigned i = 0; i < N_THREADS; i++) {
        works[i].number = i;
        threads[i] = g_thread_new("parse", parse_many, &works[i]);
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        g_thread_join(threads[i]);
        ck_assert_uint_eq(works[i].n_wrong, 0);
    }
}
END_TEST

static Suite *
threads_suite(void)
{
    Suite *suite = suite_create("json threads");
    TCase *tcase = tcase_create("parse");

    tcase_add_test(tcase, four_threads_parse_at_once);
    suite_add_tcase(suite, tcase);
    return suite;
}

PSIM_TEST_SUITES(threads_suite);
