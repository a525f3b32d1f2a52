/* SPDX-License-Identifier: MIT */
/* The reasons to leave a row out are a table, tried in order, so that the count of a reason does
 * not depend on anything but the row.
 */
#include "validate/resolve.h"

#include "validate/plan_text.h"
#include "validate/stack.h"

#include <math.h>
#include <string.h>

static bool
is_no_step(const PsimRow *row)
{
    return !isfinite(row->step_s) && !isfinite(row->peak_bytes) && row->oom == PSIM_TOLD_NOT;
}

static bool
has_failed(const PsimRow *row)
{
    return row->failed && !isfinite(row->step_s);
}

static bool
has_experts(const PsimRow *row)
{
    return row->model.experts;
}

static bool
has_expert_parallelism(const PsimRow *row)
{
    return row->ep > 1;
}

static bool
is_partly_frozen(const PsimRow *row)
{
    return row->model.frozen || psim_row_mentions(row, "lora");
}

static bool
is_offloaded(const PsimRow *row)
{
    return row->offload || (row->source != NULL && strstr(row->source, "Offload") != NULL) ||
           (row->id != NULL && strstr(row->id, "offload") != NULL);
}

/* XLA plans kernels and overlap by itself; there is no runtime of its kind. */
static bool
is_compiled_whole(const PsimRow *row)
{
    return psim_row_mentions(row, "jax") || (row->fsdp != NULL && strstr(row->fsdp, "JAX") != NULL);
}

static bool
has_no_shape(const PsimRow *row)
{
    return row->model.n_layers == 0 || row->model.hidden == 0 || row->model.sequence == 0;
}

static bool
is_other_network(const PsimRow *row)
{
    static const char *const words[] = {"t5", "vit", "mamba", "hybrid", "transgan", NULL};
    g_autofree char *name =
        row->model.name != NULL ? g_ascii_strdown(row->model.name, -1) : g_strdup("");

    for (size_t i = 0; words[i] != NULL; i++) {
        if (strstr(name, words[i]) != NULL)
            return true;
    }
    return row->model.other;
}

static bool
has_no_gpu_count(const PsimRow *row)
{
    return row->n_gpus == 0 && row->dp == 0;
}

static bool
has_no_layout(const PsimRow *row)
{
    return row->tp == 0 && row->pp == 0;
}

static bool
has_no_batch(const PsimRow *row)
{
    return row->global_batch == 0 && row->micro_batch == 0;
}

static bool
has_other_schedule(const PsimRow *row)
{
    return psim_plan_text_schedule(row) == NULL;
}

static bool
has_other_recompute(const PsimRow *row)
{
    const char *recompute = psim_plan_text_recompute(row);

    return recompute != NULL && recompute[0] == '\0';
}

static bool
is_garbled(const PsimRow *row)
{
    return row->garbled;
}

static const struct {
    bool (*applies)(const PsimRow *row);
    const char *reason;
    const char *remedy; /* what the row would have to say; NULL: nothing helps */
} reasons[] = {
    {is_no_step, "no step time, memory or verdict of a training step",
     "numbers such as step_time_s under measured"},
    {is_garbled, "a degree or a batch that is no whole number",
     "gpus, tp, pp, dp, cp, ep, microbatch, num_microbatches and global_batch from 1 on, or null"},
    {has_failed, "failed for another reason than memory", NULL},
    {has_experts, "mixture of experts", NULL},
    {has_expert_parallelism, "expert parallel", NULL},
    {is_partly_frozen, "adapters or frozen weights", NULL},
    {is_offloaded, "offload to the host", NULL},
    {is_compiled_whole, "software without a runtime here", NULL},
    {has_no_shape, "shape of the model not stated", "layers, hidden and seq under model"},
    {is_other_network, "another kind of network", NULL},
    {has_no_gpu_count, "number of GPUs not stated", "gpus or dp"},
    {has_no_layout, "layout not stated", "tp or pp, 1 where there is none"},
    {has_no_batch, "batch not stated", "global_batch or microbatch"},
    {has_other_schedule, "another schedule", "one of \"plansim list schedules\""},
    {has_other_recompute, "another kind of recomputation", "none, selective or full"},
};

/* Returns: whether there is a reason to leave the row out. */
static bool
find_reason(const PsimRow *row, PsimResolved *self)
{
    for (size_t i = 0; i < G_N_ELEMENTS(reasons); i++) {
        if (!reasons[i].applies(row))
            continue;
        self->skipped = reasons[i].reason;
        if (reasons[i].remedy != NULL)
            self->detail = g_strdup_printf("%s; expected %s", reasons[i].reason, reasons[i].remedy);
        return true;
    }
    return false;
}

/* Returns: whether the row has both. */
static bool
find_parts(const PsimRow *row, PsimResolved *self)
{
    const char *hardware = psim_cluster_resolve(row, &self->changes);
    bool nearest = false;
    const char *runtime = psim_stack_resolve(row, &self->changes, &nearest);

    if (hardware == NULL) {
        self->skipped = "unknown GPU";
        self->detail = g_strdup_printf("unknown GPU: %s", row->gpu != NULL ? row->gpu : "none");
        return false;
    }
    self->hardware = g_strdup(hardware);
    self->runtime = g_strdup(runtime != NULL ? runtime : "megatron");
    if (runtime == NULL || nearest)
        psim_resolve_assume(self, "runtime %s%s", self->runtime, nearest ? ", the nearest" : "");
    return true;
}

void
psim_resolve_assume(PsimResolved *self, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    g_ptr_array_add(self->assumed, g_strdup_vprintf(format, values));
    va_end(values);
}

void
psim_resolve_row(const PsimRow *row, PsimResolved *ret_resolved)
{
    PsimResolved *self = ret_resolved;

    *self = (PsimResolved){.assumed = g_ptr_array_new_with_free_func(g_free)};
    psim_changes_init(&self->changes);
    if (find_reason(row, self))
        return;
    self->detail = psim_row_contradiction(row);
    if (self->detail != NULL) {
        self->skipped = "contradicts itself";
        return;
    }
    if (find_parts(row, self))
        self->text = psim_plan_text_write(row, self);
}

void
psim_resolved_clear(PsimResolved *self)
{
    psim_changes_clear(&self->changes);
    g_clear_pointer(&self->assumed, g_ptr_array_unref);
    g_free(self->text);
    g_free(self->hardware);
    g_free(self->runtime);
    g_free(self->detail);
}
