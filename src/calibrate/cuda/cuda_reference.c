/* SPDX-License-Identifier: MIT */
#include "calibrate/cuda/cuda_reference.h"

#include "calibrate/cuda/cuda_element.h"
#include "calibrate/cuda/cuda_reference_attention.h"

#include <math.h>

/* Sums of fp32 terms, and approximate exponentials and divisions, lose so much of their terms. */
#define FP32_LOSS 4e-6

/* -- Comparing --------------------------------------------------------------------------------- */

/* Keeps the worst error over its bound. */
typedef struct {
    double rounding; /* of the result's type, relative */
    double smallest; /* its smallest number, and never 0 */
    double worst;
} Judge;

static Judge
judge_of(PsimElement element)
{
    return (Judge){
        .rounding = 2.0 * psim_cuda_element_epsilon(element),
        .smallest = element == PSIM_ELEMENT_FP16 ? 0x1p-24 : 1e-37,
    };
}

/* @slack is what the terms may have lost, absolute. */
static void
judge(Judge *self, double got, double want, double slack)
{
    const double bound = self->rounding * fabs(want) + slack + self->smallest;
    const double error = fabs(got - want) / bound;

    if (!isfinite(error))
        self->worst = (double)INFINITY;
    else if (error > self->worst)
        self->worst = error;
}

/* -- Streams ----------------------------------------------------------------------------------- */

static double
check_stream(const PsimCase *what, const double *const *before, const double *const *after)
{
    const uint64_t n = what->stream.bytes / psim_number_bytes(what->number);
    const double factor = (double)PSIM_STREAM_FACTOR;
    Judge judged = judge_of(psim_element_of(what->number));
    double sum = 0.0;
    double size = 0.0;
    double got = 0.0;

    for (uint64_t i = 0; i < n; i++) {
        const double a = before[PSIM_STREAM_A][i];

        sum += a;
        size += fabs(a);
        if (what->stream.what == PSIM_STREAM_COPY)
            judge(&judged, after[PSIM_STREAM_C][i], a, 0.0);
        if (what->stream.what == PSIM_STREAM_SCALE)
            judge(&judged, after[PSIM_STREAM_C][i], factor * a, 0.0);
        if (what->stream.what == PSIM_STREAM_TRIAD)
            judge(&judged, after[PSIM_STREAM_C][i], a + factor * before[PSIM_STREAM_B][i],
                  FP32_LOSS * fabs(a));
    }
    if (what->stream.what != PSIM_STREAM_SUM)
        return judged.worst;
    for (uint64_t i = 0; i < psim_stream_sum_blocks(what->stream.bytes); i++)
        got += after[PSIM_STREAM_SUMS][i];
    judged = judge_of(PSIM_ELEMENT_FP32);
    judge(&judged, got, sum, FP32_LOSS * size);
    return judged.worst;
}

/* -- Matrix products --------------------------------------------------------------------------- */

/* What a product of two operands may lose before it is added: tensor cores keep the operands of
 * tf32 to 11 bits, and add up fp8 products in fewer bits than fp32 has. Source of the latter:
 * DeepSeek-V3 (2024), section 3.3.2, 14 bits on Hopper. */
static double
product_loss(PsimNumber number)
{
    static const double losses[PSIM_N_NUMBERS] = {
        [PSIM_NUMBER_FP32] = FP32_LOSS, [PSIM_NUMBER_TF32] = 0x1p-10,
        [PSIM_NUMBER_FP16] = FP32_LOSS, [PSIM_NUMBER_BF16] = FP32_LOSS,
        [PSIM_NUMBER_FP8] = 0x1p-11,
    };

    return losses[number];
}

