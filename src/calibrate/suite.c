/* SPDX-License-Identifier: MIT */
/* A unit with tiles is a GPU: kernels are launched, and a model's widths are thousands. A unit
 * without is one core, whose products take milliseconds at widths of hundreds.
 */
#include "calibrate/suite.h"

#include "calibrate/shapes.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define SEED 20240229u

static bool
is_core(const PsimUnitFacts *facts)
{
    return facts->n_sms == 0;
}

bool
psim_suite_least_counts(const PsimUnitFacts *facts)
{
    return is_core(facts);
}

static PsimTrial *
add(GPtrArray *trials, PsimCase what, PsimRole role)
{
    PsimTrial *trial = g_new0(PsimTrial, 1);

    trial->what = what;
    trial->role = role;
    g_ptr_array_add(trials, trial);
    return trial;
}

/* Every fourth is held out. */
static PsimRole
choose_role(guint index)
{
    return index % 4 == 3 ? PSIM_ROLE_HELD_OUT : PSIM_ROLE_FIT;
}

/* The type that training on this unit computes in. */
static PsimNumber
find_main_number(const PsimUnitFacts *facts)
{
    static const PsimNumber by_preference[] = {PSIM_NUMBER_BF16, PSIM_NUMBER_FP16};

    for (size_t i = 0; i < G_N_ELEMENTS(by_preference); i++) {
        if (facts->nominal_flop_per_s[by_preference[i]] > 0.0)
            return by_preference[i];
    }
    return PSIM_NUMBER_FP32;
}

static void
add_launches(const PsimUnitFacts *facts, GPtrArray *trials)
{
    const PsimCase what = {
        .kind = PSIM_CASE_LAUNCH, .number = PSIM_NUMBER_FP32, .launch = {.n_launches = 1000}};
    PsimCase graphed = what;

    add(trials, what, PSIM_ROLE_FIT);
    graphed.graphed = true;
    if (!is_core(facts))
        add(trials, graphed, PSIM_ROLE_PROBE);
}

static void
add_streams(const PsimUnitFacts *facts, GPtrArray *trials)
{
    const uint64_t most = is_core(facts) ? 4 * MAX(facts->cache_bytes, MIB) : 4 * GIB;

    /* The largest first: they are the plateau. */
    for (uint64_t bytes = most; bytes >= (is_core(facts) ? 256 * KIB : MIB); bytes /= 4) {
        for (int kind = 0; kind < PSIM_N_STREAM_KINDS; kind++)
            add(trials,
                (PsimCase){.kind = PSIM_CASE_STREAM,
                           .number = PSIM_NUMBER_FP32,
                           .stream = {(PsimStreamKind)kind, bytes}},
                PSIM_ROLE_FIT);
    }
}

static void
add_kernels(const PsimUnitFacts *facts, GPtrArray *trials)
{
    static const uint32_t core_sizes[][2] = {{512, 1024}, {2048, 1024}, {256, 512},
                                             {1024, 768}, {128, 256},   {4096, 768}};
    static const uint32_t sizes[][2] = {{8192, 4096}, {2048, 4096}, {4096, 12288},
                                        {8192, 8192}, {2048, 2048}, {4096, 5120}};
    const uint32_t(*of)[2] = is_core(facts) ? core_sizes : sizes;

    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        for (int kind = 0; kind < PSIM_N_KERNEL_KINDS; kind++) {
            const bool adam = kind == PSIM_KERNEL_ADAM;
            const uint64_t width = of[i][1];

            add(trials,
                (PsimCase){
                    .kind = PSIM_CASE_KERNEL,
                    .number = find_main_number(facts),
                    .kernel = {(PsimKernelKind)kind, adam ? 1 : of[i][0],
                               adam ? of[i][0] * width : width},
                },
                choose_role((guint)i));
        }
    }
}

static void
add_attention_passes(GPtrArray *trials, PsimCase what, PsimRole role)
{
    add(trials, what, role);
    what.attention.backward = true;
    add(trials, what, role);
}

/* 16k tokens in all: from many short to one long sequence; then few heads at one length. */
static void
add_attention(const PsimUnitFacts *facts, GPtrArray *trials)
{
    static const uint32_t head_dims[] = {128, 64};
    static const uint32_t heads[] = {4, 8, 16, 32, 64};

    for (size_t i = 0; i < 2 * G_N_ELEMENTS(head_dims); i++) {
        const uint32_t head_dim = head_dims[i % 2];
        PsimCase what = {.kind = PSIM_CASE_ATTENTION, .number = find_main_number(facts)};
        guint n = 0;

        what.attention.head_dim = head_dim;
        what.attention.causal = i < G_N_ELEMENTS(head_dims);
        for (uint32_t sequence = 512; sequence <= 16384; sequence *= 2, n++) {
            what.attention.sequence = sequence;
            what.attention.batch = 16384 / sequence;
            what.attention.n_heads = 2048 / head_dim;
            add_attention_passes(trials, what, choose_role(n));
        }
        for (size_t j = 0; j < G_N_ELEMENTS(heads); j++, n++) {
            what.attention.sequence = 4096;
            what.attention.batch = 1;
            what.attention.n_heads = heads[j];
            add_attention_passes(trials, what, choose_role(n));
        }
    }
}

