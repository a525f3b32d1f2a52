/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "base/error.h"
#include "spec/runtime.h"

#include <string.h>

static char *
read_text(const char *text, PsimRuntime *runtime)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = psim_document_parse(text, strlen(text), "r.json", &error);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    ck_assert_msg(document != NULL, "%s", error != NULL ? error->message : "");
    psim_runtime_read(runtime, document, complaints);
    return psim_complaints_finish(complaints, &error) ? NULL : g_strdup(error->message);
}

static char *
write_text(const PsimRuntime *runtime)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(true);

    psim_runtime_write_members(runtime, writer, NULL);
    return psim_writer_finish(writer);
}

START_TEST(zero_stages_shard_one_state_more_each)
{
    PsimRuntime runtime = {0};
    g_autofree char *message = read_text(TEST_RUNTIME, &runtime);

    ck_assert_pstr_eq(message, NULL);
    for (int stage = 0; stage < 4; stage++) {
        ck_assert(runtime.shards_optimizer[stage] == (stage >= 1));
        ck_assert(runtime.shards_gradients[stage] == (stage >= 2));
        ck_assert(runtime.shards_weights[stage] == (stage >= 3));
    }
    psim_runtime_clear(&runtime);
}
END_TEST

START_TEST(a_runtime_says_itself_what_a_stage_shards)
{
    PsimRuntime runtime = {0};
    g_autofree char *message =
        read_text("{\"name\": \"r\", \"bytes_per_parameter\": {\"weights\": 2, \"gradients\": 4, "
                  "\"optimizer\": 12, \"optimizer_traffic\": 28, \"gradient_reduce\": 4}, "
                  "\"zero\": [{\"shards\": []}, {\"shards\": [\"gradients\", \"optimizer\"]}, "
                  "{\"shards\": []}, {\"shards\": [\"weights\"]}], \"interleave_rule\": "
                  "\"pytorch\", \"flop_formula\": \"6nd\", \"provenance\": \"measured\"}",
                  &runtime);

    ck_assert_pstr_eq(message, NULL);
    ck_assert(runtime.shards_optimizer[1] && runtime.shards_gradients[1]);
    ck_assert(!runtime.shards_optimizer[2]);
    ck_assert(runtime.shards_weights[3] && !runtime.shards_optimizer[3]);
    ck_assert_int_eq(runtime.interleave, PSIM_INTERLEAVE_PYTORCH);
    ck_assert_str_eq(runtime.flop_formula, "6nd");

    g_autofree char *text = write_text(&runtime);
    PsimRuntime again = {0};
    g_autofree char *none = read_text(text, &again);
    g_autofree char *text_again = write_text(&again);

    ck_assert_pstr_eq(none, NULL);
    ck_assert_str_eq(text, text_again);
    psim_runtime_clear(&runtime);
    psim_runtime_clear(&again);
}
END_TEST

#define BYTES                                                                                      \
    "\"bytes_per_parameter\": {\"weights\": 2, \"gradients\": 4, \"optimizer\": 12, "              \
    "\"optimizer_traffic\": 28, \"gradient_reduce\": 4}"

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {"{}", "r.json:1:1: /bytes_per_parameter: missing; expected an object"},
    {"{" BYTES ", \"zero\": [{\"shards\": []}]}",
     "r.json:1:129: /zero: must have 4 items, for ZeRO stages 0 to 3; has 1"},
    {"{" BYTES ", \"zero\": [{\"shards\": [\"optimiser\"]}, {\"shards\": []}, {\"shards\": []}, "
     "{\"shards\": []}]}",
     "r.json:1:141: /zero/0/shards: has \"optimiser\"; must be of optimizer, gradients, weights"},
    {"{" BYTES ", \"interleave_rule\": \"megatorn\"}",
     "r.json:1:140: /interleave_rule: is \"megatorn\"; must be one of megatron, pytorch; did you "
     "mean \"megatron\"?"},
    {"{" BYTES ", \"kernels\": {\"vocabulary_multiple\": 0}}",
     "r.json:1:156: /kernels/vocabulary_multiple: is 0; must be from 1 to 65536"},
    {"{" BYTES ", \"kernels\": {\"vocabulary_multiple\": 65537}}",
     "r.json:1:156: /kernels/vocabulary_multiple: is 65537; must be from 1 to 65536"},
    {"{" BYTES ", \"kernels\": {\"vocabulary_multiple\": 1.5}}",
     "r.json:1:156: /kernels/vocabulary_multiple: must be a whole number from 1 to 65536"},
};

START_TEST(a_runtime_that_cannot_be_is_refused)
{
    PsimRuntime runtime = {0};
    g_autofree char *message = read_text(refused[_i].text, &runtime);

    ck_assert_pstr_eq(message, refused[_i].message);
    psim_runtime_clear(&runtime);
}
END_TEST

static const struct {
    const char *kernels;
    uint32_t multiple;
} multiples[] = {
    {"{}", 128},
    {"{\"vocabulary_multiple\": 1}", 1},
    {"{\"vocabulary_multiple\": 65536}", 65536},
};

START_TEST(vocabularies_are_padded_to_128_unless_a_runtime_says_otherwise)
{
    g_autofree char *text = g_strdup_printf("{" BYTES ", \"kernels\": %s}", multiples[_i].kernels);
    PsimRuntime runtime = {0};
    PsimRuntime again = {0};
    g_autofree char *message = read_text(text, &runtime);
    g_autofree char *written = write_text(&runtime);
    g_autofree char *none = read_text(written, &again);

    ck_assert_pstr_eq(message, NULL);
    ck_assert_pstr_eq(none, NULL);
    ck_assert_uint_eq(runtime.vocabulary_multiple, multiples[_i].multiple);
    ck_assert_uint_eq(again.vocabulary_multiple, multiples[_i].multiple);
    psim_runtime_clear(&runtime);
    psim_runtime_clear(&again);
}
END_TEST

Suite *
runtime_suite(void)
{
    Suite *suite = suite_create("runtime");
    TCase *tcase = tcase_create("runtime");

    tcase_add_test(tcase, zero_stages_shard_one_state_more_each);
    tcase_add_test(tcase, a_runtime_says_itself_what_a_stage_shards);
    tcase_add_loop_test(tcase, a_runtime_that_cannot_be_is_refused, 0, G_N_ELEMENTS(refused));
    tcase_add_loop_test(tcase, vocabularies_are_padded_to_128_unless_a_runtime_says_otherwise, 0,
                        G_N_ELEMENTS(multiples));
    suite_add_tcase(suite, tcase);
    return suite;
}
