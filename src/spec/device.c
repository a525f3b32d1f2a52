/* SPDX-License-Identifier: MIT */
#include "spec/device.h"

#include "base/limits.h"
#include "spec/gemm_rows.h"
#include "spec/member.h"

#define SCHEMA "plansim.device/1"

static const char *const precision_words[] = {"fp32", "tf32", "fp16", "bf16", "fp8", NULL};
static const char *const provenance_words[] = {"measured", "transferred", "guess", NULL};
static const char *const form_words[] = {"tile", "smooth", NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(precision_words) == PSIM_N_PRECISIONS + 1);

const char *const *
psim_precision_words(void)
{
    return precision_words;
}

const char *const *
psim_provenance_words(void)
{
    return provenance_words;
}

void
psim_device_clear(PsimDevice *self)
{
    for (uint32_t i = 0; i < self->n_attention; i++) {
        g_free(self->attention[i].kernel);
        g_free(self->attention[i].origin.source);
    }
    g_free(self->attention);
    g_free(self->gemm.rows);
    g_free(self->name);
    g_free(self->vendor);
    g_free(self->architecture);
    g_free(self->memory_label);
    g_free(self->price_date);
    g_free(self->price_source);
    g_free(self->peak_origin.source);
    g_free(self->memory_origin.source);
    g_free(self->gemm.origin.source);
    g_free(self->memory_bound.origin.source);
    g_free(self->source);
}

static void
read_peak(PsimDevice *self, PsimReader *reader)
{
    bool any = false;

    psim_reader_enter(reader, "peak");
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++) {
        const char *const word = precision_words[i];

        if (!psim_reader_has(reader, word))
            continue;
        self->peak_flop_per_s[i] =
            psim_reader_quantity(reader, word, PSIM_DIMENSION_FLOP_PER_S, 1, PSIM_MEMBER_MAX_RATE);
        any = true;
    }
    psim_member_own_origin(reader, &self->peak_origin);
    psim_reader_leave(reader);
    if (!any && psim_reader_is_object(reader, "peak"))
        psim_reader_complain(
            reader, "peak", PSIM_ERROR_SCHEMA,
            "names no precision; expected a dense rate such as \"bf16\": \"312 TFLOP/s\"");
    if (!any)
        self->peak_flop_per_s[PSIM_PRECISION_FP32] = 1;
}

static void
read_memory(PsimDevice *self, PsimReader *reader)
{
    psim_reader_enter(reader, "memory");
    self->memory_label = psim_member_text(reader, "label");
    self->memory_bytes =
        psim_reader_quantity(reader, "total", PSIM_DIMENSION_BYTES, 1, PSIM_MEMBER_MAX_BYTES);
    self->memory_usable_bytes = psim_reader_quantity_or(reader, "usable", PSIM_DIMENSION_BYTES, 1,
                                                        PSIM_MEMBER_MAX_BYTES, self->memory_bytes);
    self->memory_bytes_per_s = psim_reader_quantity(reader, "bandwidth", PSIM_DIMENSION_BYTES_PER_S,
                                                    1, PSIM_MEMBER_MAX_RATE);
    self->l2_bytes =
        psim_reader_quantity_or(reader, "l2", PSIM_DIMENSION_BYTES, 0, PSIM_MEMBER_MAX_BYTES, 0);
    psim_member_own_origin(reader, &self->memory_origin);
    psim_reader_leave(reader);
    if (self->memory_label == NULL)
        self->memory_label = psim_units_format(self->memory_bytes, PSIM_DIMENSION_BYTES);
}

/* 0 stands for "unknown" here, so an absent price is not a default worth telling. */
static void
read_price(PsimDevice *self, PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "price");
    if (psim_reader_has(reader, "usd_per_gpu_hour"))
        self->usd_per_gpu_hour = psim_reader_number(reader, "usd_per_gpu_hour", 0, 1e6);
    self->price_date = psim_member_text(reader, "date");
    self->price_source = psim_member_text(reader, "source");
    psim_reader_leave(reader);
}

