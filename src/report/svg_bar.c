/* SPDX-License-Identifier: MIT */
/* Where the step goes: one bar, and below it each part's time and share. */
#include "report/svg.h"

#include "report/phrase.h"

#define HEIGHT 30

static void
draw_share(PsimSvg *self, const PsimSvgRect *box, double share)
{
    g_autofree char *text = psim_phrase_percent(share);
    const PsimSvgWords words = {.x = box->x + box->width / 2,
                                .y = box->y + PSIM_PX(HEIGHT / 2 + 4),
                                .size = 12,
                                .anchor = 'm',
                                .fill = psim_paint_ink(box->fill)};

    if (psim_svg_canvas_measure(text, words.size) + PSIM_PX(4) <= box->width)
        psim_svg_canvas_words(&self->canvas, &words, text);
}

static void
draw_bar(PsimSvg *self, const PsimPaintTerm *terms, PsimPx y)
{
    double sum = 0.0;

    for (unsigned i = 0; i < PSIM_N_STEP_TERMS; i++) {
        const PsimPx x = psim_svg_place(self, (PsimTime)sum);

        sum += terms[i].value;
        const PsimSvgRect box = {.x = x,
                                 .y = y,
                                 .width = psim_svg_place(self, (PsimTime)sum) - x,
                                 .height = PSIM_PX(HEIGHT),
                                 .fill = terms[i].fill,
                                 .stroke = PSIM_SVG_INK,
                                 .class = "cell"};

        if (box.width == 0)
            continue;
        psim_svg_canvas_rect(&self->canvas, &box, terms[i].name);
        draw_share(self, &box, terms[i].value / (double)self->makespan);
    }
}

/* One part's entry. @at  where it goes; moves on, to the next line if this one is full. */
static void
draw_key(PsimSvg *self, const PsimPaintTerm *term, PsimSvgWords *at)
{
    g_autofree char *time = psim_phrase_time((PsimTime)term->value);
    g_autofree char *share = psim_phrase_percent(term->value / (double)self->makespan);
    g_autofree char *text = g_strdup_printf("%s %s, %s", term->name, time, share);
    const PsimPx length = PSIM_PX(38) + psim_svg_canvas_measure(text, at->size);

    if (at->x + length > self->canvas.width && at->x > self->left) {
        at->x = self->left;
        at->y += PSIM_PX(20);
    }
    const PsimSvgRect box = {.x = at->x,
                             .y = at->y - PSIM_PX(10),
                             .width = PSIM_PX(14),
                             .height = PSIM_PX(12),
                             .fill = term->fill,
                             .stroke = PSIM_SVG_INK,
                             .class = "key"};
    PsimSvgWords words = *at;

    words.x += PSIM_PX(20);
    psim_svg_canvas_rect(&self->canvas, &box, /* title= */ NULL);
    psim_svg_canvas_words(&self->canvas, &words, text);
    at->x += length;
}

PsimPx
psim_svg_bar_draw(PsimSvg *self, PsimPx y)
{
    PsimPaintTerm terms[PSIM_N_STEP_TERMS];

    if (self->makespan == 0 || self->result->kind != PSIM_RESULT_RUN)
        return y;
    psim_paint_step_terms(&self->result->breakdown, terms);
    y = psim_svg_heading(self, y, "where the step goes", "mean over ranks");
    draw_bar(self, terms, y);
    PsimSvgWords at = {.x = self->left, .y = y + PSIM_PX(HEIGHT + 22), .size = 12, .anchor = 's'};

    for (unsigned i = 0; i < PSIM_N_STEP_TERMS; i++) {
        if (terms[i].value > 0.0)
            draw_key(self, &terms[i], &at);
    }
    return at.y + PSIM_PX(18);
}
