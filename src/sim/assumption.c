/* SPDX-License-Identifier: MIT */
/* What the answer rests on: every constant that moves it, with where it comes from. */
#include "base/text.h"
#include "lower/balance.h"
#include "sim/fill.h"

#include <math.h>

typedef struct {
    PsimArena *arena;
    GArray *list; /* PsimAssumption */
} Notes;

static void
note(Notes *notes, const char *name, const char *value, const char *source, const char *effect)
{
    const PsimAssumption assumption = {
        .name = name,
        .value = psim_arena_strdup(notes->arena, value),
        .source = psim_arena_strdup(notes->arena, source != NULL ? source : "not stated"),
        .effect = effect,
    };

    g_array_append_val(notes->list, assumption);
}

/* "measured: vidur fp16 rows (6.7 % on held-out rows)" */
static char *
origin_text(const PsimOrigin *origin)
{
    GString *text = g_string_new(psim_provenance_words()[origin->provenance]);

    g_string_append_printf(text, ": %s", origin->source != NULL ? origin->source : "not stated");
    if (!isnan(origin->error_fraction)) {
        g_string_append(text, " (");
        psim_text_fixed(text, origin->error_fraction * 100.0, 1);
        g_string_append(text, " % on held-out rows)");
    }
    return g_string_free(text, /* free_segment= */ FALSE);
}

/* Its own origin if it states one, else that of the whole file. */
static char *
own_origin_text(const PsimOrigin *origin, const char *source)
{
    return origin->source != NULL ? origin_text(origin) : g_strdup(source);
}

static char *
number_text(const char *before, double value, const char *after)
{
    GString *text = g_string_new(before);

    psim_text_significant(text, value, 3);
    g_string_append(text, after);
    return g_string_free(text, /* free_segment= */ FALSE);
}

static void
note_device(Notes *notes, const PsimPlan *plan)
{
    const PsimDevice *device = &plan->hardware->device;
    g_autofree char *gemm = origin_text(&device->gemm.origin);
    g_autofree char *memory = origin_text(&device->memory_bound.origin);
    g_autofree char *peak_source = own_origin_text(&device->peak_origin, device->source);
    g_autofree char *peak =
        number_text("", device->peak_flop_per_s[plan->precision] / 1e12, " TFLOP/s dense");
    g_autofree char *efficiency =
        number_text("", device->gemm.efficiency, " of the peak on large tiles");
    g_autofree char *bandwidth =
        number_text("", device->memory_bytes_per_s / 1e9, " GB/s nominal, shares by kernel");
    g_autofree char *usable =
        number_text("", device->memory_usable_bytes / (1024.0 * 1024.0), " MiB of what is sold");

    note(notes, "peak", peak, peak_source, "compute time, MFU");
    note(notes, "gemm_efficiency", efficiency, gemm, "compute time");
    note(notes, "memory_bandwidth", bandwidth, memory, "norms, activations, optimizer");
    note(notes, "usable_memory", usable, device->source, "verdict");
}

static void
note_network(Notes *notes, const PsimPlan *plan)
{
    const PsimHardware *hardware = plan->hardware;
    g_autofree char *inside =
        number_text("", hardware->scale_up_bytes_per_s / 1e9, " GB/s each way inside a node");
    g_autofree char *nics = number_text(
        "", hardware->nics_per_node * hardware->nic_bytes_per_s / 1e9, " GB/s each way a node");
    g_autofree char *source = own_origin_text(&hardware->scale_up_origin, hardware->source);
    g_autofree char *fabric = origin_text(&hardware->fabric_origin);

    note(notes, "scale_up", inside, source, "tensor-parallel collectives");
    if (hardware->fabric_name != NULL && plan->n_gpus > hardware->gpus_per_node)
        note(notes, "fabric", nics, fabric, "pipeline transfers, gradient reduction");
}

static void
note_runtime(Notes *notes, const PsimPlan *plan)
{
    const PsimRuntime *runtime = &plan->runtime;
    g_autofree char *bytes =
        g_strdup_printf("%g + %g + %g B a parameter: weights, gradients, optimizer",
                        psim_plan_kept_weight_bytes(plan), psim_plan_gradient_bytes(plan),
                        psim_plan_optimizer_bytes(plan));
    g_autofree char *host = number_text("", runtime->host_layer_s * 1e6,
                                        " us to dispatch the kernels of a layer's forward");

    note(notes, "runtime", runtime->name, runtime->source, "kernels, overlap, memory");
    note(notes, "bytes_per_parameter", bytes, runtime->source, "memory");
    note(notes, "host_dispatch", host, runtime->source, "small kernels");
    note(notes, "dp_overlap", plan->overlap_dp ? "beside the backward" : "after the backward",
         runtime->source, "exposed gradient reduction");
    note(notes, "pp_overlap",
         plan->overlap_pp ? "sends beside compute" : "a rank waits for its sends", runtime->source,
         "exposed transfers");
}

/* What a split that was left to us came out as. */
static void
note_split(Notes *notes, const PsimPlan *plan)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    g_autoptr(GString) layers = g_string_new(NULL);
    double slowest_s = 0.0;
    double sum_s = 0.0;
    uint32_t layer = 0;

    if (plan->split != PSIM_SPLIT_BALANCED)
        return;
    for (uint32_t s = 0; s < n_stages; s++) {
        const uint32_t n_layers = plan->layers_per_stage[s];
        const double stage_s = psim_balance_stage_s(plan, s, layer, n_layers);

        g_string_append_printf(layers, "%s%u", s > 0 ? ", " : "", n_layers);
        slowest_s = MAX(slowest_s, stage_s);
        sum_s += stage_s;
        layer += n_layers;
    }
    g_autofree char *source = g_strdup_printf(
        "balanced: a microbatch takes %.2f ms on the slowest stage, %.2f ms on the mean one",
        slowest_s * 1e3, sum_s * 1e3 / n_stages);

    note(notes, "layers_per_stage", layers->str, source, "bubble, memory");
}

void
psim_assumption_fill(PsimRun *run)
{
    PsimResult *result = run->result;
    g_autoptr(GArray) list = g_array_new(FALSE, FALSE, sizeof(PsimAssumption));
    Notes notes = {.arena = result->arena, .list = list};

    note_device(&notes, run->plan);
    note_network(&notes, run->plan);
    note_runtime(&notes, run->plan);
    note_split(&notes, run->plan);

    PsimAssumption *kept = psim_arena_array(result->arena, PsimAssumption, list->len);

    for (guint i = 0; i < list->len; i++)
        kept[i] = g_array_index(list, PsimAssumption, i);
    result->assumptions = kept;
    result->n_assumptions = list->len;
}
