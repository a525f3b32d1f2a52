/* SPDX-License-Identifier: MIT */
/* csv_sheet.h: the cells of a schedule file with their places, for the checks of csv_file.c only
 */
#pragma once

#include "schedule/csv_file.h"

#include <string.h>

G_BEGIN_DECLS

#define PSIM_CSV_NONE UINT32_MAX

/* An operation; both halves of a pair have the column of their cell. */
typedef struct {
    PsimOp op;
    uint32_t column; /* from 1 */
} PsimCsvCell;

typedef struct {
    PsimCsvCell *cells; /* (n_cells), without idle slots */
    uint32_t n_cells;
    uint32_t first_idle; /* column of the first idle slot; 0: none */
} PsimCsvRow;

typedef struct {
    const char *name;
    PsimComplaints *complaints;
    size_t n_complaints_before;
    PsimArena *arena;               /* scratch */
    PsimCsvRow *rows;               /* (n_rows) */
    uint32_t n_rows;                /* ranks */
    uint32_t n_stages;              /* highest stage of an operation + 1 */
    uint32_t n_microbatches;        /* highest microbatch of an operation + 1 */
    uint64_t n_operations;          /* F, B, I, W in all */
    uint32_t *rank_of_stage;        /* (n_stages) */
    uint32_t *at[PSIM_N_CSV_KINDS]; /* (S, m) position in its row; PSIM_CSV_NONE: not there.
                                     * UNSHARD and later kinds have none */
} PsimCsvSheet;

/** psim_csv_stands: Returns: whether the file had no complaint so far. */
bool psim_csv_stands(const PsimCsvSheet *sheet);

/** psim_csv_complain: about @column of @row (from 0). A broken file is not told without end. */
void psim_csv_complain(const PsimCsvSheet *sheet,
                       PsimError code,
                       uint32_t row,
                       uint32_t column,
                       const char *format,
                       ...) G_GNUC_PRINTF(5, 6);

/** psim_csv_name: writes "2F0" into @ret_name. Returns: it. */
#define PSIM_CSV_NAME_BYTES 40
const char *psim_csv_name(char ret_name[PSIM_CSV_NAME_BYTES],
                          unsigned kind,
                          uint32_t stage,
                          uint32_t microbatch);

/** psim_csv_is_operation: Returns: F, B, I or W? */
static inline bool
psim_csv_is_operation(const PsimOp *op)
{
    return op->kind < PSIM_N_OP_KINDS;
}

static inline size_t
psim_csv_slot(const PsimCsvSheet *sheet, uint32_t stage, uint32_t microbatch)
{
    return (size_t)stage * sheet->n_microbatches + microbatch;
}

/** psim_csv_make_tables: empty tables of the kinds from @first to @last. */
static inline void
psim_csv_make_tables(PsimCsvSheet *sheet, unsigned first, unsigned last)
{
    const size_t n_slots = (size_t)sheet->n_stages * sheet->n_microbatches;

    for (unsigned kind = first; kind <= last; kind++) {
        sheet->at[kind] = psim_arena_array(sheet->arena, uint32_t, n_slots);
        memset(sheet->at[kind], 0xff, n_slots * sizeof(uint32_t));
    }
}

/* csv_check.c: stages and ranks, then the operations of each microbatch; fills what the sheet knows
 * beyond its rows. */
void psim_csv_check(PsimCsvSheet *sheet);

/* csv_comms.c: communication against the operations. */
void psim_csv_check_comms(PsimCsvSheet *sheet);

G_END_DECLS
