/* SPDX-License-Identifier: MIT */
/* As wide as the numbers in the cells need, within reason; rows as high as leaves all of them on a
 * page.
 */
#include "report/svg.h"

#include "report/svg_row.h"

#define MAX_ROWS      64u
#define MAX_CELLS     2000u /* of a row */
#define MAX_ALL_CELLS 60000u
#define LEAST_CELL    PSIM_PX(2) /* in the mean */
#define COLUMN        PSIM_PX(2)
#define MIN_COLUMNS   100u

#define WIDTH      1200
#define WIDE_WIDTH 1600
#define MAX_WIDTH  2000
#define RIGHT      150 /* for figures of a rank */

bool
psim_svg_layout_is_labelled(const PsimGraph *graph, uint32_t task)
{
    return psim_graph_class(graph, task)->kind == PSIM_TASK_COMPUTE && graph->duration[task] > 0 &&
           graph->microbatch[task] != PSIM_TASK_NONE;
}

/* Room for the largest number and some air, so that of like cells all have theirs or none. */
static PsimPx
find_label_width(const PsimSvg *self, int size)
{
    const PsimGraph *graph = self->result->graph;
    uint32_t most = 0;
    char text[16];

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (psim_svg_layout_is_labelled(graph, task))
            most = MAX(most, graph->microbatch[task]);
    }
    (void)g_snprintf(text, sizeof text, "%u", most);
    return psim_svg_canvas_measure(text, size) + PSIM_PX(2);
}

/* The width of the makespan at which every number fits into its cell. */
static PsimPx
find_needed(const PsimSvg *self, int size)
{
    const PsimGraph *graph = self->result->graph;
    const double cell = (double)find_label_width(self, size);
    double needed = 0.0;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        if (psim_svg_layout_is_labelled(graph, task))
            needed = MAX(needed, cell * (double)self->makespan / (double)graph->duration[task]);
    }
    return (PsimPx)MIN(needed, (double)PSIM_PX(10 * MAX_WIDTH));
}

/* Tasks of the fullest row. */
static uint32_t
find_most_cells(const PsimSvg *self)
{
    uint32_t most = 0;

    for (uint32_t rank = 0; rank < self->n_rows; rank++) {
        const PsimTracks *tracks = &self->tracks;

        most = MAX(most, tracks->first[tracks->rank[rank + 1]] - tracks->first[tracks->rank[rank]]);
    }
    return most;
}

/* Columns hold a few tasks each, so that neighbours look alike where the schedule repeats itself.
 */
static void
choose_overview(PsimSvg *self, uint32_t most)
{
    const uint32_t n_columns = (uint32_t)(self->plot / COLUMN);

    self->overview = most > MAX_CELLS || most * self->n_rows > MAX_ALL_CELLS ||
                     self->plot / MAX(most, 1) < LEAST_CELL;
    self->n_columns = MIN(MAX(most / 4, MIN_COLUMNS), n_columns);
}

static void
choose_width(PsimSvg *self)
{
    const PsimPx frame = self->left + PSIM_PX(RIGHT + PSIM_SVG_MARGIN);
    const PsimPx large = frame + find_needed(self, 11);
    const PsimPx small = frame + find_needed(self, 9);
    const uint32_t most = find_most_cells(self);

    self->label = large <= PSIM_PX(WIDTH) ? 11 : 9;
    if (small <= PSIM_PX(MAX_WIDTH) && large > PSIM_PX(WIDTH))
        self->canvas.width = MAX(PSIM_PX(WIDTH), small / 100 * 100 + 100);
    else
        self->canvas.width = PSIM_PX(large > PSIM_PX(WIDTH) && most > 300 ? WIDE_WIDTH : WIDTH);
    self->label_width = find_label_width(self, self->label);
    self->plot = self->canvas.width - frame;
    choose_overview(self, most);
}

/* A colour is in the legend if a rank shows it, in the mean, for a quarter of a pixel. */
static void
find_seen(PsimSvg *self)
{
    const PsimGraph *graph = self->result->graph;
    double times[PSIM_N_PAINTS] = {0.0};

    for (uint32_t task = 0; task < graph->n_tasks; task++)
        times[psim_paint_choose(psim_graph_class(graph, task))] += (double)graph->duration[task];
    for (unsigned i = 0; i < PSIM_N_PAINTS; i++)
        self->seen[i] = times[i] / graph->n_ranks * (double)self->plot >=
                        (double)self->makespan * (double)PSIM_PX(1) / 4.0;
    /* Columns have no strip for transfers. */
    self->seen[PSIM_PAINT_PP] &= !self->overview;
}

static void
choose_height(PsimSvg *self)
{
    static const struct {
        uint32_t n_rows;
        int row;
    } heights[] = {{8, 28}, {16, 24}, {32, 18}, {48, 14}, {MAX_ROWS, 11}};
    size_t i = 0;

    while (heights[i].n_rows < self->n_rows)
        i++;
    self->row = heights[i].row;
    if (self->row < self->label + 2)
        self->label = 0;
    find_seen(self);
    if (!self->overview && (self->seen[PSIM_PAINT_TP] || self->seen[PSIM_PAINT_CP] ||
                            self->seen[PSIM_PAINT_PP] || self->seen[PSIM_PAINT_DP]))
        self->strip = MAX(2, self->row / 5);
}

void
psim_svg_layout_choose(PsimSvg *self)
{
    g_autofree char *name = g_strdup_printf("rank %u", MAX(1, self->result->n_ranks) - 1);

    self->left = PSIM_PX(PSIM_SVG_MARGIN + 10) + psim_svg_canvas_measure(name, 12);
    self->n_rows = MIN(self->result->n_ranks, MAX_ROWS);
    self->canvas.width = PSIM_PX(WIDTH);
    self->plot = self->canvas.width - self->left - PSIM_PX(RIGHT + PSIM_SVG_MARGIN);
    if (self->makespan == 0)
        return;
    choose_width(self);
    choose_height(self);
}
