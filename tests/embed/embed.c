/* SPDX-License-Identifier: MIT */
/* What an embedder does: load, simulate, read figures, write JSON, share a plan among threads. */
#include <plansim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_THREADS 4

static void
expect(bool condition, const char *what)
{
    if (condition)
        return;
    (void)fprintf(stderr, "failed: %s\n", what);
    exit(EXIT_FAILURE);
}

static bool
append(const char *bytes, size_t n_bytes, void *user)
{
    (void)g_string_append_len((GString *)user, bytes, (gssize)n_bytes);
    return true;
}

static bool
refuse(const char *bytes, size_t n_bytes, void *user)
{
    (void)bytes;
    (void)n_bytes;
    (void)user;
    return false;
}

/* The JSON of one run. */
static gpointer
simulate(gpointer plan)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimResult) result = psim_simulate((PsimPlan *)plan, NULL, &error);
    GString *json = g_string_new(NULL);

    expect(result != NULL, "psim_simulate");
    expect(psim_result_write(result, "json", append, json, &error), "psim_result_write");
    return g_string_free(json, FALSE);
}

static void
check_threads(PsimPlan *plan)
{
    GThread *threads[N_THREADS];
    g_autofree char *alone = simulate(plan);

    for (int i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new("simulate", simulate, plan);
    for (int i = 0; i < N_THREADS; i++) {
        g_autofree char *json = g_thread_join(threads[i]);

        expect(strcmp(json, alone) == 0, "every thread gives the same bytes");
    }
}

static void
check_figures(PsimPlan *plan)
{
    g_autoptr(GError) error = NULL;
    PsimOptions options = PSIM_OPTIONS_INIT;
    PsimSummary summary = {.size = sizeof summary};
    PsimSpan span = {.size = sizeof span};

    options.unfold = true;
    g_autoptr(PsimResult) result = psim_simulate(plan, &options, &error);

    expect(result != NULL, "psim_simulate, unfolded");
    psim_result_summary(result, &summary);
    expect(summary.step > 0 && summary.peak_bytes > 0, "psim_result_summary");
    expect(psim_result_n_spans(result) > 0, "psim_result_n_spans");
    psim_result_span(result, 0, &span);
    expect(span.op != NULL && span.start >= 0, "psim_result_span");
    expect(!psim_result_write(result, "json", refuse, NULL, &error), "a refusing sink");
    expect(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO), "is an IO error");
}

static void
check_errors(void)
{
    g_autoptr(GError) error = NULL;
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"modle\": 1}";
    g_autoptr(PsimPlan) plan = psim_plan_parse(text, strlen(text), "plan.json", NULL, 0, &error);

    expect(plan == NULL && error->domain == PSIM_ERROR, "a wrong plan is refused");
    expect(g_str_has_prefix(error->message, "plan.json:1:"), "with its place");
}

int
main(void)
{
    g_autoptr(GError) error = NULL;
    const PsimOverride overrides[] = {{"/batch/global", "64"}};
    g_autoptr(PsimPlan) plan = psim_plan_load("gpt-48-layers-m8", NULL, 0, &error);
    g_autoptr(PsimPlan) larger = psim_plan_load("gpt-48-layers-m8", overrides, 1, &error);

    expect(plan != NULL && larger != NULL, "psim_plan_load");
    check_figures(plan);
    check_threads(plan);
    check_errors();
    (void)printf("plansim %s embeds\n", psim_version());
    return EXIT_SUCCESS;
}
