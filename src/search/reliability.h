/* SPDX-License-Identifier: MIT */
/* reliability.h: a long run on GPUs that fail: how often to write checkpoints, and what is left
 *
 * Failures come at random, at a constant rate a GPU, and stop the whole run. It restarts from the
 * last checkpoint, whose writing stops it too.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
    double work_s;       /* the run without failures or checkpoints                  [s] > 0  */
    double gpu_mtbf_s;   /* mean time between failures of one GPU                    [s] > 0  */
    uint32_t n_gpus;     /*                                                          [1] >= 1 */
    double checkpoint_s; /* to write a checkpoint                                    [s] > 0  */
    double restart_s;    /* from a failure until work goes on                        [s] >= 0 */
    uint64_t seed;
} PsimFailures;

typedef struct {
    double mtbf_s;                  /* of the whole run's GPUs                               [s] */
    double young_s;                 /* interval between checkpoints, Young's formula         [s] */
    double daly_s;                  /* the same, Daly's higher order                         [s] */
    double simulated_s;             /* the best of some around Daly's, simulated             [s] */
    double expected_s;              /* duration by Daly's model, at Daly's interval          [s] */
    double low_s, middle_s, high_s; /* 5 %, 50 %, 95 % of simulated durations          [s] */
    double goodput_fraction;        /* work over the median duration                         [1] */
    double n_failures;              /* mean                                                  [1] */
} PsimReliability;

/**
 * psim_reliability_find:
 * Formula: Young sqrt(2 d M); Daly sqrt(2 d M) (1 + sqrt(x) / 3 + x / 9) - d with x = d / 2M, and M
 *          where d >= 2M; duration M exp(R / M) (exp((t + d) / M) - 1) W / t.
 * Source:  Young, CACM 17 (1974) 530; Daly, FGCS 22 (2006) 303, eq. 20 and 37.
 * Wrong when: failures come in groups, or take longer to be found than to happen.
 */
PsimReliability psim_reliability_find(const PsimFailures *failures);

G_END_DECLS
