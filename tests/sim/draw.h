/* SPDX-License-Identifier: MIT */
/* draw.h: random plans
 */
#pragma once

#include "plansim.h"

typedef struct {
    uint64_t seed;
    uint64_t drawn;
} Dice;

/** draw_plan: a small GPT on up to 2 x 3 x 4 GPUs, with everything that changes the graph drawn. */
PsimPlan *draw_plan(Dice *dice);
