/* SPDX-License-Identifier: MIT */
/* The kernels of one block as a table: what each takes, reaches, and is held back by. */
#include "sim/why.h"

#include "base/text.h"
#include "cost/context.h"
#include "cost/kernel.h"
#include "cost/kernel_list.h"
#include "report/phrase.h"

#include <string.h>

static const char *const pass_words[] = {"F", "I", "W", "again"};

/* The largest of what a product needs for its FLOPs, its bytes and its launch. What is left beside
 * them is tiles that do not fill the device. */
static const char *
find_gemm_limit(const PsimDevice *device, PsimPrecision precision, const PsimKernel *kernel)
{
    const double compute_s = kernel->flop / psim_kernel_gemm_rate(device, precision);
    const double memory_s =
        kernel->bytes / (device->memory_bytes_per_s * device->gemm.bandwidth_fraction);
    const double rest_s = kernel->time_s - device->gemm.launch_s - MAX(compute_s, memory_s);

    if (device->gemm.launch_s > MAX(compute_s, memory_s))
        return "launch";
    if (rest_s > MAX(compute_s, memory_s))
        return "tiles, waves";
    return compute_s >= memory_s ? "FLOP/s" : "HBM";
}

/* By its name. */
static PsimCollective
find_collective(const PsimKernel *kernel)
{
    static const struct {
        const char *word;
        PsimCollective what;
    } words[] = {{"gather", PSIM_COLLECTIVE_ALL_GATHER},
                 {"scatter", PSIM_COLLECTIVE_REDUCE_SCATTER},
                 {"all-to-all", PSIM_COLLECTIVE_ALL_TO_ALL},
                 {"send", PSIM_COLLECTIVE_SEND}};

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strstr(kernel->name, words[i].word) != NULL)
            return words[i].what;
    }
    return PSIM_COLLECTIVE_ALL_REDUCE;
}

/* A collective of one byte takes the latency alone. */
static const char *
find_collective_limit(const PsimPlan *plan, const PsimKernel *kernel)
{
    const PsimGroup group =
        kernel->kind != PSIM_KERNEL_COLLECTIVE
            ? psim_context_group(plan)
            : psim_collective_group(plan->hardware, plan->tp, /* stride= */ 1, plan->n_gpus);
    const double latency_s = psim_collective_s(plan->hardware, find_collective(kernel), group, 1.0);

    if (latency_s + plan->runtime.host_collective_s > kernel->time_s / 2.0)
        return "latency";
    return psim_collective_is_across(group) ? "NIC" : "link";
}

static const char *
find_limit(const PsimPlan *plan, const PsimKernel *kernel)
{
    const PsimDevice *device = &plan->hardware->device;

    switch (kernel->kind) {
    case PSIM_KERNEL_GEMM:
        return find_gemm_limit(device, plan->precision, kernel);
    case PSIM_KERNEL_ATTENTION:
        return "FLOP/s";
    case PSIM_KERNEL_MEMORY:
        return 2.0 * device->memory_bound.launch_s > kernel->time_s ? "launch" : "HBM";
    case PSIM_KERNEL_COLLECTIVE:
    case PSIM_KERNEL_CONTEXT:
    case PSIM_KERNEL_TRANSFER:
        return find_collective_limit(plan, kernel);
    }
    g_assert_not_reached();
}

/* A file without measured products has the formula alone, which needs no word. */
static const char *
find_basis(const PsimKernel *kernel)
{
    if (kernel->kind != PSIM_KERNEL_GEMM)
        return "";
    switch (kernel->basis) {
    case PSIM_BASIS_MEASURED:
        return ", measured";
    case PSIM_BASIS_INTERPOLATED:
        return ", between measured";
    case PSIM_BASIS_FORMULA:
        return "";
    }
    g_assert_not_reached();
}

static void
add_kernel(PsimTable *table, const PsimPlan *plan, const PsimKernel *kernel)
{
    const bool is_product = kernel->flop > 0.0;
    const double rate = (is_product ? kernel->flop : kernel->bytes) / kernel->time_s;
    g_autofree char *number =
        psim_phrase_significant(rate / (is_product ? 1e12 : 1e9), /* digits= */ 3);

    psim_table_cell(table, "%s", kernel->name);
    psim_table_cell(table, "%s", pass_words[kernel->pass]);
    psim_table_cell(table, "%u", kernel->count);
    psim_table_cell_take(table, psim_phrase_fixed(kernel->time_s * 1e6, /* decimals= */ 1));
    psim_table_cell_take(table, psim_phrase_significant(kernel->flop / 1e9, /* digits= */ 3));
    psim_table_cell_take(table, psim_phrase_significant(kernel->bytes / 1e6, /* digits= */ 3));
    psim_table_cell(table, "%s %s", number, is_product ? "TFLOP/s" : "GB/s");
    psim_table_cell(table, "%s%s", find_limit(plan, kernel), find_basis(kernel));
}

