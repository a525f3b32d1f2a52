/* SPDX-License-Identifier: MIT */
/* Published rows, where they lie beside the source: what must hold of them whatever the constants.
 */
#include "test_validate.h"

#include "validate/validation.h"

#include <stdio.h>
#include <string.h>

/* Returns: NULL, with a word to the log, where the rows are missing. */
static PsimValidation *
run_published(const char *file)
{
    g_autofree char *path = g_build_filename(MEASUREMENTS, file, NULL);
    const char *const files[] = {path, NULL};
    const PsimValidationOptions options = {.n_threads = 1};
    g_autoptr(GError) error = NULL;

    if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
        printf("# skipped: no %s beside the source\n", file);
        return NULL;
    }
    PsimValidation *validation = psim_validation_run(files, &options, &error);

    ck_assert_msg(validation != NULL, "%s", error != NULL ? error->message : "");
    return validation;
}

static bool
differ_in_schedule_alone(const PsimRow *a, const PsimRow *b)
{
    return strcmp(a->model.name, b->model.name) == 0 && a->n_gpus == b->n_gpus &&
           a->micro_batch == b->micro_batch && a->n_microbatches == b->n_microbatches;
}

/* Qi et al. 2024, table 4. Times are printed to a thousandth. */
START_TEST(schedules_of_the_zero_bubble_paper_keep_their_order)
{
    g_autoptr(PsimValidation) validation = run_published("zero_bubble.json");
    guint n_pairs = 0;

    if (validation == NULL)
        return;
    for (guint i = 0; i < validation->rows->len; i++) {
        const PsimRow *slow = g_ptr_array_index(validation->rows, i);
        const PsimPrediction *slow_is = g_ptr_array_index(validation->predictions, i);

        for (guint j = 0; j < validation->rows->len; j++) {
            const PsimRow *fast = g_ptr_array_index(validation->rows, j);
            const PsimPrediction *fast_is = g_ptr_array_index(validation->predictions, j);

            if (!differ_in_schedule_alone(slow, fast) || !(fast->step_s < slow->step_s * 0.999))
                continue;
            ck_assert_msg(fast_is->step_s < slow_is->step_s, "%s %.3f s before %s %.3f s", slow->id,
                          slow_is->step_s, fast->id, fast_is->step_s);
            n_pairs++;
        }
    }
    ck_assert_uint_ge(n_pairs, 20);
}
END_TEST

Suite *
published_suite(void)
{
    Suite *suite = suite_create("published");
    TCase *tcase = tcase_create("published");

    tcase_add_test(tcase, schedules_of_the_zero_bubble_paper_keep_their_order);
    suite_add_tcase(suite, tcase);
    return suite;
}
