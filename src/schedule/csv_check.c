/* SPDX-License-Identifier: MIT */
/* Each stage on one rank, as many stages on each rank, no stage left out; then, of each stage and
 * microbatch, one F and behind it one B, or I and behind it W.
 */
#include "schedule/csv_sheet.h"

#include <string.h>

/* A table of stages and microbatches may be so much larger than what stands in the file; beyond it
 * most of it would be empty. */
#define MAX_EMPTY 65536u

/* -- Stages and ranks -------------------------------------------------------------------------- */

static void
measure(PsimCsvSheet *sheet)
{
    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
            const PsimOp *op = &sheet->rows[row].cells[i].op;

            if (!psim_csv_is_operation(op))
                continue;
            sheet->n_operations++;
            sheet->n_stages = MAX(sheet->n_stages, op->stage + 1u);
            sheet->n_microbatches = MAX(sheet->n_microbatches, op->microbatch + 1u);
        }
    }
}

/* A stage that other ranks have, too, is told once for each of them. */
static void
place_stages(PsimCsvSheet *sheet)
{
    uint32_t *told = psim_arena_array(sheet->arena, uint32_t, sheet->n_stages);

    sheet->rank_of_stage = psim_arena_array(sheet->arena, uint32_t, sheet->n_stages);
    memset(sheet->rank_of_stage, 0xff, sheet->n_stages * sizeof(uint32_t));
    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
            const PsimCsvCell *cell = &sheet->rows[row].cells[i];
            const uint32_t stage = cell->op.stage;

            if (!psim_csv_is_operation(&cell->op))
                continue;
            if (sheet->rank_of_stage[stage] == PSIM_CSV_NONE)
                sheet->rank_of_stage[stage] = row;
            if (sheet->rank_of_stage[stage] == row || told[stage] == row)
                continue;
            told[stage] = row;
            psim_csv_complain(sheet, PSIM_ERROR_UNSUPPORTED, row, cell->column,
                              "stage %u is on rank %u already; a stage has one rank, so a "
                              "bidirectional schedule, whose replicas share stages, has no place "
                              "in this format",
                              stage, sheet->rank_of_stage[stage]);
        }
    }
}

/* One complaint for each run of missing stages, at the first operation of the rank of the next. */
static void
check_gaps(const PsimCsvSheet *sheet)
{
    uint32_t first = PSIM_CSV_NONE;

    for (uint32_t stage = 0; stage < sheet->n_stages; stage++) {
        const bool is_missing = sheet->rank_of_stage[stage] == PSIM_CSV_NONE;

        if (is_missing && first == PSIM_CSV_NONE)
            first = stage;
        if (is_missing || first == PSIM_CSV_NONE)
            continue;
        g_autofree char *range = first + 1 == stage
                                     ? g_strdup_printf("stage %u is", first)
                                     : g_strdup_printf("stages %u to %u are", first, stage - 1);

        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, sheet->rank_of_stage[stage], 1,
                          "stage %u is here, but %s nowhere; stages count from 0 without a gap",
                          stage, range);
        first = PSIM_CSV_NONE;
    }
}

static void
check_even(const PsimCsvSheet *sheet)
{
    uint32_t *n_stages = psim_arena_array(sheet->arena, uint32_t, sheet->n_rows);

    for (uint32_t stage = 0; stage < sheet->n_stages; stage++) {
        if (sheet->rank_of_stage[stage] != PSIM_CSV_NONE)
            n_stages[sheet->rank_of_stage[stage]]++;
    }
    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        if (n_stages[row] == 0)
            psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, 1,
                              "rank %u has no operation; each rank needs a stage", row);
        else if (n_stages[0] > 0 && n_stages[row] != n_stages[0])
            psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, 1,
                              "rank %u has %u of the stages, rank 0 has %u; each rank must have as "
                              "many",
                              row, n_stages[row], n_stages[0]);
    }
}

