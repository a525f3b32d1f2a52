/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "base/error.h"
#include "spec/device.h"
#include "spec/hardware.h"

#include <math.h>
#include <string.h>

static PsimHardware *
read_text(const char *text, char **ret_message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = psim_document_parse(text, strlen(text), "h.json", &error);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    ck_assert_msg(document != NULL, "%s", error != NULL ? error->message : "");

    PsimHardware *hardware = psim_hardware_read(document, complaints);

    *ret_message = NULL;
    if (!psim_complaints_finish(complaints, &error))
        *ret_message = g_strdup(error->message);
    return hardware;
}

static PsimHardware *
accept(const char *text)
{
    g_autofree char *message = NULL;
    PsimHardware *hardware = read_text(text, &message);

    ck_assert_msg(message == NULL, "%s", message);
    return hardware;
}

START_TEST(words_are_in_the_order_of_their_enums)
{
    ck_assert_str_eq(psim_precision_words()[PSIM_PRECISION_FP32], "fp32");
    ck_assert_str_eq(psim_precision_words()[PSIM_PRECISION_BF16], "bf16");
    ck_assert_str_eq(psim_precision_words()[PSIM_PRECISION_FP8], "fp8");
    ck_assert_ptr_null(psim_precision_words()[PSIM_N_PRECISIONS]);
    ck_assert_str_eq(psim_provenance_words()[PSIM_PROVENANCE_MEASURED], "measured");
    ck_assert_str_eq(psim_provenance_words()[PSIM_PROVENANCE_GUESS], "guess");
    ck_assert_str_eq(psim_collective_words()[PSIM_COLLECTIVE_ALL_REDUCE], "all-reduce");
    ck_assert_str_eq(psim_collective_words()[PSIM_COLLECTIVE_SEND], "send");
    ck_assert_ptr_null(psim_collective_words()[PSIM_N_COLLECTIVES]);
}
END_TEST

START_TEST(quantities_are_read_in_base_units)
{
    g_autoptr(PsimHardware) box = accept(TEST_HARDWARE);

    ck_assert_str_eq(box->name, "box");
    ck_assert_str_eq(box->device.name, "chip");
    ck_assert(box->device.peak_flop_per_s[PSIM_PRECISION_FP16] == 100e12);
    ck_assert(box->device.peak_flop_per_s[PSIM_PRECISION_BF16] == 0);
    ck_assert(box->device.memory_bytes == 40e9);
    ck_assert(box->device.memory_usable_bytes == 40e9);
    ck_assert(box->device.memory_bytes_per_s == 1e12);
    ck_assert(box->scale_up_bytes_per_s == 300e9);
    ck_assert(box->nic_bytes_per_s == 25e9);
}
END_TEST

static const struct {
    const char *pointer;
    const char *taken;
} defaults[] = {
    {"/hardware/device/memory/usable", "\"40 GB\", default"},
    {"/hardware/device/gemm/form", "\"tile\", a device with SMs"},
    {"/hardware/device/gemm/efficiency", "0.7, default"},
    {"/hardware/device/gemm/misaligned", "1.45, default"},
    {"/hardware/device/gemm/odd", "1.45, default"},
    {"/hardware/device/gemm/batched_misaligned", "0, default"},
    {"/hardware/device/gemm/provenance", "\"guess\", default"},
    {"/hardware/device/memory_bound/softmax", "0.75, default"},
    {"/hardware/scale_up/size", "8, a node"},
    {"/hardware/scale_up/fraction", "0.78, default"},
    {"/hardware/scale_up/latency", "\"7 us\", default"},
    {"/hardware/scale_up/ring_step", "\"1.9 us\", default"},
    {"/hardware/scale_up/pair_bandwidth", "\"300 GB/s\", default"},
    {"/hardware/scale_up/in_switch_reduction", "false, default"},
    {"/hardware/fabric/nics", "8, one a GPU"},
    {"/hardware/fabric/nic_fraction", "0.9, default"},
    {"/hardware/fabric/ring_step", "\"6 us\", default"},
    {"/hardware/fabric/latency", "\"17 us\", default"},
    {"/hardware/fabric/oversubscription", "1, default"},
    {"/hardware/fabric/provenance", "\"guess\", default"},
};

