/* SPDX-License-Identifier: MIT */
/* Memory-bound kernels: t = t0 + bytes / (BW fraction), one t0 for all, a fraction each kernel;
 * then the fractions a device file has, of which some stand for several kernels.
 *
 * A fraction that stands for several is the one under which one block of a transformer takes as
 * long as with each kernel's own: sum of bytes over sum of times.
 */
#include "calibrate/partial_fit.h"

#include <math.h>

typedef struct {
    const PsimTimes *times;
    const PsimConstants *constants;
    size_t place[PSIM_N_KERNEL_KINDS]; /* of a kernel's fraction among the parameters */
} Rows;

/* Bytes of a block for an element of its hidden width, in elements: the MLP is four times as wide,
 * two dropouts with residual and bias, and as plain as these: reordering of queries, keys and
 * values (6 and 6), the residual's gradient (3) and biases (7). */
static const struct {
    PsimFraction fraction;
    double bytes;
} parts[PSIM_N_KERNEL_KINDS] = {
    [PSIM_KERNEL_NORM_FORWARD] = {PSIM_FRACTION_NORM_FORWARD, 1.0},
    [PSIM_KERNEL_NORM_BACKWARD] = {PSIM_FRACTION_NORM_BACKWARD, 1.0},
    [PSIM_KERNEL_SOFTMAX_FORWARD] = {PSIM_FRACTION_SOFTMAX, 2.0},
    [PSIM_KERNEL_SOFTMAX_BACKWARD] = {PSIM_FRACTION_SOFTMAX, 3.0},
    [PSIM_KERNEL_GELU_FORWARD] = {PSIM_FRACTION_ELEMENTWISE, 8.0},
    [PSIM_KERNEL_GELU_BACKWARD] = {PSIM_FRACTION_ELEMENTWISE, 12.0},
    [PSIM_KERNEL_SWIGLU_FORWARD] = {PSIM_FRACTION_ELEMENTWISE, 0.0},
    [PSIM_KERNEL_SWIGLU_BACKWARD] = {PSIM_FRACTION_ELEMENTWISE, 0.0},
    [PSIM_KERNEL_DROPOUT_ADD_FORWARD] = {PSIM_FRACTION_ELEMENTWISE, 17.5},
    [PSIM_KERNEL_DROPOUT_ADD_BACKWARD] = {PSIM_FRACTION_ELEMENTWISE, 19.5},
    [PSIM_KERNEL_ADAM] = {PSIM_FRACTION_OPTIMIZER, 1.0},
};

/* What a simulation counts for the operation, see cost/transformer.c: an element has e bytes, a
 * mask one; the bias gradient of a dropout reads and writes once more. Adam keeps fp32 weights and
 * moments, and writes 16-bit weights beside them. */
double
psim_constants_kernel_bytes(const PsimCase *what)
{
    const double e = (double)psim_number_bytes(what->number);
    const double n = (double)what->kernel.rows * (double)what->kernel.width;

    switch (what->kernel.what) {
    case PSIM_KERNEL_NORM_FORWARD:
    case PSIM_KERNEL_SOFTMAX_FORWARD:
    case PSIM_KERNEL_GELU_FORWARD:
        return 2.0 * e * n;
    case PSIM_KERNEL_SOFTMAX_BACKWARD:
    case PSIM_KERNEL_GELU_BACKWARD:
    case PSIM_KERNEL_SWIGLU_FORWARD:
        return 3.0 * e * n;
    case PSIM_KERNEL_NORM_BACKWARD:
        return 4.0 * e * n;
    case PSIM_KERNEL_SWIGLU_BACKWARD:
        return 5.0 * e * n;
    case PSIM_KERNEL_DROPOUT_ADD_FORWARD:
        return (3.0 * e + 1.0) * n;
    case PSIM_KERNEL_DROPOUT_ADD_BACKWARD:
        return (4.0 * e + 1.0) * n;
    case PSIM_KERNEL_ADAM:
        return (what->number == PSIM_NUMBER_FP32 ? 28.0 : 30.0) * n;
    }
    g_assert_not_reached();
}

