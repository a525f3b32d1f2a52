/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include "block.h"
#include "data.h"
#include "head.h"

#include <stdlib.h>
#include <string.h>

/* What one microbatch holds between its forward and its backward. */
typedef struct {
    float *floats; /* all of it */
    TinyKept *blocks;
    float **inputs; /* (layers) of each block; the first is another stage's but on the first */
    TinyHeadKept head;
    uint32_t *tokens;
    uint32_t *targets;
} Held;

struct TinyStage {
    TinyConfig config;
    uint32_t n_layers;
    bool is_first, is_last;
    size_t first, n_parameters; /* of the whole model */
    float *parameters;          /* from there on, borrowed */
    float *gradients;
    float *moments[2];
    TinyBlock *blocks;
    TinyBlock *block_gradients;
    TinyScratch scratch;
    float *room;     /* of scratch, output and d_stream */
    float *output;   /* (T, h) */
    float *d_stream; /* (T, h), on the last stage */
    double loss;     /* sum over tokens */
    uint32_t n_losses;
    Held *held;          /* (m) by microbatch; floats NULL: not held */
    float **free_floats; /* (n_free) those of finished microbatches */
    uint32_t n_free, n_held, peak_held;
};

static void *
allocate(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);

    if (memory == NULL)
        abort();
    return memory;
}

static size_t
count_stream(const TinyConfig *config)
{
    return (size_t)tiny_config_tokens(config) * config->hidden;
}

/* Of one microbatch, without the input of the first block. */
static size_t
count_held_floats(const TinyStage *self)
{
    const size_t stream = count_stream(&self->config);
    const size_t n_inputs = self->is_first ? self->n_layers : self->n_layers - 1;

    return self->n_layers * tiny_kept_floats(&self->config) + n_inputs * stream +
           (self->is_last ? tiny_head_kept_floats(&self->config) : 0);
}

/* Where the stage's parameters lie, and the views of its blocks. */
static void
find_parameters(TinyStage *self, uint32_t stage, float *parameters)
{
    const TinyConfig *config = &self->config;
    const TinyLayout layout = tiny_data_layout(config);
    const size_t size = tiny_block_parameters(config);
    const uint32_t layer = tiny_config_first_layer(config, stage);
    const size_t first_block = layout.blocks + layer * size;
    const size_t end = self->is_last ? layout.end : first_block + self->n_layers * size;

    self->first = self->is_first ? 0 : first_block;
    self->n_parameters = end - self->first;
    self->parameters = parameters + self->first;
    self->gradients = allocate(self->n_parameters, sizeof(float));
    self->moments[0] = allocate(self->n_parameters, sizeof(float));
    self->moments[1] = allocate(self->n_parameters, sizeof(float));
    self->blocks = allocate(self->n_layers, sizeof *self->blocks);
    self->block_gradients = allocate(self->n_layers, sizeof *self->block_gradients);
    for (uint32_t i = 0; i < self->n_layers; i++) {
        const size_t at = first_block + i * size - self->first;

        self->blocks[i] = tiny_block_view(config, self->parameters + at);
        self->block_gradients[i] = tiny_block_view(config, self->gradients + at);
    }
}

static void
make_room(TinyStage *self)
{
    const TinyConfig *config = &self->config;
    const size_t stream = count_stream(config);
    const size_t m = config->n_microbatches;

    self->room = allocate(2 * stream + tiny_scratch_floats(config), sizeof(float));
    self->output = self->room;
    self->d_stream = self->room + stream;
    self->scratch = tiny_scratch_view(config, self->room + 2 * stream);
    self->held = allocate(m, sizeof *self->held);
    self->free_floats = allocate(m, sizeof *self->free_floats);
    for (size_t i = 0; i < m; i++) {
        self->held[i].blocks = allocate(self->n_layers, sizeof *self->held[i].blocks);
        self->held[i].inputs = allocate(self->n_layers, sizeof *self->held[i].inputs);
        self->held[i].tokens = allocate(tiny_config_tokens(config), sizeof(uint32_t));
        self->held[i].targets = allocate(tiny_config_tokens(config), sizeof(uint32_t));
    }
}

TinyStage *
tiny_stage_new(const TinyConfig *config, uint32_t stage, float *parameters)
{
    TinyStage *self = allocate(1, sizeof *self);

    self->config = *config;
    self->is_first = stage == 0;
    self->is_last = stage + 1 == config->n_stages;
    self->n_layers =
        tiny_config_first_layer(config, stage + 1) - tiny_config_first_layer(config, stage);
    find_parameters(self, stage, parameters);
    make_room(self);
    return self;
}

void
tiny_stage_free(TinyStage *self)
{
    for (uint32_t i = 0; i < self->config.n_microbatches; i++) {
        free(self->held[i].floats);
        free(self->held[i].blocks);
        free((void *)self->held[i].inputs);
        free(self->held[i].tokens);
        free(self->held[i].targets);
    }
    for (uint32_t i = 0; i < self->n_free; i++)
        free(self->free_floats[i]);
    free((void *)self->free_floats);
    free(self->held);
    free(self->room);
    free(self->block_gradients);
    free(self->blocks);
    free(self->moments[1]);
    free(self->moments[0]);
    free(self->gradients);
    free(self);
}

