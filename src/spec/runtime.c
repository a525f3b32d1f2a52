/* SPDX-License-Identifier: MIT */
#include "spec/runtime.h"

#include "spec/member.h"
#include "json/quote.h"

#include <string.h>

#define SCHEMA   "plansim.runtime/1"
#define N_STAGES 4

static const char *const rule_words[] = {"megatron", "pytorch", NULL};
static const char *const selective_words[] = {"attention", "operators", NULL};
static const char *const context_words[] = {"p2p", "all-gather", "all-gather-ring", "a2a", NULL};
static const char *const state_words[] = {"optimizer", "gradients", "weights", NULL};

const char *const *
psim_context_words(void)
{
    return context_words;
}

void
psim_runtime_clear(PsimRuntime *self)
{
    g_free(self->name);
    g_free(self->about);
    g_free(self->source);
    g_free(self->flop_formula);
    g_free(self->attention_kernel);
    *self = (PsimRuntime){0};
}

static void
read_bytes(PsimRuntime *self, PsimReader *reader)
{
    psim_reader_enter(reader, "bytes_per_parameter");
    self->weight_bytes = psim_reader_number(reader, "weights", 0, 64);
    self->gradient_bytes = psim_reader_number(reader, "gradients", 0, 64);
    self->gradient_bytes_bf16 =
        psim_reader_number_or(reader, "gradients_bf16", 0, 64, self->gradient_bytes);
    self->optimizer_bytes = psim_reader_number(reader, "optimizer", 0, 64);
    self->optimizer_traffic_bytes = psim_reader_number(reader, "optimizer_traffic", 0, 1024);
    self->gradient_reduce_bytes = psim_reader_number(reader, "gradient_reduce", 0, 64);
    psim_reader_leave(reader);
}

/* One bool of each state, in the order of state_words. */
static bool *
find_shard(PsimRuntime *self, unsigned state, size_t stage)
{
    bool *const shards[] = {self->shards_optimizer, self->shards_gradients, self->shards_weights};

    return &shards[state][stage];
}

static void
complain_of_state(PsimReader *reader, const char *word)
{
    g_autofree char *quoted = psim_quote_word(word);

    psim_reader_complain(reader, "shards", PSIM_ERROR_VALUE,
                         "has %s; must be of optimizer, gradients, weights", quoted);
}

static void
read_shards(PsimRuntime *self, PsimReader *reader, size_t stage)
{
    psim_reader_enter_item(reader, "zero", stage);

    const size_t n_items = psim_reader_items(reader, "shards", /* required= */ true);

    for (size_t i = 0; i < MIN(n_items, G_N_ELEMENTS(state_words)); i++) {
        const char *word = psim_reader_item_string(reader, "shards", i);
        unsigned state = 0;

        while (state_words[state] != NULL && !g_str_equal(state_words[state], word))
            state++;
        if (state_words[state] != NULL)
            *find_shard(self, state, stage) = true;
        else
            complain_of_state(reader, word);
    }
    psim_reader_leave(reader);
}

/* Stage k shards the first k states, unless the file says otherwise. */
static void
default_zero(PsimRuntime *self, PsimReader *reader)
{
    for (size_t stage = 0; stage < N_STAGES; stage++)
        for (unsigned state = 0; state < stage; state++)
            *find_shard(self, state, stage) = true;
    psim_reader_note_default(
        reader, "zero",
        "[{\"shards\": []}, {\"shards\": [\"optimizer\"]}, {\"shards\": [\"optimizer\", "
        "\"gradients\"]}, {\"shards\": [\"optimizer\", \"gradients\", \"weights\"]}]",
        "as ZeRO defines its stages");
}

static void
read_zero(PsimRuntime *self, PsimReader *reader)
{
    if (!psim_reader_has(reader, "zero")) {
        default_zero(self, reader);
        return;
    }

    const size_t n_items = psim_reader_items(reader, "zero", /* required= */ true);

    if (n_items != N_STAGES && psim_reader_is_array(reader, "zero"))
        psim_reader_complain(reader, "zero", PSIM_ERROR_SCHEMA,
                             "must have 4 items, for ZeRO stages 0 to 3; has %zu", n_items);
    for (size_t stage = 0; stage < MIN(n_items, N_STAGES); stage++)
        read_shards(self, reader, stage);
}

