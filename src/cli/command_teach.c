/* SPDX-License-Identifier: MIT */
#include "cli/output.h"
#include "teach/teach.h"

static bool
write_picture(const PsimArguments *arguments, const char *name, GError **error)
{
    const char *path = psim_arguments_text(arguments, "svg");

    if (path == NULL)
        return true;
    g_autofree char *picture = psim_teach_picture(name, error);

    return picture != NULL && psim_output_write_text(picture, path, error);
}

int
psim_command_teach(const PsimArguments *arguments, GError **error)
{
    const char *name = arguments->operands[0];
    const char *path = psim_arguments_text(arguments, "output");
    const bool question_only = psim_arguments_flag(arguments, "ask");

    if (name == NULL && (question_only || psim_arguments_flag(arguments, "svg"))) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--%s needs a LESSON; \"plansim teach\" lists them",
                    question_only ? "ask" : "svg");
        return PSIM_EXIT_USAGE;
    }
    g_autofree char *text =
        name == NULL ? psim_teach_list() : psim_teach_lesson(name, question_only, error);

    if (text == NULL || !write_picture(arguments, name, error))
        return PSIM_EXIT_FAULT;
    if (path == NULL && psim_arguments_flag(arguments, "quiet"))
        return PSIM_EXIT_DONE;
    return psim_output_write_text(text, path, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}
