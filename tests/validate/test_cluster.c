/* SPDX-License-Identifier: MIT */
#include "test_validate.h"

#include "validate/cluster.h"
#include "validate/stack.h"

#include <string.h>

static const struct {
    const char *text;
    uint32_t gpus_per_node;
    uint32_t n_links; /* 0: no speed is stated */
    double gigabit_per_s;
} links[] = {
    {"InfiniBand HDR 200 Gbit/s x 8 per node (Selene)", 8, 8, 200},
    {"Omni-Path 4 x 100 Gbit/s per node (Jean Zay)", 4, 4, 100},
    {"4x Omni-Path 100 Gb/s", 8, 4, 100},
    {"1x 100 Gb/s InfiniBand per node", 8, 1, 100},
    {"InfiniBand 100 GB/s per server (8 x 100 Gbit/s)", 16, 8, 100},
    {"InfiniBand HDR 200 Gbit/s per HCA, 8 per node", 8, 8, 200},
    {"InfiniBand 400 Gbit/s per GPU", 4, 4, 400},
    {"RoCE, 1600 Gbit/s per node", 8, 8, 200},
    {"400 Gb/s per node", 8, 4, 100},
    {"50 Gbps per node", 8, 1, 50},
    {"200-400 Gb/s InfiniBand per node", 8, 0, 0},
    {"200 Gb/s InfiniBand", 8, 0, 0}, /* of a link or of a node? */
    {"InfiniBand", 8, 0, 0},
    {NULL, 8, 0, 0},
};

START_TEST(links_are_read_from_prose)
{
    uint32_t n_links = 0;
    double gigabit_per_s = 0;
    const bool stated =
        psim_cluster_links(links[_i].text, links[_i].gpus_per_node, &n_links, &gigabit_per_s);

    ck_assert(stated == (links[_i].n_links > 0));
    if (!stated)
        return;
    ck_assert_uint_eq(n_links, links[_i].n_links);
    ck_assert_double_eq(gigabit_per_s, links[_i].gigabit_per_s);
}
END_TEST

static const struct {
    const char *gpu;
    uint32_t gpus_per_node;
    const char *hardware; /* NULL: unknown */
} gpus[] = {
    {"A100-SXM4-80GB", 8, "dgx-a100-80gb"},
    {"A100-SXM (memory size not given)", 8, "dgx-a100-80gb"},
    {"A100-SXM4-40GB", 8, "dgx-a100-40gb"},
    {"A800-SXM4-80GB (printed A100)", 8, "hgx-a800"},
    {"GH200 (H100 96/120GB)", 1, "gh200"},
    {"GB200", 4, "gb200-nvl72"},
    {"H20-96GB", 8, "hgx-h20"},
    {"H200", 8, "hgx-h200"},
    {"V100-SXM3-32GB", 16, "dgx-2h"},
    {"V100-32GB", 16, "dgx-2"},
    {"V100-SXM2-32GB", 4, "dgx-1v"},
    {"V100-SXM2-16GB", 8, "v100-16gb-x8"},
    {"H100-96GB HBM2e 500W", 8, "h100-96gb-500w-x8"},
    {"T4 16GB", 4, NULL},
    {"V100 16GB x12 + T4 16GB x4", 4, NULL},
    {"not stated (A100-class)", 8, NULL},
};

START_TEST(a_gpu_names_its_node)
{
    PsimRow row = {.gpus_per_node = gpus[_i].gpus_per_node};
    g_autofree char *gpu = g_strdup(gpus[_i].gpu);
    g_auto(PsimChanges) changes = {0};

    row.gpu = gpu;
    psim_changes_init(&changes);
    ck_assert_pstr_eq(psim_cluster_resolve(&row, &changes), gpus[_i].hardware);
}
END_TEST

