/* SPDX-License-Identifier: MIT */
#include "test_validate.h"

#include "main.h"

#include <cjson/cJSON.h>

PSIM_TEST_SUITES(
    cluster_suite, published_suite, row_suite, statistics_suite, tally_suite, validation_suite);

PsimRow *
test_row(const char *json)
{
    cJSON *object = cJSON_Parse(json);

    ck_assert_ptr_nonnull(object);
    PsimRow *row = psim_row_new(object, "invented.json");

    cJSON_Delete(object);
    return row;
}

/* cJSON finds the first of two equal keys, so that changes go to the front. */
PsimRow *
test_plain_row(const char *change)
{
    g_autofree char *json = g_strdup_printf(
        "{%s%s\"id\": \"plain\", \"gpu\": \"A100-SXM4-80GB\", \"gpus\": 8, \"gpus_per_node\": 8,"
        "\"tp\": 1, \"pp\": 1, \"dp\": 8, \"microbatch\": 2, \"num_microbatches\": 4,"
        "\"global_batch\": 64, \"recompute\": \"none\", \"precision\": \"bf16\","
        "\"model\": {\"layers\": 4, \"hidden\": 1024, \"heads\": 8, \"vocab\": 50304,"
        "\"seq\": 1024},"
        "\"measured\": {\"step_time_s\": 1}}",
        change, change[0] == '\0' ? "" : ", ");

    return test_row(json);
}
