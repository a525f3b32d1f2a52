/* SPDX-License-Identifier: MIT */
/* Farthest points first: of the candidates, the one is taken next whose distance to all taken
 * before is largest, in log2 of m, n, k, with layouts apart. 60 shapes chosen so fit as well as
 * 3000 (hardware/README.md, "Calibration").
 */
#include "calibrate/shapes.h"

#include <math.h>

#define N_FIT         90u
#define N_HELD_OUT    60u
#define N_CORE_FIT    150u
#define N_CORE_OUT    50u
#define MAX_CORE_FLOP 3e9
/* Layouts count as far apart as a factor of 4 in one dimension. */
#define LAYOUT_DISTANCE 2.0

/* Published architectures: width, columns of the query, key and value product, of the MLP's two
 * products, vocabulary. A gated MLP has its two inputs side by side. */
typedef struct {
    const char *name;
    uint32_t hidden, qkv, up, down, vocabulary;
    PsimRole role;
} Model;

static const Model models[] = {
    {"gpt-1.3b", 2048, 6144, 8192, 8192, 50304, PSIM_ROLE_FIT},
    {"llama-3-8b", 4096, 6144, 28672, 14336, 128256, PSIM_ROLE_FIT},
    {"llama-3-70b", 8192, 10240, 57344, 28672, 128256, PSIM_ROLE_FIT},
    {"gpt-3-175b", 12288, 36864, 49152, 49152, 51200, PSIM_ROLE_FIT},
    {"codellama-34b", 8192, 10240, 44032, 22016, 32000, PSIM_ROLE_HELD_OUT},
    {"internlm-20b", 5120, 15360, 27648, 13824, 103168, PSIM_ROLE_HELD_OUT},
};

static double
find_distance(const PsimCase *a, const PsimCase *b)
{
    const double m = log2((double)a->gemm.m / (double)b->gemm.m);
    const double n = log2((double)a->gemm.n / (double)b->gemm.n);
    const double k = log2((double)a->gemm.k / (double)b->gemm.k);
    const double layout = a->gemm.layout == b->gemm.layout ? 0.0 : LAYOUT_DISTANCE;

    return m * m + n * n + k * k + layout * layout;
}

/* A shape that is there already is not measured again. */
static void
add_gemm(GPtrArray *trials, const PsimCase *what, PsimRole role)
{
    g_autoptr(PsimTrial) trial = g_new0(PsimTrial, 1);

    trial->what = *what;
    trial->role = role;
    for (guint i = 0; i < trials->len; i++) {
        if (psim_trial_is_same(g_ptr_array_index(trials, i), trial))
            return;
    }
    g_ptr_array_add(trials, g_steal_pointer(&trial));
}

static guint
find_largest(const GArray *candidates)
{
    guint largest = 0;
    double most = 0.0;

    for (guint i = 0; i < candidates->len; i++) {
        const PsimCase *what = &g_array_index(candidates, PsimCase, i);
        const double size = (double)what->gemm.m * (double)what->gemm.n * (double)what->gemm.k;

        largest = size > most ? i : largest;
        most = MAX(most, size);
    }
    return largest;
}

/* Shortens each candidate's distance to what was taken by that to @chosen. Returns: the farthest.
 */
static guint
approach(const GArray *candidates, const PsimCase *chosen, double *distances)
{
    guint farthest = 0;

    for (guint i = 0; i < candidates->len; i++) {
        const double distance = find_distance(&g_array_index(candidates, PsimCase, i), chosen);

        distances[i] = MIN(distances[i], distance);
        farthest = distances[i] > distances[farthest] ? i : farthest;
    }
    return farthest;
}

/* Adds @n_wanted of @candidates (PsimCase) to @trials, the one with the most FLOPs first. */
static void
choose_farthest(const GArray *candidates, guint n_wanted, PsimRole role, GPtrArray *trials)
{
    g_autofree double *distances = g_new(double, candidates->len + 1);
    guint next = find_largest(candidates);

    for (guint i = 0; i < candidates->len; i++)
        distances[i] = HUGE_VAL;
    for (guint taken = 0; taken < n_wanted && taken < candidates->len; taken++) {
        const PsimCase *chosen = &g_array_index(candidates, PsimCase, next);

        add_gemm(trials, chosen, role);
        next = approach(candidates, chosen, distances);
    }
}

