/* SPDX-License-Identifier: MIT */
/* The hardware file around a calibration: a node of such units, constants where they were measured
 * and none where they were not, so that the reader's defaults stand there as guesses.
 */
#include "calibrate/layout.h"
#include "calibrate/record_write.h"

#include <math.h>

#define SOURCE "plansim calibrate"

/* The reader's ranges; what is measured beyond them is a fault of the measurement. */
#define MAX_FRACTION 2.0
#define MIN_FRACTION 0.001

/* Where nothing was measured and nothing is nominal. */
#define FLOP_A_CYCLE        16.0
#define GUESSED_BYTES_PER_S 1e10

static void
add_measured(cJSON *object, const char *source)
{
    psim_json_text(object, "provenance", "measured");
    psim_json_text(object, "source", source);
}

static void
add_guess(cJSON *object, const char *source)
{
    psim_json_text(object, "provenance", "guess");
    psim_json_text(object, "source", source);
}

static void
add_origin(cJSON *object, const char *source, const PsimAccuracy *held_out)
{
    add_measured(object, source);
    if (held_out != NULL && held_out->n > 0)
        psim_json_number(object, "error", held_out->mape);
}

static void
add_fraction(cJSON *object, const char *key, double value)
{
    if (isfinite(value))
        psim_json_number(object, key, CLAMP(value, MIN_FRACTION, MAX_FRACTION));
}

static void
add_time(cJSON *object, const char *key, double seconds)
{
    if (isfinite(seconds))
        psim_json_quantity(object, key, seconds * 1e6, "us");
}

static void
add_rate(cJSON *object, const char *key, double bytes_per_s)
{
    psim_json_quantity(object, key, bytes_per_s / 1e9, "GB/s");
}

/* "AMD EPYC 7B13" -> "amd-epyc-7b13-measured". */
static char *
make_name(const char *name)
{
    GString *slug = g_string_new(NULL);

    for (const char *c = name; *c != '\0'; c++) {
        if (g_ascii_isalnum(*c))
            g_string_append_c(slug, g_ascii_tolower(*c));
        else if (slug->len > 0 && slug->str[slug->len - 1] != '-')
            g_string_append_c(slug, '-');
    }
    if (slug->len > 0 && slug->str[slug->len - 1] == '-')
        g_string_truncate(slug, slug->len - 1);
    g_string_append(slug, slug->len > 0 ? "-measured" : "measured");
    return g_string_free(slug, FALSE);
}

/* -- Products -- */

/* A shape that was measured twice, as TN and as probe, has one row. */
static bool
has_row(const PsimRecord *record, guint before, const PsimTrial *trial)
{
    const PsimProduct product = psim_constants_product(&trial->what);

    for (guint i = 0; i < before; i++) {
        const PsimTrial *other = g_ptr_array_index(record->trials, i);
        const PsimCase *a = &other->what;
        const PsimCase *b = &trial->what;
        const bool same = a->gemm.m == b->gemm.m && a->gemm.n == b->gemm.n;

        if (a->kind == PSIM_CASE_GEMM && isfinite(psim_record_time_s(record, other)) &&
            a->number == b->number && a->gemm.layout == b->gemm.layout && a->gemm.k == b->gemm.k &&
            same && psim_constants_product(a).output_bytes == product.output_bytes)
            return true;
    }
    return false;
}

static bool
is_trusted(const PsimRecord *record, const PsimTrial *trial)
{
    const unsigned doubts = PSIM_FLAG_CLOCK_MOVED | PSIM_FLAG_THROTTLED;

    return trial->what.kind == PSIM_CASE_GEMM && (trial->samples.flags & doubts) == 0 &&
           isfinite(psim_record_time_s(record, trial));
}

static void
add_table(cJSON *gemm, const PsimRecord *record)
{
    cJSON *table = cJSON_AddArrayToObject(gemm, "table");

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        if (!is_trusted(record, trial) || has_row(record, i, trial))
            continue;
        cJSON *row = cJSON_CreateObject();

        psim_json_text(row, "precision", psim_number_words()[trial->what.number]);
        psim_json_text(row, "layout", psim_layout_words()[trial->what.gemm.layout]);
        psim_json_count(row, "m", trial->what.gemm.m);
        psim_json_count(row, "n", trial->what.gemm.n);
        psim_json_count(row, "k", trial->what.gemm.k);
        psim_json_number(row, "output_bytes", psim_constants_product(&trial->what).output_bytes);
        add_time(row, "time", psim_record_time_s(record, trial));
        (void)cJSON_AddItemToArray(table, row);
    }
}

