/* SPDX-License-Identifier: MIT */
#include "channel.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

void *
tiny_shared_new(size_t n_bytes)
{
    void *memory =
        mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, /* fd= */ -1, 0);

    if (memory != MAP_FAILED)
        return memory;
    perror("shared memory");
    return NULL;
}

void
tiny_shared_free(void *memory, size_t n_bytes)
{
    if (memory != NULL)
        munmap(memory, n_bytes);
}

size_t
tiny_channel_bytes(const TinyConfig *config)
{
    return (size_t)config->n_microbatches * tiny_config_tokens(config) * config->hidden *
           sizeof(float);
}

bool
tiny_channel_init(TinyChannel *self, const TinyConfig *config, void *slots)
{
    self->slots = slots;
    self->n_floats = (size_t)tiny_config_tokens(config) * config->hidden;
    if (sem_init(&self->arrived, /* pshared= */ 1, 0) == 0)
        return true;
    perror("semaphore");
    return false;
}

void
tiny_channel_send(TinyChannel *self, uint32_t microbatch, const float *data)
{
    memcpy(self->slots + microbatch * self->n_floats, data, self->n_floats * sizeof *data);
    sem_post(&self->arrived);
}

float *
tiny_channel_receive(TinyChannel *self, uint32_t microbatch)
{
    while (sem_wait(&self->arrived) != 0 && errno == EINTR)
        continue;
    return self->slots + microbatch * self->n_floats;
}
