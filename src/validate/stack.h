/* SPDX-License-Identifier: MIT */
/* stack.h: which software a source measured -> a runtime
 *
 * By what the source states about its software and its year, never by how well a runtime fits.
 */
#pragma once

#include "validate/cluster.h"

G_BEGIN_DECLS

/**
 * psim_stack_resolve:
 * @ret_changes    gets what the row states beyond the runtime, below "/runtime"
 * @ret_nearest    whether no runtime is of that software and the nearest is taken
 *
 * Returns: the name of a runtime, static or borrowed from the row; NULL: nothing is stated.
 */
const char *psim_stack_resolve(const PsimRow *row, PsimChanges *ret_changes, bool *ret_nearest);

G_END_DECLS
