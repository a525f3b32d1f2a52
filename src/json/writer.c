/* SPDX-License-Identifier: MIT */
/* A stack of the containers that are open. Each value begins with begin_value(), which writes what
 * separates it from the one before: a comma, a new line or a space, and its key.
 */
#include "json/writer.h"

#include "base/text.h"
#include "json/quote.h"

#include <math.h>
#include <string.h>

typedef struct {
    bool is_object;
    bool on_one_line; /* and whatever is inside, too */
    size_t n_values;
} Level;

struct PsimWriter {
    bool pretty;
    GString *out;
    GArray *levels; /* Level, the last is the innermost */
};

PsimWriter *
psim_writer_new(bool pretty)
{
    PsimWriter *self = g_new0(PsimWriter, 1);

    *self = (PsimWriter){
        .pretty = pretty,
        .out = g_string_new(NULL),
        .levels = g_array_new(/* zero_terminated= */ FALSE, /* clear= */ FALSE, sizeof(Level)),
    };
    return self;
}

void
psim_writer_free(PsimWriter *self)
{
    if (self == NULL)
        return;
    (void)g_string_free(self->out, /* free_segment= */ TRUE);
    g_array_unref(self->levels);
    g_free(self);
}

/* -- Layout ------------------------------------------------------------------------------------ */

/* NULL outside of all containers. */
static Level *
get_level(const PsimWriter *self)
{
    const guint n_levels = self->levels->len;

    return n_levels == 0 ? NULL : &g_array_index(self->levels, Level, n_levels - 1);
}

static void
break_line(PsimWriter *self)
{
    g_string_append_c(self->out, '\n');
    for (guint i = 0; i < self->levels->len; i++)
        g_string_append(self->out, "  ");
}

/* Makes room for the next value of the innermost container. */
static void
begin_value(PsimWriter *self)
{
    Level *level = get_level(self);

    if (level == NULL)
        return;
    if (level->n_values++ > 0)
        g_string_append_c(self->out, ',');
    if (!level->on_one_line)
        break_line(self);
    else if (self->pretty && level->n_values > 1)
        g_string_append_c(self->out, ' ');
}

/* A key in an object and nowhere else; one value outside of all containers. */
static bool
takes(PsimWriter *self, const char *key)
{
    const Level *level = get_level(self);

    if (level == NULL)
        return key == NULL && self->out->len == 0;
    return (key != NULL) == level->is_object;
}

static void
begin_member(PsimWriter *self, const char *key)
{
    g_assert(takes(self, key));
    begin_value(self);
    if (key == NULL)
        return;
    psim_quote_json(self->out, key);
    g_string_append(self->out, self->pretty ? ": " : ":");
}

static void
open_level(PsimWriter *self, bool is_object, bool on_one_line)
{
    const Level *outer = get_level(self);
    const bool narrow = !self->pretty || (outer != NULL && outer->on_one_line);
    const Level level = {.is_object = is_object, .on_one_line = on_one_line || narrow};

    g_string_append_c(self->out, is_object ? '{' : '[');
    g_array_append_val(self->levels, level);
}

static void
close_level(PsimWriter *self, bool is_object)
{
    const Level *level = get_level(self);

    g_assert(level != NULL && level->is_object == is_object);

    const bool breaks = level->n_values > 0 && !level->on_one_line;

    g_array_set_size(self->levels, self->levels->len - 1);
    if (breaks)
        break_line(self);
    g_string_append_c(self->out, is_object ? '}' : ']');
}

void
psim_writer_begin_object(PsimWriter *self, const char *key)
{
    begin_member(self, key);
    open_level(self, /* is_object= */ true, /* on_one_line= */ false);
}

void
psim_writer_begin_row(PsimWriter *self, const char *key)
{
    begin_member(self, key);
    open_level(self, /* is_object= */ true, /* on_one_line= */ true);
}

void
psim_writer_end_object(PsimWriter *self)
{
    close_level(self, /* is_object= */ true);
}

void
psim_writer_begin_array(PsimWriter *self, const char *key)
{
    begin_member(self, key);
    open_level(self, /* is_object= */ false, /* on_one_line= */ false);
}

