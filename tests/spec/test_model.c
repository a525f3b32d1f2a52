/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "base/error.h"
#include "spec/model.h"

#include <string.h>

static PsimModel *
read_text(const char *text, char **ret_message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_document_parse(text, strlen(text), "models/m.json", &error);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    ck_assert_msg(document != NULL, "%s", error != NULL ? error->message : "");

    PsimModel *model = psim_model_read(document, complaints);

    *ret_message = NULL;
    if (!psim_complaints_finish(complaints, &error))
        *ret_message = g_strdup(error->message);
    return model;
}

static PsimModel *
accept(const char *text)
{
    g_autofree char *message = NULL;
    PsimModel *model = read_text(text, &message);

    ck_assert_msg(message == NULL, "%s", message);
    return model;
}

#define GPT2_XL                                                                                    \
    "{\"transformer\": {\"layers\": 48, \"hidden\": 1600, \"heads\": 25, \"vocabulary\": 50257, "  \
    "\"sequence\": 1024}}"
#define LLAMA(layers, hidden, heads, kv_heads, ffn, vocabulary)                                    \
    "{\"transformer\": {\"layers\": " layers ", \"hidden\": " hidden ", \"heads\": " heads         \
    ", \"kv_heads\": " kv_heads ", \"ffn_hidden\": " ffn ", \"vocabulary\": " vocabulary           \
    ", \"sequence\": 4096, \"gated_mlp\": true}}"

/* What Hugging Face counts for the published checkpoints. */
static const struct {
    const char *text;
    double total;
} counted[] = {
    {GPT2_XL, 1557611200},
    {LLAMA("32", "4096", "32", "32", "11008", "32000"), 6738415616},
    {LLAMA("80", "8192", "64", "8", "28672", "32000"), 68976648192},
    {LLAMA("32", "4096", "32", "8", "14336", "128256"), 8030261248},
    {LLAMA("80", "8192", "64", "8", "28672", "128256"), 70553706496},
    {LLAMA("126", "16384", "128", "8", "53248", "128256"), 405853388800},
};

START_TEST(params_equal_those_of_published_checkpoints)
{
    g_autoptr(PsimModel) model = accept(counted[_i].text);
    const PsimModelParams params = psim_model_params(model);

    ck_assert(params.total == counted[_i].total);
    ck_assert(params.embedding + params.attention + params.mlp + params.norms + params.head ==
              params.total);
}
END_TEST

START_TEST(params_of_gpt_2_xl_by_part)
{
    g_autoptr(PsimModel) model = accept(GPT2_XL);
    const PsimModelParams params = psim_model_params(model);

    ck_assert(params.embedding == (50257 + 1024) * 1600.0);
    ck_assert(params.attention == 48 * (4 * 1600.0 * 1600 + 4 * 1600));
    ck_assert(params.mlp == 48 * (8 * 1600.0 * 1600 + 5 * 1600));
    ck_assert(params.norms == (2 * 48 + 1) * 2 * 1600.0);
    ck_assert(params.head == 0);
    ck_assert(params.other == 0);
}
END_TEST

static const struct {
    const char *pointer;
    const char *gpt;
    const char *llama;
} family[] = {
    {"kv_heads", "25, as many as heads", "64, as many as heads"},
    {"head_dim", "64, hidden / heads", "128, hidden / heads"},
    {"ffn_hidden", "6400, 4 hidden", "22016, 8/3 hidden, up to a multiple of 256"},
    {"gated_mlp", "false, default", NULL},
    {"tied_embeddings", "true, as GPT models, which have no gated MLP",
     "false, as Llama models, which have a gated MLP"},
    {"causal", "true, a decoder", "true, a decoder"},
    {"biases", "true, as GPT models, which have no gated MLP",
     "false, as Llama models, which have a gated MLP"},
    {"dropout", "true, as GPT models, which have no gated MLP",
     "false, as Llama models, which have a gated MLP"},
    {"positions", "\"learned\", as GPT models, which have no gated MLP",
     "\"rotary\", as Llama models, which have a gated MLP"},
    {"norm", "\"layernorm\", as GPT models, which have no gated MLP",
     "\"rmsnorm\", as Llama models, which have a gated MLP"},
};

