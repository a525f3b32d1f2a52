/* SPDX-License-Identifier: MIT */
/* observer.h: what an onlooker may be told while a graph runs */
#pragma once

#include "graph/graph.h"

G_BEGIN_DECLS

/* Members may be NULL. Called in the order of (time, kind, id): finishes before starts. */
typedef struct {
    void (*started)(void *user, uint32_t task, PsimTime now);
    void (*finished)(void *user, uint32_t task, PsimTime now);
    bool (*cancelled)(void *user); /* asked every few thousand events */
    void *user;
} PsimObserver;

G_END_DECLS
