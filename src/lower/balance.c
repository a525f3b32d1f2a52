/* SPDX-License-Identifier: MIT */
/* Two passes of dynamic programming over (stages, layers before them): first the least load of the
 * slowest stage, then, below that, the least sum of squares. Loads are whole numbers, so that equal
 * splits tie exactly.
 *
 *     best[s][a] = min over n of max(best[s-1][a-n], load of layers a-n .. a-1 as stage s-1)
 */
#include "lower/balance.h"

#include "cost/stage.h"
#include "lower/tailor.h"
#include "schedule/partition.h"

#include <math.h>
#include <string.h>

/* Load of the whole model: its square, summed over the most stages, still fits 63 bits. */
#define WHOLE_LOAD 16777216.0

#define NO_SPLIT INT64_MAX

/* Beyond so many stages, evening out ranks would take longer than it is worth. */
#define MAX_EVENED 256u

typedef struct {
    const PsimPlan *plan;
    PsimArena *arena;
    const PsimOrder *order;
    uint32_t n_stages, n_layers;
    int64_t *before;  /* (n_layers + 1) load of all layers before */
    int64_t *ends;    /* (n_stages) load of embedding and head */
    uint32_t *least;  /* (n_stages) layers */
    uint32_t *most;   /* (n_stages) layers that memory allows */
    uint32_t *layers; /* (n_stages) the split */
    int64_t slowest;  /* load of the slowest stage */
} Balance;

/* -- Loads -- */

static PsimStage
stage_of(const PsimPlan *plan, uint32_t stage, uint32_t layer_first, uint32_t n_layers)
{
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;

    return (PsimStage){
        .layer_first = layer_first,
        .n_layers = n_layers,
        .has_embedding = is_transformer && stage == 0,
        .has_head = is_transformer && stage + 1 == psim_plan_stage_count(plan),
    };
}

static double
sum_cost_s(const PsimPlan *plan, const PsimStage *stage)
{
    const PsimStageCost cost = psim_stage_cost(plan, stage);
    double sum_s = 0.0;

    for (unsigned pass = 0; pass < PSIM_N_PASSES; pass++)
        sum_s += cost.cost.compute_s[pass] + cost.cost.tp_s[pass] + cost.cost.cp_s[pass];
    return sum_s;
}

double
psim_balance_stage_s(const PsimPlan *plan, uint32_t stage, uint32_t layer_first, uint32_t n_layers)
{
    const PsimStage range = stage_of(plan, stage, layer_first, n_layers);

    return sum_cost_s(plan, &range);
}

static void
fill_loads(Balance *self)
{
    const PsimPlan *plan = self->plan;
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;
    double *layer_s = psim_arena_array(self->arena, double, self->n_layers);
    double *end_s = psim_arena_array(self->arena, double, self->n_stages);
    double whole_s = 0.0;

    for (uint32_t i = 0; i < self->n_layers; i++) {
        const PsimStage layer = {.layer_first = i, .n_layers = 1};

        layer_s[i] = is_transformer && i > 0 ? layer_s[i - 1] : sum_cost_s(plan, &layer);
        whole_s += layer_s[i];
    }
    for (uint32_t s = 0; is_transformer && s < self->n_stages; s++) {
        const PsimStage end = stage_of(plan, s, /* layer_first= */ 0, /* n_layers= */ 0);

        end_s[s] = end.has_embedding || end.has_head ? sum_cost_s(plan, &end) : 0.0;
        whole_s += end_s[s];
    }
    const double scale = whole_s > 0.0 ? WHOLE_LOAD / whole_s : 0.0;

    for (uint32_t i = 0; i < self->n_layers; i++)
        self->before[i + 1] = self->before[i] + llround(layer_s[i] * scale);
    for (uint32_t s = 0; s < self->n_stages; s++)
        self->ends[s] = llround(end_s[s] * scale);
}

static int64_t
load_of(const Balance *self, uint32_t stage, uint32_t begin, uint32_t end)
{
    return self->before[end] - self->before[begin] + self->ends[stage];
}

/* -- Dynamic programming -- */

/* What a split of the first stages is worth: the slowest load, or the sum of squares. */
static int64_t
extend(const Balance *self, int64_t worth, int64_t load, bool by_squares)
{
    if (worth == NO_SPLIT || (by_squares && load > self->slowest))
        return NO_SPLIT;
    return by_squares ? worth + load * load : MAX(worth, load);
}

