/* SPDX-License-Identifier: MIT */
#include "unit_workload.h"

#include <check.h>

PsimWorkload
unit_workload(PsimArena *arena, const char *schedule, PsimShape shape, UnitTimes times)
{
    const PsimScheduleType *type = psim_schedule_find(schedule);
    const PsimOrder *order = psim_schedule_emit(type, &shape, arena);
    PsimStageWork *stages = psim_arena_array(arena, PsimStageWork, order->n_stages);

    for (uint32_t s = 0; s < order->n_stages; s++)
        stages[s] = (PsimStageWork){
            .op = {[PSIM_OP_FORWARD] = {.compute_ps = times.forward, .start_bytes = 1},
                   [PSIM_OP_BACKWARD] = {.compute_ps = times.input + times.weight, .end_bytes = 1},
                   [PSIM_OP_BACKWARD_INPUT] = {.compute_ps = times.input},
                   [PSIM_OP_BACKWARD_WEIGHT] = {.compute_ps = times.weight, .end_bytes = 1}},
            .send_forward_ps = times.latency,
            .send_backward_ps = times.latency,
            .n_segments = 1,
        };
    return (PsimWorkload){.order = order, .stages = stages, .tp = 1, .cp = 1, .dp = 1};
}

void
unit_workload_hold(PsimWorkload *work, PsimArena *arena, int64_t whole, int64_t weight)
{
    const uint32_t n_stages = work->order->n_stages;
    PsimStageWork *stages = psim_arena_array(arena, PsimStageWork, n_stages);

    for (uint32_t s = 0; s < n_stages; s++) {
        stages[s] = work->stages[s];
        stages[s].op[PSIM_OP_FORWARD].start_bytes = whole;
        stages[s].op[PSIM_OP_BACKWARD].end_bytes = whole;
        stages[s].op[PSIM_OP_BACKWARD_INPUT].end_bytes = whole - weight;
        stages[s].op[PSIM_OP_BACKWARD_WEIGHT].end_bytes = weight;
    }
    work->stages = stages;
}

UnitRun
unit_run(const PsimWorkload *work, PsimArena *arena)
{
    UnitRun run = {.arena = arena, .lowered = psim_lower(work, arena, NULL)};

    ck_assert_ptr_nonnull(run.lowered);
    run.replay = psim_sweep_run(run.lowered->graph, arena, NULL);
    ck_assert_ptr_nonnull(run.replay);
    run.ranks = psim_summary_ranks(run.lowered->graph, run.replay, arena);
    return run;
}

PsimTime
unit_run_span(const UnitRun *run)
{
    PsimTime longest = 0;

    for (uint32_t r = 0; r < run->lowered->graph->n_ranks; r++)
        longest = MAX(longest, run->ranks[r].last_end_ps - run->ranks[r].first_start_ps);
    return longest;
}

PsimTime
unit_run_idle(const UnitRun *run)
{
    return unit_run_span(run) - run->ranks[0].busy_ps;
}

PsimTime
unit_run_bubble(const UnitRun *run)
{
    return run->replay->makespan - run->ranks[0].busy_ps;
}

PsimShape
unit_shape(uint32_t p, uint32_t m, uint32_t v)
{
    return (PsimShape){.n_ranks = p, .n_microbatches = m, .n_chunks = v, .group = p};
}

UnitRun
unit_replay(const char *schedule, PsimShape shape, UnitTimes times, PsimArena *arena)
{
    const PsimWorkload work = unit_workload(arena, schedule, shape, times);
    const UnitRun run = unit_run(&work, arena);

    ck_assert_msg(!run.lowered->deadlock, "%s deadlocks for p=%u m=%u", schedule, shape.n_ranks,
                  shape.n_microbatches);
    return run;
}
