/* SPDX-License-Identifier: MIT */
/* The axis below the rows, and what the colours mean. */
#include "report/svg.h"

#include "report/phrase.h"

#include <string.h>

#define MAX_MARKS      12
#define MAX_LONG_MARKS 5 /* of ten digits and more */
#define LONG           INT64_C(1000000000)

/* -- Axis -- */

typedef struct {
    const char *name;
    PsimTime ps;
    unsigned decimals; /* of a whole picosecond */
} Unit;

static Unit
choose_unit(const PsimSvg *self)
{
    static const Unit units[] = {{"s", PSIM_TIME_PER_S, 12},
                                 {"ms", PSIM_TIME_PER_S / 1000, 9},
                                 {"us", 1000000, 6},
                                 {"ns", 1000, 3},
                                 {"ps", 1, 0}};
    size_t i = 0;

    if (self->result->kind == PSIM_RESULT_SCHEDULE)
        return (Unit){"ticks", 1, 0};
    while (i + 1 < G_N_ELEMENTS(units) && self->makespan < units[i].ps)
        i++;
    return units[i];
}

/* 1, 2 or 5 times a power of ten. */
static PsimTime
choose_step(PsimTime makespan, PsimTime n_marks)
{
    static const int factors[] = {1, 2, 5};
    PsimTime power = 1;

    for (;;) {
        for (size_t i = 0; i < G_N_ELEMENTS(factors); i++) {
            if (makespan / (power * factors[i]) <= n_marks)
                return power * factors[i];
        }
        power *= 10;
    }
}

static unsigned
count_decimals(const Unit *unit, PsimTime step)
{
    unsigned decimals = unit->decimals;

    for (; decimals > 0 && step % 10 == 0; step /= 10)
        decimals--;
    return decimals;
}

static PsimPx
draw_axis(PsimSvg *self, PsimPx y)
{
    const Unit unit = choose_unit(self);
    const bool tall = unit.ps == 1 && self->makespan >= LONG;
    const PsimTime step = choose_step(self->makespan, tall ? MAX_LONG_MARKS : MAX_MARKS);
    const unsigned decimals = count_decimals(&unit, step);
    const PsimPx line[4] = {self->left, y, self->left + self->plot, y};
    PsimSvgWords words = {.y = y + PSIM_PX(17), .size = 11, .anchor = 'm', .fill = PSIM_SVG_MUTED};

    psim_svg_canvas_line(&self->canvas, line, PSIM_SVG_LINE, /* dash= */ NULL);
    for (PsimTime i = 0; i <= self->makespan / step; i++) {
        const PsimTime mark = i * step;
        const PsimPx x = psim_svg_place(self, mark);
        const PsimPx tick[4] = {x, y, x, y + PSIM_PX(4)};
        g_autofree char *text = psim_phrase_fixed((double)mark / (double)unit.ps, decimals);

        words.x = x;
        psim_svg_canvas_line(&self->canvas, tick, PSIM_SVG_LINE, /* dash= */ NULL);
        psim_svg_canvas_words(&self->canvas, &words, text);
        words.x += psim_svg_canvas_measure(text, words.size) / 2 + PSIM_PX(6);
    }
    words.x = MAX(words.x, self->left + self->plot + PSIM_PX(24));
    words.anchor = 's';
    psim_svg_canvas_words(&self->canvas, &words, unit.name);
    return y + PSIM_PX(34);
}

/* -- Legend -- */

typedef struct {
    PsimSvg *picture;
    PsimPx x, y;
} Pen;

static void
draw_entry(Pen *pen, const char *fill, const char *odd, const char *text)
{
    PsimCanvas *canvas = &pen->picture->canvas;
    const PsimPx box = PSIM_PX(odd != NULL ? 28 : 14);
    const PsimPx length = box + PSIM_PX(24) + psim_svg_canvas_measure(text, 12);

    if (pen->x + length > canvas->width && pen->x > pen->picture->left) {
        pen->x = pen->picture->left;
        pen->y += PSIM_PX(20);
    }
    const PsimSvgRect first = {.x = pen->x,
                               .y = pen->y - PSIM_PX(10),
                               .width = PSIM_PX(14),
                               .height = PSIM_PX(12),
                               .fill = fill,
                               .stroke = PSIM_SVG_INK,
                               .class = "key"};
    PsimSvgRect second = first;
    const PsimSvgWords words = {
        .x = pen->x + box + PSIM_PX(6), .y = pen->y, .size = 12, .anchor = 's'};

    second.x += PSIM_PX(14);
    second.fill = odd;
    psim_svg_canvas_rect(canvas, &first, /* title= */ NULL);
    if (odd != NULL)
        psim_svg_canvas_rect(canvas, &second, /* title= */ NULL);
    psim_svg_canvas_words(canvas, &words, text);
    pen->x += length;
}

static const char *
tell_numbers(const PsimSvg *self)
{
    if (!self->numbered)
        return NULL;
    return self->result->n_chunks > 1 ? "numbers: microbatches; dark and light: even and odd chunks"
                                      : "numbers: microbatches";
}

PsimPx
psim_svg_legend_draw(PsimSvg *self, PsimPx y)
{
    if (self->makespan == 0)
        return y;
    Pen pen = {.picture = self, .x = self->left, .y = draw_axis(self, y) + PSIM_PX(12)};
    const bool chunks = self->result->n_chunks > 1 && !self->overview;
    const char *numbers = tell_numbers(self);

    for (unsigned i = 0; i < PSIM_N_PAINTS; i++) {
        const PsimPaintInfo *info = psim_paint_info((PsimPaint)i);
        const bool shaded = chunks && strcmp(info->even, info->odd) != 0;

        if (self->seen[i])
            draw_entry(&pen, info->even, shaded ? info->odd : NULL, info->name);
    }
    draw_entry(&pen, "#ffffff", /* odd= */ NULL, "idle");
    if (numbers != NULL) {
        const PsimSvgWords words = {.x = self->left,
                                    .y = pen.y + PSIM_PX(20),
                                    .size = 12,
                                    .anchor = 's',
                                    .fill = PSIM_SVG_MUTED};

        psim_svg_canvas_words(&self->canvas, &words, numbers);
        pen.y = words.y;
    }
    return pen.y + PSIM_PX(18);
}
