/* SPDX-License-Identifier: MIT */
/* Communication: what is exposed of it, and the collectives by kind. */
#include "sim/why.h"

#include "base/text.h"
#include "base/time.h"
#include "report/phrase.h"

#include <string.h>

/* Those of one group, or all. */
static void
append_collectives(PsimWhy *why, const char *group)
{
    const PsimResult *result = why->run->result;
    g_autoptr(PsimTable) table =
        psim_table_new("what|group|GPUs|path|payload|one|count|all|exposed");
    uint32_t n_rows = 0;

    for (uint32_t i = 0; i < result->n_collectives; i++) {
        const PsimCollectiveFigures *row = &result->collectives[i];

        if (group != NULL && strcmp(row->group, group) != 0)
            continue;
        psim_table_cell(table, "%s", row->kind);
        psim_table_cell(table, "%s", row->group);
        psim_table_cell(table, "%u", row->group_size);
        psim_table_cell(table, "%s", row->crosses_node ? "between nodes" : "in a node");
        psim_table_cell_take(table, psim_phrase_bytes(row->bytes));
        psim_table_cell_take(table, psim_phrase_seconds(row->time_s / (double)row->count));
        psim_table_cell(table, "%" G_GUINT64_FORMAT, row->count);
        psim_table_cell_take(table, psim_phrase_seconds(row->time_s));
        psim_table_cell_take(table, psim_phrase_seconds(row->exposed_s));
        n_rows++;
    }
    if (n_rows == 0) {
        g_string_append(why->out, "\nthis plan has none of these collectives\n");
        return;
    }
    g_string_append(why->out, "\ncollectives of the busiest rank, a step\n");
    psim_table_render(table, why->out, 2);
}

static void
explain_tp(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/tensor", "/parallel/sequence_parallel",
                                         "/overlap/tensor",  "/batch/micro",
                                         "/batch/global",    NULL};

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.tp_exposed_ps),
                    "mean over ranks");
    psim_why_formula(why, "microbatches x layers x collectives of a layer, each a + min(f S / low, "
                          "step + f S / high) + host, with f = 2(n-1)/n for all-reduce and (n-1)/n "
                          "else; with overlap less what hides beside the next product, but with "
                          "what the product loses: SMs to the collective, and time in pieces");
    append_collectives(why, "tp");
    psim_why_tp_collectives(why);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_SCALE_UP | PSIM_WHY_HOST);
}

static void
explain_pp(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/pipeline", "/schedule/name",    "/batch/micro",
                                         "/parallel/tensor",   "/overlap/pipeline", NULL};

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.pp_exposed_ps),
                    "mean over ranks");
    psim_why_formula(why,
                     "of each transfer latency + bytes / bandwidth, what a rank waits for; bytes "
                     "= micro batch x sequence x hidden x element / (CP x TP)");
    append_collectives(why, "pp");
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_FABRIC | PSIM_WHY_SCALE_UP);
}

static void
explain_dp(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/data", "/parallel/context", "/zero_stage",
                                         "/overlap/data",  "/runtime",          NULL};

    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.dp_exposed_ps),
                    "mean over ranks");
    psim_why_formula(why,
                     "of the reduction of gradients (and the gathers that ZeRO adds), what the "
                     "backward does not hide, and what those beside compute take from it: "
                     "min(c k, t c / (1 - c)) of compute t beside collectives k, c the share of "
                     "the SMs that a collective takes; payload = parameters of the rank x bytes "
                     "of a gradient on the wire");
    append_collectives(why, "dp");
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_FABRIC | PSIM_WHY_SCALE_UP | PSIM_WHY_BYTES);
}

static void
explain_none(PsimWhy *why)
{
    psim_why_answer(why, g_strdup("0 s"), "no such parallelism in this plan");
    psim_why_formula(why, "what collectives of that group a rank waits for; there are none");
}

static void
explain_cp(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/context", "/parallel/context_communication",
                                         "/batch/micro",      "/parallel/tensor",
                                         "/runtime",          NULL};

    if (why->run->plan->cp == 1) {
        explain_none(why);
        return;
    }
    psim_why_answer(why, psim_phrase_time(why->run->result->breakdown.cp_exposed_ps),
                    "mean over ranks");
    psim_why_formula(why, "microbatches x layers x what a layer exchanges: of keys and values that "
                          "go round a ring, max(transfer - attention of a step, 0); of a gather, "
                          "scatter or all-to-all the whole, or what the first step does not hide");
    append_collectives(why, "cp");
    psim_why_cp_collectives(why);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_SCALE_UP | PSIM_WHY_FABRIC | PSIM_WHY_HOST);
}

static void
explain_all(PsimWhy *why)
{
    static const char *const inputs[] = {"/parallel/tensor",   "/parallel/context",
                                         "/parallel/pipeline", "/parallel/data",
                                         "/zero_stage",        NULL};

    psim_why_answer(why, g_strdup_printf("%u kinds", why->run->result->n_collectives),
                    "each with its payload, count, time and what is exposed of it");
    psim_why_formula(
        why,
        "inside a node a + min(f S / low, step + f S / high), measured by number of "
        "ranks; between nodes the fastest of a ring, a tree and, where the switch sums, two tiers, "
        "sharing the NICs among the groups that use them at once");
    append_collectives(why, /* group= */ NULL);
    psim_why_inputs(why, inputs);
    psim_why_constants(why, PSIM_WHY_SCALE_UP | PSIM_WHY_FABRIC | PSIM_WHY_HOST);
}

const PsimWhyMember psim_why_comm_members[] = {
    {"step.breakdown_s.tp_exposed", explain_tp},
    {"step.breakdown_s.pp_exposed", explain_pp},
    {"step.breakdown_s.dp_exposed", explain_dp},
    {"step.breakdown_s.cp_exposed", explain_cp},
    {"step.breakdown_s.ep_exposed", explain_none},
    {"collectives", explain_all},
    {0},
};
