/* SPDX-License-Identifier: MIT */
/* A run of too many tasks for cells is drawn in columns: in each, the height of a colour is its
 * share of the column's time.
 */
#include "report/svg_row.h"

typedef PsimTime Column[PSIM_N_PAINTS];

PsimTime
psim_svg_columns_edge(const PsimSvg *self, uint32_t index)
{
    const PsimTime n = self->n_columns;

    return self->makespan / n * index + self->makespan % n * index / n;
}

static void
fill_columns(const PsimSvg *self, uint32_t track, Column *columns)
{
    const PsimGraph *graph = self->result->graph;
    uint32_t first = 0;

    for (uint32_t i = self->tracks.first[track]; i < self->tracks.first[track + 1]; i++) {
        const uint32_t task = self->tracks.tasks[i];
        const PsimTime end = self->result->replay->end[task];
        const PsimTime start = end - graph->duration[task];
        const PsimPaint paint = psim_paint_choose(psim_graph_class(graph, task));

        while (first + 1 < self->n_columns && psim_svg_columns_edge(self, first + 1) <= start)
            first++;
        for (uint32_t at = first; at < self->n_columns && psim_svg_columns_edge(self, at) < end;
             at++)
            columns[at][paint] += MIN(end, psim_svg_columns_edge(self, at + 1)) -
                                  MAX(start, psim_svg_columns_edge(self, at));
    }
}

/* A box that stands on @y. */
static void
append_box(GString *out, PsimPx x, PsimPx y, PsimPx width, PsimPx height)
{
    g_string_append_c(out, 'M');
    psim_svg_canvas_number(out, x);
    g_string_append_c(out, ' ');
    psim_svg_canvas_number(out, y);
    g_string_append_c(out, 'h');
    psim_svg_canvas_number(out, width);
    g_string_append_c(out, 'v');
    psim_svg_canvas_number(out, -height);
    g_string_append_c(out, 'h');
    psim_svg_canvas_number(out, -width);
    g_string_append_c(out, 'z');
}

/* One paint of all columns, on top of what is there: @below  (n_columns) its height. */
static void
draw_paint(const PsimSvgRow *row, PsimPaint paint, Column *columns, PsimPx *below)
{
    const PsimSvg *self = row->picture;
    GString *out = self->canvas.sink->buffer;
    const PsimPx full = PSIM_PX(self->row);

    g_string_append_printf(out, "<path fill=\"%s\" d=\"", psim_paint_info(paint)->even);
    for (uint32_t i = 0; i < self->n_columns; i++) {
        const PsimTime begin = psim_svg_columns_edge(self, i);
        const PsimTime end = psim_svg_columns_edge(self, i + 1);
        const double share = (double)columns[i][paint] / (double)MAX(end - begin, 1);
        const PsimPx height = MIN((PsimPx)((double)full * share + 0.5), full - below[i]);
        const PsimPx x = psim_svg_place(self, begin);

        if (height == 0)
            continue;
        append_box(out, x, row->y + full - below[i], psim_svg_place(self, end) - x, height);
        below[i] += height;
    }
    g_string_append(out, "\"/>\n");
    psim_report_flush(self->canvas.sink, /* all= */ false);
}

/* All of a rank's tracks but its transfers, which take none of its time. */
static void
fill_row(const PsimSvg *self, uint32_t rank, Column *columns)
{
    const PsimTracks *tracks = &self->tracks;

    for (uint32_t track = tracks->rank[rank]; track < tracks->rank[rank + 1]; track++) {
        const uint8_t kind = self->result->graph->streams[tracks->stream[track]].kind;

        if (kind != PSIM_STREAM_SEND_NEXT && kind != PSIM_STREAM_SEND_PREVIOUS)
            fill_columns(self, track, columns);
    }
}

void
psim_svg_columns_draw(const PsimSvgRow *row)
{
    const PsimSvg *self = row->picture;
    g_autofree Column *columns = g_new0(Column, self->n_columns);
    g_autofree PsimPx *below = g_new0(PsimPx, self->n_columns);

    fill_row(self, row->rank, columns);
    for (unsigned paint = 0; paint < PSIM_N_PAINTS; paint++) {
        if (self->seen[paint])
            draw_paint(row, (PsimPaint)paint, columns, below);
    }
}
