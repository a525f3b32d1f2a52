/* SPDX-License-Identifier: MIT */
/* found.h: plans that were run, and in which order they are the best
 */
#pragma once

#include "search/rampup.h"
#include "search/space.h"

G_BEGIN_DECLS

typedef struct {
    PsimCandidatePlan plan;
    PsimEvaluation evaluation;
    double rampup_s; /* all steps of the smaller batches of a ramp-up; 0: none            [s] */
} PsimFound;

typedef enum {
    PSIM_RANK_STEP,       /* time of a step */
    PSIM_RANK_THROUGHPUT, /* tokens/s a GPU */
    PSIM_RANK_COST,       /* money a token; GPU time where there is no price */
    PSIM_RANK_MEMORY,     /* what is left of a device's memory */
} PsimRankBy;

/** psim_found_rank_words: Returns: the words of PsimRankBy, NULL-terminated; static. */
const char *const *psim_found_rank_words(void);

/* What a whole run must keep. */
typedef struct {
    double tokens;    /* 0: none                                                          [1]   */
    double max_days;  /* 0: any                                                           [d]   */
    double max_usd;   /* 0: any                                                           [USD] */
    double max_bytes; /* 0: the device's own                                              [B]   */
    double max_watts; /* of all GPUs at their rated power; 0: any                         [W]   */
    PsimRampup rampup;
} PsimLimits;

/* The whole run of a plan; NAN where tokens or price are missing. */
typedef struct {
    double days, gpu_hours, usd, mwh;
} PsimWholeRun;

/** psim_found_whole_run: @limits: tokens, of which those of the ramp-up take rampup_s. */
PsimWholeRun
psim_found_whole_run(const PsimFound *self, const PsimSite *site, const PsimLimits *limits);

/** psim_found_key: Returns: what is ranked by; less is better. */
double psim_found_key(const PsimFound *self, const PsimSite *site, PsimRankBy by);

/** psim_found_keeps: whether a plan fits and keeps the limits. */
bool psim_found_keeps(const PsimFound *self, const PsimSite *site, const PsimLimits *limits);

/**
 * psim_found_command:
 * Returns: the words behind `plansim run` that make the plan; caller frees.
 */
char *psim_found_command(const PsimFound *self, const PsimSite *site);

/* The best so far, in order; ties go to the lower ordinal. */
typedef struct {
    GArray *items; /* PsimFound */
    GArray *keys;  /* double */
    guint n_max;
} PsimRanking;

void psim_ranking_init(PsimRanking *self, guint n_max);
void psim_ranking_clear(PsimRanking *self);
/** psim_ranking_offer: ordinals must come in order. */
void psim_ranking_offer(PsimRanking *self, const PsimFound *found, double key);
/** psim_ranking_worst: Returns: the key to beat; infinity while there is room. */
double psim_ranking_worst(const PsimRanking *self);

/**
 * psim_front_offer:
 * Keeps the plans that no other beats in both key and peak.
 *
 * @front    PsimFound, by key
 * @keys     double, the same
 */
void psim_front_offer(GArray *front, GArray *keys, const PsimFound *found, double key);
/** psim_front_beats: whether some plan of the front is better in both. */
bool psim_front_beats(const GArray *front, const GArray *keys, double key, double peak_bytes);

G_END_DECLS
