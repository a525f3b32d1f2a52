/* SPDX-License-Identifier: MIT */
/* imitation.h: a CUDA runtime and a cuBLASLt of our own, on the host, with a clock of their own
 *
 * Everything that is queued is done at once. The clock goes on by a fixed time for each kernel and
 * for each product, and with the bytes of a copy, so that a test knows what must be measured.
 * Memory is counted, and what is written behind its end ends the program.
 */
#pragma once

#include "calibrate/cuda/cuda_case.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define IMITATION_KERNEL_S     2e-6
#define IMITATION_GEMM_S       10e-6 /* the heuristic's first algorithm */
#define IMITATION_GEMM_BEST_S  4e-6  /* its second                      */
#define IMITATION_BYTES_PER_S  1e10
#define IMITATION_GRAPH_NODE_S 1e-6
#define IMITATION_MEMORY_BYTES (UINT64_C(1) << 30)

/** imitation_n_buffers: Returns: buffers that are not freed. */
unsigned imitation_n_buffers(void);

/** imitation_fail_allocation: the @countdown-th allocation from now fails; 0: none. */
void imitation_fail_allocation(unsigned countdown);

/** imitation_spoil_products: makes every product wrong by one element. */
void imitation_spoil_products(bool spoil);

/** imitation_pass: the clock goes on by @s, at once or, in what is captured, when that is replayed.
 */
void imitation_pass(double s);

/** imitation_write: element @at of fp32 or bf16, rounded to nearest. */
void imitation_write(void *array, PsimElement element, uint64_t at, double value);

G_END_DECLS