static void
add_gemm(cJSON *device, const PsimRecord *record, const PsimConstants *constants)
{
    const PsimGemmFit *fit = &constants->gemm[constants->main];
    const PsimProductCost *cost = &fit->cost;
    cJSON *gemm = NULL;

    if (!constants->has_gemm[constants->main])
        return;
    gemm = cJSON_AddObjectToObject(device, "gemm");
    psim_json_text(gemm, "form", cost->tiled ? "tile" : "smooth");
    add_fraction(gemm, "efficiency", cost->efficiency);
    if (constants->has_gemm[PSIM_NUMBER_FP8])
        add_fraction(gemm, "efficiency_fp8", constants->gemm[PSIM_NUMBER_FP8].cost.efficiency);
    add_fraction(gemm, "bandwidth_fraction", cost->bandwidth_fraction);
    add_time(gemm, "launch", cost->launch_s);
    psim_json_number(gemm, "k0", cost->k0);
    if (cost->tiled) {
        psim_json_number(gemm, "tile_c", cost->tile_c);
        psim_json_number(gemm, "wave_soft", cost->wave_soft);
    } else {
        psim_json_number(gemm, "m0", cost->m0);
        psim_json_number(gemm, "n0", cost->n0);
    }
    g_autofree char *source =
        g_strdup_printf("%s, %s, %zu products", SOURCE, record->libraries, fit->train.n);

    add_origin(gemm, source, &fit->held_out);
    add_table(gemm, record);
}

/* -- Other kernels -- */

static void
add_memory_bound(cJSON *device, const PsimConstants *constants)
{
    g_autoptr(GString) source = g_string_new(SOURCE ":");
    cJSON *object = NULL;

    for (int i = 0; i < PSIM_N_FRACTIONS; i++) {
        if (!constants->has_fraction[i])
            continue;
        if (object == NULL)
            object = cJSON_AddObjectToObject(device, "memory_bound");
        add_fraction(object, psim_fraction_words()[i], constants->fractions[i]);
        g_string_append_printf(source, " %s", psim_fraction_words()[i]);
    }
    if (object == NULL)
        return;
    add_time(object, "launch", constants->memory_launch_s);
    g_string_append(source, "; the rest are defaults");
    add_origin(object, source->str, &constants->memory_held_out);
}

static void
add_attention(cJSON *device, const PsimConstants *constants)
{
    static const char *const passes[] = {"forward", "backward"};
    cJSON *list = cJSON_AddArrayToObject(device, "attention");

    for (guint i = 0; i < constants->attention->len; i++) {
        const PsimAttentionFit *fit = &g_array_index(constants->attention, PsimAttentionFit, i);
        cJSON *row = cJSON_CreateObject();

        psim_json_text(row, "kernel", "cudnn");
        psim_json_count(row, "head_dim", fit->head_dim);
        psim_json_flag(row, "causal", fit->causal);
        for (int pass = 0; pass < 2; pass++) {
            cJSON *object = cJSON_AddObjectToObject(row, passes[pass]);

            add_fraction(object, "efficiency", fit->efficiency[pass]);
            psim_json_number(object, "s0", fit->s0[pass]);
            psim_json_number(object, "occupancy", fit->occupancy[pass]);
        }
        add_origin(row, SOURCE, &fit->held_out[0]);
        (void)cJSON_AddItemToArray(list, row);
    }
}

/* -- Rates: nominal ones are of a data sheet, which is what a file means that says nothing -- */

static void
add_peak(cJSON *device, const PsimRecord *record, const PsimConstants *constants)
{
    cJSON *peak = cJSON_AddObjectToObject(device, "peak");
    const PsimUnitFacts *facts = &record->facts;
    bool any = false;
    bool measured = false;

    for (int i = 0; i < PSIM_N_NUMBERS; i++) {
        const double known =
            constants != NULL ? constants->peak_flop_per_s[i] : facts->nominal_flop_per_s[i];

        if (known <= 0.0)
            continue;
        psim_json_quantity(peak, psim_number_words()[i], known / 1e9, "GFLOP/s");
        any = true;
        measured = measured || facts->nominal_flop_per_s[i] <= 0.0;
    }
    if (measured)
        add_measured(peak, SOURCE ", the best product");
    if (any)
        return;
    psim_json_quantity(peak, "fp32", MAX(facts->clock_hz, 1e9) * FLOP_A_CYCLE / 1e9, "GFLOP/s");
    add_guess(peak, "no product was measured: 16 operations a cycle");
}

static bool
has_memory_rate(const PsimConstants *constants)
{
    return constants != NULL && constants->memory_bytes_per_s > 0.0;
}

static double
find_memory_rate(const PsimRecord *record, const PsimConstants *constants)
{
    if (has_memory_rate(constants))
        return constants->memory_bytes_per_s;
    return record->facts.nominal_bytes_per_s > 0.0 ? record->facts.nominal_bytes_per_s
                                                   : GUESSED_BYTES_PER_S;
}

static void
add_memory(cJSON *device, const PsimRecord *record, const PsimConstants *constants)
{
    const PsimUnitFacts *facts = &record->facts;
    cJSON *memory = cJSON_AddObjectToObject(device, "memory");

    psim_json_quantity(memory, "total", (double)facts->memory_bytes / 1048576.0, "MiB");
    psim_json_quantity(memory, "usable",
                       (double)MIN(facts->memory_usable_bytes, facts->memory_bytes) / 1048576.0,
                       "MiB");
    add_rate(memory, "bandwidth", find_memory_rate(record, constants));
    psim_json_quantity(memory, "l2", (double)facts->cache_bytes / 1048576.0, "MiB");
    if (facts->nominal_bytes_per_s > 0.0)
        return;
    if (has_memory_rate(constants))
        add_measured(memory, SOURCE ", the best stream beyond the caches");
    else
        add_guess(memory, "no stream was measured: about what one core reaches");
}

