/* SPDX-License-Identifier: MIT */
#include "search/outlook.h"

#include <cjson/cJSON.h>

#define SECONDS_PER_DAY 86400.0
#define SEED            1u

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

static double
number_of(const cJSON *tree, const char *group, const char *name)
{
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(tree, group);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0.0;
}

bool
psim_outlook_details(const PsimFound *found, const PsimSite *site, PsimDetails *ret_details)
{
    PsimOptions options = PSIM_OPTIONS_INIT;
    g_autoptr(PsimPlan) plan = psim_plan_derive(site->base, &found->plan.change, NULL);
    g_autoptr(GString) text = g_string_new(NULL);

    options.brief = true;
    g_autoptr(PsimResult) result = plan != NULL ? psim_simulate(plan, &options, NULL) : NULL;

    if (result == NULL || !psim_result_write(result, "json", append, text, NULL))
        return false;
    cJSON *tree = cJSON_Parse(text->str);

    *ret_details = (PsimDetails){
        .n_params = number_of(tree, "model", "params_total"),
        .step_low_s = number_of(tree, "step", "time_low_s"),
        .step_high_s = number_of(tree, "step", "time_high_s"),
    };
    cJSON_Delete(tree);
    return true;
}

bool
psim_outlook_find(const PsimFound *found,
                  const PsimSite *site,
                  const PsimFailureOptions *options,
                  const PsimLimits *limits,
                  PsimOutlook *ret_outlook)
{
    const PsimWholeRun run = psim_found_whole_run(found, site, limits);

    if (!(options->gpu_mtbf_days > 0.0) || !(options->checkpoint_bytes_per_s > 0.0) ||
        !(run.days > 0.0))
        return false;
    PsimDetails details;

    if (!psim_outlook_details(found, site, &details))
        return false;
    PsimOutlook outlook = {.checkpoint_bytes = details.n_params * site->state_bytes};

    if (!(outlook.checkpoint_bytes > 0.0))
        return false;
    outlook.checkpoint_s = outlook.checkpoint_bytes / options->checkpoint_bytes_per_s;
    const PsimFailures failures = {
        .work_s = run.days * SECONDS_PER_DAY,
        .gpu_mtbf_s = options->gpu_mtbf_days * SECONDS_PER_DAY,
        .n_gpus = found->plan.n_gpus,
        .checkpoint_s = outlook.checkpoint_s,
        .restart_s = options->restart_days * SECONDS_PER_DAY,
        .seed = SEED,
    };

    outlook.reliability = psim_reliability_find(&failures);
    *ret_outlook = outlook;
    return true;
}
