/* SPDX-License-Identifier: MIT */
/* Plans of one family share much: programs (the order of a schedule) are kept, since they depend on
 * five small numbers; of the last plan everything is kept, so that its memory, bound and step cost
 * its work once.
 */
#include "base/time.h"
#include "lower/balance.h"
#include "sim/fill.h"
#include "sim/numbers.h"
#include "sim/peaks.h"
#include "sim/periods.h"

#include <string.h>

/* Programs kept; then all are dropped and made anew. */
#define MAX_PROGRAM_BYTES ((size_t)96 * 1024 * 1024)

typedef struct {
    const PsimScheduleType *type;
    uint32_t n_ranks, n_microbatches, n_chunks, group, n_slices;
} Key;

struct PsimEvaluator {
    PsimPlan *base;
    PsimPeriods *periods;
    PsimArena *program_arena;
    GHashTable *programs; /* Key -> PsimProgram, both of program_arena */
    PsimArena *arena;     /* of the last plan */
    double model_flop;    /* of one token, or sample of a layer list */
    double layer_params;  /* of all layers; 0: unknown */

    /* The last plan. */
    PsimChange change;
    PsimPlan plan;
    bool is_valid;
    bool is_split;              /* a balanced split is found, program and work are made */
    const PsimProgram *program; /* NULL: not usable, replay the graph */
    const PsimWork *work;
    double peak_bytes;
};

/* -- Programs -- */

static guint
hash_key(gconstpointer data)
{
    const Key *key = data;
    guint hash = g_direct_hash(key->type);

    hash = hash * 31 + key->n_ranks;
    hash = hash * 31 + key->n_microbatches;
    hash = hash * 31 + key->n_chunks;
    hash = hash * 31 + key->group;
    return hash * 31 + key->n_slices;
}

static gboolean
is_equal_key(gconstpointer a, gconstpointer b)
{
    const Key *one = a;
    const Key *two = b;

    return one->type == two->type && one->n_ranks == two->n_ranks &&
           one->n_microbatches == two->n_microbatches && one->n_chunks == two->n_chunks &&
           one->group == two->group && one->n_slices == two->n_slices;
}

static void
drop_programs(PsimEvaluator *self)
{
    g_hash_table_remove_all(self->programs);
    psim_arena_free(self->program_arena);
    self->program_arena = psim_arena_new();
}

static const PsimProgram *
find_program(PsimEvaluator *self)
{
    const PsimShape shape = psim_plan_shape(&self->plan);
    const Key key = {
        .type = self->plan.schedule,
        .n_ranks = shape.n_ranks,
        .n_microbatches = shape.n_microbatches,
        .n_chunks = shape.n_chunks,
        .group = shape.group,
        .n_slices = shape.n_slices,
    };
    const PsimProgram *program = g_hash_table_lookup(self->programs, &key);

    if (program != NULL)
        return program;
    if (psim_arena_bytes(self->program_arena) > MAX_PROGRAM_BYTES)
        drop_programs(self);
    g_autoptr(PsimArena) scratch = psim_arena_new();
    PsimProgram *made =
        psim_program_make(self->plan.schedule, &shape, scratch, self->program_arena);
    Key *kept = psim_arena_array(self->program_arena, Key, 1);

    *kept = key;
    g_hash_table_insert(self->programs, kept, made);
    return made;
}

/* -- The last plan -- */

static bool
is_last(const PsimEvaluator *self, const PsimChange *change)
{
    return memcmp(&self->change, change, sizeof self->change) == 0;
}

/* Returns: whether the plan is valid. */
static bool
take_up(PsimEvaluator *self, const PsimChange *change)
{
    if (is_last(self, change))
        return self->is_valid;
    psim_arena_rewind(self->arena, (PsimArenaMark){0});
    self->change = *change;
    self->is_split = false;
    self->program = NULL;
    self->work = NULL;
    self->peak_bytes = -1.0;
    self->is_valid = psim_numbers_make(self->base, change, self->arena, &self->plan);
    return self->is_valid;
}

/* Whether programs stand for what the plan does: not for orders that depend on times or hold
 * activations for one another. */
static bool
suits_program(const PsimPlan *plan)
{
    return !plan->schedule->is_made_to_measure && plan->schedule->balanced_peak == NULL &&
           plan->schedule_file == NULL;
}

