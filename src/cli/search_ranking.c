/* SPDX-License-Identifier: MIT */
#include "cli/search_ranking.h"

#include "cli/commands.h"

#include <string.h>

/* One cluster and batch: the shortest step. Several clusters: the least money, if all have a price.
 * Else what each GPU does. */
static PsimRankBy
usual_rank(const PsimSpace *space)
{
    bool has_prices = true;

    if (space->sites->len == 1)
        return space->gpus->len <= 1 && space->batches->len <= 1 ? PSIM_RANK_STEP
                                                                 : PSIM_RANK_THROUGHPUT;
    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        has_prices = has_prices && site->usd_per_gpu_hour > 0.0;
    }
    return has_prices ? PSIM_RANK_COST : PSIM_RANK_THROUGHPUT;
}

bool
psim_search_ranking_read(const PsimArguments *arguments,
                         const PsimSpace *space,
                         PsimRankBy *ret_rank,
                         GError **error)
{
    const char *text = psim_arguments_text(arguments, "rank-by");
    const char *const *words = psim_found_rank_words();

    *ret_rank = usual_rank(space);
    for (unsigned i = 0; text != NULL && words[i] != NULL; i++) {
        if (strcmp(words[i], text) != 0)
            continue;
        *ret_rank = (PsimRankBy)i;
        return true;
    }
    if (text == NULL)
        return true;
    psim_arguments_complain(error, "ranking", text, words, /* list_kind= */ NULL);
    return false;
}

bool
psim_search_ranking_check(const PsimArguments *arguments,
                          const PsimSpace *space,
                          double max_usd,
                          GError **error)
{
    const char *option = max_usd > 0.0 ? "--budget" : "--rank-by cost";

    if (!(max_usd > 0.0) && g_strcmp0(psim_arguments_text(arguments, "rank-by"), "cost") != 0)
        return true;
    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        if (site->usd_per_gpu_hour > 0.0)
            continue;
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "%s needs the price of a GPU hour, which %s does not tell; use "
                    "--usd-per-gpu-hour",
                    option, site->name);
        return false;
    }
    return true;
}
