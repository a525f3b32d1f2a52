/* SPDX-License-Identifier: MIT */
#include "schedule/chunk_table.h"

bool
psim_rounds_are_equal(uint32_t n_microbatches, uint32_t n_ranks)
{
    return n_microbatches % MAX(1, n_microbatches / n_ranks) == 0;
}

void
psim_rounds_complain(const char *name, const PsimShape *shape, GString *complaints)
{
    const uint32_t p = shape->n_ranks;
    const uint32_t m = shape->n_microbatches;
    uint32_t below = m;
    uint32_t above = m;

    if (psim_rounds_are_equal(m, p))
        return;
    /* A multiple of p always works, so neither search goes farther than p. */
    while (!psim_rounds_are_equal(below, p))
        below--;
    while (!psim_rounds_are_equal(above, p))
        above++;
    g_string_append_printf(complaints,
                           "%s has %u microbatches, which do not divide into %u rounds "
                           "over %u pipeline ranks; the nearest that work are %u and %u",
                           name, m, m / p, p, below, above);
}