static void
add_device(cJSON *hardware, const PsimRecord *record, const PsimConstants *constants)
{
    const PsimUnitFacts *facts = &record->facts;
    cJSON *device = cJSON_AddObjectToObject(hardware, "device");

    psim_json_text(device, "name", facts->name);
    psim_json_text(device, "architecture", facts->architecture);
    psim_json_text(device, "source", SOURCE);
    psim_json_count(device, "sms", facts->n_sms);
    add_peak(device, record, constants);
    add_memory(device, record, constants);
    if (constants == NULL)
        return;
    if (constants->host_bytes_per_s > 0.0)
        add_rate(device, "pcie", constants->host_bytes_per_s);
    if (facts->power_limit_watt > 0.0)
        psim_json_quantity(device, "tdp", facts->power_limit_watt, "W");
    add_gemm(device, record, constants);
    add_attention(device, constants);
    add_memory_bound(device, constants);
    add_time(device, "launch_floor", constants->launch_floor_s);
}

/* -- Links -- */

static const PsimLinkFit *
find_send(const PsimConstants *constants)
{
    for (guint i = 0; constants != NULL && i < constants->links->len; i++) {
        const PsimLinkFit *fit = &g_array_index(constants->links, PsimLinkFit, i);

        if (fit->what == PSIM_EXCHANGE_SEND)
            return fit;
    }
    return NULL;
}

static void
add_collectives(cJSON *scale_up, const PsimConstants *constants)
{
    cJSON *list = cJSON_AddArrayToObject(scale_up, "collectives");

    for (guint i = 0; constants != NULL && i < constants->links->len; i++) {
        const PsimLinkFit *fit = &g_array_index(constants->links, PsimLinkFit, i);
        cJSON *row = cJSON_CreateObject();

        psim_json_text(row, "what", psim_exchange_words()[fit->what]);
        psim_json_count(row, "ranks", fit->n_ranks);
        add_time(row, "a", fit->a_s);
        add_time(row, "step", fit->step_s);
        add_rate(row, "low", fit->low_bytes_per_s);
        add_rate(row, "high", fit->high_bytes_per_s);
        add_origin(row, SOURCE, &fit->held_out);
        (void)cJSON_AddItemToArray(list, row);
    }
}

/* A send says what two units reach; without one the nominal rate stands, or the memory's. */
static void
add_scale_up(cJSON *hardware, const PsimRecord *record, const PsimConstants *constants)
{
    const PsimLinkFit *send = find_send(constants);
    const double nominal = record->facts.nominal_link_bytes_per_s;
    cJSON *scale_up = NULL;

    if (record->facts.n_units < 2)
        return;
    scale_up = cJSON_AddObjectToObject(hardware, "scale_up");
    psim_json_text(scale_up, "name", record->facts.n_sms > 0 ? "links" : "shared memory");
    if (send != NULL) {
        add_rate(scale_up, "bandwidth", MAX(send->low_bytes_per_s, send->high_bytes_per_s));
        psim_json_number(scale_up, "fraction", 1.0);
        /* Where the fast protocol begins, that of large messages. */
        add_time(scale_up, "latency",
                 send->high_bytes_per_s > send->low_bytes_per_s ? send->a_s + send->step_s
                                                                : send->a_s);
        add_measured(scale_up, SOURCE ", sends between two units");
    } else if (nominal > 0.0) {
        add_rate(scale_up, "bandwidth", nominal);
    } else {
        add_rate(scale_up, "bandwidth", find_memory_rate(record, constants) / 4.0);
        add_guess(scale_up, "no send was measured: a quarter of the memory's bandwidth");
    }
    add_collectives(scale_up, constants);
}

char *
psim_record_text(const PsimRecord *record, const PsimConstants *constants)
{
    cJSON *hardware = cJSON_CreateObject();
    g_autofree char *name = make_name(record->facts.name);
    g_autofree char *about =
        g_strdup_printf("%s, measured with %s", record->facts.name, record->libraries);

    psim_json_text(hardware, "schema", "plansim.hardware/1");
    psim_json_text(hardware, "name", name);
    psim_json_text(hardware, "about", about);
    psim_json_text(hardware, "source", SOURCE);
    add_device(hardware, record, constants);
    psim_json_count(hardware, "gpus_per_node", MAX(record->facts.n_units, 1));
    psim_json_count(hardware, "max_nodes", 1);
    add_scale_up(hardware, record, constants);
    psim_record_add(hardware, record, constants);

    char *text = psim_json_layout(hardware);

    cJSON_Delete(hardware);
    return text;
}
