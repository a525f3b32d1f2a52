/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <check.h>
#include <math.h>
#include <string.h>

Suite *text_report_suite(void);

static void
check_first_line(const PsimResult *result, const char *expected)
{
    g_autofree char *text = fixture_tell(result, "text");

    *strchr(text, '\n') = '\0';
    ck_assert_str_eq(text, expected);
}

START_TEST(the_first_line_is_the_answer)
{
    g_autoptr(PsimResult) fits = fixture_run(/* fits= */ true);
    g_autoptr(PsimResult) not = fixture_run(/* fits= */ false);

    check_first_line(fits, "tiny: 9.00 s a step, 156 TFLOP/s a GPU, fits in 40.0 GB "
                           "(peak 30.0 GB on stage 0)");
    check_first_line(not,
                     "DOES NOT FIT: tiny needs 30.0 GB of 24.0 GB on stage 0; a step would take "
                     "9.00 s");
    fits->time_low_s = 8.0;
    fits->time_high_s = 10.5;
    check_first_line(fits, "tiny: 9.00 s a step (8 s to 10.5 s), 156 TFLOP/s a GPU, fits in "
                           "40.0 GB (peak 30.0 GB on stage 0)");
    fits->step_ps = not ->step_ps = 0;
    check_first_line(fits, "tiny: fits in 40.0 GB (peak 30.0 GB on stage 0)");
    check_first_line(not, "DOES NOT FIT: tiny needs 30.0 GB of 24.0 GB on stage 0");
}
END_TEST

START_TEST(the_plan_is_resolved_in_three_lines)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(result, "text");

    ck_assert_ptr_nonnull(strstr(
        text,
        "\nplan\n"
        "  8.00 B parameters (toy-8b), bf16, sequence 2048; 16 GPUs GPU-1 (box), runtime megatron\n"
        "  DP 2 x PP 2 x TP 4; 2 microbatches a pipeline: global batch 4 / (DP 2 x micro batch 1)\n"
        "  layers a stage: 2, 3; schedule 1f1b, recompute full, ZeRO stage 1\n"));
}
END_TEST

static const char *const pieces[] = {
    "\nwhere the step goes, mean over ranks\n"
    "  part          time  share\n"
    "                   s      %\n"
    "  compute      6.000   66.7\n"
    "  PP, exposed  0.000    0.0\n"
    "  bubble       3.000   33.3\n"
    "  step         9.000  100.0\n",
    "\npipeline bubble, idle time mean over ranks\n"
    "  3.00 s = 33.3% of the step = 50.0% of the busy time\n"
    "  closed form: 33.3% of the step with equal stages and free communication; (p-1)/(m+p-1)\n"
    "  why they differ: transfers take part of it\n",
    "\nmemory of a GPU, by stage, at the stage's peak\n"
    "  stage  layers  weights  gradients  optimizer  activations  logits  other  "
    "peak     in flight\n"
    "                      GB         GB         GB           GB      GB     GB    "
    "GB  microbatches\n"
    "      0       2      2.0        4.0       12.0         10.0     0.0    2.0  "
    "30.0             2\n"
    "      1       3      2.0        4.0       12.0          5.0     1.5    2.0  "
    "26.5             1\n",
    "\nverdict\n"
    "  fits: stage 0 needs 30.0 GB during B of microbatch 0 at 1 s; 40.0 GB usable, 10.0 GB to "
    "spare; the\n"
    "    largest term is optimizer\n"
    "  8 B parameters x 4 B = 32 GB of fp32 weights\n",
    "  MFU 37.5% (117 TFLOP/s a GPU) = model FLOPs / (step x GPUs x dense peak)\n"
    "  HFU 50.0% (156 TFLOP/s a GPU), with what is recomputed\n"
    "  910 tokens/s, 56.9 a GPU\n"
    "  300 B tokens: 12.5 days, 4.80 k GPU-hours, 8.64 k USD at 1.80 USD per GPU-hour, 2026-03\n",
    "\ncommunication of the busiest rank\n"
    "  what        group  GPUs  path           payload   count    time  exposed\n"
    "                                           of one  a step  of all\n"
    "  all-reduce  tp        4  in a node       100 MB      96  250 ms   125 ms\n"
    "  send        pp        2  between nodes  50.0 MB       4  400 ps   200 ps\n",
    "\ndefaults used\n"
    "  - /precision = bf16: what the runtime uses\n",
    "\nassumed, not computed\n"
    "  - gemm_efficiency: 0.8 (measured); moves compute time\n",
    "\nwarnings\n"
    "  - 2 microbatches fill a pipeline of 2 badly [few-microbatches]; use 8\n",
    "\nwhat to try next\n"
    "  - the bubble takes 33.3% of the step: more microbatches (a smaller micro batch, a larger "
    "global\n"
    "    batch), fewer pipeline stages, or schedule interleaved\n"
    "  - add -f chrome -o trace.json, and open that in Perfetto\n",
};

