/* SPDX-License-Identifier: MIT */
/* validation.h: rows, their predictions, and how they are told
 *
 * The command line includes this header; everything else here is internal.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct {
    const char *only;              /* sources whose name begins so; NULL: all */
    guint n_threads;               /* the answer does not depend on it; 0: 1  */
    bool (*cancelled)(void *user); /* asked now and then; NULL: never         */
} PsimValidationOptions;

typedef struct PsimValidation PsimValidation;

/**
 * psim_validation_run:
 * Reads every file and predicts every row.
 *
 * @files    NULL-terminated
 *
 * Errors: IO, SYNTAX (not JSON), SCHEMA (not rows), CANCELLED.
 * Ownership: the caller frees.
 */
PsimValidation *
psim_validation_run(const char *const *files, const PsimValidationOptions *options, GError **error);
void psim_validation_free(PsimValidation *self);

/** psim_validation_text: Returns: tables for people; @n_worst rows at the end. Caller frees. */
char *psim_validation_text(const PsimValidation *self, guint n_worst);

/** psim_validation_json: Returns: every row and every source, for scripts. Caller frees. */
char *psim_validation_json(const PsimValidation *self);

/** psim_validation_csv: Returns: a line a row. Caller frees. */
char *psim_validation_csv(const PsimValidation *self);

/** psim_validation_svg: Returns: predicted against measured step time, a picture. Caller frees. */
char *psim_validation_svg(const PsimValidation *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimValidation, psim_validation_free)

G_END_DECLS
