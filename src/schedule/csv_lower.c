/* SPDX-License-Identifier: MIT */
/* Communication placed as PyTorch's pipeline runtime places it, so that a file written here is the
 * one it would have made. Four passes, the first three over each rank by itself:
 *
 * 1. I and W of one microbatch side by side become B (if asked for).
 * 2. Weights: before each action, stages that are not among the next so many distinct ones are
 *    resharded, then those of them that are not there are unsharded, in the order of use; what is
 *    left at the end is resharded. PyTorch takes stages to reshard from a set, in no order; here
 *    the lowest goes first.
 * 3. REDUCE_GRAD behind the last B or W of a stage.
 * 4. Transfers: the ranks are swept in order, again and again. Each moves one action if its inputs
 *    are there; for what leaves the rank, the SEND follows at once and the RECV is appended to the
 *    other rank. Receives pile up there ahead of their use, as in PyTorch.
 *
 * A pair is one action throughout. Of an idle slot nothing is known here.
 */
#include "schedule/csv_file.h"

#include <string.h>

/* What is there for a stage and microbatch. */
typedef enum {
    FORWARD_DONE = 1,
    FORWARD_RECEIVED = 2,
    BACKWARD_DONE = 4,
    BACKWARD_RECEIVED = 8,
} Input;

typedef struct {
    const PsimOrder *order;
    const PsimCsvLowering *options;
    GArray **lists;  /* (n_ranks) PsimOp */
    uint8_t *inputs; /* (S, m) Input */
} Lowering;

static const PsimOp *
op_at(const GArray *list, uint32_t index)
{
    return &g_array_index(list, PsimOp, index);
}

/* Operations of the action at @index: 1, or 2 of a pair. */
static uint32_t
action_size(const GArray *list, uint32_t index)
{
    return op_at(list, index)->flags & PSIM_OP_WITH_NEXT ? 2 : 1;
}

static GArray *
new_list(size_t n_ops)
{
    return g_array_sized_new(/* zero_terminated= */ FALSE, /* clear= */ FALSE, sizeof(PsimOp),
                             (guint)n_ops);
}

static void
append_action(GArray *list, PsimCsvKind kind, uint32_t stage, uint32_t microbatch)
{
    const PsimOp op = {.microbatch = microbatch, .stage = (uint16_t)stage, .kind = (uint8_t)kind};

    g_array_append_val(list, op);
}

/* -- 1. Backwards merged ----------------------------------------------------------------------- */

static GArray *
merge_backwards(const GArray *list)
{
    GArray *merged = new_list(list->len);

    for (uint32_t i = 0; i < list->len; i++) {
        PsimOp op = *op_at(list, i);
        const PsimOp *next = i + 1 < list->len ? op_at(list, i + 1) : NULL;

        if (op.kind == PSIM_OP_BACKWARD_INPUT && next != NULL &&
            next->kind == PSIM_OP_BACKWARD_WEIGHT && next->stage == op.stage &&
            next->microbatch == op.microbatch) {
            op.kind = PSIM_OP_BACKWARD;
            i++;
        }
        g_array_append_val(merged, op);
    }
    return merged;
}

/* -- 2. Weights -------------------------------------------------------------------------------- */

/* A stage and the action that uses it next. */
typedef struct {
    uint32_t stage;
    uint32_t action;
} Use;

/* Which stages come next, at each action: found from the end, where the stage of an action moves to
 * the front of what comes after it. */
typedef struct {
    Use *soon; /* distinct stages of the rank in the order of use, from some action on */
    uint32_t n_soon;
    uint32_t width; /* most stages of a window */
    Use *windows;   /* (n_actions, width + 1) */
    uint32_t *n_of; /* (n_actions) stages in the window: a pair may be one too many */
} Foresight;

static void
move_to_front(Foresight *self, uint32_t stage, uint32_t action)
{
    uint32_t at = 0;

    while (at < self->n_soon && self->soon[at].stage != stage)
        at++;
    self->n_soon = MAX(self->n_soon, at + 1);
    memmove(self->soon + 1, self->soon, at * sizeof(Use));
    self->soon[0] = (Use){.stage = stage, .action = action};
}

/* The next stages; the halves of a pair are not torn apart. */
static void
keep_window(Foresight *self, uint32_t action)
{
    Use *window = self->windows + (size_t)action * (self->width + 1);
    uint32_t n = MIN(self->n_soon, self->width);

    if (n < self->n_soon && self->soon[n].action == self->soon[n - 1].action)
        n++;
    memcpy(window, self->soon, n * sizeof(Use));
    self->n_of[action] = n;
}

static void
look_ahead(Foresight *self, const GArray *list)
{
    for (uint32_t i = list->len; i-- > 0;) {
        const bool is_second = i > 0 && action_size(list, i - 1) == 2;

        move_to_front(self, op_at(list, i)->stage, is_second ? i - 1 : i);
        if (!is_second)
            keep_window(self, i);
    }
}

static bool
is_in_window(const Use *window, uint32_t n, uint32_t stage)
{
    for (uint32_t i = 0; i < n; i++) {
        if (window[i].stage == stage)
            return true;
    }
    return false;
}

