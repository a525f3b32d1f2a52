/* SPDX-License-Identifier: MIT */
#include "json/escape.h"

#include <string.h>

/* Returns: the number of four hexadecimal digits at @text (n_bytes), or -1. */
static int
parse_hex(const char *text, size_t n_bytes)
{
    int value = 0;

    if (n_bytes < 4)
        return PSIM_ESCAPE_NOT_HEXADECIMAL;
    for (size_t i = 0; i < 4; i++) {
        const int digit = g_ascii_xdigit_value(text[i]);

        if (digit < 0)
            return PSIM_ESCAPE_NOT_HEXADECIMAL;
        value = value * 16 + digit;
    }
    return value;
}

gint32
psim_escape_parse_unicode(const char *text, size_t n_bytes, size_t *ret_n_bytes)
{
    const int first = parse_hex(text + 2, n_bytes - 2);

    *ret_n_bytes = first < 0 ? 2 : 6;
    if (first < 0xd800 || first > 0xdfff)
        return first;
    if (first > 0xdbff || n_bytes < 12 || text[6] != '\\' || text[7] != 'u')
        return PSIM_ESCAPE_HALF_PAIR;

    const int second = parse_hex(text + 8, n_bytes - 8);

    if (second < 0xdc00 || second > 0xdfff)
        return PSIM_ESCAPE_HALF_PAIR;
    *ret_n_bytes = 12;
    return 0x10000 + (first - 0xd800) * 0x400 + (second - 0xdc00);
}

/* Appends what the escape at @text (n_bytes >= 1) stands for. Returns: its length. */
static size_t
decode_escape(GString *out, const char *text, size_t n_bytes)
{
    static const char shorts[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    size_t n_escape = MIN(n_bytes, 2);

    if (n_bytes >= 2 && text[1] == 'u') {
        const gint32 character = psim_escape_parse_unicode(text, n_bytes, &n_escape);

        g_string_append_unichar(out, character > 0 ? (gunichar)character : 0xfffd);
        return n_escape;
    }
    for (size_t i = 0; n_bytes >= 2 && shorts[i] != '\0'; i += 2) {
        if (text[1] == shorts[i]) {
            g_string_append_c(out, shorts[i + 1]);
            return n_escape;
        }
    }
    g_string_append_unichar(out, 0xfffd);
    return n_escape;
}

char *
psim_escape_decode(const char *text, size_t n_bytes)
{
    if (memchr(text, '\\', n_bytes) == NULL)
        return g_strndup(text, n_bytes);

    g_autoptr(GString) out = g_string_sized_new(n_bytes);

    for (size_t at = 0; at < n_bytes;) {
        if (text[at] == '\\') {
            at += decode_escape(out, text + at, n_bytes - at);
        } else {
            g_string_append_c(out, text[at]);
            at++;
        }
    }
    return g_string_free(g_steal_pointer(&out), /* free_segment= */ FALSE);
}