static double
check_gemm(const PsimCase *what, const double *const *before, const double *const *after)
{
    const uint64_t m = what->gemm.m;
    const uint64_t n = what->gemm.n;
    const uint64_t k = what->gemm.k;
    const PsimLayout layout = what->gemm.layout;
    /* Steps from one of k to the next, and from one row or column to the next. */
    const uint64_t a_k = layout == PSIM_LAYOUT_NT ? m : 1;
    const uint64_t a_row = layout == PSIM_LAYOUT_NT ? 1 : k;
    const uint64_t b_k = layout == PSIM_LAYOUT_TN ? 1 : n;
    const uint64_t b_column = layout == PSIM_LAYOUT_TN ? k : 1;
    PsimArrayList list;

    psim_cuda_case_arrays(what, &list);

    Judge judged = judge_of(list.array[PSIM_GEMM_C].element);

    for (uint64_t i = 0; i < m * n; i++) {
        const double *const a = before[PSIM_GEMM_A] + i / n * a_row;
        const double *const b = before[PSIM_GEMM_B] + i % n * b_column;
        double sum = what->gemm.accumulate_fp32 ? before[PSIM_GEMM_C][i] : 0.0;
        double size = fabs(sum);

        for (uint64_t l = 0; l < k; l++) {
            const double product = a[l * a_k] * b[l * b_k];

            sum += product;
            size += fabs(product);
        }
        judge(&judged, after[PSIM_GEMM_C][i], sum, product_loss(what->number) * size);
    }
    return judged.worst;
}

/* -- Rows -------------------------------------------------------------------------------------- */

/* The shape of a kernel's tensors, and how exact its results are. */
typedef struct {
    uint64_t rows, width;
    Judge wide;   /* results in fp32 */
    Judge narrow; /* results in the case's type */
} Rows;

static Rows
rows_of(const PsimCase *what)
{
    return (Rows){
        .rows = what->kernel.rows,
        .width = what->kernel.width,
        .wide = judge_of(PSIM_ELEMENT_FP32),
        .narrow = judge_of(psim_element_of(what->number)),
    };
}

static double
worst_of(const Rows *rows)
{
    return fmax(rows->wide.worst, rows->narrow.worst);
}

static double
check_norm(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t r = 0; r < rows.rows; r++) {
        const double *const x = before[PSIM_NORM_X] + r * rows.width;
        double mean = 0.0;
        double square = 0.0;

        for (uint64_t c = 0; c < rows.width; c++)
            mean += x[c] / (double)rows.width;
        for (uint64_t c = 0; c < rows.width; c++)
            square += (x[c] - mean) * (x[c] - mean) / (double)rows.width;

        const double rstd = 1.0 / sqrt(square + (double)PSIM_NORM_EPSILON);

        /* The variance is a difference of two sums around the first element. */
        const double lost = FP32_LOSS * (1.0 + (x[0] - mean) * (x[0] - mean) * rstd * rstd);

        judge(&rows.wide, after[PSIM_NORM_MEAN][r], mean, FP32_LOSS * (fabs(x[0]) + sqrt(square)));
        judge(&rows.wide, after[PSIM_NORM_RSTD][r], rstd, lost * rstd);
        for (uint64_t c = 0; c < rows.width; c++) {
            const double normal = (x[c] - mean) * rstd * before[PSIM_NORM_GAMMA][c];
            const double size = fabs(normal) + (1.0 + fabs(x[0])) * rstd;

            judge(&rows.narrow, after[PSIM_NORM_Y][r * rows.width + c],
                  normal + before[PSIM_NORM_BETA][c], (FP32_LOSS + lost) * size);
        }
    }
    return worst_of(&rows);
}

/* The two sums over a row that its input gradient needs. */
static void
sum_norm_row(const double *const *before, uint64_t r, uint64_t width, double *ret_a, double *ret_b)
{
    const double *const x = before[PSIM_NORM_BACK_X] + r * width;
    const double *const dy = before[PSIM_NORM_BACK_DY] + r * width;

    *ret_a = 0.0;
    *ret_b = 0.0;
    for (uint64_t c = 0; c < width; c++) {
        const double weighted = dy[c] * before[PSIM_NORM_BACK_GAMMA][c];
        const double normal =
            (x[c] - before[PSIM_NORM_BACK_MEAN][r]) * before[PSIM_NORM_BACK_RSTD][r];

        *ret_a += weighted / (double)width;
        *ret_b += weighted * normal / (double)width;
    }
}

