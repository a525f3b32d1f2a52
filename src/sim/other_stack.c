/* SPDX-License-Identifier: MIT */
/* The same step under every other runtime that is built in: hardware and stack are calibrated
 * apart, and half of what people call the hardware's is the stack's. */
#include "sim/other_stack.h"

#include "base/error.h"
#include "base/time.h"
#include "spec/preset.h"

#include <stdlib.h>
#include <string.h>

static void
clear_runtime(void *runtime)
{
    psim_runtime_clear(runtime);
}

static void
load_one(GArray *runtimes, const char *name)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_RUNTIME, name, /* directory= */ NULL, /* error= */ NULL);
    PsimRuntime runtime = {0};

    g_return_if_fail(document != NULL);
    psim_runtime_read(&runtime, document, complaints);
    g_array_append_val(runtimes, runtime);
}

GArray *
psim_other_stack_load(const PsimPlan *plan)
{
    GArray *runtimes = g_array_new(FALSE, FALSE, sizeof(PsimRuntime));
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_RUNTIME);

    g_array_set_clear_func(runtimes, clear_runtime);
    for (char **name = names; *name != NULL; name++) {
        if (g_strcmp0(*name, plan->runtime.name) != 0)
            load_one(runtimes, *name);
    }
    return runtimes;
}

/* What fits first, then the fastest. */
static int
compare_stacks(const void *left, const void *right)
{
    const PsimOtherStack *a = left;
    const PsimOtherStack *b = right;

    if (a->fits != b->fits)
        return a->fits ? -1 : 1;
    if (a->step_s != b->step_s)
        return a->step_s < b->step_s ? -1 : 1;
    return strcmp(a->name, b->name);
}

void
psim_other_stack_fill(PsimRun *run)
{
    PsimResult *result = run->result;
    g_autoptr(GArray) runtimes = psim_other_stack_load(run->plan);
    PsimOtherStack *stacks = psim_arena_array(result->arena, PsimOtherStack, runtimes->len);
    uint32_t n_stacks = 0;

    for (guint i = 0; i < runtimes->len; i++) {
        const PsimRuntime *runtime = &g_array_index(runtimes, PsimRuntime, i);
        PsimAltered *altered = psim_altered_make(run->plan, result->arena);
        PsimAnswer answer = {0};

        psim_altered_set_runtime(altered, runtime);
        if (!psim_altered_is_legal(&altered->plan) ||
            !psim_altered_replay(&altered->plan, run->options, &answer) || answer.step_ps == 0)
            continue;
        stacks[n_stacks++] = (PsimOtherStack){
            .name = psim_arena_strdup(result->arena, runtime->name),
            .step_s = psim_time_to_s(answer.step_ps),
            .mfu_fraction = result->mfu_fraction * (double)result->step_ps / (double)answer.step_ps,
            .peak_bytes = answer.peak_bytes,
            .fits = answer.fits,
        };
    }
    qsort(stacks, n_stacks, sizeof *stacks, compare_stacks);
    result->other_stacks = stacks;
    result->n_other_stacks = n_stacks;
}
