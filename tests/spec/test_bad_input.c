/* SPDX-License-Identifier: MIT */
/* Files that no one should be able to feed us: each gets its place, pointer and text. */
#include "test_spec.h"

#include <string.h>

/* A plan with MODEL and REST on lines of their own. */
#define PLAN(model, rest)                                                                          \
    "{\n\"model\": " model ",\n\"hardware\": " TEST_HARDWARE ",\n\"runtime\": " TEST_RUNTIME       \
    ",\n" rest "\n}\n"

/* A transformer with one member changed. */
#define MODEL(layers)                                                                              \
    "{\"transformer\": {\"layers\": " layers ", \"hidden\": 1024, \"heads\": 16, \"vocabulary\": " \
    "51200, \"sequence\": 1024}}"

/* Hardware with one device member changed. */
#define MACHINE(device)                                                                            \
    "{\n\"model\": " TEST_MODEL ",\n\"hardware\": {\"gpus_per_node\": 1, \"device\": {\n" device   \
    "\n}},\n\"runtime\": " TEST_RUNTIME ",\n\"gpus\": 1\n}\n"

static const struct {
    const char *text;
    const char *message;
} refused[] = {
    /* Not JSON. */
    {"", "plans/p.json:1:1: end of the text; expected a value"},
    {"{\"gpus\": 8", "plans/p.json:1:11: end of the text; expected \",\" or \"}\""},
    {"{\"gpus\": 8,}", "plans/p.json:1:12: \"}\" here; expected a key in double quotes"},
    {"{\"gpus\": NaN}", "plans/p.json:1:10: \"NaN\" here; expected a value"},
    {"{\"gpus\": 08}", "plans/p.json:1:10: \"08\" is not a number; a number has no leading zeros"},
    {"{\"gpus\": 8} {}", "plans/p.json:1:13: \"{\" here; expected the end of the text"},
    {"{\"gpus\": \"\\u0000\"}", "plans/p.json:1:11: \\u0000 in a string; text cannot hold it"},
    {"{\"gpus\": \"\xff\"}", "plans/p.json:1:11: byte 0xff is not UTF-8; expected UTF-8 text"},
    {"{\"gpus\": 8, \"gpus\": 9}", "plans/p.json:1:13: /gpus: stands twice; first on line 1"},
    {"{\"gpus\": 1e999}", "plans/p.json:1:10: /gpus: is 1e999; must be below 1.8e308 in size"},
    {"[1]", "plans/p.json:1:1: /: must be an object"},
    {"3", "plans/p.json:1:1: /: must be an object"},
    /* Parts. */
    {"{\"gpus\": 8}",
     "plans/p.json:1:1: /model: missing; expected the name of a preset, a path, or an object\n"
     "plans/p.json:1:1: /hardware: missing; expected the name of a preset, a path, or an "
     "object"},
    {"{\"model\": 3, \"hardware\": [], \"runtime\": true, \"gpus\": 8}",
     "plans/p.json:1:11: /model: must be the name of a preset, a path, or an object\n"
     "plans/p.json:1:26: /hardware: must be the name of a preset, a path, or an object\n"
     "plans/p.json:1:41: /runtime: must be the name of a preset, a path, or an object"},
    {"{\"model\": \"llama-3-80b\",\n \"hardware\": \"dgx-a100-80bg\",\n \"runtime\": "
     "\"megatronn\", \"gpus\": 8}",
     "plans/p.json:1:11: /model: no model \"llama-3-80b\"; did you mean \"llama-3-70b\"?\n"
     "plans/p.json:2:14: /hardware: no hardware \"dgx-a100-80bg\"; did you mean "
     "\"dgx-a100-80gb\"?\n"
     "plans/p.json:3:13: /runtime: no runtime \"megatronn\"; did you mean \"megatron\"?"},
    {"{\"model\": \"no/such.json\", \"hardware\": " TEST_HARDWARE ", \"runtime\": " TEST_RUNTIME
     ", \"gpus\": 8}",
     "plans/p.json:1:11: /model: plans/no/such.json: No such file or directory"},
    /* Counts. */
    {PLAN(MODEL("0"), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: is 0; must be from 1 to 16384"},
    {PLAN(MODEL("-3"), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: is -3; must be from 1 to 16384"},
    {PLAN(MODEL("2.5"), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: must be a whole number from 1 to 16384"},
    {PLAN(MODEL("\"24\""), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: must be a whole number from 1 to 16384"},
    {PLAN(MODEL("9007199254740993"), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: is 9007199254740992; must be from 1 to "
     "16384"},
    {PLAN(MODEL("1e300"), "\"gpus\": 1"),
     "plans/p.json:2:37: /model/transformer/layers: is 1e300; must be from 1 to 16384"},
    {PLAN(MODEL("24"), "\"tensor\": 2"),
     "plans/p.json:1:1: /gpus: missing; expected a whole number from 1 to 1048576\n"
     "plans/p.json:5:1: /tensor: unknown; must be one of schema, name, about, source, model, "
     "hardware, runtime, gpus, parallel, batch, schedule, layers_per_stage, recompute, "
     "recompute_layers, recompute_group, zero_stage, precision, flash_attention, overlap, run"},
    {PLAN("{\"transformer\": {\"layers\": 1, \"hidden\": 3, \"heads\": 0, \"kv_heads\": 5, "
          "\"vocabulary\": 1, \"sequence\": 1}}",
          "\"gpus\": 1"),
     "plans/p.json:2:62: /model/transformer/heads: is 0; must be from 1 to 16777216"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"parallel\": {\"tensor\": 0, \"pipline\": 2}"),
     "plans/p.json:5:35: /parallel/tensor: is 0; must be from 1 to 65536\n"
     "plans/p.json:5:38: /parallel/pipline: unknown; did you mean \"pipeline\"?"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"parallel\": [2, 2]"),
     "plans/p.json:5:24: /parallel: must be an object"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"batch\": {\"micro\": 0, \"global\": 0}"),
     "plans/p.json:5:31: /batch/micro: is 0; must be from 1 to 1073741824\n"
     "plans/p.json:5:44: /batch/global: is 0; must be from 1 to 1073741824"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"batch\": {\"micro\": 1073741824}"),
     "plans/p.json:5:21: /batch/global: missing; micro 1073741824 x data 8 x 1 microbatch is "
     "more than 1073741824 samples (PSIM_LIMIT_BATCH)"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"zero_stage\": 4"),
     "plans/p.json:5:26: /zero_stage: is 4; must be from 0 to 3"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"run\": {\"tokens\": -1}"),
     "plans/p.json:5:30: /run/tokens: is -1; must be from 0 to 1e18"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"run\": {\"tokens\": \"270 B\"}"),
     "plans/p.json:5:30: /run/tokens: must be a number"},
    /* Words. */
    {PLAN(MODEL("24"), "\"gpus\": 8, \"recompute\": \"fulll\""),
     "plans/p.json:5:25: /recompute: is \"fulll\"; must be one of none, selective, full; did "
     "you mean \"full\"?"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"precision\": \"bf61\""),
     "plans/p.json:5:25: /precision: is \"bf61\"; must be one of fp32, tf32, fp16, bf16, fp8; "
     "did you mean \"bf16\"?"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"schedule\": \"1f1b\""),
     "plans/p.json:5:24: /schedule: must be an object"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"layers_per_stage\": \"odd\""),
     "plans/p.json:5:32: /layers_per_stage: must be \"even\", \"balanced\" or an array of "
     "layers, one number a stage"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"layers_per_stage\": [\"24\"]"),
     "plans/p.json:5:33: /layers_per_stage/0: must be a whole number from 0 to 16384"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"flash_attention\": 1"),
     "plans/p.json:5:31: /flash_attention: must be true or false"},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"schema\": \"plansim.plan/2\""),
     "plans/p.json:5:22: /schema: is \"plansim.plan/2\"; must be \"plansim.plan/1\""},
    {PLAN(MODEL("24"), "\"gpus\": 8, \"name\": 5"), "plans/p.json:5:20: /name: must be a string"},
    /* Quantities. */
    {MACHINE("\"peak\": {\"fp32\": \"10 TFLOP\"}, \"memory\": {\"total\": \"80 GB/s\", "
             "\"bandwidth\": \"1 TB\"}"),
     "plans/p.json:4:18: /hardware/device/peak/fp32: \"10 TFLOP\" is an amount of work; must "
     "be a compute rate such as \"312 TFLOP/s\"\n"
     "plans/p.json:4:51: /hardware/device/memory/total: \"80 GB/s\" is a bandwidth; must be a "
     "size such as \"80 GiB\"\n"
     "plans/p.json:4:75: /hardware/device/memory/bandwidth: \"1 TB\" is a size; must be a "
     "bandwidth such as \"900 GB/s\""},
    {MACHINE("\"peak\": {\"fp32\": 10e12}, \"memory\": {\"total\": 80, \"bandwidth\": \"1\"}"),
     "plans/p.json:4:18: /hardware/device/peak/fp32: is 10000000000000; a quantity needs its "
     "unit, such as \"312 TFLOP/s\"\n"
     "plans/p.json:4:46: /hardware/device/memory/total: is 80; a quantity needs its unit, "
     "such as \"80 GiB\"\n"
     "plans/p.json:4:63: /hardware/device/memory/bandwidth: \"1\" has no unit; must be a "
     "bandwidth such as \"900 GB/s\""},
    {MACHINE("\"peak\": {\"fp32\": \"10 TFLOP/s\"}, \"memory\": {\"total\": \"-80 GB\", "
             "\"bandwidth\": \"1 furlong/s\"}"),
     "plans/p.json:4:53: /hardware/device/memory/total: is \"-80 GB\"; must be from 1 B to "
     "1e+18 B\n"
     "plans/p.json:4:76: /hardware/device/memory/bandwidth: \"1 furlong/s\" has the unknown "
     "unit \"furlong/s\"; must be a bandwidth such as \"900 GB/s\""},
    {MACHINE("\"peak\": {\"fp32\": \"10 TFLOP/s\"}, \"memory\": {\"total\": \"1e400 GB\", "
             "\"bandwidth\": \"nan GB/s\"}"),
     "plans/p.json:4:53: /hardware/device/memory/total: \"1e400 GB\" is out of range; must "
     "fit a double\n"
     "plans/p.json:4:78: /hardware/device/memory/bandwidth: \"nan GB/s\" does not begin with "
     "a number; must be a bandwidth such as \"900 GB/s\""},
    {MACHINE(
         "\"peak\": {\"fp31\": \"10 TFLOP/s\"}, \"memory\": {\"total\": \"80 GB\", "
         "\"bandwidth\": \"1 TB/s\", \"bandwith\": \"1 TB/s\"}, \"gemm\": {\"efficiency\": 75}"),
     "plans/p.json:4:9: /hardware/device/peak: names no precision; expected a dense rate such "
     "as \"bf16\": \"312 TFLOP/s\"\n"
     "plans/p.json:4:10: /hardware/device/peak/fp31: unknown; did you mean \"fp32\"?\n"
     "plans/p.json:4:85: /hardware/device/memory/bandwith: unknown; must be one of label, "
     "total, usable, bandwidth, l2, provenance\n"
     "plans/p.json:4:131: /hardware/device/gemm/efficiency: is 75; must be from 0.001 to 2"},
};