/* A PsimFitPredict; the first value is t0. */
static double
predict(const double *values, size_t row, const void *user)
{
    const Rows *rows = user;
    const PsimCase *what = &rows->times->trials[row]->what;
    const double rate =
        rows->constants->memory_bytes_per_s * values[rows->place[what->kernel.what]];

    return values[0] + psim_constants_kernel_bytes(what) / rate;
}

static size_t
list_parameters(Rows *rows, double floor, PsimFitParameter *parameters)
{
    size_t n = 1;

    parameters[0] = (PsimFitParameter){
        .name = "launch_s",
        .scale = PSIM_FIT_POSITIVE,
        .floor = floor,
        .starts = {floor + 1e-6, floor + 1e-7, floor + 4e-6, floor + 1e-5},
    };
    for (size_t i = 0; i < rows->times->n; i++) {
        const PsimKernelKind kind = rows->times->trials[i]->what.kernel.what;

        if (rows->place[kind] > 0)
            continue;
        rows->place[kind] = n;
        parameters[n++] = (PsimFitParameter){.name = psim_kernel_words()[kind],
                                             .scale = PSIM_FIT_POSITIVE,
                                             .starts = {0.8, 0.5, 0.3, 0.1}};
    }
    return n;
}

static void
combine(const Rows *rows, const PsimFitParameter *parameters, PsimConstants *constants)
{
    double bytes[PSIM_N_FRACTIONS] = {0};
    double times[PSIM_N_FRACTIONS] = {0};

    for (size_t kind = 0; kind < PSIM_N_KERNEL_KINDS; kind++) {
        const PsimFraction fraction = parts[kind].fraction;

        if (rows->place[kind] == 0)
            continue;
        bytes[fraction] += parts[kind].bytes;
        times[fraction] += parts[kind].bytes / parameters[rows->place[kind]].value;
    }
    for (size_t i = 0; i < PSIM_N_FRACTIONS; i++) {
        if (times[i] <= 0.0)
            continue;
        constants->fractions[i] = bytes[i] / times[i];
        constants->has_fraction[i] = true;
    }
}

static PsimAccuracy
judge(const PsimRecord *record, const Rows *fitted, const double *values)
{
    g_auto(PsimTimes) held_out =
        psim_times_of(record, PSIM_CASE_KERNEL, PSIM_ROLE_HELD_OUT, NULL, NULL);
    g_autofree double *errors = g_new(double, held_out.n + 1);
    Rows rows = *fitted;
    size_t n = 0;

    rows.times = &held_out;
    for (size_t i = 0; i < held_out.n; i++) {
        if (rows.place[held_out.trials[i]->what.kernel.what] > 0)
            errors[n++] = predict(values, i, &rows) / held_out.seconds[i] - 1.0;
    }
    return psim_accuracy_of(errors, n);
}

void
psim_kernel_fit(const PsimRecord *record, PsimConstants *constants)
{
    g_auto(PsimTimes) times = psim_times_of(record, PSIM_CASE_KERNEL, PSIM_ROLE_FIT, NULL, NULL);
    PsimFitParameter parameters[PSIM_FIT_MAX_PARAMETERS] = {0};
    double values[PSIM_FIT_MAX_PARAMETERS] = {0};
    const double floor = isfinite(constants->launch_floor_s) ? constants->launch_floor_s : 0.0;
    Rows rows = {.times = &times, .constants = constants};

    if (times.n == 0 || constants->memory_bytes_per_s <= 0.0)
        return;
    PsimFit fit = {
        .parameters = parameters,
        .n_parameters = list_parameters(&rows, floor, parameters),
        .measured_s = times.seconds,
        .n_rows = times.n,
        .predict = predict,
        .user = &rows,
    };

    if (!psim_fit_solve(&fit))
        return;
    for (size_t i = 0; i < fit.n_parameters; i++)
        values[i] = parameters[i].value;
    constants->memory_launch_s = values[0];
    combine(&rows, parameters, constants);
    constants->memory_held_out = judge(record, &rows, values);
}