/* The defaults of the constants are those of an A100, the device with the most measurements. */
static void
read_gemm(PsimDevice *self, PsimReader *reader)
{
    PsimGemmConstants *gemm = &self->gemm;
    const bool smooth = self->n_sms == 0;
    const double fp8 = self->peak_flop_per_s[PSIM_PRECISION_FP8] > 0 ? 0.6 : 0;

    psim_reader_enter_or_empty(reader, "gemm");
    gemm->tiled = psim_member_choice(reader, "form", form_words, smooth ? 1 : 0,
                                     smooth ? "a device without SMs" : "a device with SMs") == 0;
    gemm->efficiency = psim_reader_number_or(reader, "efficiency", 0.001, 2, 0.7);
    gemm->efficiency_fp8 = psim_reader_number_or(reader, "efficiency_fp8", 0, 2, fp8);
    gemm->bandwidth_fraction = psim_reader_number_or(reader, "bandwidth_fraction", 0.001, 2, 0.8);
    gemm->launch_s = psim_reader_quantity_or(reader, "launch", PSIM_DIMENSION_TIME, 0,
                                             PSIM_MEMBER_MAX_TIME_S, 2e-6);
    gemm->k0 = psim_reader_number_or(reader, "k0", 0, 1e6, 80);
    if (gemm->tiled) {
        gemm->tile_c = psim_reader_number_or(reader, "tile_c", 0, 1e6, 35);
        gemm->wave_soft = psim_reader_number_or(reader, "wave_soft", 0, 1, 0.75);
        gemm->misaligned = psim_reader_number_or(reader, "misaligned", 1, 10, 1.45);
        gemm->batched_misaligned = psim_reader_number_or(reader, "batched_misaligned", 0, 2, 0);
        gemm->odd = psim_reader_number_or(reader, "odd", 1, 10, gemm->misaligned);
    } else {
        gemm->m0 = psim_reader_number_or(reader, "m0", 0, 1e6, 70);
        gemm->n0 = psim_reader_number_or(reader, "n0", 0, 1e6, 30);
    }
    psim_member_origin(reader, &gemm->origin);
    psim_gemm_rows_read(gemm, reader);
    psim_reader_leave(reader);
}

static PsimAttentionPass
read_attention_pass(PsimReader *reader, const char *key)
{
    PsimAttentionPass pass;

    psim_reader_enter(reader, key);
    pass.efficiency = psim_reader_number(reader, "efficiency", 0.001, 2);
    pass.s0 = psim_reader_number(reader, "s0", 0, 1e6);
    pass.occupancy = psim_reader_number_or(reader, "occupancy", 0, 1e3, 1);
    /* Nearly every kernel has this one, so it is not a default worth telling. */
    pass.tile =
        psim_reader_has(reader, "tile") ? psim_reader_number(reader, "tile", 1, 1e6) : 128.0;
    psim_reader_leave(reader);
    return pass;
}

static void
read_attention(PsimDevice *self, PsimReader *reader)
{
    self->n_attention = psim_member_items(reader, "attention");
    self->attention = g_new0(PsimAttentionConstants, MAX(self->n_attention, 1));
    for (uint32_t i = 0; i < self->n_attention; i++) {
        PsimAttentionConstants *entry = &self->attention[i];

        psim_reader_enter_item(reader, "attention", i);
        entry->kernel = g_strdup(psim_reader_string(reader, "kernel"));
        entry->head_dim =
            (uint32_t)psim_member_count(reader, "head_dim", 0, PSIM_LIMIT_WIDTH, 0, "any");
        entry->causal = psim_reader_flag_or(reader, "causal", true);
        entry->forward = read_attention_pass(reader, "forward");
        entry->backward = read_attention_pass(reader, "backward");
        psim_member_origin(reader, &entry->origin);
        psim_reader_leave(reader);
    }
    /* 0 stands for "as matrix products", so an absent one is not a default worth telling. */
    if (psim_reader_has(reader, "attention_unfused_fraction"))
        self->attention_unfused_fraction =
            psim_reader_number(reader, "attention_unfused_fraction", 0, 1);
}

