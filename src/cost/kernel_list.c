/* SPDX-License-Identifier: MIT */
#include "cost/kernel_list.h"

#include "cost/kernel.h"

PsimKernelList
psim_kernel_list_begin(const PsimPlan *plan, GArray *kernels)
{
    return (PsimKernelList){
        .plan = plan,
        .widths = psim_widths_of_plan(plan),
        .tp_group = psim_collective_group(plan->hardware, plan->tp, /* stride= */ 1, plan->n_gpus),
        .pass = PSIM_PASS_FORWARD,
        .precision = plan->precision,
        .kernels = kernels,
    };
}

PsimPrecision
psim_kernel_list_wide_precision(const PsimPlan *plan)
{
    return plan->precision == PSIM_PRECISION_FP8 ? PSIM_PRECISION_BF16 : plan->precision;
}

static void
add_kernel(PsimKernelList *self, PsimKernel kernel)
{
    kernel.pass = self->pass;
    g_array_append_val(self->kernels, kernel);
}

static PsimProductLayout
find_layout(PsimPass pass)
{
    switch (pass) {
    case PSIM_PASS_FORWARD:
    case PSIM_PASS_RECOMPUTE:
        return PSIM_PRODUCT_TN;
    case PSIM_PASS_BACKWARD_INPUT:
        return PSIM_PRODUCT_NN;
    case PSIM_PASS_BACKWARD_WEIGHT:
        return PSIM_PRODUCT_NT;
    }
    g_assert_not_reached();
}

static void
add_gemm(PsimKernelList *self, const char *name, PsimPrecision precision, const PsimGemm *gemm)
{
    const PsimDevice *device = &self->plan->hardware->device;
    const double size = gemm->m * gemm->n * gemm->k;
    const double in = gemm->element_bytes * (gemm->m * gemm->k + gemm->k * gemm->n);
    const double out = gemm->output_bytes * gemm->m * gemm->n;

    add_kernel(self, (PsimKernel){
                         .name = name,
                         .kind = PSIM_KERNEL_GEMM,
                         .time_s = psim_kernel_gemm_s(device, precision, gemm),
                         .flop = 2.0 * gemm->batch * size,
                         .bytes = gemm->batch * (in + out),
                         .count = 1,
                         .basis = psim_kernel_gemm_basis(device, precision, gemm),
                     });
}

/* What the product just added takes in pieces, where its collective may run beside it. */
static void
note_cut(PsimKernelList *self, const PsimGemm *gemm)
{
    const PsimPlan *plan = self->plan;
    const double n_pieces = (double)plan->tp;
    PsimGemm piece = *gemm;

    if (!plan->overlap_tp || plan->tp == 1 || self->pass == PSIM_PASS_BACKWARD_WEIGHT)
        return;
    piece.m /= n_pieces;
    g_array_index(self->kernels, PsimKernel, self->kernels->len - 1).cut_s =
        n_pieces * psim_kernel_gemm_s(&plan->hardware->device, self->precision, &piece);
}

void
psim_kernel_list_add_linear(PsimKernelList *self, const char *name, double m, double n, double k)
{
    const PsimPlan *plan = self->plan;
    const bool is_gradient = self->pass == PSIM_PASS_BACKWARD_WEIGHT;
    const bool is_fused = plan->runtime.fused_gradient_accumulation;
    /* A weight gradient is added to what earlier microbatches left: read and written, by the GEMM
     * or by a kernel that reads the GEMM's output once more. */
    const double output_bytes =
        is_gradient && is_fused ? 2.0 * psim_plan_gradient_bytes(plan) : self->widths.element_bytes;
    const PsimGemm gemm = {
        .m = m,
        .n = n,
        .k = k,
        .batch = 1.0,
        .element_bytes = self->precision == PSIM_PRECISION_FP8 ? 1.0 : self->widths.element_bytes,
        .output_bytes = output_bytes,
        .layout = find_layout(self->pass),
    };

    add_gemm(self, name, self->precision, &gemm);
    note_cut(self, &gemm);
    if (is_gradient && !is_fused)
        psim_kernel_list_add_memory(
            self, "gradient-accumulate",
            m * n * (self->widths.element_bytes + 2.0 * psim_plan_gradient_bytes(plan)),
            plan->hardware->device.memory_bound.elementwise);
}

void
psim_kernel_list_add_batched(PsimKernelList *self, const char *name, double m, double n, double k)
{
    const PsimDevice *device = &self->plan->hardware->device;
    const PsimPrecision precision = psim_kernel_list_wide_precision(self->plan);
    const PsimGemm gemm = {
        .m = m,
        .n = n,
        .k = k,
        .batch = self->widths.batch * self->widths.heads,
        .element_bytes = self->widths.element_bytes,
        .output_bytes = self->widths.element_bytes,
    };

    add_gemm(self, name, precision, &gemm);
    if (device->attention_unfused_fraction > 0.0) {
        /* Measured as a whole: the formula knows no batched products of such thin matrices. */
        PsimKernel *kernel = &g_array_index(self->kernels, PsimKernel, self->kernels->len - 1);
        const double rate = psim_kernel_gemm_rate(device, precision) / device->gemm.efficiency;
        kernel->time_s =
            device->gemm.launch_s + kernel->flop / (rate * device->attention_unfused_fraction);
    }
}

