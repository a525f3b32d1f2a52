/* SPDX-License-Identifier: MIT */
/* Text -> cells, each with its place; what they mean together is for csv_check.c and csv_comms.c.
 */
#include "schedule/csv_file.h"

#include "base/limits.h"
#include "schedule/csv_sheet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A file that is something else altogether has no right cell; twenty complaints are shown. */
#define MAX_COMPLAINTS 1000u

/* Bytes of a cell that a message quotes. */
#define MAX_QUOTED 40u

#define CODE_CELL PSIM_ERROR_SYNTAX

static const char *const kind_words[PSIM_N_CSV_KINDS] = {
    [PSIM_OP_FORWARD] = "F",
    [PSIM_OP_BACKWARD] = "B",
    [PSIM_OP_BACKWARD_INPUT] = "I",
    [PSIM_OP_BACKWARD_WEIGHT] = "W",
    [PSIM_CSV_SEND_F] = "SEND_F",
    [PSIM_CSV_RECV_F] = "RECV_F",
    [PSIM_CSV_SEND_B] = "SEND_B",
    [PSIM_CSV_RECV_B] = "RECV_B",
    [PSIM_CSV_UNSHARD] = "UNSHARD",
    [PSIM_CSV_RESHARD] = "RESHARD",
    [PSIM_CSV_REDUCE_GRAD] = "REDUCE_GRAD",
};

/* A piece of a line. */
typedef struct {
    const char *begin, *end;
    uint32_t row;    /* from 0 */
    uint32_t column; /* of @begin, from 1 */
} Piece;

const char *
psim_csv_kind_word(unsigned kind)
{
    return kind_words[kind];
}

const char *
psim_csv_name(char ret_name[PSIM_CSV_NAME_BYTES],
              unsigned kind,
              uint32_t stage,
              uint32_t microbatch)
{
    if (kind < PSIM_CSV_UNSHARD)
        (void)g_snprintf(ret_name, PSIM_CSV_NAME_BYTES, "%u%s%u", stage, kind_words[kind],
                         microbatch);
    else
        (void)g_snprintf(ret_name, PSIM_CSV_NAME_BYTES, "%u%s", stage, kind_words[kind]);
    return ret_name;
}

/* -- Complaints -------------------------------------------------------------------------------- */

static size_t
count_complaints(const PsimCsvSheet *sheet)
{
    return psim_complaints_n(sheet->complaints) - sheet->n_complaints_before;
}

bool
psim_csv_stands(const PsimCsvSheet *sheet)
{
    return count_complaints(sheet) == 0;
}

void
psim_csv_complain(const PsimCsvSheet *sheet,
                  PsimError code,
                  uint32_t row,
                  uint32_t column,
                  const char *format,
                  ...)
{
    va_list arguments;

    if (count_complaints(sheet) >= MAX_COMPLAINTS)
        return;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    psim_complaints_add(sheet->complaints, code, sheet->name, row + 1, column, /* pointer= */ NULL,
                        "%s", text);
}

/* "2F0x", with quotes, on one line whatever it is. Caller frees. */
static char *
quote_piece(const Piece *piece)
{
    const size_t n_bytes = (size_t)(piece->end - piece->begin);
    g_autofree char *raw = g_strndup(piece->begin, MIN(n_bytes, MAX_QUOTED));
    g_autofree char *escaped = g_strescape(raw, /* exceptions= */ NULL);

    return g_strdup_printf("\"%s\"%s", escaped, n_bytes > MAX_QUOTED ? "..." : "");
}

static bool complain_of_cell(const PsimCsvSheet *sheet,
                             const Piece *cell,
                             PsimError code,
                             const char *format,
                             ...) G_GNUC_PRINTF(4, 5);

/* Returns: false, for the caller to return. */
static bool
complain_of_cell(
    const PsimCsvSheet *sheet, const Piece *cell, PsimError code, const char *format, ...)
{
    g_autofree char *quoted = quote_piece(cell);
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    psim_csv_complain(sheet, code, cell->row, cell->column, "%s %s", quoted, text);
    return false;
}

/* -- Cells ------------------------------------------------------------------------------------- */

/* Reads decimal digits. Returns: whether there was one; more than @max becomes @max + 1. */
static bool
read_number(const char **at, const char *end, uint32_t max, uint32_t *ret_number)
{
    const char *begin = *at;
    uint64_t number = 0;

    for (; *at < end && g_ascii_isdigit(**at); (*at)++)
        number = MIN(number * 10 + (uint64_t)(**at - '0'), (uint64_t)max + 1);
    *ret_number = (uint32_t)number;
    return *at > begin;
}

