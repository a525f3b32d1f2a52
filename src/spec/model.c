/* SPDX-License-Identifier: MIT */
#include "spec/model.h"

#include "base/limits.h"
#include "schedule/partition.h"
#include "spec/digest.h"
#include "spec/member.h"
#include "spec/override.h"
#include "spec/preset.h"

#include <math.h>

#define SCHEMA "plansim.model/1"

/* Layer lists hold counts as doubles: FLOPs of a step exceed 2^64. */
#define MAX_FLOP 1e24

static const char *const position_words[] = {"learned", "rotary", "alibi", "none", NULL};
static const char *const norm_words[] = {"layernorm", "rmsnorm", NULL};

static const char gpt_family[] = "as GPT models, which have no gated MLP";
static const char llama_family[] = "as Llama models, which have a gated MLP";

static void
free_members(PsimModel *self)
{
    for (uint32_t i = 0; i < self->n_listed; i++)
        g_free(self->layers[i].name);
    g_free(self->layers);
    g_free(self->name);
    g_free(self->about);
    g_free(self->source);
    g_free(self->digest);
    g_ptr_array_unref(self->defaults);
    g_free(self);
}

PsimModel *
psim_model_ref(PsimModel *self)
{
    g_return_val_if_fail(self != NULL, NULL);
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void
psim_model_unref(PsimModel *self)
{
    if (self != NULL && g_atomic_int_dec_and_test(&self->ref_count))
        free_members(self);
}

/* "nearest: 2 or 4", from numbers of which 0 means none. */
static void
append_nearest(GString *text, uint32_t below, uint32_t above)
{
    if (below > 0 && above > 0)
        g_string_append_printf(text, "; nearest: %u or %u", below, above);
    else if (below > 0 || above > 0)
        g_string_append_printf(text, "; nearest: %u", below + above);
}

static void
complain_of_kv_heads(const PsimModel *self, PsimReader *reader)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint32_t below = 0;
    uint32_t above = 0;

    psim_partition_nearest(self->n_heads, self->n_kv_heads, &below, &above);
    append_nearest(text, below, above);
    psim_reader_complain(reader, "kv_heads", PSIM_ERROR_MISMATCH,
                         "is %u; %u heads do not divide over it%s", self->n_kv_heads, self->n_heads,
                         text->str);
}

static void
read_heads(PsimModel *self, PsimReader *reader, const PsimComplaints *complaints)
{
    const size_t n_before = psim_complaints_n(complaints);

    self->hidden = (uint32_t)psim_reader_count(reader, "hidden", 1, PSIM_LIMIT_WIDTH);
    self->n_heads = (uint32_t)psim_reader_count(reader, "heads", 1, PSIM_LIMIT_WIDTH);
    self->n_kv_heads = (uint32_t)psim_member_count(reader, "kv_heads", 1, PSIM_LIMIT_WIDTH,
                                                   self->n_heads, "as many as heads");
    self->head_dim =
        (uint32_t)psim_member_count(reader, "head_dim", 1, PSIM_LIMIT_WIDTH,
                                    MAX(1, self->hidden / self->n_heads), "hidden / heads");
    if (psim_complaints_n(complaints) > n_before)
        return;
    if (self->n_heads % self->n_kv_heads != 0)
        complain_of_kv_heads(self, reader);
    if (!psim_reader_has(reader, "head_dim") && self->hidden % self->n_heads != 0)
        psim_reader_complain(reader, "heads", PSIM_ERROR_MISMATCH,
                             "is %u; hidden %u does not divide over it, so head_dim must be given",
                             self->n_heads, self->hidden);
}

/* Gated: 8/3 of hidden keeps three matrices as large as two of 4 hidden. */
static void
read_ffn_hidden(PsimModel *self, PsimReader *reader)
{
    const uint64_t unit = 256;
    const uint64_t gated = (self->hidden * UINT64_C(8) + 3 * unit - 1) / (3 * unit) * unit;
    const uint64_t plain = 4 * (uint64_t)self->hidden;

    self->ffn_hidden = (uint32_t)psim_member_count(
        reader, "ffn_hidden", 1, UINT64_C(4) * PSIM_LIMIT_WIDTH, self->gated_mlp ? gated : plain,
        self->gated_mlp ? "8/3 hidden, up to a multiple of 256" : "4 hidden");
}

