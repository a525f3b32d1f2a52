/* SPDX-License-Identifier: MIT */
/* product.h: matrix products, all of them by cblas_sgemm on one thread
 */
#pragma once

#include <stddef.h>

/** tiny_product_begin: one thread for all products of this process. */
void tiny_product_begin(void);

/* y = x W^T and its gradients: x (m, k), y (m, n), W (n, k) as PyTorch stores it. */
typedef struct {
    size_t m, n, k;
} TinyLinear;

/** tiny_linear_forward: y = x W^T. */
void tiny_linear_forward(const TinyLinear *shape, const float *x, const float *w, float *y);

/** tiny_linear_input: dx = dy W. */
void tiny_linear_input(const TinyLinear *shape, const float *dy, const float *w, float *dx);

/** tiny_linear_weight: dW += dy^T x. */
void tiny_linear_weight(const TinyLinear *shape, const float *dy, const float *x, float *dw);

/* One head: tokens s, dimension d. Rows of the context and its gradient are @stride apart, since
 * heads stand side by side there. */
typedef struct {
    size_t s, d, stride;
    float scale; /* of the scores */
} TinyHead;

/** tiny_head_scores: scores (s, s) = scale q k^T. */
void tiny_head_scores(const TinyHead *head, const float *q, const float *k, float *scores);

/** tiny_head_context: context (s, d) = p v. */
void tiny_head_context(const TinyHead *head, const float *p, const float *v, float *context);

/** tiny_head_probabilities: d_p = d_context v^T. */
void
tiny_head_probabilities(const TinyHead *head, const float *d_context, const float *v, float *d_p);

/** tiny_head_values: d_v = p^T d_context. */
void tiny_head_values(const TinyHead *head, const float *p, const float *d_context, float *d_v);

/** tiny_head_queries: d_q = scale d_scores k. */
void tiny_head_queries(const TinyHead *head, const float *d_scores, const float *k, float *d_q);

/** tiny_head_keys: d_k = scale d_scores^T q. */
void tiny_head_keys(const TinyHead *head, const float *d_scores, const float *q, float *d_k);
