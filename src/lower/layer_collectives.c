/* SPDX-License-Identifier: MIT */
/* What an operation's layers exchange within their tensor- and context-parallel groups and nothing
 * hides: one task each behind its kernels, though in truth they lie between them. Whatever follows
 * on the rank waits for the last.
 */
#include "lower/walk.h"

uint32_t
psim_layer_collectives_emit(PsimWalk *walk,
                            PsimRankState *state,
                            const PsimTrack own[2],
                            uint32_t microbatch,
                            uint32_t base)
{
    static const PsimEmitGroup groups[2] = {PSIM_EMIT_TP, PSIM_EMIT_CP};

    for (unsigned i = 0; i < 2; i++) {
        if (own[i].duration_ps == 0)
            continue;
        base = psim_emit_collective(&walk->emitter, &own[i], microbatch, base, groups[i]);
        state->wait = base;
    }
    return base;
}