START_TEST(what_is_left_out_is_a_recorded_guess)
{
    g_autoptr(PsimHardware) box = accept(TEST_HARDWARE);
    g_autofree char *taken = test_spec_default(box->defaults, defaults[_i].pointer);

    ck_assert_pstr_eq(taken, defaults[_i].taken);
}
END_TEST

START_TEST(an_error_that_is_not_known_is_nan)
{
    g_autoptr(PsimHardware) box = accept(TEST_HARDWARE);

    ck_assert(isnan(box->device.gemm.origin.error_fraction));
    ck_assert_str_eq(box->device.gemm.origin.source, "");
}
END_TEST

static const struct {
    const char *peak, *memory, *scale_up; /* what stands in each block behind the rate */
} own_origins[] = {
    {"", "", ""},
    {", \"provenance\": \"measured\", \"source\": \"here\"", "", ""},
    {"", ", \"provenance\": \"guess\"", ""},
    {"", "", ", \"provenance\": \"measured\", \"source\": \"here\", \"error\": 0.1"},
};

static void
assert_origin(const PsimOrigin *origin, const char *stated)
{
    ck_assert_int_eq(origin->source != NULL, stated[0] != '\0');
    if (origin->source != NULL)
        ck_assert_ptr_nonnull(strstr(stated, psim_provenance_words()[origin->provenance]));
}

/* A rate has the origin of its file or its own, and keeps which. */
START_TEST(rates_may_state_an_origin_of_their_own)
{
    g_autofree char *text = g_strdup_printf(
        "{\"device\": {\"peak\": {\"fp16\": \"100 TFLOP/s\"%s}, \"memory\": {\"total\": \"40 GB\", "
        "\"bandwidth\": \"1 TB/s\"%s}}, \"gpus_per_node\": 2, \"scale_up\": {\"bandwidth\": "
        "\"300 GB/s\"%s}}",
        own_origins[_i].peak, own_origins[_i].memory, own_origins[_i].scale_up);
    g_autoptr(PsimHardware) first = accept(text);
    g_autofree char *written = psim_hardware_write(first);
    g_autoptr(PsimHardware) again = accept(written);

    assert_origin(&again->device.peak_origin, own_origins[_i].peak);
    assert_origin(&again->device.memory_origin, own_origins[_i].memory);
    assert_origin(&again->scale_up_origin, own_origins[_i].scale_up);
}
END_TEST

START_TEST(a_single_node_has_neither_fabric_nor_others)
{
    g_autoptr(PsimHardware) one = accept("{\"device\": " TEST_DEVICE ", \"gpus_per_node\": 1}");
    g_autofree char *nodes = test_spec_default(one->defaults, "/hardware/max_nodes");

    ck_assert_ptr_null(one->fabric_name);
    ck_assert_ptr_null(one->scale_up_name);
    ck_assert_uint_eq(one->scale_up_size, 1);
    ck_assert_uint_eq(one->max_nodes, 1);
    ck_assert_str_eq(one->name, "h");
    ck_assert_str_eq(nodes, "1, there is no fabric");
}
END_TEST

START_TEST(a_device_without_sms_takes_the_smooth_form)
{
    g_autoptr(PsimHardware) cpu = accept(
        "{\"device\": {\"peak\": {\"fp32\": \"1 TFLOP/s\"}, \"memory\": {\"total\": \"64 GiB\", "
        "\"bandwidth\": \"50 GB/s\"}, \"gemm\": {\"m0\": 20, \"n0\": 16, \"k0\": 11}}, "
        "\"gpus_per_node\": 1}");

    ck_assert(!cpu->device.gemm.tiled);
    ck_assert(cpu->device.gemm.m0 == 20);
    ck_assert_str_eq(cpu->device.memory_label, "64 GiB");
}
END_TEST