START_TEST(defaults_are_of_the_family_and_recorded_with_the_reason)
{
    g_autoptr(PsimModel) gpt = accept(GPT2_XL);
    g_autoptr(PsimModel) llama =
        accept("{\"transformer\": {\"layers\": 80, \"hidden\": 8192, \"heads\": 64, "
               "\"vocabulary\": 32000, \"sequence\": 4096, \"gated_mlp\": true}}");
    g_autofree char *pointer = g_strconcat("/model/transformer/", family[_i].pointer, NULL);
    g_autofree char *of_gpt = test_spec_default(gpt->defaults, pointer);
    g_autofree char *of_llama = test_spec_default(llama->defaults, pointer);

    ck_assert_pstr_eq(of_gpt, family[_i].gpt);
    ck_assert_pstr_eq(of_llama, family[_i].llama);
    ck_assert_uint_eq(gpt->defaults->len, G_N_ELEMENTS(family));
}
END_TEST

START_TEST(a_layer_list_fills_in_what_follows_from_the_rest)
{
    g_autoptr(PsimModel) model =
        accept("{\"name\": \"two\", \"layer_list\": {\"layers\": [{\"name\": \"conv\", "
               "\"forward_flop\": \"2 GFLOP\", \"params\": 100, \"activation\": \"3 MB\", "
               "\"output\": \"1 MB\"}, {\"name\": \"fc\", \"repeat\": 3, \"forward_flop\": "
               "\"1 MFLOP\", \"backward_flop\": \"1.5 MFLOP\", \"params\": 1000, \"activation\": "
               "\"1 kB\", \"output\": \"2 kB\", \"exchange\": \"4 kB\", \"memory\": \"5 kB\"}]}}");

    ck_assert_int_eq(model->kind, PSIM_MODEL_LAYER_LIST);
    ck_assert_uint_eq(model->n_listed, 2);
    ck_assert_uint_eq(psim_model_layer_count(model), 4);
    ck_assert_uint_eq(model->sample_tokens, 1);
    ck_assert(model->layers[0].backward_flop == 4e9);
    ck_assert(model->layers[0].memory_bytes == 4e6);
    ck_assert(model->layers[0].exchange_bytes == 0);
    ck_assert_uint_eq(model->layers[0].repeat, 1);
    ck_assert(model->layers[1].backward_flop == 1.5e6);
    ck_assert(model->layers[1].memory_bytes == 5e3);
    ck_assert(psim_model_params(model).total == 3100);
    ck_assert(psim_model_params(model).other == 3100);
}
END_TEST

static const char *const round_trips[] = {
    GPT2_XL,
    LLAMA("32", "4096", "32", "8", "14336", "128256"),
    "{\"name\": \"odd\", \"about\": \"a \\\"quoted\\\" \\u00e9\", \"source\": \"x\", "
    "\"notes\": [1, {\"free\": true}], \"layer_list\": {\"sample_tokens\": 3, \"layers\": "
    "[{\"forward_flop\": \"0.1 GFLOP\", \"params\": 1, \"activation\": \"1.1 GiB\", \"output\": "
    "\"0 B\"}]}}",
};

START_TEST(what_is_written_reads_back_equal)
{
    g_autoptr(PsimModel) model = accept(round_trips[_i]);
    g_autofree char *text = psim_model_write(model);
    g_autoptr(PsimModel) again = accept(text);
    g_autofree char *text_again = psim_model_write(again);

    ck_assert_str_eq(text, text_again);
    ck_assert_str_eq(model->digest, again->digest);
    ck_assert_uint_eq(again->defaults->len, 0);
}
END_TEST

