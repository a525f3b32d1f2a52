/* SPDX-License-Identifier: MIT */
#include "report/svg.h"

#include "report/caption.h"
#include "report/phrase.h"
#include "report/svg_row.h"

#define MAX_TITLED 2000u /* cells that tell their times to a pointer */

/* Idle time of a rank, and for a schedule alone how much it keeps at most. */
static void
draw_figures(PsimSvg *self, uint32_t rank, PsimPx y)
{
    const PsimRankFigures *figures = &self->result->ranks[rank];
    const int size = MIN(11, self->row - 1);
    const bool alone = self->result->kind == PSIM_RESULT_SCHEDULE;
    const PsimTime idle = alone ? self->makespan - figures->busy_ps : figures->breakdown.bubble_ps;
    g_autofree char *share = psim_phrase_percent((double)idle / (double)self->makespan);
    const PsimSvgWords words = {.x = self->left + self->plot + PSIM_PX(58),
                                .y = y + PSIM_PX(size) * 36 / 100,
                                .size = size,
                                .anchor = 'e'};

    psim_svg_canvas_words(&self->canvas, &words, share);
    if (!alone)
        return;
    uint32_t most = 1;

    for (uint32_t i = 0; i < self->result->n_ranks; i++)
        most = MAX(most, self->result->ranks[i].peak.in_flight_max);
    const uint32_t peak = figures->peak.in_flight_max;
    const PsimSvgRect bar = {.x = words.x + PSIM_PX(16),
                             .y = y - PSIM_PX(self->row) * 30 / 100,
                             .width = PSIM_PX(48) * peak / most,
                             .height = PSIM_PX(self->row) * 60 / 100,
                             .fill = "#b5b5b5",
                             .class = "peak"};
    const PsimSvgWords number = {
        .x = bar.x + bar.width + PSIM_PX(4), .y = words.y, .size = size, .anchor = 's'};
    g_autofree char *text = g_strdup_printf("%u", peak);

    psim_svg_canvas_rect(&self->canvas, &bar, /* title= */ NULL);
    psim_svg_canvas_words(&self->canvas, &number, text);
}

static void
draw_row(PsimSvg *self, uint32_t rank, PsimPx y, bool titled)
{
    const PsimSvgRow row = {.picture = self, .rank = rank, .y = y, .titled = titled};
    const PsimPx middle = y + PSIM_PX(self->row) / 2;
    const int size = MIN(12, self->row);
    const PsimSvgWords name = {.x = self->left - PSIM_PX(8),
                               .y = middle + PSIM_PX(size) * 36 / 100,
                               .size = size,
                               .anchor = 'e'};
    const PsimSvgRect ground = {.x = self->left,
                                .y = y,
                                .width = self->plot,
                                .height = PSIM_PX(self->row),
                                .fill = "#ffffff",
                                .stroke = PSIM_SVG_LINE,
                                .class = "idle"};
    g_autofree char *text = g_strdup_printf("rank %u", rank);

    psim_svg_canvas_words(&self->canvas, &name, text);
    psim_svg_canvas_rect(&self->canvas, &ground, /* title= */ NULL);
    if (self->overview)
        psim_svg_columns_draw(&row);
    else
        psim_svg_cells_draw(&row);
    draw_figures(self, rank, middle);
}

static void
draw_captions(PsimSvg *self, PsimPx y)
{
    PsimSvgWords words = {.x = self->left + self->plot + PSIM_PX(58),
                          .y = y,
                          .size = 11,
                          .anchor = 'e',
                          .fill = PSIM_SVG_MUTED};

    const bool alone = self->result->kind == PSIM_RESULT_SCHEDULE;

    psim_svg_canvas_words(&self->canvas, &words, alone ? "idle" : "bubble");
    if (!alone)
        return;
    words.x += PSIM_PX(16);
    words.anchor = 's';
    psim_svg_canvas_words(&self->canvas, &words, "chunks kept");
}

/* What the picture leaves out. */
static char *
tell_reading(const PsimSvg *self)
{
    GString *text = g_string_new(NULL);

    if (self->overview) {
        g_autofree char *wide = psim_caption_time(self->result, psim_svg_columns_edge(self, 1));

        g_string_append_printf(text,
                               "overview: too many operations for cells, so each column is %s, and "
                               "in it the height of a colour is its share of the time",
                               wide);
    }
    if (self->n_rows < self->result->n_ranks)
        g_string_append_printf(text, "%s%u of %u ranks", text->len > 0 ? "; " : "", self->n_rows,
                               self->result->n_ranks);
    return g_string_free(text, /* free_segment= */ FALSE);
}

PsimPx
psim_svg_timeline_draw(PsimSvg *self, PsimPx y)
{
    if (self->makespan == 0)
        return y;
    g_autofree char *reading = tell_reading(self);
    const bool titled = self->result->graph->n_tasks <= MAX_TITLED;

    y = psim_svg_heading(self, y, self->heading != NULL ? self->heading : "timeline",
                         reading[0] != '\0' ? reading : self->remark);
    draw_captions(self, y - PSIM_PX(6));
    for (uint32_t rank = 0; rank < self->n_rows && !self->canvas.sink->failed; rank++) {
        draw_row(self, rank, y, titled);
        y += PSIM_PX(self->row + (self->strip > 0 ? self->strip + 5 : 4));
    }
    return y;
}