/* Models share some products, and what is fitted is not held out. */
static void
remove_chosen(GArray *candidates, const GPtrArray *chosen)
{
    for (guint i = candidates->len; i-- > 0;) {
        const PsimTrial candidate = {.what = g_array_index(candidates, PsimCase, i)};

        for (guint j = 0; j < chosen->len; j++) {
            if (!psim_trial_is_same(g_ptr_array_index(chosen, j), &candidate))
                continue;
            g_array_remove_index(candidates, i);
            break;
        }
    }
}

/* Two lists in proportion, so that a measurement cut short has some of both. */
static void
interleave(GPtrArray *fit, GPtrArray *held_out, GPtrArray *trials)
{
    guint a = 0;
    guint b = 0;

    while (a < fit->len || b < held_out->len) {
        if (b >= held_out->len || (a < fit->len && a * held_out->len <= b * fit->len))
            g_ptr_array_add(trials, g_ptr_array_index(fit, a++));
        else
            g_ptr_array_add(trials, g_ptr_array_index(held_out, b++));
    }
}

/* -- Products of models -- */

/* One product in its three passes: @tokens x @inputs times @inputs x @outputs. */
static void
add_passes(
    GArray *candidates, PsimNumber number, uint32_t tokens, uint32_t outputs, uint32_t inputs)
{
    const PsimCase passes[] = {
        {.kind = PSIM_CASE_GEMM,
         .number = number,
         .gemm = {tokens, outputs, inputs, PSIM_LAYOUT_TN, false}},
        {.kind = PSIM_CASE_GEMM,
         .number = number,
         .gemm = {tokens, inputs, outputs, PSIM_LAYOUT_NN, false}},
        {.kind = PSIM_CASE_GEMM,
         .number = number,
         .gemm = {outputs, inputs, tokens, PSIM_LAYOUT_NT, true}},
    };

    g_array_append_vals(candidates, passes, G_N_ELEMENTS(passes));
}

static void
add_model(GArray *candidates, const Model *model, PsimNumber number, uint32_t tp, uint32_t tokens)
{
    add_passes(candidates, number, tokens, model->qkv / tp, model->hidden);
    add_passes(candidates, number, tokens, model->hidden, model->hidden / tp);
    add_passes(candidates, number, tokens, model->up / tp, model->hidden);
    add_passes(candidates, number, tokens, model->hidden, model->down / tp);
    add_passes(candidates, number, tokens, model->vocabulary / tp, model->hidden);
}

static GArray *
list_candidates(PsimNumber number, PsimRole role)
{
    static const uint32_t tokens[] = {2048, 4096, 8192};
    GArray *candidates = g_array_new(FALSE, FALSE, sizeof(PsimCase));

    for (size_t i = 0; i < G_N_ELEMENTS(models) * G_N_ELEMENTS(tokens) * 4; i++) {
        const Model *model = &models[i / 4 / G_N_ELEMENTS(tokens)];

        if (model->role == role)
            add_model(candidates, model, number, 1u << (i % 4),
                      tokens[i / 4 % G_N_ELEMENTS(tokens)]);
    }
    return candidates;
}

/* Steps of the number of tiles, a sweep of k, and widths that are not full vectors. */
static void
add_probes(PsimNumber number, GPtrArray *trials)
{
    static const uint32_t probes[][3] = {
        {2048, 2048, 4096},  {2176, 2048, 4096},  {2304, 2048, 4096},  {2560, 2048, 4096},
        {3072, 2048, 4096},  {3584, 2048, 4096},  {4096, 2048, 4096},  {4352, 2048, 4096},
        {4096, 4096, 64},    {4096, 4096, 128},   {4096, 4096, 256},   {4096, 4096, 512},
        {4096, 4096, 1024},  {4096, 4096, 2048},  {4096, 4096, 4096},  {4096, 4096, 8192},
        {4096, 4096, 16384}, {4096, 10880, 4096}, {4096, 10912, 4096}, {4096, 10920, 4096},
        {4096, 10922, 4096}, {4096, 10944, 4096},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(probes); i++)
        add_gemm(trials,
                 &(PsimCase){
                     .kind = PSIM_CASE_GEMM,
                     .number = number,
                     .gemm = {probes[i][0], probes[i][1], probes[i][2], PSIM_LAYOUT_TN, false},
                 },
                 PSIM_ROLE_PROBE);
}

