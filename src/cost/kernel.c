/* SPDX-License-Identifier: MIT */
#include "cost/kernel.h"

#include "cost/gemm_table.h"

#include <math.h>

/* Matrix products.
 *
 *     t = t0 + min over tiles (tm, tn) and split-k s of smax(compute, traffic)
 *     compute = W 2 tm tn (k/s + k0) / ((P/S) e)      one tile on one SM, W waves of them
 *     w = b ceil(m/tm) ceil(n/tn) s / S               tiles an SM
 *     W = (1-q) ceil(w) + q max(w, 1)                 q = 0: whole waves only
 *     e = eff / (1 + c (1/tm + 1/tn - 1/256 - 1/128)) smaller tiles reuse less
 *     traffic = (bytes of A, B and C, and 8 m n s for partial sums) / (BW bw_frac)
 *     smax(a, b) = (a^8 + b^8)^(1/8)
 */

/* Rows that are no multiple of this many bytes cannot be loaded as full vectors. */
#define ALIGNMENT_BYTES 16.0
/* Nor, below this, as words. */
#define WORD_BYTES 4.0
/* A split of k below this is not worth its partial sums. */
#define MIN_SPLIT_K 256.0
/* Launch and prologue of a fused attention kernel. */
#define ATTENTION_LAUNCH_S 5e-6
/* Backward of attention: five matrix products instead of two. */
#define ATTENTION_BACKWARD_RATIO 2.5

static const struct {
    double m, n;
} tiles[] = {{128, 256}, {256, 128}, {128, 128}, {64, 128}, {128, 64}, {64, 64}};

static const double splits[] = {1, 2, 4, 8};

/* By square roots, which round alike everywhere, unlike pow(). */
static double
take_smooth_max(double a, double b)
{
    const double top = MAX(a, b);
    const double ratio = top > 0.0 ? MIN(a, b) / top : 0.0;
    const double ratio_2 = ratio * ratio;
    const double ratio_4 = ratio_2 * ratio_2;

    return top * sqrt(sqrt(sqrt(1.0 + ratio_4 * ratio_4)));
}

static double
find_peak(const PsimDevice *device, PsimPrecision precision)
{
    /* A kernel in a format the device lacks runs in the next one down. */
    for (int i = (int)precision; i > 0; i--) {
        if (device->peak_flop_per_s[i] > 0.0) {
            return device->peak_flop_per_s[i];
        }
    }
    return device->peak_flop_per_s[PSIM_PRECISION_FP32];
}

double
psim_kernel_gemm_rate(const PsimDevice *device, PsimPrecision precision)
{
    const PsimGemmConstants *constants = &device->gemm;
    const bool fp8 = precision == PSIM_PRECISION_FP8 && constants->efficiency_fp8 > 0.0;

    return find_peak(device, precision) * (fp8 ? constants->efficiency_fp8 : constants->efficiency);
}

static double
find_traffic_s(const PsimDevice *device, const PsimGemm *gemm, double split)
{
    const double in = gemm->element_bytes * (gemm->m * gemm->k + gemm->k * gemm->n);
    const double out = gemm->output_bytes * gemm->m * gemm->n;
    const double partial = split > 1.0 ? 8.0 * gemm->m * gemm->n * split : 0.0;

    return (gemm->batch * (in + out) + partial) /
           (device->memory_bytes_per_s * device->gemm.bandwidth_fraction);
}

/* With tiles of @tm x @tn, in the best number of parts of k. */
static double
find_tile_s(const PsimDevice *device, double rate, const PsimGemm *gemm, double tm, double tn)
{
    const PsimGemmConstants *constants = &device->gemm;
    const double n_sms = (double)device->n_sms;
    const double q = constants->wave_soft;
    const double reuse =
        1.0 + constants->tile_c * (1.0 / tm + 1.0 / tn - 1.0 / 256.0 - 1.0 / 128.0);
    const double n_tiles = gemm->batch * ceil(gemm->m / tm) * ceil(gemm->n / tn);
    double best = HUGE_VAL;

    for (size_t i = 0; i < G_N_ELEMENTS(splits); i++) {
        const double split = splits[i];
        if (split > 1.0 && gemm->k / split < MIN_SPLIT_K) {
            break;
        }
        const double w = n_tiles * split / n_sms;
        const double waves = (1.0 - q) * ceil(w) + q * MAX(w, 1.0);
        const double tile_flop = 2.0 * tm * tn * (gemm->k / split + constants->k0);
        const double compute = waves * tile_flop / (rate / n_sms / reuse);
        best = MIN(best, take_smooth_max(compute, find_traffic_s(device, gemm, split)));
    }
    return best;
}

static double
find_tiled_s(const PsimDevice *device, double rate, const PsimGemm *gemm)
{
    double best = HUGE_VAL;

    for (size_t i = 0; i < G_N_ELEMENTS(tiles); i++) {
        const double time_s = find_tile_s(device, rate, gemm, tiles[i].m, tiles[i].n);
        best = MIN(best, time_s);
    }
    return best;
}

/* For machines without tiles: each dimension saturates by itself. */
static double
find_smooth_s(const PsimDevice *device, double rate, const PsimGemm *gemm)
{
    const PsimGemmConstants *constants = &device->gemm;
    const double m = gemm->m + constants->m0;
    const double n = gemm->n + constants->n0;
    const double k = gemm->k + constants->k0;

    return take_smooth_max(2.0 * gemm->batch * m * n * k / rate,
                           find_traffic_s(device, gemm, /* split= */ 1.0));
}