/* W without any I was right when B meant I. Returns: whether the file is of today. */
static bool
check_notation(const PsimCsvSheet *sheet)
{
    const PsimCsvCell *first = NULL;
    uint32_t first_row = 0;
    char name[PSIM_CSV_NAME_BYTES];

    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
            const PsimCsvCell *cell = &sheet->rows[row].cells[i];

            if (cell->op.kind == PSIM_OP_BACKWARD_INPUT)
                return true;
            if (cell->op.kind != PSIM_OP_BACKWARD_WEIGHT || first != NULL)
                continue;
            first = cell;
            first_row = row;
        }
    }
    if (first == NULL)
        return true;
    psim_csv_complain(sheet, PSIM_ERROR_UNSUPPORTED, first_row, first->column,
                      "%s, and no I in all of the file, is the notation of PyTorch before late "
                      "2024, in which B meant I; write I for B",
                      psim_csv_name(name, first->op.kind, first->op.stage, first->op.microbatch));
    return false;
}

/* -- Operations of each microbatch ------------------------------------------------------------- */

/* Returns: false, after a complaint, if most of the table would be empty. */
static bool
check_size(const PsimCsvSheet *sheet)
{
    const uint64_t n_slots = (uint64_t)sheet->n_stages * sheet->n_microbatches;

    if (n_slots <= sheet->n_operations + MAX_EMPTY)
        return true;
    psim_csv_complain(
        sheet, PSIM_ERROR_MISMATCH, 0, 1,
        "%u stages and %u microbatches, by the highest numbers, make %" G_GUINT64_FORMAT
        " forwards; the file has %" G_GUINT64_FORMAT " operations in all",
        sheet->n_stages, sheet->n_microbatches, n_slots, sheet->n_operations);
    return false;
}

static void
note_operations(const PsimCsvSheet *sheet, uint32_t row)
{
    char name[PSIM_CSV_NAME_BYTES];

    for (uint32_t i = 0; i < sheet->rows[row].n_cells; i++) {
        const PsimCsvCell *cell = &sheet->rows[row].cells[i];
        const PsimOp *op = &cell->op;

        if (!psim_csv_is_operation(op))
            continue;
        uint32_t *at = &sheet->at[op->kind][psim_csv_slot(sheet, op->stage, op->microbatch)];

        if (*at == PSIM_CSV_NONE)
            *at = i;
        else
            psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, row, cell->column,
                              "%s is at column %u already; must be there once",
                              psim_csv_name(name, op->kind, op->stage, op->microbatch),
                              sheet->rows[row].cells[*at].column);
    }
}

/* One stage and microbatch. */
typedef struct {
    const PsimCsvSheet *sheet;
    uint32_t stage, microbatch, row;
    uint32_t at[PSIM_N_OP_KINDS]; /* position; PSIM_CSV_NONE: not there */
    char name[PSIM_N_OP_KINDS][PSIM_CSV_NAME_BYTES];
} Slot;

static bool
has(const Slot *slot, PsimOpKind kind)
{
    return slot->at[kind] != PSIM_CSV_NONE;
}

static uint32_t
column_of(const Slot *slot, PsimOpKind kind)
{
    return slot->sheet->rows[slot->row].cells[slot->at[kind]].column;
}

static Slot
read_slot(const PsimCsvSheet *sheet, uint32_t stage, uint32_t microbatch)
{
    Slot slot = {
        .sheet = sheet,
        .stage = stage,
        .microbatch = microbatch,
        .row = sheet->rank_of_stage[stage],
    };

    for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++)
        slot.at[kind] = sheet->at[kind][psim_csv_slot(sheet, stage, microbatch)];
    return slot;
}

static void
name_slot(Slot *slot)
{
    for (unsigned kind = 0; kind < PSIM_N_OP_KINDS; kind++)
        (void)psim_csv_name(slot->name[kind], kind, slot->stage, slot->microbatch);
}

/* The usual case, told without making names. */
static bool
is_right(const Slot *slot)
{
    const uint32_t forward = slot->at[PSIM_OP_FORWARD];
    const uint32_t whole = slot->at[PSIM_OP_BACKWARD];
    const uint32_t input = slot->at[PSIM_OP_BACKWARD_INPUT];
    const uint32_t weight = slot->at[PSIM_OP_BACKWARD_WEIGHT];
    const bool is_whole =
        whole != PSIM_CSV_NONE && input == PSIM_CSV_NONE && weight == PSIM_CSV_NONE;
    const bool is_split = whole == PSIM_CSV_NONE && input != PSIM_CSV_NONE &&
                          weight != PSIM_CSV_NONE && input < weight;

    return forward != PSIM_CSV_NONE && (is_whole || is_split) &&
           forward < (is_whole ? whole : input);
}