START_TEST(the_digest_is_of_the_canonical_text)
{
    g_autoptr(PsimModel) model = accept(GPT2_XL);
    g_autofree char *text = psim_model_write(model);
    g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);

    ck_assert_str_eq(model->digest, sum);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {"{}",
     "models/m.json:1:1: /: has neither \"transformer\" nor \"layer_list\"; expected one of them"},
    {"{\"transformer\": {}, \"layer_list\": {}}",
     "models/m.json:1:35: /layer_list: is there beside \"transformer\"; a model has one of them"},
    {"{\"schema\": \"plansim.plan/1\", \"layer_list\": {\"layers\": []}}",
     "models/m.json:1:12: /schema: is \"plansim.plan/1\"; must be \"plansim.model/1\"\n"
     "models/m.json:1:55: /layer_list/layers: is empty; must have at least one layer"},
    {"{\"transformer\": {\"layers\": 2, \"hidden\": 100, \"heads\": 30, \"kv_heads\": 4, "
     "\"vocabulary\": 10, \"sequence\": 10}}",
     "models/m.json:1:55: /transformer/heads: is 30; hidden 100 does not divide over it, so "
     "head_dim must be given\n"
     "models/m.json:1:71: /transformer/kv_heads: is 4; 30 heads do not divide over it; nearest: 3 "
     "or 5"},
    {"{\"layer_list\": {\"layers\": [{\"repeat\": 16384, \"forward_flop\": \"1 FLOP\", "
     "\"params\": 1, \"activation\": \"1 B\", \"output\": \"1 B\"}, {\"forward_flop\": \"1 FLOP\", "
     "\"params\": 1, \"activation\": \"1 B\", \"output\": \"1 B\"}]}}",
     "models/m.json:1:27: /layer_list/layers: has 16385 layers with their repeats; at most 16384 "
     "(PSIM_LIMIT_LAYERS)"},
};

START_TEST(a_model_that_contradicts_itself_is_refused)
{
    g_autofree char *message = NULL;
    g_autoptr(PsimModel) model = read_text(refused[_i].text, &message);

    ck_assert_ptr_nonnull(model);
    ck_assert_pstr_eq(message, refused[_i].message);
}
END_TEST

START_TEST(a_long_name_is_refused)
{
    g_autofree char *name = g_strnfill(1025, 'x');
    g_autofree char *text =
        g_strdup_printf("{\"name\": \"%s\", \"transformer\": {\"layers\": 1, \"hidden\": 1, "
                        "\"heads\": 1, \"vocabulary\": 1, \"sequence\": 1}}",
                        name);
    g_autofree char *message = NULL;
    g_autoptr(PsimModel) model = read_text(text, &message);

    ck_assert_pstr_eq(message,
                      "models/m.json:1:10: /name: is 1025 bytes long; must be at most 1024 "
                      "(PSIM_LIMIT_NAME_BYTES)");
    ck_assert_ptr_nonnull(model);
}
END_TEST

Suite *
model_suite(void)
{
    Suite *suite = suite_create("model");
    TCase *tcase = tcase_create("model");

    tcase_add_loop_test(tcase, params_equal_those_of_published_checkpoints, 0,
                        G_N_ELEMENTS(counted));
    tcase_add_test(tcase, params_of_gpt_2_xl_by_part);
    tcase_add_loop_test(tcase, defaults_are_of_the_family_and_recorded_with_the_reason, 0,
                        G_N_ELEMENTS(family));
    tcase_add_test(tcase, a_layer_list_fills_in_what_follows_from_the_rest);
    tcase_add_loop_test(tcase, what_is_written_reads_back_equal, 0, G_N_ELEMENTS(round_trips));
    tcase_add_test(tcase, the_digest_is_of_the_canonical_text);
    tcase_add_loop_test(tcase, a_model_that_contradicts_itself_is_refused, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_test(tcase, a_long_name_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