#define FULL_DEVICE                                                                                \
    "{\"name\": \"full\", \"vendor\": \"v\", \"architecture\": \"a\", \"source\": \"s\", "         \
    "\"sms\": 132, \"peak\": {\"fp32\": \"67 TFLOP/s\", \"bf16\": \"989.4 TFLOP/s\", \"fp8\": "    \
    "\"1978.9 TFLOP/s\"}, \"memory\": {\"label\": \"80 GB\", \"total\": \"81559 MiB\", "           \
    "\"usable\": \"79.1 GiB\", \"bandwidth\": \"3.35 TB/s\", \"l2\": \"50 MB\"}, \"pcie\": "       \
    "\"63 GB/s\", \"tdp\": \"700 W\", \"price\": {\"usd_per_gpu_hour\": 2.99, \"date\": "          \
    "\"2026-01\", \"source\": \"p\"}, \"attention\": [{\"kernel\": \"flash-attention-3\", "        \
    "\"head_dim\": 128, \"causal\": false, \"forward\": {\"efficiency\": 0.66, \"s0\": 600}, "     \
    "\"backward\": {\"efficiency\": 0.58, \"s0\": 800, \"occupancy\": 1.5}, \"provenance\": "      \
    "\"transferred\", \"source\": \"f\", \"error\": 0.05}], \"attention_unfused_fraction\": 0.1, " \
    "\"memory_bound\": {\"activation\": 0.04}, "                                                   \
    "\"launch_floor\": \"2.4 us\", \"sms_taken_by_collective\": 24}"

static const char *const round_trips[] = {
    TEST_HARDWARE,
    "{\"device\": " TEST_DEVICE ", \"gpus_per_node\": 1}",
    "{\"name\": \"all\", \"about\": \"b\", \"source\": \"c\", \"device\": " FULL_DEVICE
    ", \"gpus_per_node\": 4, \"scale_up\": {\"name\": \"n\", \"size\": 72, \"bandwidth\": "
    "\"900 GB/s\", \"collectives\": [{\"what\": \"send\", \"ranks\": 2, \"a\": \"7 us\", \"step\": "
    "\"1.5 us\", \"low\": \"100 GB/s\", \"high\": \"367 GB/s\", \"provenance\": \"measured\"}]}, "
    "\"fabric\": {\"nic_bandwidth\": \"400 Gb/s\", \"source\": \"q\"}}",
};

START_TEST(a_rate_of_activations_is_kept_and_told_only_where_it_is_given)
{
    g_autoptr(PsimHardware) full = accept(round_trips[2]);
    g_autoptr(PsimHardware) plain = accept(round_trips[0]);
    g_autofree char *full_text = psim_hardware_write(full);
    g_autofree char *plain_text = psim_hardware_write(plain);

    ck_assert_double_eq(full->device.memory_bound.activation, 0.04);
    ck_assert_ptr_nonnull(strstr(full_text, "\"activation\": 0.04"));
    ck_assert_double_eq(plain->device.memory_bound.activation, 0.0);
    ck_assert_ptr_null(strstr(plain_text, "activation"));
}
END_TEST

