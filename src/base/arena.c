/* SPDX-License-Identifier: MIT */
/* Chunks are never moved, so pointers stay valid until rewind or free. A rewind keeps the chunks;
 * what it hands out again is zeroed on the way, while fresh chunks come zeroed from the kernel.
 */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define ALIGNMENT   ((size_t)64)
#define CHUNK_BYTES ((size_t)256 * 1024)
#define HUGE_BYTES  ((size_t)2 * 1024 * 1024)

typedef struct {
    char *bytes;
    size_t size_bytes;
    size_t dirty_bytes; /* handed out before; must be cleared when handed out again */
} Chunk;

struct PsimArena {
    GArray *chunks; /* Chunk */
    size_t chunk_index;
    size_t used_bytes;
};

static size_t
round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static Chunk
map_chunk(size_t at_least_bytes)
{
    const bool huge = at_least_bytes >= HUGE_BYTES;
    const size_t size_bytes = round_up(MAX(at_least_bytes, CHUNK_BYTES), huge ? HUGE_BYTES : 4096);
    void *bytes =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (bytes == MAP_FAILED)
        g_error("out of memory: could not map %zu bytes", size_bytes);
    if (huge)
        (void)madvise(bytes, size_bytes, MADV_HUGEPAGE);
    return (Chunk){.bytes = bytes, .size_bytes = size_bytes};
}

PsimArena *
psim_arena_new(void)
{
    PsimArena *self = g_new0(PsimArena, 1);

    self->chunks = g_array_new(/* zero_terminated= */ FALSE, /* clear= */ TRUE, sizeof(Chunk));
    return self;
}

void
psim_arena_free(PsimArena *self)
{
    if (self == NULL)
        return;
    for (guint i = 0; i < self->chunks->len; i++) {
        const Chunk *chunk = &g_array_index(self->chunks, Chunk, i);

        (void)munmap(chunk->bytes, chunk->size_bytes);
    }
    g_array_free(self->chunks, /* free_segment= */ TRUE);
    g_free(self);
}

/* Moves on to the first chunk, from the current one on, that has room for @bytes. */
static Chunk *
find_room(PsimArena *self, size_t bytes)
{
    while (self->chunk_index < self->chunks->len) {
        Chunk *chunk = &g_array_index(self->chunks, Chunk, self->chunk_index);

        if (bytes <= chunk->size_bytes - self->used_bytes)
            return chunk;
        self->chunk_index++;
        self->used_bytes = 0;
    }
    const Chunk fresh = map_chunk(bytes);

    g_array_append_val(self->chunks, fresh);
    self->used_bytes = 0;
    return &g_array_index(self->chunks, Chunk, self->chunk_index);
}

void *
psim_arena_alloc(PsimArena *self, size_t count, size_t size)
{
    size_t bytes = 0;

    g_assert(!__builtin_mul_overflow(count, size, &bytes) && bytes < SIZE_MAX / 2);
    bytes = round_up(MAX(bytes, 1), ALIGNMENT);

    Chunk *chunk = find_room(self, bytes);
    char *block = chunk->bytes + self->used_bytes;

    if (self->used_bytes < chunk->dirty_bytes)
        memset(block, 0, MIN(bytes, chunk->dirty_bytes - self->used_bytes));
    self->used_bytes += bytes;
    chunk->dirty_bytes = MAX(chunk->dirty_bytes, self->used_bytes);
    return block;
}

char *
psim_arena_strdup(PsimArena *self, const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t size = strlen(text) + 1;

    return memcpy(psim_arena_alloc(self, size, 1), text, size);
}

char *
psim_arena_printf(PsimArena *self, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return psim_arena_strdup(self, text);
}

PsimArenaMark
psim_arena_mark(const PsimArena *self)
{
    return (PsimArenaMark){.chunk_index = self->chunk_index, .used_bytes = self->used_bytes};
}

void
psim_arena_rewind(PsimArena *self, PsimArenaMark mark)
{
    g_assert(mark.chunk_index <= self->chunk_index);
    self->chunk_index = mark.chunk_index;
    self->used_bytes = mark.used_bytes;
}

size_t
psim_arena_bytes(const PsimArena *self)
{
    size_t bytes = 0;

    for (guint i = 0; i < self->chunks->len; i++)
        bytes += g_array_index(self->chunks, Chunk, i).size_bytes;
    return bytes;
}
