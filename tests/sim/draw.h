/* SPDX-License-Identifier: MIT */
/* draw.h: random plans
 */
#pragma once

#include "plansim.h"

typedef struct {
    uint64_t seed;
    uint64_t drawn;
} Dice;

/** draw_below: Returns: a number from 0 to @bound - 1. */
uint32_t draw_below(Dice *dice, uint32_t bound);

/** draw_plan: a small GPT on up to 2 x 3 x 4 GPUs, with everything that changes the graph drawn. */
PsimPlan *draw_plan(Dice *dice);
