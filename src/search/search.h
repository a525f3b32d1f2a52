/* SPDX-License-Identifier: MIT */
/* search.h: runs a space in waves and keeps the best
 *
 * A wave is a fixed number of candidates in ordinal order, shared out to threads; its results are
 * taken in ordinal order when all are there. What a wave teaches prunes from the next one on, so
 * the answer does not depend on which thread was first, nor on how many there are.
 */
#pragma once

#include "search/found.h"
#include "search/store.h"

G_BEGIN_DECLS

typedef struct {
    PsimRankBy rank_by;
    guint n_best;       /* ranking kept */
    bool is_exhaustive; /* nothing is pruned but what is invalid */
    guint n_threads;
    PsimLimits limits;
    PsimStore *store; /* or NULL */
    bool (*cancelled)(void *user);
    /* Between waves; NULL: never. */
    void (*progress)(uint64_t n_seen, uint64_t n_candidates, uint64_t n_run, void *user);
    void *user;
} PsimSearchOptions;

typedef struct {
    PsimRanking ranking;
    GArray *front, *front_keys; /* by key and peak */
    GArray *groups; /* PsimFound, the best of each site and number of GPUs; speed 0: none */
    PsimFound miss; /* runnable plan that needs least memory, if none fits; n_gpus 0: none */
    PsimFound slow; /* best plan that fits but breaks a limit; n_gpus 0: none */
    uint64_t n_candidates;
    PsimStoreProgress progress;
    bool was_resumed;
} PsimSearchAnswer;

/**
 * psim_search_run:
 * Errors: CANCELLED, IO.
 * Ownership: freed with psim_search_answer_free().
 */
PsimSearchAnswer *
psim_search_run(const PsimSpace *space, const PsimSearchOptions *options, GError **error);

/** psim_search_report: ranks what a file holds, without running anything. */
PsimSearchAnswer *psim_search_report(const PsimSpace *space,
                                     PsimStore *store,
                                     const PsimSearchOptions *options,
                                     GError **error);

/** psim_search_key: digest of space and options, as far as results depend on them; caller frees. */
char *psim_search_key(const PsimSpace *space, const PsimSearchOptions *options);

void psim_search_answer_free(PsimSearchAnswer *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimSearchAnswer, psim_search_answer_free)

G_END_DECLS
