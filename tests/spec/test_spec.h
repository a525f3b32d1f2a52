/* SPDX-License-Identifier: MIT */
/* test_spec.h: the suites of tests/spec, and a plan small enough to break in every way */
#pragma once

#include "main.h"
#include "plansim.h"

#include <glib.h>

Suite *bad_input_suite(void);
Suite *calibration_suite(void);
Suite *crosscheck_suite(void);
Suite *hardware_suite(void);
Suite *model_suite(void);
Suite *override_suite(void);
Suite *plan_suite(void);
Suite *preset_suite(void);
Suite *runtime_suite(void);
Suite *schedule_file_suite(void);

#define TEST_MODEL                                                                                 \
    "{\"transformer\": {\"layers\": 24, \"hidden\": 1024, \"heads\": 16, \"kv_heads\": 4, "        \
    "\"vocabulary\": 51200, \"sequence\": 1024}}"

#define TEST_DEVICE                                                                                \
    "{\"name\": \"chip\", \"sms\": 100, \"peak\": {\"fp32\": \"10 TFLOP/s\", \"fp16\": "           \
    "\"100 TFLOP/s\"}, \"memory\": {\"total\": \"40 GB\", \"bandwidth\": \"1 TB/s\"}}"

#define TEST_HARDWARE                                                                              \
    "{\"name\": \"box\", \"device\": " TEST_DEVICE ", \"gpus_per_node\": 8, \"max_nodes\": 4, "    \
    "\"scale_up\": {\"bandwidth\": \"300 GB/s\"}, \"fabric\": {\"nic_bandwidth\": \"25 GB/s\"}}"

#define TEST_RUNTIME                                                                               \
    "{\"bytes_per_parameter\": {\"weights\": 2, \"gradients\": 4, \"optimizer\": 12, "             \
    "\"optimizer_traffic\": 28, \"gradient_reduce\": 4}}"

/* 16 GPUs = tensor 2 x pipeline 4 x data 2; 32 microbatches. Members on lines of their own. */
#define TEST_PLAN                                                                                  \
    "{\n"                                                                                          \
    "  \"model\": " TEST_MODEL ",\n"                                                               \
    "  \"hardware\": " TEST_HARDWARE ",\n"                                                         \
    "  \"runtime\": " TEST_RUNTIME ",\n"                                                           \
    "  \"gpus\": 16,\n"                                                                            \
    "  \"parallel\": {\"tensor\": 2, \"pipeline\": 4},\n"                                          \
    "  \"batch\": {\"micro\": 1, \"global\": 64}\n"                                                \
    "}\n"

/** test_spec_parse: the plan with `pointer=value|pointer=value` set. */
PsimPlan *test_spec_parse(const char *text, const char *sets, GError **error);

/** test_spec_complain: Returns: the message of a plan that must be refused; caller frees. */
char *test_spec_complain(const char *text, const char *sets);

/** test_spec_remarks: Returns: "code: message -> fix" of each warning, a line each; caller frees.
 */
char *test_spec_remarks(const char *text, const char *sets);

/** test_spec_default: Returns: "value, why" of the default at @pointer, or NULL; caller frees. */
char *test_spec_default(const GPtrArray *defaults, const char *pointer);
