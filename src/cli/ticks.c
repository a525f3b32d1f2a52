/* SPDX-License-Identifier: MIT */
#include "cli/ticks.h"

#include <string.h>

/* More than any hand-written time; the library checks that sums of them stay in range. */
#define MAX_TICKS  G_GINT64_CONSTANT(1000000000000)
#define MAX_STAGES 65535u
#define MAX_BYTES  ((size_t)16 * 1024 * 1024)

static const char *
skip_separator(const char *at)
{
    at += strspn(at, " \t");
    if (*at == ',')
        at++;
    return at + strspn(at, " \t");
}

bool
psim_ticks_parse(const char *text, int64_t ret_times[3])
{
    const char *at = text + strspn(text, " \t");
    int64_t times[3] = {0};

    for (int i = 0; i < 3; i++) {
        const size_t n_digits = strspn(at, "0123456789");
        g_autofree char *digits = g_strndup(at, n_digits);
        guint64 value = 0;

        if (!g_ascii_string_to_unsigned(digits, 10, 0, MAX_TICKS, &value, NULL))
            return false;
        times[i] = (int64_t)value;
        at += n_digits;
        if (i < 2 && skip_separator(at) == at)
            return false;
        if (i < 2)
            at = skip_separator(at);
    }
    at += strspn(at, " \t\r");
    if (*at != '\0')
        return false;
    memcpy(ret_times, times, sizeof times);
    return true;
}

static bool
append_line(GArray *times, const char *line, const char *path, unsigned number, GError **error)
{
    const char *text = line + strspn(line, " \t\r");
    int64_t row[3] = {0};

    if (*text == '\0' || *text == '#')
        return true;
    if (!psim_ticks_parse(text, row)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SYNTAX,
                    "%s:%u:%u: must be three whole numbers up to %" G_GINT64_FORMAT
                    ": forward, input gradient, weight gradient",
                    path, number, (unsigned)(text - line) + 1, MAX_TICKS);
        return false;
    }
    if (times->len / 3 >= MAX_STAGES) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT, "%s:%u:1: more than %u stages", path,
                    number, MAX_STAGES);
        return false;
    }
    g_array_append_vals(times, row, 3);
    return true;
}

static char *
read_file(const char *path, GError **error)
{
    g_autoptr(GError) reason = NULL;
    char *text = NULL;
    gsize n_bytes = 0;

    if (!g_file_get_contents(path, &text, &n_bytes, &reason)) {
        const char *why = strrchr(reason->message, ':');

        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s%s", path, why == NULL ? "" : why);
        return NULL;
    }
    if (n_bytes > MAX_BYTES || strlen(text) != n_bytes || !g_utf8_validate(text, -1, NULL)) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SYNTAX, "%s: is not a text of lines \"F I W\"",
                    path);
        g_free(text);
        return NULL;
    }
    return text;
}

bool
psim_ticks_load(PsimTicks *self, const char *path, GError **error)
{
    g_autofree char *text = read_file(path, error);
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));

    if (text == NULL)
        return false;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

    for (unsigned i = 0; lines[i] != NULL; i++) {
        if (!append_line(times, lines[i], path, i + 1, error))
            return false;
    }
    if (times->len == 0) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_SYNTAX, "%s: has no line \"F I W\"", path);
        return false;
    }
    self->n_stages = times->len / 3;
    self->times = (int64_t *)(gpointer)g_array_free(g_steal_pointer(&times), FALSE);
    return true;
}

void
psim_ticks_clear(PsimTicks *self)
{
    g_clear_pointer(&self->times, g_free);
}
