/* SPDX-License-Identifier: MIT */
#include "cli/search_orders.h"

#include "cli/question.h"

#include <string.h>

/* Two ranks, four microbatches and layers that need not divide: every schedule suits it. */
static const char trial[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"search\","
                            " \"model\": \"gpt3-175b\", \"hardware\": \"dgx-h100\", \"gpus\": 2,"
                            " \"parallel\": {\"pipeline\": 2},"
                            " \"batch\": {\"micro\": 1, \"global\": 4},"
                            " \"layers_per_stage\": \"balanced\"}\n";

/* Returns: the schedule's chunks, given or usual; 0: refused. */
static uint32_t
read_chunks(const char *order, GError **error)
{
    g_auto(PsimQuestion) question = {0};
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;

    psim_question_init_schedule(&question, order);
    g_autoptr(PsimPlan) plan =
        psim_plan_parse(trial, strlen(trial), "search",
                        (const PsimOverride *)(const void *)question.overrides->data,
                        question.overrides->len, error);

    if (plan == NULL)
        return 0;
    psim_plan_schedule_options(plan, &options);
    return options.n_chunks;
}

static const char *
find_name(const char *order, GError **error)
{
    const char *const *names = psim_schedule_names();
    g_autofree char *word = g_strndup(order, strcspn(order, ":"));

    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], word) == 0)
            return names[i];
    }
    psim_arguments_complain(error, "schedule", word, names, "schedules");
    return NULL;
}

bool
psim_search_orders_read(const PsimArguments *arguments, PsimSpace *space, GError **error)
{
    const char *text = psim_arguments_text(arguments, "schedule");
    if (text == NULL)
        return true;
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    if (parts[0] == NULL)
        return find_name(text, error) != NULL;
    for (size_t i = 0; parts[i] != NULL; i++) {
        const char *part = g_strstrip(parts[i]);
        PsimSpaceOrder order = {.schedule = find_name(part, error)};

        if (order.schedule == NULL)
            return false;
        order.n_chunks = read_chunks(part, error);
        if (order.n_chunks == 0)
            return false;
        g_array_append_val(space->orders, order);
    }
    return true;
}