/* Of the memory bandwidth; what stays in a cache may exceed it. */
#define MIN_FRACTION 0.001
#define MAX_FRACTION 2

/* One list for reading and writing the fractions of the memory bandwidth. */
static const struct {
    const char *key;
    size_t offset;
    double fallback;
} fractions[] = {
    {"copy", G_STRUCT_OFFSET(PsimMemoryBoundConstants, copy), 0.85},
    {"norm_forward", G_STRUCT_OFFSET(PsimMemoryBoundConstants, norm_forward), 0.8},
    {"norm_backward", G_STRUCT_OFFSET(PsimMemoryBoundConstants, norm_backward), 0.77},
    {"norm_forward_eager", G_STRUCT_OFFSET(PsimMemoryBoundConstants, norm_forward_eager), 0.7},
    {"norm_backward_eager", G_STRUCT_OFFSET(PsimMemoryBoundConstants, norm_backward_eager), 0.36},
    {"elementwise", G_STRUCT_OFFSET(PsimMemoryBoundConstants, elementwise), 0.8},
    {"softmax", G_STRUCT_OFFSET(PsimMemoryBoundConstants, softmax), 0.75},
    {"embedding", G_STRUCT_OFFSET(PsimMemoryBoundConstants, embedding), 0.17},
    {"optimizer", G_STRUCT_OFFSET(PsimMemoryBoundConstants, optimizer), 0.8},
    {"cross_entropy", G_STRUCT_OFFSET(PsimMemoryBoundConstants, cross_entropy), 0.9},
};

static void
read_memory_bound(PsimDevice *self, PsimReader *reader)
{
    PsimMemoryBoundConstants *constants = &self->memory_bound;

    psim_reader_enter_or_empty(reader, "memory_bound");
    constants->launch_s = psim_reader_quantity_or(reader, "launch", PSIM_DIMENSION_TIME, 0,
                                                  PSIM_MEMBER_MAX_TIME_S, 2e-6);
    for (size_t i = 0; i < G_N_ELEMENTS(fractions); i++)
        G_STRUCT_MEMBER(double, constants, fractions[i].offset) = psim_reader_number_or(
            reader, fractions[i].key, MIN_FRACTION, MAX_FRACTION, fractions[i].fallback);
    /* An absent one is "elementwise", and no default worth telling. */
    if (psim_reader_has(reader, "activation"))
        constants->activation =
            psim_reader_number(reader, "activation", MIN_FRACTION, MAX_FRACTION);
    psim_member_origin(reader, &constants->origin);
    psim_reader_leave(reader);
}

static void
check_device(const PsimDevice *self, PsimReader *reader)
{
    if (self->memory_usable_bytes > self->memory_bytes)
        psim_reader_complain(reader, "memory", PSIM_ERROR_MISMATCH,
                             "has more usable than in total");
    if (self->gemm.tiled && self->n_sms == 0)
        psim_reader_complain(reader, "sms", PSIM_ERROR_MISMATCH,
                             "is 0; the tile form of \"gemm\" needs the number of SMs");
}

