/* SPDX-License-Identifier: MIT */
/* The sections that every explanation is made of. */
#include "sim/why.h"

#include "base/text.h"
#include "base/units.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

void
psim_why_answer(PsimWhy *why, char *value, const char *note)
{
    g_autofree char *text = value;
    g_autoptr(GString) line = g_string_new(why->member);

    g_string_append_printf(line, " = %s%s%s", text, note != NULL ? ", " : "",
                           note != NULL ? note : "");
    psim_phrase_wrap(why->out, 2, line->str);
}

void
psim_why_formula(PsimWhy *why, const char *text)
{
    g_string_append(why->out, "\nformula\n  ");
    psim_phrase_wrap(why->out, 4, text);
}

void
psim_why_see(PsimWhy *why, const char *members)
{
    g_string_append(why->out, "\ngo on with\n  plansim show why ");
    psim_phrase_wrap(why->out, 4, members);
}

/* -- Inputs ------------------------------------------------------------------------------------ */

static const struct {
    const char *pointer;
    size_t offset; /* of a whole number in PsimPlan */
} numbers[] = {
    {"/gpus", G_STRUCT_OFFSET(PsimPlan, n_gpus)},
    {"/parallel/tensor", G_STRUCT_OFFSET(PsimPlan, tp)},
    {"/parallel/context", G_STRUCT_OFFSET(PsimPlan, cp)},
    {"/parallel/pipeline", G_STRUCT_OFFSET(PsimPlan, pp)},
    {"/parallel/data", G_STRUCT_OFFSET(PsimPlan, dp)},
    {"/batch/micro", G_STRUCT_OFFSET(PsimPlan, micro_batch)},
    {"/batch/global", G_STRUCT_OFFSET(PsimPlan, global_batch)},
    {"/zero_stage", G_STRUCT_OFFSET(PsimPlan, zero_stage)},
    {"/schedule/chunks", G_STRUCT_OFFSET(PsimPlan, n_chunks)},
};

static const char *
tell_overlap(bool overlaps)
{
    return overlaps ? "true" : "false";
}

static const char *
tell_word(const PsimWhy *why, const char *pointer)
{
    const PsimPlan *plan = why->run->plan;
    const struct {
        const char *pointer;
        const char *word;
    } words[] = {
        {"/model", why->run->result->model_name},
        {"/hardware", why->run->result->hardware_name},
        {"/runtime", why->run->result->runtime_name},
        {"/schedule/name", why->run->result->schedule},
        {"/recompute", why->run->result->recompute},
        {"/precision", why->run->result->precision},
        {"/flash_attention", tell_overlap(plan->flash_attention)},
        {"/parallel/sequence_parallel", tell_overlap(plan->sequence_parallel)},
        {"/parallel/context_communication", psim_context_words()[plan->context_communication]},
        {"/overlap/data", tell_overlap(plan->overlap_dp)},
        {"/overlap/pipeline", tell_overlap(plan->overlap_pp)},
        {"/overlap/tensor", tell_overlap(plan->overlap_tp)},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(words[i].pointer, pointer) == 0)
            return words[i].word;
    }
    return "-";
}

static uint32_t
read_number(const PsimPlan *plan, size_t offset)
{
    uint32_t number = 0;

    memcpy(&number, (const char *)plan + offset, sizeof number);
    return number;
}

static char *
tell_input(const PsimWhy *why, const char *pointer)
{
    const PsimPlan *plan = why->run->plan;

    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        if (strcmp(numbers[i].pointer, pointer) == 0)
            return g_strdup_printf("%u", read_number(plan, numbers[i].offset));
    }
    if (strcmp(pointer, "/run/tokens") == 0)
        return plan->tokens > 0.0 ? psim_phrase_count(plan->tokens) : g_strdup("none");
    if (strcmp(pointer, "/run/usd_per_gpu_hour") == 0)
        return psim_phrase_fixed(why->run->result->usd_per_gpu_hour, /* decimals= */ 2);
    return g_strdup(tell_word(why, pointer));
}

/* Context parallelism is spoken of only where there is any. */
static bool
goes_without_saying(const PsimPlan *plan, const char *pointer)
{
    return plan->cp == 1 && g_str_has_prefix(pointer, "/parallel/context");
}

