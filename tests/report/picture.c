/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <check.h>
#include <string.h>

typedef struct {
    Picture picture;
    bool in_words;
} Reading;

static double
find_number(const char **names, const char **values, const char *name, double otherwise)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0)
            return g_ascii_strtod(values[i], NULL);
    }
    return otherwise;
}

static const char *
find_word(const char **names, const char **values, const char *name)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], name) == 0)
            return values[i];
    }
    return "";
}

static void
begin_element(GMarkupParseContext *context,
              const char *element,
              const char **names,
              const char **values,
              gpointer user,
              GError **error)
{
    Reading *self = user;
    Box box = {.x = find_number(names, values, "x", -1.0),
               .y = find_number(names, values, "y", -1.0)};

    (void)context;
    (void)error;
    if (strcmp(element, "rect") == 0 && box.x >= 0.0) {
        box.width = find_number(names, values, "width", 0.0);
        box.height = find_number(names, values, "height", 0.0);
        g_strlcpy(box.class, find_word(names, values, "class"), sizeof box.class);
        g_array_append_val(self->picture.rects, box);
    }
    if (strcmp(element, "text") != 0)
        return;
    box.height = find_number(names, values, "font-size", 0.0);
    g_strlcpy(box.class, find_word(names, values, "text-anchor"), sizeof box.class);
    g_array_append_val(self->picture.words, box);
    self->in_words = true;
}

/* Digits and small letters of DejaVu Sans take 0.64 of the size, its narrow letters half of that;
 * capitals and the like no more than 0.8. */
static double
measure_text(const char *text, double size)
{
    double width = 0.0;

    for (const char *at = text; *at != '\0'; at++) {
        if (strchr(" iljtfr.,:;'|!()[]/I", *at) != NULL)
            width += 0.41;
        else if (g_ascii_isupper(*at) || strchr("mw%+=<>", *at) != NULL)
            width += 0.8;
        else
            width += 0.64;
    }
    return width * size;
}

static void
take_text(
    GMarkupParseContext *context, const char *text, gsize length, gpointer user, GError **error)
{
    Reading *self = user;

    (void)context;
    (void)length;
    (void)error;
    if (!self->in_words)
        return;
    Box *box = &g_array_index(self->picture.words, Box, self->picture.words->len - 1);
    const double width = measure_text(text, box->height);

    g_strlcpy(box->text, text, sizeof box->text);
    box->width = width;
    box->y -= box->height * 0.76;
    if (strcmp(box->class, "middle") == 0)
        box->x -= width / 2.0;
    if (strcmp(box->class, "end") == 0)
        box->x -= width;
}

static void
end_element(GMarkupParseContext *context, const char *element, gpointer user, GError **error)
{
    (void)context;
    (void)element;
    (void)error;
    ((Reading *)user)->in_words = false;
}

Picture
picture_read(const char *text)
{
    static const GMarkupParser parser = {
        .start_element = begin_element, .end_element = end_element, .text = take_text};
    Reading reading = {.picture = {.rects = g_array_new(FALSE, FALSE, sizeof(Box)),
                                   .words = g_array_new(FALSE, FALSE, sizeof(Box))}};
    GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &reading, NULL);
    g_autoptr(GError) error = NULL;

    if (!g_markup_parse_context_parse(context, text, -1, &error) ||
        !g_markup_parse_context_end_parse(context, &error))
        ck_abort_msg("%s", error->message);
    g_markup_parse_context_free(context);
    return reading.picture;
}

void
picture_clear(Picture *self)
{
    g_array_unref(self->rects);
    g_array_unref(self->words);
}
