/* SPDX-License-Identifier: MIT */
/* train.h: the pipeline: a process a stage, steps from barrier to barrier, each operation timed
 */
#pragma once

#include "config.h"

/* Of one kind of operation, summed over a step of a stage. */
typedef struct {
    double wall_s; /* [s] */
    double
        cpu_s; /* of the thread: less than the wall clock where something else had the core [s] */
} TinyClock;

typedef struct {
    TinyClock forward, backward, optimizer;
    double send_s; /* copying to a neighbour  [s] */
    double wait_s; /* for a neighbour         [s] */
} TinyTimes;

typedef struct {
    int core; /* the stage is pinned to; negative: to none */
    uint32_t peak_held;
    uint64_t held_bytes; /* of one microbatch                [B] */
} TinyStageFacts;

/* Shared among the processes. */
typedef struct {
    TinyStageFacts *stages; /* (p) */
    TinyTimes *times;       /* (steps, p), timed steps only */
    double *step_s;         /* (steps) from barrier to barrier [s] */
    double *losses;         /* (warm_up + steps) */
    float *parameters;      /* of the whole model, see data.h */
    void *memory;           /* all of it */
    uint64_t n_bytes;
} TinyReport;

/** tiny_report_init: with the weights that training begins with. Returns: false after a message. */
bool tiny_report_init(TinyReport *self, const TinyConfig *config);
void tiny_report_clear(TinyReport *self);

/**
 * tiny_train:
 * Trains from @report's parameters on, which become the trained ones.
 *
 * Returns: false after a message on standard error.
 */
bool tiny_train(const TinyConfig *config, TinyReport *report);
