/* SPDX-License-Identifier: MIT */
#include "cost/widths.h"

#include <math.h>

double
psim_widths_element_bytes(const PsimPlan *plan)
{
    switch (plan->precision) {
    case PSIM_PRECISION_FP32:
    case PSIM_PRECISION_TF32:
        return 4.0;
    case PSIM_PRECISION_FP16:
    case PSIM_PRECISION_BF16:
    case PSIM_PRECISION_FP8:
        return 2.0;
    }
    return 2.0;
}

PsimWidths
psim_widths_of_plan(const PsimPlan *plan)
{
    const PsimModel *model = plan->model;
    const double tp = (double)plan->tp;
    const double batch = (double)plan->micro_batch;
    const double sequence = (double)model->sequence;
    const double tokens = batch * sequence / (double)plan->cp;
    const double heads = (double)model->n_heads / tp;
    const double kv_heads = MAX((double)model->n_kv_heads / tp, 1.0);
    const double head_dim = (double)model->head_dim;

    return (PsimWidths){
        .tp = tp,
        .batch = batch,
        .sequence = sequence,
        .tokens = tokens,
        .own_tokens = plan->sequence_parallel ? tokens / tp : tokens,
        .hidden = (double)model->hidden,
        .heads = heads,
        .kv_heads = kv_heads,
        .head_dim = head_dim,
        .query = heads * head_dim,
        .key = kv_heads * head_dim,
        .ffn = (double)model->ffn_hidden / tp,
        .vocabulary = (double)psim_plan_padded_vocabulary(plan) / tp,
        .element_bytes = psim_widths_element_bytes(plan),
    };
}

static double
count_norm_params(const PsimModel *model)
{
    return model->norm == PSIM_NORM_LAYERNORM ? 2.0 * (double)model->hidden : (double)model->hidden;
}

double
psim_widths_layer_params(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const double qkv = w.query + 2.0 * w.key;
    const double fc1 = plan->model->gated_mlp ? 2.0 * w.ffn : w.ffn;
    const double matrices = w.hidden * (qkv + w.query + fc1 + w.ffn);
    /* Biases behind a split matrix are split, those behind the sum over ranks are not. */
    const double biases = plan->model->biases ? qkv + fc1 + 2.0 * w.hidden : 0.0;

    return matrices + biases + 2.0 * count_norm_params(plan->model);
}

double
psim_widths_embedding_params(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const bool learned = plan->model->positions == PSIM_POSITIONS_LEARNED;

    return w.hidden * (w.vocabulary + (learned ? w.sequence : 0.0));
}

double
psim_widths_head_params(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);
    const bool shared = plan->model->tied_embeddings && plan->pp == 1;

    return count_norm_params(plan->model) + (shared ? 0.0 : w.hidden * w.vocabulary);
}

double
psim_widths_loss_vocabulary(const PsimPlan *plan)
{
    const PsimWidths w = psim_widths_of_plan(plan);

    return plan->runtime.vocabulary_parallel_loss ? w.vocabulary : w.vocabulary * plan->tp;
}