START_TEST(each_section_reads_as_it_should)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(result, "text");

    ck_assert_msg(strstr(text, pieces[_i]) != NULL, "missing:%s\nin:\n%s", pieces[_i], text);
}
END_TEST

START_TEST(a_plan_that_does_not_fit_says_so_beside_its_times_and_lists_fixes)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ false);
    g_autofree char *text = fixture_tell(result, "text");
    static const char *const expected[] = {
        "\nwhere the step would go if it fitted, mean over ranks\n",
        "  DOES NOT FIT: stage 0 needs 30.0 GB during B of microbatch 0 at 1 s; 24.0 GB usable, "
        "6.00 GB too\n"
        "    little; the largest term is optimizer\n",
        "  any one of these makes it fit:\n"
        "    change           peak    step\n"
        "    zero_stage=3  20.0 GB  9.50 s\n"
        "    tp=8, dp=1    18.0 GB       -\n",
        "; it does\n    not fit\n",
        "\nwhat to try next\n  - zero_stage=3: the peak falls to 20.0 GB\n",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++)
        ck_assert_msg(strstr(text, expected[i]) != NULL, "missing:%s\nin:\n%s", expected[i], text);
    result->n_fixes = 0;
    g_autofree char *without = fixture_tell(result, "text");

    ck_assert_ptr_nonnull(strstr(without, "  no change of the plan was found that makes it fit\n"));
}
END_TEST

START_TEST(lines_keep_within_100_columns)
{
    g_autoptr(PsimResult) fits = fixture_run(/* fits= */ true);
    g_autoptr(PsimResult) not = fixture_run(/* fits= */ false);
    g_autoptr(PsimResult) alone = fixture_schedule(/* latency= */ 2);
    const PsimResult *const results[] = {fits, not, alone};

    for (size_t i = 0; i < G_N_ELEMENTS(results); i++) {
        g_autofree char *text = fixture_tell(results[i], "text");
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

        for (char **line = lines; *line != NULL; line++)
            ck_assert_msg(g_utf8_strlen(*line, -1) <= 100, "%s", *line);
    }
}
END_TEST

/* Stages 1 to 6 are alike; then forty that all differ, of which the middle is told by its range. */
START_TEST(stages_that_read_alike_share_a_row_and_many_rows_are_cut)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    PsimStageFigures *stages = psim_arena_array(result->arena, PsimStageFigures, 40);

    for (uint32_t i = 0; i < 40; i++)
        stages[i] =
            (PsimStageFigures){.stage = i, .n_layers = 3, .peak_bytes = i == 0 ? 30e9 : 20e9};
    result->stages = stages;
    result->n_stages = 40;
    g_autofree char *alike = fixture_tell(result, "text");

    ck_assert_ptr_nonnull(strstr(alike, "\n      0       3 "));
    ck_assert_ptr_nonnull(strstr(alike, "\n   1-39       3 "));

    for (uint32_t i = 0; i < 40; i++)
        stages[i].peak_bytes = (40 - i) * 1e9;
    result->worst_stage = 20;
    g_autofree char *cut = fixture_tell(result, "text");

    ck_assert_ptr_nonnull(strstr(cut, "\n      7  "));
    ck_assert_ptr_null(strstr(cut, "\n      8  "));
    ck_assert_ptr_nonnull(strstr(cut, "\n     20  "));
    ck_assert_ptr_nonnull(strstr(cut, "\n     36  "));
    ck_assert_ptr_nonnull(
        strstr(cut, "\n  stages 8-35, left out: peaks from 5.00 GB to 32.0 GB\n"));
}
END_TEST

