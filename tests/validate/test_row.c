/* SPDX-License-Identifier: MIT */
#include "test_validate.h"

#include "validate/resolve.h"

#include <math.h>
#include <string.h>

/* -- What was measured ------------------------------------------------------------------------- */

static const struct {
    const char *change;
    double step_s; /* NAN: none */
} times[] = {
    {"\"measured\": {\"step_time_s\": 2}, \"derived\": {\"step_time_s\": 3}", 2},
    {"\"measured\": {\"mfu\": 0.4}, \"derived\": {\"step_time_s\": 3}", 3},
    {"\"measured\": {\"tokens_per_s\": 32768}", 2},        /* 64 x 1024 tokens */
    {"\"measured\": {\"tokens_per_s_per_gpu\": 4096}", 2}, /* of 8 GPUs */
    {"\"measured\": {\"samples_per_s\": 16}", 4},
    {"\"measured\": {\"step_time_s\": \"2\"}", (double)NAN},
    {"\"measured\": null", (double)NAN},
};

START_TEST(step_time_comes_from_the_most_direct_figure)
{
    PsimRow *row = test_plain_row(times[_i].change);

    if (isnan(times[_i].step_s))
        ck_assert(isnan(row->step_s));
    else
        ck_assert_double_eq(row->step_s, times[_i].step_s);
    psim_row_free(row);
}
END_TEST

static const struct {
    const char *change;
    double bytes;
    PsimBytesKind kind;
    int rank;
} memories[] = {
    {"\"measured\": {\"memory_max_allocated_bytes\": 7, \"memory_gb\": 1}", 7, PSIM_BYTES_ALLOCATED,
     -1},
    {"\"measured\": {\"memory_gb\": 2}", 2147483648.0, PSIM_BYTES_PEAK, -1},
    {"\"measured\": {\"memory_gb\": 1, \"memory_kind\": \"nvidia-smi\"}", 1073741824.0,
     PSIM_BYTES_DEVICE, -1},
    {"\"measured\": {\"memory_mib_smi\": 3}", 3145728.0, PSIM_BYTES_DEVICE, -1},
    {"\"measured\": {\"memory_gib\": 1, \"memory_kind\": \"allocated, the last rank\"}",
     1073741824.0, PSIM_BYTES_ALLOCATED, -2},
    {"\"rank\": 5, \"measured\": {\"model_states_mib\": 1, \"activation_peak_mib\": 2}", 3145728.0,
     PSIM_BYTES_ALLOCATED, 5},
};

START_TEST(memory_knows_what_it_counts)
{
    PsimRow *row = test_plain_row(memories[_i].change);

    ck_assert_double_eq(row->peak_bytes, memories[_i].bytes);
    ck_assert_int_eq(row->bytes_kind, memories[_i].kind);
    ck_assert_int_eq(row->bytes_rank, memories[_i].rank);
    psim_row_free(row);
}
END_TEST

START_TEST(what_ran_did_fit)
{
    PsimRow *ran = test_plain_row("");
    PsimRow *failed = test_plain_row("\"measured\": {\"oom\": true}");

    ck_assert_int_eq(ran->oom, PSIM_TOLD_NO);
    ck_assert_int_eq(failed->oom, PSIM_TOLD_YES);
    psim_row_free(ran);
    psim_row_free(failed);
}
END_TEST

#define GARBLED "a degree or a batch that is no whole number"

/* -- Rows left out ----------------------------------------------------------------------------- */

