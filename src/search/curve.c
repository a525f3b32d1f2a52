/* SPDX-License-Identifier: MIT */
#include "search/curve.h"

#include "search/outlook.h"

#include <math.h>

/* Tokens/s and GPU. */
static double
speed(const PsimFound *found)
{
    return found->evaluation.tokens_per_s / found->plan.n_gpus;
}

static PsimCurvePoint
make_point(const PsimFound *found,
           const PsimFound *first,
           const PsimSite *site,
           const PsimLimits *limits)
{
    PsimCurvePoint point = {
        .found = found,
        .scaling_fraction = speed(found) / speed(first),
        .run = psim_found_whole_run(found, site, limits),
        .days_low = (double)NAN,
        .days_high = (double)NAN,
    };
    const double step_s = (double)found->evaluation.step / (double)PSIM_TIME_PER_S;
    PsimDetails details;

    if (isfinite(point.run.days) && psim_outlook_details(found, site, &details)) {
        point.days_low = point.run.days * details.step_low_s / step_s;
        point.days_high = point.run.days * details.step_high_s / step_s;
    }
    return point;
}

/* Numbers without a plan tell nothing: a limit excludes them, not how they scale. */
static void
find_knee(PsimCurve *self)
{
    guint n_plans = 0;

    for (guint i = 0; i < self->points->len; i++) {
        const PsimCurvePoint *point = &g_array_index(self->points, PsimCurvePoint, i);

        if (!(point->scaling_fraction > 0.0))
            continue;
        n_plans++;
        self->is_open = point->scaling_fraction >= PSIM_CURVE_KNEE;
        if (self->is_open)
            self->knee_gpus = point->found->plan.n_gpus;
    }
    if (n_plans < 2)
        self->knee_gpus = 0;
}

PsimCurve *
psim_curve_find(const PsimSpace *space,
                const PsimSearchOptions *options,
                const PsimSearchAnswer *answer,
                guint site)
{
    PsimCurve *self = g_new0(PsimCurve, 1);
    const guint n = space->gpus->len;
    const PsimFound *groups = &g_array_index(answer->groups, PsimFound, (gsize)site * n);
    const PsimFound *first = NULL;

    self->points = g_array_new(FALSE, FALSE, sizeof(PsimCurvePoint));
    for (guint i = 0; i < n; i++) {
        PsimCurvePoint point = {.found = &groups[i]};

        if (groups[i].evaluation.tokens_per_s > 0.0) {
            first = first != NULL ? first : &groups[i];
            point = make_point(&groups[i], first, g_ptr_array_index(space->sites, site),
                               &options->limits);
        }
        g_array_append_val(self->points, point);
    }
    find_knee(self);
    return self;
}

void
psim_curve_free(PsimCurve *self)
{
    if (self == NULL)
        return;
    g_array_unref(self->points);
    g_free(self);
}
