/* SPDX-License-Identifier: MIT */
/* Fits of products that were really measured. The sample of products.json is always there; the
 * whole sets stand beside the project, and where they do not, that is said and nothing is fitted.
 *
 * Bounds are those of the project: 9 % on the CPU, 7 % on the A100, 8.5 % on the H100, held out.
 */
#include "test_calibrate.h"

#include "calibrate/gemm_fit.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

/* Which columns of a file's rows are what. */
typedef struct {
    const char *file;
    int source; /* column that must be "vidur", or -1 */
    int m, n, k, time_us, held_out;
} Columns;

static const Columns sampled = {PRODUCTS, -1, 1, 2, 3, 4, 5};
static const Columns whole_cpu = {SHARED "/cpu_calibration_example.json", -1, 0, 1, 2, 3, 4};
static const Columns whole_gpus = {SHARED "/gemm.json", 13, 5, 6, 7, 8, 12};

static const PsimProductCost cpu = {
    .size = sizeof(PsimProductCost),
    .peak_flop_per_s = 120e9,
    .memory_bytes_per_s = 20e9,
    .bandwidth_fraction = 0.783,
};
static const PsimProductCost a100 = {
    .size = sizeof(PsimProductCost),
    .tiled = true,
    .n_sms = 108,
    .peak_flop_per_s = 312e12,
    .memory_bytes_per_s = 2039e9,
    .bandwidth_fraction = 0.8,
};
static const PsimProductCost h100 = {
    .size = sizeof(PsimProductCost),
    .tiled = true,
    .n_sms = 132,
    .peak_flop_per_s = 989e12,
    .memory_bytes_per_s = 3350e9,
    .bandwidth_fraction = 0.8,
};

/* Of the large sets: a third of their rows, which takes seconds and errs as all of them do. */
#define N_WHOLE 450

static const struct Set {
    const char *name; /* first column, or what all rows are */
    const Columns *columns;
    const PsimProductCost *base;
    double bound; /* of the held-out MAPE [1] */
    size_t n_fit; /* rows fitted, evenly spread */
} sets[] = {
    {"cpu", &sampled, &cpu, 0.09, 120},
    {"a100", &sampled, &a100, 0.07, 120},
    {"cpu, all rows", &whole_cpu, &cpu, 0.09, 150},
    {"A100-SXM4-80GB", &whole_gpus, &a100, 0.07, N_WHOLE},
    {"H100-SXM5-80GB", &whole_gpus, &h100, 0.085, N_WHOLE},
};

typedef struct Set Set;

/* Inference with a few tokens is another problem than training. */
#define LEAST_TOKENS 128.0

static bool
is_of_set(const Set *set, const cJSON *row)
{
    const Columns *columns = set->columns;
    const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(row, 0));

    if (name != NULL && !g_str_equal(name, set->name))
        return false;
    if (columns->source >= 0 &&
        g_strcmp0(cJSON_GetStringValue(cJSON_GetArrayItem(row, columns->source)), "vidur") != 0)
        return false;
    return !set->base->tiled ||
           cJSON_GetNumberValue(cJSON_GetArrayItem(row, columns->m)) >= LEAST_TOKENS;
}

static double
number_at(const cJSON *row, int column)
{
    return cJSON_GetNumberValue(cJSON_GetArrayItem(row, column));
}

static GArray *
read_samples(const Set *set, const char *text)
{
    GArray *samples = g_array_new(FALSE, FALSE, sizeof(PsimGemmSample));
    cJSON *json = cJSON_Parse(text);
    const Columns *columns = set->columns;
    const double bytes = set->base->tiled ? 2.0 : 4.0;
    const cJSON *row = NULL;

    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(json, "rows"))
    {
        if (!is_of_set(set, row))
            continue;
        const PsimGemmSample sample = {
            .product = {.size = sizeof(PsimProduct),
                        .m = number_at(row, columns->m),
                        .n = number_at(row, columns->n),
                        .k = number_at(row, columns->k),
                        .element_bytes = bytes,
                        .output_bytes = bytes},
            .time_s = number_at(row, columns->time_us) * 1e-6,
            .held_out = number_at(row, columns->held_out) == 1.0,
        };

        g_array_append_val(samples, sample);
    }
    cJSON_Delete(json);
    return samples;
}

static double
find_distance(const PsimProduct *a, const PsimProduct *b)
{
    const double m = log2(a->m / b->m);
    const double n = log2(a->n / b->n);
    const double k = log2(a->k / b->k);

    return m * m + n * n + k * k;
}

/* All that is held out, and of the rest @n_fit, each the farthest from those before it: as a suite
 * chooses its shapes. */
static GArray *
thin_out(const GArray *all, size_t n_fit)
{
    GArray *thin = g_array_new(FALSE, FALSE, sizeof(PsimGemmSample));
    g_autofree double *distances = g_new(double, all->len);
    guint next = 0;

    for (guint i = 0; i < all->len; i++) {
        const PsimGemmSample *row = &g_array_index(all, PsimGemmSample, i);

        distances[i] = row->held_out ? -1.0 : HUGE_VAL;
        next = row->held_out ? next : i;
        if (row->held_out)
            g_array_append_val(thin, *row);
    }
    for (size_t taken = 0; taken < n_fit && distances[next] >= 0.0; taken++) {
        const PsimGemmSample chosen = g_array_index(all, PsimGemmSample, next);

        g_array_append_val(thin, chosen);
        distances[next] = -1.0;
        for (guint i = 0; i < all->len; i++) {
            const PsimGemmSample *row = &g_array_index(all, PsimGemmSample, i);

            distances[i] = MIN(distances[i], find_distance(&row->product, &chosen.product));
            next = distances[i] > distances[next] ? i : next;
        }
    }
    return thin;
}

START_TEST(what_was_held_out_is_predicted)
{
    const Set *set = &sets[_i];
    g_autofree char *text = NULL;
    PsimGemmFit fit;

    if (!g_file_get_contents(set->columns->file, &text, NULL, NULL)) {
        ck_assert(set->columns != &sampled);
        fprintf(stderr, "# %s is not here, so its products are not fitted\n", set->columns->file);
        return;
    }
    g_autoptr(GArray) all = read_samples(set, text);
    g_autoptr(GArray) samples = thin_out(all, set->n_fit);
    const gint64 begin = g_get_monotonic_time();

    ck_assert(
        psim_gemm_fit(set->base, &g_array_index(samples, PsimGemmSample, 0), samples->len, &fit));
    fprintf(stderr,
            "# %s: %zu rows fitted in %.1f s, MAPE %.2f %%; %zu held out: MAPE %.2f %%, median "
            "%.2f %%, constant efficiency %.2f %%\n",
            set->name, fit.train.n, (double)(g_get_monotonic_time() - begin) * 1e-6,
            100 * fit.train.mape, fit.held_out.n, 100 * fit.held_out.mape,
            100 * fit.held_out.median, 100 * fit.constant.mape);
    ck_assert_uint_ge(fit.held_out.n, 30);
    ck_assert_double_le(fit.held_out.mape, set->bound);
    /* A fit that is no better than one number is none. */
    ck_assert_double_lt(fit.held_out.mape, fit.constant.mape);
}
END_TEST

Suite *
measured_suite(void)
{
    Suite *suite = suite_create("measured");
    TCase *all = tcase_create("all");

    tcase_set_timeout(all, 60);
    tcase_add_loop_test(all, what_was_held_out_is_predicted, 0, G_N_ELEMENTS(sets));
    suite_add_tcase(suite, all);
    return suite;
}