START_TEST(what_is_written_reads_back_equal)
{
    g_autoptr(PsimHardware) hardware = accept(round_trips[_i]);
    g_autofree char *text = psim_hardware_write(hardware);
    g_autoptr(PsimHardware) again = accept(text);
    g_autofree char *text_again = psim_hardware_write(again);

    ck_assert_str_eq(text, text_again);
    ck_assert_str_eq(hardware->digest, again->digest);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    {"{\"gpus_per_node\": 1}",
     "h.json:1:1: /device: missing; expected the name of a preset, a path, or an object"},
    {"{\"device\": 3, \"gpus_per_node\": 1}",
     "h.json:1:12: /device: must be the name of a preset, a path, or an object"},
    {"{\"device\": \"a100-sxm4-80g\", \"gpus_per_node\": 1}",
     "h.json:1:12: /device: no device \"a100-sxm4-80g\"; did you mean \"a100-sxm4-80gb\"?"},
    {"{\"device\": {\"peak\": {}, \"memory\": {\"total\": \"1 GB\", \"usable\": \"2 GB\", "
     "\"bandwidth\": \"1 GB/s\"}}, \"gpus_per_node\": 1}",
     "h.json:1:21: /device/peak: names no precision; expected a dense rate such as \"bf16\": "
     "\"312 TFLOP/s\""},
    {"{\"device\": {\"peak\": {\"fp32\": \"1 TFLOP/s\"}, \"memory\": {\"total\": \"1 GB\", "
     "\"usable\": \"2 GB\", \"bandwidth\": \"1 GB/s\"}}, \"gpus_per_node\": 1}",
     "h.json:1:54: /device/memory: has more usable than in total"},
    {"{\"device\": {\"peak\": {\"fp32\": \"1 TFLOP/s\"}, \"memory\": {\"total\": \"1 GB\", "
     "\"bandwidth\": \"1 GB/s\"}, \"gemm\": {\"form\": \"tile\"}}, \"gpus_per_node\": 1}",
     "h.json:1:12: /device/sms: is 0; the tile form of \"gemm\" needs the number of SMs"},
    {"{\"device\": {\"peak\": {\"fp32\": \"1 TFLOP/s\"}, \"memory\": {\"total\": \"1 GB\", "
     "\"bandwidth\": \"1 GB/s\"}, \"memory_bound\": {\"activation\": 0}}, \"gpus_per_node\": 1}",
     "h.json:1:127: /device/memory_bound/activation: is 0; must be from 0.001 to 2"},
    {"{\"device\": " TEST_DEVICE ", \"gpus_per_node\": 8, \"max_nodes\": 2, \"scale_up\": "
     "{\"bandwidth\": \"1 GB/s\"}}",
     "h.json:1:183: /max_nodes: is 2; without a \"fabric\" there is 1 node"},
    {"{\"device\": " TEST_DEVICE ", \"gpus_per_node\": 8, \"scale_up\": {\"size\": 12, "
     "\"bandwidth\": \"1 GB/s\"}}",
     "h.json:1:182: /scale_up: has size 12; must be a multiple of the 8 GPUs of a node"},
};

START_TEST(hardware_that_contradicts_itself_is_refused)
{
    g_autofree char *message = NULL;
    g_autoptr(PsimHardware) hardware = read_text(refused[_i].text, &message);

    ck_assert_ptr_nonnull(hardware);
    ck_assert_pstr_eq(message, refused[_i].message);
}
END_TEST

START_TEST(too_many_rows_are_refused)
{
    g_autoptr(GString) text = g_string_new("{\"device\": " TEST_DEVICE ", \"gpus_per_node\": 2, "
                                           "\"scale_up\": {\"bandwidth\": \"1 GB/s\", "
                                           "\"collectives\": [");

    for (int i = 0; i < 1025; i++)
        g_string_append_printf(text,
                               "%s{\"what\": \"send\", \"ranks\": 2, \"a\": \"1 s\", \"step\": "
                               "\"1 s\", \"low\": \"1 B/s\", \"high\": \"1 B/s\"}",
                               i > 0 ? ", " : "");
    g_string_append(text, "]}}");

    g_autofree char *message = NULL;
    g_autoptr(PsimHardware) hardware = read_text(text->str, &message);

    ck_assert_ptr_nonnull(hardware);
    ck_assert_pstr_eq(message, "h.json:1:221: /scale_up/collectives: has 1025 items; at most 1024 "
                               "(PSIM_MEMBER_MAX_ITEMS)");
}
END_TEST

Suite *
hardware_suite(void)
{
    Suite *suite = suite_create("hardware");
    TCase *tcase = tcase_create("hardware");

    tcase_add_test(tcase, words_are_in_the_order_of_their_enums);
    tcase_add_test(tcase, quantities_are_read_in_base_units);
    tcase_add_loop_test(tcase, what_is_left_out_is_a_recorded_guess, 0, G_N_ELEMENTS(defaults));
    tcase_add_test(tcase, an_error_that_is_not_known_is_nan);
    tcase_add_loop_test(tcase, rates_may_state_an_origin_of_their_own, 0,
                        G_N_ELEMENTS(own_origins));
    tcase_add_test(tcase, a_single_node_has_neither_fabric_nor_others);
    tcase_add_test(tcase, a_device_without_sms_takes_the_smooth_form);
    tcase_add_test(tcase, a_rate_of_activations_is_kept_and_told_only_where_it_is_given);
    tcase_add_loop_test(tcase, what_is_written_reads_back_equal, 0, G_N_ELEMENTS(round_trips));
    tcase_add_loop_test(tcase, hardware_that_contradicts_itself_is_refused, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_test(tcase, too_many_rows_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
