/* SPDX-License-Identifier: MIT */
/* For people: the whole run, in days: its ramp-up, its failures, on how many GPUs. */
#include "search/curve.h"
#include "search/telling_parts.h"

#include <math.h>

#define SECONDS_PER_DAY 86400.0

/* -- The batch grows -- */

static void
append_rampup(const PsimTelling *self, GString *text)
{
    const PsimRampup *rampup = &self->options->limits.rampup;
    const PsimFound *best = psim_telling_best(self);

    if (best == NULL || !(best->rampup_s > 0.0))
        return;
    const double whole_s =
        rampup->samples * psim_telling_site(self, best)->sequence / best->evaluation.tokens_per_s;

    g_string_append_printf(text,
                           "\nRamp-up: batches of %u, then %u more each time, %u before the whole "
                           "one,\n  over ",
                           rampup->start, rampup->increment,
                           psim_rampup_levels(rampup, best->plan.change.global_batch));
    psim_telling_fixed(text, rampup->samples, 0);
    g_string_append(text, " samples: ");
    psim_telling_fixed(text, best->rampup_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " days; the whole batch takes ");
    psim_telling_fixed(text, whole_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " for as many\n");
}

/* -- GPUs fail -- */

static void
append_outlook(const PsimTelling *self, GString *text)
{
    const PsimFound *best = psim_telling_best(self);
    PsimOutlook outlook;

    if (best == NULL || !psim_outlook_find(best, psim_telling_site(self, best), &self->failures,
                                           &self->options->limits, &outlook))
        return;
    const PsimReliability *found = &outlook.reliability;

    g_string_append(text, "\nWith failures: one in ");
    psim_telling_fixed(text, found->mtbf_s / 3600.0, 1);
    g_string_append_printf(text, " hours on %u GPUs; a checkpoint of ", best->plan.n_gpus);
    psim_telling_fixed(text, outlook.checkpoint_bytes / 1e12, 2);
    g_string_append(text, " TB takes ");
    psim_telling_fixed(text, outlook.checkpoint_s, 0);
    g_string_append(text, " s\n  write one every ");
    psim_telling_fixed(text, found->daly_s / 60.0, 0);
    g_string_append(text, " min (Young ");
    psim_telling_fixed(text, found->young_s / 60.0, 0);
    g_string_append(text, ", Daly ");
    psim_telling_fixed(text, found->daly_s / 60.0, 0);
    g_string_append(text, ", best simulated ");
    psim_telling_fixed(text, found->simulated_s / 60.0, 0);
    g_string_append(text, "); goodput ");
    psim_telling_fixed(text, found->goodput_fraction * 100.0, 1);
    g_string_append(text, " %, ");
    psim_telling_fixed(text, found->n_failures, 0);
    g_string_append(text, " failures\n  ");
    psim_telling_fixed(text, found->middle_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " days (5 % to 95 %: ");
    psim_telling_fixed(text, found->low_s / SECONDS_PER_DAY, 1);
    g_string_append(text, " to ");
    psim_telling_fixed(text, found->high_s / SECONDS_PER_DAY, 1);
    g_string_append(text, "), of 1000 simulated runs\n");
}

/* -- How many GPUs -- */

static void
append_band(GString *text, const PsimCurvePoint *point)
{
    g_autoptr(GString) band = g_string_new(NULL);

    psim_telling_fixed(band, point->days_low, 1);
    if (isfinite(point->days_low)) {
        g_string_append(band, " to ");
        psim_telling_fixed(band, point->days_high, 1);
    }
    g_string_append_printf(text, "%17s", band->str);
}

static void
append_point(GString *text, const PsimCurvePoint *point)
{
    const PsimFound *found = point->found;
    const PsimChange *change = &found->plan.change;

    g_string_append_printf(text, "%8u", found->plan.n_gpus);
    if (!(found->evaluation.tokens_per_s > 0.0)) {
        g_string_append(text, "  none within the limits\n");
        return;
    }
    psim_telling_cell(text, (double)found->evaluation.step / (double)PSIM_TIME_PER_S, 3, 10);
    psim_telling_cell(text, found->evaluation.mfu_fraction * 100.0, 1, 7);
    psim_telling_cell(text, point->scaling_fraction * 100.0, 1, 9);
    psim_telling_cell(text, point->run.days, 1, 9);
    append_band(text, point);
    psim_telling_cell(text, point->run.gpu_hours / 1000.0, 1, 12);
    psim_telling_cell(text, point->run.usd / 1000.0, 1, 11);
    psim_telling_cell(text, point->run.mwh, 1, 10);
    g_string_append_printf(text, "  %u x %u x %u, batch %u\n", change->tp, change->pp, change->dp,
                           change->global_batch);
}

static void
append_price(GString *text, const PsimSite *site)
{
    g_string_append_printf(text, "\n%s", site->name);
    if (site->usd_per_gpu_hour > 0.0) {
        g_string_append(text, ", ");
        psim_telling_fixed(text, site->usd_per_gpu_hour, 2);
        g_string_append_printf(text, " USD a GPU-hour (%s)",
                               site->price_date != NULL ? site->price_date : "as given");
    }
    g_string_append(text,
                    "\n    GPUs    step s   MFU %  scaling %     days             band k GPU-hours"
                    "       kUSD       MWh  tp x pp x dp\n");
}

static void
append_curve(const PsimTelling *self, GString *text, guint site)
{
    g_autoptr(PsimCurve) curve = psim_curve_find(self->space, self->options, self->answer, site);

    append_price(text, g_ptr_array_index(self->space->sites, site));
    for (guint i = 0; i < curve->points->len; i++)
        append_point(text, &g_array_index(curve->points, PsimCurvePoint, i));
    if (curve->knee_gpus == 0)
        return;
    g_string_append_printf(text,
                           curve->is_open
                               ? "No knee up to %u GPUs: each still brings at least 80 %% of what "
                                 "the first ones do.\n"
                               : "Knee at %u GPUs: beyond, one brings less than 80 %% of what the "
                                 "first ones do.\n",
                           curve->knee_gpus);
}

void
psim_telling_whole_run(const PsimTelling *self, GString *text)
{
    append_rampup(self, text);
    append_outlook(self, text);
    for (guint i = 0; self->with_sizing && i < self->space->sites->len; i++)
        append_curve(self, text, i);
}
