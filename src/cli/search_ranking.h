/* SPDX-License-Identifier: MIT */
/* search_ranking.h: --rank-by of `search`, and what money asks of it
 */
#pragma once

#include "cli/arguments.h"
#include "search/search.h"

G_BEGIN_DECLS

/**
 * psim_search_ranking_read:
 * What --rank-by says; else the shortest step of one cluster and batch, the least money of several
 * clusters if all have a price, and what each GPU does otherwise.
 *
 * Errors: PSIM_USAGE_ERROR for another word.
 */
bool psim_search_ranking_read(const PsimArguments *arguments,
                              const PsimSpace *space,
                              PsimRankBy *ret_rank,
                              GError **error);

/**
 * psim_search_ranking_check:
 * A budget, or a ranking by cost, needs the price of every cluster.
 *
 * @max_usd    of --budget; 0: none
 *
 * Errors: PSIM_USAGE_ERROR, naming the cluster without one.
 */
bool psim_search_ranking_check(const PsimArguments *arguments,
                               const PsimSpace *space,
                               double max_usd,
                               GError **error);

G_END_DECLS
