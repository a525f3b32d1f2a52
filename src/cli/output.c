/* SPDX-License-Identifier: MIT */
/* A file is written beside its final place and renamed when it is complete, so that a reader never
 * meets half of it. What is not a regular file (a pipe, a terminal) is written in place.
 */
#include "cli/output.h"

#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    FILE *stream;
    char *path;        /* as messages name it */
    char *target;      /* what is renamed to; NULL: written in place */
    char *temporary;   /* what is written */
    const char *color; /* switched on until the first line ends; NULL: none */
    int reason;        /* errno of the first write that failed; 0: none did */
} Output;

static bool
fail(const char *path, int reason, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: cannot write: %s", path, g_strerror(reason));
    return false;
}

/* Follows links, so that a link stays one; a file that is not there yet is its own target. */
static char *
find_target(const char *path)
{
    char *resolved = realpath(path, NULL);
    char *target = g_strdup(resolved != NULL ? resolved : path);

    free(resolved);
    return target;
}

static bool
open_output(Output *self, const char *path, GError **error)
{
    GStatBuf status;
    const bool exists = g_stat(path, &status) == 0;

    self->path = g_strdup(path);
    if (exists && !S_ISREG(status.st_mode)) {
        self->stream = fopen(path, "wb");
        return self->stream != NULL || fail(path, errno, error);
    }
    self->target = find_target(path);
    self->temporary = g_strconcat(self->target, ".XXXXXX", NULL);

    const int descriptor = g_mkstemp_full(self->temporary, O_WRONLY | O_CLOEXEC,
                                          exists ? (int)(status.st_mode & 0777) : 0666);

    if (descriptor < 0) {
        const int reason = errno;

        g_clear_pointer(&self->temporary, g_free);
        return fail(path, reason, error);
    }
    self->stream = fdopen(descriptor, "wb");
    return true;
}

static bool
close_output(Output *self, GError **error)
{
    const bool flushed = fflush(self->stream) == 0 && self->reason == 0;
    const int reason = self->reason != 0 ? self->reason : errno;

    if (self->stream != stdout) {
        (void)fclose(self->stream);
        self->stream = NULL;
    }
    if (!flushed)
        return fail(self->path, reason, error);
    if (self->temporary == NULL)
        return true;
    if (g_rename(self->temporary, self->target) != 0)
        return fail(self->path, errno, error);
    g_clear_pointer(&self->temporary, g_free);
    return true;
}

static void
clear_output(Output *self)
{
    if (self->stream != NULL && self->stream != stdout)
        (void)fclose(self->stream);
    if (self->temporary != NULL)
        (void)g_unlink(self->temporary);
    g_free(self->temporary);
    g_free(self->target);
    g_free(self->path);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Output, clear_output)

static bool
put_bytes(Output *self, const char *bytes, size_t n_bytes)
{
    const bool written = fwrite(bytes, 1, n_bytes, self->stream) == n_bytes;

    if (!written && self->reason == 0)
        self->reason = errno;
    return written;
}

/* A PsimWrite. */
static bool
write_bytes(const char *bytes, size_t n_bytes, void *user)
{
    Output *self = user;
    const char *line_end = self->color == NULL ? NULL : memchr(bytes, '\n', n_bytes);

    if (psim_interrupt_is_pending(NULL))
        return false;
    if (line_end == NULL)
        return put_bytes(self, bytes, n_bytes);

    const size_t n_first = (size_t)(line_end - bytes);
    const bool written = put_bytes(self, self->color, strlen(self->color)) &&
                         put_bytes(self, bytes, n_first) && put_bytes(self, "\033[0m", 4);

    self->color = NULL;
    return written && put_bytes(self, line_end, n_bytes - n_first);
}

static bool
write_result(Output *self, const PsimResult *result, const char *format, GError **error)
{
    g_autoptr(GError) reason = NULL;

    if (psim_result_write(result, format, write_bytes, self, &reason))
        return close_output(self, error);
    if (psim_interrupt_is_pending(NULL)) {
        g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_CANCELLED, "interrupted");
        return false;
    }
    if (g_error_matches(reason, PSIM_ERROR, PSIM_ERROR_IO))
        return fail(self->path, self->reason, error);
    g_propagate_error(error, g_steal_pointer(&reason));
    return false;
}

static bool
is_standard_output(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static bool
open_path(Output *self, const char *path, GError **error)
{
    if (!is_standard_output(path))
        return open_output(self, path, error);
    self->path = g_strdup("standard output");
    self->stream = stdout;
    return true;
}

bool
psim_output_write_bytes(const char *bytes, size_t n_bytes, const char *path, GError **error)
{
    g_auto(Output) output = {0};

    if (!open_path(&output, path, error))
        return false;
    if (!put_bytes(&output, bytes, n_bytes))
        return fail(output.path, output.reason, error);
    return close_output(&output, error);
}

bool
psim_output_write_text(const char *text, const char *path, GError **error)
{
    return psim_output_write_bytes(text, strlen(text), path, error);
}

bool
psim_output_write_file(const PsimResult *result,
                       const char *format,
                       const char *path,
                       GError **error)
{
    g_auto(Output) output = {0};

    return open_path(&output, path, error) && write_result(&output, result, format, error);
}

const char *
psim_output_choose(const PsimArguments *arguments)
{
    const char *format = psim_arguments_text(arguments, "format");
    const char *path = psim_arguments_text(arguments, "output");
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;

    if (format != NULL)
        return format;
    if (psim_arguments_flag(arguments, "json"))
        return "json";
    return dot != NULL && psim_format_summary(dot + 1) != NULL ? dot + 1 : "text";
}

const char *
psim_output_format(const PsimArguments *arguments, GError **error)
{
    const char *format = psim_output_choose(arguments);

    if (psim_format_summary(format) != NULL)
        return format;
    psim_arguments_complain(error, "unknown format", format, psim_formats(), "formats");
    return NULL;
}

/* As no-color.org asks: NO_COLOR, when set and not empty, means no. */
static bool
wants_color(const PsimArguments *arguments, const char *path)
{
    const char *when = psim_arguments_text(arguments, "color");
    const char *no_color = g_getenv("NO_COLOR");

    if (when != NULL && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return is_standard_output(path) && isatty(STDOUT_FILENO) != 0 &&
           (no_color == NULL || no_color[0] == '\0') && g_strcmp0(g_getenv("TERM"), "dumb") != 0;
}

int
psim_output_answer(const PsimArguments *arguments, const PsimResult *result, GError **error)
{
    const char *format = psim_output_format(arguments, error);
    const char *path = psim_arguments_text(arguments, "output");
    const bool fits = psim_result_fits(result);
    g_auto(Output) output = {0};

    if (format == NULL)
        return PSIM_EXIT_USAGE;
    if (!is_standard_output(path) || !psim_arguments_flag(arguments, "quiet")) {
        if (!open_path(&output, path, error))
            return PSIM_EXIT_IO;
        if (strcmp(format, "text") == 0 && wants_color(arguments, path))
            output.color = fits ? "\033[1;32m" : "\033[1;31m";
        if (!write_result(&output, result, format, error))
            return PSIM_EXIT_IO;
    }
    return fits ? PSIM_EXIT_DONE : PSIM_EXIT_NO;
}

void
psim_output_say(const PsimArguments *arguments, const char *format, ...)
{
    va_list values;

    if (!psim_arguments_flag(arguments, "verbose"))
        return;
    va_start(values, format);
    g_autofree char *text = g_strdup_vprintf(format, values);
    va_end(values);
    (void)fprintf(stderr, "plansim: %s\n", text);
}
