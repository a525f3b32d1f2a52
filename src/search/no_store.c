/* SPDX-License-Identifier: MIT */
/* In place of store.c where SQLite is missing. */
#include "search/store.h"

static PsimStore *
refuse(GError **error)
{
    g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                        "this plansim was built without SQLite; results cannot be kept in a file");
    return NULL;
}

PsimStore *
psim_store_open(const char *path,
                const char *key,
                const PsimSpace *space,
                const PsimStoreOrigin *origin,
                GError **error)
{
    (void)path;
    (void)key;
    (void)space;
    (void)origin;
    return refuse(error);
}

PsimStore *
psim_store_open_old(const char *path, PsimSpace *space, PsimStoreOrigin *ret_origin, GError **error)
{
    (void)path;
    (void)space;
    (void)ret_origin;
    return refuse(error);
}

void
psim_store_close(PsimStore *self)
{
    (void)self;
}

bool
psim_store_write(PsimStore *self,
                 const PsimFound *found,
                 guint n_found,
                 const PsimStoreProgress *progress,
                 GError **error)
{
    (void)self;
    (void)found;
    (void)n_found;
    (void)progress;
    return refuse(error) != NULL;
}

bool
psim_store_read(PsimStore *self,
                void (*take)(const PsimFound *found, void *user),
                void *user,
                PsimStoreProgress *ret_progress,
                GError **error)
{
    (void)self;
    (void)take;
    (void)user;
    (void)ret_progress;
    return refuse(error) != NULL;
}
