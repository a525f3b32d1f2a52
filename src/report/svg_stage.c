/* SPDX-License-Identifier: MIT */
/* Memory at the peak: a bar a stage, in layers, against the capacity. */
#include "report/svg.h"

#include "report/phrase.h"

#include <math.h>

#define HEIGHT   150
#define MAX_BARS 128u
#define MAX_BAR  72 /* [px] wide, with its gap */

typedef struct {
    PsimSvg *picture;
    PsimPx base;  /* y of no bytes */
    PsimPx pitch; /* from bar to bar */
    double scale; /* bytes at full height */
} Chart;

static PsimPx
find_rise(const Chart *self, double bytes)
{
    return (PsimPx)floor((double)PSIM_PX(HEIGHT) * bytes / self->scale + 0.5);
}

static void
draw_stack(const Chart *self, const PsimStageFigures *stage, PsimPx x)
{
    PsimPaintTerm terms[PSIM_N_MEMORY_TERMS];
    double sum = 0.0;
    PsimPx below = 0;

    psim_paint_memory_terms(stage, terms);
    for (unsigned i = 0; i < PSIM_N_MEMORY_TERMS; i++) {
        sum += terms[i].value;
        const PsimPx rise = find_rise(self, sum);
        const PsimSvgRect box = {.x = x,
                                 .y = self->base - rise,
                                 .width = self->pitch * 80 / 100,
                                 .height = rise - below,
                                 .fill = terms[i].fill,
                                 .stroke = PSIM_SVG_INK,
                                 .class = "cell"};

        if (box.height > 0)
            psim_svg_canvas_rect(&self->picture->canvas, &box, terms[i].name);
        below = rise;
    }
}

/* "48.6" above the bar, its stage below; every so many bars if they are narrow. */
static void
draw_numbers(const Chart *self, const PsimStageFigures *stage, PsimPx middle)
{
    g_autofree char *peak = psim_phrase_fixed(stage->peak_bytes / 1e9, /* decimals= */ 1);
    g_autofree char *name = g_strdup_printf("%u", stage->stage);
    const double capacity = self->picture->result->capacity_bytes;
    const bool over = capacity > 0.0 && stage->peak_bytes > capacity;
    PsimSvgWords words = {.x = middle,
                          .y = self->base - find_rise(self, stage->peak_bytes) - PSIM_PX(4),
                          .size = 10,
                          .anchor = 'm',
                          .bold = over,
                          .fill = over ? PSIM_SVG_ALARM : NULL};

    if (psim_svg_canvas_measure(peak, words.size) <= self->pitch)
        psim_svg_canvas_words(&self->picture->canvas, &words, peak);
    words.y = self->base + PSIM_PX(14);
    words.bold = false;
    words.fill = PSIM_SVG_MUTED;
    if (psim_svg_canvas_measure("000", words.size) <= self->pitch || stage->stage % 8 == 0)
        psim_svg_canvas_words(&self->picture->canvas, &words, name);
}

static void
draw_capacity(const Chart *self)
{
    PsimSvg *picture = self->picture;
    const PsimPx y = self->base - find_rise(self, picture->result->capacity_bytes);
    const PsimPx right = picture->left + picture->plot;
    const PsimPx line[4] = {picture->left, y, right, y};
    const PsimPx floor_line[4] = {picture->left, self->base, right, self->base};
    g_autofree char *text = psim_phrase_bytes(picture->result->capacity_bytes);
    PsimSvgWords words = {.x = right + PSIM_PX(8),
                          .y = y - PSIM_PX(2),
                          .size = 11,
                          .anchor = 's',
                          .fill = PSIM_SVG_ALARM};

    psim_svg_canvas_line(&picture->canvas, floor_line, PSIM_SVG_LINE, /* dash= */ NULL);
    if (picture->result->capacity_bytes <= 0.0)
        return;
    psim_svg_canvas_line(&picture->canvas, line, PSIM_SVG_ALARM, "5 3");
    psim_svg_canvas_words(&picture->canvas, &words, "capacity");
    words.y += PSIM_PX(14);
    psim_svg_canvas_words(&picture->canvas, &words, text);
}

/* Terms that any stage has. */
static PsimPx
draw_key(PsimSvg *self, PsimPx y)
{
    const PsimResult *result = self->result;
    PsimPaintTerm terms[PSIM_N_MEMORY_TERMS];
    PsimPx x = self->left;

    psim_paint_memory_terms(&result->stages[MIN(result->worst_stage, result->n_stages - 1)], terms);
    for (unsigned i = 0; i < PSIM_N_MEMORY_TERMS; i++) {
        const PsimSvgRect box = {.x = x,
                                 .y = y - PSIM_PX(10),
                                 .width = PSIM_PX(14),
                                 .height = PSIM_PX(12),
                                 .fill = terms[i].fill,
                                 .stroke = PSIM_SVG_INK,
                                 .class = "key"};
        const PsimSvgWords words = {.x = x + PSIM_PX(20), .y = y, .size = 12, .anchor = 's'};

        psim_svg_canvas_rect(&self->canvas, &box, /* title= */ NULL);
        psim_svg_canvas_words(&self->canvas, &words, terms[i].name);
        x += PSIM_PX(36) + psim_svg_canvas_measure(terms[i].name, words.size);
    }
    return y + PSIM_PX(18);
}

PsimPx
psim_svg_stage_draw(PsimSvg *self, PsimPx y)
{
    const PsimResult *result = self->result;
    const uint32_t n_bars = MIN(result->n_stages, MAX_BARS);
    Chart chart = {.picture = self, .scale = MAX(result->capacity_bytes, 1.0)};

    if (result->kind != PSIM_RESULT_RUN || n_bars == 0)
        return y;
    y = psim_svg_heading(self, y, "memory at the peak",
                         n_bars < result->n_stages
                             ? "a bar a stage, GB of one GPU; the first 128 stages"
                             : "a bar a stage, GB of one GPU");
    for (uint32_t i = 0; i < n_bars; i++)
        chart.scale = MAX(chart.scale, result->stages[i].peak_bytes);
    chart.base = y + PSIM_PX(HEIGHT + 14);
    chart.pitch = MIN(self->plot / n_bars, PSIM_PX(MAX_BAR));
    draw_capacity(&chart);
    for (uint32_t i = 0; i < n_bars; i++) {
        const PsimPx x = self->left + chart.pitch * i + chart.pitch / 10;

        draw_stack(&chart, &result->stages[i], x);
        draw_numbers(&chart, &result->stages[i], x + chart.pitch * 40 / 100);
    }
    return draw_key(self, chart.base + PSIM_PX(40));
}
