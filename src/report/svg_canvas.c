/* SPDX-License-Identifier: MIT */
#include "report/svg_canvas.h"

#include "report/markup.h"

#include <string.h>

#define MARGIN   PSIM_PX(24)
#define ELLIPSIS 0x2026

void
psim_svg_canvas_number(GString *out, PsimPx value)
{
    const PsimPx rest = ABS(value % 100);

    g_string_append_printf(out, "%s%" G_GINT64_FORMAT, value < 0 && value > -100 ? "-" : "",
                           value / 100);
    if (rest == 0)
        return;
    g_string_append_c(out, '.');
    g_string_append_c(out, (char)('0' + rest / 10));
    if (rest % 10 != 0)
        g_string_append_c(out, (char)('0' + rest % 10));
}

static void
append_attribute(GString *out, const char *name, PsimPx value)
{
    g_string_append_printf(out, " %s=\"", name);
    psim_svg_canvas_number(out, value);
    g_string_append_c(out, '"');
}

void
psim_svg_canvas_rect(PsimCanvas *self, const PsimSvgRect *rect, const char *title)
{
    GString *out = self->sink->buffer;

    g_string_append(out, "<rect");
    if (rect->class != NULL)
        g_string_append_printf(out, " class=\"%s\"", rect->class);
    append_attribute(out, "x", rect->x);
    append_attribute(out, "y", rect->y);
    append_attribute(out, "width", rect->width);
    append_attribute(out, "height", rect->height);
    g_string_append_printf(out, " fill=\"%s\"", rect->fill);
    if (rect->stroke != NULL)
        g_string_append_printf(out, " stroke=\"%s\" stroke-width=\"0.5\"", rect->stroke);
    if (title != NULL) {
        g_string_append(out, "><title>");
        psim_markup_append(out, title);
        g_string_append(out, "</title></rect>\n");
    } else {
        g_string_append(out, "/>\n");
    }
    psim_report_flush(self->sink, /* all= */ false);
}

void
psim_svg_canvas_line(PsimCanvas *self, const PsimPx ends[4], const char *stroke, const char *dash)
{
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    GString *out = self->sink->buffer;

    g_string_append(out, "<line");
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        append_attribute(out, names[i], ends[i]);
    g_string_append_printf(out, " stroke=\"%s\"", stroke);
    if (dash != NULL)
        g_string_append_printf(out, " stroke-dasharray=\"%s\"", dash);
    g_string_append(out, "/>\n");
}

/* Thousandths of the size: the widest of Helvetica, Arial, Liberation Sans and DejaVu Sans. */
static int
measure_character(gunichar character)
{
    if (character >= 0x1100)
        return g_unichar_iswide(character) ? 1000 : 850;
    if (character == ' ')
        return 330;
    if (character == '%' || character == '@' || character == 'm' || character == 'M' ||
        character == 'W')
        return 1000;
    if (character < 0x80 && strchr("iljI.,:;'|!()[]/ft", (int)character) != NULL)
        return 400;
    if (g_unichar_isupper(character) || strchr("w+=<>~", (int)(character & 0x7f)) != NULL)
        return 840;
    return 640;
}

/* g_utf8_next_char() would cast the const away. */
static int
find_length(const char *at)
{
    return g_utf8_skip[*(const guchar *)at];
}

PsimPx
psim_svg_canvas_measure(const char *text, int size)
{
    PsimPx width = 0;

    for (const char *at = text; *at != '\0'; at += find_length(at))
        width += measure_character(g_utf8_get_char(at));
    return (width * size + 9) / 10;
}

/* What of @text fits, with an ellipsis if something is left out. */
static char *
cut_text(const char *text, int size, PsimPx room)
{
    if (psim_svg_canvas_measure(text, size) <= room)
        return g_strdup(text);
    PsimPx left = room * 10 / size - measure_character(ELLIPSIS);
    const char *end = text;

    while (*end != '\0' && measure_character(g_utf8_get_char(end)) <= left) {
        left -= measure_character(g_utf8_get_char(end));
        end += find_length(end);
    }
    return g_strdup_printf("%.*s\u2026", (int)(end - text), text);
}

static PsimPx
find_room(const PsimCanvas *self, const PsimSvgWords *words)
{
    if (words->anchor == 'e')
        return words->x;
    if (words->anchor == 'm')
        return 2 * MIN(words->x, self->width - words->x);
    return self->width - MARGIN / 2 - words->x;
}

void
psim_svg_canvas_words(PsimCanvas *self, const PsimSvgWords *words, const char *text)
{
    GString *out = self->sink->buffer;
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *fitting = cut_text(valid, words->size, find_room(self, words));

    g_string_append(out, "<text");
    append_attribute(out, "x", words->x);
    append_attribute(out, "y", words->y);
    g_string_append_printf(out, " font-size=\"%d\"", words->size);
    if (words->anchor != 's')
        g_string_append_printf(out, " text-anchor=\"%s\"", words->anchor == 'm' ? "middle" : "end");
    if (words->bold)
        g_string_append(out, " font-weight=\"bold\"");
    if (words->fill != NULL)
        g_string_append_printf(out, " fill=\"%s\"", words->fill);
    g_string_append_c(out, '>');
    psim_markup_append(out, fitting);
    g_string_append(out, "</text>\n");
    psim_report_flush(self->sink, /* all= */ false);
}

PsimPx
psim_svg_canvas_paragraph(PsimCanvas *self, const PsimSvgWords *words, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_auto(GStrv) parts = g_strsplit(valid, " ", -1);
    g_autoptr(GString) line = g_string_new(NULL);
    PsimSvgWords at = *words;

    for (char **part = parts; *part != NULL; part++) {
        g_autofree char *longer =
            g_strdup_printf("%s%s%s", line->str, line->len > 0 ? " " : "", *part);

        if (line->len > 0 && psim_svg_canvas_measure(longer, at.size) > find_room(self, &at)) {
            psim_svg_canvas_words(self, &at, line->str);
            at.y += PSIM_PX(at.size + 5);
            g_string_assign(line, *part);
        } else {
            g_string_assign(line, longer);
        }
    }
    psim_svg_canvas_words(self, &at, line->str);
    return at.y + PSIM_PX(at.size + 5);
}
