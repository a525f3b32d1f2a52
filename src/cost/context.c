/* SPDX-License-Identifier: MIT */
/* The sequence is cut into 2 cp chunks where attention is causal, and rank r has chunks r and
 * 2 cp - 1 - r, so that all have equal work. Rank 1 of 4, rows its queries, columns keys by the
 * step in which they come; '-' is not needed:
 *
 *     chunk        0  7  1  6  2  5  3  4
 *     step         1  1  0  0  3  3  2  2
 *     queries 1    #  -  \  -  -  -  -  -        step 0        its own keys, causal
 *     queries 6    #  -  #  \  #  #  #  #        step <= r     all queries, half of the keys
 *                                                step > r      half of the queries, all keys
 *
 * Each step has as many FLOPs as the first. The slowest rank has all its other steps of one kind,
 * so the slower kind counts. What a step adds to the result is joined with it by its softmax
 * statistics: a kernel that reads both and writes one.
 */
#include "cost/context.h"

#include "cost/kernel.h"

/* Of causal attention a step touches all of one side and half of the other: in the mean. */
#define CAUSAL_SHARE 0.75

typedef struct {
    PsimKernelList *list;
    PsimGroup group;
    bool backward;
    bool causal;
    double cp;
    double queries;  /* of this rank, a sample                     [tokens] */
    double kv_bytes; /* keys and values of one rank, a microbatch      [B] */
} Ring;

PsimGroup
psim_context_group(const PsimPlan *plan)
{
    return psim_collective_group(plan->hardware, plan->cp, /* stride= */ plan->tp, plan->n_gpus);
}

static Ring
begin(PsimKernelList *list, bool backward)
{
    const PsimPlan *plan = list->plan;
    const PsimWidths *w = &list->widths;

    return (Ring){
        .list = list,
        .group = psim_context_group(plan),
        .backward = backward,
        .causal = plan->model->causal,
        .cp = (double)plan->cp,
        .queries = w->sequence / (double)plan->cp,
        .kv_bytes = 2.0 * w->element_bytes * w->tokens * w->key,
    };
}

static PsimAttention
find_attention(const Ring *ring, double queries, double keys, bool causal)
{
    PsimAttention attention = psim_kernel_list_attention(ring->list);

    attention.queries = queries;
    attention.keys = keys;
    attention.causal = causal;
    return attention;
}

/* -- Communication ----------------------------------------------------------------------------- */

/* @beside_s    attention that may run meanwhile */
static void
add_exchange(const Ring *ring, PsimKernel kernel, double beside_s)
{
    kernel.time_s += ring->list->plan->runtime.host_collective_s;
    kernel.beside_s = beside_s;
    if (kernel.count > 0)
        psim_kernel_list_add(ring->list, &kernel);
}

static void
add_collective(
    const Ring *ring, const char *name, PsimCollective what, double bytes, double beside_s)
{
    const PsimKernel kernel = {
        .name = name,
        .kind = PSIM_KERNEL_CONTEXT,
        .time_s = psim_collective_s(ring->list->plan->hardware, what, ring->group, bytes),
        .bytes = bytes,
        .count = 1,
    };

    add_exchange(ring, kernel, beside_s);
}

/* To the next rank of the ring, while the previous one's comes in. */
static void
add_sends(const Ring *ring, double bytes, double beside_s, uint32_t count)
{
    const PsimKernel kernel = {
        .name = "cp-send",
        .kind = PSIM_KERNEL_TRANSFER,
        .time_s = psim_collective_send_s(ring->list->plan->hardware,
                                         psim_collective_is_across(ring->group),
                                         ring->group.n_groups_per_node, bytes),
        .bytes = bytes,
        .count = count,
    };

    add_exchange(ring, kernel, beside_s);
}

/* The kernel just added is one that a rank alone would not launch, @count times. */
static void
mark_added(const Ring *ring, uint32_t count)
{
    PsimKernel *last =
        &g_array_index(ring->list->kernels, PsimKernel, ring->list->kernels->len - 1);

    last->count = count;
    last->is_added = true;
}

/* -- Steps ------------------------------------------------------------------------------------- */

/* The first step's result is scaled by its share and put down; a later one is read, and the sum so
 * far read and written. Queries in the forward, the gradients of all three in the backward. */
static void
add_merge(const Ring *ring, double units, uint32_t count)
{
    PsimKernelList *list = ring->list;
    const PsimWidths *w = &list->widths;
    const double width = ring->backward ? w->query + 2.0 * w->key : w->query;

    psim_kernel_list_add_memory(list, "attention-merge",
                                units * w->element_bytes * w->tokens * width,
                                list->plan->hardware->device.memory_bound.elementwise);
    mark_added(ring, count);
}

/* The slower of the two kinds of step. */
static PsimAttention
find_step(const Ring *ring)
{
    const double n = ring->queries;
    const PsimAttention few_keys = find_attention(ring, n, n / 2.0, /* causal= */ false);
    const PsimAttention few_queries = find_attention(ring, n / 2.0, n, /* causal= */ false);

    if (!ring->causal)
        return find_attention(ring, n, n, /* causal= */ false);
    return psim_kernel_list_attention_s(ring->list, &few_keys, ring->backward) >
                   psim_kernel_list_attention_s(ring->list, &few_queries, ring->backward)
               ? few_keys
               : few_queries;
}

