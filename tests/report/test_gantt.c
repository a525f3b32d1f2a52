/* SPDX-License-Identifier: MIT */
#include "report/gantt.h"

#include "engine/sweep.h"
#include "fixture.h"
#include "timeline/summary.h"

#include <check.h>
#include <string.h>

Suite *gantt_suite(void);

START_TEST(one_f_one_b_is_drawn_cell_by_cell)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *text = fixture_tell(result, "ascii");

    ck_assert_str_eq(
        text,
        "1f1b, 3 ranks, 4 microbatches: makespan 18 ticks, bubble 6 = 33.3% of the total\n"
        "\n"
        "time   |0                 6                 12                |\n"
        "rank 0 |F0 F1 F2 .  .  .  .  B0=== F3 B1=== .  B2=== .  B3=== |  peak 3\n"
        "rank 1 |.  F0 F1 .  .  B0=== F2 B1=== F3 B2=== .  B3=== .  .  |  peak 2\n"
        "rank 2 |.  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== .  .  .  .  |  peak 1\n"
        "F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept\n");
}
END_TEST

START_TEST(with_chunks_the_stage_stands_in_front)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);

    result->n_chunks = 2;
    g_autofree char *text = fixture_tell(result, "ascii");

    ck_assert_ptr_nonnull(strstr(text, "rank 1 |.   1F0 1F1 .   .   1B0==== 1F2 1B1==== "));
    ck_assert_ptr_nonnull(strstr(text, "; stage in front, microbatch behind; "));
}
END_TEST

/* Two chunks on one rank: F0 of stage 0 and 1, then back. */
static PsimResult *
make_chunked(void)
{
    PsimResult *result = psim_result_new(PSIM_RESULT_RUN);
    PsimGraphBuilder builder;
    const PsimTaskClass classes[] = {
        {.op = "F", .kind = PSIM_TASK_COMPUTE, .stage = 0, .chunk = 0},
        {.op = "F", .kind = PSIM_TASK_COMPUTE, .stage = 1, .chunk = 1},
        {.op = "B", .kind = PSIM_TASK_COMPUTE, .stage = 1, .chunk = 1},
        {.op = "B", .kind = PSIM_TASK_COMPUTE, .stage = 0, .chunk = 0},
    };

    psim_graph_builder_init(&builder, result->arena, 4, 4);
    psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    for (uint32_t i = 0; i < G_N_ELEMENTS(classes); i++) {
        psim_graph_add_class(&builder, &classes[i]);
        psim_graph_add_task(&builder, i, 0, i < 2 ? 1 : 2, 0);
    }
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->n_ranks = 1;
    result->n_chunks = 2;
    return result;
}

static const struct {
    uint32_t max_columns;
    const char *row;
} widths[] = {
    {41, "\nrank 0 |0F0 1F0 1B0==== 0B0==== |\n"},
    {40, "\nrank 0 |F0 f0 b0=== B0=== |\n"},
    {34, "\nrank 0 |F0f0b0==B0==|\n"},
};

START_TEST(where_the_stage_has_no_room_odd_chunks_are_small)
{
    g_autoptr(PsimResult) result = make_chunked();
    g_autoptr(GString) text = g_string_new(NULL);

    psim_gantt_draw(result, widths[_i].max_columns, text);
    ck_assert_msg(strstr(text->str, widths[_i].row) != NULL, "%s", text->str);
}
END_TEST

START_TEST(a_picture_too_wide_shows_what_takes_most_of_each_column)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autoptr(GString) text = g_string_new(NULL);

    ck_assert(psim_gantt_is_exact(result, 100));
    ck_assert(!psim_gantt_is_exact(result, 50));
    psim_gantt_draw(result, /* max_columns= */ 40, text);
    /* A column a tick: a backward of two has room for its label, a forward of one has not. */
    ck_assert_str_eq(text->str, "time   |0               16|\n"
                                "rank 0 |FFF....B0FB1.B2.B3|  peak 3\n"
                                "rank 1 |.FF..B0FB1FB2.B3..|  peak 2\n"
                                "rank 2 |..FB0FB1FB2FB3....|  peak 1\n"
                                "F forward, B backward, . idle; a column is 1 tick; number: "
                                "microbatch; peak: chunks kept\n");
}
END_TEST

