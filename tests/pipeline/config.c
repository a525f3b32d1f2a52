/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const TinyConfig tiny_config_default = {
    .n_layers = 4,
    .hidden = 512,
    .n_heads = 8,
    .vocabulary = 512,
    .sequence = 128,
    .micro_batch = 1,
    .n_microbatches = 4,
    .n_stages = 2,
    .schedule = TINY_SCHEDULE_1F1B,
    .n_warm_up = 1,
    .n_steps = 3,
    .learning_rate = 1e-3,
    .seed = 1,
};

static const char *const schedule_names[] = {
    [TINY_SCHEDULE_GPIPE] = "gpipe",
    [TINY_SCHEDULE_1F1B] = "1f1b",
};

const char *
tiny_schedule_name(TinySchedule schedule)
{
    return schedule_names[schedule];
}

static bool
read_schedule(TinyConfig *self, const char *word)
{
    for (unsigned i = 0; i < sizeof schedule_names / sizeof schedule_names[0]; i++) {
        if (strcmp(schedule_names[i], word) == 0) {
            self->schedule = (TinySchedule)i;
            return true;
        }
    }
    fprintf(stderr, "--schedule: is \"%s\"; must be gpipe or 1f1b\n", word);
    return false;
}

/* The member that an option of a whole number sets, or NULL. */
static uint32_t *
find_count(TinyConfig *self, const char *option)
{
    const struct {
        const char *option;
        uint32_t *count;
    } counts[] = {
        {"--layers", &self->n_layers},
        {"--hidden", &self->hidden},
        {"--heads", &self->n_heads},
        {"--vocabulary", &self->vocabulary},
        {"--sequence", &self->sequence},
        {"--micro-batch", &self->micro_batch},
        {"--microbatches", &self->n_microbatches},
        {"--stages", &self->n_stages},
        {"--warm-up", &self->n_warm_up},
        {"--steps", &self->n_steps},
    };

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (strcmp(counts[i].option, option) == 0)
            return counts[i].count;
    }
    return NULL;
}

static bool
read_count(uint32_t *count, const char *option, const char *word)
{
    char *end = NULL;

    errno = 0;
    const unsigned long value = strtoul(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0' || value > 1000000 || word[0] == '-') {
        fprintf(stderr, "%s: is \"%s\"; must be a whole number up to 1000000\n", option, word);
        return false;
    }
    *count = (uint32_t)value;
    return true;
}

bool
tiny_config_parse(TinyConfig *self, int argc, char **argv)
{
    *self = tiny_config_default;
    for (int i = 1; i < argc; i += 2) {
        uint32_t *count = find_count(self, argv[i]);

        if (i + 1 == argc) {
            fprintf(stderr, "%s: needs a value\n", argv[i]);
            return false;
        }
        if (count != NULL) {
            if (!read_count(count, argv[i], argv[i + 1]))
                return false;
        } else if (strcmp(argv[i], "--schedule") == 0) {
            if (!read_schedule(self, argv[i + 1]))
                return false;
        } else {
            fprintf(stderr, "%s: unknown\n", argv[i]);
            return false;
        }
    }
    const char *complaint = tiny_config_check(self);
    if (complaint != NULL)
        fprintf(stderr, "%s\n", complaint);
    return complaint == NULL;
}

const char *
tiny_config_check(const TinyConfig *self)
{
    const bool has_size = self->hidden > 0 && self->sequence > 0 && self->micro_batch > 0;
    const bool has_work = self->n_microbatches > 0 && self->n_steps > 0;

    if (!has_size || !has_work || self->vocabulary < 2)
        return "sizes and counts must be at least 1, the vocabulary 2";
    if (self->n_heads == 0 || self->hidden % self->n_heads != 0)
        return "--heads must divide --hidden";
    if (self->n_stages == 0 || self->n_stages > self->n_layers || self->n_stages > TINY_MAX_STAGES)
        return "--stages must be from 1 to --layers, and at most 16";
    return NULL;
}

uint32_t
tiny_config_first_layer(const TinyConfig *self, uint32_t stage)
{
    const uint32_t each = self->n_layers / self->n_stages;
    const uint32_t rest = self->n_layers % self->n_stages;

    return stage * each + (stage < rest ? stage : rest);
}
