/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/output.h"
#include "validate/validation.h"

#define MAX_THREADS 256u
#define MAX_WORST   1000000u

static PsimValidation *
run_validation(const PsimArguments *arguments, GError **error)
{
    guint64 n_threads = 0;

    if (!psim_arguments_count(arguments, "jobs", 2, MAX_THREADS, &n_threads, error))
        return NULL;
    const PsimValidationOptions options = {
        .only = psim_arguments_text(arguments, "only"),
        .n_threads = (guint)n_threads,
        .cancelled = psim_interrupt_is_pending,
    };

    return psim_validation_run((const char *const *)arguments->operands, &options, error);
}

static char *
write_answer(const PsimArguments *arguments, const PsimValidation *validation, GError **error)
{
    guint64 n_worst = 0;

    if (!psim_arguments_count(arguments, "worst", 0, MAX_WORST, &n_worst, error))
        return NULL;
    if (psim_arguments_flag(arguments, "json"))
        return psim_validation_json(validation);
    if (psim_arguments_flag(arguments, "rows"))
        return psim_validation_csv(validation);
    return psim_validation_text(validation, (guint)n_worst);
}

int
psim_command_validate(const PsimArguments *arguments, GError **error)
{
    const char *picture = psim_arguments_text(arguments, "svg");
    const char *path = psim_arguments_text(arguments, "output");
    g_autoptr(PsimValidation) validation = run_validation(arguments, error);
    g_autofree char *answer =
        validation != NULL ? write_answer(arguments, validation, error) : NULL;

    if (answer == NULL)
        return PSIM_EXIT_FAULT;
    if (picture != NULL) {
        g_autofree char *svg = psim_validation_svg(validation);

        if (!psim_output_write_text(svg, picture, error))
            return PSIM_EXIT_IO;
    }
    if (path == NULL && psim_arguments_flag(arguments, "quiet"))
        return PSIM_EXIT_DONE;
    return psim_output_write_text(answer, path, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}