/* The worth of the best split of @end layers whose last stage is @s; its layers go to @ret_taken.
 */
static int64_t
find_best(const Balance *self,
          uint32_t s,
          uint32_t end,
          const int64_t *row,
          bool by_squares,
          uint32_t *ret_taken)
{
    int64_t best = NO_SPLIT;

    for (uint32_t n = self->least[s]; n <= MIN(self->most[s], end); n++) {
        const int64_t load = load_of(self, s, end - n, end);
        const int64_t worth = extend(self, row[end - n], load, by_squares);

        if (worth < best) {
            best = worth;
            *ret_taken = n;
        }
        /* Loads only grow with more layers. */
        if (by_squares ? load > self->slowest : load >= best)
            break;
    }
    return best;
}

/* One row more. @ret_taken gets the layers of stage @s, for each number of layers up to its end. */
static void
add_stage(const Balance *self,
          uint32_t s,
          const int64_t *row,
          bool by_squares,
          int64_t *ret_row,
          uint32_t *ret_taken)
{
    for (uint32_t end = 0; end <= self->n_layers; end++)
        ret_row[end] = find_best(self, s, end, row, by_squares, &ret_taken[end]);
}

/* Returns: the worth of the best split, which goes to self->layers; NO_SPLIT: the limits allow
 * none. */
static int64_t
solve(Balance *self, bool by_squares)
{
    const PsimArenaMark mark = psim_arena_mark(self->arena);
    const size_t width = (size_t)self->n_layers + 1;
    int64_t *rows = psim_arena_array(self->arena, int64_t, 2 * width);
    uint32_t *taken = psim_arena_array(self->arena, uint32_t, self->n_stages * width);
    uint32_t end = self->n_layers;

    for (uint32_t i = 1; i <= self->n_layers; i++)
        rows[i] = NO_SPLIT;
    for (uint32_t s = 0; s < self->n_stages; s++)
        add_stage(self, s, rows + s % 2 * width, by_squares, rows + (s + 1) % 2 * width,
                  taken + s * width);
    const int64_t worth = rows[self->n_stages % 2 * width + self->n_layers];

    for (uint32_t s = self->n_stages; worth != NO_SPLIT && s-- > 0;) {
        self->layers[s] = taken[s * width + end];
        end -= self->layers[s];
    }
    psim_arena_rewind(self->arena, mark);
    return worth;
}

/* -- Ranks with several stages -- */

/* Of the slowest rank; its square sum breaks ties. */
static void
sum_ranks(const Balance *self, int64_t *ret_slowest, double *ret_squares)
{
    const PsimArenaMark mark = psim_arena_mark(self->arena);
    int64_t *loads = psim_arena_array(self->arena, int64_t, self->order->n_ranks);
    uint32_t begin = 0;

    for (uint32_t s = 0; s < self->order->n_stages; s++) {
        const uint32_t place = s % self->n_stages;

        begin = place == 0 ? 0 : begin;
        loads[self->order->rank_of_stage[s]] +=
            load_of(self, place, begin, begin + self->layers[place]);
        begin += self->layers[place];
    }
    *ret_slowest = 0;
    *ret_squares = 0.0;
    for (uint32_t rank = 0; rank < self->order->n_ranks; rank++) {
        *ret_slowest = MAX(*ret_slowest, loads[rank]);
        *ret_squares += (double)loads[rank] * (double)loads[rank];
    }
    psim_arena_rewind(self->arena, mark);
}

static bool
keeps_limits(const Balance *self)
{
    uint32_t begin = 0;

    for (uint32_t s = 0; s < self->n_stages; s++) {
        const uint32_t n = self->layers[s];

        if (n < self->least[s] || n > self->most[s] ||
            load_of(self, s, begin, begin + n) > self->slowest)
            return false;
        begin += n;
    }
    return true;
}

/* Moves one layer from @from to @to. Returns: whether the ranks are more even then; else it is
 * undone. */
