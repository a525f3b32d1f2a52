/* SPDX-License-Identifier: MIT */
#include "fixture.h"

#include <cJSON.h>
#include <check.h>
#include <string.h>

Suite *json_report_suite(void);

START_TEST(a_schedule_is_told_to_the_letter)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *text = fixture_tell(result, "json");

    ck_assert_str_eq(text, "{\n"
                           "  \"makespan\": 18,\n"
                           "  \"busy\": [12, 12, 12],\n"
                           "  \"own_span\": [18, 15, 12],\n"
                           "  \"peak_chunks\": [3, 2, 1],\n"
                           "  \"bubble\": {\"time\": 6, \"fraction_of_total\": 0.3333333333333333, "
                           "\"ratio_to_ideal\": 0.5},\n"
                           "  \"deadlock\": null,\n"
                           "  \"ranks\": [\n"
                           "    [\"F0\", \"F1\", \"F2\", \"B0\", \"F3\", \"B1\", \"B2\", \"B3\"],\n"
                           "    [\"F0\", \"F1\", \"B0\", \"F2\", \"B1\", \"F3\", \"B2\", \"B3\"],\n"
                           "    [\"F0\", \"B0\", \"F1\", \"B1\", \"F2\", \"B2\", \"F3\", \"B3\"]\n"
                           "  ]\n"
                           "}\n");
}
END_TEST

START_TEST(a_deadlock_leaves_times_open_and_names_the_heads)
{
    g_autoptr(PsimResult) result = fixture_deadlock();
    g_autofree char *text = fixture_tell(result, "json");

    ck_assert_str_eq(text, "{\n"
                           "  \"makespan\": null,\n"
                           "  \"busy\": null,\n"
                           "  \"own_span\": null,\n"
                           "  \"peak_chunks\": null,\n"
                           "  \"bubble\": null,\n"
                           "  \"deadlock\": {\n"
                           "    \"heads\": [\"B0\", \"B0\"]\n"
                           "  },\n"
                           "  \"ranks\": [\n"
                           "    [\"F0\", \"B0\"],\n"
                           "    [\"B0\", \"F0\"],\n"
                           "    []\n"
                           "  ]\n"
                           "}\n");
}
END_TEST

/* The names of the members of an object, in order. */
static void
check_members(const cJSON *object, const char *expected)
{
    g_autoptr(GString) names = g_string_new(NULL);
    const cJSON *member = NULL;

    ck_assert_ptr_nonnull(object);
    cJSON_ArrayForEach(member, object)
    {
        g_string_append_printf(names, "%s%s", names->len > 0 ? " " : "", member->string);
    }
    ck_assert_str_eq(names->str, expected);
}

static const struct {
    const char *path; /* object, or array whose first row is meant; "" the root */
    const char *members;
} promises[] = {
    {"", "schema schema_version tool_version input model plan verdict step pipeline stages "
         "collectives run assumptions warnings"},
    {"input", "files resolved defaults_used digest"},
    {"model", "name params_total params_active params_by_part flops_per_token_model "
              "flops_per_token_hardware"},
    {"plan", "world_size tp pp dp cp ep etp vp zero_stage micro_batch global_batch "
             "num_microbatches schedule layers_per_stage recompute precision"},
    {"verdict", "fits worst_stage worst_peak_bytes capacity_bytes margin_bytes binding_term fixes"},
    {"step", "time_s time_ps time_low_s time_high_s tokens_per_s tokens_per_s_per_gpu "
             "mfu_fraction hfu_fraction model_tflops_per_gpu hw_tflops_per_gpu breakdown_s "
             "breakdown_ps"},
    {"pipeline", "bubble_fraction bubble_definition ideal_bubble_fraction bubble_s "
                 "bubble_ratio_to_ideal ideal_text bubble_reason"},
    {"stages", "stage layers params weights_bytes gradients_bytes optimizer_bytes "
               "activations_bytes logits_bytes comm_buffers_bytes overhead_bytes "
               "communicators_bytes peak_bytes peak_time_s peak_event in_flight_max busy_s "
               "idle_s bubble_fraction"},
    {"collectives", "kind group group_size crosses_node bytes count time_s exposed_s"},
    {"run", "tokens days gpu_hours cost currency"},
    {"assumptions", "name value source effect"},
    {"warnings", "code severity message fix"},
};

