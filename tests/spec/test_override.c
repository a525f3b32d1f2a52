/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "spec/plan.h"

#include <glib/gstdio.h>
#include <string.h>

static PsimPlan *
accept(const char *text, const char *sets)
{
    g_autoptr(GError) error = NULL;
    PsimPlan *plan = test_spec_parse(text, sets, &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

/* Everything by name: the overrides must reach into three files. */
static const char named[] = "{\"model\": \"mt-nlg-530b\", \"hardware\": \"dgx-a100-80gb\", "
                            "\"runtime\": \"megatron-2021\", \"gpus\": 8, "
                            "\"parallel\": {\"tensor\": 8}}";

START_TEST(overrides_reach_into_the_files_a_plan_names)
{
    g_autoptr(PsimPlan) plan = accept(named, "/model/transformer/layers=7|/hardware/max_nodes=3|"
                                             "/hardware/device/memory/total=96 GB|"
                                             "/runtime/memory/fragmentation=0.5|/recompute=full");

    ck_assert_uint_eq(plan->model->n_layers, 7);
    ck_assert_uint_eq(plan->model->hidden, 20480);
    ck_assert_uint_eq(plan->hardware->max_nodes, 3);
    ck_assert(plan->hardware->device.memory_bytes == 96e9);
    ck_assert_uint_eq(plan->hardware->device.n_sms, 108);
    ck_assert(plan->runtime.fragmentation_fraction == 0.5);
    ck_assert_int_eq(plan->recompute, PSIM_RECOMPUTE_FULL);
}
END_TEST

START_TEST(a_name_is_replaced_before_what_lies_below_it)
{
    g_autoptr(PsimPlan) plan = accept(
        named, "/model/transformer/layers=7|/model=alexnet|/model=gpt2-xl|/parallel/tensor=1|"
               "/hardware/device/sms=7|/hardware/device=v100-sxm2-16gb");

    ck_assert_str_eq(plan->model->name, "gpt2-xl");
    ck_assert_uint_eq(plan->model->n_layers, 7);
    ck_assert_str_eq(plan->hardware->device.name, "v100-sxm2-16gb");
    ck_assert_uint_eq(plan->hardware->device.n_sms, 7);
}
END_TEST

START_TEST(overrides_reach_into_inline_parts)
{
    g_autoptr(PsimPlan) plan =
        accept(TEST_PLAN, "/model/transformer/layers=8|/hardware/device/sms=7|"
                          "/runtime/memory/fragmentation=0.25");

    ck_assert_uint_eq(plan->model->n_layers, 8);
    ck_assert_uint_eq(plan->hardware->device.n_sms, 7);
    ck_assert(plan->runtime.fragmentation_fraction == 0.25);
}
END_TEST

START_TEST(overrides_reach_a_device_named_by_inline_hardware)
{
    g_autoptr(PsimPlan) plan =
        accept(TEST_PLAN, "/hardware/device/sms=7|/hardware/device=a100-sxm4-80gb");
    g_autofree char *origin =
        test_spec_default(plan->hardware->defaults, "/hardware/scale_up/fraction");

    ck_assert_str_eq(plan->hardware->name, "box");
    ck_assert_str_eq(plan->hardware->device.name, "a100-sxm4-80gb");
    ck_assert_uint_eq(plan->hardware->device.n_sms, 7);
    ck_assert_str_eq(origin, "0.78, default");
}
END_TEST

START_TEST(overrides_reach_the_default_runtime)
{
    g_autoptr(PsimPlan) plan = accept("{}", "/model=gpt2-xl|/hardware=dgx-a100-80gb|/gpus=8|"
                                            "/runtime/memory/fragmentation=0.25");
    g_autofree char *runtime = test_spec_default(plan->defaults, "/runtime");

    ck_assert_str_eq(plan->runtime.name, "megatron");
    ck_assert(plan->runtime.fragmentation_fraction == 0.25);
    ck_assert_str_eq(runtime, "\"megatron\", default");
}
END_TEST

START_TEST(a_plan_may_be_overrides_alone)
{
    g_autoptr(PsimPlan) plan =
        accept("{}", "/model=gpt2-xl|/hardware=dgx-a100-80gb|/gpus=16|/parallel/pipeline=4");

    ck_assert_uint_eq(plan->dp, 4);
    ck_assert_uint_eq(plan->n_microbatches, 32);
    ck_assert_str_eq(g_ptr_array_index(plan->files, 0), "p.json");
    ck_assert_str_eq(g_ptr_array_index(plan->files, 1), "gpt2-xl");
    ck_assert_str_eq(g_ptr_array_index(plan->files, 2), "dgx-a100-80gb");
    ck_assert_str_eq(g_ptr_array_index(plan->files, 3), "megatron");
}
END_TEST

START_TEST(a_path_in_a_plan_is_relative_to_it_and_one_of_an_override_is_not)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *model = g_build_filename(directory, "model.json", NULL);
    g_autofree char *path = g_build_filename(directory, "plan.json", NULL);
    const PsimOverride away = {"/model", "./model.json"};

    ck_assert(g_file_set_contents(model, TEST_MODEL, -1, NULL));
    ck_assert(g_file_set_contents(path,
                                  "{\"model\": \"model.json\", \"hardware\": " TEST_HARDWARE
                                  ", \"runtime\": " TEST_RUNTIME ", \"gpus\": 8}",
                                  -1, NULL));

    g_autoptr(PsimPlan) plan = psim_plan_load(path, NULL, 0, &error);
    g_autoptr(PsimPlan) none = psim_plan_load(path, &away, 1, NULL);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    ck_assert_str_eq(plan->name, "plan");
    ck_assert_str_eq(plan->model->name, "model");
    ck_assert_str_eq(g_ptr_array_index(plan->files, 1), "model.json");
    ck_assert_ptr_null(none);
    g_unlink(model);
    g_unlink(path);
    g_rmdir(directory);
}
END_TEST

static const struct {
    const char *text;
    const char *sets;
    const char *message;
} refused[] = {
    {TEST_PLAN, "gpus=4",
     "--set gpus=4: is not a pointer; must begin with \"/\", such as "
     "/parallel/tensor"},
    {TEST_PLAN, "/gpus/x=4",
     "--set /gpus/x=4: /gpus: is a number; must be an object to hold \"x\""},
    {named, "/model/transformer/layers=0",
     "--set /transformer/layers=0: /transformer/layers: is 0; must be from 1 to 16384"},
    {named, "/hardware/device/memory/total=80 GB/s",
     "--set /memory/total=80 GB/s: /memory/total: \"80 GB/s\" is a bandwidth; must be a size such "
     "as \"80 GiB\""},
    {named, "/runtime/overlap/data=8",
     "--set /overlap/data=8: /overlap/data: must be true or false"},
};

START_TEST(an_override_that_cannot_be_says_so)
{
    g_autofree char *message = test_spec_complain(refused[_i].text, refused[_i].sets);

    ck_assert_str_eq(message, refused[_i].message);
}
END_TEST

Suite *
override_suite(void)
{
    Suite *suite = suite_create("override");
    TCase *tcase = tcase_create("override");

    tcase_add_test(tcase, overrides_reach_into_the_files_a_plan_names);
    tcase_add_test(tcase, a_name_is_replaced_before_what_lies_below_it);
    tcase_add_test(tcase, overrides_reach_into_inline_parts);
    tcase_add_test(tcase, overrides_reach_a_device_named_by_inline_hardware);
    tcase_add_test(tcase, overrides_reach_the_default_runtime);
    tcase_add_test(tcase, a_plan_may_be_overrides_alone);
    tcase_add_test(tcase, a_path_in_a_plan_is_relative_to_it_and_one_of_an_override_is_not);
    tcase_add_loop_test(tcase, an_override_that_cannot_be_says_so, 0, G_N_ELEMENTS(refused));
    suite_add_tcase(suite, tcase);
    return suite;
}
