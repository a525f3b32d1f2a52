/* SPDX-License-Identifier: MIT */
/* Memory over time, a strip a rank, all to the same scale. What a rank holds all the time is one
 * block; above it the curve is drawn from change to change. Changes nearer than a quarter of a
 * pixel are drawn as their highest, so peaks stay.
 */
#include "report/svg.h"

#include "engine/ledger.h"
#include "report/phrase.h"

#include <math.h>

#define MAX_STRIPS 16u
#define NEAR       (PSIM_PX(1) / 4)

typedef struct {
    bool shown;
    double states; /* [B] */
    PsimPx base;   /* y of no bytes */
    GString *path;
    PsimPx x;          /* of the changes in hand */
    double most, last; /* of them [B] */
} Strip;

typedef struct {
    PsimSvg *picture;
    Strip *strips; /* (n_ranks) */
    uint32_t n_shown;
    PsimPx height;
    double scale; /* bytes at full height */
} Curves;

static PsimPx
find_rise(const Curves *self, double bytes)
{
    return (PsimPx)floor((double)self->height * bytes / self->scale + 0.5);
}

static void
append_step(const Curves *self, const Strip *strip, char command, PsimPx at)
{
    g_string_append_c(strip->path, command);
    psim_svg_canvas_number(strip->path, command == 'V' ? strip->base - at : at);
    (void)self;
}

/* Draws the changes in hand: across to them, up to the highest, then to the last. */
static void
finish_changes(const Curves *self, Strip *strip)
{
    append_step(self, strip, 'H', strip->x);
    append_step(self, strip, 'V', find_rise(self, strip->most));
    if (strip->last < strip->most)
        append_step(self, strip, 'V', find_rise(self, strip->last));
}

static void
visit_change(void *user, uint32_t rank, PsimTime time, int64_t bytes, uint32_t task)
{
    const Curves *self = user;
    Strip *strip = &self->strips[rank];
    const PsimPx x = psim_svg_place(self->picture, time);
    const double value = strip->states + (double)bytes;

    (void)task;
    if (!strip->shown)
        return;
    if (x - strip->x >= NEAR) {
        finish_changes(self, strip);
        strip->x = x;
        strip->most = value;
    }
    strip->most = MAX(strip->most, value);
    strip->last = value;
}

/* All ranks, or the first, the last, the fullest and those evenly between. */
static void
choose_strips(Curves *self)
{
    const PsimResult *result = self->picture->result;
    const uint32_t n_ranks = result->n_ranks;
    const uint32_t n_strips = MIN(n_ranks, MAX_STRIPS);
    const uint32_t copies = n_ranks / MAX(1, result->n_stages);

    for (uint32_t i = 0; i < n_strips; i++)
        self->strips[n_strips > 1 ? (uint64_t)i * (n_ranks - 1) / (n_strips - 1) : 0].shown = true;
    if (result->worst_stage < result->n_stages)
        self->strips[(size_t)result->worst_stage * MAX(copies, 1)].shown = true;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        self->n_shown += self->strips[rank].shown;
        self->strips[rank].states = psim_paint_states_bytes(result, rank);
        self->scale = MAX(self->scale,
                          self->strips[rank].states + (double)result->ranks[rank].peak.peak_bytes);
    }
}

static void
begin_strip(const Curves *self, Strip *strip, PsimPx y)
{
    strip->base = y + self->height;
    strip->x = self->picture->left;
    strip->most = strip->last = strip->states;
    strip->path = g_string_new("M");
    psim_svg_canvas_number(strip->path, strip->x);
    g_string_append_c(strip->path, ' ');
    psim_svg_canvas_number(strip->path, strip->base - find_rise(self, strip->states));
}

static void
draw_states(const Curves *self, const Strip *strip)
{
    PsimSvg *picture = self->picture;
    const PsimPx rise = find_rise(self, strip->states);
    const PsimSvgRect ground = {.x = picture->left,
                                .y = strip->base - self->height,
                                .width = picture->plot,
                                .height = self->height,
                                .fill = "#ffffff",
                                .stroke = PSIM_SVG_LINE,
                                .class = "idle"};
    const PsimSvgRect states = {.x = picture->left,
                                .y = strip->base - rise,
                                .width = picture->plot,
                                .height = rise,
                                .fill = "#2fae89",
                                .class = "cell"};

    psim_svg_canvas_rect(&picture->canvas, &ground, /* title= */ NULL);
    psim_svg_canvas_rect(&picture->canvas, &states, /* title= */ NULL);
}

