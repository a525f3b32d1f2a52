/* SPDX-License-Identifier: MIT */
/* Communication in a file, against its operations.
 *
 *     rank 0   0F0 0SEND_F0            ... 0RECV_B0 0B0
 *     rank 1       1RECV_F0 1F0 1B0 1SEND_B0
 *
 * Each hand-over between ranks has its SEND behind the operation that makes it and its RECV before
 * the one that needs it, and a rank receives from another in the order in which that one sends,
 * since that is all a channel knows.
 */
#include "schedule/csv_sheet.h"

#include <string.h>

typedef struct {
    bool any;        /* communication of any kind */
    bool hand_overs; /* SEND or RECV */
    bool shards;     /* UNSHARD or RESHARD */
} Uses;

/* What a hand-over is, by its kind: of F or B, sent or received. */
static bool
is_send(unsigned kind)
{
    return kind == PSIM_CSV_SEND_F || kind == PSIM_CSV_SEND_B;
}

static bool
is_hand_over(unsigned kind)
{
    return kind >= PSIM_CSV_SEND_F && kind <= PSIM_CSV_RECV_B;
}

static bool
is_forward(unsigned kind)
{
    return kind == PSIM_OP_FORWARD || kind == PSIM_CSV_SEND_F || kind == PSIM_CSV_RECV_F;
}

/* The stage at the other end: PSIM_CSV_NONE beyond the ends of the model. */
static uint32_t
other_end(const PsimCsvSheet *sheet, unsigned kind, uint32_t stage)
{
    const bool is_up = is_send(kind) == is_forward(kind);

    if (is_up ? stage + 1 == sheet->n_stages : stage == 0)
        return PSIM_CSV_NONE;
    return is_up ? stage + 1 : stage - 1;
}

static const char *
name_cell(char ret_name[PSIM_CSV_NAME_BYTES], const PsimOp *op)
{
    return psim_csv_name(ret_name, op->kind, op->stage, op->microbatch);
}

static Uses
find_uses(const PsimCsvSheet *sheet)
{
    Uses uses = {0};

    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
            const unsigned kind = sheet->rows[row].cells[i].op.kind;

            uses.any |= kind >= PSIM_N_OP_KINDS;
            uses.hand_overs |= is_hand_over(kind);
            uses.shards |= kind == PSIM_CSV_UNSHARD || kind == PSIM_CSV_RESHARD;
        }
    }
    return uses;
}

/* -- Each cell by itself ----------------------------------------------------------------------- */

/* Returns: whether the cell may be looked up in tables of stages and microbatches. */
static bool
check_range(const PsimCsvSheet *sheet, uint32_t row, const PsimCsvCell *cell)
{
    char name[PSIM_CSV_NAME_BYTES];
    const PsimOp *op = &cell->op;

    if (op->stage >= sheet->n_stages)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: stage %u has no operation; stages are 0 to %u", name_cell(name, op),
                          op->stage, sheet->n_stages - 1);
    else if (op->microbatch >= sheet->n_microbatches)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: microbatch %u has no operation; microbatches are 0 to %u",
                          name_cell(name, op), op->microbatch, sheet->n_microbatches - 1);
    else if (sheet->rank_of_stage[op->stage] != row)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: stage %u is on rank %u, not on rank %u", name_cell(name, op),
                          op->stage, sheet->rank_of_stage[op->stage], row);
    else
        return true;
    return false;
}

/* Returns: whether there is something to hand over, and another rank. */
static bool
check_ends(const PsimCsvSheet *sheet, uint32_t row, const PsimCsvCell *cell)
{
    char name[PSIM_CSV_NAME_BYTES];
    const PsimOp *op = &cell->op;
    const uint32_t other = other_end(sheet, op->kind, op->stage);
    const bool is_up = is_send(op->kind) == is_forward(op->kind);

    if (other == PSIM_CSV_NONE)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: stage %u is the %s and %s nothing there", name_cell(name, op),
                          op->stage, is_up ? "last" : "first",
                          is_send(op->kind) ? "sends" : "receives");
    else if (sheet->rank_of_stage[other] == row)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: stages %u and %u are both on rank %u; nothing is sent",
                          name_cell(name, op), op->stage, other, row);
    else
        return true;
    return false;
}