static void
read_transformer(PsimModel *self, PsimReader *reader, const PsimComplaints *complaints)
{
    psim_reader_enter(reader, "transformer");
    self->n_layers = (uint32_t)psim_reader_count(reader, "layers", 1, PSIM_LIMIT_LAYERS);
    self->gated_mlp = psim_member_flag(reader, "gated_mlp", false, "default");
    read_heads(self, reader, complaints);
    read_ffn_hidden(self, reader);
    self->vocabulary = (uint32_t)psim_reader_count(reader, "vocabulary", 1, PSIM_LIMIT_WIDTH);
    self->sequence = (uint32_t)psim_reader_count(reader, "sequence", 1, PSIM_LIMIT_SEQUENCE);

    const bool gated = self->gated_mlp;
    const char *const family = gated ? llama_family : gpt_family;

    self->tied_embeddings = psim_member_flag(reader, "tied_embeddings", !gated, family);
    self->causal = psim_member_flag(reader, "causal", true, "a decoder");
    self->biases = psim_member_flag(reader, "biases", !gated, family);
    self->dropout = psim_member_flag(reader, "dropout", !gated, family);
    self->positions = (PsimPositions)psim_member_choice(
        reader, "positions", position_words, gated ? PSIM_POSITIONS_ROTARY : PSIM_POSITIONS_LEARNED,
        family);
    self->norm = (PsimNorm)psim_member_choice(
        reader, "norm", norm_words, gated ? PSIM_NORM_RMSNORM : PSIM_NORM_LAYERNORM, family);
    psim_reader_leave(reader);
}

static void
read_layer(PsimLayer *layer, PsimReader *reader, size_t index)
{
    const double most = PSIM_MEMBER_MAX_BYTES;

    psim_reader_enter_item(reader, "layers", index);
    layer->name = psim_member_text(reader, "name");
    if (layer->name == NULL)
        layer->name = g_strdup_printf("layer-%zu", index);
    layer->repeat =
        (uint32_t)psim_member_count(reader, "repeat", 1, PSIM_LIMIT_LAYERS, 1, "default");
    layer->forward_flop =
        psim_reader_quantity(reader, "forward_flop", PSIM_DIMENSION_FLOP, 0, MAX_FLOP);
    layer->backward_flop = psim_reader_quantity_or(reader, "backward_flop", PSIM_DIMENSION_FLOP, 0,
                                                   MAX_FLOP, 2 * layer->forward_flop);
    layer->params = psim_reader_number(reader, "params", 0, PSIM_LIMIT_JSON_INTEGER);
    layer->activation_bytes =
        psim_reader_quantity(reader, "activation", PSIM_DIMENSION_BYTES, 0, most);
    layer->output_bytes = psim_reader_quantity(reader, "output", PSIM_DIMENSION_BYTES, 0, most);
    layer->exchange_bytes =
        psim_reader_quantity_or(reader, "exchange", PSIM_DIMENSION_BYTES, 0, most, 0);
    layer->memory_bytes = psim_reader_quantity_or(reader, "memory", PSIM_DIMENSION_BYTES, 0, most,
                                                  layer->activation_bytes + layer->output_bytes);
    psim_reader_leave(reader);
}

static void
read_layer_list(PsimModel *self, PsimReader *reader)
{
    psim_reader_enter(reader, "layer_list");
    self->sample_tokens = (uint32_t)psim_member_count(
        reader, "sample_tokens", 1, PSIM_LIMIT_SEQUENCE, 1, "a sample counts as one");

    const size_t n_listed = psim_reader_items(reader, "layers", /* required= */ true);

    if (n_listed > PSIM_LIMIT_LAYERS)
        psim_reader_complain(reader, "layers", PSIM_ERROR_LIMIT,
                             "has %zu layers; at most %u (PSIM_LIMIT_LAYERS)", n_listed,
                             PSIM_LIMIT_LAYERS);
    else if (n_listed == 0 && psim_reader_is_array(reader, "layers"))
        psim_reader_complain(reader, "layers", PSIM_ERROR_VALUE,
                             "is empty; must have at least one layer");
    self->n_listed = (uint32_t)MIN(n_listed, PSIM_LIMIT_LAYERS);
    self->layers = g_new0(PsimLayer, MAX(self->n_listed, 1));
    for (uint32_t i = 0; i < self->n_listed; i++)
        read_layer(&self->layers[i], reader, i);
    if (psim_model_layer_count(self) > PSIM_LIMIT_LAYERS)
        psim_reader_complain(reader, "layers", PSIM_ERROR_LIMIT,
                             "has %u layers with their repeats; at most %u (PSIM_LIMIT_LAYERS)",
                             psim_model_layer_count(self), PSIM_LIMIT_LAYERS);
    psim_reader_leave(reader);
}