/* (width) sums of the weight gradient, and the sizes of what they are sums of. */
typedef struct {
    double *dgamma, *dbeta, *size;
} NormSums;

static void
check_norm_back_row(
    Rows *rows, uint64_t r, const double *const *before, const double *const *after, NormSums *sums)
{
    const double rstd = before[PSIM_NORM_BACK_RSTD][r];
    double a = 0.0;
    double b = 0.0;

    sum_norm_row(before, r, rows->width, &a, &b);
    for (uint64_t c = 0; c < rows->width; c++) {
        const uint64_t i = r * rows->width + c;
        const double dy = before[PSIM_NORM_BACK_DY][i];
        const double normal = (before[PSIM_NORM_BACK_X][i] - before[PSIM_NORM_BACK_MEAN][r]) * rstd;
        const double own = dy * before[PSIM_NORM_BACK_GAMMA][c];

        sums->dgamma[c] += dy * normal;
        sums->dbeta[c] += dy;
        sums->size[c] += fabs(dy) * (1.0 + fabs(normal));
        /* Terms of the sums are about 1 each; so is what the sums may lose. */
        judge(&rows->narrow, after[PSIM_NORM_BACK_DX][i], rstd * (own - a - normal * b),
              FP32_LOSS * rstd * (fabs(own) + (1.0 + fabs(normal)) * (1.0 + rstd)));
    }
}

static double
check_norm_back(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);
    g_autofree double *all = g_new0(double, 3 * rows.width);
    NormSums sums = {all, all + rows.width, all + 2 * rows.width};

    for (uint64_t r = 0; r < rows.rows; r++)
        check_norm_back_row(&rows, r, before, after, &sums);
    for (uint64_t c = 0; c < rows.width; c++) {
        judge(&rows.wide, after[PSIM_NORM_BACK_DGAMMA][c], sums.dgamma[c],
              FP32_LOSS * sums.size[c]);
        judge(&rows.wide, after[PSIM_NORM_BACK_DBETA][c], sums.dbeta[c], FP32_LOSS * sums.size[c]);
    }
    return worst_of(&rows);
}

static double
check_softmax(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t r = 0; r < rows.rows; r++) {
        const double *const x = before[PSIM_MAP_X] + r * rows.width;
        double highest = x[0];
        double sum = 0.0;

        for (uint64_t c = 1; c < rows.width; c++)
            highest = fmax(highest, x[c]);
        for (uint64_t c = 0; c < rows.width; c++)
            sum += exp(x[c] - highest);
        for (uint64_t c = 0; c < rows.width; c++) {
            const double want = exp(x[c] - highest) / sum;

            judge(&rows.narrow, after[PSIM_MAP_Y][r * rows.width + c], want,
                  4.0 * FP32_LOSS * want);
        }
    }
    return worst_of(&rows);
}

static double
check_softmax_back(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t r = 0; r < rows.rows; r++) {
        const double *const y = before[PSIM_MAP_BACK_X] + r * rows.width;
        const double *const dy = before[PSIM_MAP_BACK_DY] + r * rows.width;
        double dot = 0.0;
        double size = 0.0;

        for (uint64_t c = 0; c < rows.width; c++) {
            dot += y[c] * dy[c];
            size += fabs(y[c] * dy[c]);
        }
        for (uint64_t c = 0; c < rows.width; c++)
            judge(&rows.narrow, after[PSIM_MAP_BACK_DX][r * rows.width + c], y[c] * (dy[c] - dot),
                  FP32_LOSS * y[c] * (fabs(dy[c]) + size));
    }
    return worst_of(&rows);
}

static double
check_swiglu(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t i = 0; i < rows.rows * rows.width; i++) {
        const double *const x =
            before[PSIM_MAP_X] + i / rows.width * 2 * rows.width + i % rows.width;
        const double want = x[0] / (1.0 + exp(-x[0])) * x[rows.width];

        judge(&rows.narrow, after[PSIM_MAP_Y][i], want, FP32_LOSS * fabs(want));
    }
    return worst_of(&rows);
}

