/* SPDX-License-Identifier: MIT */
#include "test_spec.h"

#include "spec/plan.h"
#include "spec/preset.h"
#include "spec/runtime.h"
#include "json/reader.h"

#include <glib/gstdio.h>
#include <string.h>

START_TEST(names_are_sorted_stems_without_schemas)
{
    g_auto(GStrv) names = psim_preset_names((PsimPresetKind)_i);

    ck_assert_ptr_nonnull(names[0]);
    for (size_t i = 0; names[i] != NULL; i++) {
        ck_assert(!g_str_has_suffix(names[i], ".json"));
        ck_assert(!g_str_has_suffix(names[i], "schema"));
        if (i > 0)
            ck_assert_int_lt(strcmp(names[i - 1], names[i]), 0);
    }
}
END_TEST

START_TEST(text_of_a_preset_is_its_file_and_of_none_is_null)
{
    g_autofree char *text = psim_preset_text(PSIM_PRESET_MODEL, "mt-nlg-530b");
    g_autofree char *none = psim_preset_text(PSIM_PRESET_MODEL, "no-such-model");
    g_autofree char *device = psim_preset_text(PSIM_PRESET_HARDWARE, "devices/a100-sxm4-80gb");

    ck_assert_ptr_nonnull(strstr(text, "\"hidden\": 20480"));
    ck_assert_ptr_null(none);
    ck_assert_ptr_null(device);
}
END_TEST

static const struct {
    PsimPresetKind kind;
    const char *name;
    const char *message;
} unknown[] = {
    {PSIM_PRESET_MODEL, "llama-3-80b", "no model \"llama-3-80b\"; did you mean \"llama-3-70b\"?"},
    {PSIM_PRESET_HARDWARE, "dgx-a100-80bg",
     "no hardware \"dgx-a100-80bg\"; did you mean \"dgx-a100-80gb\"?"},
    {PSIM_PRESET_DEVICE, "a100-sxm4-80g",
     "no device \"a100-sxm4-80g\"; did you mean \"a100-sxm4-80gb\"?"},
    {PSIM_PRESET_RUNTIME, "megatronn", "no runtime \"megatronn\"; did you mean \"megatron\"?"},
    {PSIM_PRESET_PLAN, "mt-nlg-530b-420-node",
     "no plan \"mt-nlg-530b-420-node\"; did you mean \"mt-nlg-530b-420-nodes\"?"},
};

START_TEST(an_unknown_name_gets_the_nearest_one)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(unknown[_i].kind, unknown[_i].name, NULL, &error);

    ck_assert_ptr_null(document);
    ck_assert_str_eq(error->message, unknown[_i].message);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_VALUE));
}
END_TEST

START_TEST(a_name_like_no_other_gets_some_of_all)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_HARDWARE, "xyzzy-1234567890", NULL, &error);
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_HARDWARE);
    g_autofree char *more = g_strdup_printf(" and %u more; or give a path that ends in .json",
                                            g_strv_length(names) - 12);

    ck_assert_ptr_null(document);
    ck_assert_msg(
        g_str_has_prefix(error->message, "no hardware \"xyzzy-1234567890\"; there are a100-"), "%s",
        error->message);
    ck_assert_msg(g_str_has_suffix(error->message, more), "%s", error->message);
}
END_TEST

START_TEST(a_part_of_names_gets_those_that_have_it)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_MODEL, "llama-3", NULL, &error);
    g_autoptr(GError) single = NULL;
    g_autoptr(PsimDocument) none =
        psim_preset_resolve(PSIM_PRESET_MODEL, "llama-3-8", NULL, &single);

    ck_assert_ptr_null(document);
    ck_assert_msg(
        g_str_has_prefix(error->message, "no model \"llama-3\"; did you mean one of llama-3-"),
        "%s", error->message);
    ck_assert_ptr_null(none);
    ck_assert_str_eq(single->message, "no model \"llama-3-8\"; did you mean \"llama-3-8b\"?");
}
END_TEST

START_TEST(a_misspelt_device_given_as_hardware_is_explained_too)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_HARDWARE, "a100-sxm4-80g", NULL, &error);

    ck_assert_ptr_null(document);
    ck_assert_msg(g_str_has_prefix(error->message,
                                   "no hardware \"a100-sxm4-80g\"; \"a100-sxm4-80gb\" is a "
                                   "device; hardware with it: "),
                  "%s", error->message);
}
END_TEST

START_TEST(a_device_given_as_hardware_names_the_nodes_that_have_it)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimHardware) hardware = psim_hardware_load("a100-sxm4-80gb", NULL, 0, &error);

    ck_assert_ptr_null(hardware);
    ck_assert_msg(
        g_str_has_prefix(error->message, "\"a100-sxm4-80gb\" is a device; hardware with it: "),
        "%s", error->message);
    ck_assert_ptr_nonnull(strstr(error->message, "dgx-a100-80gb"));
}
END_TEST

