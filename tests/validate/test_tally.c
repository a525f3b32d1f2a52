/* SPDX-License-Identifier: MIT */
/* Predictions made up by hand, so that the output is exact whatever the cost model says. */
#include "test_validate.h"

#include "validate/validation.h"

#include <math.h>
#include <string.h>

static PsimPrediction *
make_prediction(double step_s, bool oom, double bytes, const char *assumed)
{
    PsimPrediction *self = g_new0(PsimPrediction, 1);

    *self = (PsimPrediction){
        .hardware = g_strdup("dgx-a100-80gb"),
        .runtime = g_strdup("ideal"),
        .assumed = g_new0(char *, 2),
        .step_s = step_s,
        .low_s = 0.75 * step_s,
        .high_s = 1.375 * step_s,
        .bubble_fraction = 0.25,
        .mfu_fraction = 0.5,
        .oom = oom,
        .peak_bytes = bytes,
        .compared_bytes = bytes,
    };
    self->assumed[0] = g_strdup(assumed);
    self->parts_s[0] = step_s;
    return self;
}

static PsimPrediction *
make_skipped(void)
{
    PsimPrediction *self = make_prediction((double)NAN, false, (double)NAN, NULL);

    self->skipped = "unknown GPU";
    self->detail = g_strdup("unknown GPU: \"T4\", 16 GB");
    return self;
}

static void
add(PsimValidation *self, const char *file, const char *change, PsimPrediction *prediction)
{
    PsimRow *row = test_plain_row(change);

    g_free(row->source_file);
    row->source_file = g_strdup(file);
    g_ptr_array_add(self->rows, row);
    g_ptr_array_add(self->predictions, prediction);
}

static PsimValidation *
make_validation(void)
{
    PsimValidation *self = g_new0(PsimValidation, 1);

    self->rows = g_ptr_array_new_with_free_func(psim_row_free);
    self->predictions = g_ptr_array_new_with_free_func(psim_prediction_free);
    add(self, "one.json", "\"id\": \"a\", \"measured\": {\"step_time_s\": 1, \"memory_gib\": 1}",
        make_prediction(1.5, false, 536870912.0, "micro 1"));
    add(self, "one.json",
        "\"id\": \"b\", \"tp\": 2, \"dp\": 4, \"num_microbatches\": 8,"
        "\"measured\": {\"step_time_s\": 2}",
        make_prediction(1.5, true, 1e9, NULL));
    add(self, "one.json",
        "\"id\": \"c\", \"tp\": 4, \"dp\": 2, \"num_microbatches\": 16,"
        "\"measured\": {\"step_time_s\": 4}",
        make_prediction(3, false, 1e9, NULL));
    add(self, "two.json", "\"id\": \"d\", \"measured\": {\"oom\": true}",
        make_prediction(1, true, 1e9, NULL));
    add(self, "two.json", "\"id\": \"e\"", make_skipped());
    psim_tally_make(self);
    return self;
}