typedef bool (*Filter)(const PsimKernel *kernel);

static bool
is_compute(const PsimKernel *kernel)
{
    return kernel->kind == PSIM_KERNEL_GEMM || kernel->kind == PSIM_KERNEL_ATTENTION ||
           kernel->kind == PSIM_KERNEL_MEMORY;
}

static bool
is_fresh_compute(const PsimKernel *kernel)
{
    return is_compute(kernel) && kernel->pass != PSIM_PASS_RECOMPUTE;
}

static bool
is_repeated_compute(const PsimKernel *kernel)
{
    return is_compute(kernel) && kernel->pass == PSIM_PASS_RECOMPUTE;
}

static bool
is_collective(const PsimKernel *kernel)
{
    return kernel->kind == PSIM_KERNEL_COLLECTIVE;
}

static bool
is_context(const PsimKernel *kernel)
{
    return kernel->kind == PSIM_KERNEL_CONTEXT || kernel->kind == PSIM_KERNEL_TRANSFER;
}

/* The heading says what a microbatch of the block takes in all. */
static void
append_heading(PsimWhy *why, const char *what, PsimBlock block, double sum_s, double host_s)
{
    static const char *const names[] = {"one layer", "the embedding", "the head with its loss"};
    g_autofree char *sum = psim_phrase_seconds(sum_s);

    g_string_append_printf(why->out, "\n%s of %s, one microbatch, one rank: %s", what, names[block],
                           sum);
    if (host_s > sum_s * (1.0 + 1e-9)) {
        g_autofree char *host = psim_phrase_seconds(host_s);

        g_string_append_printf(why->out, "; %s with the host's dispatch", host);
    }
    g_string_append_c(why->out, '\n');
}

static void
append_kernels(PsimWhy *why, PsimBlock block, Filter filter, double with_host_s)
{
    const PsimPlan *plan = why->run->plan;
    const uint32_t layer = why->run->work->stages[0].layer_first;
    g_autoptr(GArray) kernels = g_array_new(FALSE, FALSE, sizeof(PsimKernel));
    g_autoptr(PsimTable) table =
        psim_table_new("kernel|pass|times|each|FLOP|bytes|reaches|bound by\n"
                       "|||us|GFLOP|MB||");
    double sum_s = 0.0;

    psim_layer_kernels(plan, block, layer, kernels);
    for (guint i = 0; i < kernels->len; i++) {
        const PsimKernel *kernel = &g_array_index(kernels, PsimKernel, i);

        if (!filter(kernel))
            continue;
        sum_s += kernel->count * kernel->time_s;
        add_kernel(table, plan, kernel);
    }
    if (sum_s <= 0.0)
        return;
    append_heading(why, filter == is_collective || filter == is_context ? "collectives" : "kernels",
                   block, sum_s, with_host_s);
    psim_table_render(table, why->out, 2);
}

void
psim_why_kernels(PsimWhy *why, PsimBlock block, bool recomputed)
{
    const PsimBlockCost cost = psim_layer_cost(why->run->plan, block, /* layer= */ 0);
    const double fresh_s = cost.compute_s[PSIM_PASS_FORWARD] +
                           cost.compute_s[PSIM_PASS_BACKWARD_INPUT] +
                           cost.compute_s[PSIM_PASS_BACKWARD_WEIGHT];

    append_kernels(why, block, recomputed ? is_repeated_compute : is_fresh_compute,
                   recomputed ? cost.compute_s[PSIM_PASS_RECOMPUTE] : fresh_s);
}

void
psim_why_cp_collectives(PsimWhy *why)
{
    append_kernels(why, PSIM_BLOCK_LAYER, is_context, /* with_host_s= */ 0.0);
}

void
psim_why_tp_collectives(PsimWhy *why)
{
    append_kernels(why, PSIM_BLOCK_LAYER, is_collective, /* with_host_s= */ 0.0);
}
