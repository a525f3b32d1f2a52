/* SPDX-License-Identifier: MIT */
#include "report/further.h"

#include "base/time.h"

static void
write_gap(PsimWriter *writer, const PsimResult *result)
{
    const PsimGap *gap = result->gap;

    psim_writer_begin_object(writer, "measured");
    psim_writer_number(writer, "step_s", gap->step_s);
    psim_writer_seconds(writer, "predicted_step_s", result->step_ps);
    psim_writer_number(writer, "ratio", gap->ratio);
    psim_writer_number(writer, "model_tflops_per_gpu", gap->model_flop_per_s_per_gpu / 1e12);
    psim_writer_number(writer, "mfu_fraction", gap->mfu_fraction);
    psim_writer_number(writer, "tokens_per_s", gap->tokens_per_s);
    psim_writer_number(writer, "days", gap->days);
    psim_writer_number(writer, "gemm_efficiency", gap->efficiency);
    psim_writer_number(writer, "efficiency_factor", gap->efficiency_factor);
    psim_writer_begin_array(writer, "explanations");
    for (uint32_t i = 0; i < gap->n_explanations; i++) {
        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "change", gap->explanations[i].change);
        psim_writer_number(writer, "step_s", gap->explanations[i].step_s);
        psim_writer_number(writer, "ratio", gap->explanations[i].ratio);
        psim_writer_flag(writer, "within_5_percent", gap->explanations[i].explains);
        psim_writer_flag(writer, "fits", gap->explanations[i].fits);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
}

static void
write_input(PsimWriter *writer, const PsimSensitivity *row)
{
    psim_writer_begin_row(writer, /* key= */ NULL);
    psim_writer_string(writer, "input", row->input);
    psim_writer_string(writer, "unit", row->unit);
    psim_writer_number(writer, "value", row->value);
    psim_writer_number(writer, "low_value", row->low_value);
    psim_writer_number(writer, "high_value", row->high_value);
    psim_writer_number(writer, "low_step_s", row->low_step_s);
    psim_writer_number(writer, "high_step_s", row->high_step_s);
    psim_writer_number(writer, "elasticity", row->elasticity);
    psim_writer_flag(writer, "low_fits", row->low_fits);
    psim_writer_flag(writer, "high_fits", row->high_fits);
    psim_writer_flag(writer, "changes_verdict", row->changes_verdict);
    psim_writer_end_object(writer);
}

static void
write_stacks(PsimWriter *writer, const PsimResult *result)
{
    psim_writer_begin_array(writer, "other_stacks");
    for (uint32_t i = 0; i < result->n_other_stacks; i++) {
        const PsimOtherStack *stack = &result->other_stacks[i];

        psim_writer_begin_row(writer, /* key= */ NULL);
        psim_writer_string(writer, "runtime", stack->name);
        psim_writer_number(writer, "step_s", stack->step_s);
        psim_writer_number(writer, "mfu_fraction", stack->mfu_fraction);
        psim_writer_number(writer, "peak_bytes", stack->peak_bytes);
        psim_writer_flag(writer, "fits", stack->fits);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
}

void
psim_further_json(const PsimResult *result, PsimWriter *writer)
{
    if (result->gap != NULL)
        write_gap(writer, result);
    if (result->n_sensitivity > 0) {
        psim_writer_begin_array(writer, "sensitivity");
        for (uint32_t i = 0; i < result->n_sensitivity; i++)
            write_input(writer, &result->sensitivity[i]);
        psim_writer_end_array(writer);
    }
    if (result->n_other_stacks > 0)
        write_stacks(writer, result);
}
