/* SPDX-License-Identifier: MIT */
/* 1. Choose a scale: cells of a whole number of picoseconds, or as many columns as there are.
 * 2. For each rank, add up what kinds of work fill each cell.
 * 3. Draw runs of cells with the same operation as one bar with its label in front.
 *
 * Cells are tried in three widths; where chunks leave no room for the stage, letters of odd chunks
 * are small. Every label begins with a letter or follows a space, so bars need no other border.
 *
 *     full      2F0 2F1 2B0====  F0 F1 B0===
 *     short     F0 f1 B0===
 *     tight     F0f1B0==
 */
#include "report/gantt.h"

#include "report/phrase.h"
#include "timeline/track.h"

#include <string.h>

/* A picture of more rows is cut: nobody reads the 65th. */
#define MAX_ROWS 64u

/* What can fill a cell, in the order in which it wins a tie. */
typedef enum {
    FILL_FORWARD,
    FILL_BACKWARD,
    FILL_INPUT,
    FILL_WEIGHT,
    FILL_OPTIMIZER,
    FILL_TP,
    FILL_CP,
    FILL_DP,
    FILL_OTHER,
    FILL_IDLE,
} Fill;
#define N_FILLS 10

/* A bar of F is drawn as F3---, where there is no room for the label as FFF. */
static const char letters[N_FILLS] = {'F', 'B', 'I', 'W', 'o', 't', 'c', 'd', 'x', '.'};
static const char bars[N_FILLS] = {'-', '=', '=', '~', 'o', 't', 'c', 'd', 'x', '.'};
static const char *const meanings[N_FILLS] = {
    "F forward",    "B backward",   "I input gradient", "W weight gradient", "o optimizer",
    "t exposed TP", "c exposed CP", "d exposed DP",     "x other",           ". idle",
};

typedef struct {
    PsimTime time[N_FILLS];
    PsimTime longest[N_FILLS]; /* of one task */
    uint32_t task[N_FILLS];    /* that task   */
} Cell;

typedef struct {
    uint32_t n_cells;
    uint32_t width; /* columns of a cell                          */
    uint32_t gap;   /* of them left free behind a bar             */
    bool exact;     /* a cell is a whole number of picoseconds    */
    bool full;      /* labels name the stage where there are chunks */
} Scale;

typedef struct {
    const PsimResult *result;
    PsimTracks tracks;
    PsimTime makespan;
    Scale scale;
    unsigned name_width; /* of "rank 12 " */
    Cell *cells;         /* (n_cells) of the row in hand */
    bool seen[N_FILLS];  /* for the legend */
} Picture;

/* -- 1. The scale -- */

