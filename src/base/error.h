/* SPDX-License-Identifier: MIT */
/* error.h: collecting complaints and turning them into one GError
 *
 * A reader or a check records every complaint and goes on; only the end fails. A message has one
 * line a complaint, sorted by place, at most PSIM_LIMIT_COMPLAINTS, then a count:
 *
 *     plans/moe.json:3:15: /parallel/tensor: is 0; must be from 1 to 65536
 *
 * The error's code is that of the first line.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct PsimComplaints PsimComplaints;

PsimComplaints *psim_complaints_new(void);
void psim_complaints_free(PsimComplaints *self);

/**
 * psim_complaints_add:
 * @file       what the file is called; sorts first
 * @line, @column    from 1; 0 if there is no place, which leaves "line:column" out
 * @pointer    JSON pointer, or NULL
 * @format     what is there; what would be right. No full stop
 */
void psim_complaints_add(PsimComplaints *self,
                         PsimError code,
                         const char *file,
                         unsigned line,
                         unsigned column,
                         const char *pointer,
                         const char *format,
                         ...) G_GNUC_PRINTF(7, 8);

/** psim_complaints_n: Returns: complaints so far. */
size_t psim_complaints_n(const PsimComplaints *self);

/**
 * psim_complaints_finish:
 * Returns: true if there was none; else false with @error set to all of them.
 */
bool psim_complaints_finish(const PsimComplaints *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimComplaints, psim_complaints_free)

G_END_DECLS
