/* SPDX-License-Identifier: MIT */
/* order.h: what a stage does, one operation after the other
 */
#pragma once

#include "config.h"

typedef struct {
    bool is_backward;
    uint32_t microbatch;
} TinyOp;

/**
 * tiny_order_make:
 * @ret_ops    (2 m) operations of @stage
 *
 * GPipe: all forwards, then all backwards, oldest first. 1F1B: min(m, p - 1 - stage) forwards to
 * fill, then forward and backward in turn, then what is left. Backwards are in one order in both,
 * so that gradients are summed alike.
 */
void tiny_order_make(const TinyConfig *config, uint32_t stage, TinyOp *ret_ops);