/* What is under way beside the first step, and beside each later one but the last. */
static void
add_ring(const Ring *ring, bool gathers)
{
    const PsimKernelList *list = ring->list;
    const PsimAttention own = find_attention(ring, ring->queries, ring->queries, ring->causal);
    const PsimAttention step = find_step(ring);
    const double own_s = psim_kernel_list_attention_s(list, &own, ring->backward);
    const double step_s = psim_kernel_list_attention_s(list, &step, ring->backward);
    const uint32_t n_later = list->plan->cp - 1;
    const double moving =
        (gathers ? 0.0 : ring->kv_bytes) + (ring->backward ? ring->kv_bytes : 0.0);

    psim_kernel_list_add_attention(ring->list, "attention", &own, /* count= */ 1, ring->backward);
    if (gathers)
        add_collective(ring, "cp-all-gather", PSIM_COLLECTIVE_ALL_GATHER, ring->cp * ring->kv_bytes,
                       own_s);
    if (moving > 0.0) {
        add_sends(ring, moving, gathers ? step_s : own_s, /* count= */ 1);
        add_sends(ring, moving, step_s, n_later - 1);
    }
    psim_kernel_list_add_attention(ring->list, "attention-step", &step, n_later, ring->backward);
    mark_added(ring, n_later);
    add_merge(ring, 2.0, /* count= */ 1);
    add_merge(ring, ring->causal ? 3.0 * CAUSAL_SHARE : 3.0, n_later);
}

/* -- The whole sequence at once ---------------------------------------------------------------- */

/* Causal: a kernel a chunk, over the keys before it; gradients of keys and values of both are
 * added. */
static void
add_gathered(const Ring *ring)
{
    PsimKernelList *list = ring->list;
    const double all_bytes = ring->cp * ring->kv_bytes;
    const uint32_t n_chunks = ring->causal ? 2 : 1;
    const PsimAttention chunk =
        find_attention(ring, ring->queries / n_chunks, list->widths.sequence, ring->causal);

    add_collective(ring, "cp-all-gather", PSIM_COLLECTIVE_ALL_GATHER, all_bytes,
                   /* beside_s= */ 0.0);
    psim_kernel_list_add_attention(list, "attention", &chunk, /* count= */ 1, ring->backward);
    if (ring->causal) {
        psim_kernel_list_add_attention(list, "attention-step", &chunk, 1, ring->backward);
        mark_added(ring, /* count= */ 1);
    }
    if (!ring->backward)
        return;
    if (ring->causal) {
        psim_kernel_list_add_memory(list, "attention-merge", 3.0 * all_bytes,
                                    list->plan->hardware->device.memory_bound.elementwise);
        mark_added(ring, /* count= */ 1);
    }
    add_collective(ring, "cp-reduce-scatter", PSIM_COLLECTIVE_REDUCE_SCATTER, all_bytes,
                   /* beside_s= */ 0.0);
}

static void
add_exchanged(const Ring *ring)
{
    PsimKernelList *list = ring->list;
    const PsimWidths *w = &list->widths;
    const double output = w->element_bytes * w->tokens * w->query;
    const double inputs = output + ring->kv_bytes;
    PsimAttention attention = find_attention(ring, w->sequence, w->sequence, ring->causal);

    attention.n_heads /= ring->cp;
    attention.n_kv_heads /= ring->cp;
    add_collective(ring, "cp-all-to-all", PSIM_COLLECTIVE_ALL_TO_ALL,
                   ring->backward ? output : inputs, /* beside_s= */ 0.0);
    psim_kernel_list_add_attention(list, "attention", &attention, /* count= */ 1, ring->backward);
    add_collective(ring, "cp-all-to-all", PSIM_COLLECTIVE_ALL_TO_ALL,
                   ring->backward ? inputs : output, /* beside_s= */ 0.0);
}

/* -- Public ------------------------------------------------------------------------------------ */

bool
psim_context_add_attention(PsimKernelList *self, bool backward)
{
    const PsimPlan *plan = self->plan;
    const PsimAttention whole = psim_kernel_list_attention(self);

    if (plan->hardware->device.n_attention == 0)
        return false;
    if (plan->cp == 1) {
        psim_kernel_list_add_attention(self, "attention", &whole, /* count= */ 1, backward);
        return true;
    }
    const Ring ring = begin(self, backward);

    switch (plan->context_communication) {
    case PSIM_CONTEXT_P2P:
        add_ring(&ring, /* gathers= */ false);
        return true;
    case PSIM_CONTEXT_GATHER_RING:
        add_ring(&ring, /* gathers= */ true);
        return true;
    case PSIM_CONTEXT_GATHER:
        add_gathered(&ring);
        return true;
    case PSIM_CONTEXT_A2A:
        add_exchanged(&ring);
        return true;
    }
    g_assert_not_reached();
}

double
psim_context_buffer_bytes(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const double kv_bytes = 2.0 * w.element_bytes * w.tokens * w.key;
    const double cp = (double)plan->cp;

    if (plan->cp == 1)
        return 0.0;
    switch (plan->context_communication) {
    case PSIM_CONTEXT_P2P:
        return 4.0 * kv_bytes;
    case PSIM_CONTEXT_GATHER:
        return 2.0 * cp * kv_bytes;
    case PSIM_CONTEXT_GATHER_RING:
        return (cp + 2.0) * kv_bytes;
    case PSIM_CONTEXT_A2A:
        return w.element_bytes * w.tokens * w.query + kv_bytes;
    }
    g_assert_not_reached();
}