/* "given", or why it is a default. */
static const char *
tell_origin(const PsimPlan *plan, const char *pointer)
{
    for (guint i = 0; i < plan->defaults->len; i++) {
        const PsimDefault *used = g_ptr_array_index(plan->defaults, i);

        if (strcmp(used->pointer, pointer) == 0)
            return used->why != NULL ? used->why : "default";
    }
    return NULL;
}

void
psim_why_inputs(PsimWhy *why, const char *const *pointers)
{
    g_autoptr(PsimTable) table = psim_table_new("input|value|from");

    for (; *pointers != NULL; pointers++) {
        const char *origin = tell_origin(why->run->plan, *pointers);

        if (goes_without_saying(why->run->plan, *pointers))
            continue;
        const bool is_plain = origin == NULL || strcmp(origin, "default") == 0;

        psim_table_cell(table, "%s", *pointers);
        psim_table_cell_take(table, tell_input(why, *pointers));
        psim_table_cell(table, "%s%s", origin == NULL ? "given" : "default",
                        is_plain ? "" : psim_arena_printf(why->run->result->arena, ": %s", origin));
    }
    g_string_append(why->out, "\ninputs\n");
    psim_table_render(table, why->out, 2);
}

/* -- Constants --------------------------------------------------------------------------------- */

/* What stands in the list already, so that a long source is told once. */
typedef struct {
    PsimWhy *why;
    GPtrArray *names;   /* char* */
    GPtrArray *sources; /* char*, of the plan */
} Constants;

/* Returns: the constant that had this source first, or NULL. */
static const char *
find_source(const Constants *list, const char *source)
{
    guint index = 0;

    return g_ptr_array_find_with_equal_func(list->sources, source, g_str_equal, &index)
               ? g_ptr_array_index(list->names, index)
               : NULL;
}

/* Takes @value. */
static void
append_constant(
    Constants *list, const char *name, char *value, const char *provenance, const char *source)
{
    g_autofree char *text = value;
    const bool has_source = source != NULL && source[0] != '\0';
    const char *words = has_source ? source : "the default of a file that leaves it out";
    const char *same = find_source(list, words);
    g_autofree char *line =
        g_strdup_printf("%s = %s [%s]: %s%s", name, text, provenance,
                        same != NULL ? "source as " : "", same != NULL ? same : words);

    g_ptr_array_add(list->names, g_strdup(name));
    g_ptr_array_add(list->sources, g_strdup(words));
    psim_phrase_item(list->why->out, line);
}

/* "measured, 6.8% off on held-out rows" */
static char *
tell_provenance(const PsimOrigin *origin)
{
    const char *word = psim_provenance_words()[origin->provenance];
    g_autofree char *error = psim_phrase_percent(origin->error_fraction);

    return isnan(origin->error_fraction)
               ? g_strdup(word)
               : g_strdup_printf("%s, %s off on held-out rows", word, error);
}

static void
append_measured(Constants *list, const char *name, char *value, const PsimOrigin *origin)
{
    g_autofree char *provenance = tell_provenance(origin);

    append_constant(list, name, value, provenance, origin->source);
}

/* A data sheet's, where it states no origin of its own. */
static void
append_rate(
    Constants *list, const char *name, char *value, const PsimOrigin *origin, const char *source)
{
    if (origin->source != NULL)
        append_measured(list, name, value, origin);
    else
        append_constant(list, name, value, "data sheet", source);
}

static char *
tell_quantity(double value, PsimDimension dimension)
{
    return psim_units_format(value, dimension);
}

