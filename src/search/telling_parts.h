/* SPDX-License-Identifier: MIT */
/* telling_parts.h: what telling_text.c is put together from
 */
#pragma once

#include "search/telling.h"

G_BEGIN_DECLS

/** psim_telling_fixed: a number with @digits places, whatever the locale; "-" if it is none. */
void psim_telling_fixed(GString *text, double value, unsigned digits);

/** psim_telling_cell: the same, flush right in @width. */
void psim_telling_cell(GString *text, double value, unsigned digits, int width);

/** psim_telling_site: the cluster a plan was found on. */
const PsimSite *psim_telling_site(const PsimTelling *self, const PsimFound *found);

/** psim_telling_best: Returns: the first of the ranking; NULL if there is none. */
const PsimFound *psim_telling_best(const PsimTelling *self);

/** psim_telling_whole_run: ramp-up, failures and sizing, as far as they were asked for. */
void psim_telling_whole_run(const PsimTelling *self, GString *text);

G_END_DECLS
