/* SPDX-License-Identifier: MIT */
#include "cli/list.h"
#include "cli/output.h"

int
psim_command_list(const PsimArguments *arguments, GError **error)
{
    static const char all[] = "models\nhardware\ndevices\nplans\nruntimes\nschedules\nformats\n";
    const char *kind = arguments->operands[0];
    g_autofree char *text =
        kind == NULL ? g_strdup(all)
                     : psim_list_write(kind, psim_arguments_flag(arguments, "names"), error);

    if (text == NULL)
        return PSIM_EXIT_USAGE;
    if (psim_arguments_flag(arguments, "quiet"))
        return PSIM_EXIT_DONE;
    return psim_output_write_text(text, /* path= */ NULL, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}