static double
check_swiglu_back(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t i = 0; i < rows.rows * rows.width; i++) {
        const uint64_t at = i / rows.width * 2 * rows.width + i % rows.width;
        const double gate = before[PSIM_MAP_BACK_X][at];
        const double other = before[PSIM_MAP_BACK_X][at + rows.width];
        const double dy = before[PSIM_MAP_BACK_DY][i];
        const double s = 1.0 / (1.0 + exp(-gate));
        const double slack = FP32_LOSS * (1.0 + fabs(gate)) * fabs(dy);

        judge(&rows.narrow, after[PSIM_MAP_BACK_DX][at], dy * other * s * (1.0 + gate * (1.0 - s)),
              slack * (1.0 + fabs(other)));
        judge(&rows.narrow, after[PSIM_MAP_BACK_DX][at + rows.width], dy * gate * s, slack);
    }
    return worst_of(&rows);
}

/* -- Elements ---------------------------------------------------------------------------------- */

/* 0.7978845608 is the root of 2/pi. */
static double
gelu_inner(double x)
{
    return tanh(0.7978845608 * (x + 0.044715 * x * x * x));
}

static double
check_gelu(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t i = 0; i < rows.rows * rows.width; i++) {
        const double x = before[PSIM_MAP_X][i];

        judge(&rows.narrow, after[PSIM_MAP_Y][i], 0.5 * x * (1.0 + gelu_inner(x)),
              FP32_LOSS * fabs(x));
    }
    return worst_of(&rows);
}

static double
check_gelu_back(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t i = 0; i < rows.rows * rows.width; i++) {
        const double x = before[PSIM_MAP_BACK_X][i];
        const double dy = before[PSIM_MAP_BACK_DY][i];
        const double t = gelu_inner(x);
        const double inner = 0.7978845608 * (1.0 + 3.0 * 0.044715 * x * x);
        const double slope = 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * inner;

        judge(&rows.narrow, after[PSIM_MAP_BACK_DX][i], dy * slope,
              2.0 * FP32_LOSS * fabs(dy) * (1.0 + fabs(x) * inner));
    }
    return worst_of(&rows);
}

/* Which elements were kept is the kernel's choice; that it keeps about as many as it should, that
 * the results follow from its mask, and that the mask holds 0 and 1 only, is checked. */
static double
check_dropout(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);
    const uint64_t n = rows.rows * rows.width;
    const double keep = (double)PSIM_DROPOUT_KEEP;
    double n_kept = 0.0;

    for (uint64_t i = 0; i < n; i++) {
        const double value =
            (before[PSIM_DROP_X][i] + before[PSIM_DROP_BIAS][i % rows.width]) / keep;
        const double mask = after[PSIM_DROP_MASK][i];
        const double residual = before[PSIM_DROP_RESIDUAL][i];

        if (mask != 0.0 && mask != 1.0)
            return (double)INFINITY;
        n_kept += mask;
        judge(&rows.narrow, after[PSIM_DROP_Y][i], residual + mask * value,
              FP32_LOSS * (fabs(residual) + fabs(value)));
    }

    /* Six standard deviations of a binomial. */
    const double deviation = 6.0 * sqrt(keep * (1.0 - keep) * (double)n) + 1.0;

    return fmax(worst_of(&rows), fabs(n_kept - keep * (double)n) / deviation);
}

static double
check_dropout_back(const PsimCase *what, const double *const *before, const double *const *after)
{
    Rows rows = rows_of(what);

    for (uint64_t i = 0; i < rows.rows * rows.width; i++)
        judge(&rows.narrow, after[PSIM_DROP_BACK_DX][i],
              before[PSIM_DROP_BACK_MASK][i] * before[PSIM_DROP_BACK_DY][i] /
                  (double)PSIM_DROPOUT_KEEP,
              0.0);
    return worst_of(&rows);
}

