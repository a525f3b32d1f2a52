/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "report/caption.h"
#include "report/formats.h"
#include "report/markup.h"
#include "report/phrase.h"

#define MAX_STUCK 16u /* ranks of a deadlock told in words */

/* The product needs more than 64 bits. */
__extension__ typedef __int128 Wide;

PsimPx
psim_svg_place(const PsimSvg *self, PsimTime time)
{
    return self->left + (PsimPx)((Wide)time * self->plot / MAX(self->makespan, 1));
}

PsimPx
psim_svg_heading(PsimSvg *self, PsimPx y, const char *text, const char *more)
{
    PsimSvgWords words = {.x = PSIM_PX(PSIM_SVG_MARGIN),
                          .y = y + PSIM_PX(26),
                          .size = 14,
                          .anchor = 's',
                          .bold = true};

    psim_svg_canvas_words(&self->canvas, &words, text);
    if (more != NULL) {
        /* Bold is wider by a tenth. */
        words.x += psim_svg_canvas_measure(text, words.size) * 105 / 100;
        words.size = 11;
        words.bold = false;
        words.fill = PSIM_SVG_MUTED;
        psim_svg_canvas_words(&self->canvas, &words, more);
    }
    return y + PSIM_PX(38);
}

/* -- Title -- */

static PsimPx
draw_title(PsimSvg *self, PsimPx y)
{
    const PsimResult *result = self->result;
    const bool alarm = !result->fits && result->kind == PSIM_RESULT_RUN;
    g_autofree char *title = psim_caption_title(result);
    g_autofree char *headline = psim_caption_headline(result);
    g_autofree char *bubble = psim_caption_bubble(result);
    PsimSvgWords words = {.x = PSIM_PX(PSIM_SVG_MARGIN),
                          .y = y + PSIM_PX(14),
                          .size = 18,
                          .anchor = 's',
                          .bold = true};

    psim_svg_canvas_words(&self->canvas, &words, title);
    words.y += PSIM_PX(24);
    words.size = 13;
    words.bold = alarm;
    words.fill = alarm || result->n_stuck > 0 ? PSIM_SVG_ALARM : NULL;
    words.y = psim_svg_canvas_paragraph(&self->canvas, &words, headline);
    words.bold = false;
    words.fill = NULL;
    if (bubble[0] != '\0')
        words.y = psim_svg_canvas_paragraph(&self->canvas, &words, bubble);
    return words.y - PSIM_PX(18);
}

/* -- Deadlock -- */

static PsimPx
draw_stuck(PsimSvg *self, PsimPx y)
{
    const PsimResult *result = self->result;
    PsimSvgWords words = {.x = PSIM_PX(PSIM_SVG_MARGIN), .size = 12, .anchor = 's'};

    if (result->n_stuck == 0)
        return y;
    words.y = psim_svg_heading(self, y, "where each rank stands", /* more= */ NULL) + PSIM_PX(6);
    for (uint32_t i = 0; i < MIN(result->n_stuck, MAX_STUCK); i++) {
        const PsimStuck *stuck = &result->stuck[i];
        g_autofree char *text =
            stuck->head == NULL
                ? g_strdup_printf("rank %u has finished", stuck->rank)
                : g_strdup_printf("rank %u: next is %s, which waits for %s", stuck->rank,
                                  stuck->head, stuck->missing != NULL ? stuck->missing : "-");

        words.y = psim_svg_canvas_paragraph(&self->canvas, &words, text);
    }
    return words.y;
}

/* -- The picture -- */

static PsimPx
draw_rooms(PsimSvg *self)
{
    PsimPx y = draw_title(self, PSIM_PX(PSIM_SVG_MARGIN));

    y = psim_svg_timeline_draw(self, y);
    y = psim_svg_legend_draw(self, y);
    y = draw_stuck(self, y);
    y = psim_svg_bar_draw(self, y);
    y = psim_svg_memory_draw(self, y);
    return psim_svg_stage_draw(self, y);
}

static bool
drop(const char *bytes, size_t n_bytes, void *user)
{
    (void)bytes;
    (void)n_bytes;
    (void)user;
    return true;
}

PsimPx
psim_svg_height(PsimPx (*draw)(void *user, PsimSink *sink), void *user)
{
    g_autoptr(GString) buffer = g_string_new(NULL);
    PsimSink sink = {.buffer = buffer, .write = drop};

    return draw(user, &sink) + PSIM_PX(12);
}

/* What drawing finds out about the legend is for that drawing alone. */
static PsimPx
draw_trial(void *user, PsimSink *sink)
{
    PsimSvg trial = *(const PsimSvg *)user;

    trial.canvas.sink = sink;
    return draw_rooms(&trial);
}

void
psim_svg_begin(const PsimSvg *self, PsimPx height, const char *title, const char *description)
{
    GString *out = self->canvas.sink->buffer;

    g_string_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"");
    psim_svg_canvas_number(out, self->canvas.width);
    g_string_append(out, "\" height=\"");
    psim_svg_canvas_number(out, height);
    g_string_append(out, "\" viewBox=\"0 0 ");
    psim_svg_canvas_number(out, self->canvas.width);
    g_string_append_c(out, ' ');
    psim_svg_canvas_number(out, height);
    g_string_append_printf(out,
                           "\" fill=\"%s\" font-family=\"Helvetica, Arial, 'Liberation Sans', "
                           "'DejaVu Sans', sans-serif\">\n",
                           PSIM_SVG_INK);
    psim_markup_element(out, "title", title);
    psim_markup_element(out, "desc", description);
    g_string_append(out, "\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

void
psim_svg_end(const PsimSvg *self)
{
    g_string_append(self->canvas.sink->buffer, "</svg>\n");
}

static void
write_picture(const PsimResult *result, PsimSink *sink)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const bool ran = psim_result_n_spans(result) > 0;
    g_autofree char *title = psim_caption_title(result);
    g_autofree char *headline = psim_caption_headline(result);
    PsimSvg picture = {
        .result = result,
        .canvas = {.sink = sink},
        .makespan = ran ? result->replay->makespan : 0,
    };

    if (picture.makespan > 0)
        picture.tracks = psim_track_list(result->graph, arena);
    psim_svg_layout_choose(&picture);
    psim_svg_begin(&picture, psim_svg_height(draw_trial, &picture), title, headline);
    (void)draw_rooms(&picture);
    psim_svg_end(&picture);
}

const PsimReportType psim_svg_report = {
    .name = "svg",
    .summary = "a picture for slides and papers: timeline, memory, where the step goes",
    .write_run = write_picture,
    .write_schedule = write_picture,
};
