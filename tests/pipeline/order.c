/* SPDX-License-Identifier: MIT */
#include "order.h"

/* Forwards that come before the first backward. */
static uint32_t
count_fill(const TinyConfig *config, uint32_t stage)
{
    const uint32_t m = config->n_microbatches;
    const uint32_t depth = config->n_stages - stage;

    return config->schedule == TINY_SCHEDULE_GPIPE || depth > m ? m : depth;
}

void
tiny_order_make(const TinyConfig *config, uint32_t stage, TinyOp *ret_ops)
{
    const uint32_t m = config->n_microbatches;
    const uint32_t fill = count_fill(config, stage);
    uint32_t n = 0;

    for (uint32_t i = 0; i < fill; i++)
        ret_ops[n++] = (TinyOp){.is_backward = false, .microbatch = i};
    for (uint32_t i = 0; i < m; i++) {
        ret_ops[n++] = (TinyOp){.is_backward = true, .microbatch = i};
        if (fill + i < m)
            ret_ops[n++] = (TinyOp){.is_backward = false, .microbatch = fill + i};
    }
}