void
psim_device_read_members(PsimDevice *self,
                         PsimReader *reader,
                         const PsimComplaints *complaints,
                         const char *fallback)
{
    const size_t n_before = psim_complaints_n(complaints);
    PsimTitles titles = psim_member_titles(reader, SCHEMA, fallback);

    *self = (PsimDevice){.name = titles.name, .source = titles.source};
    g_free(titles.about);
    self->vendor = psim_member_text(reader, "vendor");
    self->architecture = psim_member_text(reader, "architecture");
    self->n_sms = (uint32_t)psim_member_count(reader, "sms", 0, PSIM_LIMIT_WIDTH, 0,
                                              "not a machine of tiles");
    read_peak(self, reader);
    read_memory(self, reader);
    self->pcie_bytes_per_s = psim_reader_quantity_or(reader, "pcie", PSIM_DIMENSION_BYTES_PER_S, 0,
                                                     PSIM_MEMBER_MAX_RATE, 0);
    self->tdp_watt = psim_reader_quantity_or(reader, "tdp", PSIM_DIMENSION_POWER, 0, 1e9, 0);
    read_price(self, reader);
    read_gemm(self, reader);
    read_attention(self, reader);
    read_memory_bound(self, reader);
    self->launch_floor_s = psim_reader_quantity_or(reader, "launch_floor", PSIM_DIMENSION_TIME, 0,
                                                   PSIM_MEMBER_MAX_TIME_S, 2.5e-6);
    self->sms_taken_by_collective = psim_reader_number_or(
        reader, "sms_taken_by_collective", 0, PSIM_LIMIT_WIDTH, self->n_sms > 0 ? 20 : 0);
    if (psim_complaints_n(complaints) == n_before)
        check_device(self, reader);
}

static void
write_peak_and_memory(const PsimDevice *self, PsimWriter *writer)
{
    psim_writer_begin_row(writer, "peak");
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        if (self->peak_flop_per_s[i] > 0)
            psim_member_write_quantity(writer, precision_words[i], self->peak_flop_per_s[i],
                                       PSIM_DIMENSION_FLOP_PER_S);
    psim_member_write_own_origin(writer, &self->peak_origin);
    psim_writer_end_object(writer);
    psim_writer_begin_row(writer, "memory");
    psim_writer_string(writer, "label", self->memory_label);
    psim_member_write_quantity(writer, "total", self->memory_bytes, PSIM_DIMENSION_BYTES);
    psim_member_write_quantity(writer, "usable", self->memory_usable_bytes, PSIM_DIMENSION_BYTES);
    psim_member_write_quantity(writer, "bandwidth", self->memory_bytes_per_s,
                               PSIM_DIMENSION_BYTES_PER_S);
    psim_member_write_quantity(writer, "l2", self->l2_bytes, PSIM_DIMENSION_BYTES);
    psim_member_write_own_origin(writer, &self->memory_origin);
    psim_writer_end_object(writer);
    psim_member_write_quantity(writer, "pcie", self->pcie_bytes_per_s, PSIM_DIMENSION_BYTES_PER_S);
    psim_member_write_quantity(writer, "tdp", self->tdp_watt, PSIM_DIMENSION_POWER);
}

static void
write_price(const PsimDevice *self, PsimWriter *writer)
{
    if (self->usd_per_gpu_hour <= 0)
        return;
    psim_writer_begin_row(writer, "price");
    psim_writer_number(writer, "usd_per_gpu_hour", self->usd_per_gpu_hour);
    psim_member_write_text(writer, "date", self->price_date);
    psim_member_write_text(writer, "source", self->price_source);
    psim_writer_end_object(writer);
}

