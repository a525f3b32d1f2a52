/* SPDX-License-Identifier: MIT */
#include "validate/cluster.h"

#include <string.h>

void
psim_changes_init(PsimChanges *self)
{
    self->pointers = g_ptr_array_new_with_free_func(g_free);
    self->values = g_ptr_array_new_with_free_func(g_free);
}

void
psim_changes_clear(PsimChanges *self)
{
    g_clear_pointer(&self->pointers, g_ptr_array_unref);
    g_clear_pointer(&self->values, g_ptr_array_unref);
}

void
psim_changes_add(PsimChanges *self, const char *pointer, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    g_ptr_array_add(self->pointers, g_strdup(pointer));
    g_ptr_array_add(self->values, g_strdup_vprintf(format, values));
    va_end(values);
}

/* -- The node ---------------------------------------------------------------------------------- */

/* The first row whose words all stand in the name of the GPU, in lower case, is taken. */
static const struct {
    const char *word;
    const char *second; /* here or in the notes; NULL: any */
    uint32_t nodes_of;  /* only of so many GPUs; 0: any */
    const char *preset;
    uint32_t gpus_per_node;     /* of the preset */
    const char *pair_bandwidth; /* of fewer GPUs in a node; NULL: as the preset */
} nodes[] = {
    {"gb300", NULL, 0, "gb300-nvl72", 4, NULL},
    {"gb200", NULL, 0, "gb200-nvl72", 4, NULL},
    {"gh200", NULL, 0, "gh200", 1, NULL},
    {"b300", NULL, 0, "dgx-b300", 8, NULL},
    {"b200", NULL, 0, "dgx-b200", 8, NULL},
    {"h200", NULL, 0, "hgx-h200", 8, NULL},
    {"h800", NULL, 0, "hgx-h800", 8, NULL},
    {"h20", NULL, 0, "hgx-h20", 8, NULL},
    {"h100", "pcie", 0, "h100-pcie-x8", 8, NULL},
    {"h100", "nvl-94", 0, "h100-nvl-x8", 8, NULL},
    {"h100", "500w", 0, "h100-96gb-500w-x8", 8, NULL},
    {"h100", "efa", 0, "aws-p5", 8, NULL},
    {"h100", NULL, 0, "dgx-h100", 8, NULL},
    {"a800", NULL, 0, "hgx-a800", 8, NULL},
    {"a100", "pcie-40", 0, "a100-pcie-40gb-x8", 8, NULL},
    {"a100", "pcie", 0, "a100-pcie-80gb-x8", 8, NULL},
    {"a100", "40gb", 0, "dgx-a100-40gb", 8, NULL},
    {"a100", "efa", 0, "aws-p4de", 8, NULL},
    {"a100", NULL, 0, "dgx-a100-80gb", 8, NULL},
    {"a10g", NULL, 0, "aws-g5", 8, NULL},
    {"a40", NULL, 0, "a40-x8", 8, NULL},
    {"v100-sxm3", NULL, 0, "dgx-2h", 16, NULL},
    {"v100", NULL, 16, "dgx-2", 16, NULL},
    {"v100", "16gb", 8, "v100-16gb-x8", 8, NULL},
    /* Four V100 are fully connected, two NVLinks a pair. */
    {"v100", "16gb", 0, "v100-16gb-x8", 8, "50 GB/s"},
    {"v100", NULL, 8, "dgx-1v", 8, NULL},
    {"v100", NULL, 0, "dgx-1v", 8, "50 GB/s"},
    {"l40s", NULL, 0, "l40s-x8", 8, NULL},
    {"rtx 3090", NULL, 0, "rtx-3090-x8", 8, NULL},
    {"rtx 4090", NULL, 0, "rtx-4090-x8", 8, NULL},
    {"rtx 5090", NULL, 0, "rtx-5090-x8", 8, NULL},
    {"mi355x", NULL, 0, "mi355x-x8", 8, NULL},
    {"mi325x", NULL, 0, "mi325x-x8", 8, NULL},
    {"mi300x", NULL, 0, "azure-nd-mi300x-v5", 8, NULL},
    {"mi250x", NULL, 0, "mi250x-x4", 8, NULL},
};

/* Two kinds in one job, or a guess of the reader's, name no node. */
static bool
is_clear(const char *gpu)
{
    return strchr(gpu, '+') == NULL && strstr(gpu, "not stated") == NULL;
}

/* Amazon's network, which a row names in its notes or as its link. */
static bool
tells_network(const PsimRow *row)
{
    return (row->notes != NULL && strstr(row->notes, "(EFA)") != NULL) ||
           (row->inter_link != NULL && strstr(row->inter_link, "EFA") != NULL);
}

static bool
is_network(const char *word)
{
    return strcmp(word, "efa") == 0;
}

