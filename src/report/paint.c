/* SPDX-License-Identifier: MIT */
#include "report/paint.h"

#include <string.h>

static const PsimPaintInfo paints[PSIM_N_PAINTS] = {
    [PSIM_PAINT_FORWARD] = {"F forward", "#00609a", "#6cb4e4"},
    [PSIM_PAINT_BACKWARD] = {"B backward", "#e69f00", "#fad58a"},
    [PSIM_PAINT_INPUT] = {"I input gradient", "#f0e04a", "#fbf5bd"},
    [PSIM_PAINT_WEIGHT] = {"W weight gradient", "#2fae89", "#97dec7"},
    [PSIM_PAINT_OPTIMIZER] = {"optimizer", "#444444", "#444444"},
    [PSIM_PAINT_TP] = {"tensor-parallel collective", "#c56da0", "#c56da0"},
    [PSIM_PAINT_PP] = {"pipeline transfer", "#7d2f5b", "#7d2f5b"},
    [PSIM_PAINT_DP] = {"data-parallel collective", "#ecc3d8", "#ecc3d8"},
    [PSIM_PAINT_CP] = {"context-parallel collective", "#8566b8", "#8566b8"},
    [PSIM_PAINT_OTHER] = {"other", "#999999", "#999999"},
};

static PsimPaint
choose_compute(char letter)
{
    static const char letters[] = "FBIW"; /* in the order of the paints */
    const char *found = letter != '\0' ? strchr(letters, letter) : NULL;

    return found != NULL ? (PsimPaint)(found - letters) : PSIM_PAINT_OTHER;
}

PsimPaint
psim_paint_choose(const PsimTaskClass *class)
{
    switch ((PsimTaskKind) class->kind) {
    case PSIM_TASK_COMPUTE:
        return choose_compute(class->op[0]);
    case PSIM_TASK_TP:
        return PSIM_PAINT_TP;
    case PSIM_TASK_CP:
        return PSIM_PAINT_CP;
    case PSIM_TASK_SEND:
        return PSIM_PAINT_PP;
    case PSIM_TASK_DP:
        return PSIM_PAINT_DP;
    case PSIM_TASK_OPTIMIZER:
        return PSIM_PAINT_OPTIMIZER;
    case PSIM_TASK_BARRIER:
        return PSIM_PAINT_OTHER;
    }
    g_assert_not_reached();
}

const PsimPaintInfo *
psim_paint_info(PsimPaint paint)
{
    return &paints[paint];
}

const char *
psim_paint_ink(const char *fill)
{
    const guint64 rgb = g_ascii_strtoull(fill + 1, /* endptr= */ NULL, 16);
    const guint64 luma = 299 * (rgb >> 16) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff);

    return luma > UINT64_C(120000) ? "#111111" : "#ffffff";
}

void
psim_paint_step_terms(const PsimBreakdown *parts, PsimPaintTerm ret_terms[PSIM_N_STEP_TERMS])
{
    const PsimPaintTerm terms[PSIM_N_STEP_TERMS] = {
        {"compute", "#00609a", (double)parts->compute_ps},
        {"recompute", "#6cb4e4", (double)parts->recompute_ps},
        {"TP, exposed", "#c56da0", (double)parts->tp_exposed_ps},
        {"PP, exposed", "#7d2f5b", (double)parts->pp_exposed_ps},
        {"CP, exposed", "#8566b8", (double)parts->cp_exposed_ps},
        {"EP, exposed", "#97dec7", (double)parts->ep_exposed_ps},
        {"DP, exposed", "#ecc3d8", (double)parts->dp_exposed_ps},
        {"bubble", "#ffffff", (double)parts->bubble_ps},
        {"optimizer", "#444444", (double)parts->optimizer_ps},
        {"other", "#999999", (double)parts->other_ps},
    };

    memcpy(ret_terms, terms, sizeof terms);
}

void
psim_paint_memory_terms(const PsimStageFigures *stage, PsimPaintTerm ret_terms[PSIM_N_MEMORY_TERMS])
{
    const PsimPaintTerm terms[PSIM_N_MEMORY_TERMS] = {
        {"weights", "#00609a", stage->weights_bytes},
        {"gradients", "#6cb4e4", stage->gradients_bytes},
        {"optimizer", "#2fae89", stage->optimizer_bytes},
        {"communication buffers", "#c56da0", stage->comm_buffers_bytes},
        {"context, fragments", "#999999", stage->overhead_bytes},
        {"activations", "#e69f00", stage->activations_bytes},
        {"logits", "#f0e04a", stage->logits_bytes},
    };

    memcpy(ret_terms, terms, sizeof terms);
}

double
psim_paint_states_bytes(const PsimResult *result, uint32_t rank)
{
    if (result->n_stages == 0 || result->n_ranks % result->n_stages != 0)
        return 0.0;
    /* Copies of a stage are neighbours when unfolded. */
    const PsimStageFigures *stage = &result->stages[rank / (result->n_ranks / result->n_stages)];

    return stage->weights_bytes + stage->gradients_bytes + stage->optimizer_bytes +
           stage->comm_buffers_bytes + stage->overhead_bytes;
}