START_TEST(a_schedule_tells_its_bubble_three_ways_and_draws_itself)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *text = fixture_tell(result, "text");

    ck_assert_str_eq(
        text,
        "1f1b, 3 ranks, 4 microbatches: makespan 18 ticks, bubble 6 = 33.3% of the total\n"
        "1F1B\n"
        "\n"
        "bubble, three ways\n"
        "  time               6 ticks = makespan 18 - busiest rank 12\n"
        "  fraction of total  33.3% = 6 / 18\n"
        "  ratio to ideal     50.0% = 6 / 12\n"
        "closed form, equal stages and free transfers: 33.3% of the total; (p-1)/(m+p-1)\n"
        "\n"
        "by rank\n"
        "  rank   busy  own span  idle before  inside  after    peak\n"
        "        ticks     ticks        ticks   ticks  ticks  chunks\n"
        "     0     12        18            0       6      0       3\n"
        "     1     12        15            1       3      2       2\n"
        "     2     12        12            2       0      4       1\n"
        "\n"
        "time   |0                 6                 12                |\n"
        "rank 0 |F0 F1 F2 .  .  .  .  B0=== F3 B1=== .  B2=== .  B3=== |  peak 3\n"
        "rank 1 |.  F0 F1 .  .  B0=== F2 B1=== F3 B2=== .  B3=== .  .  |  peak 2\n"
        "rank 2 |.  .  F0 B0=== F1 B1=== F2 B2=== F3 B3=== .  .  .  .  |  peak 1\n"
        "F forward, B backward, . idle; a cell is 1 tick; number: microbatch; peak: chunks kept\n");
}
END_TEST

START_TEST(a_picture_wider_than_the_screen_is_left_out)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 7);
    g_autofree char *text = fixture_tell(result, "text");

    ck_assert_ptr_nonnull(strstr(text, "\nby rank\n"));
    ck_assert_ptr_null(strstr(text, "\nrank 0 |"));
}
END_TEST

START_TEST(a_deadlock_names_each_head_and_what_it_waits_for)
{
    g_autoptr(PsimResult) result = fixture_deadlock();
    g_autofree char *text = fixture_tell(result, "text");

    ck_assert_str_eq(text, "by-hand, 3 ranks, 1 microbatch: DEADLOCK, 2 of 3 ranks cannot go on\n"
                           "\n"
                           "where each rank stands\n"
                           "  rank  next  waits for\n"
                           "     0  B0    the backward of stage 1, microbatch 0, on rank 1\n"
                           "     1  B0    the forward of stage 1, microbatch 0, on rank 1\n"
                           "     2  -     nothing, it has finished\n");
}
END_TEST

Suite *
text_report_suite(void)
{
    Suite *suite = suite_create("text_report");
    TCase *run = tcase_create("run");
    TCase *schedule = tcase_create("schedule");

    tcase_add_test(run, the_first_line_is_the_answer);
    tcase_add_test(run, the_plan_is_resolved_in_three_lines);
    tcase_add_loop_test(run, each_section_reads_as_it_should, 0, (int)G_N_ELEMENTS(pieces));
    tcase_add_test(run, a_plan_that_does_not_fit_says_so_beside_its_times_and_lists_fixes);
    tcase_add_test(run, lines_keep_within_100_columns);
    tcase_add_test(run, stages_that_read_alike_share_a_row_and_many_rows_are_cut);
    suite_add_tcase(suite, run);
    tcase_add_test(schedule, a_schedule_tells_its_bubble_three_ways_and_draws_itself);
    tcase_add_test(schedule, a_picture_wider_than_the_screen_is_left_out);
    tcase_add_test(schedule, a_deadlock_names_each_head_and_what_it_waits_for);
    suite_add_tcase(suite, schedule);
    return suite;
}
