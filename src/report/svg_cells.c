/* SPDX-License-Identifier: MIT */
/* A broad lane for what a rank does, and below it a strip for what it sends and reduces, where
 * there is any. What a rank does is its compute tasks and, where it has none, its own collectives:
 * white is idle.
 *
 *     |  F  | TP |   |    B    |      lane
 *           | tp |       |pp|         strip
 */
#include "report/svg_row.h"

#include "report/caption.h"
#include "report/phrase.h"

static const char *
find_fill(PsimPaint paint, const PsimTaskClass *class)
{
    const PsimPaintInfo *info = psim_paint_info(paint);

    return class->chunk % 2 == 1 ? info->odd : info->even;
}

static char *
tell_cell(const PsimSvg *self, uint32_t task, PsimTime start, PsimTime end)
{
    g_autofree char *label = psim_phrase_label(self->result, task);
    g_autofree char *begin = psim_caption_time(self->result, start);
    g_autofree char *length = psim_caption_time(self->result, end - start);

    return g_strdup_printf("%s: from %s, for %s", label, begin, length);
}

static void
draw_number(const PsimSvgRow *row, uint32_t task, const PsimSvgRect *cell)
{
    PsimSvg *self = row->picture;
    const PsimGraph *graph = self->result->graph;

    if (self->label == 0 || !psim_svg_layout_is_labelled(graph, task) ||
        cell->width < self->label_width)
        return;
    g_autofree char *text = g_strdup_printf("%u", graph->microbatch[task]);
    const PsimSvgWords words = {
        .x = cell->x + cell->width / 2,
        .y = cell->y + cell->height / 2 + PSIM_PX(self->label) * 36 / 100,
        .size = self->label,
        .anchor = 'm',
        .fill = psim_paint_ink(cell->fill),
    };

    self->numbered = true;
    psim_svg_canvas_words(&self->canvas, &words, text);
}

static void
draw_cell(const PsimSvgRow *row, uint32_t task, PsimTime start, PsimTime end)
{
    PsimSvg *self = row->picture;
    const PsimTaskClass *class = psim_graph_class(self->result->graph, task);
    const PsimPx x = psim_svg_place(self, start);
    const PsimSvgRect cell = {
        .x = x,
        .y = row->y,
        .width = psim_svg_place(self, end) - x,
        .height = PSIM_PX(self->row),
        .fill = find_fill(psim_paint_choose(class), class),
        .stroke = psim_svg_place(self, end) - x >= PSIM_PX(4) ? PSIM_SVG_INK : NULL,
        .class = "cell",
    };
    g_autofree char *title = row->titled ? tell_cell(self, task, start, end) : NULL;

    if (cell.width == 0)
        return;
    psim_svg_canvas_rect(&self->canvas, &cell, title);
    draw_number(row, task, &cell);
}

static void
draw_strip(const PsimSvgRow *row, uint32_t task)
{
    PsimSvg *self = row->picture;
    const PsimTaskClass *class = psim_graph_class(self->result->graph, task);
    const PsimTime end = self->result->replay->end[task];
    const PsimPx x = psim_svg_place(self, end - self->result->graph->duration[task]);
    const PsimSvgRect cell = {
        .x = x,
        .y = row->y + PSIM_PX(self->row + 1),
        .width = psim_svg_place(self, end) - x,
        .height = PSIM_PX(self->strip),
        .fill = psim_paint_info(psim_paint_choose(class))->even,
        .class = "cell",
    };

    if (cell.width > 0)
        psim_svg_canvas_rect(&self->canvas, &cell, /* title= */ NULL);
}

static bool
is_same_cell(const PsimGraph *graph, uint32_t a, uint32_t b)
{
    return graph->class[a] == graph->class[b] && graph->microbatch[a] == graph->microbatch[b];
}

/* Segments of one operation that touch are one cell. */
static void
draw_compute(const PsimSvgRow *row, uint32_t track)
{
    const PsimSvg *self = row->picture;
    const PsimGraph *graph = self->result->graph;
    const PsimTime *end = self->result->replay->end;
    const uint32_t *tasks = self->tracks.tasks;
    const uint32_t last = self->tracks.first[track + 1];

    for (uint32_t i = self->tracks.first[track]; i < last;) {
        const PsimTime start = end[tasks[i]] - graph->duration[tasks[i]];
        uint32_t next = i + 1;

        while (next < last && is_same_cell(graph, tasks[i], tasks[next]) &&
               end[tasks[next]] - graph->duration[tasks[next]] == end[tasks[next - 1]])
            next++;
        draw_cell(row, tasks[i], start, end[tasks[next - 1]]);
        i = next;
    }
}

/* The first track of a rank is its compute stream, if it has one. */
static bool
is_compute_track(const PsimSvg *self, uint32_t track)
{
    return self->result->graph->streams[self->tracks.stream[track]].kind == PSIM_STREAM_COMPUTE;
}

/* The parts of a collective during which the rank computes nothing. @next walks along the compute
 * tasks, from collective to collective. */
static void
draw_exposed(const PsimSvgRow *row, uint32_t task, uint32_t *next, uint32_t last)
{
    const PsimSvg *self = row->picture;
    const PsimGraph *graph = self->result->graph;
    const PsimTime *end = self->result->replay->end;
    const uint32_t *tasks = self->tracks.tasks;
    PsimTime from = end[task] - graph->duration[task];

    while (*next < last && end[tasks[*next]] <= from)
        (*next)++;
    for (uint32_t i = *next; i < last && from < end[task]; i++) {
        const PsimTime start = end[tasks[i]] - graph->duration[tasks[i]];

        if (start >= end[task])
            break;
        if (start > from)
            draw_cell(row, task, from, start);
        from = end[tasks[i]];
    }
    if (from < end[task])
        draw_cell(row, task, from, end[task]);
}

static void
draw_collectives(const PsimSvgRow *row, uint32_t track)
{
    const PsimSvg *self = row->picture;
    const uint32_t compute = self->tracks.rank[row->rank];
    const bool computes = is_compute_track(self, compute);
    uint32_t next = self->tracks.first[compute];
    const uint32_t last = computes ? self->tracks.first[compute + 1] : next;

    for (uint32_t i = self->tracks.first[track]; i < self->tracks.first[track + 1]; i++) {
        const uint32_t task = self->tracks.tasks[i];
        const uint8_t kind = psim_graph_class(self->result->graph, task)->kind;

        if (self->result->graph->duration[task] == 0)
            continue;
        draw_strip(row, task);
        if (kind == PSIM_TASK_TP || kind == PSIM_TASK_CP || kind == PSIM_TASK_DP)
            draw_exposed(row, task, &next, last);
    }
}

void
psim_svg_cells_draw(const PsimSvgRow *row)
{
    const PsimTracks *tracks = &row->picture->tracks;

    if (tracks->rank[row->rank] == tracks->rank[row->rank + 1])
        return;
    for (uint32_t track = tracks->rank[row->rank]; track < tracks->rank[row->rank + 1]; track++) {
        if (is_compute_track(row->picture, track))
            draw_compute(row, track);
        else
            draw_collectives(row, track);
    }
}
