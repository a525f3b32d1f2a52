/* SPDX-License-Identifier: MIT */
/* module.h: a backend by its name
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

/** psim_module_names: Returns: "cpu", "cuda", NULL-terminated; static. */
const char *const *psim_module_names(void);

/**
 * psim_module_find:
 * The built-in backend, or the module plansim-NAME.so: in the directory that PSIM_MODULE_DIR names,
 * in LIBDIR/plansim beside the program's own directory, or where it was built.
 *
 * @name    one of psim_module_names()
 *
 * Errors: UNSUPPORTED, with what to do, where the module is missing or was built for another
 * version.
 */
const PsimBackend *psim_module_find(const char *name, GError **error);

G_END_DECLS
