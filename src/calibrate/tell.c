/* SPDX-License-Identifier: MIT */
#include "calibrate/tell.h"

#include "calibrate/warnings.h"

#include <math.h>

static void
tell_unit(GString *out, const PsimRecord *record)
{
    const guint n_measured = psim_record_n_measured(record);

    g_string_append_printf(out, "%s, %s: %u cases measured, %u left out\n\n", record->name,
                           record->libraries, n_measured, record->trials->len - n_measured);
}

static void
tell_accuracy(GString *out, const char *what, const PsimAccuracy *accuracy)
{
    if (accuracy->n > 0)
        g_string_append_printf(out,
                               "    %-20s %4zu rows, MAPE %5.1f %%, median %5.1f %%, p90 %5.1f %%, "
                               "worst %5.1f %%, bias %+5.1f %%\n",
                               what, accuracy->n, 100.0 * accuracy->mape, 100.0 * accuracy->median,
                               100.0 * accuracy->p90, 100.0 * accuracy->worst,
                               100.0 * accuracy->bias);
}

static void
tell_gemm(GString *out, PsimNumber number, const PsimGemmFit *fit)
{
    g_string_append_printf(out, "  products in %s, %s form, of %.4g GFLOP/s\n",
                           psim_number_words()[number], fit->cost.tiled ? "tile" : "smooth",
                           fit->cost.peak_flop_per_s / 1e9);
    for (size_t i = 0; i < fit->n_parameters; i++)
        g_string_append_printf(out, "    %-12s %10.4g +- %.2g\n", fit->parameters[i].name,
                               fit->parameters[i].value, fit->parameters[i].error);
    tell_accuracy(out, "fitted", &fit->train);
    tell_accuracy(out, "held out", &fit->held_out);
    tell_accuracy(out, "constant efficiency", &fit->constant);
}

static void
tell_memory(GString *out, const PsimConstants *constants)
{
    if (constants->memory_bytes_per_s > 0.0)
        g_string_append_printf(out, "  memory of %.4g GB/s, shares of it\n",
                               constants->memory_bytes_per_s / 1e9);
    for (int i = 0; i < PSIM_N_FRACTIONS; i++) {
        if (constants->has_fraction[i])
            g_string_append_printf(out, "    %-14s %8.3f\n", psim_fraction_words()[i],
                                   constants->fractions[i]);
    }
    tell_accuracy(out, "held out", &constants->memory_held_out);
}

static void
tell_links(GString *out, const PsimConstants *constants)
{
    for (guint i = 0; i < constants->links->len; i++) {
        const PsimLinkFit *fit = &g_array_index(constants->links, PsimLinkFit, i);

        g_string_append_printf(out, "  %s of %u: %.3g us, then %.3g GB/s up to %.3g GB/s\n",
                               psim_exchange_words()[fit->what], fit->n_ranks, fit->a_s * 1e6,
                               fit->low_bytes_per_s / 1e9, fit->high_bytes_per_s / 1e9);
        tell_accuracy(out, "held out", &fit->held_out);
    }
}

static void
tell_attention(GString *out, const PsimConstants *constants)
{
    for (guint i = 0; i < constants->attention->len; i++) {
        const PsimAttentionFit *fit = &g_array_index(constants->attention, PsimAttentionFit, i);

        g_string_append_printf(
            out, "  attention, head size %u, %s: forward %.3f, s0 %.0f; backward %.3f, s0 %.0f\n",
            fit->head_dim, fit->causal ? "causal" : "full", fit->efficiency[0], fit->s0[0],
            fit->efficiency[1], fit->s0[1]);
        tell_accuracy(out, "held out, forward", &fit->held_out[0]);
        tell_accuracy(out, "held out, backward", &fit->held_out[1]);
    }
}

char *
psim_calibration_text(const PsimRecord *record, const PsimConstants *constants)
{
    g_autoptr(GPtrArray) warnings = psim_warnings_of(record, constants);
    GString *out = g_string_new(NULL);

    tell_unit(out, record);
    for (int number = 0; number < PSIM_N_NUMBERS; number++) {
        if (constants->has_gemm[number])
            tell_gemm(out, (PsimNumber)number, &constants->gemm[number]);
    }
    tell_memory(out, constants);
    tell_attention(out, constants);
    tell_links(out, constants);
    if (isfinite(constants->launch_floor_s))
        g_string_append_printf(out, "  launch %.3g us\n", constants->launch_floor_s * 1e6);
    for (guint i = 0; i < warnings->len; i++)
        g_string_append_printf(out, "\nwarning: %s", (const char *)g_ptr_array_index(warnings, i));
    if (warnings->len > 0)
        g_string_append_c(out, '\n');
    return g_string_free(out, FALSE);
}