static void
complain_of_order(const Slot *slot, PsimOpKind earlier, PsimOpKind later)
{
    if (has(slot, earlier) && has(slot, later) && slot->at[later] < slot->at[earlier])
        psim_csv_complain(slot->sheet, PSIM_ERROR_MISMATCH, slot->row, column_of(slot, later),
                          "%s stands before %s; must come after it", slot->name[later],
                          slot->name[earlier]);
}

static void
complain_of_lack(const Slot *slot, PsimOpKind kind, PsimOpKind lacked)
{
    if (has(slot, kind) && !has(slot, lacked))
        psim_csv_complain(slot->sheet, PSIM_ERROR_MISMATCH, slot->row, column_of(slot, kind),
                          "%s has no %s; I and W go together", slot->name[kind],
                          slot->name[lacked]);
}

static void
complain_of_slot(Slot *slot)
{
    const bool is_whole = has(slot, PSIM_OP_BACKWARD);
    const PsimOpKind half =
        has(slot, PSIM_OP_BACKWARD_INPUT) ? PSIM_OP_BACKWARD_INPUT : PSIM_OP_BACKWARD_WEIGHT;

    name_slot(slot);
    if (is_whole && has(slot, half))
        psim_csv_complain(slot->sheet, PSIM_ERROR_MISMATCH, slot->row, column_of(slot, half),
                          "%s is part of %s, which is there, too; must be B, or I and W",
                          slot->name[half], slot->name[PSIM_OP_BACKWARD]);
    else if (!is_whole && !has(slot, half) && has(slot, PSIM_OP_FORWARD))
        psim_csv_complain(slot->sheet, PSIM_ERROR_MISMATCH, slot->row,
                          column_of(slot, PSIM_OP_FORWARD),
                          "%s has no backward; needs %s, or %s and %s", slot->name[PSIM_OP_FORWARD],
                          slot->name[PSIM_OP_BACKWARD], slot->name[PSIM_OP_BACKWARD_INPUT],
                          slot->name[PSIM_OP_BACKWARD_WEIGHT]);
    if (!is_whole) {
        complain_of_lack(slot, PSIM_OP_BACKWARD_INPUT, PSIM_OP_BACKWARD_WEIGHT);
        complain_of_lack(slot, PSIM_OP_BACKWARD_WEIGHT, PSIM_OP_BACKWARD_INPUT);
    }
    complain_of_order(slot, PSIM_OP_FORWARD, PSIM_OP_BACKWARD);
    complain_of_order(slot, PSIM_OP_FORWARD, PSIM_OP_BACKWARD_INPUT);
    complain_of_order(slot, PSIM_OP_BACKWARD_INPUT, PSIM_OP_BACKWARD_WEIGHT);
}

static void
check_stage(const PsimCsvSheet *sheet, uint32_t stage)
{
    uint32_t n_missing = 0;
    uint32_t first_missing = 0;

    for (uint32_t microbatch = 0; microbatch < sheet->n_microbatches; microbatch++) {
        Slot slot = read_slot(sheet, stage, microbatch);

        if (!has(&slot, PSIM_OP_FORWARD)) {
            first_missing = n_missing == 0 ? microbatch : first_missing;
            n_missing++;
        }
        if (!is_right(&slot))
            complain_of_slot(&slot);
    }
    if (n_missing > 0)
        psim_csv_complain(sheet, PSIM_ERROR_MISMATCH, sheet->rank_of_stage[stage], 1,
                          "stage %u has %u of %u forwards; %uF%u is missing", stage,
                          sheet->n_microbatches - n_missing, sheet->n_microbatches, stage,
                          first_missing);
}

void
psim_csv_check(PsimCsvSheet *sheet)
{
    measure(sheet);
    if (!check_notation(sheet))
        return;
    place_stages(sheet);
    check_gaps(sheet);
    /* A stage on two ranks would be counted on one of them alone. */
    if (psim_csv_stands(sheet))
        check_even(sheet);
    if (!psim_csv_stands(sheet) || !check_size(sheet))
        return;
    psim_csv_make_tables(sheet, PSIM_OP_FORWARD, PSIM_OP_BACKWARD_WEIGHT);
    for (uint32_t row = 0; row < sheet->n_rows; row++)
        note_operations(sheet, row);
    for (uint32_t stage = 0; stage < sheet->n_stages; stage++)
        check_stage(sheet, stage);
}