void
psim_writer_begin_list(PsimWriter *self, const char *key)
{
    begin_member(self, key);
    open_level(self, /* is_object= */ false, /* on_one_line= */ true);
}

void
psim_writer_end_array(PsimWriter *self)
{
    close_level(self, /* is_object= */ false);
}

/* -- Scalars ----------------------------------------------------------------------------------- */

void
psim_writer_string(PsimWriter *self, const char *key, const char *value)
{
    begin_member(self, key);
    if (value != NULL)
        psim_quote_json(self->out, value);
    else
        g_string_append(self->out, "null");
}

void
psim_writer_number(PsimWriter *self, const char *key, double value)
{
    begin_member(self, key);
    if (isfinite(value))
        psim_text_number(self->out, value);
    else
        g_string_append(self->out, "null");
}

void
psim_writer_count(PsimWriter *self, const char *key, uint64_t value)
{
    begin_member(self, key);
    g_string_append_printf(self->out, "%" G_GUINT64_FORMAT, value);
}

void
psim_writer_integer(PsimWriter *self, const char *key, int64_t value)
{
    begin_member(self, key);
    g_string_append_printf(self->out, "%" G_GINT64_FORMAT, value);
}

void
psim_writer_seconds(PsimWriter *self, const char *key, PsimTime time)
{
    begin_member(self, key);
    psim_text_seconds(self->out, time);
}

void
psim_writer_flag(PsimWriter *self, const char *key, bool value)
{
    begin_member(self, key);
    g_string_append(self->out, value ? "true" : "false");
}

void
psim_writer_null(PsimWriter *self, const char *key)
{
    begin_member(self, key);
    g_string_append(self->out, "null");
}

void
psim_writer_quantity(PsimWriter *self, const char *key, const char *text)
{
    psim_writer_string(self, key, text);
}

/* -- JSON that is there already ---------------------------------------------------------------- */

/* Bytes of the string or other scalar that @json begins with. */
static size_t
measure_scalar(const char *json)
{
    const char *at = json;

    if (*at != '"')
        return strcspn(json, ",:]} \t\n\r");
    for (at++; *at != '"' && *at != '\0'; at++) {
        if (*at == '\\' && at[1] != '\0')
            at++;
    }
    return (size_t)(at - json) + (*at == '"');
}

/* Whether the container that @json begins with ends before the line does. */
static bool
ends_on_line(const char *json)
{
    size_t depth = 0;

    for (const char *at = json; *at != '\0' && *at != '\n'; at++) {
        if (*at == '"') {
            at += measure_scalar(at) - 1;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if ((*at == '}' || *at == ']') && --depth == 0) {
            return true;
        }
    }
    return false;
}

/* A bracket, a scalar or a key with its colon. Returns: what comes after it. */
static const char *
copy_token(PsimWriter *self, const char *json, bool *after_key)
{
    const Level *level = get_level(self);
    const bool closes = *json == '}' || *json == ']';
    const bool opens = *json == '{' || *json == '[';

    if (closes) {
        close_level(self, *json == '}');
        return json + 1;
    }
    if (!*after_key)
        begin_value(self);
    *after_key = !*after_key && level->is_object;
    if (opens) {
        open_level(self, *json == '{', ends_on_line(json));
        return json + 1;
    }

    const size_t n_bytes = measure_scalar(json);

    g_string_append_len(self->out, json, (gssize)n_bytes);
    if (*after_key)
        g_string_append(self->out, self->pretty ? ": " : ":");
    return json + n_bytes;
}

void
psim_writer_raw(PsimWriter *self, const char *key, const char *json)
{
    const guint n_levels = self->levels->len;
    bool after_key = true; /* so that the value begins no line of its own */

    begin_member(self, key);
    json += strspn(json, " \t\n\r");
    do {
        json = copy_token(self, json, &after_key);
        json += strspn(json, ",: \t\n\r");
    } while (self->levels->len > n_levels && *json != '\0');
    g_assert(self->levels->len == n_levels);
}

char *
psim_writer_finish(PsimWriter *self)
{
    g_assert(self->levels->len == 0 && self->out->len > 0);
    g_string_append_c(self->out, '\n');

    char *text = g_string_free(self->out, /* free_segment= */ FALSE);

    self->out = g_string_new(NULL);
    return text;
}
