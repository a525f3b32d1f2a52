/* SPDX-License-Identifier: MIT */
/* trial.h: a case to measure and what came of it, and the words a file has for both
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

typedef enum {
    PSIM_SUITE_LAUNCH,
    PSIM_SUITE_BANDWIDTH,
    PSIM_SUITE_GEMM,
    PSIM_SUITE_MEMORY,
    PSIM_SUITE_ATTENTION,
    PSIM_SUITE_MEMCPY,
    PSIM_SUITE_NCCL,
} PsimSuite;
#define PSIM_N_SUITES 7

typedef enum {
    PSIM_ROLE_FIT,
    PSIM_ROLE_HELD_OUT, /* the fit never sees it */
    PSIM_ROLE_PROBE,    /* for people: neither fitted nor held against the fit */
} PsimRole;
#define PSIM_N_ROLES 3

typedef struct {
    PsimCase what;
    PsimRole role;
    PsimVerdict verdict;
    bool cold;
    double error; /* of the check, over its bound [1] */
    PsimSamples samples;
    char *line; /* as the file has it, or NULL: made when it is first written */
} PsimTrial;

/** psim_trial_free: frees a trial that g_new() made, samples included. */
void psim_trial_free(PsimTrial *self);

/** psim_trial_suite: Returns: the suite its case belongs to. */
PsimSuite psim_trial_suite(const PsimTrial *self);

/** psim_trial_is_same: Returns: whether both are one case, whatever their role. */
bool psim_trial_is_same(const PsimTrial *a, const PsimTrial *b);

/* Words, in enum order and NULL-terminated; static. */
const char *const *psim_suite_words(void);
const char *const *psim_role_words(void);
const char *const *psim_verdict_words(void);
const char *const *psim_flag_words(void); /* bit i is word i */
const char *const *psim_number_words(void);
const char *const *psim_case_words(void);
const char *const *psim_stream_words(void);
const char *const *psim_layout_words(void);
const char *const *psim_kernel_words(void);
const char *const *psim_memcpy_words(void);
const char *const *psim_exchange_words(void);

/** psim_word_index: Returns: the place of @word among @words, -1 if it is none of them. */
int psim_word_index(const char *word, const char *const *words);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimTrial, psim_trial_free)

G_END_DECLS