static const struct {
    const char *change;
    const char *reason; /* NULL: used */
    const char *detail; /* NULL: the reason says all */
} reasons[] = {
    {"\"gpu\": \"H100\"", NULL, NULL},
    {"\"measured\": {\"forward_us\": 3}", "no step time, memory or verdict of a training step",
     "no step time, memory or verdict of a training step; expected numbers such as step_time_s "
     "under measured"},
    {"\"measured\": {\"oom\": false, \"status\": \"no kernel\"}",
     "failed for another reason than memory", NULL},
    {"\"model\": {\"moe\": {\"experts\": 8}}", "mixture of experts", NULL},
    {"\"ep\": 2", "expert parallel", NULL},
    {"\"notes\": \"LoRA of rank 8\"", "adapters or frozen weights", NULL},
    {"\"cp\": \"8\"", GARBLED,
     GARBLED "; expected gpus, tp, pp, dp, cp, ep, microbatch, "
             "num_microbatches and global_batch from 1 on, or null"},
    {"\"cp\": 2.5", GARBLED,
     GARBLED "; expected gpus, tp, pp, dp, cp, ep, microbatch, "
             "num_microbatches and global_batch from 1 on, or null"},
    {"\"tp\": 0", GARBLED,
     GARBLED "; expected gpus, tp, pp, dp, cp, ep, microbatch, "
             "num_microbatches and global_batch from 1 on, or null"},
    {"\"global_batch\": []", GARBLED,
     GARBLED "; expected gpus, tp, pp, dp, cp, ep, microbatch, "
             "num_microbatches and global_batch from 1 on, or null"},
    {"\"offload_ratio\": 0.5", "offload to the host", NULL},
    {"\"framework\": \"JAX\"", "software without a runtime here", NULL},
    {"\"model\": {\"layers\": 4}", "shape of the model not stated",
     "shape of the model not stated; expected layers, hidden and seq under model"},
    {"\"model\": {\"name\": \"T5\", \"layers\": 4, \"hidden\": 8, \"seq\": 8}",
     "another kind of network", NULL},
    {"\"gpus\": null, \"dp\": null", "number of GPUs not stated",
     "number of GPUs not stated; expected gpus or dp"},
    {"\"tp\": null, \"pp\": null", "layout not stated",
     "layout not stated; expected tp or pp, 1 where there is none"},
    {"\"global_batch\": null, \"microbatch\": null", "batch not stated",
     "batch not stated; expected global_batch or microbatch"},
    {"\"pp\": 2, \"dp\": 4, \"schedule\": \"by hand\"", "another schedule",
     "another schedule; expected one of \"plansim list schedules\""},
    {"\"recompute\": \"full (except the last)\"", "another kind of recomputation",
     "another kind of recomputation; expected none, selective or full"},
    {"\"gpus\": 16", "contradicts itself",
     "tensor 1 x pipeline 1 x data 8 x context 1 = 8 GPUs, but it says 16"},
    {"\"global_batch\": 65", "contradicts itself",
     "microbatch 2 x 4 microbatches x data 8 = 64 samples, but it says 65"},
    {"\"measured\": {\"step_time_s\": 2, \"tokens_per_s\": 99}", "contradicts itself",
     "6.554e+04 tokens in 2 s are 3.277e+04 tokens/s, but it says 99"},
    {"\"model\": {\"layers\": 4, \"hidden\": 1024, \"heads\": 8, \"vocab\": 50304, \"seq\": 1024,"
     "\"params\": 7e9}",
     "contradicts itself", "the shape has 1.02e+08 parameters, but it says 7e+09"},
    {"\"gpu\": \"T4\"", "unknown GPU", "unknown GPU: T4"},
    {"\"gpu\": \"RTX A4000\"", "unknown GPU", "unknown GPU: RTX A4000"},
};

START_TEST(every_reason_is_told)
{
    PsimRow *row = test_plain_row(reasons[_i].change);
    g_auto(PsimResolved) resolved = {0};

    psim_resolve_row(row, &resolved);
    ck_assert_pstr_eq(resolved.skipped, reasons[_i].reason);
    ck_assert_pstr_eq(resolved.detail, reasons[_i].detail);
    ck_assert((resolved.text != NULL) == (reasons[_i].reason == NULL));
    psim_row_free(row);
}
END_TEST

/* -- The plan ---------------------------------------------------------------------------------- */

