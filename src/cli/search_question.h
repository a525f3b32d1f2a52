/* SPDX-License-Identifier: MIT */
/* search_question.h: the space and the limits that the command line of `search` describes
 */
#pragma once

#include "cli/arguments.h"
#include "search/outlook.h"
#include "search/search.h"

G_BEGIN_DECLS

/**
 * psim_search_question_space:
 * Errors: PSIM_USAGE_ERROR, and those of psim_plan_parse().
 * Ownership: freed with psim_space_free().
 */
PsimSpace *psim_search_question_space(const PsimArguments *arguments, GError **error);

/** psim_search_question_options: ranking and limits; @space gets its memory limit. */
bool psim_search_question_options(const PsimArguments *arguments,
                                  PsimSpace *space,
                                  PsimSearchOptions *ret_options,
                                  GError **error);

/** psim_search_question_failures: of a run of @tokens; Errors: PSIM_USAGE_ERROR. */
bool psim_search_question_failures(const PsimArguments *arguments,
                                   double tokens,
                                   PsimFailureOptions *ret_failures,
                                   GError **error);

G_END_DECLS