static void
draw_curve(const Curves *self, Strip *strip)
{
    PsimSvg *picture = self->picture;
    GString *out = picture->canvas.sink->buffer;

    finish_changes(self, strip);
    append_step(self, strip, 'H', picture->left + picture->plot);
    append_step(self, strip, 'V', find_rise(self, strip->states));
    g_string_append(out, "<path class=\"curve\" fill=\"#e69f00\" stroke=\"#8a5f00\" "
                         "stroke-width=\"0.5\" d=\"");
    g_string_append(out, strip->path->str);
    g_string_append(out, "z\"/>\n");
    psim_report_flush(picture->canvas.sink, /* all= */ false);
}

static void
draw_names(const Curves *self, const Strip *strip, uint32_t rank)
{
    PsimSvg *picture = self->picture;
    const PsimResult *result = picture->result;
    const double peak = strip->states + (double)result->ranks[rank].peak.peak_bytes;
    const bool over = result->capacity_bytes > 0.0 && peak > result->capacity_bytes;
    PsimSvgWords words = {.x = picture->left - PSIM_PX(8),
                          .y = strip->base - self->height / 2 + PSIM_PX(4),
                          .size = 12,
                          .anchor = 'e'};
    g_autofree char *name = g_strdup_printf("rank %u", rank);
    g_autofree char *most = psim_phrase_bytes(peak);

    psim_svg_canvas_words(&picture->canvas, &words, name);
    words.x = picture->left + picture->plot + PSIM_PX(8);
    words.anchor = 's';
    words.bold = over;
    words.fill = over ? PSIM_SVG_ALARM : NULL;
    psim_svg_canvas_words(&picture->canvas, &words, most);
}

static void
draw_capacity(const Curves *self, const Strip *strip)
{
    PsimSvg *picture = self->picture;
    const PsimPx y = strip->base - find_rise(self, picture->result->capacity_bytes);
    const PsimPx line[4] = {picture->left, y, picture->left + picture->plot, y};

    if (picture->result->capacity_bytes > 0.0)
        psim_svg_canvas_line(&picture->canvas, line, PSIM_SVG_ALARM, "5 3");
}

static char *
tell_reading(const Curves *self)
{
    const PsimResult *result = self->picture->result;
    g_autofree char *capacity = psim_phrase_bytes(result->capacity_bytes);
    GString *text = g_string_new("green: states, held all the time; orange: activations; dashed: ");

    g_string_append_printf(text, "the capacity, %s; right: peak", capacity);
    if (self->n_shown < result->n_ranks)
        g_string_append_printf(text, "; %u of %u ranks", self->n_shown, result->n_ranks);
    return g_string_free(text, /* free_segment= */ FALSE);
}

static PsimPx
draw_strips(Curves *self, PsimPx y)
{
    const PsimSvg *picture = self->picture;
    const PsimResult *result = picture->result;

    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        if (!self->strips[rank].shown)
            continue;
        begin_strip(self, &self->strips[rank], y);
        y += self->height + PSIM_PX(4);
    }
    psim_ledger_curve(result->graph, result->replay, visit_change, self);
    for (uint32_t rank = 0; rank < result->n_ranks; rank++) {
        Strip *strip = &self->strips[rank];

        if (!strip->shown)
            continue;
        draw_states(self, strip);
        draw_curve(self, strip);
        draw_capacity(self, strip);
        draw_names(self, strip, rank);
        g_string_free(strip->path, /* free_segment= */ TRUE);
    }
    return y;
}

PsimPx
psim_svg_memory_draw(PsimSvg *self, PsimPx y)
{
    const PsimResult *result = self->result;

    if (self->makespan == 0 || result->kind != PSIM_RESULT_RUN || result->n_stages == 0)
        return y;
    g_autofree Strip *strips = g_new0(Strip, result->n_ranks);
    Curves curves = {.picture = self, .strips = strips, .scale = MAX(result->capacity_bytes, 1.0)};

    choose_strips(&curves);
    curves.height = PSIM_PX(curves.n_shown <= 4 ? 68 : curves.n_shown <= 8 ? 40 : 26);
    g_autofree char *reading = tell_reading(&curves);

    y = psim_svg_heading(self, y, "memory over time", reading);
    return draw_strips(&curves, y) + PSIM_PX(8);
}
