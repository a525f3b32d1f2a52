/* SPDX-License-Identifier: MIT */
/* What the arrays are, in order:
 *
 *     stream         a, b, c
 *     gemm           A, B, C
 *     norm           x, gain, shift, y              backward: x, gain, dy, dx, dgain, dshift
 *     softmax        x, y                           backward: y, dy, dx
 *     gelu           x, y                           backward: x, dy, dx
 *     swiglu         x (twice as wide), y           backward: x (twice), dy, dx (twice)
 *     dropout+add    x, bias, residual, y           backward: dy, dbias, -, dx
 *     adam           weight, mean, square, gradient
 */
#include "calibrate/cpu/operands.h"

#include "calibrate/cpu/blas.h"
#include "calibrate/cpu/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEEP          0.9f
#define LEARNING_RATE 1e-3f
#define MAX_ELEMENTS  (UINT64_C(1) << 31)

/* -- Random numbers -- */

#define N_NORMALS 65536u

static uint64_t
mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A supply of normal numbers by Box and Muller; drawing each anew would take longer than the case.
 */
static const float *
get_normals(void)
{
    static float normals[N_NORMALS];
    static bool is_full;
    uint64_t state = 1;

    for (unsigned i = 0; i < N_NORMALS && !is_full; i++) {
        const double u = ((double)(mix(&state) >> 11) + 1.0) / 9007199254740993.0;
        const double angle = (double)(mix(&state) >> 11) / 9007199254740992.0 * 2.0 * G_PI;

        normals[i] = (float)(sqrt(-2.0 * log(u)) * cos(angle));
    }
    is_full = true;
    return normals;
}

static void
fill_random(float *array, size_t n, uint64_t seed)
{
    const float *normals = get_normals();
    const size_t run = 64;

    for (size_t i = 0; i < n; i += run) {
        const size_t n_now = MIN(run, n - i);

        memcpy(array + i, normals + mix(&seed) % (N_NORMALS - run), n_now * sizeof *array);
    }
}

/* -- Sizes -- */

typedef struct {
    uint64_t n[PSIM_CPU_MAX_ARRAYS];
    bool masked;
} Sizes;

static Sizes
find_kernel_sizes(const PsimCase *what)
{
    const uint64_t w = what->kernel.width;
    const uint64_t h = what->kernel.rows * w;

    switch (what->kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
        return (Sizes){.n = {h, w, w, h}};
    case PSIM_KERNEL_NORM_BACKWARD:
        return (Sizes){.n = {h, w, h, h, w, w}};
    case PSIM_KERNEL_SOFTMAX_FORWARD:
    case PSIM_KERNEL_GELU_FORWARD:
        return (Sizes){.n = {h, h}};
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
    case PSIM_KERNEL_GELU_BACKWARD:
        return (Sizes){.n = {h, h, h}};
    case PSIM_KERNEL_SWIGLU_FORWARD:
        return (Sizes){.n = {2 * h, h}};
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        return (Sizes){.n = {2 * h, h, 2 * h}};
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
        return (Sizes){.n = {h, w, h, h}, .masked = true};
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        return (Sizes){.n = {h, w, 0, h}, .masked = true};
    case PSIM_KERNEL_ADAM:
        return (Sizes){.n = {h, h, h, h}};
    }
    g_assert_not_reached();
}

static bool
find_sizes(const PsimCase *what, Sizes *ret_sizes)
{
    const uint64_t n = what->kind == PSIM_CASE_STREAM ? what->stream.bytes / sizeof(float) : 0;

    switch (what->kind) {
    case PSIM_CASE_LAUNCH:
        *ret_sizes = (Sizes){.n = {1}};
        return true;
    case PSIM_CASE_STREAM:
        *ret_sizes = (Sizes){.n = {n, n, n}};
        return true;
    case PSIM_CASE_GEMM:
        *ret_sizes = (Sizes){.n = {what->gemm.m * what->gemm.k, what->gemm.k * what->gemm.n,
                                   what->gemm.m * what->gemm.n}};
        return true;
    case PSIM_CASE_KERNEL:
        *ret_sizes = find_kernel_sizes(what);
        return true;
    case PSIM_CASE_ATTENTION:
    case PSIM_CASE_MEMCPY:
    case PSIM_CASE_COLLECTIVE:
        return false;
    }
    g_assert_not_reached();
}