/* A longer number is another card: an A4000 is no A40. */
static bool
names_card(const char *gpu, const char *word)
{
    const char *found = strstr(gpu, word);

    return found != NULL && !g_ascii_isdigit(found[strlen(word)]);
}

static size_t
find_node(const PsimRow *row, const char *gpu)
{
    size_t i = 0;

    for (; i < G_N_ELEMENTS(nodes); i++) {
        const bool named = names_card(gpu, nodes[i].word) &&
                           (nodes[i].second == NULL || strstr(gpu, nodes[i].second) != NULL ||
                            (is_network(nodes[i].second) && tells_network(row)));
        const uint32_t size = row->gpus_per_node == 0 ? 8 : row->gpus_per_node;

        if (named && (nodes[i].nodes_of == 0 || nodes[i].nodes_of == size))
            break;
    }
    return i;
}

/* -- The fabric -------------------------------------------------------------------------------- */

#define RATE "(\\d+)\\s*G(?:b|bit)(?:/s|ps)"

/* Ways to say it; which group is the speed of a link and which the number of links. */
static const struct {
    const char *pattern;
    int rate;
    int count; /* 0: none */
    bool is_total;
} phrases[] = {
    {"(\\d+)\\s*x\\s*(?:[A-Za-z-]+\\s+)*" RATE, 2, 1, false},
    {RATE "\\s*x\\s*(\\d+)\\s*per node", 1, 2, false},
    {RATE " per (?:HCA|NIC), (\\d+) per node", 1, 2, false},
    {RATE " per GPU", 1, 0, false},
    {"(?<![-\\d])" RATE "(?: [A-Za-z0-9]+)* per (?:node|server)", 1, 0, true},
};

static double
fetch_number(const GMatchInfo *match, int group)
{
    g_autofree char *digits = g_match_info_fetch(match, group);

    return g_ascii_strtod(digits, NULL);
}

/* A total is spread over as many NICs as a node of its time would have: one a GPU where that leaves
 * at least 100 Gb/s each, else NICs of 100 Gb/s. */
static void
spread_total(double total, uint32_t gpus_per_node, uint32_t *ret_n_links, double *ret_gigabit_per_s)
{
    const uint32_t slowest = MAX((uint32_t)(total / 100), 1);

    *ret_n_links = MIN(gpus_per_node, slowest);
    *ret_gigabit_per_s = total / *ret_n_links;
}

bool
psim_cluster_links(const char *text,
                   uint32_t gpus_per_node,
                   uint32_t *ret_n_links,
                   double *ret_gigabit_per_s)
{
    for (size_t i = 0; text != NULL && i < G_N_ELEMENTS(phrases); i++) {
        g_autoptr(GRegex) regex =
            g_regex_new(phrases[i].pattern, G_REGEX_CASELESS, /* match_options= */ 0, NULL);
        g_autoptr(GMatchInfo) match = NULL;

        if (!g_regex_match(regex, text, /* match_options= */ 0, &match))
            continue;
        *ret_gigabit_per_s = fetch_number(match, phrases[i].rate);
        *ret_n_links =
            phrases[i].count > 0 ? (uint32_t)fetch_number(match, phrases[i].count) : gpus_per_node;
        if (phrases[i].is_total)
            spread_total(*ret_gigabit_per_s, gpus_per_node, ret_n_links, ret_gigabit_per_s);
        return *ret_n_links > 0 && *ret_gigabit_per_s > 0;
    }
    return false;
}

const char *
psim_cluster_resolve(const PsimRow *row, PsimChanges *ret_changes)
{
    g_autofree char *gpu = row->gpu != NULL ? g_ascii_strdown(row->gpu, -1) : g_strdup("");
    uint32_t n_links = 0;
    double gigabit_per_s = 0;

    if (row->hardware != NULL)
        return row->hardware;
    const size_t i = is_clear(gpu) ? find_node(row, gpu) : G_N_ELEMENTS(nodes);

    if (i == G_N_ELEMENTS(nodes))
        return NULL;
    const uint32_t size = row->gpus_per_node > 0 ? row->gpus_per_node : nodes[i].gpus_per_node;

    if (size != nodes[i].gpus_per_node) {
        psim_changes_add(ret_changes, "/hardware/gpus_per_node", "%u", size);
        psim_changes_add(ret_changes, "/hardware/scale_up/size", "%u", size);
        if (nodes[i].pair_bandwidth != NULL)
            psim_changes_add(ret_changes, "/hardware/scale_up/pair_bandwidth", "%s",
                             nodes[i].pair_bandwidth);
    }
    if (psim_cluster_links(row->inter_link, size, &n_links, &gigabit_per_s)) {
        psim_changes_add(ret_changes, "/hardware/fabric/nics", "%u", n_links);
        psim_changes_add(ret_changes, "/hardware/fabric/nic_bandwidth", "%g Gb/s", gigabit_per_s);
    }
    return nodes[i].preset;
}
