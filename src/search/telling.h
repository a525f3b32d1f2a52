/* SPDX-License-Identifier: MIT */
/* telling.h: the answer of a search as text, JSON, CSV
 */
#pragma once

#include "search/outlook.h"
#include "search/search.h"

G_BEGIN_DECLS

typedef struct {
    const PsimSpace *space;
    const PsimSearchOptions *options;
    const PsimSearchAnswer *answer;
    guint n_shown;               /* plans of the ranking */
    guint n_explained;           /* of them, those whose neighbours are told of; each is run */
    bool with_sizing;            /* a row a site and number of GPUs */
    PsimFailureOptions failures; /* of the best plan's run */
    const char *reason;          /* psim_reason_text(), or NULL */
    const char *rescue;          /* lines of psim_rescue_text(), or NULL */
    const char *pruned_by;       /* another ranking, by which plans were pruned; NULL: this one */
} PsimTelling;

/** psim_telling_text, _json, _csv, _jsonl: the caller frees. */
char *psim_telling_text(const PsimTelling *self);
char *psim_telling_json(const PsimTelling *self);
char *psim_telling_csv(const PsimTelling *self);
char *psim_telling_jsonl(const PsimTelling *self);

/** psim_telling_number: a number in the fewest digits that read back the same; null for NAN. */
void psim_telling_number(GString *text, double number);

G_END_DECLS
