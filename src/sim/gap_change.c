/* SPDX-License-Identifier: MIT */
/* What people turn out to have had otherwise than they said; each says whether it changes anything.
 */
#include "sim/gap_change.h"

static bool
set_flag(bool *flag, bool value)
{
    const bool changes = *flag != value;

    *flag = value;
    return changes;
}

static bool
set_recompute(PsimAltered *altered, PsimRecompute recompute)
{
    const bool changes = altered->plan.recompute != recompute;

    altered->plan.recompute = recompute;
    return changes;
}

static bool
recompute_none(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_recompute(altered, PSIM_RECOMPUTE_NONE);
}

static bool
recompute_selective(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return altered->plan.model->kind == PSIM_MODEL_TRANSFORMER &&
           set_recompute(altered, PSIM_RECOMPUTE_SELECTIVE);
}

static bool
recompute_full(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_recompute(altered, PSIM_RECOMPUTE_FULL);
}

static bool
overlap_data(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_dp, true);
}

static bool
expose_data(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_dp, false);
}

static bool
overlap_pipeline(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_pp, true);
}

static bool
expose_pipeline(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_pp, false);
}

static bool
overlap_tensor(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_tp, true);
}

static bool
expose_tensor(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.overlap_tp, false);
}

static bool
fuse_attention(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.flash_attention, true);
}

static bool
unfuse_attention(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_flag(&altered->plan.flash_attention, false);
}

static bool
unfuse_kernels(PsimAltered *altered, PsimArena *arena)
{
    PsimRuntime *runtime = &altered->plan.runtime;

    (void)arena;
    runtime->fused_norm = runtime->fused_softmax = runtime->fused_bias_gelu = false;
    runtime->fused_cross_entropy = runtime->fused_gradient_accumulation = false;
    return true;
}

static bool
dispatch_slowly(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    altered->plan.runtime.host_layer_s = MAX(altered->plan.runtime.host_layer_s, 1e-3);
    return true;
}

static bool
set_precision(PsimAltered *altered, PsimPrecision precision)
{
    const bool changes = altered->plan.precision != precision &&
                         altered->hardware.device.peak_flop_per_s[precision] > 0.0;

    altered->plan.precision = precision;
    return changes;
}

static bool
compute_in_fp32(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_precision(altered, PSIM_PRECISION_FP32);
}

static bool
compute_in_tf32(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return set_precision(altered, PSIM_PRECISION_TF32);
}

static bool
compute_in_16_bits(PsimAltered *altered, PsimArena *arena)
{
    const bool has_bf16 = altered->hardware.device.peak_flop_per_s[PSIM_PRECISION_BF16] > 0.0;
    const PsimPrecision was = altered->plan.precision;

    (void)arena;
    return was != PSIM_PRECISION_BF16 && was != PSIM_PRECISION_FP16 &&
           set_precision(altered, has_bf16 ? PSIM_PRECISION_BF16 : PSIM_PRECISION_FP16);
}

static bool
scale_peak(PsimAltered *altered, double factor)
{
    for (size_t i = 0; i < PSIM_N_PRECISIONS; i++)
        altered->hardware.device.peak_flop_per_s[i] *= factor;
    altered->hardware.device.gemm.rows_ratio /= factor;
    return true;
}

static bool
halve_peak(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return scale_peak(altered, 0.5);
}

static bool
double_peak(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    return scale_peak(altered, 2.0);
}

/* The measured collectives are the switch's; over PCIe a ring is left. */
bool
psim_gap_use_pcie(PsimAltered *altered, PsimArena *arena)
{
    PsimHardware *hardware = &altered->hardware;
    const double pcie = hardware->device.pcie_bytes_per_s;

    (void)arena;
    if (!(pcie > 0.0) || pcie >= hardware->scale_up_bytes_per_s)
        return false;
    hardware->scale_up_bytes_per_s = pcie;
    hardware->pair_bytes_per_s = MIN(hardware->pair_bytes_per_s, pcie);
    hardware->n_collectives = 0;
    return true;
}

static bool
slow_network(PsimAltered *altered, PsimArena *arena)
{
    (void)arena;
    altered->hardware.nic_bytes_per_s /= 10.0;
    return altered->hardware.fabric_name != NULL;
}

static bool
use_one_nic(PsimAltered *altered, PsimArena *arena)
{
    const bool changes = altered->hardware.nics_per_node > 1;

    (void)arena;
    altered->hardware.nics_per_node = 1;
    return changes;
}

static bool
set_micro(PsimAltered *altered, uint32_t micro, PsimArena *arena)
{
    altered->plan.micro_batch = micro;
    return micro > 0 && altered->plan.schedule_file == NULL &&
           psim_altered_settle(&altered->plan, arena);
}

static bool
double_micro(PsimAltered *altered, PsimArena *arena)
{
    return set_micro(altered, altered->plan.micro_batch * 2, arena);
}

static bool
halve_micro(PsimAltered *altered, PsimArena *arena)
{
    return set_micro(altered, altered->plan.micro_batch / 2, arena);
}

static bool
set_schedule(PsimAltered *altered, const char *name, PsimArena *arena)
{
    PsimPlan *plan = &altered->plan;
    const PsimScheduleType *type = psim_schedule_find(name);

    if (plan->pp < 2 || plan->schedule_file != NULL || plan->schedule == type)
        return false;
    plan->schedule = type;
    plan->n_chunks = 1;
    plan->n_slices = 1;
    plan->group = plan->pp;
    return psim_altered_settle(plan, arena);
}

static bool
one_at_a_time(PsimAltered *altered, PsimArena *arena)
{
    return set_schedule(altered, "naive", arena);
}

static bool
no_interleaving(PsimAltered *altered, PsimArena *arena)
{
    return set_schedule(altered, "1f1b", arena);
}

static const PsimGapChange changes[] = {
    {"recompute none", recompute_none},
    {"recompute selective", recompute_selective},
    {"recompute full", recompute_full},
    {"gradient reduction beside the backward", overlap_data},
    {"gradient reduction after the backward", expose_data},
    {"pipeline transfers beside compute", overlap_pipeline},
    {"pipeline transfers that a rank waits for", expose_pipeline},
    {"TP collectives beside the products", overlap_tensor},
    {"TP collectives that nothing hides", expose_tensor},
    {"fused attention", fuse_attention},
    {"unfused attention", unfuse_attention},
    {"unfused norms, softmax, activation, loss", unfuse_kernels},
    {"host dispatch of 1 ms a layer", dispatch_slowly},
    {"products in fp32", compute_in_fp32},
    {"products in tf32", compute_in_tf32},
    {"products in 16 bits", compute_in_16_bits},
    {"half the peak: the figure counts sparsity", halve_peak},
    {"twice the peak: the figure is too low", double_peak},
    {"GPUs of a node over PCIe", psim_gap_use_pcie},
    {"network at a tenth of its bandwidth", slow_network},
    {"one NIC a node", use_one_nic},
    {"twice the micro batch, half the microbatches", double_micro},
    {"half the micro batch, twice the microbatches", halve_micro},
    {"one microbatch in the pipeline at a time", one_at_a_time},
    {"schedule 1f1b", no_interleaving},
};

const PsimGapChange *
psim_gap_changes(size_t *ret_n)
{
    *ret_n = G_N_ELEMENTS(changes);
    return changes;
}