START_TEST(text_has_every_table)
{
    static const char expected[] =
        "5 rows of 2 sources: 4 predicted, 1 left out\n"
        "\n"
        "Step time\n"
        "       rows   MAPE  median    p90   bias\n"
        "  one     3  33.3%   25.0%  45.0%  +0.0%\n"
        "  all     3  33.3%   25.0%  45.0%  +0.0%\n"
        "\n"
        "Memory\n"
        "       rows   MAPE  median    p90    bias\n"
        "  one     1  50.0%   50.0%  50.0%  -50.0%\n"
        "  all     1  50.0%   50.0%  50.0%  -50.0%\n"
        "\n"
        "Does it fit? Measured/predicted\n"
        "       fits/fits  fits/OOM  OOM/fits  OOM/OOM  accuracy  precision  recall\n"
        "  one          2         1         0        0     66.7%       0.0%       -\n"
        "  two          0         0         0        1    100.0%     100.0%  100.0%\n"
        "  all          2         1         0        1     75.0%      50.0%  100.0%\n"
        "\n"
        "Order of plans within groups that differ in nothing else\n"
        "       groups  rows    rho  regret  worst\n"
        "  one       1     3  0.866    0.0%   0.0%\n"
        "  all       1     3  0.866    0.0%   0.0%\n"
        "\n"
        "Measured steps within their predicted range\n"
        "       rows  within  share\n"
        "  one     3       2  66.7%\n"
        "  all     3       2  66.7%\n"
        "\n"
        "Left out\n"
        "  two  1  unknown GPU\n"
        "\n"
        "Why they were left out\n"
        "  e  unknown GPU: \"T4\", 16 GB\n"
        "\n"
        "Not stated, and assumed\n"
        "  one  1  micro 1\n"
        "\n"
        "The worst\n"
        "  row  measured s  predicted s   error\n"
        "  a             1          1.5  +50.0%\n"
        "  b             2          1.5  -25.0%\n";
    g_autoptr(PsimValidation) validation = make_validation();
    g_autofree char *text = psim_validation_text(validation, 2);

    ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(json_has_a_row_a_line)
{
    static const char expected[] =
        "{\"schema\": \"plansim.validation/1\", \"rows\": [\n"
        "  {\"id\":\"a\",\"source_file\":\"one.json\",\"predicted_step_s\":1.5,"
        "\"predicted_low_s\":1.125,\"predicted_high_s\":2.0625,\"measured_step_s\":1,"
        "\"predicted_oom\":false,\"measured_oom\":false,"
        "\"predicted_peak_bytes\":536870912,\"measured_peak_bytes\":1073741824,\"skipped\":null,"
        "\"step_compared\":true,\"hardware\":\"dgx-a100-80gb\",\"runtime\":\"ideal\","
        "\"breakdown_s\":{\"compute\":1.5,\"recompute\":0,\"tp_exposed\":0,\"pp_exposed\":0,"
        "\"cp_exposed\":0,\"ep_exposed\":0,\"dp_exposed\":0,\"bubble\":0,\"optimizer\":0,"
        "\"other\":0},\"bubble_fraction\":0.25,\"mfu_fraction\":0.5,\"assumed\":[\"micro 1\"]},\n";
    static const char skipped[] =
        "  {\"id\":\"e\",\"source_file\":\"two.json\",\"predicted_step_s\":null,"
        "\"predicted_low_s\":null,\"predicted_high_s\":null,\"measured_step_s\":1,"
        "\"predicted_oom\":null,\"measured_oom\":false,"
        "\"predicted_peak_bytes\":null,\"measured_peak_bytes\":null,"
        "\"skipped\":\"unknown GPU: \\\"T4\\\", 16 GB\",\"step_compared\":false,"
        "\"hardware\":null,\"runtime\":null,\"breakdown_s\":null,\"bubble_fraction\":null,"
        "\"mfu_fraction\":null,\"assumed\":null}\n"
        "], \"sources\": [\n"
        "  {\"source_file\":\"one.json\",\"rows\":3,\"used\":3,\"skipped\":{},"
        "\"assumed\":{\"micro 1\":1},\"step_time\":{\"rows\":3,\"mape\":";
    static const char last[] =
        "\"oom\":{\"measured_fits_predicted_fits\":2,\"measured_fits_predicted_oom\":1,"
        "\"measured_oom_predicted_fits\":0,\"measured_oom_predicted_oom\":1},"
        "\"ranking\":{\"groups\":1,\"rows\":3,\"spearman_rho\":0.8660254037844386,"
        "\"regret\":0}}\n]}\n";
    g_autoptr(PsimValidation) validation = make_validation();
    g_autofree char *json = psim_validation_json(validation);

    ck_assert_msg(g_str_has_prefix(json, expected), "%s", json);
    ck_assert_msg(strstr(json, skipped) != NULL, "%s", json);
    ck_assert_msg(g_str_has_suffix(json, last), "%s", json);
}
END_TEST

START_TEST(csv_quotes_what_needs_it)
{
    static const char first[] =
        "a,one.json,,dgx-a100-80gb,ideal,,4,1024,1024,8,1,,1,,8,2,4,64,,,"
        "none,,bf16,,,1,1.5,1.125,2.0625,0.5,1.5,0,0,0,0,0,0,0,0,0,0.5,false,false,"
        "1.07374182e+09,536870912,-0.5,micro 1\n";
    static const char last[] =
        "e,two.json,\"unknown GPU: \"\"T4\"\", 16 GB\",dgx-a100-80gb,ideal,,4,"
        "1024,1024,8,1,,1,,8,2,4,64,,,none,,bf16,,,1,,,,,,,,,,,,,,,,false,,,,,\n";
    g_autoptr(PsimValidation) validation = make_validation();
    g_autofree char *csv = psim_validation_csv(validation);
    const char *second_line = strchr(csv, '\n') + 1;

    ck_assert_msg(g_str_has_prefix(csv, "id,source_file,skipped,"), "%s", csv);
    ck_assert_msg(g_str_has_prefix(second_line, first), "%s", second_line);
    ck_assert_msg(g_str_has_suffix(csv, last), "%s", csv);
}
END_TEST

START_TEST(svg_places_factors_evenly)
{
    g_autoptr(PsimValidation) validation = make_validation();
    g_autofree char *svg = psim_validation_svg(validation);

    /* One decade, from 1 to 10 s, over 640 pixels: 1 s is at the left, 1.5 s is 112.7 up. */
    ck_assert(strstr(svg, "<circle cx=\"70.0\" cy=\"567.3\" r=\"2\"/>") != NULL);
    ck_assert(strstr(svg, "one.json (3)") != NULL);
    ck_assert(strstr(svg, "two.json (0)") != NULL);
}
END_TEST

Suite *
tally_suite(void)
{
    Suite *suite = suite_create("tally");
    TCase *tcase = tcase_create("tally");

    tcase_add_test(tcase, text_has_every_table);
    tcase_add_test(tcase, json_has_a_row_a_line);
    tcase_add_test(tcase, csv_quotes_what_needs_it);
    tcase_add_test(tcase, svg_places_factors_evenly);
    suite_add_tcase(suite, tcase);
    return suite;
}
