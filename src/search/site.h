/* SPDX-License-Identifier: MIT */
/* site.h: a cluster that is searched: the base plan on it, and what a search must know of both
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

typedef struct {
    PsimPlan *base;
    char *name;    /* of the hardware */
    char *runtime; /* as a command line names it; NULL: it need not */
    char *precision;
    char *subject;     /* words of a command line that name the base plan */
    char *digest_text; /* the base plan, canonical */
    uint32_t n_layers;
    uint32_t gpus_per_node;
    uint32_t scale_up_size;
    double usd_per_gpu_hour; /* 0: unknown */
    char *price_date; /* of the device's own price; NULL: unknown, or the price is the user's */
    double tdp_w;     /* 0: unknown */
    double capacity_bytes; /* usable on a device */
    double state_bytes;    /* of a parameter in a checkpoint: weights and optimizer */
    uint32_t sequence;     /* tokens of a sample */
    /* The base plan's own point. */
    uint32_t tp, pp, dp, global_batch;
    uint32_t cp;                         /* of all plans of the site: no search moves it */
    bool is_sequence_parallel, is_split; /* a command line has to take these back */
    double tokens;                       /* of its whole run; 0: not said */
} PsimSite;

/** psim_site_new: Ownership: keeps a reference to @base; freed with psim_site_free(). */
PsimSite *psim_site_new(PsimPlan *base, GError **error);
void psim_site_free(PsimSite *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimSite, psim_site_free)

G_END_DECLS
