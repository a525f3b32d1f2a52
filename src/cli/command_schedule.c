/* SPDX-License-Identifier: MIT */
#include "cli/output.h"
#include "cli/schedule_question.h"

static bool
append_bytes(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

/* The schedule file that --csv and --csv-comms ask for. */
static bool
write_csv(const PsimArguments *arguments,
          const PsimScheduleOptions *options,
          bool with_communication,
          GError **error)
{
    const char *path = psim_arguments_text(arguments, with_communication ? "csv-comms" : "csv");
    g_autoptr(GString) text = g_string_new(NULL);

    if (path == NULL)
        return true;
    return psim_schedule_write_csv(options, with_communication, append_bytes, text, error) &&
           psim_output_write_text(text->str, path, error);
}

int
psim_command_schedule(const PsimArguments *arguments, GError **error)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;
    g_auto(PsimTicks) stages = {0};

    if (psim_output_format(arguments, error) == NULL ||
        !psim_schedule_question_read(arguments, &options, &stages, error))
        return PSIM_EXIT_USAGE;
    g_autoptr(PsimResult) result = psim_schedule_simulate(&options, error);

    if (result == NULL || !write_csv(arguments, &options, /* with_communication= */ false, error) ||
        !write_csv(arguments, &options, /* with_communication= */ true, error))
        return PSIM_EXIT_FAULT;
    return psim_output_answer(arguments, result, error);
}