static PsimTime
find_divisor(PsimTime a, PsimTime b)
{
    while (b != 0) {
        const PsimTime rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static bool
is_drawn(const PsimGraph *graph, uint32_t task)
{
    const uint8_t kind = graph->streams[graph->stream[task]].kind;

    return graph->duration[task] > 0 && kind != PSIM_STREAM_SEND_NEXT &&
           kind != PSIM_STREAM_SEND_PREVIOUS;
}

/* The longest time that divides every begin, every end and the makespan. */
static PsimTime
find_unit(const PsimResult *result)
{
    const PsimGraph *graph = result->graph;
    PsimTime unit = result->replay->makespan;

    for (uint32_t task = 0; task < graph->n_tasks && unit > 1; task++) {
        if (!is_drawn(graph, task))
            continue;
        unit = find_divisor(unit, graph->duration[task]);
        unit = find_divisor(unit, result->replay->end[task]);
    }
    return MAX(unit, 1);
}

static uint32_t
count_digits(uint32_t number)
{
    uint32_t n_digits = 1;

    for (; number >= 10; number /= 10)
        n_digits++;
    return n_digits;
}

/* Columns of the longest "F3", without and with the stage. */
static uint32_t
find_label_width(const PsimResult *result, bool full)
{
    const PsimGraph *graph = result->graph;
    uint32_t microbatch = 0;
    uint32_t stage = 0;
    bool optimizer = false;

    for (uint32_t task = 0; task < graph->n_tasks; task++) {
        const PsimTaskClass *class = psim_graph_class(graph, task);

        optimizer |= class->kind == PSIM_TASK_OPTIMIZER && graph->duration[task] > 0;
        if (class->kind != PSIM_TASK_COMPUTE || graph->microbatch[task] == PSIM_TASK_NONE)
            continue;
        microbatch = MAX(microbatch, graph->microbatch[task]);
        stage = MAX(stage, class->stage);
    }
    const uint32_t width =
        1 + count_digits(microbatch) + (full && result->n_chunks > 1 ? count_digits(stage) : 0);

    return optimizer ? MAX(width, 3) : width;
}

static unsigned
find_name_width(const PsimResult *result)
{
    return 6 + count_digits(result->n_ranks > 0 ? result->n_ranks - 1 : 0);
}

/* What is left of a line beside the name and the two bars. */
static uint32_t
find_room(const PsimResult *result, uint32_t max_columns)
{
    const uint32_t frame = find_name_width(result) + 2 + 8; /* "|", "|" and "  peak 3" */

    return max_columns > frame + 16 ? max_columns - frame : 16;
}

static bool
find_exact_scale(const PsimResult *result, uint32_t room, Scale *ret_scale)
{
    const PsimTime n_cells = result->replay->makespan / find_unit(result);

    if (n_cells < 1 || n_cells > room)
        return false;
    const uint32_t full = find_label_width(result, /* full= */ true);
    const uint32_t brief = find_label_width(result, /* full= */ false);
    const Scale scales[] = {
        {.width = full + 1, .gap = 1, .full = true},
        {.width = brief + 1, .gap = 1},
        {.width = brief},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(scales); i++) {
        if (n_cells > room / scales[i].width)
            continue;
        *ret_scale = scales[i];
        ret_scale->n_cells = (uint32_t)n_cells;
        ret_scale->exact = true;
        return true;
    }
    return false;
}

static Scale
choose_scale(const PsimResult *result, uint32_t room)
{
    const PsimTime n_units = result->replay->makespan / find_unit(result);
    Scale scale = {.n_cells = (uint32_t)CLAMP(n_units, 1, (PsimTime)room), .width = 1};

    (void)find_exact_scale(result, room, &scale);
    return scale;
}

/* -- 2. What fills the cells -- */

/* Where cell @index begins; the products stay below the makespan, so nothing overflows. */
static PsimTime
find_edge(const Picture *self, uint32_t index)
{
    const PsimTime n_cells = self->scale.n_cells;

    return self->makespan / n_cells * index + self->makespan % n_cells * index / n_cells;
}

/* By the first letter of its operation. */
static Fill
find_compute_fill(char letter)
{
    for (unsigned fill = FILL_FORWARD; fill <= FILL_WEIGHT; fill++) {
        if (letters[fill] == letter)
            return (Fill)fill;
    }
    return FILL_OTHER;
}

static Fill
find_fill(const PsimTaskClass *class)
{
    switch ((PsimTaskKind) class->kind) {
    case PSIM_TASK_COMPUTE:
        return find_compute_fill(class->op[0]);
    case PSIM_TASK_TP:
        return FILL_TP;
    case PSIM_TASK_CP:
        return FILL_CP;
    case PSIM_TASK_DP:
        return FILL_DP;
    case PSIM_TASK_OPTIMIZER:
        return FILL_OPTIMIZER;
    case PSIM_TASK_SEND:
    case PSIM_TASK_BARRIER:
        return FILL_OTHER;
    }
    g_assert_not_reached();
}

/* Adds a task to the cells it covers, from @first on. Returns: the first cell it covers. */
static uint32_t
fill_cells(Picture *self, uint32_t task, uint32_t first)
{
    const PsimTime start = psim_replay_start(self->result->replay, self->result->graph, task);
    const PsimTime end = self->result->replay->end[task];
    const Fill fill = find_fill(psim_graph_class(self->result->graph, task));

    while (first + 1 < self->scale.n_cells && find_edge(self, first + 1) <= start)
        first++;
    for (uint32_t i = first; i < self->scale.n_cells && find_edge(self, i) < end; i++) {
        Cell *cell = &self->cells[i];
        const PsimTime part = MIN(end, find_edge(self, i + 1)) - MAX(start, find_edge(self, i));

        cell->time[fill] += part;
        if (part > cell->longest[fill]) {
            cell->longest[fill] = part;
            cell->task[fill] = task;
        }
    }
    return first;
}

static void
fill_row(Picture *self, uint32_t rank)
{
    const PsimTracks *tracks = &self->tracks;

    memset(self->cells, 0, self->scale.n_cells * sizeof *self->cells);
    for (uint32_t track = tracks->rank[rank]; track < tracks->rank[rank + 1]; track++) {
        uint32_t first = 0;

        for (uint32_t i = tracks->first[track]; i < tracks->first[track + 1]; i++) {
            if (is_drawn(self->result->graph, tracks->tasks[i]))
                first = fill_cells(self, tracks->tasks[i], first);
        }
    }
}

/* What a cell shows: what takes most of its time, if it is busy for half of it. */
static Fill
find_winner(const Picture *self, uint32_t index)
{
    const Cell *cell = &self->cells[index];
    const PsimTime length = find_edge(self, index + 1) - find_edge(self, index);
    PsimTime busy = 0;
    Fill winner = FILL_FORWARD;

    for (unsigned fill = 0; fill < FILL_IDLE; fill++) {
        busy += cell->time[fill];
        if (cell->time[fill] > cell->time[winner])
            winner = (Fill)fill;
    }
    return busy < length - busy ? FILL_IDLE : winner;
}

/* -- 3. Bars -- */

/* Segments of one operation are one bar. */
static bool
is_same_bar(const PsimGraph *graph, uint32_t a, uint32_t b)
{
    const PsimTaskClass *first = psim_graph_class(graph, a);
    const PsimTaskClass *second = psim_graph_class(graph, b);

    return first->stage == second->stage && graph->microbatch[a] == graph->microbatch[b] &&
           strcmp(first->op, second->op) == 0;
}

static void
append_idle(const Picture *self, GString *out)
{
    g_string_append_c(out, letters[FILL_IDLE]);
    for (uint32_t i = 1; i < self->scale.width; i++)
        g_string_append_c(out, ' ');
}

/* Odd chunks are in small letters, unless labels name the stage. */
static char
find_letter(const Picture *self, Fill fill, uint32_t task)
{
    const uint32_t chunk = psim_graph_class(self->result->graph, task)->chunk;
    const bool small = fill <= FILL_WEIGHT && chunk % 2 == 1 && !self->scale.full;

    if (small)
        return g_ascii_tolower(letters[fill]);
    return letters[fill];
}

/* NULL where a bar has no label. */
static char *
make_label(const Picture *self, Fill fill, uint32_t task)
{
    const uint32_t microbatch = self->result->graph->microbatch[task];

    if (fill > FILL_OPTIMIZER || (microbatch == PSIM_TASK_NONE && fill != FILL_OPTIMIZER))
        return NULL;
    if (fill == FILL_OPTIMIZER || self->scale.full)
        return psim_phrase_label(self->result, task);
    return g_strdup_printf("%c%u", find_letter(self, fill, task), microbatch);
}

/* "F3---", or "FFF" where the label has no room. */
static void
append_bar(const Picture *self, Fill fill, uint32_t task, uint32_t n_cells, GString *out)
{
    const uint32_t n_columns = n_cells * self->scale.width - self->scale.gap;
    g_autofree char *label = make_label(self, fill, task);
    const bool named = label != NULL && strlen(label) <= n_columns;
    char filler = find_letter(self, fill, task);
    uint32_t column = 0;

    if (named) {
        g_string_append(out, label);
        column = (uint32_t)strlen(label);
        filler = bars[fill];
    }
    for (; column < n_columns; column++)
        g_string_append_c(out, filler);
    for (uint32_t i = 0; i < self->scale.gap; i++)
        g_string_append_c(out, ' ');
}

static void
append_row(Picture *self, GString *out)
{
    const PsimGraph *graph = self->result->graph;

    for (uint32_t i = 0; i < self->scale.n_cells;) {
        const Fill fill = find_winner(self, i);
        const uint32_t task = self->cells[i].task[fill];
        uint32_t n_cells = 1;

        self->seen[fill] = true;
        if (fill == FILL_IDLE) {
            append_idle(self, out);
            i++;
            continue;
        }
        while (i + n_cells < self->scale.n_cells && find_winner(self, i + n_cells) == fill &&
               is_same_bar(graph, self->cells[i + n_cells].task[fill], task))
            n_cells++;
        append_bar(self, fill, task, n_cells, out);
        i += n_cells;
    }
}

static char *
tell_time(const PsimResult *result, PsimTime time)
{
    return result->kind == PSIM_RESULT_SCHEDULE ? g_strdup_printf("%" G_GINT64_FORMAT, time)
                                                : psim_phrase_time(time);
}

/* Times above the cells where they begin, some sixteen columns apart. */
static void
append_axis(const Picture *self, GString *out)
{
    const uint32_t step = MAX(1, (16 + self->scale.width - 1) / self->scale.width);
    const uint32_t n_columns = self->scale.n_cells * self->scale.width;
    uint32_t column = 0;

    g_string_append_printf(out, "%-*s|", (int)self->name_width, "time");
    for (uint32_t cell = 0; cell < self->scale.n_cells; cell += step) {
        g_autofree char *text = tell_time(self->result, find_edge(self, cell));

        for (; column < cell * self->scale.width; column++)
            g_string_append_c(out, ' ');
        if (column + strlen(text) <= n_columns) {
            g_string_append(out, text);
            column += (uint32_t)strlen(text);
        }
    }
    for (; column < n_columns; column++)
        g_string_append_c(out, ' ');
    g_string_append(out, "|\n");
}

static void
append_legend(const Picture *self, GString *out)
{
    const bool alone = self->result->kind == PSIM_RESULT_SCHEDULE;
    g_autofree char *unit = tell_time(self->result, self->makespan / self->scale.n_cells);
    g_autoptr(GString) legend = g_string_new(NULL);

    for (unsigned fill = 0; fill < N_FILLS; fill++) {
        if (self->seen[fill])
            g_string_append_printf(legend, "%s%s", legend->len > 0 ? ", " : "", meanings[fill]);
    }
    g_string_append_printf(legend, "; a %s is %s%s%s", self->scale.exact ? "cell" : "column",
                           self->makespan % self->scale.n_cells == 0 ? "" : "about ", unit,
                           !alone                   ? ""
                           : strcmp(unit, "1") == 0 ? " tick"
                                                    : " ticks");
    if (self->result->n_chunks < 2)
        g_string_append(legend, "; number: microbatch");
    else if (self->scale.full)
        g_string_append(legend, "; stage in front, microbatch behind");
    else
        g_string_append(legend, "; small letters: odd chunks; number: microbatch");
    if (alone)
        g_string_append(legend, "; peak: chunks kept");
    psim_phrase_wrap(out, 0, legend->str);
}

bool
psim_gantt_is_exact(const PsimResult *result, uint32_t max_columns)
{
    Scale scale;

    return psim_result_n_spans(result) > 0 && result->n_ranks <= MAX_ROWS &&
           find_exact_scale(result, find_room(result, max_columns), &scale);
}

void
psim_gantt_draw(const PsimResult *result, uint32_t max_columns, GString *out)
{
    if (psim_result_n_spans(result) == 0 || result->replay->makespan == 0) {
        g_string_append(out, "nothing ran\n");
        return;
    }
    const uint32_t n_rows = MIN(result->n_ranks, MAX_ROWS);
    g_autoptr(PsimArena) arena = psim_arena_new();
    Picture picture = {
        .result = result,
        .tracks = psim_track_list(result->graph, arena),
        .makespan = result->replay->makespan,
        .scale = choose_scale(result, find_room(result, max_columns)),
        .name_width = find_name_width(result),
    };

    picture.cells = psim_arena_array(arena, Cell, picture.scale.n_cells);
    append_axis(&picture, out);
    for (uint32_t rank = 0; rank < n_rows; rank++) {
        g_string_append_printf(out, "rank %-*u|", (int)picture.name_width - 5, rank);
        fill_row(&picture, rank);
        append_row(&picture, out);
        if (result->kind == PSIM_RESULT_SCHEDULE)
            g_string_append_printf(out, "|  peak %u\n", result->ranks[rank].peak.in_flight_max);
        else
            g_string_append(out, "|\n");
    }
    if (n_rows < result->n_ranks)
        g_string_append_printf(out, "... and %u more ranks\n", result->n_ranks - n_rows);
    append_legend(&picture, out);
}