static double
check_adam(const PsimCase *what, const double *const *before, const double *const *after)
{
    Judge wide = judge_of(PSIM_ELEMENT_FP32);
    Judge weight = judge_of(PSIM_ELEMENT_BF16);
    const double beta1 = (double)PSIM_ADAM_BETA1;
    const double beta2 = (double)PSIM_ADAM_BETA2;

    for (uint64_t i = 0; i < what->kernel.rows * what->kernel.width; i++) {
        const double g = before[PSIM_ADAM_GRADIENT][i];
        const double p = before[PSIM_ADAM_MASTER][i];
        const double m = beta1 * before[PSIM_ADAM_M][i] + (1.0 - beta1) * g;
        const double v = beta2 * before[PSIM_ADAM_V][i] + (1.0 - beta2) * g * g;
        const double mean = m / (double)PSIM_ADAM_CORRECTION1;
        const double root = sqrt(v / (double)PSIM_ADAM_CORRECTION2);
        const double step = mean / (root + (double)PSIM_ADAM_EPSILON) + (double)PSIM_ADAM_DECAY * p;
        const double want = p - (double)PSIM_ADAM_RATE * step;
        /* The two terms of m may cancel. */
        const double m_slack = FP32_LOSS * (fabs(before[PSIM_ADAM_M][i]) + fabs(g));
        const double slack = FP32_LOSS * fabs(p) + (double)PSIM_ADAM_RATE * m_slack * 2.0 /
                                                       (root + (double)PSIM_ADAM_EPSILON);

        judge(&wide, after[PSIM_ADAM_M][i], m, m_slack);
        judge(&wide, after[PSIM_ADAM_V][i], v, FP32_LOSS * v);
        judge(&wide, after[PSIM_ADAM_MASTER][i], want, slack);
        judge(&weight, after[PSIM_ADAM_WEIGHT][i], want, slack);
    }
    return fmax(wide.worst, weight.worst);
}

typedef double (*CheckFunc)(const PsimCase *, const double *const *, const double *const *);

static double
check_kernel(const PsimCase *what, const double *const *before, const double *const *after)
{
    static const CheckFunc checks[PSIM_N_KERNEL_KINDS] = {
        [PSIM_KERNEL_NORM_FORWARD] = check_norm,
        [PSIM_KERNEL_NORM_BACKWARD] = check_norm_back,
        [PSIM_KERNEL_SOFTMAX_FORWARD] = check_softmax,
        [PSIM_KERNEL_SOFTMAX_BACKWARD] = check_softmax_back,
        [PSIM_KERNEL_GELU_FORWARD] = check_gelu,
        [PSIM_KERNEL_GELU_BACKWARD] = check_gelu_back,
        [PSIM_KERNEL_SWIGLU_FORWARD] = check_swiglu,
        [PSIM_KERNEL_SWIGLU_BACKWARD] = check_swiglu_back,
        [PSIM_KERNEL_DROPOUT_ADD_FORWARD] = check_dropout,
        [PSIM_KERNEL_DROPOUT_ADD_BACKWARD] = check_dropout_back,
        [PSIM_KERNEL_ADAM] = check_adam,
    };

    return checks[what->kernel.what](what, before, after);
}

double
psim_cuda_reference_error(const PsimCase *what,
                          const double *const *before,
                          const double *const *after)
{
    switch (what->kind) {
    case PSIM_CASE_STREAM:
        return check_stream(what, before, after);
    case PSIM_CASE_GEMM:
        return check_gemm(what, before, after);
    case PSIM_CASE_KERNEL:
        return check_kernel(what, before, after);
    case PSIM_CASE_ATTENTION:
        return psim_cuda_reference_attention_error(what, before, after);
    case PSIM_CASE_LAUNCH:
    case PSIM_CASE_MEMCPY:
    case PSIM_CASE_COLLECTIVE:
        break;
    }
    return (double)INFINITY;
}
