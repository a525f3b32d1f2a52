/* SPDX-License-Identifier: MIT */
#include "cost/gemm_table.h"

#include "spec/gemm_rows.h"

#include <math.h>

/* Beyond this ratio of tokens the formula knows better than a neighbour. */
#define FARTHEST_RATIO 2.0

static bool
is_whole(double value)
{
    return value >= 1.0 && value <= PSIM_GEMM_ROW_MAX_SIZE && value == floor(value);
}

static bool
make_key(PsimPrecision precision, const PsimGemm *gemm, PsimGemmRow *ret_key)
{
    if (gemm->batch != 1.0 || !is_whole(gemm->m) || !is_whole(gemm->n) || !is_whole(gemm->k))
        return false;
    *ret_key = (PsimGemmRow){
        .precision = precision,
        .layout = gemm->layout,
        .output_bytes = gemm->output_bytes,
        .m = (uint32_t)gemm->m,
        .n = (uint32_t)gemm->n,
        .k = (uint32_t)gemm->k,
    };
    return true;
}

/* Returns: the first row that is not before @key. */
static uint32_t
find_place(const PsimGemmConstants *constants, const PsimGemmRow *key)
{
    uint32_t low = 0;
    uint32_t high = constants->n_rows;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (psim_gemm_rows_compare(&constants->rows[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The transpose of a weight gradient stands next to it, and is as good where it stands alone. */
static bool
is_same(const PsimGemmRow *row, const PsimGemmRow *key)
{
    return row != NULL && psim_gemm_rows_are_alike(row, key) &&
           psim_gemm_row_tokens(row) == psim_gemm_row_tokens(key);
}

static bool
is_neighbour(const PsimGemmRow *row, const PsimGemmRow *key)
{
    if (row == NULL)
        return false;
    const double ratio = psim_gemm_row_tokens(row) / psim_gemm_row_tokens(key);

    return psim_gemm_rows_are_alike(row, key) && ratio <= FARTHEST_RATIO &&
           ratio >= 1.0 / FARTHEST_RATIO;
}

static double
interpolate_s(const PsimGemmRow *before, const PsimGemmRow *after, const PsimGemmRow *key)
{
    const double from = psim_gemm_row_tokens(before);
    const double share =
        log(psim_gemm_row_tokens(key) / from) / log(psim_gemm_row_tokens(after) / from);

    return before->time_s * exp(share * log(after->time_s / before->time_s));
}

PsimBasis
psim_gemm_table_find(const PsimGemmConstants *constants,
                     PsimPrecision precision,
                     const PsimGemm *gemm,
                     double *ret_time_s)
{
    PsimGemmRow key;

    if (constants->n_rows == 0 || !make_key(precision, gemm, &key))
        return PSIM_BASIS_FORMULA;
    const uint32_t place = find_place(constants, &key);
    const PsimGemmRow *after = place < constants->n_rows ? &constants->rows[place] : NULL;
    const PsimGemmRow *before = place > 0 ? &constants->rows[place - 1] : NULL;
    const PsimGemmRow *same = is_same(after, &key) ? after : is_same(before, &key) ? before : NULL;

    if (same != NULL) {
        *ret_time_s = same->time_s * constants->rows_ratio;
        return PSIM_BASIS_MEASURED;
    }
    if (!is_neighbour(before, &key) || !is_neighbour(after, &key))
        return PSIM_BASIS_FORMULA;
    *ret_time_s = interpolate_s(before, after, &key) * constants->rows_ratio;
    return PSIM_BASIS_INTERPOLATED;
}