START_TEST(four_v100_in_a_node_are_fully_connected)
{
    PsimRow *row = test_row("{\"id\": \"a\", \"gpu\": \"V100-SXM2-32GB\", \"gpus_per_node\": 4,"
                            "\"inter_link\": \"Omni-Path 4 x 100 Gbit/s per node\"}");
    static const char *const expected[][2] = {
        {"/hardware/gpus_per_node", "4"},
        {"/hardware/scale_up/size", "4"},
        {"/hardware/scale_up/pair_bandwidth", "50 GB/s"},
        {"/hardware/fabric/nics", "4"},
        {"/hardware/fabric/nic_bandwidth", "100 Gb/s"},
    };
    g_auto(PsimChanges) changes = {0};

    psim_changes_init(&changes);
    ck_assert_str_eq(psim_cluster_resolve(row, &changes), "dgx-1v");
    ck_assert_uint_eq(changes.pointers->len, G_N_ELEMENTS(expected));
    for (guint i = 0; i < changes.pointers->len; i++) {
        ck_assert_str_eq(g_ptr_array_index(changes.pointers, i), expected[i][0]);
        ck_assert_str_eq(g_ptr_array_index(changes.values, i), expected[i][1]);
    }
    psim_row_free(row);
}
END_TEST

static const struct {
    const char *json;
    const char *file;
    const char *runtime; /* NULL: nothing is stated */
    bool nearest;
} stacks[] = {
    {"{\"id\": \"a\"}", "vtrain.json", "deepspeed-2021", false},
    {"{\"id\": \"a\"}", "bigscience_v100.json", "deepspeed-2021", false},
    {"{\"id\": \"mt-nlg-530b\"}", "training_runs.json", "deepspeed-2021", false},
    {"{\"id\": \"t2-zero3-1\"}", "narayanan2021_megatron.json", "deepspeed", false},
    {"{\"id\": \"t1\"}", "narayanan2021_megatron.json", "megatron-2021", false},
    {"{\"id\": \"a\", \"framework\": \"OneFlow-GPT\"}", "oneflow_dlperf.json", "megatron-2021",
     true},
    {"{\"id\": \"a\", \"framework\": \"DeepSpeed\"}", "oneflow_dlperf.json", "deepspeed-2021",
     false},
    {"{\"id\": \"a\", \"framework\": \"Megatron-LM\"}", "oneflow_dlperf.json", "megatron-2021",
     false},
    {"{\"id\": \"a\", \"framework\": \"Megatron-DeepSpeed\"}", "mine.json", "deepspeed", false},
    {"{\"id\": \"a\", \"framework\": \"FSDP\"}", "mine.json", "pytorch-fsdp", false},
    {"{\"id\": \"a\", \"runtime\": \"my.json\"}", "vtrain.json", "my.json", false},
    {"{\"id\": \"a\"}", "mine.json", NULL, false},
};

START_TEST(software_names_its_runtime)
{
    PsimRow *row = test_row(stacks[_i].json);
    g_auto(PsimChanges) changes = {0};
    bool nearest = true;

    g_free(row->source_file);
    row->source_file = g_strdup(stacks[_i].file);
    psim_changes_init(&changes);
    ck_assert_pstr_eq(psim_stack_resolve(row, &changes, &nearest), stacks[_i].runtime);
    ck_assert(nearest == stacks[_i].nearest);
    psim_row_free(row);
}
END_TEST

static const struct {
    const char *file;
    int tp;
    bool unpadded;
} vocabularies[] = {
    {"vtrain.json", 1, true},
    {"vtrain.json", 2, false},
    {"mine.json", 1, false},
};

START_TEST(vtrain_pads_no_vocabulary_on_one_tensor_rank)
{
    g_autofree char *text = g_strdup_printf("{\"id\": \"a\", \"framework\": \"Megatron-DeepSpeed\","
                                            "\"tp\": %d}",
                                            vocabularies[_i].tp);
    PsimRow *row = test_row(text);
    g_auto(PsimChanges) changes = {0};
    bool nearest = true;

    g_free(row->source_file);
    row->source_file = g_strdup(vocabularies[_i].file);
    psim_changes_init(&changes);
    ck_assert_ptr_nonnull(psim_stack_resolve(row, &changes, &nearest));
    ck_assert_uint_eq(changes.pointers->len, vocabularies[_i].unpadded ? 1 : 0);
    if (vocabularies[_i].unpadded) {
        ck_assert_str_eq(g_ptr_array_index(changes.pointers, 0),
                         "/runtime/kernels/vocabulary_multiple");
        ck_assert_str_eq(g_ptr_array_index(changes.values, 0), "1");
    }
    psim_row_free(row);
}
END_TEST

