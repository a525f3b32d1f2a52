/* SPDX-License-Identifier: MIT */
/* The split that is left to us: against all splits of small models, within memory, and the heavy
 * head of llama-3-8b. The same model's step is in tests/sim/test_balance.c.
 */
#include "lower/balance.h"

#include "base/rng.h"
#include "suites.h"

#include <string.h>

#define LLAMA                                                                                      \
    "{\"schema\": \"plansim.plan/1\", \"name\": \"p\", \"model\": \"llama-3-8b\", "                \
    "\"hardware\": \"dgx-h100\", \"gpus\": 8, \"parallel\": {\"pipeline\": 8}, "                   \
    "\"batch\": {\"global\": 64}, \"layers_per_stage\": \"balanced\"}"

/* @sets    "/pointer=value|...", up to eight; may be empty */
static PsimPlan *
parse(const char *text, const char *sets)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) words = g_strsplit(sets, "|", 8);
    PsimOverride overrides[8];
    size_t n_overrides = 0;

    for (; words[n_overrides] != NULL; n_overrides++) {
        char *equals = strchr(words[n_overrides], '=');

        ck_assert(equals != NULL);
        *equals = '\0';
        overrides[n_overrides] = (PsimOverride){.pointer = words[n_overrides], .value = equals + 1};
    }
    PsimPlan *plan = psim_plan_parse(text, strlen(text), "test", overrides, n_overrides, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

static char *
split_text(const PsimPlan *plan)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const uint32_t *layers = psim_balance_plan(plan, arena);
    GString *text = g_string_new(NULL);

    for (uint32_t s = 0; s < psim_plan_stage_count(plan); s++)
        g_string_append_printf(text, "%s%u", s > 0 ? " " : "", layers[s]);
    return g_string_free(text, /* free_segment= */ FALSE);
}

static double
slowest_s(const PsimPlan *plan, const uint32_t *layers)
{
    double slowest = 0.0;
    uint32_t layer = 0;

    for (uint32_t s = 0; s < psim_plan_stage_count(plan); s++) {
        slowest = MAX(slowest, psim_balance_stage_s(plan, s, layer, layers[s]));
        layer += layers[s];
    }
    return slowest;
}

/* -- Time -- */

static const struct {
    const char *sets;
    const char *split;
} llamas[] = {
    {"", "4 5 5 4 4 4 4 2"},
    /* With the vocabulary of Llama 2 the head is too light to matter. */
    {"/model/transformer/vocabulary=32000", "4 4 4 4 4 4 4 4"},
    /* Recomputation makes layers heavier, not the head. */
    {"/recompute=full", "4 5 4 4 4 4 4 3"},
    /* Weight gradients that wait keep logits: the last stage has room for two layers only. */
    {"/schedule/name=zb-h1", "4 5 5 4 4 4 4 2"},
    {"/schedule/name=auto", "4 5 5 4 4 4 4 2"},
    /* The V brings embedding and head to one rank. */
    {"/schedule/name=zb-v", "2 3 3 2 2 2 2 2 2 2 2 2 2 2 2 0"},
    /* Layers need not divide. */
    {"/gpus=7|/parallel/pipeline=7", "5 5 5 5 5 5 2"},
    {"/gpus=1|/parallel/pipeline=1", "32"},
    /* Where a layer is less than the head, the head stands alone. */
    {"/gpus=32|/parallel/pipeline=32",
     "1 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 0"},
    /* More stages than layers. */
    {"/gpus=3|/parallel/pipeline=3|/model/transformer/layers=2", "1 1 0"},
};

START_TEST(a_heavy_head_gets_fewer_layers)
{
    g_autoptr(PsimPlan) plan = parse(LLAMA, llamas[_i].sets);
    g_autofree char *text = split_text(plan);

    ck_assert_str_eq(text, llamas[_i].split);
}
END_TEST

START_TEST(the_slowest_stage_of_llama_is_a_quarter_faster)
{
    static const uint32_t even[8] = {4, 4, 4, 4, 4, 4, 4, 4};
    g_autoptr(PsimPlan) plan = parse(LLAMA, "");
    g_autoptr(PsimArena) arena = psim_arena_new();
    const double even_s = slowest_s(plan, even);
    const double balanced_s = slowest_s(plan, psim_balance_plan(plan, arena));

    /* The head is as much as 2.6 layers: 6.6 against 5. */
    ck_assert_double_eq_tol(even_s / balanced_s, 1.32, 0.01);
}
END_TEST

