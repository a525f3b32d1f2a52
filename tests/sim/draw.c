/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include "base/rng.h"
#include "written.h"

uint32_t
draw_below(Dice *dice, uint32_t bound)
{
    return psim_rng_below(dice->seed, dice->drawn++, bound);
}

static const char *
choose(Dice *dice, const char *const *words, uint32_t n_words)
{
    return words[draw_below(dice, n_words)];
}

PsimPlan *
draw_plan(Dice *dice)
{
    static const char *const recompute[] = {"none", "selective", "full"};
    static const char *const flags[] = {"false", "true"};
    static const char *const schedules[] = {"naive", "gpipe", "1f1b", "interleaved"};
    static const uint32_t tensor[] = {1, 2, 4};
    static const uint32_t context[] = {1, 1, 2, 4};
    static const char *const communication[] = {"p2p", "all-gather", "all-gather-ring"};
    const char *schedule = choose(dice, schedules, 4);
    const bool is_interleaved = g_str_equal(schedule, "interleaved");
    const uint32_t tp = tensor[draw_below(dice, 3)];
    const uint32_t pp = is_interleaved ? 2 + draw_below(dice, 2) : 1 + draw_below(dice, 3);
    const uint32_t dp = 1 + draw_below(dice, 4);
    const uint32_t micro = 1 + draw_below(dice, 2);
    const uint32_t m = is_interleaved ? pp * (1 + draw_below(dice, 3)) : 1 + draw_below(dice, 9);
    const char *sequence_parallel = choose(dice, flags, tp > 1 ? 2 : 1);
    g_autofree char *batch =
        g_strdup_printf("/batch={\"micro\": %u, \"global\": %u}", micro, micro * dp * m);
    g_autofree char *order = g_strdup_printf("/schedule={\"name\": \"%s\", \"chunks\": %u}",
                                             schedule, is_interleaved ? 2 : 1);
    g_autofree char *memory = g_strdup_printf("/recompute=%s", choose(dice, recompute, 3));
    g_autofree char *zero = g_strdup_printf("/zero_stage=%u", draw_below(dice, 4));
    g_autofree char *overlap =
        g_strdup_printf("/overlap={\"data\": %s, \"pipeline\": %s, \"tensor\": %s}",
                        choose(dice, flags, 2), choose(dice, flags, 2), choose(dice, flags, 2));
    /* As long as before on each rank. */
    const uint32_t cp = context[draw_below(dice, 4)];
    const char *position =
        cp > 1 ? "/model/transformer/positions=rotary" : "/model/transformer/positions=learned";
    g_autofree char *sequence = g_strdup_printf("/model/transformer/sequence=%u", 2048 * cp);
    g_autofree char *gpus = g_strdup_printf("/gpus=%u", tp * cp * pp * dp);
    g_autofree char *degrees = g_strdup_printf(
        "/parallel={\"tensor\": %u, \"context\": %u, \"context_communication\": \"%s\", "
        "\"pipeline\": %u, \"data\": %u, \"sequence_parallel\": %s}",
        tp, cp, choose(dice, communication, 3), pp, dp, sequence_parallel);

    return load_plan("narayanan-1.7b", "/runtime=megatron", "/model/transformer/layers=12",
                     sequence, cp > 1 ? "/flash_attention=true" : "/flash_attention=false",
                     position, degrees, batch, gpus, order, memory, zero, overlap, NULL);
}