/* Makes what memory, bound and step are read from. */
static bool
prepare(PsimEvaluator *self, const PsimChange *change, GError **error)
{
    if (!take_up(self, change)) {
        g_autoptr(PsimPlan) refused =
            error != NULL ? psim_plan_derive(self->base, change, error) : NULL;

        if (refused != NULL)
            g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                                "the plan cannot be evaluated as a variant of its base");
        return false;
    }
    if (self->is_split)
        return true;
    if (self->plan.split == PSIM_SPLIT_BALANCED)
        self->plan.layers_per_stage = psim_balance_plan(&self->plan, self->arena);
    if (suits_program(&self->plan)) {
        const PsimProgram *program = find_program(self);

        self->program = program->is_usable ? program : NULL;
    }
    if (self->program != NULL) {
        self->work = psim_work_from_order(&self->plan, &self->program->order, /* unfold= */ false,
                                          self->arena, error);
        if (self->work == NULL) {
            self->change = (PsimChange){0};
            return false;
        }
    }
    self->is_split = true;
    return true;
}

/* -- Memory, as sim/stage_figures.c adds it up -- */

static double
peak_of_rank(const PsimEvaluator *self, uint32_t rank, const PsimPeak *peak)
{
    const PsimWork *work = self->work;
    const PsimStaticMemory *memory = &work->memory[rank];
    const double bytes = (double)peak->peak_bytes;
    double logits_bytes = 0.0;

    for (uint32_t s = 0; s < work->n_stages; s++) {
        if (work->workload.order->rank_of_stage[s] == rank)
            logits_bytes += work->costs[s].memory.logits_bytes;
    }
    logits_bytes = MIN(logits_bytes / work->workload.order->n_slices, bytes);
    const double overhead = memory->overhead_bytes + self->plan.runtime.fragmentation_fraction *
                                                         (bytes + memory->comm_buffers_bytes);

    return memory->states.weights_bytes + memory->states.gradients_bytes +
           memory->states.optimizer_bytes + (bytes - logits_bytes) + logits_bytes +
           memory->comm_buffers_bytes + overhead;
}

static void
find_peak(PsimEvaluator *self)
{
    const uint32_t n_ranks = self->work->workload.order->n_ranks;
    PsimPeak *peaks = psim_arena_array(self->arena, PsimPeak, n_ranks);

    if (self->peak_bytes >= 0.0)
        return;
    psim_peaks_find(self->program, &self->work->workload, peaks);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        self->peak_bytes = MAX(self->peak_bytes, peak_of_rank(self, rank, &peaks[rank]));
}

/* -- The long way, for what programs do not cover -- */

static bool
replay_graph(PsimEvaluator *self, PsimTime *ret_step, GError **error)
{
    static const PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(PsimResult) result = psim_result_new(PSIM_RESULT_RUN);
    PsimPlan plan = self->plan;
    PsimRun run = {.plan = &plan, .options = &options, .result = result};

    /* The split is found already. */
    plan.split = plan.split == PSIM_SPLIT_BALANCED ? PSIM_SPLIT_EXPLICIT : plan.split;
    if (!psim_run_replay(&run, error))
        return false;
    psim_stage_figures_fill(&run);
    self->peak_bytes = result->worst_peak_bytes;
    *ret_step = result->step_ps;
    return true;
}

/* -- Lower bound -- */

static PsimTime
op_ps(const PsimStageWork *stage, PsimOpKind kind)
{
    return stage->op[kind].compute_ps + stage->op[kind].tp_ps + stage->op[kind].cp_ps;
}

/* Work of one rank with what must come before its first operation and after its last. */
static PsimTime
bound_of_rank(const PsimEvaluator *self, uint32_t rank)
{
    const PsimWorkload *work = &self->work->workload;
    const PsimOrder *order = work->order;
    const bool is_split = self->plan.schedule->splits_backward;
    uint32_t first = order->n_stages;
    PsimTime bound = 0;

    for (uint32_t s = order->n_stages; s-- > 0;) {
        if (order->rank_of_stage[s] != rank)
            continue;
        first = s;
        bound += op_ps(&work->stages[s], PSIM_OP_FORWARD);
        bound += is_split ? op_ps(&work->stages[s], PSIM_OP_BACKWARD_INPUT) +
                                op_ps(&work->stages[s], PSIM_OP_BACKWARD_WEIGHT)
                          : op_ps(&work->stages[s], PSIM_OP_BACKWARD);
    }
    bound *= order->n_microbatches;
    for (uint32_t s = 0; s < first && first < order->n_stages; s++) {
        bound += op_ps(&work->stages[s], PSIM_OP_FORWARD) + work->stages[s].send_forward_ps;
        if (!is_split)
            bound +=
                op_ps(&work->stages[s], PSIM_OP_BACKWARD) + work->stages[s + 1].send_backward_ps;
    }
    return bound;
}

static PsimTime
find_bound(const PsimEvaluator *self)
{
    const PsimWorkload *work = &self->work->workload;
    PsimTime bound = 0;

    /* Two chains share their microbatches as the schedule likes. */
    if (work->order->n_chains > 1)
        return 0;
    for (uint32_t rank = 0; rank < work->order->n_ranks; rank++)
        bound = MAX(bound, bound_of_rank(self, rank));
    return bound + (work->global_barrier ? work->barrier_ps : 0);
}