/* Weights that are there, sorted. */
typedef struct {
    uint32_t *stages;
    uint32_t n;
} Active;

static void
drop_others(Active *active, const Use *window, uint32_t n_window, GArray *out)
{
    uint32_t n_kept = 0;

    for (uint32_t i = 0; i < active->n; i++) {
        const uint32_t stage = active->stages[i];

        if (is_in_window(window, n_window, stage))
            active->stages[n_kept++] = stage;
        else
            append_action(out, PSIM_CSV_RESHARD, stage, /* microbatch= */ 0);
    }
    active->n = n_kept;
}

/* Returns: whether it was not there. */
static bool
insert_stage(Active *active, uint32_t stage)
{
    uint32_t at = 0;

    while (at < active->n && active->stages[at] < stage)
        at++;
    if (at < active->n && active->stages[at] == stage)
        return false;
    memmove(active->stages + at + 1, active->stages + at, (active->n - at) * sizeof(uint32_t));
    active->stages[at] = stage;
    active->n++;
    return true;
}

static GArray *
add_shards(const GArray *list, uint32_t n_stages, uint32_t max_active, PsimArena *arena)
{
    const uint32_t width = MIN(max_active, n_stages);
    Foresight ahead = {
        .soon = psim_arena_array(arena, Use, n_stages + 1),
        .width = width,
        .windows = psim_arena_array(arena, Use, (size_t)list->len * (width + 1)),
        .n_of = psim_arena_array(arena, uint32_t, list->len),
    };
    Active active = {.stages = psim_arena_array(arena, uint32_t, n_stages + 1)};
    GArray *out = new_list(list->len + 2 * n_stages);

    look_ahead(&ahead, list);
    for (uint32_t i = 0; i < list->len; i += action_size(list, i)) {
        const Use *window = ahead.windows + (size_t)i * (width + 1);

        drop_others(&active, window, ahead.n_of[i], out);
        for (uint32_t k = 0; k < ahead.n_of[i]; k++) {
            if (insert_stage(&active, window[k].stage))
                append_action(out, PSIM_CSV_UNSHARD, window[k].stage, /* microbatch= */ 0);
        }
        g_array_append_vals(out, op_at(list, i), action_size(list, i));
    }
    drop_others(&active, NULL, 0, out);
    return out;
}

/* -- 3. Gradients ------------------------------------------------------------------------------ */

static GArray *
add_reductions(const GArray *list, const PsimOrder *order, PsimArena *arena)
{
    uint32_t *n_done = psim_arena_array(arena, uint32_t, order->n_stages);
    GArray *out = new_list(list->len + order->n_stages / order->n_ranks);
    uint32_t size = 0;

    for (uint32_t i = 0; i < list->len; i += size) {
        size = action_size(list, i);
        g_array_append_vals(out, op_at(list, i), size);
        for (uint32_t k = i; k < i + size; k++) {
            const PsimOp *op = op_at(list, k);

            if ((op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_WEIGHT) &&
                ++n_done[op->stage] == order->n_microbatches)
                append_action(out, PSIM_CSV_REDUCE_GRAD, op->stage, /* microbatch= */ 0);
        }
    }
    return out;
}

/* -- 4. Transfers ------------------------------------------------------------------------------ */

static uint8_t *
input_at(const Lowering *self, uint32_t stage, uint32_t microbatch)
{
    return &self->inputs[(size_t)stage * self->order->n_microbatches + microbatch];
}

/* Whether the input of an operation is on its rank, received or made there. */
static bool
is_ready(const Lowering *self, const PsimOp *op)
{
    const PsimOrder *order = self->order;
    const bool is_forward = op->kind == PSIM_OP_FORWARD;
    const bool is_backward = op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_INPUT;
    const bool is_end = is_forward ? op->stage == 0 : op->stage + 1u == order->n_stages;

    if (is_end || !(is_forward || is_backward))
        return true;
    if (*input_at(self, op->stage, op->microbatch) &
        (is_forward ? FORWARD_RECEIVED : BACKWARD_RECEIVED))
        return true;

    const uint32_t from = is_forward ? op->stage - 1u : op->stage + 1u;

    return order->rank_of_stage[from] == order->rank_of_stage[op->stage] &&
           *input_at(self, from, op->microbatch) & (is_forward ? FORWARD_DONE : BACKWARD_DONE);
}

