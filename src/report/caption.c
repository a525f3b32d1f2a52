/* SPDX-License-Identifier: MIT */
#include "report/caption.h"

#include "report/headline.h"
#include "report/phrase.h"

#include <math.h>
#include <string.h>

char *
psim_caption_time(const PsimResult *result, PsimTime time)
{
    return result->kind == PSIM_RESULT_SCHEDULE ? psim_phrase_plural((uint64_t)time, "tick")
                                                : psim_phrase_time(time);
}

char *
psim_caption_title(const PsimResult *result)
{
    if (result->kind == PSIM_RESULT_SCHEDULE)
        return g_strdup(result->schedule_title != NULL ? result->schedule_title
                                                       : psim_phrase_name(result));
    if (result->model_name == NULL || result->device_name == NULL)
        return g_strdup(psim_phrase_name(result));
    const char *name = psim_phrase_name(result);
    const bool same = strcmp(name, result->model_name) == 0;
    g_autofree char *gpus = psim_phrase_plural(result->n_gpus, "GPU");

    g_autofree char *context =
        result->cp > 1 ? g_strdup_printf("CP %u x ", result->cp) : g_strdup("");

    return g_strdup_printf("%s%s%s on %s %s, TP %u x %sPP %u x DP %u", name, same ? "" : ": ",
                           same ? "" : result->model_name, gpus, result->device_name, result->tp,
                           context, result->pp, result->dp);
}

char *
psim_caption_headline(const PsimResult *result)
{
    GString *text = g_string_new(NULL);

    psim_headline_append(result, text);
    return g_strchomp(g_string_free(text, /* free_segment= */ FALSE));
}

char *
psim_caption_bubble(const PsimResult *result)
{
    const bool alone = result->kind == PSIM_RESULT_SCHEDULE;
    g_autofree char *share = psim_phrase_percent(result->bubble_fraction);
    g_autofree char *time = psim_caption_time(result, result->bubble_ps);
    g_autofree char *total = psim_caption_time(result, result->step_ps);
    g_autofree char *ideal = psim_phrase_percent(result->ideal_bubble_fraction);
    GString *text = g_string_new(NULL);

    if (!psim_phrase_is_timed(result) || result->n_stuck > 0 || result->pp < 2)
        return g_string_free(text, /* free_segment= */ FALSE);
    g_string_append_printf(text, "bubble %s = %s / %s: idle / %s, mean over ranks", share, time,
                           total, alone ? "makespan" : "step");
    if (isfinite(result->ideal_bubble_fraction))
        g_string_append_printf(text, "; closed form, equal stages and free transfers: %s", ideal);
    if (result->ideal_text != NULL)
        g_string_append_printf(text, "; %s", result->ideal_text);
    return g_string_free(text, /* free_segment= */ FALSE);
}