/* -- Public -- */

PsimEvaluator *
psim_evaluator_new(PsimPlan *base)
{
    g_return_val_if_fail(base != NULL, NULL);

    PsimEvaluator *self = g_new0(PsimEvaluator, 1);

    self->base = psim_plan_ref(base);
    self->periods = psim_periods_new();
    self->program_arena = psim_arena_new();
    self->arena = psim_arena_new();
    self->programs = g_hash_table_new(hash_key, is_equal_key);
    self->model_flop = psim_layer_model_flop(base->model, /* convention_full_attention= */ true);
    if (base->model->kind == PSIM_MODEL_TRANSFORMER) {
        const PsimModelParams params = psim_model_params(base->model);

        self->layer_params = params.attention + params.mlp;
    }
    return self;
}

void
psim_evaluator_free(PsimEvaluator *self)
{
    if (self == NULL)
        return;
    g_hash_table_unref(self->programs);
    psim_arena_free(self->program_arena);
    psim_arena_free(self->arena);
    psim_periods_free(self->periods);
    psim_plan_unref(self->base);
    g_free(self);
}

bool
psim_evaluator_is_valid(PsimEvaluator *self, const PsimChange *change)
{
    g_return_val_if_fail(self != NULL && change != NULL, false);
    return take_up(self, change);
}

double
psim_evaluator_floor(PsimEvaluator *self, const PsimChange *change)
{
    g_return_val_if_fail(self != NULL && change != NULL, 0.0);

    PsimPlan plan = *self->base;

    psim_numbers_take(&plan, change);
    /* The fullest rank has the mean at least. */
    const double params = self->layer_params / plan.tp / plan.pp;
    const PsimModelStates states = psim_memory_states(&plan, params);

    return states.weights_bytes + states.gradients_bytes + states.optimizer_bytes +
           plan.runtime.overhead_bytes;
}

bool
psim_evaluator_bytes(PsimEvaluator *self,
                     const PsimChange *change,
                     double *ret_bytes,
                     GError **error)
{
    g_return_val_if_fail(self != NULL && change != NULL && ret_bytes != NULL, false);

    if (!prepare(self, change, error))
        return false;
    if (self->program != NULL) {
        find_peak(self);
    } else {
        PsimTime step = 0;

        if (self->peak_bytes < 0.0 && !replay_graph(self, &step, error))
            return false;
    }
    *ret_bytes = self->peak_bytes;
    return true;
}

bool
psim_evaluator_bound(PsimEvaluator *self,
                     const PsimChange *change,
                     PsimTime *ret_bound,
                     GError **error)
{
    g_return_val_if_fail(self != NULL && change != NULL && ret_bound != NULL, false);

    if (!prepare(self, change, error))
        return false;
    *ret_bound = self->program != NULL ? find_bound(self) : 0;
    return true;
}

static bool
find_step(PsimEvaluator *self, PsimTime *ret_step, bool *ret_repeats, GError **error)
{
    if (self->program == NULL)
        return replay_graph(self, ret_step, error);
    find_peak(self);
    if (psim_periods_replay(self->periods, self->program, &self->work->workload, ret_step,
                            ret_repeats))
        return true;
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                        "the step takes more than 106 days of simulated time");
    return false;
}

bool
psim_evaluator_run(PsimEvaluator *self,
                   const PsimChange *change,
                   PsimEvaluation *ret_evaluation,
                   GError **error)
{
    g_return_val_if_fail(self != NULL && change != NULL && ret_evaluation != NULL, false);

    PsimTime step = 0;
    bool repeats = false;

    if (!prepare(self, change, error) || !find_step(self, &step, &repeats, error))
        return false;
    const PsimPlan *plan = &self->plan;
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;
    const double samples = (double)plan->global_batch;
    const double tokens =
        samples * (is_transformer ? plan->model->sequence : plan->model->sample_tokens);
    const double flop = self->model_flop * (is_transformer ? tokens : samples);
    const double step_s = psim_time_to_s(step);
    const double capacity = plan->hardware->device.memory_usable_bytes;

    *ret_evaluation = (PsimEvaluation){
        .size = sizeof *ret_evaluation,
        .step = step,
        .peak_bytes = self->peak_bytes,
        .capacity_bytes = capacity,
        .tokens_per_s = step > 0 ? tokens / step_s : 0.0,
        .mfu_fraction = step > 0 ? flop / step_s / plan->n_gpus /
                                       plan->hardware->device.peak_flop_per_s[plan->precision]
                                 : 0.0,
        .n_microbatches = plan->n_microbatches,
        .fits = capacity - self->peak_bytes >= 0.0,
        .repeats = repeats,
    };
    return true;
}
