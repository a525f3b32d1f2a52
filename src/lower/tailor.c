/* SPDX-License-Identifier: MIT */
#include "lower/tailor.h"

#include <math.h>

static PsimTime
op_time(const PsimOpWork *op)
{
    return op->compute_ps + op->tp_ps + op->cp_ps;
}

/* What comes and goes also fragments. */
int64_t
psim_tailor_room_bytes(const PsimPlan *plan, const PsimStaticMemory *memory)
{
    const double fragmentation = plan->runtime.fragmentation_fraction;
    const double rest = plan->hardware->device.memory_usable_bytes - memory->states.weights_bytes -
                        memory->states.gradients_bytes - memory->states.optimizer_bytes -
                        memory->overhead_bytes - (1.0 + fragmentation) * memory->comm_buffers_bytes;

    return (int64_t)floor(rest / (1.0 + fragmentation));
}

/* F, I and W of one stage, in this order. */
static const PsimOpKind kinds[3] = {PSIM_OP_FORWARD, PSIM_OP_BACKWARD_INPUT,
                                    PSIM_OP_BACKWARD_WEIGHT};

typedef struct {
    PsimTime (*stage)[3];
    PsimTime (*transfer)[2];
    int64_t *stored_bytes, *input_bytes;
    int64_t (*working_bytes)[3];
} Sheet;

static void
fill_stage(const PsimWork *work, uint32_t s, Sheet *sheet)
{
    const PsimStageWork *stage = &work->workload.stages[s];
    const uint32_t *rank_of_stage = work->workload.order->rank_of_stage;
    const bool sends_forward = s + 1 < work->n_stages && rank_of_stage[s + 1] != rank_of_stage[s];
    const bool sends_backward = s > 0 && rank_of_stage[s - 1] != rank_of_stage[s];
    const PsimTime forward_ps = sends_forward ? stage->send_forward_ps : 0;
    const PsimTime backward_ps = sends_backward ? stage->send_backward_ps : 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        sheet->stage[s][i] = op_time(&stage->op[kinds[i]]);
        sheet->working_bytes[s][i] = stage->op[kinds[i]].working_bytes;
    }
    sheet->stored_bytes[s] = stage->op[PSIM_OP_FORWARD].start_bytes;
    sheet->input_bytes[s] = stage->op[PSIM_OP_BACKWARD_INPUT].end_bytes;
    if (work->workload.blocking_sends) {
        sheet->stage[s][0] += forward_ps;
        sheet->stage[s][1] += backward_ps;
    } else {
        sheet->transfer[s][0] = forward_ps;
        sheet->transfer[s][1] = backward_ps;
    }
}

PsimShapeTimes
psim_tailor_times(const PsimPlan *plan, const PsimWork *work, PsimArena *arena)
{
    const PsimOrder *order = work->workload.order;
    const uint32_t n_stages = work->n_stages;
    int64_t *cap_bytes = psim_arena_array(arena, int64_t, order->n_ranks);
    Sheet sheet = {
        .stage = psim_arena_alloc(arena, n_stages, sizeof *sheet.stage),
        .transfer = psim_arena_alloc(arena, n_stages, sizeof *sheet.transfer),
        .stored_bytes = psim_arena_array(arena, int64_t, n_stages),
        .input_bytes = psim_arena_array(arena, int64_t, n_stages),
        .working_bytes = psim_arena_alloc(arena, n_stages, sizeof *sheet.working_bytes),
    };

    for (uint32_t s = 0; s < n_stages; s++)
        fill_stage(work, s, &sheet);
    for (uint32_t rank = 0; rank < order->n_ranks; rank++)
        cap_bytes[rank] = psim_tailor_room_bytes(plan, &work->memory[rank]);
    return (PsimShapeTimes){
        .stage = (const PsimTime(*)[3])sheet.stage,
        .transfer = (const PsimTime(*)[2])sheet.transfer,
        .stored_bytes = sheet.stored_bytes,
        .input_bytes = sheet.input_bytes,
        .cap_bytes = cap_bytes,
        .working_bytes = (const int64_t(*)[3])sheet.working_bytes,
        .rank_of_stage = order->rank_of_stage,
        .channels = work->workload.channels,
    };
}

static PsimOrder *
place_stages(const PsimShape *shape, bool is_v, PsimArena *arena)
{
    PsimOrder *order = psim_arena_array(arena, PsimOrder, 1);

    psim_order_begin(order, shape, arena, /* n_ops= */ 0);
    if (is_v)
        psim_order_place_v(order);
    return order;
}

/* One placement. */
static PsimWork *
tailor(const PsimPlan *plan,
       bool is_v,
       bool unfold,
       PsimArena *arena,
       PsimMeasured *ret_measured,
       GError **error)
{
    PsimShape shape = psim_plan_shape(plan);
    const PsimOrder *places = place_stages(&shape, is_v, arena);
    PsimWork *work = psim_work_from_order(plan, places, unfold, arena, error);

    if (work == NULL)
        return NULL;
    const PsimShapeTimes times = psim_tailor_times(plan, work, arena);

    shape.times = &times;
    work->workload.order = psim_schedule_emit(plan->schedule, &shape, arena);
    *ret_measured =
        psim_meter_run(psim_meter_new(&shape, places->rank_of_stage, arena), work->workload.order);
    return work;
}

/* The better of loop and V. */
static PsimWork *
tailor_best(
    const PsimPlan *plan, bool unfold, PsimArena *arena, PsimMeasured *ret_measured, GError **error)
{
    const bool has_v = plan->n_chunks > 1 && plan->pp > 1;
    PsimMeasured measured;
    PsimWork *loop = tailor(plan, /* is_v= */ false, unfold, arena, ret_measured, error);

    if (loop == NULL || !has_v)
        return loop;
    PsimWork *v = tailor(plan, /* is_v= */ true, unfold, arena, &measured, error);

    if (v != NULL && !psim_measured_is_less(&measured, ret_measured))
        return loop;
    *ret_measured = measured;
    return v;
}

PsimWork *
psim_tailor_work(const PsimPlan *plan, bool unfold, PsimArena *arena, GError **error)
{
    PsimMeasured measured;

    return tailor_best(plan, unfold, arena, &measured, error);
}

bool
psim_tailor_measure(const PsimPlan *plan, PsimArena *scratch, PsimMeasured *ret_measured)
{
    const PsimArenaMark mark = psim_arena_mark(scratch);
    const bool is_made =
        tailor_best(plan, /* unfold= */ false, scratch, ret_measured, /* error= */ NULL) != NULL;

    psim_arena_rewind(scratch, mark);
    return is_made;
}