/* -- What is held ------------------------------------------------------------------------------ */

static Held *
hold(TinyStage *self, uint32_t microbatch)
{
    const TinyConfig *config = &self->config;
    const size_t stream = count_stream(config);
    Held *held = &self->held[microbatch];

    held->floats = self->n_free > 0 ? self->free_floats[--self->n_free]
                                    : allocate(count_held_floats(self), sizeof(float));
    float *next = held->floats;
    for (uint32_t i = 0; i < self->n_layers; i++) {
        held->blocks[i] = tiny_kept_view(config, next);
        next += tiny_kept_floats(config);
        if (i == 0 && !self->is_first)
            continue;
        held->inputs[i] = next;
        next += stream;
    }
    if (self->is_last)
        held->head = tiny_head_kept_view(config, next);
    self->n_held++;
    if (self->n_held > self->peak_held)
        self->peak_held = self->n_held;
    return held;
}

static void
let_go(TinyStage *self, uint32_t microbatch)
{
    self->free_floats[self->n_free++] = self->held[microbatch].floats;
    self->held[microbatch].floats = NULL;
    self->n_held--;
}

uint32_t
tiny_stage_peak_held(const TinyStage *self)
{
    return self->peak_held;
}

size_t
tiny_stage_held_bytes(const TinyStage *self)
{
    const size_t input = self->is_first ? 0 : count_stream(&self->config);

    return (count_held_floats(self) + input) * sizeof(float);
}

/* -- The three operations ---------------------------------------------------------------------- */

static TinyHeadWeights
find_head(const TinyStage *self, float *parameters)
{
    const TinyLayout layout = tiny_data_layout(&self->config);

    return (TinyHeadWeights){
        .norm = parameters + (layout.norm - self->first),
        .head = parameters + (layout.head - self->first),
    };
}

static TinyEmbedding
find_embedding(const TinyStage *self, float *parameters)
{
    return (TinyEmbedding){
        .tokens = parameters,
        .positions = parameters + tiny_data_layout(&self->config).positions,
    };
}

static void
begin_microbatch(TinyStage *self, Held *held, const float *input)
{
    if (self->is_first) {
        const TinyEmbedding embedding = find_embedding(self, self->parameters);

        tiny_embedding_forward(&self->config, &embedding, held->tokens, held->inputs[0]);
        held->blocks[0].input = held->inputs[0];
    } else {
        held->blocks[0].input = input;
    }
}

const float *
tiny_stage_forward(TinyStage *self, uint32_t step, uint32_t microbatch, const float *input)
{
    const TinyConfig *config = &self->config;
    Held *held = hold(self, microbatch);

    if (self->is_first || self->is_last)
        tiny_data_draw(config, step, microbatch, held->tokens, held->targets);
    begin_microbatch(self, held, input);
    for (uint32_t i = 0; i < self->n_layers; i++) {
        float *output = i + 1 < self->n_layers ? held->inputs[i + 1] : self->output;

        if (i + 1 == self->n_layers && self->is_last)
            output = held->head.input;
        tiny_block_forward(config, &self->blocks[i], &self->scratch, &held->blocks[i], output);
        if (i + 1 < self->n_layers)
            held->blocks[i + 1].input = output;
    }
    if (!self->is_last)
        return self->output;
    const TinyHeadWeights head = find_head(self, self->parameters);
    self->loss += tiny_head_forward(config, &head, &held->head, held->targets);
    self->n_losses += tiny_config_tokens(config);
    return NULL;
}

const float *
tiny_stage_backward(TinyStage *self, uint32_t microbatch, float *gradient)
{
    const TinyConfig *config = &self->config;
    Held *held = &self->held[microbatch];
    float *d_stream = self->is_last ? self->d_stream : gradient;

    if (self->is_last) {
        const TinyHeadWeights head = find_head(self, self->parameters);
        const TinyHeadWeights head_gradient = find_head(self, self->gradients);

        tiny_head_backward(config, &head, &head_gradient, &held->head, held->targets, d_stream);
    }
    for (uint32_t i = self->n_layers; i-- > 0;) {
        tiny_block_backward(config, &self->blocks[i], &self->block_gradients[i], &self->scratch,
                            &held->blocks[i], d_stream);
    }
    if (self->is_first) {
        const TinyEmbedding embedding = find_embedding(self, self->gradients);

        tiny_embedding_backward(config, &embedding, held->tokens, d_stream);
    }
    let_go(self, microbatch);
    return self->is_first ? NULL : d_stream;
}

void
tiny_stage_optimize(TinyStage *self, uint32_t step)
{
    const TinyAdam adam = tiny_adam_at(self->config.learning_rate, step);

    tiny_adam_step(&adam, self->n_parameters, self->parameters, self->gradients, self->moments);
}

double
tiny_stage_take_loss(TinyStage *self)
{
    const double mean = self->n_losses > 0 ? self->loss / (double)self->n_losses : 0.0;

    self->loss = 0.0;
    self->n_losses = 0;
    return mean;
}

const float *
tiny_stage_gradients(const TinyStage *self, size_t *ret_first, size_t *ret_n)
{
    *ret_first = self->first;
    *ret_n = self->n_parameters;
    return self->gradients;
}