/* -- Arrays -- */

/* Second moments are of squares, so they are not negative. */
static void
make_squares(PsimCpuOperands *self)
{
    if (self->what.kind != PSIM_CASE_KERNEL || self->what.kernel.what != PSIM_KERNEL_ADAM)
        return;
    for (size_t i = 0; i < self->n[2]; i++)
        self->arrays[2][i] *= self->arrays[2][i];
}

static void
fill_mask(PsimCpuOperands *self, uint64_t seed)
{
    self->mask = g_malloc(MAX(self->n[0], 1));
    for (size_t i = 0; i < self->n[0]; i++)
        self->mask[i] = (mix(&seed) & 1023u) < (uint64_t)(KEEP * 1024.0f);
}

PsimVerdict
psim_cpu_operands_fill(PsimCpuOperands *self,
                       const PsimCase *what,
                       uint64_t max_bytes,
                       uint64_t seed)
{
    Sizes sizes = {.masked = false};
    uint64_t n_all = 0;

    *self = (PsimCpuOperands){.what = *what};
    if (what->number != PSIM_NUMBER_FP32 || what->graphed || !find_sizes(what, &sizes))
        return PSIM_VERDICT_UNSUPPORTED;
    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++) {
        if (sizes.n[i] > MAX_ELEMENTS)
            return PSIM_VERDICT_TOO_LARGE;
        n_all += sizes.n[i];
    }
    if (n_all * sizeof(float) + (sizes.masked ? sizes.n[0] : 0) > max_bytes)
        return PSIM_VERDICT_TOO_LARGE;
    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++) {
        void *array = NULL;

        self->n[i] = sizes.n[i];
        if (sizes.n[i] == 0)
            continue;
        if (posix_memalign(&array, 64, sizes.n[i] * sizeof(float)) != 0)
            return PSIM_VERDICT_TOO_LARGE;
        self->arrays[i] = array;
        fill_random(self->arrays[i], self->n[i], seed + i);
    }
    make_squares(self);
    if (sizes.masked)
        fill_mask(self, seed);
    return PSIM_VERDICT_RIGHT;
}

void
psim_cpu_operands_clear(PsimCpuOperands *self)
{
    for (size_t i = 0; i < PSIM_CPU_MAX_ARRAYS; i++) {
        free(self->arrays[i]);
        self->arrays[i] = NULL;
    }
    g_clear_pointer(&self->mask, g_free);
}

/* -- Running -- */

/* A call that nothing can be optimised out of: what a kernel costs that does nothing. */
static void
do_nothing(const float *where)
{
    __asm__ volatile("" : : "r"(where) : "memory");
}

static void
run_launches(PsimCpuOperands *self)
{
    void (*volatile call)(const float *) = do_nothing;

    for (uint64_t i = 0; i < self->what.launch.n_launches; i++)
        call(self->arrays[0]);
}

static void
run_stream(PsimCpuOperands *self)
{
    const float *restrict a = self->arrays[0];
    float *restrict b = self->arrays[1];
    float *restrict c = self->arrays[2];
    const size_t n = self->n[0];
    float sums[16] = {0};

    switch (self->what.stream.what) {
    case PSIM_STREAM_COPY:
        memcpy(b, a, n * sizeof *a);
        return;
    case PSIM_STREAM_SCALE:
        for (size_t i = 0; i < n; i++)
            b[i] = 1.5f * a[i];
        return;
    case PSIM_STREAM_TRIAD:
        for (size_t i = 0; i < n; i++)
            c[i] = a[i] + 1.5f * b[i];
        return;
    case PSIM_STREAM_SUM:
        for (size_t i = 0; i + 16 <= n; i += 16)
            for (size_t lane = 0; lane < 16; lane++)
                sums[lane] += a[i + lane];
        for (size_t lane = 0; lane < 16; lane++)
            self->sum += sums[lane];
        return;
    }
}

