/* SPDX-License-Identifier: MIT */
#include "cli/schedule_question.h"

#include <string.h>

/* No schedule is longer than the library's own ceilings, which it names itself. */
#define MAX_COUNT ((guint64)G_MAXUINT32)
#define MAX_TICKS ((guint64)1000000000000)

static bool
is_file(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".csv");
}

static bool
check_name(const char *value, GError **error)
{
    g_autofree char *name = g_strndup(value, strcspn(value, ":"));

    if (is_file(value) || psim_schedule_summary(name) != NULL)
        return true;
    psim_arguments_complain(error, "unknown schedule", name, psim_schedule_names(), "schedules");
    return false;
}

static bool
read_counts(const PsimArguments *arguments, PsimScheduleOptions *options, GError **error)
{
    guint64 n_ranks = 0;
    guint64 n_microbatches = 0;
    guint64 n_chunks = 0;
    guint64 group = 0;
    guint64 latency = 0;
    guint64 n_slices = 0;
    guint64 pair = 0;

    if (!is_file(options->name) && (!psim_arguments_flag(arguments, "pp") ||
                                    !psim_arguments_flag(arguments, "microbatches"))) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--%s is missing",
                    psim_arguments_flag(arguments, "pp") ? "microbatches" : "pp");
        return false;
    }
    if (!psim_arguments_count(arguments, "pp", 0, MAX_COUNT, &n_ranks, error) ||
        !psim_arguments_count(arguments, "microbatches", 0, MAX_COUNT, &n_microbatches, error) ||
        !psim_arguments_positive(arguments, "chunks", 0, MAX_COUNT, &n_chunks, error) ||
        !psim_arguments_positive(arguments, "group", 0, MAX_COUNT, &group, error) ||
        !psim_arguments_positive(arguments, "slices", 0, MAX_COUNT, &n_slices, error) ||
        !psim_arguments_count(arguments, "pair", 0, MAX_TICKS, &pair, error) ||
        !psim_arguments_count(arguments, "latency", 0, MAX_TICKS, &latency, error))
        return false;
    options->n_ranks = (uint32_t)n_ranks;
    options->n_microbatches = (uint32_t)n_microbatches;
    options->n_chunks = (uint32_t)n_chunks;
    options->group = (uint32_t)group;
    options->latency = (int64_t)latency;
    options->n_slices = (uint32_t)n_slices;
    options->pair = (int64_t)pair;
    options->channels = psim_arguments_flag(arguments, "channels");
    return true;
}

static bool
read_times(const PsimArguments *arguments,
           PsimScheduleOptions *options,
           PsimTicks *stages,
           GError **error)
{
    const char *times = psim_arguments_text(arguments, "times");
    const char *path = psim_arguments_text(arguments, "stage-times");
    int64_t ticks[3] = {0};

    if (times != NULL && path != NULL) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--times and --stage-times exclude each other");
        return false;
    }
    if (times != NULL) {
        if (!psim_ticks_parse(times, ticks)) {
            g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                        "--times is \"%s\"; must be three whole numbers, such as 1,1,1", times);
            return false;
        }
        options->forward = ticks[0];
        options->backward_input = ticks[1];
        options->backward_weight = ticks[2];
    }
    if (path != NULL) {
        if (!psim_ticks_load(stages, path, error))
            return false;
        options->stage_times = stages->times;
        options->n_stage_times = stages->n_stages;
    }
    return true;
}

bool
psim_schedule_question_read(const PsimArguments *arguments,
                            PsimScheduleOptions *options,
                            PsimTicks *stages,
                            GError **error)
{
    options->name = arguments->operands[0];
    return check_name(options->name, error) && read_counts(arguments, options, error) &&
           read_times(arguments, options, stages, error);
}
