/* SPDX-License-Identifier: MIT */
/* config.h: what is trained, in how many processes and in which order
 *
 * The trainer is independent of plansim: it shares no line with the simulator it is compared with.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define TINY_MAX_STAGES 16u

typedef enum {
    TINY_SCHEDULE_GPIPE,
    TINY_SCHEDULE_1F1B,
} TinySchedule;

typedef struct {
    uint32_t n_layers;
    uint32_t hidden;
    uint32_t n_heads; /* divides hidden */
    uint32_t vocabulary;
    uint32_t sequence;       /* [tokens] */
    uint32_t micro_batch;    /* b [samples] */
    uint32_t n_microbatches; /* m */
    uint32_t n_stages;       /* p: processes; at most n_layers */
    TinySchedule schedule;
    uint32_t n_warm_up; /* steps that are trained but not timed */
    uint32_t n_steps;   /* steps that are timed */
    double learning_rate;
    uint64_t seed;
} TinyConfig;

/* A GPT whose step takes tenths of a second on one core. */
extern const TinyConfig tiny_config_default;

/**
 * tiny_config_parse:
 * Reads `--layers 4 --schedule gpipe ...` over the default.
 *
 * Returns: false after a message on standard error.
 */
bool tiny_config_parse(TinyConfig *self, int argc, char **argv);

/** tiny_config_check: Returns: NULL, or what cannot be trained about it. */
const char *tiny_config_check(const TinyConfig *self);

const char *tiny_schedule_name(TinySchedule schedule);

/** tiny_config_tokens: Returns: of a microbatch. */
static inline uint32_t
tiny_config_tokens(const TinyConfig *self)
{
    return self->micro_batch * self->sequence;
}

/** tiny_config_first_layer: Returns: of @stage; the first stages have one more where layers do not
 * divide. tiny_config_first_layer(p) is the number of layers. */
uint32_t tiny_config_first_layer(const TinyConfig *self, uint32_t stage);