static void
run_gemm(PsimCpuOperands *self)
{
    const PsimLayout layout = self->what.gemm.layout;

    psim_blas_sgemm(&(PsimBlasProduct){
        .m = (int)self->what.gemm.m,
        .n = (int)self->what.gemm.n,
        .k = (int)self->what.gemm.k,
        .transpose_a = layout == PSIM_LAYOUT_NT,
        .transpose_b = layout == PSIM_LAYOUT_TN,
        .a = self->arrays[0],
        .b = self->arrays[1],
        .c = self->arrays[2],
        .beta = self->what.gemm.accumulate_fp32 ? 1.0f : 0.0f,
    });
}

static void
run_norm(PsimCpuOperands *self, size_t rows, size_t width)
{
    float *const *a = self->arrays;

    if (self->what.kernel.what == PSIM_KERNEL_NORM_FORWARD) {
        psim_cpu_norm_forward(a[0], a[1], a[2], a[3], rows, width);
        return;
    }
    const PsimCpuNormBackward backward = {
        .x = a[0], .gain = a[1], .dy = a[2], .dx = a[3], .dgain = a[4], .dshift = a[5]};

    psim_cpu_norm_backward(&backward, rows, width);
}

static void
run_dropout_add(PsimCpuOperands *self, size_t rows, size_t width)
{
    float *const *a = self->arrays;
    const PsimCpuDropoutAdd operands = {
        .x = a[0],
        .bias = a[1],
        .residual = a[2],
        .mask = self->mask,
        .keep = KEEP,
        .y = a[3],
    };

    if (self->what.kernel.what == PSIM_KERNEL_DROPOUT_ADD_FORWARD)
        psim_cpu_dropout_add_forward(&operands, rows, width);
    else
        psim_cpu_dropout_add_backward(&operands, a[0], a[1], rows, width);
}

static void
run_adam(PsimCpuOperands *self)
{
    const PsimCpuAdam adam = {
        .weight = self->arrays[0],
        .mean = self->arrays[1],
        .square = self->arrays[2],
        .gradient = self->arrays[3],
        .rate = LEARNING_RATE,
        .step = 1,
    };

    psim_cpu_adam(&adam, self->n[0]);
}

static void
run_kernel(PsimCpuOperands *self)
{
    float *const *a = self->arrays;
    const size_t rows = self->what.kernel.rows;
    const size_t width = self->what.kernel.width;

    switch (self->what.kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
    case PSIM_KERNEL_NORM_BACKWARD:
        run_norm(self, rows, width);
        return;
    case PSIM_KERNEL_SOFTMAX_FORWARD:
        psim_cpu_softmax_forward(a[0], a[1], rows, width);
        return;
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
        psim_cpu_softmax_backward(a[0], a[1], a[2], rows, width);
        return;
    case PSIM_KERNEL_GELU_FORWARD:
        psim_cpu_gelu_forward(a[0], a[1], self->n[0]);
        return;
    case PSIM_KERNEL_GELU_BACKWARD:
        psim_cpu_gelu_backward(a[0], a[1], a[2], self->n[0]);
        return;
    case PSIM_KERNEL_SWIGLU_FORWARD:
        psim_cpu_swiglu_forward(a[0], a[1], rows, width);
        return;
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        psim_cpu_swiglu_backward(a[0], a[1], a[2], rows, width);
        return;
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        run_dropout_add(self, rows, width);
        return;
    case PSIM_KERNEL_ADAM:
        run_adam(self);
        return;
    }
}

void
psim_cpu_operands_run(PsimCpuOperands *self)
{
    switch (self->what.kind) {
    case PSIM_CASE_LAUNCH:
        run_launches(self);
        return;
    case PSIM_CASE_STREAM:
        run_stream(self);
        return;
    case PSIM_CASE_GEMM:
        run_gemm(self);
        return;
    case PSIM_CASE_KERNEL:
        run_kernel(self);
        return;
    case PSIM_CASE_ATTENTION:
    case PSIM_CASE_MEMCPY:
    case PSIM_CASE_COLLECTIVE:
        g_assert_not_reached();
    }
}
