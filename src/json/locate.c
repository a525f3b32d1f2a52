/* SPDX-License-Identifier: MIT */
/* The text is known to be valid, so values are skipped by brackets and quotes alone. Every step is
 * bounds-checked all the same: a text that is not valid gives some place, never a bad read.
 */
#include "json/locate.h"

#include "json/escape.h"
#include "json/pointer.h"

#include <string.h>

typedef struct {
    const char *text;
    size_t n_bytes;
    size_t at;
} Walk;

/* NUL at the end, which no valid text contains. */
static char
peek(const Walk *self)
{
    if (self->at >= self->n_bytes)
        return '\0';
    return self->text[self->at];
}

static void
skip_space(Walk *self)
{
    while (peek(self) != '\0' && strchr(" \t\n\r", peek(self)) != NULL)
        self->at++;
}

static void
skip_string(Walk *self)
{
    for (self->at++; self->at < self->n_bytes && peek(self) != '"'; self->at++) {
        if (peek(self) == '\\')
            self->at++;
    }
    self->at++;
}

/* Containers by counting brackets, scalars up to what may follow them. */
static void
skip_value(Walk *self)
{
    size_t depth = 0;

    while (self->at < self->n_bytes) {
        const char c = peek(self);

        if (c == '"') {
            skip_string(self);
            continue;
        }
        if (depth == 0 && strchr(",]}", c) != NULL)
            return;
        if (c == '{' || c == '[')
            depth++;
        if (c == '}' || c == ']')
            depth--;
        self->at++;
    }
}

/* Moves past the separator to the next member or item; false at the end of the container. */
static bool
step_over_comma(Walk *self)
{
    skip_space(self);
    if (peek(self) != ',')
        return false;
    self->at++;
    skip_space(self);
    return true;
}

static bool
is_key(const Walk *self, size_t start, const char *wanted)
{
    if (self->at < start + 2 || self->at > self->n_bytes)
        return false;

    g_autofree char *key = psim_escape_decode(self->text + start + 1, self->at - start - 2);

    return strcmp(key, wanted) == 0;
}

/* From an object's brace to the value of its member @key. */
static bool
find_member(Walk *self, const char *key, size_t *ret_key_offset)
{
    self->at++;
    skip_space(self);
    do {
        const size_t start = self->at;

        if (peek(self) != '"')
            return false;
        skip_string(self);

        const bool found = is_key(self, start, key);

        skip_space(self);
        self->at++;
        skip_space(self);
        if (found) {
            *ret_key_offset = start;
            return true;
        }
        skip_value(self);
    } while (step_over_comma(self));
    return false;
}

/* From an array's bracket to its item at @index. */
static bool
find_item(Walk *self, size_t index)
{
    self->at++;
    skip_space(self);
    if (peek(self) == ']')
        return false;
    for (size_t i = 0; i < index; i++) {
        skip_value(self);
        if (!step_over_comma(self))
            return false;
    }
    return self->at < self->n_bytes;
}

/* One step of the pointer; an item has no key, so its own place stands for it. */
static bool
find_child(Walk *self, const char *token, size_t *ret_key_offset)
{
    size_t index = 0;

    if (peek(self) == '{')
        return find_member(self, token, ret_key_offset);
    if (peek(self) != '[' || !psim_pointer_to_index(token, &index) || !find_item(self, index))
        return false;
    *ret_key_offset = self->at;
    return true;
}

bool
psim_locate_pointer(const char *text,
                    size_t n_bytes,
                    const char *pointer,
                    bool want_key,
                    unsigned *ret_line,
                    unsigned *ret_column)
{
    Walk walk = {.text = text, .n_bytes = n_bytes};
    g_autoptr(GString) token = g_string_new(NULL);
    bool found = true;

    skip_space(&walk);

    size_t place = walk.at;

    while (found && psim_pointer_next(&pointer, token)) {
        size_t key_offset = 0;

        found = find_child(&walk, token->str, &key_offset);
        if (found)
            place = want_key && *pointer == '\0' ? key_offset : walk.at;
    }
    psim_locate_offset(text, n_bytes, place, ret_line, ret_column);
    /* What is left over is no pointer. */
    return found && *pointer == '\0';
}

void
psim_locate_offset(
    const char *text, size_t n_bytes, size_t offset, unsigned *ret_line, unsigned *ret_column)
{
    const size_t end = MIN(offset, n_bytes);

    *ret_line = 1;
    *ret_column = 1;
    for (size_t at = 0; at < end; at++) {
        if (text[at] == '\n') {
            ++*ret_line;
            *ret_column = 1;
        } else if (((guchar)text[at] & 0xc0) != 0x80) {
            /* Continuation bytes of UTF-8 belong to the character before them. */
            ++*ret_column;
        }
    }
}
