/* SPDX-License-Identifier: MIT */
#include "search/reason.h"

#include <check.h>
#include <string.h>

Suite *reason_suite(void);

/* One value an axis; 0: all. */
static const struct {
    const char *model, *hardware;
    uint32_t n_gpus, batch, tp, pp, micro;
    bool stays_in_node;
    PsimSpaceOrder order;
    const char *reason; /* part of it; NULL: some plan is valid */
} spaces[] = {
    {"llama-3-8b", "dgx-h100", 16, 128, 0, 0, 0, false, {NULL, 0}, NULL},
    {"llama-3-8b", "dgx-h100", 16, 128, 16, 0, 0, false, {NULL, 0}, NULL},
    {"llama-3-8b",
     "gtx-580-pair",
     16,
     128,
     0,
     0,
     0,
     false,
     {NULL, 0},
     ": /gpus: is 16; gtx-580-pair has at most"},
    {"alexnet",
     "gtx-580-pair",
     4,
     128,
     0,
     0,
     0,
     false,
     {NULL, 0},
     ": /gpus: is 4; gtx-580-pair has at most"},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     3,
     0,
     0,
     false,
     {NULL, 0},
     "no number of GPUs is a multiple of tp x pp"},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     0,
     5,
     0,
     false,
     {NULL, 0},
     "no number of GPUs is a multiple of tp x pp"},
    {"llama-3-8b", "dgx-h100", 12, 128, 3, 0, 0, false, {NULL, 0}, ": /parallel/tensor: is 3; "},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     65536,
     65536,
     0,
     false,
     {NULL, 0},
     "no number of GPUs is a"},
    {"llama-3-8b", "dgx-h100", 16, 128, 1u << 30, 4, 0, false, {NULL, 0}, "no number of GPUs is a"},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     0,
     0,
     1u << 30,
     false,
     {NULL, 0},
     ": /batch/global: is 128; "},
    {"llama-3-8b",
     "dgx-h100",
     1u << 30,
     128,
     0,
     0,
     0,
     false,
     {NULL, 0},
     ": /gpus: is 1073741824; "},
    {"llama-3-8b", "dgx-h100", 16, 128, 0, 0, 3, false, {NULL, 0}, ": /batch/global: is 128; "},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     16,
     0,
     0,
     true,
     {NULL, 0},
     ": tp 16 is more than the 8 GPUs"},
    {"llama-3-8b",
     "dgx-h100",
     16,
     128,
     0,
     4,
     0,
     false,
     {"interleaved", 64},
     ": pp 4 x 64 chunks are"},
    {"llama-3-8b", "dgx-h100", 16, 128, 0, 1, 0, false, {"chimera", 1}, ": chimera has 1 pipeline"},
};

static PsimSite *
make_site(int index)
{
    const PsimOverride overrides[] = {
        {"/model", spaces[index].model}, {"/hardware", spaces[index].hardware}, {"/gpus", "1"}};
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"search\"}";
    GError *error = NULL;
    g_autoptr(PsimPlan) plan =
        psim_plan_parse(text, strlen(text), "test", overrides, G_N_ELEMENTS(overrides), &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return psim_site_new(plan, NULL);
}

static void
keep(GArray *axis, uint32_t value)
{
    if (value > 0)
        g_array_append_val(axis, value);
}

START_TEST(where_nothing_is_valid_a_rule_is_named)
{
    g_autoptr(PsimSpace) space = psim_space_new();

    g_ptr_array_add(space->sites, make_site(_i));
    keep(space->gpus, spaces[_i].n_gpus);
    keep(space->batches, spaces[_i].batch);
    keep(space->tp, spaces[_i].tp);
    keep(space->pp, spaces[_i].pp);
    keep(space->micro, spaces[_i].micro);
    space->no_cross_node_tp = spaces[_i].stays_in_node;
    if (spaces[_i].order.schedule != NULL)
        g_array_append_val(space->orders, spaces[_i].order);
    psim_space_fill(space);
    g_autofree char *reason = psim_reason_text(space);

    if (spaces[_i].reason == NULL)
        ck_assert_pstr_eq(reason, NULL);
    else
        ck_assert_msg(reason != NULL && strstr(reason, spaces[_i].reason) != NULL, "%s", reason);
}
END_TEST

Suite *
reason_suite(void)
{
    Suite *suite = suite_create("reason");
    TCase *cases = tcase_create("reason");

    tcase_add_loop_test(cases, where_nothing_is_valid_a_rule_is_named, 0, G_N_ELEMENTS(spaces));
    suite_add_tcase(suite, cases);
    return suite;
}