static void
read_kernels(PsimRuntime *self, PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "kernels");
    self->flash_attention = psim_reader_flag_or(reader, "flash_attention", true);
    /* None is not a default worth telling: it means the device's first. */
    if (psim_reader_has(reader, "attention"))
        self->attention_kernel = g_strdup(psim_reader_string(reader, "attention"));
    self->fused_norm = psim_reader_flag_or(reader, "fused_norm", true);
    self->fused_softmax = psim_reader_flag_or(reader, "fused_softmax", true);
    self->fused_bias_gelu = psim_reader_flag_or(reader, "fused_bias_gelu", true);
    self->fused_cross_entropy = psim_reader_flag_or(reader, "fused_cross_entropy", false);
    self->vocabulary_parallel_loss = psim_reader_flag_or(reader, "vocabulary_parallel_loss", true);
    self->vocabulary_multiple =
        (uint32_t)psim_reader_count_or(reader, "vocabulary_multiple", 1, 65536, 128);
    self->reduces_in_fp32 = psim_reader_flag_or(reader, "reduces_in_fp32", false);
    self->keeps_fp8 = psim_reader_flag_or(reader, "keeps_fp8", true);
    self->fused_rotary = psim_reader_flag_or(reader, "fused_rotary", true);
    self->fused_gradient_accumulation =
        psim_reader_flag_or(reader, "fused_gradient_accumulation", true);
    self->logits_bytes = psim_reader_number_or(reader, "logits_bytes", 0, 256, 10);
    psim_reader_leave(reader);
}

static void
read_overlap(PsimRuntime *self, PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "overlap");
    self->overlap_dp = psim_reader_flag_or(reader, "data", false);
    self->overlap_pp = psim_reader_flag_or(reader, "pipeline", false);
    self->overlap_tp = psim_reader_flag_or(reader, "tensor", false);
    psim_reader_leave(reader);
    /* A ring goes without saying: no plan without context parallelism has any. */
    if (psim_reader_has(reader, "context_communication"))
        self->context_communication = (PsimContextCommunication)psim_reader_choice_or(
            reader, "context_communication", context_words, PSIM_CONTEXT_P2P);
    self->global_grad_norm = psim_reader_flag_or(reader, "global_grad_norm", true);
    self->selective_by_operator =
        psim_reader_choice_or(reader, "selective_recompute", selective_words, 0) == 1;
}

static void
read_host_and_memory(PsimRuntime *self, PsimReader *reader)
{
    const double longest = PSIM_MEMBER_MAX_TIME_S;

    psim_reader_enter_or_empty(reader, "host");
    self->host_layer_s =
        psim_reader_quantity_or(reader, "layer", PSIM_DIMENSION_TIME, 0, longest, 0);
    self->host_collective_s =
        psim_reader_quantity_or(reader, "collective", PSIM_DIMENSION_TIME, 0, longest, 0);
    self->host_send_s = psim_reader_quantity_or(reader, "send", PSIM_DIMENSION_TIME, 0, longest, 0);
    psim_reader_leave(reader);
    psim_reader_enter_or_empty(reader, "memory");
    self->overhead_bytes = psim_reader_quantity_or(reader, "overhead", PSIM_DIMENSION_BYTES, 0,
                                                   PSIM_MEMBER_MAX_BYTES, 0);
    self->fragmentation_fraction = psim_reader_number_or(reader, "fragmentation", 0, 1, 0);
    psim_reader_leave(reader);
}

void
psim_runtime_read_members(PsimRuntime *self, PsimReader *reader, const char *fallback)
{
    const PsimTitles titles = psim_member_titles(reader, SCHEMA, fallback);

    *self = (PsimRuntime){.name = titles.name, .about = titles.about, .source = titles.source};
    read_bytes(self, reader);
    read_zero(self, reader);
    read_kernels(self, reader);
    read_overlap(self, reader);
    read_host_and_memory(self, reader);
    self->interleave = (PsimInterleaveRule)psim_reader_choice_or(
        reader, "interleave_rule", rule_words, PSIM_INTERLEAVE_MEGATRON);
    self->flop_formula = g_strdup(psim_reader_string_or(reader, "flop_formula", "megatron"));
    self->provenance = (PsimProvenance)psim_reader_choice_or(
        reader, "provenance", psim_provenance_words(), PSIM_PROVENANCE_GUESS);
}

void
psim_runtime_read(PsimRuntime *self, PsimDocument *document, PsimComplaints *complaints)
{
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);
    g_autofree char *stem = psim_member_stem(psim_document_name(document));

    psim_runtime_read_members(self, reader, stem);
    psim_reader_end(reader);
}