static void
read_kind(PsimModel *self, PsimReader *reader, const PsimComplaints *complaints)
{
    const bool is_transformer = psim_reader_has(reader, "transformer");
    const bool is_list = psim_reader_has(reader, "layer_list");

    self->kind = is_list ? PSIM_MODEL_LAYER_LIST : PSIM_MODEL_TRANSFORMER;
    if (is_transformer && is_list)
        psim_reader_complain(reader, "layer_list", PSIM_ERROR_SCHEMA,
                             "is there beside \"transformer\"; a model has one of them");
    else if (is_list)
        read_layer_list(self, reader);
    else if (is_transformer)
        read_transformer(self, reader, complaints);
    else
        psim_reader_complain(
            reader, NULL, PSIM_ERROR_SCHEMA,
            "has neither \"transformer\" nor \"layer_list\"; expected one of them");
}

PsimModel *
psim_model_read_members(PsimReader *reader,
                        const PsimComplaints *complaints,
                        const char *fallback,
                        const char *prefix)
{
    const guint n_before = psim_reader_defaults(reader)->len;
    PsimModel *self = g_new0(PsimModel, 1);
    const PsimTitles titles = psim_member_titles(reader, SCHEMA, fallback);

    *self = (PsimModel){
        .ref_count = 1,
        .name = titles.name,
        .about = titles.about,
        .source = titles.source,
        /* A legal stand-in where complaints leave something out. */
        .n_layers = 1,
        .hidden = 1,
        .n_heads = 1,
        .n_kv_heads = 1,
        .head_dim = 1,
        .ffn_hidden = 1,
        .vocabulary = 1,
        .sequence = 1,
        .sample_tokens = 1,
        .defaults = psim_member_defaults_new(),
    };
    read_kind(self, reader, complaints);
    psim_member_copy_defaults(self->defaults, psim_reader_defaults(reader), n_before, prefix);

    g_autofree char *text = psim_model_write(self);

    self->digest = psim_digest_text(text);
    return self;
}

PsimModel *
psim_model_read(PsimDocument *document, PsimComplaints *complaints)
{
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);
    g_autofree char *stem = psim_member_stem(psim_document_name(document));
    PsimModel *self = psim_model_read_members(reader, complaints, stem, "/model");

    psim_reader_end(reader);
    return self;
}

PsimModel *
psim_model_load(const char *name, const PsimOverride *overrides, size_t n_overrides, GError **error)
{
    g_return_val_if_fail(name != NULL, NULL);

    static const char *const no_parts[] = {NULL};
    const PsimOverrides all = {.items = overrides, .n = n_overrides, .prefix = ""};
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_MODEL, name, /* directory= */ NULL, error);

    if (document == NULL || !psim_override_apply(&all, no_parts, document, error))
        return NULL;

    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimModel) self = psim_model_read(document, complaints);

    return psim_complaints_finish(complaints, error) ? g_steal_pointer(&self) : NULL;
}

static void
write_transformer(const PsimModel *self, PsimWriter *writer)
{
    psim_writer_begin_object(writer, "transformer");
    psim_writer_count(writer, "layers", self->n_layers);
    psim_writer_count(writer, "hidden", self->hidden);
    psim_writer_count(writer, "heads", self->n_heads);
    psim_writer_count(writer, "kv_heads", self->n_kv_heads);
    psim_writer_count(writer, "head_dim", self->head_dim);
    psim_writer_count(writer, "ffn_hidden", self->ffn_hidden);
    psim_writer_count(writer, "vocabulary", self->vocabulary);
    psim_writer_count(writer, "sequence", self->sequence);
    psim_writer_flag(writer, "gated_mlp", self->gated_mlp);
    psim_writer_flag(writer, "tied_embeddings", self->tied_embeddings);
    psim_writer_flag(writer, "causal", self->causal);
    psim_writer_flag(writer, "biases", self->biases);
    psim_writer_flag(writer, "dropout", self->dropout);
    psim_writer_string(writer, "positions", position_words[self->positions]);
    psim_writer_string(writer, "norm", norm_words[self->norm]);
    psim_writer_end_object(writer);
}

