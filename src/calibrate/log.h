/* SPDX-License-Identifier: MIT */
/* log.h: the overall efficiency from one line of a training log
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

/**
 * psim_log_step:
 * The step time in a line as trainers print it: what stands behind "elapsed time per iteration
 * (ms):" (Megatron), "iteration_time:", "step_time", "s/it" and the like.
 *
 * Returns: "15.1 s" as --measured-step takes it; the caller frees with g_free().
 * Errors: VALUE where no time is found, with what was looked for.
 */
char *psim_log_step(const char *line, GError **error);

/* What one step tells. */
typedef struct {
    double measured_s, predicted_s; /* [s] */
    double efficiency;              /* of the plan's hardware                           [1] */
    double factor;                  /* on it, with which the prediction is the measurement;
                                     * NAN: no factor does                              [1] */
} PsimLogFit;

/** psim_log_explains: Returns: whether there is a factor under which the products stay within the
 * peak; what takes more is no efficiency, as `run --measured-step` says too. */
bool psim_log_explains(const PsimLogFit *self);

/**
 * psim_log_fit:
 * Runs the plan against the step of @line.
 *
 * @ret_hardware    JSON text of the plan's hardware with the efficiency scaled, provenance and
 *                  source said; NULL where no factor explains the step; the caller frees with
 * g_free()
 *
 * Errors: those of psim_log_step() and psim_simulate(); INFEASIBLE where the factor makes of other
 * kernels what no hardware file may have.
 */
bool psim_log_fit(
    PsimPlan *plan, const char *line, PsimLogFit *ret_fit, char **ret_hardware, GError **error);

/** psim_log_text: Returns: it in words; the caller frees with g_free(). */
char *psim_log_text(const PsimLogFit *self);

G_END_DECLS