/* Returns: the kind that the letters up to @ret_end spell; PSIM_N_CSV_KINDS if none. */
static unsigned
read_kind(const char *at, const char *end, const char **ret_end)
{
    const char *begin = at;
    unsigned kind = 0;

    while (at < end && (g_ascii_isalpha(*at) || *at == '_'))
        at++;
    *ret_end = at;

    const size_t n_bytes = (size_t)(at - begin);

    while (kind < PSIM_N_CSV_KINDS &&
           (strlen(kind_words[kind]) != n_bytes || memcmp(kind_words[kind], begin, n_bytes) != 0))
        kind++;
    return kind;
}

static bool
complain_of_kind(const PsimCsvSheet *sheet, const Piece *cell, const char *begin, const char *end)
{
    const Piece word = {.begin = begin, .end = end};
    g_autofree char *quoted = quote_piece(&word);
    g_autoptr(GString) list = g_string_new(NULL);

    for (unsigned kind = 0; kind < PSIM_N_CSV_KINDS; kind++)
        g_string_append_printf(list, "%s%s", kind > 0 ? ", " : "", kind_words[kind]);
    return complain_of_cell(sheet, cell, CODE_CELL, "has no kind, but %s; must be one of %s",
                            quoted, list->str);
}

/* The microbatch behind the kind, where the kind has one. */
static bool
read_microbatch(
    const PsimCsvSheet *sheet, const Piece *cell, const char **at, const char *end, PsimOp *ret_op)
{
    const bool has_none = ret_op->kind >= PSIM_CSV_UNSHARD;
    const bool is_given = read_number(at, end, PSIM_LIMIT_MICROBATCHES - 1, &ret_op->microbatch);

    if (has_none && is_given)
        return complain_of_cell(sheet, cell, CODE_CELL, "has a microbatch; %s takes none",
                                kind_words[ret_op->kind]);
    if (!has_none && !is_given)
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "has no microbatch; expected stage, kind and microbatch, such as "
                                "2F0");
    if (ret_op->microbatch >= PSIM_LIMIT_MICROBATCHES)
        return complain_of_cell(sheet, cell, PSIM_ERROR_LIMIT,
                                "has too high a microbatch; at most %u (PSIM_LIMIT_MICROBATCHES)",
                                PSIM_LIMIT_MICROBATCHES - 1);
    return true;
}

/* "2F0" between @begin and @end, which is the cell or half of it. */
static bool
read_simple(const PsimCsvSheet *sheet,
            const Piece *cell,
            const char *begin,
            const char *end,
            PsimOp *ret_op)
{
    const char *at = begin;
    uint32_t stage = 0;

    if (!read_number(&at, end, PSIM_LIMIT_STAGES - 1, &stage))
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "has no stage; expected stage, kind and microbatch, such as 2F0");
    if (stage >= PSIM_LIMIT_STAGES)
        return complain_of_cell(sheet, cell, PSIM_ERROR_LIMIT,
                                "has too high a stage; at most %u (PSIM_LIMIT_STAGES)",
                                PSIM_LIMIT_STAGES - 1);

    const char *kind_begin = at;
    const unsigned kind = read_kind(at, end, &at);

    if (kind == PSIM_N_CSV_KINDS)
        return complain_of_kind(sheet, cell, kind_begin, at);
    *ret_op = (PsimOp){.stage = (uint16_t)stage, .kind = (uint8_t)kind};
    if (!read_microbatch(sheet, cell, &at, end, ret_op))
        return false;
    if (at == end)
        return true;

    const Piece rest = {.begin = at, .end = end};
    const Piece whole = {.begin = begin, .end = at};
    g_autofree char *rest_quoted = quote_piece(&rest);
    g_autofree char *whole_quoted = quote_piece(&whole);

    return complain_of_cell(sheet, cell, CODE_CELL, "has %s behind %s; nothing may follow",
                            rest_quoted, whole_quoted);
}

/* "(0F7;7B3)OVERLAP_F_B" */
static bool
read_pair(const PsimCsvSheet *sheet, const Piece *cell, PsimOp ret_pair[2])
{
    static const char tail[] = ")OVERLAP_F_B";
    const size_t n_tail = strlen(tail);
    const size_t n_bytes = (size_t)(cell->end - cell->begin);
    const char *middle = memchr(cell->begin, ';', n_bytes);

    if (n_bytes <= n_tail || memcmp(cell->end - n_tail, tail, n_tail) != 0)
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "is no pair; expected such as (0F7;7B3)OVERLAP_F_B");
    if (middle == NULL || memchr(middle + 1, ';', (size_t)(cell->end - middle - 1)) != NULL)
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "must hold two operations, such as (0F7;7B3)OVERLAP_F_B");
    if (!read_simple(sheet, cell, cell->begin + 1, middle, &ret_pair[0]) ||
        !read_simple(sheet, cell, middle + 1, cell->end - n_tail, &ret_pair[1]))
        return false;
    if (ret_pair[0].kind != PSIM_OP_FORWARD || ret_pair[1].kind != PSIM_OP_BACKWARD)
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "pairs %s with %s; must be F with B, in this order",
                                kind_words[ret_pair[0].kind], kind_words[ret_pair[1].kind]);
    if (ret_pair[0].stage == ret_pair[1].stage && ret_pair[0].microbatch == ret_pair[1].microbatch)
        return complain_of_cell(sheet, cell, CODE_CELL,
                                "pairs F with the B that waits for it; must be another microbatch");
    ret_pair[0].flags = PSIM_OP_WITH_NEXT;
    return true;
}