/* F in two segments, its collective beside the second one's end, then the optimizer. */
START_TEST(segments_are_one_bar_and_collectives_show_where_nothing_computes)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    PsimGraphBuilder builder;
    const PsimTaskClass classes[] = {
        {.op = "F", .kind = PSIM_TASK_COMPUTE},
        {.op = "tp-F", .kind = PSIM_TASK_TP},
        {.op = "dp-reduce", .kind = PSIM_TASK_DP},
        {.op = "optimizer", .kind = PSIM_TASK_OPTIMIZER},
    };

    psim_graph_builder_init(&builder, result->arena, 4, 4);
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++)
        psim_graph_add_class(&builder, &classes[i]);
    const uint32_t compute = psim_graph_add_stream(&builder, 0, PSIM_STREAM_COMPUTE);
    const uint32_t tp = psim_graph_add_stream(&builder, 0, PSIM_STREAM_TP);
    const uint32_t dp = psim_graph_add_stream(&builder, 0, PSIM_STREAM_DP);

    psim_graph_add_task(&builder, 0, compute, 2000, 7);
    psim_graph_add_task(&builder, 0, compute, 2000, 7);
    psim_graph_add_task(&builder, 1, tp, 2000, 7);
    psim_graph_add_edge(&builder, 1);
    psim_graph_add_task(&builder, 2, dp, 1000, PSIM_TASK_NONE);
    psim_graph_add_edge(&builder, 2);
    psim_graph_add_task(&builder, 3, compute, 1000, PSIM_TASK_NONE);
    psim_graph_add_edge(&builder, 3);
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->n_ranks = 1;

    g_autoptr(GString) text = g_string_new(NULL);

    psim_gantt_draw(result, /* max_columns= */ 100, text);
    ck_assert_str_eq(text->str,
                     "time   |0 s             4.00 ns         |\n"
                     "rank 0 |F7------------- ttttttt ddd opt |\n"
                     "F forward, o optimizer, t exposed TP, d exposed DP; a cell is 1.00 ns; "
                     "number: microbatch\n");
}
END_TEST

START_TEST(rows_beyond_the_64th_are_counted)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_SCHEDULE);
    PsimGraphBuilder builder;
    const PsimTaskClass class = {.op = "F", .kind = PSIM_TASK_COMPUTE};
    g_autoptr(GString) text = g_string_new(NULL);

    psim_graph_builder_init(&builder, result->arena, 4, 4);
    psim_graph_add_class(&builder, &class);
    for (uint32_t rank = 0; rank < 70; rank++)
        psim_graph_add_task(&builder, 0, psim_graph_add_stream(&builder, rank, PSIM_STREAM_COMPUTE),
                            1, 0);
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->n_ranks = 70;
    result->ranks = psim_summary_ranks(result->graph, result->replay, result->arena);
    ck_assert(!psim_gantt_is_exact(result, 100));
    psim_gantt_draw(result, /* max_columns= */ 100, text);
    ck_assert_ptr_nonnull(strstr(text->str, "\nrank 63 |"));
    ck_assert_ptr_null(strstr(text->str, "\nrank 64 |"));
    ck_assert_ptr_nonnull(strstr(text->str, "\n... and 6 more ranks\n"));
}
END_TEST

START_TEST(no_line_is_wider_than_asked)
{
    g_autoptr(PsimResult) result =
        _i == 0 ? fixture_run(/* fits= */ true) : fixture_schedule(/* latency= */ 7);
    g_autofree char *text = fixture_tell(result, "ascii");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (char **line = lines; *line != NULL; line++)
        ck_assert_uint_le(strlen(*line), 200);
}
END_TEST

Suite *
gantt_suite(void)
{
    Suite *suite = suite_create("gantt");
    TCase *picture = tcase_create("picture");

    tcase_add_test(picture, one_f_one_b_is_drawn_cell_by_cell);
    tcase_add_test(picture, with_chunks_the_stage_stands_in_front);
    tcase_add_loop_test(picture, where_the_stage_has_no_room_odd_chunks_are_small, 0,
                        (int)G_N_ELEMENTS(widths));
    tcase_add_test(picture, a_picture_too_wide_shows_what_takes_most_of_each_column);
    tcase_add_test(picture, segments_are_one_bar_and_collectives_show_where_nothing_computes);
    tcase_add_test(picture, rows_beyond_the_64th_are_counted);
    tcase_add_loop_test(picture, no_line_is_wider_than_asked, 0, 2);
    suite_add_tcase(suite, picture);
    return suite;
}