static void
note_hand_over(const PsimCsvSheet *sheet, uint32_t row, uint32_t index)
{
    char name[PSIM_CSV_NAME_BYTES];
    const PsimCsvCell *cell = &sheet->rows[row].cells[index];
    const PsimOp *op = &cell->op;

    if (!check_ends(sheet, row, cell))
        return;
    uint32_t *at = &sheet->at[op->kind][psim_csv_slot(sheet, op->stage, op->microbatch)];

    if (*at == PSIM_CSV_NONE)
        *at = index;
    else
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s is at column %u already; must be there once", name_cell(name, op),
                          sheet->rows[row].cells[*at].column);
}

static void
note_cells(const PsimCsvSheet *sheet, uint32_t row)
{
    const PsimCsvRow *line = &sheet->rows[row];

    if (line->first_idle > 0)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, line->first_idle,
                          "empty cell; a file with communication has none");
    for (uint32_t i = 0; i < line->n_cells; i++) {
        const PsimCsvCell *cell = &line->cells[i];

        if (!psim_csv_is_operation(&cell->op) && check_range(sheet, row, cell) &&
            is_hand_over(cell->op.kind))
            note_hand_over(sheet, row, i);
    }
}

/* -- Hand-overs against operations ------------------------------------------------------------- */

static uint32_t
position_of(const PsimCsvSheet *sheet, unsigned kind, uint32_t stage, uint32_t microbatch)
{
    return sheet->at[kind][psim_csv_slot(sheet, stage, microbatch)];
}

/* One operation and one hand-over of it: there where it must be, and on the right side. */
static void
check_side(const PsimCsvSheet *sheet, uint32_t row, const PsimCsvCell *cell, unsigned kind)
{
    char name[PSIM_CSV_NAME_BYTES];
    char other[PSIM_CSV_NAME_BYTES];
    const PsimOp *op = &cell->op;
    const uint32_t end = other_end(sheet, kind, op->stage);
    const uint32_t at = position_of(sheet, kind, op->stage, op->microbatch);
    const uint32_t own = (uint32_t)(cell - sheet->rows[row].cells);

    if (end == PSIM_CSV_NONE || sheet->rank_of_stage[end] == row)
        return;
    (void)psim_csv_name(other, kind, op->stage, op->microbatch);
    if (at == PSIM_CSV_NONE)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s has no %s; a file with communication has all of it",
                          name_cell(name, op), other);
    else if (is_send(kind) ? at < own : at > own)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, sheet->rows[row].cells[at].column,
                          "%s stands %s %s; must come %s it", other,
                          is_send(kind) ? "before" : "behind", name_cell(name, op),
                          is_send(kind) ? "after" : "before");
}

static void
check_sides(const PsimCsvSheet *sheet, uint32_t row)
{
    for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
        const PsimCsvCell *cell = &sheet->rows[row].cells[i];
        const unsigned kind = cell->op.kind;

        if (kind == PSIM_OP_FORWARD) {
            check_side(sheet, row, cell, PSIM_CSV_RECV_F);
            check_side(sheet, row, cell, PSIM_CSV_SEND_F);
        } else if (kind == PSIM_OP_BACKWARD || kind == PSIM_OP_BACKWARD_INPUT) {
            check_side(sheet, row, cell, PSIM_CSV_RECV_B);
            check_side(sheet, row, cell, PSIM_CSV_SEND_B);
        }
    }
}

/* The SEND of a RECV. */
static uint32_t
sent_at(const PsimCsvSheet *sheet, const PsimOp *recv, uint32_t *ret_rank)
{
    const unsigned kind = recv->kind == PSIM_CSV_RECV_F ? PSIM_CSV_SEND_F : PSIM_CSV_SEND_B;
    const uint32_t stage = other_end(sheet, recv->kind, recv->stage);

    *ret_rank = sheet->rank_of_stage[stage];
    return position_of(sheet, kind, stage, recv->microbatch);
}

/* What rank @row received last from each other rank. */
typedef struct {
    uint32_t row;   /* of the receiver + 1; another one: not yet */
    uint32_t sent;  /* position of the SEND */
    uint32_t index; /* position of the RECV */
} Last;