static void
write_zero(const PsimRuntime *self, PsimWriter *writer)
{
    psim_writer_begin_array(writer, "zero");
    for (size_t stage = 0; stage < N_STAGES; stage++) {
        const bool shards[] = {self->shards_optimizer[stage], self->shards_gradients[stage],
                               self->shards_weights[stage]};

        psim_writer_begin_row(writer, NULL);
        psim_writer_begin_list(writer, "shards");
        for (size_t state = 0; state < G_N_ELEMENTS(shards); state++)
            if (shards[state])
                psim_writer_string(writer, NULL, state_words[state]);
        psim_writer_end_array(writer);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}

static void
write_kernels(const PsimRuntime *self, PsimWriter *writer)
{
    psim_writer_begin_row(writer, "kernels");
    psim_writer_flag(writer, "flash_attention", self->flash_attention);
    if (self->attention_kernel != NULL)
        psim_writer_string(writer, "attention", self->attention_kernel);
    psim_writer_flag(writer, "fused_norm", self->fused_norm);
    psim_writer_flag(writer, "fused_softmax", self->fused_softmax);
    psim_writer_flag(writer, "fused_bias_gelu", self->fused_bias_gelu);
    psim_writer_flag(writer, "fused_cross_entropy", self->fused_cross_entropy);
    psim_writer_flag(writer, "vocabulary_parallel_loss", self->vocabulary_parallel_loss);
    psim_writer_count(writer, "vocabulary_multiple", self->vocabulary_multiple);
    psim_writer_flag(writer, "reduces_in_fp32", self->reduces_in_fp32);
    psim_writer_flag(writer, "keeps_fp8", self->keeps_fp8);
    psim_writer_flag(writer, "fused_rotary", self->fused_rotary);
    psim_writer_flag(writer, "fused_gradient_accumulation", self->fused_gradient_accumulation);
    psim_writer_number(writer, "logits_bytes", self->logits_bytes);
    psim_writer_end_object(writer);
}

static void
write_bytes(const PsimRuntime *self, PsimWriter *writer)
{
    psim_writer_begin_row(writer, "bytes_per_parameter");
    psim_writer_number(writer, "weights", self->weight_bytes);
    psim_writer_number(writer, "gradients", self->gradient_bytes);
    psim_writer_number(writer, "gradients_bf16", self->gradient_bytes_bf16);
    psim_writer_number(writer, "optimizer", self->optimizer_bytes);
    psim_writer_number(writer, "optimizer_traffic", self->optimizer_traffic_bytes);
    psim_writer_number(writer, "gradient_reduce", self->gradient_reduce_bytes);
    psim_writer_end_object(writer);
}

static void
write_rest(const PsimRuntime *self, PsimWriter *writer)
{
    psim_writer_begin_row(writer, "overlap");
    psim_writer_flag(writer, "data", self->overlap_dp);
    psim_writer_flag(writer, "pipeline", self->overlap_pp);
    psim_writer_flag(writer, "tensor", self->overlap_tp);
    psim_writer_end_object(writer);
    if (self->context_communication != PSIM_CONTEXT_P2P)
        psim_writer_string(writer, "context_communication",
                           context_words[self->context_communication]);
    psim_writer_flag(writer, "global_grad_norm", self->global_grad_norm);
    psim_writer_string(writer, "selective_recompute",
                       selective_words[self->selective_by_operator ? 1 : 0]);
    psim_writer_begin_row(writer, "host");
    psim_member_write_quantity(writer, "layer", self->host_layer_s, PSIM_DIMENSION_TIME);
    psim_member_write_quantity(writer, "collective", self->host_collective_s, PSIM_DIMENSION_TIME);
    psim_member_write_quantity(writer, "send", self->host_send_s, PSIM_DIMENSION_TIME);
    psim_writer_end_object(writer);
    psim_writer_begin_row(writer, "memory");
    psim_member_write_quantity(writer, "overhead", self->overhead_bytes, PSIM_DIMENSION_BYTES);
    psim_writer_number(writer, "fragmentation", self->fragmentation_fraction);
    psim_writer_end_object(writer);
    psim_writer_string(writer, "interleave_rule", rule_words[self->interleave]);
    psim_writer_string(writer, "flop_formula", self->flop_formula);
    psim_writer_string(writer, "provenance", psim_provenance_words()[self->provenance]);
}

void
psim_runtime_write_members(const PsimRuntime *self, PsimWriter *writer, const char *key)
{
    const PsimTitles titles = {self->name, self->about, self->source};

    psim_writer_begin_object(writer, key);
    psim_member_write_titles(writer, SCHEMA, &titles);
    write_bytes(self, writer);
    write_zero(self, writer);
    write_kernels(self, writer);
    write_rest(self, writer);
    psim_writer_end_object(writer);
}
