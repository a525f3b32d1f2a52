/* SPDX-License-Identifier: MIT */
/* The libraries keep probabilities and score gradients in the case's type between two products, so
 * that each term of the second product is rounded once: that is what the bounds allow. */
#include "calibrate/cuda/cuda_reference_attention.h"

#include "calibrate/cuda/cuda_element.h"

#include <math.h>

/* One head: tensors are (batch, sequence, heads, head dimension). */
typedef struct {
    const PsimCase *what;
    uint64_t sequence, d, step; /* step: from a token to the next, of one head */
    uint64_t start, stats_start;
    double scale, epsilon;
} Head;

static Head
head_of(const PsimCase *what, uint64_t batch, uint64_t head)
{
    const uint64_t d = what->attention.head_dim;
    const uint64_t step = what->attention.n_heads * d;
    const uint64_t sequence = what->attention.sequence;

    return (Head){
        .what = what,
        .sequence = sequence,
        .d = d,
        .step = step,
        .start = batch * sequence * step + head * d,
        .stats_start = (batch * what->attention.n_heads + head) * sequence,
        .scale = 1.0 / sqrt((double)d),
        .epsilon = psim_cuda_element_epsilon(psim_element_of(what->number)),
    };
}

static const double *
row(const Head *head, const double *array, uint64_t i)
{
    return array + head->start + i * head->step;
}

static uint64_t
n_keys(const Head *head, uint64_t query)
{
    return head->what->attention.causal ? query + 1 : head->sequence;
}

static double
dot(const double *a, const double *b, uint64_t d)
{
    double sum = 0.0;

    for (uint64_t i = 0; i < d; i++)
        sum += a[i] * b[i];
    return sum;
}

static void
judge(double *worst, double got, double want, double bound)
{
    const double error = fabs(got - want) / (bound + 1e-30);

    if (!isfinite(error))
        *worst = (double)INFINITY;
    else if (error > *worst)
        *worst = error;
}

/* What an element may be off: roundings of itself, and of the terms of which it is the sum. */
static double
bound_of(const Head *head, double want, double size)
{
    return head->epsilon * (2.0 * fabs(want) + 3.0 * size) + 1e-6;
}

/* Probabilities of one query. Returns the log of the sum of exponentials. */
static double
attend(const Head *head, const double *const *before, uint64_t query, double *p)
{
    const uint64_t n = n_keys(head, query);
    const double *const q = row(head, before[PSIM_ATTENTION_Q], query);
    double highest = -(double)INFINITY;

    for (uint64_t j = 0; j < n; j++) {
        p[j] = head->scale * dot(q, row(head, before[PSIM_ATTENTION_K], j), head->d);
        highest = fmax(highest, p[j]);
    }

    /* A query sees at least the first key. */
    double sum = exp(p[0] - highest);

    for (uint64_t j = 1; j < n; j++)
        sum += exp(p[j] - highest);
    for (uint64_t j = 0; j < n; j++)
        p[j] = exp(p[j] - highest) / sum;
    return highest + log(sum);
}

static void
check_output(const Head *head,
             uint64_t i,
             const double *p,
             const double *const *before,
             const double *const *after,
             double *worst)
{
    for (uint64_t c = 0; c < head->d; c++) {
        double want = 0.0;
        double size = 0.0;

        for (uint64_t j = 0; j < n_keys(head, i); j++) {
            const double term = p[j] * row(head, before[PSIM_ATTENTION_V], j)[c];

            want += term;
            size += fabs(term);
        }
        judge(worst, row(head, after[PSIM_ATTENTION_O], i)[c], want, bound_of(head, want, size));
    }
}

static double
check_forward(const Head *head, const double *const *before, const double *const *after)
{
    g_autofree double *p = g_new0(double, head->sequence);
    double worst = 0.0;

    for (uint64_t i = 0; i < head->sequence; i++) {
        const double log_sum = attend(head, before, i, p);

        judge(&worst, after[PSIM_ATTENTION_STATS][head->stats_start + i], log_sum,
              1e-4 * (1.0 + fabs(log_sum)));
        check_output(head, i, p, before, after, &worst);
    }
    return worst;
}

/* Gradients of one head, and the sizes of what they are sums of: (sequence, d) each. */
typedef struct {
    double *sum[3], *size[3];
} Gradients;

static void
add_term(Gradients *gradients, unsigned which, uint64_t at, double term, double size)
{
    gradients->sum[which][at] += term;
    gradients->size[which][at] += size;
}

/* What one query adds to the gradients. */
static void
add_query(
    const Head *head, const double *const *before, uint64_t i, double *p, Gradients *gradients)
{
    const double *const q = row(head, before[PSIM_ATTENTION_Q], i);
    const double *const slope = row(head, before[PSIM_ATTENTION_DO], i);
    const double *const o = row(head, before[PSIM_ATTENTION_O], i);
    const double delta = dot(o, slope, head->d);
    double delta_size = 0.0;

    for (uint64_t c = 0; c < head->d; c++)
        delta_size += fabs(o[c] * slope[c]);
    attend(head, before, i, p);
    for (uint64_t j = 0; j < n_keys(head, i); j++) {
        const double *const k = row(head, before[PSIM_ATTENTION_K], j);
        const double dp = dot(slope, row(head, before[PSIM_ATTENTION_V], j), head->d);
        const double ds = p[j] * (dp - delta) * head->scale;
        const double ds_size = p[j] * (fabs(dp) + delta_size) * head->scale;

        for (uint64_t c = 0; c < head->d; c++) {
            add_term(gradients, 0, i * head->d + c, ds * k[c], ds_size * fabs(k[c]));
            add_term(gradients, 1, j * head->d + c, ds * q[c], ds_size * fabs(q[c]));
            add_term(gradients, 2, j * head->d + c, p[j] * slope[c], p[j] * fabs(slope[c]));
        }
    }
}

static void
check_gradient(
    const Head *head, const double *got, const double *want, const double *size, double *worst)
{
    for (uint64_t i = 0; i < head->sequence; i++)
        for (uint64_t c = 0; c < head->d; c++) {
            const uint64_t at = i * head->d + c;

            judge(worst, row(head, got, i)[c], want[at], bound_of(head, want[at], size[at]));
        }
}

static double
check_backward(const Head *head, const double *const *before, const double *const *after)
{
    static const int arrays[3] = {PSIM_ATTENTION_DQ, PSIM_ATTENTION_DK, PSIM_ATTENTION_DV};
    const uint64_t n = head->sequence * head->d;
    g_autofree double *p = g_new0(double, head->sequence);
    g_autofree double *all = g_new0(double, 6 * n);
    Gradients gradients;
    double worst = 0.0;

    for (unsigned which = 0; which < 3; which++) {
        gradients.sum[which] = all + which * n;
        gradients.size[which] = all + (which + 3) * n;
    }
    for (uint64_t i = 0; i < head->sequence; i++)
        add_query(head, before, i, p, &gradients);
    for (unsigned which = 0; which < 3; which++)
        check_gradient(head, after[arrays[which]], gradients.sum[which], gradients.size[which],
                       &worst);
    return worst;
}

double
psim_cuda_reference_attention_error(const PsimCase *what,
                                    const double *const *before,
                                    const double *const *after)
{
    double worst = 0.0;

    for (uint64_t batch = 0; batch < what->attention.batch; batch++)
        for (uint64_t h = 0; h < what->attention.n_heads; h++) {
            const Head head = head_of(what, batch, h);
            const double error = what->attention.backward ? check_backward(&head, before, after)
                                                          : check_forward(&head, before, after);

            worst = fmax(worst, error);
        }
    return worst;
}
