/* SPDX-License-Identifier: MIT */
/* tally.h: what comes of all rows, and of each source
 */
#pragma once

#include "validate/predict.h"
#include "validate/statistics.h"
#include "validate/validation.h"

G_BEGIN_DECLS

/* A reason or an assumption, and how many rows it is of. */
typedef struct {
    const char *text; /* borrowed */
    size_t n_rows;
} PsimCount;

typedef struct {
    const char *name; /* of the file without .json, or "all"; borrowed */
    size_t n_rows;
    size_t n_used;   /* predicted */
    GArray *skipped; /* PsimCount, the most frequent first */
    GArray *assumed; /* PsimCount, the same */
    PsimErrors step;
    size_t n_in_range; /* compared steps that lie in their predicted range */
    PsimErrors memory;
    size_t oom[2][2]; /* [measured][predicted] */
    PsimRanking ranking;
} PsimTally;

struct PsimValidation {
    GPtrArray *rows;        /* PsimRow */
    GPtrArray *predictions; /* PsimPrediction, one a row */
    GPtrArray *names;       /* char *, of the sources, in the order of the files */
    GPtrArray *tallies;     /* PsimTally, one a source, and "all" last */
};

/** psim_tally_make: fills in names and tallies from rows and predictions. */
void psim_tally_make(PsimValidation *validation);

/** psim_tally_free: frees; a GDestroyNotify. */
void psim_tally_free(void *self);

/** psim_tally_step_error: Returns: e of a row's step time; NAN if it is not compared. */
double psim_tally_step_error(const PsimRow *row, const PsimPrediction *prediction);

/** psim_tally_memory_error: Returns: e of a row's memory; NAN if it is not compared. */
double psim_tally_memory_error(const PsimRow *row, const PsimPrediction *prediction);

G_END_DECLS
