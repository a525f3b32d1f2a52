/* SPDX-License-Identifier: MIT */
#include "product.h"

#include <cblas.h>

void
tiny_product_begin(void)
{
    openblas_set_num_threads(1);
}

void
tiny_linear_forward(const TinyLinear *shape, const float *x, const float *w, float *y)
{
    const blasint m = (blasint)shape->m;
    const blasint n = (blasint)shape->n;
    const blasint k = (blasint)shape->k;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0F, x, k, w, k, 0.0F, y, n);
}

void
tiny_linear_input(const TinyLinear *shape, const float *dy, const float *w, float *dx)
{
    const blasint m = (blasint)shape->m;
    const blasint n = (blasint)shape->n;
    const blasint k = (blasint)shape->k;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, n, 1.0F, dy, n, w, k, 0.0F, dx, k);
}

void
tiny_linear_weight(const TinyLinear *shape, const float *dy, const float *x, float *dw)
{
    const blasint m = (blasint)shape->m;
    const blasint n = (blasint)shape->n;
    const blasint k = (blasint)shape->k;

    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, k, m, 1.0F, dy, n, x, k, 1.0F, dw, k);
}

void
tiny_head_scores(const TinyHead *head, const float *q, const float *k, float *scores)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s, s, d, head->scale, q, d, k, d, 0.0F,
                scores, s);
}

void
tiny_head_context(const TinyHead *head, const float *p, const float *v, float *context)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s, d, s, 1.0F, p, s, v, d, 0.0F, context,
                (blasint)head->stride);
}

void
tiny_head_probabilities(const TinyHead *head, const float *d_context, const float *v, float *d_p)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, s, s, d, 1.0F, d_context,
                (blasint)head->stride, v, d, 0.0F, d_p, s);
}

void
tiny_head_values(const TinyHead *head, const float *p, const float *d_context, float *d_v)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, d, s, 1.0F, p, s, d_context,
                (blasint)head->stride, 0.0F, d_v, d);
}

void
tiny_head_queries(const TinyHead *head, const float *d_scores, const float *k, float *d_q)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, s, d, s, head->scale, d_scores, s, k, d,
                0.0F, d_q, d);
}

void
tiny_head_keys(const TinyHead *head, const float *d_scores, const float *q, float *d_k)
{
    const blasint s = (blasint)head->s;
    const blasint d = (blasint)head->d;

    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, s, d, s, head->scale, d_scores, s, q, d,
                0.0F, d_k, d);
}