static void
write_layer_list(const PsimModel *self, PsimWriter *writer)
{
    psim_writer_begin_object(writer, "layer_list");
    psim_writer_count(writer, "sample_tokens", self->sample_tokens);
    psim_writer_begin_array(writer, "layers");
    for (uint32_t i = 0; i < self->n_listed; i++) {
        const PsimLayer *layer = &self->layers[i];

        psim_writer_begin_row(writer, NULL);
        psim_writer_string(writer, "name", layer->name);
        psim_writer_count(writer, "repeat", layer->repeat);
        psim_member_write_quantity(writer, "forward_flop", layer->forward_flop,
                                   PSIM_DIMENSION_FLOP);
        psim_member_write_quantity(writer, "backward_flop", layer->backward_flop,
                                   PSIM_DIMENSION_FLOP);
        psim_writer_number(writer, "params", layer->params);
        psim_member_write_quantity(writer, "activation", layer->activation_bytes,
                                   PSIM_DIMENSION_BYTES);
        psim_member_write_quantity(writer, "output", layer->output_bytes, PSIM_DIMENSION_BYTES);
        psim_member_write_quantity(writer, "exchange", layer->exchange_bytes, PSIM_DIMENSION_BYTES);
        psim_member_write_quantity(writer, "memory", layer->memory_bytes, PSIM_DIMENSION_BYTES);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
}

void
psim_model_write_members(const PsimModel *self, PsimWriter *writer, const char *key)
{
    const PsimTitles titles = {self->name, self->about, self->source};

    psim_writer_begin_object(writer, key);
    psim_member_write_titles(writer, SCHEMA, &titles);
    if (self->kind == PSIM_MODEL_LAYER_LIST)
        write_layer_list(self, writer);
    else
        write_transformer(self, writer);
    psim_writer_end_object(writer);
}

char *
psim_model_write(const PsimModel *self)
{
    g_return_val_if_fail(self != NULL, NULL);

    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_model_write_members(self, writer, NULL);
    return psim_writer_finish(writer);
}

uint32_t
psim_model_layer_count(const PsimModel *self)
{
    if (self->kind == PSIM_MODEL_TRANSFORMER)
        return self->n_layers;

    uint64_t n_layers = 0;

    for (uint32_t i = 0; i < self->n_listed; i++)
        n_layers += self->layers[i].repeat;
    return (uint32_t)MIN(n_layers, UINT32_MAX);
}

/* A matrix of rows x columns with a bias of columns. */
static double
count_linear(double rows, double columns, bool bias)
{
    return rows * columns + (bias ? columns : 0);
}

static PsimModelParams
count_transformer(const PsimModel *self)
{
    const double h = self->hidden;
    const double f = self->ffn_hidden;
    const double q = (double)self->n_heads * self->head_dim;
    const double kv = (double)self->n_kv_heads * self->head_dim;
    const double n_layers = self->n_layers;
    const double norm = self->norm == PSIM_NORM_LAYERNORM ? 2 * h : h;
    const double n_up = self->gated_mlp ? 2 : 1;
    const bool bias = self->biases;
    PsimModelParams params = {
        .embedding = (double)self->vocabulary * h,
        .attention = n_layers * (count_linear(h, q, bias) + 2 * count_linear(h, kv, bias) +
                                 count_linear(q, h, bias)),
        .mlp = n_layers * (n_up * count_linear(h, f, bias) + count_linear(f, h, bias)),
        .norms = (2 * n_layers + 1) * norm,
        .head = self->tied_embeddings ? 0 : (double)self->vocabulary * h,
    };

    if (self->positions == PSIM_POSITIONS_LEARNED)
        params.embedding += (double)self->sequence * h;
    return params;
}

PsimModelParams
psim_model_params(const PsimModel *self)
{
    PsimModelParams params = {0};

    if (self->kind == PSIM_MODEL_TRANSFORMER)
        params = count_transformer(self);
    for (uint32_t i = 0; i < self->n_listed; i++)
        params.other += self->layers[i].repeat * self->layers[i].params;
    params.total = params.embedding + params.attention + params.mlp + params.norms + params.head +
                   params.other;
    return params;
}