static void
add_memcpy(const PsimUnitFacts *facts, GPtrArray *trials)
{
    for (uint64_t bytes = GIB; bytes >= 4 * KIB && !is_core(facts); bytes /= 8) {
        for (int kind = 0; kind < PSIM_N_MEMCPY_KINDS; kind++)
            add(trials,
                (PsimCase){.kind = PSIM_CASE_MEMCPY,
                           .number = PSIM_NUMBER_FP32,
                           .memcpy = {(PsimMemcpyKind)kind, bytes}},
                PSIM_ROLE_FIT);
    }
}

static void
add_exchanges(const PsimUnitFacts *facts, GPtrArray *trials, uint32_t n_ranks)
{
    const uint64_t most = is_core(facts) ? 16 * MIB : GIB;
    guint n = 0;

    for (uint64_t bytes = KIB; bytes <= most; bytes *= 2, n++) {
        for (int what = 0; what < PSIM_N_EXCHANGE_KINDS; what++) {
            const bool send = what == PSIM_EXCHANGE_SEND;

            if ((send && n_ranks != 2) || (!send && is_core(facts)))
                continue;
            add(trials,
                (PsimCase){.kind = PSIM_CASE_COLLECTIVE,
                           .number = PSIM_NUMBER_FP32,
                           .collective = {(PsimExchangeKind)what, n_ranks, bytes}},
                choose_role(n));
        }
    }
}

static void
add_gemms(const PsimUnitFacts *facts, GPtrArray *trials)
{
    static const PsimNumber more[] = {PSIM_NUMBER_TF32, PSIM_NUMBER_FP8, PSIM_NUMBER_FP16};
    const PsimNumber main = find_main_number(facts);

    if (is_core(facts)) {
        psim_shapes_of_core(trials);
        return;
    }
    psim_shapes_of_models(main, trials);
    for (size_t i = 0; i < G_N_ELEMENTS(more); i++) {
        if (more[i] != main && facts->nominal_flop_per_s[more[i]] > 0.0)
            psim_shapes_of_models(more[i], trials);
    }
}

void
psim_suite_cases(PsimSuite suite, const PsimUnitFacts *facts, GPtrArray *trials)
{
    switch (suite) {
    case PSIM_SUITE_LAUNCH:
        add_launches(facts, trials);
        return;
    case PSIM_SUITE_BANDWIDTH:
        add_streams(facts, trials);
        return;
    case PSIM_SUITE_GEMM:
        add_gemms(facts, trials);
        return;
    case PSIM_SUITE_MEMORY:
        add_kernels(facts, trials);
        return;
    case PSIM_SUITE_ATTENTION:
        add_attention(facts, trials);
        return;
    case PSIM_SUITE_MEMCPY:
        add_memcpy(facts, trials);
        return;
    case PSIM_SUITE_NCCL:
        for (uint32_t n_ranks = 2; n_ranks <= MIN(facts->n_units, 8); n_ranks *= 2)
            add_exchanges(facts, trials, n_ranks);
        return;
    }
}

/* -- Timing -- */

/* A core is timed with the least of few cold runs; a send is a race between two cores, of which
 * only many samples hold one that nobody disturbed. */
static PsimPolicy
find_core_policy(const PsimCase *what)
{
    const bool send = what->kind == PSIM_CASE_COLLECTIVE;

    return (PsimPolicy){
        .n_warm_up = 2,
        .n_batches = send ? 400 : 15,
        .batch_s = 2e-4,
        .budget_s = send ? 2.0 : 1.0,
        .memory_bytes = GIB,
        .cold = what->kind == PSIM_CASE_GEMM || what->kind == PSIM_CASE_KERNEL,
        .seed = SEED,
    };
}

PsimPolicy
psim_suite_policy(const PsimCase *what, const PsimUnitFacts *facts)
{
    if (is_core(facts))
        return find_core_policy(what);
    return (PsimPolicy){
        .n_warm_up = 10,
        .n_batches = 30,
        .batch_s = 1e-3,
        .budget_s = 3.0,
        .memory_bytes = MIN(facts->memory_usable_bytes / 2, 24 * GIB),
        .cold = what->kind == PSIM_CASE_GEMM,
        .seed = SEED,
    };
}

double
psim_suite_share(PsimSuite suite)
{
    static const double shares[PSIM_N_SUITES] = {
        [PSIM_SUITE_LAUNCH] = 0.02, [PSIM_SUITE_BANDWIDTH] = 0.10, [PSIM_SUITE_GEMM] = 0.45,
        [PSIM_SUITE_MEMORY] = 0.12, [PSIM_SUITE_ATTENTION] = 0.20, [PSIM_SUITE_MEMCPY] = 0.06,
        [PSIM_SUITE_NCCL] = 0.15,
    };

    return shares[suite];
}
