/* SPDX-License-Identifier: MIT */
/* lock.h: a file that one process at a time writes
 *
 * A lock lies beside the file, not on it: SQLite has its own there, and readers come and go. The
 * kernel gives it back when its process ends, however that ends.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct {
    char *path;
    int fd; /* -1: none is held */
} PsimLock;

#define PSIM_LOCK_INIT                                                                             \
    {                                                                                              \
        .path = NULL, .fd = -1                                                                     \
    }

/**
 * psim_lock_take:
 * Takes the lock FILE-lock of @file. Where none can be made, none is asked for: who writes there
 * learns why.
 *
 * Returns: false if another process has it.
 */
bool psim_lock_take(PsimLock *self, const char *file);

/** psim_lock_release: Ownership: nothing is left, neither here nor beside the file. */
void psim_lock_release(PsimLock *self);

G_END_DECLS
