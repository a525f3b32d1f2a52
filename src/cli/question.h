/* SPDX-License-Identifier: MIT */
/* question.h: PLAN, --model, --tp, --set ...: the plan that a command line describes
 */
#pragma once

#include "cli/arguments.h"
#include "plansim.h"

G_BEGIN_DECLS

/* Replacements in the order of the command line, so that the later one wins. */
typedef struct {
    GArray *overrides;  /* PsimOverride */
    GPtrArray *strings; /* what they point into */
} PsimQuestion;

/**
 * psim_question_init:
 * Collects the replacements that the options ask for.
 *
 * @directory    relative file names in the options are made absolute, if the plan's own directory,
 *               to which the library relates them, is another one; NULL: it is not
 */
void psim_question_init(PsimQuestion *self, const PsimArguments *arguments, const char *directory);

/** psim_question_init_schedule: nothing but a schedule, "NAME[:CHUNKS]". */
void psim_question_init_schedule(PsimQuestion *self, const char *schedule);
void psim_question_clear(PsimQuestion *self);

/**
 * psim_question_load:
 * Returns: the plan of the command line.
 * Errors: PSIM_USAGE_ERROR, and those of psim_plan_load().
 */
PsimPlan *psim_question_load(const PsimArguments *arguments, GError **error);

/**
 * psim_question_load_with:
 * The same with another PLAN (NULL: none) and another schedule, "NAME[:CHUNKS]" (NULL: its own).
 */
PsimPlan *psim_question_load_with(const PsimArguments *arguments,
                                  const char *name,
                                  const char *schedule,
                                  GError **error);

/**
 * psim_question_load_on:
 * The plan of the command line, or without PLAN one of nothing but --model, on a cluster.
 */
PsimPlan *
psim_question_load_on(const PsimArguments *arguments, const char *hardware, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PsimQuestion, psim_question_clear)

G_END_DECLS
