/* SPDX-License-Identifier: MIT */
/* predict.h: what the simulator says about a row
 */
#pragma once

#include "validate/row.h"

G_BEGIN_DECLS

/* Parts of a step, as the result's breakdown has them. */
enum { PSIM_PREDICT_PARTS = 10 };

typedef struct {
    const char *skipped; /* kind of the reason, for counting; NULL: predicted. Interned. */
    char *detail;        /* the reason in full; NULL: not skipped */
    char *hardware;
    char *runtime;
    char **assumed; /* what the row does not say and the answer rests on; NULL-terminated */
    double step_s;
    double low_s, high_s; /* the range that the errors of the constants leave          [s] */
    double parts_s[PSIM_PREDICT_PARTS];
    double bubble_fraction;
    double mfu_fraction;
    bool oom;
    double peak_bytes;     /* of the fullest rank, as the simulator counts [B] */
    double compared_bytes; /* of the rank and the kind that the row measured; NAN without one */
} PsimPrediction;

/** psim_predict_part_names: Returns: names of the parts (PSIM_PREDICT_PARTS); static. */
const char *const *psim_predict_part_names(void);

/** psim_predict_row: Returns: the prediction, never NULL. May run in several threads at once. */
PsimPrediction *psim_predict_row(const PsimRow *row);

/** psim_prediction_free: frees; a GDestroyNotify. */
void psim_prediction_free(void *self);

G_END_DECLS