static void
write_gemm(const PsimGemmConstants *gemm, PsimWriter *writer)
{
    if (gemm->n_rows > 0)
        psim_writer_begin_object(writer, "gemm");
    else
        psim_writer_begin_row(writer, "gemm");
    psim_writer_string(writer, "form", form_words[gemm->tiled ? 0 : 1]);
    psim_writer_number(writer, "efficiency", gemm->efficiency);
    psim_writer_number(writer, "efficiency_fp8", gemm->efficiency_fp8);
    psim_writer_number(writer, "bandwidth_fraction", gemm->bandwidth_fraction);
    psim_member_write_quantity(writer, "launch", gemm->launch_s, PSIM_DIMENSION_TIME);
    psim_writer_number(writer, "k0", gemm->k0);
    if (gemm->tiled) {
        psim_writer_number(writer, "tile_c", gemm->tile_c);
        psim_writer_number(writer, "wave_soft", gemm->wave_soft);
        psim_writer_number(writer, "misaligned", gemm->misaligned);
        psim_writer_number(writer, "odd", gemm->odd);
        psim_writer_number(writer, "batched_misaligned", gemm->batched_misaligned);
    } else {
        psim_writer_number(writer, "m0", gemm->m0);
        psim_writer_number(writer, "n0", gemm->n0);
    }
    psim_member_write_origin(writer, &gemm->origin);
    psim_gemm_rows_write(gemm, writer);
    psim_writer_end_object(writer);
}

static void
write_attention_pass(PsimWriter *writer, const char *key, const PsimAttentionPass *pass)
{
    psim_writer_begin_row(writer, key);
    psim_writer_number(writer, "efficiency", pass->efficiency);
    psim_writer_number(writer, "s0", pass->s0);
    psim_writer_number(writer, "occupancy", pass->occupancy);
    psim_writer_number(writer, "tile", pass->tile);
    psim_writer_end_object(writer);
}

static void
write_attention(const PsimDevice *self, PsimWriter *writer)
{
    psim_writer_begin_array(writer, "attention");
    for (uint32_t i = 0; i < self->n_attention; i++) {
        const PsimAttentionConstants *entry = &self->attention[i];

        psim_writer_begin_row(writer, NULL);
        psim_writer_string(writer, "kernel", entry->kernel);
        psim_writer_count(writer, "head_dim", entry->head_dim);
        psim_writer_flag(writer, "causal", entry->causal);
        write_attention_pass(writer, "forward", &entry->forward);
        write_attention_pass(writer, "backward", &entry->backward);
        psim_member_write_origin(writer, &entry->origin);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_number(writer, "attention_unfused_fraction", self->attention_unfused_fraction);
}

static double
get_fraction(const PsimMemoryBoundConstants *constants, size_t index)
{
    const char *const bytes = (const char *)constants;

    return *(const double *)(const void *)(bytes + fractions[index].offset);
}

static void
write_memory_bound(const PsimMemoryBoundConstants *constants, PsimWriter *writer)
{
    psim_writer_begin_row(writer, "memory_bound");
    psim_member_write_quantity(writer, "launch", constants->launch_s, PSIM_DIMENSION_TIME);
    for (size_t i = 0; i < G_N_ELEMENTS(fractions); i++)
        psim_writer_number(writer, fractions[i].key, get_fraction(constants, i));
    if (constants->activation > 0)
        psim_writer_number(writer, "activation", constants->activation);
    psim_member_write_origin(writer, &constants->origin);
    psim_writer_end_object(writer);
}

void
psim_device_write_members(const PsimDevice *self, PsimWriter *writer, const char *key)
{
    const PsimTitles titles = {.name = self->name, .source = self->source};

    psim_writer_begin_object(writer, key);
    psim_member_write_titles(writer, SCHEMA, &titles);
    psim_member_write_text(writer, "vendor", self->vendor);
    psim_member_write_text(writer, "architecture", self->architecture);
    psim_writer_count(writer, "sms", self->n_sms);
    write_peak_and_memory(self, writer);
    write_price(self, writer);
    write_gemm(&self->gemm, writer);
    write_attention(self, writer);
    write_memory_bound(&self->memory_bound, writer);
    psim_member_write_quantity(writer, "launch_floor", self->launch_floor_s, PSIM_DIMENSION_TIME);
    psim_writer_number(writer, "sms_taken_by_collective", self->sms_taken_by_collective);
    psim_writer_end_object(writer);
}

char *
psim_device_precisions(const PsimDevice *self)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        if (self->peak_flop_per_s[i] > 0)
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", precision_words[i]);
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}