void
psim_kernel_list_add(PsimKernelList *self, const PsimKernel *kernel)
{
    add_kernel(self, *kernel);
}

PsimAttention
psim_kernel_list_attention(const PsimKernelList *self)
{
    const PsimWidths *w = &self->widths;

    return (PsimAttention){
        .batch = w->batch,
        .n_heads = w->heads,
        .n_kv_heads = w->kv_heads,
        .queries = w->sequence,
        .keys = w->sequence,
        .head_dim = w->head_dim,
        .causal = self->plan->model->causal,
        .kernel = self->plan->runtime.attention_kernel,
    };
}

double
psim_kernel_list_attention_s(const PsimKernelList *self,
                             const PsimAttention *attention,
                             bool backward)
{
    return psim_kernel_attention_s(&self->plan->hardware->device,
                                   psim_kernel_list_wide_precision(self->plan), attention,
                                   backward);
}

void
psim_kernel_list_add_attention(PsimKernelList *self,
                               const char *name,
                               const PsimAttention *attention,
                               uint32_t count,
                               bool backward)
{
    const PsimAttention *a = attention;
    /* Queries and output, keys and values; the backward reads them again and writes gradients. */
    const double elements =
        a->batch * a->head_dim * 2.0 * (a->queries * a->n_heads + a->keys * a->n_kv_heads);
    const double bytes = self->widths.element_bytes * elements;

    add_kernel(self, (PsimKernel){
                         .name = name,
                         .kind = PSIM_KERNEL_ATTENTION,
                         .time_s = psim_kernel_list_attention_s(self, a, backward),
                         .flop = psim_kernel_attention_flop(a) * (backward ? 2.5 : 1.0),
                         .bytes = backward ? 2.0 * bytes : bytes,
                         .count = count,
                     });
}

void
psim_kernel_list_add_memory(PsimKernelList *self, const char *name, double bytes, double fraction)
{
    if (bytes <= 0.0) {
        return;
    }
    add_kernel(self,
               (PsimKernel){
                   .name = name,
                   .kind = PSIM_KERNEL_MEMORY,
                   .time_s = psim_kernel_memory_s(&self->plan->hardware->device, bytes, fraction),
                   .bytes = bytes,
                   .count = 1,
               });
}

void
psim_kernel_list_add_collective(PsimKernelList *self,
                                const char *name,
                                PsimCollective what,
                                double payload_bytes,
                                uint32_t count)
{
    const PsimPlan *plan = self->plan;
    if (self->tp_group.n_ranks <= 1 || payload_bytes <= 0.0) {
        return;
    }
    add_kernel(
        self, (PsimKernel){
                  .name = name,
                  .kind = PSIM_KERNEL_COLLECTIVE,
                  .time_s = psim_collective_s(plan->hardware, what, self->tp_group, payload_bytes) +
                            plan->runtime.host_collective_s,
                  .bytes = payload_bytes,
                  .count = count,
              });
}

static double
count_payload(const PsimKernelList *self)
{
    return self->widths.element_bytes * self->widths.tokens * self->widths.hidden;
}

void
psim_kernel_list_add_gather(PsimKernelList *self)
{
    if (self->plan->sequence_parallel) {
        psim_kernel_list_add_collective(self, "tp-all-gather", PSIM_COLLECTIVE_ALL_GATHER,
                                        count_payload(self),
                                        /* count= */ 1);
    }
}

/* From 16 bits to fp32 and back: 2 + 4 and 4 + 2 bytes an element beside twice the payload. */
static void
add_wide_reduce(PsimKernelList *self, double payload)
{
    const double fraction = self->plan->hardware->device.memory_bound.elementwise;

    if (self->plan->tp == 1)
        return;
    psim_kernel_list_add_memory(self, "to-fp32", 3.0 * payload, fraction);
    psim_kernel_list_add_collective(self, "tp-all-reduce", PSIM_COLLECTIVE_ALL_REDUCE,
                                    2.0 * payload, /* count= */ 1);
    psim_kernel_list_add_memory(self, "to-16-bits", 3.0 * payload, fraction);
}

void
psim_kernel_list_add_reduce(PsimKernelList *self)
{
    const PsimPlan *plan = self->plan;
    const double payload = count_payload(self);

    if (plan->sequence_parallel) {
        psim_kernel_list_add_collective(self, "tp-reduce-scatter", PSIM_COLLECTIVE_REDUCE_SCATTER,
                                        payload, /* count= */ 1);
    } else if (plan->runtime.reduces_in_fp32 && plan->precision == PSIM_PRECISION_BF16) {
        add_wide_reduce(self, payload);
    } else {
        psim_kernel_list_add_collective(self, "tp-all-reduce", PSIM_COLLECTIVE_ALL_REDUCE, payload,
                                        /* count= */ 1);
    }
}
