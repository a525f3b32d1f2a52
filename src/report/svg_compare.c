/* SPDX-License-Identifier: MIT */
/* Several timelines on one axis, so that the eye compares their lengths: each is laid out for
 * itself, then all take the widest plot.
 */
#include "report/phrase.h"
#include "report/svg.h"

typedef struct {
    PsimSvg *pictures; /* (n) of the candidates that have a result */
    size_t n;
    char **remarks; /* (n) */
} Gallery;

static char *
describe(const PsimResult *result)
{
    g_autofree char *step = psim_phrase_time(result->step_ps);
    g_autofree char *bubble = psim_phrase_percent(result->bubble_fraction);

    return g_strdup_printf("%s a step, bubble %s of it%s", step, bubble,
                           result->fits ? "" : ", DOES NOT FIT");
}

static PsimTime
longest(const PsimCandidate *candidates, size_t n_candidates)
{
    PsimTime most = 0;

    for (size_t i = 0; i < n_candidates; i++) {
        if (candidates[i].result != NULL)
            most = MAX(most, candidates[i].result->replay->makespan);
    }
    return most;
}

static void
add_picture(Gallery *self, const PsimCandidate *candidate, PsimTime makespan, PsimArena *arena)
{
    PsimSvg *picture = &self->pictures[self->n];

    self->remarks[self->n] = describe(candidate->result);
    *picture = (PsimSvg){
        .result = candidate->result,
        .makespan = makespan,
        .tracks = psim_track_list(candidate->result->graph, arena),
        .heading = candidate->label,
        .remark = self->remarks[self->n],
    };
    psim_svg_layout_choose(picture);
    self->n++;
}

/* All plots begin and end where the widest does. */
static void
align(Gallery *self)
{
    const PsimSvg *widest = &self->pictures[0];

    for (size_t i = 1; i < self->n; i++) {
        if (self->pictures[i].plot > widest->plot)
            widest = &self->pictures[i];
    }
    for (size_t i = 0; i < self->n; i++) {
        self->pictures[i].left = widest->left;
        self->pictures[i].plot = widest->plot;
        self->pictures[i].canvas.width = widest->canvas.width;
    }
}

static PsimPx
draw(void *user, PsimSink *sink)
{
    const Gallery *self = user;
    PsimSvg *last = &self->pictures[self->n - 1];
    PsimPx y = PSIM_PX(PSIM_SVG_MARGIN);

    for (size_t i = 0; i < self->n; i++) {
        self->pictures[i].canvas.sink = sink;
        y = psim_svg_timeline_draw(&self->pictures[i], y) + PSIM_PX(8);
    }
    /* One legend for all that was seen. */
    for (size_t i = 0; i + 1 < self->n; i++) {
        for (size_t paint = 0; paint < PSIM_N_PAINTS; paint++)
            last->seen[paint] |= self->pictures[i].seen[paint];
        last->numbered |= self->pictures[i].numbered;
    }
    return psim_svg_legend_draw(last, y);
}

static void
draw_gallery(Gallery *gallery, PsimSink *sink)
{
    align(gallery);
    const PsimPx height = psim_svg_height(draw, gallery);

    gallery->pictures[0].canvas.sink = sink;
    psim_svg_begin(&gallery->pictures[0], height, "timelines side by side",
                   "one timeline a candidate, all on one axis");
    (void)draw(gallery, sink);
    psim_svg_end(&gallery->pictures[0]);
}

static Gallery
new_gallery(size_t n_most)
{
    return (Gallery){.pictures = g_new0(PsimSvg, n_most + 1),
                     .remarks = g_new0(char *, n_most + 1)};
}

static void
clear_gallery(Gallery *self)
{
    for (size_t i = 0; i < self->n; i++)
        g_free(self->remarks[i]);
    g_free(self->remarks);
    g_free(self->pictures);
}

void
psim_svg_compare(const PsimCandidate *candidates, size_t n_candidates, PsimSink *sink)
{
    g_autoptr(PsimArena) arena = psim_arena_new();
    const PsimTime makespan = longest(candidates, n_candidates);
    Gallery gallery = new_gallery(n_candidates);

    for (size_t i = 0; i < n_candidates && makespan > 0; i++) {
        if (candidates[i].result != NULL)
            add_picture(&gallery, &candidates[i], makespan, arena);
    }
    if (gallery.n > 0)
        draw_gallery(&gallery, sink);
    clear_gallery(&gallery);
}