static void
read_cell(const PsimCsvSheet *sheet, PsimCsvRow *row, Piece cell)
{
    PsimOp ops[2] = {{0}};

    for (; cell.begin < cell.end && (*cell.begin == ' ' || *cell.begin == '\t'); cell.begin++)
        cell.column++;
    while (cell.begin < cell.end && (cell.end[-1] == ' ' || cell.end[-1] == '\t'))
        cell.end--;
    if (cell.begin == cell.end) {
        row->first_idle = row->first_idle > 0 ? row->first_idle : cell.column;
        return;
    }

    const bool is_pair = *cell.begin == '(';

    if (is_pair ? !read_pair(sheet, &cell, ops)
                : !read_simple(sheet, &cell, cell.begin, cell.end, &ops[0]))
        return;
    for (unsigned i = 0; i < 1u + is_pair; i++)
        row->cells[row->n_cells++] = (PsimCsvCell){.op = ops[i], .column = cell.column};
}

/* -- Lines ------------------------------------------------------------------------------------- */

static uint32_t
count_bytes(const char *begin, const char *end, char byte)
{
    uint32_t n = 0;

    for (const char *at = begin; at < end; at++)
        n += *at == byte;
    return n;
}

static void
read_line(PsimCsvSheet *sheet, uint32_t index, const char *begin, const char *end)
{
    PsimCsvRow *row = &sheet->rows[index];
    const uint32_t n_most = 1 + count_bytes(begin, end, ',') + count_bytes(begin, end, ';');

    if (begin == end) {
        psim_csv_complain(sheet, CODE_CELL, index, 1,
                          "blank line; PyTorch counts it as a rank: remove it");
        return;
    }
    row->cells = psim_arena_array(sheet->arena, PsimCsvCell, n_most);
    for (const char *at = begin; at <= end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;

        read_cell(
            sheet, row,
            (Piece){.begin = at, .end = stop, .row = index, .column = (uint32_t)(at - begin) + 1});
        at = stop + 1;
    }
}

static void
read_lines(PsimCsvSheet *sheet, const char *text, size_t n_bytes)
{
    const char *end = text + n_bytes;
    const bool is_open = end[-1] != '\n';

    sheet->n_rows = count_bytes(text, end, '\n') + is_open;
    sheet->rows = psim_arena_array(sheet->arena, PsimCsvRow, sheet->n_rows);
    for (uint32_t row = 0; row < sheet->n_rows; row++) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        const char *stop = line_end != NULL ? line_end : end;
        const bool has_return = line_end != NULL && stop > text && stop[-1] == '\r';

        read_line(sheet, row, text, stop - has_return);
        text = stop + 1;
    }
}

/* Before late 2024 PyTorch wrote B for I and BW for B; no word of today has "BW" in it. Returns:
 * whether the file is of today. */
static bool
check_notation(const PsimCsvSheet *sheet, const char *text, size_t n_bytes)
{
    const char *found = g_strstr_len(text, (gssize)n_bytes, "BW");
    const char *begin = found;
    uint32_t row = 0;

    if (found == NULL || found == text || !g_ascii_isdigit(found[-1]))
        return true;
    while (begin > text && g_ascii_isdigit(begin[-1]))
        begin--;

    Piece cell = {.begin = begin, .end = found + 2};

    while (cell.end < text + n_bytes && g_ascii_isdigit(*cell.end))
        cell.end++;
    row = count_bytes(text, begin, '\n');
    while (begin > text && begin[-1] != '\n')
        begin--;
    cell.row = row;
    cell.column = (uint32_t)(cell.begin - begin) + 1;
    return complain_of_cell(sheet, &cell, PSIM_ERROR_UNSUPPORTED,
                            "is the notation of PyTorch before late 2024, in which B meant I and "
                            "BW meant B; write I for B, then B for BW");
}

