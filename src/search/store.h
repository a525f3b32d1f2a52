/* SPDX-License-Identifier: MIT */
/* store.h: results in an SQLite file, a transaction a wave
 *
 * A search that was killed goes on where its last whole wave ended: waves are a function of the
 * space alone, so the file ends up the same, row by row.
 */
#pragma once

#include "search/found.h"

G_BEGIN_DECLS

typedef struct PsimStore PsimStore;

/* What the rows are of, beyond the space. */
typedef struct {
    PsimRampup rampup;
    PsimRankBy rank_by; /* what was pruned by */
} PsimStoreOrigin;

/* How far a search is. */
typedef struct {
    uint64_t next_ordinal;
    uint64_t n_run, n_failed;
    uint64_t dropped[PSIM_N_DROPS];
    bool is_done;
} PsimStoreProgress;

/**
 * psim_store_open:
 * @key       digest of everything the results depend on; a file of another search is refused
 * @space     its sites' texts go into a new file
 * @origin    goes there too
 *
 * Errors: IO (another search has it open, too), MISMATCH, UNSUPPORTED (built without SQLite).
 * Ownership: freed with psim_store_close().
 */
PsimStore *psim_store_open(const char *path,
                           const char *key,
                           const PsimSpace *space,
                           const PsimStoreOrigin *origin,
                           GError **error);

/** psim_store_open_old: a file to report on; its sites, GPUs and batches are appended to @space. */
PsimStore *psim_store_open_old(const char *path,
                               PsimSpace *space,
                               PsimStoreOrigin *ret_origin,
                               GError **error);
void psim_store_close(PsimStore *self);

/** psim_store_write: one wave: rows in ordinal order, and how far the search is after it. */
bool psim_store_write(PsimStore *self,
                      const PsimFound *found,
                      guint n_found,
                      const PsimStoreProgress *progress,
                      GError **error);

/** psim_store_read: every row in ordinal order. */
bool psim_store_read(PsimStore *self,
                     void (*take)(const PsimFound *found, void *user),
                     void *user,
                     PsimStoreProgress *ret_progress,
                     GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimStore, psim_store_close)

G_END_DECLS
