/* SPDX-License-Identifier: MIT */
/* wave.h: candidates of one wave, run on a thread pool
 */
#pragma once

#include "search/search.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_WAVE_RUN,
    PSIM_WAVE_MEMORY, /* does not fit; evaluation.peak_bytes is set */
    PSIM_WAVE_BOUND,  /* cannot be among the best */
    PSIM_WAVE_RULES,  /* cannot run a batch of the ramp-up */
    PSIM_WAVE_FAILED, /* deadlock or limit */
} PsimWaveVerdict;

typedef struct {
    PsimFound found;
    PsimWaveVerdict verdict;
} PsimWaveItem;

/* What is known before the wave. */
typedef struct {
    const PsimSpace *space;
    const PsimSearchOptions *options;
    const PsimSearchAnswer *answer;
} PsimWaveContext;

typedef struct PsimWaves PsimWaves;

PsimWaves *psim_waves_new(const PsimWaveContext *context);
void psim_waves_free(PsimWaves *self);

/** psim_waves_run: fills evaluation and verdict of each item. */
void psim_waves_run(PsimWaves *self, PsimWaveItem *items, guint n_items);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimWaves, psim_waves_free)

G_END_DECLS