void
psim_shapes_of_models(PsimNumber number, GPtrArray *trials)
{
    g_autoptr(GArray) to_fit = list_candidates(number, PSIM_ROLE_FIT);
    g_autoptr(GArray) to_hold_out = list_candidates(number, PSIM_ROLE_HELD_OUT);
    g_autoptr(GPtrArray) fit = g_ptr_array_new();
    g_autoptr(GPtrArray) held_out = g_ptr_array_new();

    choose_farthest(to_fit, N_FIT, PSIM_ROLE_FIT, fit);
    remove_chosen(to_hold_out, fit);
    choose_farthest(to_hold_out, N_HELD_OUT, PSIM_ROLE_HELD_OUT, held_out);
    interleave(fit, held_out, trials);
    add_probes(number, trials);
}

/* -- Products of a core -- */

static bool
is_affordable(const PsimCase *what)
{
    return 2.0 * (double)what->gemm.m * (double)what->gemm.n * (double)what->gemm.k <=
           MAX_CORE_FLOP;
}

static GArray *
list_grid(void)
{
    static const uint32_t sides[] = {16,  32,  64,   96,   128,  192,  256, 384,
                                     512, 768, 1024, 1536, 2048, 3072, 4096};
    const size_t n = G_N_ELEMENTS(sides);
    GArray *grid = g_array_new(FALSE, FALSE, sizeof(PsimCase));

    for (size_t i = 0; i < n * n * n; i++) {
        const PsimLayout layout = (PsimLayout)((i + i / n + i / n / n) % PSIM_N_LAYOUTS);
        const PsimCase what = {
            .kind = PSIM_CASE_GEMM,
            .number = PSIM_NUMBER_FP32,
            .gemm = {sides[i / n / n], sides[i / n % n], sides[i % n], layout,
                     layout == PSIM_LAYOUT_NT},
        };

        if (is_affordable(&what))
            g_array_append_val(grid, what);
    }
    return grid;
}

/* Whole multiples of 8, evenly spread in the logarithm. */
static uint64_t
draw_side(GRand *random)
{
    const double side = 16.0 * exp2(8.0 * g_rand_double(random));

    return 8 * (uint64_t)lround(side / 8.0);
}

static GArray *
draw_shapes(void)
{
    GRand *random = g_rand_new_with_seed(1);
    GArray *shapes = g_array_new(FALSE, FALSE, sizeof(PsimCase));

    while (shapes->len < 4 * N_CORE_OUT) {
        const PsimLayout layout = (PsimLayout)g_rand_int_range(random, 0, PSIM_N_LAYOUTS);
        const uint64_t m = draw_side(random);
        const uint64_t n = draw_side(random);
        const PsimCase what = {
            .kind = PSIM_CASE_GEMM,
            .number = PSIM_NUMBER_FP32,
            .gemm = {m, n, draw_side(random), layout, layout == PSIM_LAYOUT_NT},
        };

        if (is_affordable(&what))
            g_array_append_val(shapes, what);
    }
    g_rand_free(random);
    return shapes;
}

void
psim_shapes_of_core(GPtrArray *trials)
{
    g_autoptr(GArray) grid = list_grid();
    g_autoptr(GArray) drawn = draw_shapes();
    g_autoptr(GPtrArray) fit = g_ptr_array_new();
    g_autoptr(GPtrArray) held_out = g_ptr_array_new();

    choose_farthest(grid, N_CORE_FIT, PSIM_ROLE_FIT, fit);
    choose_farthest(drawn, N_CORE_OUT, PSIM_ROLE_HELD_OUT, held_out);
    interleave(fit, held_out, trials);
}