/* -- Against all splits -- */

static PsimPlan *
random_list(uint64_t seed, uint32_t *ret_layers)
{
    const uint32_t n_layers = 4 + psim_rng_below(seed, 0, 6);
    const uint32_t n_stages = 2 + psim_rng_below(seed, 1, 3);
    g_autoptr(GString) text = g_string_new(
        "{\"schema\": \"plansim.plan/1\", \"name\": \"p\", \"hardware\": \"dgx-a100-80gb\", "
        "\"runtime\": \"ideal\", \"layers_per_stage\": \"balanced\", \"model\": {\"schema\": "
        "\"plansim.model/1\", \"name\": \"m\", \"layer_list\": {\"sample_tokens\": 1, "
        "\"layers\": [");

    for (uint32_t i = 0; i < n_layers; i++)
        g_string_append_printf(text,
                               "%s{\"name\": \"l%u\", \"repeat\": 1, \"forward_flop\": \"%u "
                               "GFLOP\", \"backward_flop\": \"%u GFLOP\", \"params\": 1000, "
                               "\"activation\": \"1 MB\", \"output\": \"1 MB\", \"exchange\": "
                               "\"0 B\", \"memory\": \"1 MB\"}",
                               i > 0 ? ", " : "", i, 100 + psim_rng_below(seed, 10 + i, 900),
                               100 + psim_rng_below(seed, 30 + i, 1800));
    g_string_append_printf(text, "]}}, \"gpus\": %u, \"parallel\": {\"pipeline\": %u}}", n_stages,
                           n_stages);
    *ret_layers = n_layers;
    return parse(text->str, "");
}

/* Counts through all splits as digits; at least one layer a stage. */
static double
best_of_all_s(const PsimPlan *plan, uint32_t n_layers)
{
    const uint32_t n_stages = psim_plan_stage_count(plan);
    uint32_t layers[4] = {1, 1, 1, 1};
    double best = 1e9;

    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t sum = 0;

        for (uint32_t s = 0, rest = i; s + 1 < n_stages; s++, rest /= 10) {
            layers[s] = 1 + rest % 10;
            sum += layers[s];
        }
        layers[n_stages - 1] = n_layers - sum;
        if (sum < n_layers)
            best = MIN(best, slowest_s(plan, layers));
    }
    return best;
}

START_TEST(no_split_of_a_layer_list_has_a_faster_slowest_stage)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    uint32_t n_layers = 0;
    g_autoptr(PsimPlan) plan = random_list((uint64_t)_i, &n_layers);
    const uint32_t *layers = psim_balance_plan(plan, arena);
    uint32_t sum = 0;

    for (uint32_t s = 0; s < psim_plan_stage_count(plan); s++) {
        ck_assert_uint_ge(layers[s], 1);
        sum += layers[s];
    }
    ck_assert_msg(sum == n_layers, "seed %d", _i);
    /* Loads are rounded to some 2^-24 of the whole. */
    ck_assert_msg(slowest_s(plan, layers) <= best_of_all_s(plan, n_layers) * (1.0 + 1e-5),
                  "seed %d", _i);
}
END_TEST

/* -- The rest -- */

START_TEST(a_plan_remembers_that_it_is_balanced)
{
    g_autoptr(PsimPlan) plan = parse(LLAMA, "");
    g_autofree char *text = psim_plan_write(plan);

    ck_assert_int_eq(plan->split, PSIM_SPLIT_BALANCED);
    ck_assert_ptr_nonnull(strstr(text, "\"layers_per_stage\": \"balanced\""));
}
END_TEST

Suite *
balance_suite(void)
{
    Suite *suite = suite_create("balance");
    TCase *tests = tcase_create("balance");

    tcase_add_loop_test(tests, a_heavy_head_gets_fewer_layers, 0, G_N_ELEMENTS(llamas));
    tcase_add_test(tests, the_slowest_stage_of_llama_is_a_quarter_faster);
    tcase_add_loop_test(tests, no_split_of_a_layer_list_has_a_faster_slowest_stage, 0, 40);
    tcase_add_test(tests, a_plan_remembers_that_it_is_balanced);
    suite_add_tcase(suite, tests);
    return suite;
}
