/* SPDX-License-Identifier: MIT */
/* Any bytes as a plan. What is checked beyond the absence of crashes: a refusal says why, in at
 * most as many lines as the limit allows; what was accepted is resolved, and its canonical text is
 * the same plan.
 */
#include "fuzz.h"

#include "base/error.h"
#include "base/limits.h"
#include "spec/plan.h"
#include "json/reader.h"

#include <string.h>

static bool
names_path(PsimReader *reader, const char *key)
{
    return psim_reader_is_string(reader, key) &&
           (strchr(psim_reader_string(reader, key), '/') != NULL ||
            g_str_has_suffix(psim_reader_string(reader, key), ".json") ||
            g_str_has_suffix(psim_reader_string(reader, key), ".csv"));
}

/* A path would make the answer depend on the machine's files, some of which never end. */
static bool
reaches_outside(const char *text, size_t n_bytes)
{
    g_autoptr(PsimDocument) document = psim_document_parse(text, n_bytes, "x.json", NULL);
    g_autoptr(PsimComplaints) unheard = psim_complaints_new();

    if (document == NULL)
        return false;

    g_autoptr(PsimReader) reader = psim_reader_new(document, unheard);
    bool outside = names_path(reader, "model") || names_path(reader, "hardware") ||
                   names_path(reader, "runtime");

    psim_reader_enter_or_empty(reader, "hardware");
    outside = outside || names_path(reader, "device");
    psim_reader_leave(reader);
    psim_reader_enter_or_empty(reader, "schedule");
    outside = outside || names_path(reader, "name");
    psim_reader_leave(reader);
    return outside;
}

static void
check_refusal(const GError *error)
{
    size_t n_lines = 1;

    g_assert(error != NULL && error->domain == PSIM_ERROR && error->message[0] != '\0');
    for (const char *at = error->message; *at != '\0'; at++)
        n_lines += *at == '\n';
    g_assert(n_lines <= PSIM_LIMIT_COMPLAINTS + 1);
}

static void
check_plan(const PsimPlan *plan)
{
    uint64_t n_layers = 0;

    g_assert(plan->n_gpus == plan->tp * plan->pp * plan->dp);
    g_assert((uint64_t)plan->n_microbatches * plan->micro_batch * plan->dp == plan->global_batch);
    g_assert(plan->group >= 1);
    for (uint32_t stage = 0; stage < psim_plan_stage_count(plan); stage++)
        n_layers += plan->layers_per_stage[stage];
    g_assert(n_layers == psim_model_layer_count(plan->model));
    g_assert(plan->hardware->device.peak_flop_per_s[plan->precision] > 0);
}

static void
check_again(const PsimPlan *plan)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = psim_plan_write(plan);
    g_autoptr(PsimPlan) again = psim_plan_parse(text, strlen(text), "again.json", NULL, 0, &error);

    g_assert_no_error(error);
    g_assert_cmpstr(again->digest, ==, plan->digest);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *text = (const char *)data;
    g_autoptr(GError) error = NULL;

    if (reaches_outside(text, n_bytes))
        return 0;

    g_autoptr(PsimPlan) plan = psim_plan_parse(text, n_bytes, "x.json", NULL, 0, &error);

    if (plan == NULL) {
        check_refusal(error);
        return 0;
    }
    check_plan(plan);
    check_again(plan);
    return 0;
}
