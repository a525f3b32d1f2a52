/* SPDX-License-Identifier: MIT */
/* output.h: where results go: standard output, or a file that appears whole or not at all
 */
#pragma once

#include "cli/arguments.h"
#include "plansim.h"

G_BEGIN_DECLS

/**
 * psim_output_write_text:
 * @path    NULL or "-": standard output
 *
 * Errors: PSIM_ERROR_IO, naming the file and the reason.
 */
bool psim_output_write_text(const char *text, const char *path, GError **error);

/** psim_output_write_bytes: the same of what may hold NUL. Errors: IO. */
bool psim_output_write_bytes(const char *bytes, size_t n_bytes, const char *path, GError **error);

/** psim_output_write_file: a result in one format into a file. Errors: UNSUPPORTED, IO. */
bool psim_output_write_file(const PsimResult *result,
                            const char *format,
                            const char *path,
                            GError **error);

/**
 * psim_output_choose:
 * Returns: the format that --format, --json or else the ending of --output asks for, "text" without
 * them; borrowed, and not checked.
 */
const char *psim_output_choose(const PsimArguments *arguments);

/** psim_output_format: Returns: the same if there is such a format, else NULL with a usage error.
 */
const char *psim_output_format(const PsimArguments *arguments, GError **error);

/**
 * psim_output_answer:
 * The result as --format, --output, --quiet and --color ask for it.
 *
 * Returns: PSIM_EXIT_DONE or, if the result does not fit or deadlocks, PSIM_EXIT_NO.
 */
int psim_output_answer(const PsimArguments *arguments, const PsimResult *result, GError **error);

/** psim_output_say: a line on standard error, if --verbose. */
void psim_output_say(const PsimArguments *arguments, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_END_DECLS