static const struct {
    const char *file;
    const char *said; /* of flash_attention */
    bool by_name;
} attentions[] = {
    {"flagperf.json", "true", true},
    {"flagperf.json", "\"v2\"", true},
    {"megatron_core.json", "\"flash\"", true},
    {"megatron_core.json", "\"transformer_engine default\"", false},
    {"flagperf.json", "false", false},
    {"flagperf.json", "null", false},
    {"nvidia_dgxc.json", "true", false},
    {"mosaicml.json", "true", false},
};

START_TEST(megatron_runs_the_flash_attention_that_a_row_names)
{
    g_autofree char *text =
        g_strdup_printf("{\"id\": \"a\", \"flash_attention\": %s}", attentions[_i].said);
    PsimRow *row = test_row(text);
    g_auto(PsimChanges) changes = {0};
    bool nearest = true;

    g_free(row->source_file);
    row->source_file = g_strdup(attentions[_i].file);
    psim_changes_init(&changes);
    ck_assert_ptr_nonnull(psim_stack_resolve(row, &changes, &nearest));
    ck_assert_uint_eq(changes.pointers->len, attentions[_i].by_name ? 1 : 0);
    if (attentions[_i].by_name) {
        ck_assert_str_eq(g_ptr_array_index(changes.pointers, 0), "/runtime/kernels/attention");
        ck_assert_str_eq(g_ptr_array_index(changes.values, 0), "flash-attention-2");
    }
    psim_row_free(row);
}
END_TEST

static const struct {
    const char *framework;
    bool overlaps;
} reductions[] = {{"OneFlow-GPT", true}, {"Megatron-LM", false}};

START_TEST(oneflow_reduces_gradients_beside_the_backward)
{
    g_autofree char *text =
        g_strdup_printf("{\"id\": \"a\", \"framework\": \"%s\"}", reductions[_i].framework);
    PsimRow *row = test_row(text);
    g_auto(PsimChanges) changes = {0};
    bool nearest = true;

    g_free(row->source_file);
    row->source_file = g_strdup("oneflow_dlperf.json");
    psim_changes_init(&changes);
    ck_assert_ptr_nonnull(psim_stack_resolve(row, &changes, &nearest));
    ck_assert_uint_eq(changes.pointers->len, reductions[_i].overlaps ? 1 : 0);
    if (reductions[_i].overlaps)
        ck_assert_str_eq(g_ptr_array_index(changes.pointers, 0), "/overlap/data");
    psim_row_free(row);
}
END_TEST

Suite *
cluster_suite(void)
{
    Suite *suite = suite_create("cluster");
    TCase *tcase = tcase_create("cluster");

    tcase_add_loop_test(tcase, links_are_read_from_prose, 0, G_N_ELEMENTS(links));
    tcase_add_loop_test(tcase, a_gpu_names_its_node, 0, G_N_ELEMENTS(gpus));
    tcase_add_test(tcase, four_v100_in_a_node_are_fully_connected);
    tcase_add_loop_test(tcase, software_names_its_runtime, 0, G_N_ELEMENTS(stacks));
    tcase_add_loop_test(tcase, vtrain_pads_no_vocabulary_on_one_tensor_rank, 0,
                        G_N_ELEMENTS(vocabularies));
    tcase_add_loop_test(tcase, oneflow_reduces_gradients_beside_the_backward, 0,
                        G_N_ELEMENTS(reductions));
    tcase_add_loop_test(tcase, megatron_runs_the_flash_attention_that_a_row_names, 0,
                        G_N_ELEMENTS(attentions));
    suite_add_tcase(suite, tcase);
    return suite;
}