static const struct {
    const char *change;
    const char *text;    /* is part of the plan */
    const char *assumed; /* the first one; NULL: not looked at */
} plans[] = {
    {"\"runtime\": \"ideal\"", "\"runtime\":\"ideal\"", NULL},
    {"\"hardware\": \"dgx-h100\"", "\"hardware\":\"dgx-h100\"", "runtime megatron"},
    {"\"precision\": \"bf16 + fp8 hybrid\"", "\"precision\":\"fp8\"", NULL},
    {"\"precision\": \"fp16, gradients in fp32\"", "\"precision\":\"fp16\"", NULL},
    {"\"flash_attention\": \"v2\"", "\"flash_attention\":true", NULL},
    {"\"flash_attention\": \"unfused\"", "\"flash_attention\":false", NULL},
    {"\"recompute\": \"selective (attention core)\"", "\"recompute\":\"selective\"", NULL},
    {"\"runtime\": \"ideal\", \"recompute\": \"full (per config; doubtful)\"",
     "\"schedule\":{\"name\":\"1f1b\",\"chunks\":1},\"precision\"", NULL},
    {"\"fsdp\": \"SHARD_GRAD_OP\"", "\"zero_stage\":2", NULL},
    {"\"fsdp\": true", "\"zero_stage\":3", NULL},
    {"\"cp\": 2, \"dp\": 4, \"num_microbatches\": 8", "\"context\":2,", NULL},
    {"\"cp\": 2, \"dp\": null, \"num_microbatches\": 8, \"global_batch\": null",
     "\"batch\":{\"micro\":2,\"global\":64}", NULL},
    {"\"pp\": 2, \"dp\": 4, \"vp\": 2, \"num_microbatches\": 8, \"schedule\": \"interleaved 1f1b\"",
     "\"schedule\":{\"name\":\"interleaved\",\"chunks\":2}", NULL},
    {"\"pp\": 8, \"dp\": 1, \"vp\": 1, \"num_microbatches\": 32, \"schedule\": \"1f1b\","
     "\"runtime\": \"ideal\", \"model\": {\"layers\": 14, \"hidden\": 1024, \"heads\": 8,"
     "\"vocab\": 50304, \"seq\": 1024}",
     "\"layers_per_stage\":[1,2,2,2,2,2,2,1]", "layers_per_stage, one fewer at both ends"},
    {"\"pp\": 8, \"dp\": 1, \"vp\": 1, \"num_microbatches\": 32, \"schedule\": \"1f1b\","
     "\"runtime\": \"ideal\", \"model\": {\"layers\": 10, \"hidden\": 1024, \"heads\": 8,"
     "\"vocab\": 50304, \"seq\": 1024}",
     "\"layers_per_stage\":[2,2,1,1,1,1,1,1]", "layers_per_stage, the first stages have more"},
    {"\"runtime\": \"ideal\", \"model\": {\"layers\": 4, \"hidden\": 1024, \"seq\": 1024}",
     "\"heads\":8", "heads of 128"},
    {"\"microbatch\": null", "\"batch\":{\"micro\":2,\"global\":64}", NULL},
    {"\"global_batch\": null", "\"batch\":{\"micro\":2,\"global\":64}", NULL},
};

START_TEST(a_row_becomes_a_plan)
{
    PsimRow *row = test_plain_row(plans[_i].change);
    g_auto(PsimResolved) resolved = {0};

    psim_resolve_row(row, &resolved);
    ck_assert_ptr_nonnull(resolved.text);
    ck_assert_msg(strstr(resolved.text, plans[_i].text) != NULL, "%s", resolved.text);
    if (plans[_i].assumed != NULL)
        ck_assert_str_eq(g_ptr_array_index(resolved.assumed, 0), plans[_i].assumed);
    psim_row_free(row);
}
END_TEST

Suite *
row_suite(void)
{
    Suite *suite = suite_create("row");
    TCase *tcase = tcase_create("row");

    tcase_add_loop_test(tcase, step_time_comes_from_the_most_direct_figure, 0, G_N_ELEMENTS(times));
    tcase_add_loop_test(tcase, memory_knows_what_it_counts, 0, G_N_ELEMENTS(memories));
    tcase_add_test(tcase, what_ran_did_fit);
    tcase_add_loop_test(tcase, every_reason_is_told, 0, G_N_ELEMENTS(reasons));
    tcase_add_loop_test(tcase, a_row_becomes_a_plan, 0, G_N_ELEMENTS(plans));
    suite_add_tcase(suite, tcase);
    return suite;
}
