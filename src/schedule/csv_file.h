/* SPDX-License-Identifier: MIT */
/* csv_file.h: PyTorch's schedule file, read strictly and written
 *
 * A line a rank, a cell an operation, in the order of time; an empty cell is an idle slot:
 *
 *     0F0,0F1,,0B0,0B1
 *     ,1F0,1B0,1F1,1B1
 *
 * A cell is stage, kind and microbatch (2F0, 2I0, 2SEND_F0), stage and kind alone (2UNSHARD,
 * 2RESHARD, 2REDUCE_GRAD), or a pair of F and B that run at once: (0F7;7B3)OVERLAP_F_B. Lines end
 * with LF or CRLF. There is no header and no quoting.
 *
 * PyTorch's own reader takes a matching prefix and drops the rest. This one takes all of a cell or
 * complains, each time with what would be right. Cells come first, then stages and ranks, then the
 * operations of each microbatch, then communication: a later check is only made where the earlier
 * ones found nothing, since its complaints would follow from theirs.
 *
 * Communication is checked and then dropped, for lowering derives its own from the operations. That
 * ranks wait for each other forever is no fault of a file: it is what the replay finds.
 */
#pragma once

#include "schedule/schedule.h"

G_BEGIN_DECLS

/* What a cell may hold beyond the operations of PsimOpKind; PsimOp.kind holds either. */
typedef enum {
    PSIM_CSV_SEND_F = PSIM_N_OP_KINDS,
    PSIM_CSV_RECV_F,
    PSIM_CSV_SEND_B,
    PSIM_CSV_RECV_B,
    PSIM_CSV_UNSHARD,     /* gather the stage's weights */
    PSIM_CSV_RESHARD,     /* let them go */
    PSIM_CSV_REDUCE_GRAD, /* reduce its gradients over the replicas */
} PsimCsvKind;
#define PSIM_N_CSV_KINDS 11

/* A file, read. */
typedef struct {
    char *name;       /* as messages and reports call it */
    char *text;       /* its operations, without idle slots and communication */
    PsimOrder *order; /* the arena's */
    PsimArena *arena;
} PsimCsvFile;

/* The schedule of a file: emit() hands out PsimShape.given. Not in the registry, since it has no
 * lists of its own. */
extern const PsimScheduleType psim_csv_type;

/** psim_csv_is_file: Returns: whether the name of a schedule means a file: it has a slash or ends
 * in .csv. */
bool psim_csv_is_file(const char *name);

/**
 * psim_csv_parse:
 * @text    (n_bytes)
 * @name    what messages call it
 *
 * Returns: NULL if there was a complaint.
 * Errors: SYNTAX (cells), MISMATCH (operations against each other), UNSUPPORTED (old notation, a
 * stage on two ranks), LIMIT.
 * Ownership: the caller frees with psim_csv_free().
 */
PsimCsvFile *
psim_csv_parse(const char *text, size_t n_bytes, const char *name, PsimComplaints *complaints);

/**
 * psim_csv_load: the same from a file.
 * @path    where it is
 * @name    what messages call it
 *
 * Errors: IO and the above.
 */
PsimCsvFile *psim_csv_load(const char *path, const char *name, PsimComplaints *complaints);
void psim_csv_free(PsimCsvFile *self);

/** psim_csv_n_chunks: Returns: chunks a rank, the same on all. */
uint32_t psim_csv_n_chunks(const PsimOrder *order);

/**
 * psim_csv_append:
 * Appends the file of an order, operations alone, with LF.
 *
 * Errors: UNSUPPORTED (bidirectional, token slices).
 */
bool psim_csv_append(const PsimOrder *order, GString *out, GError **error);

/* How an order is completed with communication. */
typedef struct {
    uint32_t max_active_stages; /* stages a rank keeps gathered; 0: no UNSHARD and RESHARD */
    bool reduce_grad;           /* REDUCE_GRAD behind a stage's last backward */
    bool merge_backward;        /* I and W of one microbatch side by side become B */
} PsimCsvLowering;

/* What PyTorch's runtime does. */
#define PSIM_CSV_LOWERING_INIT                                                                     \
    {                                                                                              \
        .max_active_stages = 3, .reduce_grad = true                                                \
    }

/**
 * psim_csv_append_lowered:
 * Appends the complete file: operations with all communication, as PyTorch's lowering places it.
 *
 * Errors: UNSUPPORTED (bidirectional, token slices), INFEASIBLE (deadlock).
 */
bool psim_csv_append_lowered(const PsimOrder *order,
                             const PsimCsvLowering *options,
                             GString *out,
                             GError **error);

/* -- Shared by the files of this module -- */

/** psim_csv_kind_word: Returns: "F", "SEND_F", ...; static. */
const char *psim_csv_kind_word(unsigned kind);

/** psim_csv_append_cell: "2F0", "2UNSHARD". */
void psim_csv_append_cell(GString *out, const PsimOp *op);

/** psim_csv_append_line: cells of a rank, pairs joined; no line end. */
void psim_csv_append_line(GString *out, const PsimOp *ops, uint32_t n_ops);

/** psim_csv_allows: Returns: false, with the reason, if the format cannot hold the order. */
bool psim_csv_allows(const PsimOrder *order, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimCsvFile, psim_csv_free)

G_END_DECLS