static bool
move_layer(Balance *self, uint32_t from, uint32_t to)
{
    int64_t slowest[2];
    double squares[2];

    if (from == to || self->layers[from] == 0)
        return false;
    sum_ranks(self, &slowest[0], &squares[0]);
    self->layers[from]--;
    self->layers[to]++;
    sum_ranks(self, &slowest[1], &squares[1]);
    if (keeps_limits(self) &&
        (slowest[1] < slowest[0] || (slowest[1] == slowest[0] && squares[1] < squares[0])))
        return true;
    self->layers[from]++;
    self->layers[to]--;
    return false;
}

static void
even_out_ranks(Balance *self)
{
    bool moved = self->order->n_stages > self->order->n_ranks && self->n_stages <= MAX_EVENED;

    while (moved) {
        moved = false;
        for (uint32_t pair = 0; pair < self->n_stages * self->n_stages; pair++)
            moved |= move_layer(self, pair / self->n_stages, pair % self->n_stages);
    }
}

/* -- Memory -- */

static int64_t
peak_of(const PsimWork *work, uint32_t rank)
{
    const PsimOrder *order = work->workload.order;
    int64_t held_bytes = 0;
    int64_t peak_bytes = 0;

    for (uint32_t i = 0; i < order->n_ops[rank]; i++) {
        const PsimOp *op = &order->ops[rank][i];
        const PsimOpWork *does = &work->workload.stages[op->stage].op[op->kind];

        held_bytes += does->start_bytes;
        peak_bytes = MAX(peak_bytes, held_bytes + does->working_bytes);
        held_bytes -= does->end_bytes;
    }
    return peak_bytes;
}

/* The longest stage of a rank may not be so long again; where it has no layers, the limits that
 * result allow no split. */
static void
shorten_rank(Balance *self, uint32_t rank)
{
    uint32_t longest = self->n_stages;

    for (uint32_t s = 0; s < self->order->n_stages; s++) {
        const uint32_t place = s % self->n_stages;

        if (self->order->rank_of_stage[s] == rank &&
            (longest == self->n_stages || self->layers[place] > self->layers[longest]))
            longest = place;
    }
    g_assert(longest < self->n_stages);
    if (self->layers[longest] == 0)
        self->least[longest] = 1;
    self->most[longest] = MAX(self->layers[longest], 1) - 1;
}

/* Returns: whether the split fits; if not, its longest stages on full ranks are limited. */
static bool
check_memory(Balance *self)
{
    const PsimArenaMark mark = psim_arena_mark(self->arena);
    PsimPlan plan = *self->plan;
    bool fits = true;

    plan.layers_per_stage = self->layers;
    const PsimWork *work = psim_work_from_order(&plan, self->order, /* unfold= */ false,
                                                self->arena, /* error= */ NULL);

    for (uint32_t rank = 0; work != NULL && rank < self->order->n_ranks; rank++) {
        if (peak_of(work, rank) <= psim_tailor_room_bytes(&plan, &work->memory[rank]))
            continue;
        fits = false;
        shorten_rank(self, rank);
    }
    psim_arena_rewind(self->arena, mark);
    return fits;
}

/* -- All of it -- */

/* Embedding and head may stand alone, other stages have a layer. */
static void
init_balance(Balance *self, const PsimPlan *plan, const PsimOrder *order, PsimArena *scratch)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    const uint32_t n_layers = psim_model_layer_count(plan->model);
    const bool is_transformer = plan->model->kind == PSIM_MODEL_TRANSFORMER;

    *self = (Balance){
        .plan = plan,
        .arena = scratch,
        .order = order,
        .n_stages = n_stages,
        .n_layers = n_layers,
        .before = psim_arena_array(scratch, int64_t, (size_t)n_layers + 1),
        .ends = psim_arena_array(scratch, int64_t, n_stages),
        .least = psim_arena_array(scratch, uint32_t, n_stages),
        .most = psim_arena_array(scratch, uint32_t, n_stages),
        .layers = psim_arena_array(scratch, uint32_t, n_stages),
    };
    for (uint32_t s = 0; s < n_stages; s++) {
        self->least[s] = is_transformer && (s == 0 || s + 1 == n_stages) ? 0 : 1;
        self->most[s] = n_layers;
    }
    fill_loads(self);
}

/* Returns: whether the limits allow a split. */
static bool
split(Balance *self)
{
    self->slowest = solve(self, /* by_squares= */ false);
    if (self->slowest == NO_SPLIT)
        return false;
    (void)solve(self, /* by_squares= */ true);
    even_out_ranks(self);
    return true;
}

