/* SPDX-License-Identifier: MIT */
#include "calibrate/warnings.h"

#include <math.h>

/* A held-out error above this is more than shapes alone explain. */
#define MUCH_ERROR 0.15
/* So far from the fit is an outlier. */
#define OUTLIER 0.5
/* So many are more than chance. */
#define MANY_FRACTION 0.1

static void G_GNUC_PRINTF(2, 3) say(GPtrArray *warnings, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_ptr_array_add(warnings, g_strdup_vprintf(format, arguments));
    va_end(arguments);
}

static guint
count_flag(const PsimRecord *record, unsigned flag)
{
    guint n = 0;

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        n += (trial->samples.flags & flag) != 0;
    }
    return n;
}

static guint
count_verdict(const PsimRecord *record, PsimVerdict verdict)
{
    guint n = 0;

    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        n += trial->verdict == verdict;
    }
    return n;
}

static void
warn_of_verdicts(GPtrArray *warnings, const PsimRecord *record)
{
    const guint n_wrong = count_verdict(record, PSIM_VERDICT_WRONG);
    const guint n_failed = count_verdict(record, PSIM_VERDICT_FAILED);
    const guint n_large = count_verdict(record, PSIM_VERDICT_TOO_LARGE);

    if (n_wrong > 0)
        say(warnings,
            "%u cases gave wrong results and were not timed: the machine or a library is broken",
            n_wrong);
    if (n_failed > 0)
        say(warnings, "%u cases failed in the driver or a library and were left out", n_failed);
    if (n_large > 0)
        say(warnings, "%u cases do not fit into the memory there is and were left out", n_large);
}

static void
warn_of_flags(GPtrArray *warnings, const PsimRecord *record)
{
    const guint n_all = record->trials->len;
    const guint n_throttled = count_flag(record, PSIM_FLAG_THROTTLED);
    const guint n_moved = count_flag(record, PSIM_FLAG_CLOCK_MOVED);
    const guint n_scattered = count_flag(record, PSIM_FLAG_SCATTERED);

    if (n_throttled > 0)
        say(warnings,
            "the device slowed itself down in %u of %u cases, which are not fitted: check its "
            "cooling and its power limit",
            n_throttled, n_all);
    if (n_moved > 0)
        say(warnings,
            "the clock moved by more than 5 %% within %u of %u cases: what was measured depends on "
            "when",
            n_moved, n_all);
    if (n_scattered > MANY_FRACTION * n_all)
        say(warnings,
            "samples scatter by more than 3 %% in %u of %u cases: something else uses the machine",
            n_scattered, n_all);
}

static void
warn_of_fit(GPtrArray *warnings, PsimNumber number, const PsimGemmFit *fit)
{
    const char *word = psim_number_words()[number];

    for (size_t i = 0; i < fit->n_parameters; i++) {
        const PsimFitParameter *parameter = &fit->parameters[i];

        if (!parameter->identifiable)
            say(warnings,
                "%s of %s products is not identifiable from these rows: %.3g, with a standard "
                "error of %.2g",
                parameter->name, word, parameter->value, parameter->error);
    }
    if (fit->held_out.n > 0 && fit->held_out.mape > MUCH_ERROR)
        say(warnings,
            "%s products that the fit did not see are predicted %.0f %% off: more than shapes "
            "explain, so measure again when the machine is idle",
            word, 100.0 * fit->held_out.mape);
    if (fit->held_out.n > 0 && fit->held_out.worst > OUTLIER)
        say(warnings, "an outlier among %s products is %.0f %% off", word,
            100.0 * fit->held_out.worst);
}

static bool
has_products(const PsimRecord *record)
{
    for (guint i = 0; i < record->trials->len; i++) {
        const PsimTrial *trial = g_ptr_array_index(record->trials, i);

        if (trial->what.kind == PSIM_CASE_GEMM && trial->verdict == PSIM_VERDICT_RIGHT)
            return true;
    }
    return false;
}

GPtrArray *
psim_warnings_of(const PsimRecord *record, const PsimConstants *constants)
{
    GPtrArray *warnings = g_ptr_array_new_with_free_func(g_free);

    warn_of_verdicts(warnings, record);
    warn_of_flags(warnings, record);
    if (g_str_has_suffix(record->libraries, "(forced)"))
        say(warnings, "the environment forces the core of OpenBLAS (OPENBLAS_CORETYPE); without it "
                      "the library may be faster, and plans predict what was measured");
    for (int number = 0; constants != NULL && number < PSIM_N_NUMBERS; number++) {
        if (constants->has_gemm[number])
            warn_of_fit(warnings, (PsimNumber)number, &constants->gemm[number]);
    }
    if (constants != NULL && has_products(record) && !constants->has_gemm[constants->main])
        say(warnings, "products are not fitted: too few were measured, or no bandwidth is known; "
                      "measure suite bandwidth too, with --resume");
    if (!record->complete)
        say(warnings, "not complete: continue with --resume");
    return warnings;
}
