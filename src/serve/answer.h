/* SPDX-License-Identifier: MIT */
/* answer.h: what is said to an address
 */
#pragma once

#include "serve/serve.h"

G_BEGIN_DECLS

typedef struct {
    unsigned status;    /* of HTTP */
    const char *type;   /* "application/json"; static */
    const char *policy; /* what a browser lets the content do; static */
    GBytes *body;
} PsimAnswer;

/**
 * psim_answer_find:
 * @path     decoded or not: ours need no encoding
 * @query    what follows "?", percent-encoded; NULL: nothing
 */
void psim_answer_find(const PsimServeHost *host,
                      const char *path,
                      const char *query,
                      PsimAnswer *ret_answer);

/** psim_answer_refuse: an answer of a status and a line of text. */
void psim_answer_refuse(unsigned status, const char *reason, PsimAnswer *ret_answer);

void psim_answer_clear(PsimAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimAnswer, psim_answer_clear)

G_END_DECLS