/* Told in full or with nothing known, the members are the same. */
START_TEST(members_of_a_run_keep_their_names_and_order)
{
    const char *path = promises[_i].path;
    g_autoptr(PsimResult) full = fixture_run(/* fits= */ false);
    g_autoptr(PsimResult) empty = psim_result_new(PSIM_RESULT_RUN);
    g_autofree char *full_text = fixture_tell(full, "json");
    g_autofree char *empty_text = fixture_tell(empty, "json");
    cJSON *full_root = cJSON_Parse(full_text);
    cJSON *empty_root = cJSON_Parse(empty_text);
    const bool root = path[0] == '\0';
    const cJSON *told = root ? full_root : cJSON_GetObjectItemCaseSensitive(full_root, path);
    const cJSON *open = root ? empty_root : cJSON_GetObjectItemCaseSensitive(empty_root, path);

    check_members(cJSON_IsArray(told) ? told->child : told, promises[_i].members);
    if (!cJSON_IsArray(open))
        check_members(open, promises[_i].members);
    cJSON_Delete(full_root);
    cJSON_Delete(empty_root);
}
END_TEST

static const char breakdown[] =
    "compute recompute tp_exposed pp_exposed cp_exposed ep_exposed dp_exposed bubble optimizer "
    "other";

START_TEST(the_breakdown_sums_to_the_step_exactly)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *text = fixture_tell(result, "json");
    cJSON *root = cJSON_Parse(text);
    const cJSON *step = cJSON_GetObjectItemCaseSensitive(root, "step");
    const cJSON *parts = cJSON_GetObjectItemCaseSensitive(step, "breakdown_ps");
    const cJSON *part = NULL;
    int64_t sum = 0;

    check_members(parts, breakdown);
    check_members(cJSON_GetObjectItemCaseSensitive(step, "breakdown_s"), breakdown);
    cJSON_ArrayForEach(part, parts)
    {
        sum += (int64_t)part->valuedouble;
    }
    ck_assert_int_eq(sum, INT64_C(9000000000200));
    /* Exact decimals, beyond what a double of seconds would print by itself. */
    ck_assert_ptr_nonnull(strstr(text, "\"time_s\": 9.0000000002,"));
    ck_assert_ptr_nonnull(strstr(text, "\"bubble\": 3.0000000001,"));
    ck_assert_ptr_nonnull(strstr(text, "\"pp_exposed\": 0.0000000001,"));
    ck_assert_ptr_nonnull(strstr(text, "\"time_ps\": 9000000000200,"));
    cJSON_Delete(root);
}
END_TEST

START_TEST(what_is_not_modelled_is_null)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ false);
    g_autofree char *text = fixture_tell(result, "json");
    static const char *const pieces[] = {
        "\"ep\": null",
        "\"time_low_s\": null",
        "\"fits\": false",
        "\"currency\": \"USD\"",
        "{\"change\": \"tp=8, dp=1\", \"peak_bytes\": 18000000000, \"step_s\": null}",
        "\"resolved\": {\"name\": \"tiny\"}",
    };

    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++)
        ck_assert_msg(strstr(text, pieces[i]) != NULL, "%s", pieces[i]);
}
END_TEST

Suite *
json_report_suite(void)
{
    Suite *suite = suite_create("json_report");
    TCase *schedule = tcase_create("schedule");
    TCase *run = tcase_create("run");

    tcase_add_test(schedule, a_schedule_is_told_to_the_letter);
    tcase_add_test(schedule, a_deadlock_leaves_times_open_and_names_the_heads);
    suite_add_tcase(suite, schedule);
    tcase_add_loop_test(run, members_of_a_run_keep_their_names_and_order, 0,
                        (int)G_N_ELEMENTS(promises));
    tcase_add_test(run, the_breakdown_sums_to_the_step_exactly);
    tcase_add_test(run, what_is_not_modelled_is_null);
    suite_add_tcase(suite, run);
    return suite;
}