static void
append_device(Constants *list, unsigned which)
{
    const PsimPlan *plan = list->why->run->plan;
    const PsimDevice *device = &plan->hardware->device;
    const PsimMemoryBoundConstants *memory = &device->memory_bound;

    if ((which & PSIM_WHY_PEAK) != 0)
        append_rate(
            list, "dense peak",
            tell_quantity(device->peak_flop_per_s[plan->precision], PSIM_DIMENSION_FLOP_PER_S),
            &device->peak_origin, device->source);
    if ((which & PSIM_WHY_GEMM) != 0)
        append_measured(list, "gemm.efficiency",
                        psim_phrase_significant(device->gemm.efficiency, /* digits= */ 3),
                        &device->gemm.origin);
    if ((which & PSIM_WHY_ATTENTION) != 0 && plan->flash_attention && device->n_attention > 0)
        append_measured(
            list, "attention[0].forward.efficiency",
            psim_phrase_significant(device->attention[0].forward.efficiency, /* digits= */ 3),
            &device->attention[0].origin);
    if ((which & PSIM_WHY_MEMORY_BOUND) != 0) {
        append_rate(list, "HBM bandwidth",
                    tell_quantity(device->memory_bytes_per_s, PSIM_DIMENSION_BYTES_PER_S),
                    &device->memory_origin, device->source);
        append_measured(list, "share of it by kernel",
                        g_strdup_printf("norm %.2f, elementwise %.2f, softmax %.2f, optimizer %.2f",
                                        memory->norm_forward, memory->elementwise, memory->softmax,
                                        memory->optimizer),
                        &memory->origin);
    }
    if ((which & PSIM_WHY_USABLE) != 0)
        append_constant(list, "usable memory", psim_phrase_bytes(device->memory_usable_bytes),
                        "data sheet less context", device->source);
}

static void
append_network(Constants *list, unsigned which)
{
    const PsimHardware *hardware = list->why->run->plan->hardware;

    if ((which & PSIM_WHY_SCALE_UP) != 0) {
        append_rate(list, "link inside a node",
                    tell_quantity(hardware->scale_up_bytes_per_s, PSIM_DIMENSION_BYTES_PER_S),
                    &hardware->scale_up_origin, hardware->source);
        for (uint32_t i = 0; i < hardware->n_collectives; i++) {
            const PsimCollectiveConstants *row = &hardware->collectives[i];

            /* No plan has one. */
            if (row->what == PSIM_COLLECTIVE_ALL_TO_ALL)
                continue;
            g_autofree char *name =
                g_strdup_printf("%s of %u", psim_collective_words()[row->what], row->n_ranks);
            g_autofree char *rate = psim_phrase_bytes(row->high_bytes_per_s);

            append_measured(list, name,
                            g_strdup_printf("%.3g us + bytes over %s/s", row->a_s * 1e6, rate),
                            &row->origin);
        }
    }
    if ((which & PSIM_WHY_FABRIC) != 0 && hardware->fabric_name != NULL) {
        g_autofree char *rate =
            tell_quantity(hardware->nic_bytes_per_s, PSIM_DIMENSION_BYTES_PER_S);

        append_measured(list, hardware->fabric_name,
                        g_strdup_printf("%u NICs a node, %s each, %.2f of it achieved",
                                        hardware->nics_per_node, rate, hardware->nic_fraction),
                        &hardware->fabric_origin);
    }
}

static void
append_runtime(Constants *list, unsigned which)
{
    const PsimPlan *plan = list->why->run->plan;
    const PsimRuntime *runtime = &plan->runtime;
    const char *provenance = psim_provenance_words()[runtime->provenance];
    const double layer_us = runtime->host_layer_s * 1e6;

    if ((which & PSIM_WHY_HOST) != 0)
        append_constant(
            list, "host dispatch",
            g_strdup_printf("%.3g us a layer's forward, shared among its kernels, %.3g us a "
                            "collective, %.3g us a transfer that a rank waits for",
                            layer_us, runtime->host_collective_s * 1e6, runtime->host_send_s * 1e6),
            provenance, runtime->source);
    if ((which & PSIM_WHY_BYTES) != 0)
        append_constant(
            list, "bytes a parameter",
            g_strdup_printf("%g weights, %g gradients, %g optimizer; the step moves %g",
                            psim_plan_kept_weight_bytes(plan), psim_plan_gradient_bytes(plan),
                            psim_plan_optimizer_bytes(plan), runtime->optimizer_traffic_bytes),
            provenance, runtime->source);
    if ((which & PSIM_WHY_OVERHEAD) != 0)
        append_constant(list, "framework",
                        g_strdup_printf("%.3g GB, and %.3g of what is allocated and freed",
                                        runtime->overhead_bytes / 1e9,
                                        runtime->fragmentation_fraction),
                        provenance, runtime->source);
}

void
psim_why_constants(PsimWhy *why, unsigned which)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
    Constants list = {.why = why, .names = names, .sources = sources};

    g_string_append(why->out, "\nconstants\n");
    append_device(&list, which);
    append_network(&list, which);
    append_runtime(&list, which);
}
