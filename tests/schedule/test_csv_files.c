/* SPDX-License-Identifier: MIT */
/* Schedule files that are written, and those of PyTorch and torchtitan: these are made here by our
 * generators, or by their rule, and known by the SHA-256 of the original.
 */
#include "csv_text.h"
#include "replay.h"
#include "suites.h"

#include <check.h>

/* -- Writing ----------------------------------------------------------------------------------- */

START_TEST(every_schedule_reads_back_as_it_was_written_or_is_refused)
{
    static const uint32_t shapes[][2] = {{2, 4}, {4, 8}, {4, 16}, {6, 12}};
    const PsimScheduleType *type = psim_schedule_find(psim_schedule_names()[_i]);

    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        g_autoptr(PsimArena) arena = psim_arena_new();
        PsimOrder *order = csv_order(type->name, shapes[i][0], shapes[i][1], 0, arena);
        g_autoptr(GString) text = g_string_new(NULL);
        g_autoptr(GError) error = NULL;

        if (order->n_chains > 1 || order->n_slices > 1) {
            ck_assert(!psim_csv_append(order, text, &error));
            ck_assert_int_eq(error->code, PSIM_ERROR_UNSUPPORTED);
            continue;
        }
        ck_assert(psim_csv_append(order, text, &error));
        g_autoptr(PsimCsvFile) file = csv_accept(text->str);

        ck_assert(csv_are_equal(file->order, order));
    }
}
END_TEST

START_TEST(what_the_format_cannot_hold_is_refused_with_the_reason)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    PsimOrder *order = csv_order("1f1b", 2, 2, 1, arena);

    order->n_chains = 2;
    ck_assert(!psim_csv_append(order, text, &error));
    ck_assert_str_eq(error->message,
                     "a bidirectional schedule has each stage on two ranks; in a PyTorch schedule "
                     "file a stage has one rank, so it cannot be written");
    g_clear_error(&error);
    order->n_chains = 1;
    order->n_slices = 2;
    ck_assert(!psim_csv_append(order, text, &error));
    ck_assert_str_eq(error->message, "a schedule of 2 token slices a microbatch cannot be written: "
                                     "a PyTorch schedule file has whole microbatches");
    ck_assert_str_eq(text->str, "");
}
END_TEST

/* -- Files of PyTorch and torchtitan ----------------------------------------------------------- */

START_TEST(dualpipe_v_is_pytorchs_artifact)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *text = csv_write(csv_order("dualpipe-v", 4, 10, 2, arena));
    g_autofree char *digest = csv_digest(text);
    g_autoptr(PsimCsvFile) file = csv_accept(text);

    /* dualpipev_4rank_10mb.csv */
    ck_assert_str_eq(digest, "16ce4a29936e4c5ad774098add32489b4937942e3f5ab0108f17d2826b184529");
    for (uint32_t rank = 0; rank < 4; rank++)
        ck_assert_uint_eq(psim_order_peak(file->order, rank), 9);
    /* this replay runs the halves of a pair in turn */
    ck_assert_int_eq(psim_replay_equal(file->order, (PsimStageTimes){1, 1, 1}, 0, arena)->makespan,
                     63);
}
END_TEST

/* Idle cells of zb1p_2rank_2stagep_compute.csv: behind so many operations of the rank. */
static char *
put_idle(const char *line, unsigned n_before)
{
    g_auto(GStrv) cells = g_strsplit(line, ",", -1);
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; cells[i] != NULL; i++)
        g_string_append_printf(text, "%s%s%s", i > 0 ? "," : "", i == n_before ? "," : "",
                               cells[i]);
    g_string_append_c(text, '\n');
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}

START_TEST(interleaved_zero_bubble_is_pytorchs_artifact_but_for_idle_cells)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    PsimOrder *order = csv_order("interleaved-zb", 2, 8, 2, arena);
    g_autofree char *text = csv_write(order);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *first = put_idle(lines[0], 3);
    g_autofree char *second = put_idle(lines[1], 0);
    g_autofree char *with_idle = g_strconcat(first, second, NULL);
    g_autofree char *digest = csv_digest(with_idle);
    g_autoptr(PsimCsvFile) file = csv_accept(with_idle);

    /* zb1p_2rank_2stagep_compute.csv */
    ck_assert_str_eq(digest, "47447dbd4824fb9cf9b4f3e3a200acfdc0763f2a8ed2eb3d72161886dc10d372");
    ck_assert(csv_are_equal(file->order, order));
    ck_assert_uint_eq(psim_order_peak(file->order, 0), 4);
    ck_assert_uint_eq(psim_order_peak(file->order, 1), 4);
    ck_assert_int_eq(psim_replay_equal(file->order, (PsimStageTimes){1, 1, 1}, 0, arena)->makespan,
                     49);
}
END_TEST

/* torchtitan's example, by its rule: forwards breadth first, then backwards two microbatches at a
 * time, the later chunk one group ahead. */
static char *
write_torchtitan(void)
{
    GString *text = g_string_new(NULL);

    for (uint32_t rank = 0; rank < 2; rank++) {
        for (uint32_t i = 0; i < 16; i++)
            g_string_append_printf(text, "%s%uF%u", i > 0 ? "," : "", rank + i / 8 * 2, i % 8);
        for (uint32_t group = 0; group < 8; group++) {
            const uint32_t stage = rank + (group % 2 == 0 ? 2 : 0);

            for (uint32_t i = group / 2 * 2; i < group / 2 * 2 + 2; i++)
                g_string_append_printf(text, ",%uI%u,%uW%u", stage, i, stage, i);
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, /* free_segment= */ FALSE);
}

START_TEST(torchtitans_example_takes_50_ticks_and_16_chunks)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    g_autofree char *text = write_torchtitan();
    g_autofree char *digest = csv_digest(text);
    g_autoptr(PsimCsvFile) file = csv_accept(text);

    /* custom_schedule.csv */
    ck_assert_str_eq(digest, "5b02e1fb880865e28634f95f3324cc0273f972c8befbb59db8f22a5d9832bd13");
    ck_assert_uint_eq(psim_order_peak(file->order, 0), 16);
    ck_assert_uint_eq(psim_order_peak(file->order, 1), 16);
    ck_assert_int_eq(psim_replay_equal(file->order, (PsimStageTimes){1, 1, 1}, 0, arena)->makespan,
                     50);
}
END_TEST

Suite *
csv_files_suite(void)
{
    Suite *suite = suite_create("csv_files");
    TCase *tcase = tcase_create("csv_files");
    const int n_schedules = (int)g_strv_length((char **)(uintptr_t)psim_schedule_names());

    tcase_add_loop_test(tcase, every_schedule_reads_back_as_it_was_written_or_is_refused, 0,
                        n_schedules);
    tcase_add_test(tcase, what_the_format_cannot_hold_is_refused_with_the_reason);
    tcase_add_test(tcase, dualpipe_v_is_pytorchs_artifact);
    tcase_add_test(tcase, interleaved_zero_bubble_is_pytorchs_artifact_but_for_idle_cells);
    tcase_add_test(tcase, torchtitans_example_takes_50_ticks_and_16_chunks);
    suite_add_tcase(suite, tcase);
    return suite;
}