START_TEST(a_path_is_relative_to_the_directory_given)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *directory = g_dir_make_tmp("plansim-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "here.json", NULL);

    ck_assert(g_file_set_contents(path, "{\"a\": 1}", -1, NULL));

    g_autoptr(PsimDocument) relative =
        psim_preset_resolve(PSIM_PRESET_MODEL, "here.json", directory, &error);
    g_autoptr(PsimDocument) absolute =
        psim_preset_resolve(PSIM_PRESET_MODEL, path, "/elsewhere", &error);

    ck_assert_ptr_nonnull(relative);
    ck_assert_str_eq(psim_document_name(relative), path);
    ck_assert_ptr_nonnull(absolute);
    g_unlink(path);
    g_rmdir(directory);
}
END_TEST

START_TEST(a_path_to_nothing_is_an_input_error)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimModel) model = psim_model_load("./no-such-file.json", NULL, 0, &error);

    ck_assert_ptr_null(model);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
    ck_assert_str_eq(error->message, "./no-such-file.json: No such file or directory");
}
END_TEST

/* -- The data itself --------------------------------------------------------------------------- */

START_TEST(every_model_reads_and_reads_back_equal)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_MODEL);

    for (size_t i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimModel) model = psim_model_load(names[i], NULL, 0, &error);

        ck_assert_msg(model != NULL, "%s", error != NULL ? error->message : "");
        ck_assert_str_eq(model->name, names[i]);
        ck_assert_uint_eq(strlen(model->digest), 64);
    }
}
END_TEST

START_TEST(every_hardware_reads)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_HARDWARE);

    for (size_t i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimHardware) hardware = psim_hardware_load(names[i], NULL, 0, &error);

        ck_assert_msg(hardware != NULL, "%s", error != NULL ? error->message : "");
        ck_assert_str_eq(hardware->name, names[i]);
    }
}
END_TEST

START_TEST(every_device_reads)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_DEVICE);

    for (size_t i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        const PsimOverride swap = {"/device", names[i]};
        g_autoptr(PsimHardware) hardware = psim_hardware_load("dgx-a100-80gb", &swap, 1, &error);

        ck_assert_msg(hardware != NULL, "%s", error != NULL ? error->message : "");
        ck_assert_str_eq(hardware->device.name, names[i]);
    }
}
END_TEST

START_TEST(every_runtime_reads)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_RUNTIME);

    for (size_t i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimComplaints) complaints = psim_complaints_new();
        g_autoptr(PsimDocument) document =
            psim_preset_resolve(PSIM_PRESET_RUNTIME, names[i], NULL, &error);
        PsimRuntime runtime = {0};

        psim_runtime_read(&runtime, document, complaints);
        ck_assert_msg(psim_complaints_finish(complaints, &error), "%s",
                      error != NULL ? error->message : "");
        ck_assert_str_eq(runtime.name, names[i]);
        psim_runtime_clear(&runtime);
    }
}
END_TEST

START_TEST(every_plan_reads_and_reads_back_equal)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_PLAN);

    for (size_t i = 0; names[i] != NULL; i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PsimPlan) plan = psim_plan_load(names[i], NULL, 0, &error);

        ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");

        g_autofree char *text = psim_plan_write(plan);
        g_autoptr(PsimPlan) again =
            psim_plan_parse(text, strlen(text), "again.json", NULL, 0, &error);

        ck_assert_msg(again != NULL, "%s", error != NULL ? error->message : "");
        ck_assert_str_eq(again->digest, plan->digest);
        ck_assert_str_eq(again->model->digest, plan->model->digest);
        ck_assert_str_eq(again->hardware->digest, plan->hardware->digest);
    }
}
END_TEST

Suite *
preset_suite(void)
{
    Suite *suite = suite_create("preset");
    TCase *tcase = tcase_create("preset");

    tcase_add_loop_test(tcase, names_are_sorted_stems_without_schemas, PSIM_PRESET_MODEL,
                        PSIM_PRESET_PLAN + 1);
    tcase_add_test(tcase, text_of_a_preset_is_its_file_and_of_none_is_null);
    tcase_add_loop_test(tcase, an_unknown_name_gets_the_nearest_one, 0, G_N_ELEMENTS(unknown));
    tcase_add_test(tcase, a_name_like_no_other_gets_some_of_all);
    tcase_add_test(tcase, a_part_of_names_gets_those_that_have_it);
    tcase_add_test(tcase, a_misspelt_device_given_as_hardware_is_explained_too);
    tcase_add_test(tcase, a_device_given_as_hardware_names_the_nodes_that_have_it);
    tcase_add_test(tcase, a_path_is_relative_to_the_directory_given);
    tcase_add_test(tcase, a_path_to_nothing_is_an_input_error);
    tcase_add_test(tcase, every_model_reads_and_reads_back_equal);
    tcase_add_test(tcase, every_hardware_reads);
    tcase_add_test(tcase, every_device_reads);
    tcase_add_test(tcase, every_runtime_reads);
    tcase_add_test(tcase, every_plan_reads_and_reads_back_equal);
    suite_add_tcase(suite, tcase);
    return suite;
}
