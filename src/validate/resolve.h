/* SPDX-License-Identifier: MIT */
/* resolve.h: a row -> the plan to simulate, or the reason why there is none
 */
#pragma once

#include "validate/cluster.h"

G_BEGIN_DECLS

typedef struct {
    char *text;          /* the plan, JSON; NULL: the row is left out */
    PsimChanges changes; /* below /hardware and /runtime              */
    char *hardware;
    char *runtime;
    GPtrArray *assumed;  /* char *, what the row does not say and is assumed here */
    const char *skipped; /* kind of the reason, static; NULL: the row is used */
    char *detail;        /* the reason in full; NULL: the kind says all       */
} PsimResolved;

/** psim_resolve_row: fills in @ret_resolved, whatever the row is like. */
void psim_resolve_row(const PsimRow *row, PsimResolved *ret_resolved);
void psim_resolved_clear(PsimResolved *self);

/** psim_resolve_assume: adds a remark about what the row does not say. */
void psim_resolve_assume(PsimResolved *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimResolved, psim_resolved_clear)

G_END_DECLS