static void
check_matching(const PsimCsvSheet *sheet, uint32_t row, Last *lasts)
{
    const PsimCsvRow *line = &sheet->rows[row];
    char name[PSIM_CSV_NAME_BYTES];
    char before[PSIM_CSV_NAME_BYTES];

    for (uint32_t i = 0; i < line->n_cells; i++) {
        const PsimOp *op = &line->cells[i].op;
        uint32_t rank = 0;

        if (op->kind != PSIM_CSV_RECV_F && op->kind != PSIM_CSV_RECV_B)
            continue;
        const uint32_t sent = sent_at(sheet, op, &rank);
        Last *last = &lasts[rank];

        if (last->row == row + 1 && sent < last->sent)
            psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, line->cells[i].column,
                              "%s stands behind %s, but rank %u sends it first; must be received "
                              "in the order of sending",
                              name_cell(name, op), name_cell(before, &line->cells[last->index].op),
                              rank);
        *last = (Last){.row = row + 1, .sent = sent, .index = i};
    }
}

/* -- Weights and gradients --------------------------------------------------------------------- */

typedef struct {
    bool gathered;      /* UNSHARD and no RESHARD since */
    bool reduced;       /* REDUCE_GRAD */
    uint32_t n_missing; /* backwards to come */
} StageState;

static void
step_reduce(const PsimCsvSheet *sheet, uint32_t row, const PsimCsvCell *cell, StageState *state)
{
    char name[PSIM_CSV_NAME_BYTES];

    (void)name_cell(name, &cell->op);
    if (state->reduced)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s stands there twice; must be there once", name);
    else if (state->n_missing > 0)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s stands before the last backward of stage %u; must come after it",
                          name, cell->op.stage);
    state->reduced = true;
}

static void
step_shard(const PsimCsvSheet *sheet, uint32_t row, const PsimCsvCell *cell, StageState *state)
{
    const bool gathers = cell->op.kind == PSIM_CSV_UNSHARD;
    char name[PSIM_CSV_NAME_BYTES];

    if (state->gathered == gathers)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                          "%s: the weights of stage %u are %s already", name_cell(name, &cell->op),
                          cell->op.stage, gathers ? "gathered" : "sharded");
    state->gathered = gathers;
}

static void
step_operation(const PsimCsvSheet *sheet,
               uint32_t row,
               const PsimCsvCell *cell,
               bool shards,
               StageState *state)
{
    const unsigned kind = cell->op.kind;
    char name[PSIM_CSV_NAME_BYTES];

    state->n_missing -= kind == PSIM_OP_BACKWARD || kind == PSIM_OP_BACKWARD_WEIGHT;
    if (!shards || state->gathered)
        return;
    psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                      "%s runs while the weights of its stage are sharded; needs %uUNSHARD before",
                      name_cell(name, &cell->op), cell->op.stage);
    state->gathered = true;
}

static void
check_states(const PsimCsvSheet *sheet, bool shards)
{
    StageState *states = psim_arena_array(sheet->arena, StageState, sheet->n_stages);

    for (uint32_t stage = 0; stage < sheet->n_stages; stage++)
        states[stage].n_missing = sheet->n_microbatches;
    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
            const PsimCsvCell *cell = &sheet->rows[row].cells[i];
            StageState *state = &states[cell->op.stage];

            if (psim_csv_is_operation(&cell->op))
                step_operation(sheet, row, cell, shards, state);
            else if (cell->op.kind == PSIM_CSV_REDUCE_GRAD)
                step_reduce(sheet, row, cell, state);
            else if (!is_hand_over(cell->op.kind))
                step_shard(sheet, row, cell, state);
        }
    }
}

void
psim_csv_check_comms(PsimCsvSheet *sheet)
{
    const Uses uses = find_uses(sheet);

    if (!uses.any)
        return;
    psim_csv_make_tables(sheet, PSIM_CSV_SEND_F, PSIM_CSV_RECV_B);
    for (uint32_t row = 0; row < sheet->n_rows; row++)
        note_cells(sheet, row);
    if (!psim_csv_stands(sheet))
        return;
    for (uint32_t row = 0; row < sheet->n_rows && uses.hand_overs; row++)
        check_sides(sheet, row);
    check_states(sheet, uses.shards);
    if (!psim_csv_stands(sheet))
        return;

    Last *lasts = psim_arena_array(sheet->arena, Last, sheet->n_rows);

    for (uint32_t row = 0; row < sheet->n_rows; row++)
        check_matching(sheet, row, lasts);
}
