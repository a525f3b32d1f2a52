/* SPDX-License-Identifier: MIT */
#include "search/space.h"

#include <string.h>

/* From slowest to fastest. Checks are made as soon as the axes they need are known. */
typedef enum {
    AXIS_SITE,
    AXIS_GPUS,
    AXIS_TP,
    AXIS_PP,
    AXIS_BATCH,
    AXIS_ZERO,
    AXIS_SEQUENCE,
    AXIS_RECOMPUTE,
    AXIS_MICRO,
    AXIS_ORDER,
    AXIS_SPLIT, /* even, balanced */
} Axis;
#define N_AXES 11

#define MAX_PIPELINE 128u
#define MAX_TENSOR   64u
#define MAX_MICRO    16u

typedef struct {
    const PsimSpace *space;
    PsimEvaluator *const *evaluators;
    bool prunes;
    uint64_t stride[N_AXES]; /* candidates below one value of the axis */
    uint32_t digit[N_AXES];
    const PsimSite *site;
    uint32_t n_gpus;
    PsimChange change;
} Cursor;

static GArray *
new_axis(void)
{
    return g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

static void
free_site(void *site)
{
    psim_site_free(site);
}

PsimSpace *
psim_space_new(void)
{
    PsimSpace *self = g_new0(PsimSpace, 1);

    self->sites = g_ptr_array_new_with_free_func(free_site);
    self->gpus = new_axis();
    self->batches = new_axis();
    self->tp = new_axis();
    self->pp = new_axis();
    self->zero = new_axis();
    self->sequence_parallel = new_axis();
    self->recompute = new_axis();
    self->micro = new_axis();
    self->split = new_axis();
    self->orders = g_array_new(FALSE, FALSE, sizeof(PsimSpaceOrder));
    return self;
}

void
psim_space_free(PsimSpace *self)
{
    GArray *axes[] = {self->gpus,      self->batches, self->tp,
                      self->pp,        self->zero,    self->sequence_parallel,
                      self->recompute, self->micro,   self->split,
                      self->orders};

    for (size_t i = 0; i < G_N_ELEMENTS(axes); i++)
        g_array_unref(axes[i]);
    g_ptr_array_unref(self->sites);
    g_free(self);
}

/* -- Values worth looking at -- */

static void
fill_powers(GArray *axis, uint32_t most)
{
    for (uint32_t value = 1; axis->len == 0 || value <= most; value *= 2)
        g_array_append_val(axis, value);
}

static void
fill_range(GArray *axis, uint32_t first, uint32_t last)
{
    for (uint32_t value = first; value <= last; value++)
        g_array_append_val(axis, value);
}

static bool
divides_some(const GArray *gpus, uint32_t degree)
{
    for (guint i = 0; i < gpus->len; i++) {
        if (g_array_index(gpus, uint32_t, i) % degree == 0)
            return true;
    }
    return false;
}

static void
fill_pipeline(PsimSpace *self)
{
    self->is_pp_free = true;
    for (uint32_t value = 1; value <= MAX_PIPELINE; value++) {
        if (divides_some(self->gpus, value))
            g_array_append_val(self->pp, value);
    }
}

static void
fill_orders(PsimSpace *self)
{
    static const PsimSpaceOrder orders[] = {
        {"1f1b", 1},        {"interleaved", 2},  {"interleaved", 3},  {"interleaved", 4},
        {"interleaved", 5}, {"interleaved", 6},  {"interleaved", 7},  {"interleaved", 8},
        {"interleaved", 9}, {"interleaved", 10}, {"interleaved", 12}, {"interleaved", 16},
        {"zb-h1", 1},       {"zb-v", 2},
    };

    g_array_append_vals(self->orders, orders, G_N_ELEMENTS(orders));
}

void
psim_space_fill(PsimSpace *self)
{
    if (self->tp->len == 0)
        fill_powers(self->tp, MAX_TENSOR);
    if (self->pp->len == 0)
        fill_pipeline(self);
    if (self->zero->len == 0)
        fill_range(self->zero, 0, 3);
    if (self->sequence_parallel->len == 0)
        fill_range(self->sequence_parallel, 0, 1);
    if (self->recompute->len == 0)
        fill_range(self->recompute, 0, 2);
    if (self->micro->len == 0)
        fill_powers(self->micro, MAX_MICRO);
    if (self->split->len == 0)
        fill_range(self->split, 0, 1);
    if (self->orders->len == 0)
        fill_orders(self);
}

/* -- Numbering -- */

static void
list_lengths(const PsimSpace *self, uint64_t ret_length[N_AXES])
{
    ret_length[AXIS_SITE] = self->sites->len;
    ret_length[AXIS_GPUS] = self->gpus->len;
    ret_length[AXIS_TP] = self->tp->len;
    ret_length[AXIS_PP] = self->pp->len;
    ret_length[AXIS_BATCH] = self->batches->len;
    ret_length[AXIS_ZERO] = self->zero->len;
    ret_length[AXIS_SEQUENCE] = self->sequence_parallel->len;
    ret_length[AXIS_RECOMPUTE] = self->recompute->len;
    ret_length[AXIS_MICRO] = self->micro->len;
    ret_length[AXIS_ORDER] = self->orders->len;
    ret_length[AXIS_SPLIT] = self->split->len;
}

uint64_t
psim_space_size(const PsimSpace *self)
{
    uint64_t length[N_AXES];
    uint64_t size = 1;

    list_lengths(self, length);
    for (unsigned axis = 0; axis < N_AXES; axis++)
        size *= length[axis];
    return size;
}

static void
begin_cursor(Cursor *cursor, const PsimSpace *space)
{
    uint64_t length[N_AXES];
    uint64_t stride = 1;

    list_lengths(space, length);
    cursor->space = space;
    for (unsigned axis = N_AXES; axis-- > 0;) {
        cursor->stride[axis] = stride;
        stride *= length[axis];
    }
}

static uint32_t
value_of(const GArray *axis, uint32_t digit)
{
    return g_array_index(axis, uint32_t, digit);
}

uint32_t
psim_space_batch(const PsimSpace *self, guint index, uint32_t n_gpus)
{
    const uint64_t batch = value_of(self->batches, index);

    return self->is_batch_per_gpu ? (uint32_t)MIN(batch * n_gpus, UINT32_MAX) : (uint32_t)batch;
}

uint64_t
psim_space_ranks(const PsimSite *site, const PsimChange *change)
{
    return (uint64_t)change->tp * site->cp * change->pp;
}

static void
move_to(Cursor *cursor, uint64_t ordinal)
{
    const PsimSpace *space = cursor->space;
    const uint32_t *digit = cursor->digit;

    for (unsigned axis = 0; axis < N_AXES; axis++) {
        cursor->digit[axis] = (uint32_t)(ordinal / cursor->stride[axis]);
        ordinal %= cursor->stride[axis];
    }
    const PsimSpaceOrder *order = &g_array_index(space->orders, PsimSpaceOrder, digit[AXIS_ORDER]);

    cursor->site = g_ptr_array_index(space->sites, digit[AXIS_SITE]);
    cursor->n_gpus = value_of(space->gpus, digit[AXIS_GPUS]);
    memset(&cursor->change, 0, sizeof cursor->change);
    cursor->change.size = sizeof cursor->change;
    cursor->change.tp = value_of(space->tp, digit[AXIS_TP]);
    cursor->change.pp = value_of(space->pp, digit[AXIS_PP]);
    cursor->change.dp =
        (uint32_t)(cursor->n_gpus / psim_space_ranks(cursor->site, &cursor->change));
    cursor->change.global_batch = psim_space_batch(space, digit[AXIS_BATCH], cursor->n_gpus);
    cursor->change.zero_stage = (int)value_of(space->zero, digit[AXIS_ZERO]);
    cursor->change.sequence_parallel =
        (int)value_of(space->sequence_parallel, digit[AXIS_SEQUENCE]);
    cursor->change.recompute = (int)value_of(space->recompute, digit[AXIS_RECOMPUTE]);
    cursor->change.micro_batch = value_of(space->micro, digit[AXIS_MICRO]);
    cursor->change.schedule = order->schedule;
    cursor->change.n_chunks = order->n_chunks;
    cursor->change.balanced = (int)value_of(space->split, digit[AXIS_SPLIT]);
}

double
psim_space_limit(const PsimSpace *self, uint32_t site)
{
    const PsimSite *at = g_ptr_array_index(self->sites, site);
    /* The text of a number may be a last digit off; the verdict is the evaluation's. */
    const double capacity = at->capacity_bytes * (1.0 + 1e-12);

    return self->max_bytes > 0.0 ? MIN(capacity, self->max_bytes) : capacity;
}

/* -- Checks, by the axis that decides them -- */

static int
check_degrees(const Cursor *cursor)
{
    const PsimChange *change = &cursor->change;

    if (cursor->n_gpus % psim_space_ranks(cursor->site, change) != 0 ||
        change->pp > cursor->site->n_layers ||
        (cursor->space->no_cross_node_tp && change->tp > MAX(cursor->site->scale_up_size, 1)))
        return PSIM_DROP_RULES;
    return -1;
}

static bool
has_room(const Cursor *cursor)
{
    return !cursor->prunes ||
           psim_evaluator_floor(cursor->evaluators[cursor->digit[AXIS_SITE]], &cursor->change) <=
               psim_space_limit(cursor->space, cursor->digit[AXIS_SITE]);
}

static int
check_sharding(const Cursor *cursor)
{
    const PsimChange *change = &cursor->change;

    if (change->zero_stage > 0 && change->dp * cursor->site->cp == 1 &&
        cursor->digit[AXIS_ZERO] > 0)
        return PSIM_DROP_ALIKE;
    if (change->zero_stage > 1 && change->pp > 1 && !cursor->space->pipelined_sharding)
        return PSIM_DROP_RULES;
    return has_room(cursor) ? -1 : PSIM_DROP_MEMORY;
}

/* One stage has no order to choose: the first schedule of one chunk stands for all. */
static int
check_order(const Cursor *cursor)
{
    const PsimChange *change = &cursor->change;

    if ((uint64_t)change->pp * change->n_chunks > cursor->site->n_layers)
        return PSIM_DROP_RULES;
    return change->pp == 1 && cursor->digit[AXIS_ORDER] > 0 ? PSIM_DROP_ALIKE : -1;
}

/* Where layers divide, they are split evenly unless asked otherwise; trainers cut several chunks a
 * rank evenly only. */
static int
check_split(const Cursor *cursor)
{
    const PsimChange *change = &cursor->change;
    const bool divides = cursor->site->n_layers % (change->pp * change->n_chunks) == 0;

    if (change->balanced > 0 && divides && cursor->space->split->len > 1)
        return PSIM_DROP_ALIKE;
    if ((change->balanced == 0 && !divides) || (change->balanced > 0 && change->n_chunks > 1))
        return PSIM_DROP_RULES;
    return psim_evaluator_is_valid(cursor->evaluators[cursor->digit[AXIS_SITE]], change)
               ? -1
               : PSIM_DROP_RULES;
}

/* Returns: the reason why all candidates with these values up to @axis are dropped; -1: none. */
static int
check_axis(const Cursor *cursor, Axis axis)
{
    const PsimChange *change = &cursor->change;

    switch (axis) {
    case AXIS_PP:
        return check_degrees(cursor);
    case AXIS_BATCH:
        return change->global_batch % change->dp == 0 ? -1 : PSIM_DROP_RULES;
    case AXIS_ZERO:
        return check_sharding(cursor);
    case AXIS_SEQUENCE:
        return change->sequence_parallel > 0 && change->tp == 1 &&
                       cursor->space->sequence_parallel->len > 1
                   ? PSIM_DROP_ALIKE
                   : -1;
    case AXIS_MICRO:
        return change->global_batch % ((uint64_t)change->dp * change->micro_batch) == 0
                   ? -1
                   : PSIM_DROP_RULES;
    case AXIS_ORDER:
        return check_order(cursor);
    case AXIS_SPLIT:
        return check_split(cursor);
    case AXIS_SITE:
    case AXIS_GPUS:
    case AXIS_TP:
    case AXIS_RECOMPUTE:
        return -1;
    }
    g_assert_not_reached();
}

static void
take_candidate(const Cursor *cursor, uint64_t ordinal, PsimCandidatePlan *ret_candidate)
{
    *ret_candidate = (PsimCandidatePlan){
        .ordinal = ordinal,
        .site = cursor->digit[AXIS_SITE],
        .n_gpus = cursor->n_gpus,
        .change = cursor->change,
    };
}

bool
psim_space_next(const PsimSpace *self,
                PsimEvaluator *const *evaluators,
                bool prunes,
                uint64_t *ordinal,
                uint64_t *dropped,
                PsimCandidatePlan *ret_candidate)
{
    const uint64_t size = psim_space_size(self);
    Cursor cursor = {.evaluators = evaluators, .prunes = prunes};

    begin_cursor(&cursor, self);
    while (*ordinal < size) {
        int drop = -1;
        unsigned axis = 0;

        move_to(&cursor, *ordinal);
        for (; axis < N_AXES && drop < 0; axis++)
            drop = check_axis(&cursor, (Axis)axis);
        if (drop < 0) {
            take_candidate(&cursor, (*ordinal)++, ret_candidate);
            return true;
        }
        const uint64_t stride = cursor.stride[axis - 1];
        const uint64_t next = (*ordinal / stride + 1) * stride;

        dropped[drop] += next - *ordinal;
        *ordinal = next;
    }
    return false;
}

void
psim_space_at(const PsimSpace *self, uint64_t ordinal, PsimCandidatePlan *ret_candidate)
{
    Cursor cursor = {.prunes = false};

    begin_cursor(&cursor, self);
    move_to(&cursor, ordinal);
    take_candidate(&cursor, ordinal, ret_candidate);
}
