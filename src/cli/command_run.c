/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/question.h"

/* The parser has seen that it is a number. */
static bool
read_measured(const PsimArguments *arguments, PsimOptions *options, GError **error)
{
    const char *tflops = psim_arguments_text(arguments, "measured-tflops");

    options->measured_step = psim_arguments_text(arguments, "measured-step");
    if (tflops == NULL)
        return true;
    options->measured_tflops = g_ascii_strtod(tflops, NULL);
    if (options->measured_step != NULL) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--measured-step and --measured-tflops say the same; give one");
        return false;
    }
    if (options->measured_tflops > 0.0)
        return true;
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                "--measured-tflops: is %s; must be more than 0", tflops);
    return false;
}

/* Both commands ask the same question; `check` is content with less. */
static PsimResult *
simulate(const PsimArguments *arguments, bool memory_only, GError **error)
{
    g_autoptr(PsimPlan) plan = psim_question_load(arguments, error);
    PsimOptions options = PSIM_OPTIONS_INIT;
    PsimSummary summary = {.size = sizeof summary};
    const gint64 begin_us = g_get_monotonic_time();

    if (plan == NULL)
        return NULL;
    options.memory_only = memory_only;
    options.unfold = psim_arguments_flag(arguments, "unfold");
    options.event_loop = psim_arguments_flag(arguments, "event-loop");
    options.cancelled = psim_interrupt_is_pending;
    options.sensitivity = psim_arguments_flag(arguments, "sensitivity");
    options.other_stacks = options.sensitivity || psim_arguments_flag(arguments, "verbose");
    if (!read_measured(arguments, &options, error))
        return NULL;

    PsimResult *result = psim_simulate(plan, &options, error);

    if (result == NULL)
        return NULL;
    psim_result_summary(result, &summary);
    psim_output_say(arguments, "replayed %" G_GUINT64_FORMAT " tasks in %.1f ms", summary.n_tasks,
                    (double)(g_get_monotonic_time() - begin_us) / 1000.0);
    return result;
}

static bool
write_aside(const PsimArguments *arguments, const PsimResult *result, GError **error)
{
    const char *timeline = psim_arguments_text(arguments, "timeline");
    const char *trace = psim_arguments_text(arguments, "trace");

    if (timeline != NULL && !psim_output_write_file(result, "csv", timeline, error))
        return false;
    return trace == NULL || psim_output_write_file(result, "chrome", trace, error);
}

int
psim_command_run(const PsimArguments *arguments, GError **error)
{
    /* A wrong format is told before the work, not after it. */
    if (psim_output_format(arguments, error) == NULL)
        return PSIM_EXIT_USAGE;
    g_autoptr(PsimResult) result = simulate(arguments, /* memory_only= */ false, error);

    if (result == NULL || !write_aside(arguments, result, error))
        return PSIM_EXIT_FAULT;
    return psim_output_answer(arguments, result, error);
}

int
psim_command_check(const PsimArguments *arguments, GError **error)
{
    if (psim_output_format(arguments, error) == NULL)
        return PSIM_EXIT_USAGE;
    g_autoptr(PsimResult) result = simulate(arguments, /* memory_only= */ true, error);

    return result == NULL ? PSIM_EXIT_FAULT : psim_output_answer(arguments, result, error);
}