/* SEND here and RECV there, if the result goes to another rank. */
static void
hand_over(Lowering *self, const PsimOp *op, GArray **out)
{
    const PsimOrder *order = self->order;
    const bool is_forward = op->kind == PSIM_OP_FORWARD;
    const bool is_backward = op->kind == PSIM_OP_BACKWARD || op->kind == PSIM_OP_BACKWARD_INPUT;
    const bool is_end = is_forward ? op->stage + 1u == order->n_stages : op->stage == 0;

    if (!is_forward && !is_backward)
        return;
    *input_at(self, op->stage, op->microbatch) |= is_forward ? FORWARD_DONE : BACKWARD_DONE;
    if (is_end)
        return;

    const uint32_t to = is_forward ? op->stage + 1u : op->stage - 1u;
    const uint32_t rank = order->rank_of_stage[op->stage];
    const uint32_t peer = order->rank_of_stage[to];

    if (rank == peer)
        return;
    append_action(out[rank], is_forward ? PSIM_CSV_SEND_F : PSIM_CSV_SEND_B, op->stage,
                  op->microbatch);
    append_action(out[peer], is_forward ? PSIM_CSV_RECV_F : PSIM_CSV_RECV_B, to, op->microbatch);
    *input_at(self, to, op->microbatch) |= is_forward ? FORWARD_RECEIVED : BACKWARD_RECEIVED;
}

/* Moves the next action of a rank. Returns: whether it could. */
static bool
move_action(Lowering *self, uint32_t rank, uint32_t *next, GArray **out)
{
    const GArray *list = self->lists[rank];
    const uint32_t size = action_size(list, *next);

    for (uint32_t i = 0; i < size; i++) {
        if (!is_ready(self, op_at(list, *next + i)))
            return false;
    }
    g_array_append_vals(out[rank], op_at(list, *next), size);
    for (uint32_t i = 0; i < size; i++)
        hand_over(self, op_at(list, *next + i), out);
    *next += size;
    return true;
}

static bool
refuse_deadlock(const Lowering *self, const uint32_t *next, GError **error)
{
    g_autoptr(GString) text = g_string_new("the order deadlocks, so it has no transfers:");

    for (uint32_t rank = 0, n_told = 0; rank < self->order->n_ranks; rank++) {
        if (next[rank] == self->lists[rank]->len)
            continue;
        g_string_append_printf(text, "%s rank %u waits with ", n_told++ > 0 ? "," : "", rank);
        psim_csv_append_cell(text, op_at(self->lists[rank], next[rank]));
    }
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_INFEASIBLE, text->str);
    return false;
}

static bool
add_transfers(Lowering *self, GArray **out, GError **error)
{
    const uint32_t n_ranks = self->order->n_ranks;
    g_autofree uint32_t *next = g_new0(uint32_t, n_ranks);
    uint32_t n_left = n_ranks;
    bool moved = true;

    while (n_left > 0 && moved) {
        n_left = 0;
        moved = false;
        for (uint32_t rank = 0; rank < n_ranks; rank++) {
            if (next[rank] < self->lists[rank]->len)
                moved |= move_action(self, rank, &next[rank], out);
            n_left += next[rank] < self->lists[rank]->len;
        }
    }
    return n_left == 0 || refuse_deadlock(self, next, error);
}

/* -- All of it --------------------------------------------------------------------------------- */

static void
replace_list(GArray **list, GArray *with)
{
    g_array_unref(*list);
    *list = with;
}

/* Passes 1 to 3. */
static GArray *
make_list(const Lowering *self, uint32_t rank)
{
    const PsimOrder *order = self->order;
    const PsimCsvLowering *options = self->options;
    g_autoptr(PsimArena) scratch = psim_arena_new();
    GArray *list = new_list(order->n_ops[rank]);

    g_array_append_vals(list, order->ops[rank], order->n_ops[rank]);
    if (options->merge_backward)
        replace_list(&list, merge_backwards(list));
    if (options->max_active_stages > 0)
        replace_list(&list, add_shards(list, order->n_stages, options->max_active_stages, scratch));
    if (options->reduce_grad)
        replace_list(&list, add_reductions(list, order, scratch));
    return list;
}

static void
free_lists(GArray **lists, uint32_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        g_array_unref(lists[rank]);
    g_free(lists);
}

/* Each rank's operations, and room for them and their transfers. */
static GArray **
make_lists(Lowering *lowering, uint32_t n_ranks)
{
    GArray **complete = g_new0(GArray *, n_ranks);

    lowering->lists = g_new0(GArray *, n_ranks);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        lowering->lists[rank] = make_list(lowering, rank);
        complete[rank] = new_list((size_t)lowering->lists[rank]->len * 2);
    }
    return complete;
}

bool
psim_csv_append_lowered(const PsimOrder *order,
                        const PsimCsvLowering *options,
                        GString *out,
                        GError **error)
{
    const uint32_t n_ranks = order->n_ranks;

    if (!psim_csv_allows(order, error))
        return false;

    Lowering lowering = {
        .order = order,
        .options = options,
        .inputs = g_new0(uint8_t, (size_t)order->n_stages * order->n_microbatches),
    };
    GArray **complete = make_lists(&lowering, n_ranks);
    const bool ok = add_transfers(&lowering, complete, error);

    for (uint32_t rank = 0; rank < n_ranks && ok; rank++) {
        psim_csv_append_line(out, (const PsimOp *)(const void *)complete[rank]->data,
                             complete[rank]->len);
        g_string_append_c(out, '\n');
    }
    free_lists(complete, n_ranks);
    free_lists(lowering.lists, n_ranks);
    g_free(lowering.inputs);
    return ok;
}
