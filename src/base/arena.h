/* SPDX-License-Identifier: MIT */
/* arena.h: bump allocation, freed in one step
 *
 * A run allocates all it needs from one arena and nothing singly. Memory comes zeroed.
 */
#pragma once

#include <glib.h>
#include <stddef.h>

G_BEGIN_DECLS

typedef struct PsimArena PsimArena;

/* A point to come back to. */
typedef struct {
    size_t chunk_index;
    size_t used_bytes;
} PsimArenaMark;

/** psim_arena_new: Ownership: freed with psim_arena_free(). */
PsimArena *psim_arena_new(void);
void psim_arena_free(PsimArena *self);

/**
 * psim_arena_alloc:
 * @count, @size    items and bytes of one; their product must not overflow (checked)
 *
 * Returns: zeroed memory aligned to 64 bytes (a cache line), never NULL. Aborts without memory.
 * Cost: large blocks come straight from the kernel, with huge pages where it has them.
 */
void *psim_arena_alloc(PsimArena *self, size_t count, size_t size);

/* (count) items of a type, zeroed. */
#define psim_arena_array(arena, Type, count)                                                       \
    ((Type *)psim_arena_alloc((arena), (count), sizeof(Type)))

/** psim_arena_strdup: Returns: a copy of @text; NULL for NULL. */
char *psim_arena_strdup(PsimArena *self, const char *text);

/** psim_arena_printf: Returns: formatted text. */
char *psim_arena_printf(PsimArena *self, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** psim_arena_mark, psim_arena_rewind: forgets everything allocated since the mark. */
PsimArenaMark psim_arena_mark(const PsimArena *self);
void psim_arena_rewind(PsimArena *self, PsimArenaMark mark);

/** psim_arena_bytes: Returns: bytes held from the system. */
size_t psim_arena_bytes(const PsimArena *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PsimArena, psim_arena_free)

G_END_DECLS