/* Fills @ret_layers with the best split that fits in this order; if none does, with the fastest,
 * which tells best by how much. Returns: the load of its slowest stage; NO_SPLIT if it does not
 * fit. */
static int64_t
balance_in_order(const PsimPlan *plan, const PsimOrder *order, uint32_t *ret_layers)
{
    const size_t size = psim_plan_stage_count(plan) * sizeof *ret_layers;
    g_autoptr(PsimArena) scratch = psim_arena_new();
    Balance balance;

    init_balance(&balance, plan, order, scratch);
    (void)split(&balance);
    memcpy(ret_layers, balance.layers, size);
    while (!check_memory(&balance)) {
        if (!split(&balance))
            return NO_SPLIT;
    }
    memcpy(ret_layers, balance.layers, size);
    return balance.slowest;
}

/* -- Schedules made to measure -- */

/* They keep within memory by themselves, at a price: the fastest split may leave so little room
 * that a slower one is better. So the splits that suit schedules of several needs are all tried. */
static const char *const references[] = {"1f1b", "interleaved", "interleaved-zb", "zb-v"};

#define MAX_SPLITS (G_N_ELEMENTS(references) + 1)

typedef struct {
    const PsimPlan *plan;
    uint32_t n_stages;
    uint32_t *layers[MAX_SPLITS];
    uint32_t n_splits;
} Splits;

/* Keeps @layers unless it is there already. */
static void
keep_split(Splits *self, uint32_t *layers)
{
    for (uint32_t i = 0; i < self->n_splits; i++) {
        if (memcmp(self->layers[i], layers, self->n_stages * sizeof *layers) == 0)
            return;
    }
    self->layers[self->n_splits++] = layers;
}

/* The one that needs least memory comes last; if none fits it is the only one. */
static void
find_splits(Splits *self, PsimArena *scratch)
{
    PsimShape shape = psim_plan_shape(self->plan);

    for (size_t i = 0; i < G_N_ELEMENTS(references); i++) {
        const PsimScheduleType *type = psim_schedule_find(references[i]);
        uint32_t *layers = psim_arena_array(scratch, uint32_t, self->n_stages);

        if (shape.n_chunks >= type->min_chunks && shape.n_chunks <= type->max_chunks &&
            balance_in_order(self->plan, psim_schedule_emit(type, &shape, scratch), layers) !=
                NO_SPLIT)
            keep_split(self, layers);
    }
    uint32_t *least = psim_arena_array(scratch, uint32_t, self->n_stages);

    shape.n_microbatches = 1;
    (void)balance_in_order(self->plan, psim_schedule_emit(self->plan->schedule, &shape, scratch),
                           least);
    keep_split(self, least);
}

static uint32_t *
pick_split(const Splits *self, PsimArena *scratch)
{
    PsimMeasured best = {.deadlock = true};
    uint32_t picked = 0;

    for (uint32_t i = 0; i < self->n_splits && self->n_splits > 1; i++) {
        PsimPlan plan = *self->plan;
        PsimMeasured measured = {.deadlock = true};

        plan.layers_per_stage = self->layers[i];
        if (!psim_tailor_measure(&plan, scratch, &measured) ||
            !psim_measured_is_less(&measured, &best))
            continue;
        best = measured;
        picked = i;
    }
    return self->layers[picked];
}

uint32_t *
psim_balance_plan(const PsimPlan *plan, PsimArena *arena)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    const uint32_t n_layers = psim_model_layer_count(plan->model);
    const PsimShape shape = psim_plan_shape(plan);
    uint32_t *layers = psim_arena_array(arena, uint32_t, n_stages);
    g_autoptr(PsimArena) scratch = psim_arena_new();

    psim_partition_nearly_even(n_layers, n_stages, layers);
    if (n_stages > n_layers)
        return layers;
    if (plan->schedule->is_made_to_measure) {
        Splits splits = {.plan = plan, .n_stages = n_stages};

        find_splits(&splits, scratch);
        memcpy(layers, pick_split(&splits, scratch), n_stages * sizeof *layers);
    } else {
        (void)balance_in_order(plan, psim_schedule_emit(plan->schedule, &shape, scratch), layers);
    }
    return layers;
}
