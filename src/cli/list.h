/* SPDX-License-Identifier: MIT */
/* list.h: what is built in, by kind
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

/**
 * psim_list_write:
 * @kind          "models", "formats", ...
 * @names_only    without what each is
 *
 * Returns: one line each, or NULL with a usage error. Caller frees.
 */
char *psim_list_write(const char *kind, bool names_only, GError **error);

G_END_DECLS
