/* SPDX-License-Identifier: MIT */
/* channel.h: microbatches from one process to the next, through shared memory
 *
 * A channel has room for all microbatches of a step, so that a sender never waits, and what has
 * arrived stays where it is until the next step. Microbatches are sent and received in order.
 */
#pragma once

#include "config.h"

#include <semaphore.h>
#include <stddef.h>

typedef struct {
    sem_t arrived;
    float *slots;    /* (m, T, h) */
    size_t n_floats; /* of a slot */
} TinyChannel;

/** tiny_shared_new: Returns: zeros, shared with the processes forked from here on; NULL after a
 * message on standard error. */
void *tiny_shared_new(size_t n_bytes);
void tiny_shared_free(void *memory, size_t n_bytes);

/** tiny_channel_bytes: Returns: of the slots of one channel. */
size_t tiny_channel_bytes(const TinyConfig *config);

/** tiny_channel_init: @self and @slots in shared memory. */
bool tiny_channel_init(TinyChannel *self, const TinyConfig *config, void *slots);

/** tiny_channel_send: copies @data. */
void tiny_channel_send(TinyChannel *self, uint32_t microbatch, const float *data);

/** tiny_channel_receive: waits. Returns: the slot, valid until the step ends, which may be written.
 */
float *tiny_channel_receive(TinyChannel *self, uint32_t microbatch);