/* Returns: whether there are cells to read. */
static bool
check_text(const PsimCsvSheet *sheet, const char *text, size_t n_bytes)
{
    if (n_bytes == 0)
        psim_csv_complain(sheet, CODE_CELL, 0, 1, "empty; expected a line of cells for each rank");
    else if (n_bytes > PSIM_LIMIT_SCHEDULE_BYTES)
        psim_csv_complain(sheet, PSIM_ERROR_LIMIT, 0, 1,
                          "more than %u bytes (PSIM_LIMIT_SCHEDULE_BYTES)",
                          PSIM_LIMIT_SCHEDULE_BYTES);
    else if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        psim_csv_complain(sheet, CODE_CELL, 0, 1, "byte order mark; remove it");
    else
        return check_notation(sheet, text, n_bytes);
    return false;
}

/* -- The file ---------------------------------------------------------------------------------- */

/* Operations alone. */
static PsimOrder *
make_order(const PsimCsvSheet *sheet, PsimArena *arena)
{
    PsimOrder *order = psim_arena_array(arena, PsimOrder, 1);

    *order = (PsimOrder){
        .n_ranks = sheet->n_rows,
        .n_stages = sheet->n_stages,
        .n_microbatches = sheet->n_microbatches,
        .n_chains = 1,
        .n_slices = 1,
        .ops = psim_arena_array(arena, PsimOp *, sheet->n_rows),
        .n_ops = psim_arena_array(arena, uint32_t, sheet->n_rows),
        .rank_of_stage = psim_arena_array(arena, uint32_t, sheet->n_stages),
    };
    for (uint32_t stage = 0; stage < sheet->n_stages; stage++)
        order->rank_of_stage[stage] = sheet->rank_of_stage[stage];
    for (uint32_t rank = 0; rank < sheet->n_rows; rank++) {
        const PsimCsvRow *row = &sheet->rows[rank];

        order->ops[rank] = psim_arena_array(arena, PsimOp, row->n_cells);
        for (uint32_t i = 0; i < row->n_cells; i++) {
            if (psim_csv_is_operation(&row->cells[i].op))
                order->ops[rank][order->n_ops[rank]++] = row->cells[i].op;
        }
    }
    return order;
}

static char *
make_text(const PsimOrder *order)
{
    GString *text = g_string_new(NULL);

    psim_csv_append(order, text, /* error= */ NULL);
    return g_string_free(text, /* free_segment= */ FALSE);
}

PsimCsvFile *
psim_csv_parse(const char *text, size_t n_bytes, const char *name, PsimComplaints *complaints)
{
    g_autoptr(PsimArena) scratch = psim_arena_new();
    g_autofree char *valid_name = g_utf8_make_valid(name, -1);
    PsimCsvSheet sheet = {
        .name = valid_name,
        .complaints = complaints,
        .n_complaints_before = psim_complaints_n(complaints),
        .arena = scratch,
    };

    if (check_text(&sheet, text, n_bytes))
        read_lines(&sheet, text, n_bytes);
    if (psim_csv_stands(&sheet))
        psim_csv_check(&sheet);
    if (psim_csv_stands(&sheet))
        psim_csv_check_comms(&sheet);
    if (!psim_csv_stands(&sheet))
        return NULL;

    PsimCsvFile *self = g_new0(PsimCsvFile, 1);

    self->name = g_steal_pointer(&valid_name);
    self->arena = psim_arena_new();
    self->order = make_order(&sheet, self->arena);
    self->text = make_text(self->order);
    return self;
}

/* Reads at most one byte more than a file may have, so that /dev/zero ends, too. */
static bool
read_stream(FILE *stream, GString *ret_text)
{
    char buffer[16384];
    size_t n_bytes = 0;

    do {
        n_bytes = fread(buffer, 1, sizeof buffer, stream);
        g_string_append_len(ret_text, buffer, (gssize)n_bytes);
    } while (n_bytes > 0 && ret_text->len <= (size_t)PSIM_LIMIT_SCHEDULE_BYTES);
    return ferror(stream) == 0;
}

PsimCsvFile *
psim_csv_load(const char *path, const char *name, PsimComplaints *complaints)
{
    g_autoptr(GString) text = g_string_new(NULL);
    FILE *stream = fopen(path, "rbe");
    const bool ok = stream != NULL && read_stream(stream, text);
    const int reason = errno;

    if (stream != NULL)
        (void)fclose(stream);
    if (ok)
        return psim_csv_parse(text->str, text->len, name, complaints);

    g_autofree char *valid_name = g_utf8_make_valid(name, -1);

    psim_complaints_add(complaints, PSIM_ERROR_IO, valid_name, /* line= */ 0, /* column= */ 0,
                        /* pointer= */ NULL, "%s", g_strerror(reason));
    return NULL;
}

void
psim_csv_free(PsimCsvFile *self)
{
    if (self == NULL)
        return;
    psim_arena_free(self->arena);
    g_free(self->text);
    g_free(self->name);
    g_free(self);
}
