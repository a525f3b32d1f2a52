/* SPDX-License-Identifier: MIT */
/* parts.h: the model, the hardware and the runtime of a plan
 *
 * Each is an object inside the plan, or a string: the name of a preset, or a path relative to the
 * plan's directory.
 */
#pragma once

#include "spec/override.h"
#include "spec/plan.h"
#include "json/reader.h"

G_BEGIN_DECLS

/** psim_parts_pointers: Returns: where parts are, for psim_override_apply(); static. */
const char *const *psim_parts_pointers(void);

/** psim_parts_default_runtime: Returns: the runtime of a plan that names none; static. */
const char *psim_parts_default_runtime(void);

typedef struct {
    PsimComplaints *complaints;
    const char *directory;   /* of the plan, or NULL: the working directory */
    PsimOverrides overrides; /* all of the plan */
    bool runtime_is_default; /* the name was filled in so that overrides have something to reach */
} PsimPartsContext;

/**
 * psim_parts_read:
 * Fills model, hardware, runtime, files and the parts' defaults. @reader stands in the plan's root.
 * The model and the hardware stay NULL where nothing could be read.
 */
void psim_parts_read(PsimPlan *plan, PsimReader *reader, const PsimPartsContext *context);

G_END_DECLS