static bool
is_aligned(const PsimGemm *gemm, double bytes)
{
    return fmod(gemm->n * gemm->element_bytes, bytes) == 0.0 &&
           fmod(gemm->k * gemm->element_bytes, bytes) == 0.0;
}

/* What the widths of a product cost. */
static double
find_alignment_ratio(const PsimGemmConstants *constants, const PsimGemm *gemm)
{
    if (is_aligned(gemm, ALIGNMENT_BYTES))
        return 1.0;
    return MAX(is_aligned(gemm, WORD_BYTES) ? constants->misaligned : constants->odd, 1.0);
}

/* Batched products of such widths have no kernel for the matrix units. */
static bool
is_without_matrix_units(const PsimDevice *device, const PsimGemm *gemm)
{
    return device->gemm.batched_misaligned > 0.0 && gemm->batch > 1.0 &&
           !is_aligned(gemm, ALIGNMENT_BYTES);
}

static double
find_plain_s(const PsimDevice *device, const PsimGemm *gemm)
{
    const double flop = 2.0 * gemm->batch * gemm->m * gemm->n * gemm->k;
    const double rate =
        device->peak_flop_per_s[PSIM_PRECISION_FP32] * device->gemm.batched_misaligned;

    return take_smooth_max(flop / rate, find_traffic_s(device, gemm, /* split= */ 1.0));
}

static double
find_formula_s(const PsimDevice *device, PsimPrecision precision, const PsimGemm *gemm)
{
    const double rate = psim_kernel_gemm_rate(device, precision);

    if (!device->gemm.tiled || device->n_sms == 0) {
        return device->gemm.launch_s + find_smooth_s(device, rate, gemm);
    }
    if (is_without_matrix_units(device, gemm))
        return device->gemm.launch_s + find_plain_s(device, gemm);
    return device->gemm.launch_s +
           find_alignment_ratio(&device->gemm, gemm) * find_tiled_s(device, rate, gemm);
}

double
psim_kernel_gemm_s(const PsimDevice *device, PsimPrecision precision, const PsimGemm *gemm)
{
    double time_s = 0.0;

    if (psim_gemm_table_find(&device->gemm, precision, gemm, &time_s) != PSIM_BASIS_FORMULA)
        return time_s;
    return find_formula_s(device, precision, gemm);
}

PsimBasis
psim_kernel_gemm_basis(const PsimDevice *device, PsimPrecision precision, const PsimGemm *gemm)
{
    double time_s = 0.0;

    return psim_gemm_table_find(&device->gemm, precision, gemm, &time_s);
}

double
psim_kernel_attention_flop(const PsimAttention *attention)
{
    const double full = 4.0 * attention->batch * attention->n_heads * attention->queries *
                        attention->keys * attention->head_dim;

    return attention->causal ? full / 2.0 : full;
}

/* How badly a row fits: a wrong mask weighs more than any head size, a row for any head size loses
 * to an exact one only. The first of equals wins, so a device lists its preferred kernel first. */
static double
find_misfit(const PsimAttentionConstants *row, const PsimAttention *attention)
{
    const double size =
        row->head_dim == 0 ? 0.5 : fabs((double)row->head_dim - attention->head_dim);

    const bool other = attention->kernel && g_strcmp0(attention->kernel, row->kernel) != 0;

    /* The mask counts most, then the kernel, then the size of a head. */
    return size + (other ? 1e6 : 0.0) + (row->causal == attention->causal ? 0.0 : 1e9);
}

static const PsimAttentionConstants *
find_attention_row(const PsimDevice *device, const PsimAttention *attention)
{
    const PsimAttentionConstants *best = NULL;

    for (uint32_t i = 0; i < device->n_attention; i++) {
        const PsimAttentionConstants *row = &device->attention[i];
        if (!best || find_misfit(row, attention) < find_misfit(best, attention)) {
            best = row;
        }
    }
    return best;
}

double
psim_kernel_attention_s(const PsimDevice *device,
                        PsimPrecision precision,
                        const PsimAttention *attention,
                        bool backward)
{
    const PsimAttentionConstants *row = find_attention_row(device, attention);
    if (!row) {
        return -1.0;
    }
    const double s = attention->keys;
    const PsimAttentionPass *pass = backward ? &row->backward : &row->forward;
    const double n_blocks =
        attention->batch * attention->n_heads * ceil(attention->queries / pass->tile);
    const double w = n_blocks / MAX((double)device->n_sms, 1.0);
    const double filled = w / sqrt(w * w + pass->occupancy * pass->occupancy);
    const double flop =
        psim_kernel_attention_flop(attention) * (backward ? ATTENTION_BACKWARD_RATIO : 1.0);

    return ATTENTION_LAUNCH_S +
           flop / (find_peak(device, precision) * pass->efficiency * (s / (s + pass->s0)) * filled);
}

double
psim_kernel_contention(const PsimDevice *device)
{
    if (device->n_sms == 0)
        return 0.0;
    return MIN(device->sms_taken_by_collective / device->n_sms, 0.5);
}

double
psim_kernel_memory_s(const PsimDevice *device, double bytes, double fraction)
{
    if (bytes <= 0.0) {
        return 0.0;
    }
    return device->memory_bound.launch_s + bytes / (device->memory_bytes_per_s * fraction);
}
