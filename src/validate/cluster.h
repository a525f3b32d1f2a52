/* SPDX-License-Identifier: MIT */
/* cluster.h: "A100-SXM4-80GB, 8 a node, 4 x 100 Gbit/s" -> a hardware file and what differs from it
 */
#pragma once

#include "validate/row.h"

G_BEGIN_DECLS

/* Members to replace, which own their strings. */
typedef struct {
    GPtrArray *pointers; /* char * */
    GPtrArray *values;   /* char *, of equal length */
} PsimChanges;

void psim_changes_init(PsimChanges *self);
void psim_changes_clear(PsimChanges *self);

/** psim_changes_add: takes a value as printf() makes it. */
void psim_changes_add(PsimChanges *self, const char *pointer, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/**
 * psim_cluster_resolve:
 * The hardware of a row. Links are replaced only where the row states their speed.
 *
 * @ret_changes    gets what differs from the file, below "/hardware"
 *
 * Returns: the name of a hardware file, static or borrowed from the row; NULL: no such GPU.
 */
const char *psim_cluster_resolve(const PsimRow *row, PsimChanges *ret_changes);

/**
 * psim_cluster_links:
 * Reads the links of a node from prose such as "HDR 200 Gbit/s x 8 per node".
 *
 * @gpus_per_node    "per GPU" means so many links
 *
 * Returns: whether the text states a speed.
 */
bool psim_cluster_links(const char *text,
                        uint32_t gpus_per_node,
                        uint32_t *ret_n_links,
                        double *ret_gigabit_per_s);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimChanges, psim_changes_clear)

G_END_DECLS