START_TEST(bad_input_gets_its_place_and_what_is_wrong)
{
    g_autoptr(GError) error = NULL;
    const char *text = refused[_i].text;
    g_autoptr(PsimPlan) plan = psim_plan_parse(text, strlen(text), "plans/p.json", NULL, 0, &error);

    ck_assert_ptr_null(plan);
    ck_assert_str_eq(error->message, refused[_i].message);
}
END_TEST

START_TEST(an_unknown_schedule_is_answered_with_all_there_are)
{
    static const char text[] = PLAN(MODEL("24"), "\"gpus\": 8, \"schedule\": {\"name\": \"1f1\"}");
    g_autofree char *names = g_strjoinv(", ", (char **)(uintptr_t)psim_schedule_names());
    g_autofree char *expected =
        g_strdup_printf("plans/p.json:5:33: /schedule/name: is \"1f1\"; must "
                        "be one of %s; did you mean \"1f1b\"?",
                        names);
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_plan_parse(text, strlen(text), "plans/p.json", NULL, 0, &error));
    ck_assert_str_eq(error->message, expected);
}
END_TEST

START_TEST(a_plan_cut_anywhere_is_refused)
{
    const size_t n_bytes = strlen(TEST_PLAN);

    /* The last two bytes are the closing brace and a newline, which may go. */
    for (size_t n = 0; n < n_bytes - 2; n++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimPlan) plan = psim_plan_parse(TEST_PLAN, n, "p.json", NULL, 0, &error);

        ck_assert_ptr_null(plan);
        ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_SYNTAX));
    }
}
END_TEST

Suite *
bad_input_suite(void)
{
    Suite *suite = suite_create("bad input");
    TCase *tcase = tcase_create("bad input");

    tcase_add_loop_test(tcase, bad_input_gets_its_place_and_what_is_wrong, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_test(tcase, an_unknown_schedule_is_answered_with_all_there_are);
    tcase_add_test(tcase, a_plan_cut_anywhere_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
