/* SPDX-License-Identifier: MIT */
#include "timeline/result.h"

#include "engine/sweep.h"
#include "hand.h"

#include <check.h>
#include <math.h>
#include <stddef.h>

Suite *result_suite(void);

static PsimResult *
make_result(PsimResultKind kind)
{
    PsimResult *result = psim_result_new(kind);
    const Hand hand = {
        .orders = hand_1f1b, .n_ranks = 3, .forward = 1, .backward = 2, .latency = 1};

    result->graph = hand_graph(&hand, result->arena);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->step_ps = result->replay->makespan;
    return result;
}

START_TEST(a_new_result_has_modelled_nothing)
{
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);

    ck_assert(isnan(result->time_low_s) && isnan(result->tokens) && isnan(result->cost));
    ck_assert(isnan(result->ideal_bubble_fraction));
    ck_assert_uint_eq(psim_result_n_spans(result), 0);
    ck_assert(!psim_result_fits(result));
}
END_TEST

START_TEST(a_result_lives_until_its_last_reference)
{
    PsimResult *result = make_result(PSIM_RESULT_RUN);

    ck_assert_ptr_eq(psim_result_ref(result), result);
    psim_result_unref(result);
    ck_assert_uint_gt(psim_result_n_spans(result), 0);
    psim_result_unref(result);
    psim_result_unref(NULL);
}
END_TEST

static const struct {
    PsimResultKind kind;
    bool fits;
    uint32_t n_stuck;
    bool expected;
} verdicts[] = {
    {PSIM_RESULT_RUN, true, 0, true},        {PSIM_RESULT_RUN, false, 0, false},
    {PSIM_RESULT_RUN, true, 2, false},       {PSIM_RESULT_SCHEDULE, false, 0, true},
    {PSIM_RESULT_SCHEDULE, false, 1, false},
};

START_TEST(a_result_fits_if_memory_holds_and_nothing_deadlocks)
{
    g_autoptr(PsimResult) result = psim_result_new(verdicts[_i].kind);

    result->fits = verdicts[_i].fits;
    result->n_stuck = verdicts[_i].n_stuck;
    ck_assert(psim_result_fits(result) == verdicts[_i].expected);
}
END_TEST

START_TEST(a_summary_fills_no_more_than_the_caller_has)
{
    g_autoptr(PsimResult) result = make_result(PSIM_RESULT_RUN);
    PsimSummary summary = {.size = sizeof summary};
    PsimSummary old = {.size = offsetof(PsimSummary, mfu_fraction), .mfu_fraction = -1.0};

    result->bubble_fraction = 0.25;
    result->mfu_fraction = 0.5;
    result->worst_peak_bytes = 71e9;
    result->capacity_bytes = 80e9;
    psim_result_summary(result, &summary);
    ck_assert_uint_eq(summary.size, sizeof summary);
    ck_assert_int_eq(summary.step, 26);
    ck_assert_double_eq(summary.bubble_fraction, 0.25);
    ck_assert_double_eq(summary.mfu_fraction, 0.5);
    ck_assert_uint_eq(summary.peak_bytes, UINT64_C(71000000000));
    ck_assert_uint_eq(summary.capacity_bytes, UINT64_C(80000000000));
    ck_assert_uint_eq(summary.n_tasks, psim_result_n_spans(result));

    psim_result_summary(result, &old);
    ck_assert_int_eq(old.step, 26);
    ck_assert_double_eq(old.bubble_fraction, 0.25);
    ck_assert_double_eq(old.mfu_fraction, -1.0);
}
END_TEST

START_TEST(spans_tell_every_task_and_those_of_a_stream_in_time_order)
{
    g_autoptr(PsimResult) result = make_result(PSIM_RESULT_RUN);
    const uint64_t n_spans = psim_result_n_spans(result);
    PsimTime until = 0;
    PsimTime sum = 0;

    /* 24 operations, 8 transfers each way. */
    ck_assert_uint_eq(n_spans, 40);
    for (uint64_t i = 0; i < n_spans; i++) {
        PsimSpan span = {.size = sizeof span};

        psim_result_span(result, i, &span);
        ck_assert_uint_eq(span.size, sizeof span);
        ck_assert_uint_eq(span.stage, span.rank);
        sum += span.duration;
        if (span.rank != 1 || g_strcmp0(span.stream, "compute") != 0)
            continue;
        ck_assert(g_strcmp0(span.op, "F") == 0 || g_strcmp0(span.op, "B") == 0);
        ck_assert_int_ge(span.start, until);
        until = span.start + span.duration;
    }
    ck_assert_int_eq(sum, 3 * 12 + 16);
}
END_TEST

Suite *
result_suite(void)
{
    Suite *suite = suite_create("result");
    TCase *handle = tcase_create("handle");
    TCase *views = tcase_create("views");

    tcase_add_test(handle, a_new_result_has_modelled_nothing);
    tcase_add_test(handle, a_result_lives_until_its_last_reference);
    tcase_add_loop_test(handle, a_result_fits_if_memory_holds_and_nothing_deadlocks, 0,
                        (int)G_N_ELEMENTS(verdicts));
    suite_add_tcase(suite, handle);
    tcase_add_test(views, a_summary_fills_no_more_than_the_caller_has);
    tcase_add_test(views, spans_tell_every_task_and_those_of_a_stream_in_time_order);
    suite_add_tcase(suite, views);
    return suite;
}
