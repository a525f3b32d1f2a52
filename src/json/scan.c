/* SPDX-License-Identifier: MIT */
/* One pass over the grammar of RFC 8259 without recursion: the containers that are open lie on a
 * stack of PSIM_LIMIT_JSON_DEPTH levels, which also spells the pointer of a complaint.
 */
#include "json/scan.h"

#include "base/limits.h"
#include "json/escape.h"
#include "json/locate.h"
#include "json/pointer.h"
#include "json/quote.h"

#include <math.h>
#include <string.h>

/* A container that is open. */
typedef struct {
    GHashTable *keys; /* of an object: those seen so far; NULL for an array */
    const char *key;  /* of an object: the current one                                  */
    size_t index;     /* of an array: of the current item                               */
} Level;

typedef struct {
    const char *text;
    size_t n_bytes;
    size_t at;
    unsigned depth; /* levels in use */
    unsigned depth_above;
    Level levels[PSIM_LIMIT_JSON_DEPTH];
    PsimScanFault *fault;
} Scan;

void
psim_scan_fault_clear(PsimScanFault *self)
{
    g_clear_pointer(&self->pointer, g_free);
    g_clear_pointer(&self->text, g_free);
}

static G_GNUC_PRINTF(4, 5) bool fail(
    Scan *self, PsimError code, size_t offset, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    *self->fault = (PsimScanFault){
        .code = code,
        .offset = offset,
        .text = g_strdup_vprintf(format, arguments),
    };
    va_end(arguments);
    return false;
}

/* Returns: the pointer to the current value. */
static char *
spell_pointer(const Scan *self)
{
    g_autoptr(GString) pointer = g_string_new(NULL);

    for (unsigned i = 0; i < self->depth; i++) {
        const Level *level = &self->levels[i];

        if (level->keys != NULL)
            psim_pointer_append(pointer, level->key);
        else
            psim_pointer_append_index(pointer, level->index);
    }
    return g_string_free(g_steal_pointer(&pointer), /* free_segment= */ FALSE);
}

static bool
is_at_end(const Scan *self)
{
    return self->at == self->n_bytes;
}

/* The byte at the cursor; NUL at the end, which no valid text contains. */
static char
peek(const Scan *self)
{
    if (is_at_end(self))
        return '\0';
    return self->text[self->at];
}

static void
skip_space(Scan *self)
{
    while (!is_at_end(self) && strchr(" \t\n\r", self->text[self->at]) != NULL)
        self->at++;
}

/* Bytes of the run of letters, digits and number signs at the cursor. */
static size_t
measure_token(const Scan *self)
{
    size_t n_bytes = 0;

    while (self->at + n_bytes < self->n_bytes) {
        const char c = self->text[self->at + n_bytes];

        if (!g_ascii_isalnum(c) && strchr("+-._", c) == NULL)
            break;
        n_bytes++;
    }
    return n_bytes;
}

/* What stands at the cursor, for messages. */
static char *
describe_here(const Scan *self)
{
    if (is_at_end(self))
        return g_strdup("end of the text");
    if (peek(self) == '"')
        return g_strdup("a string here");

    const char *here = self->text + self->at;
    const size_t n_token = measure_token(self);
    const size_t n_bytes = n_token > 0 ? n_token : (size_t)g_utf8_skip[(guchar)*here];
    g_autofree char *token = g_strndup(here, n_bytes);
    g_autofree char *word = psim_quote_word(token);

    return g_strconcat(word, " here", NULL);
}

static bool
fail_expected(Scan *self, const char *expected)
{
    g_autofree char *here = describe_here(self);

    return fail(self, PSIM_ERROR_SYNTAX, self->at, "%s; expected %s", here, expected);
}

/* -- Numbers ----------------------------------------------------------------------------------- */

static const char *
skip_digits(const char *at)
{
    while (g_ascii_isdigit(*at))
        at++;
    return at;
}

/* Of what follows the whole part of a number. Returns: the rule it breaks, or NULL. */
static const char *
find_tail_fault(const char *at)
{
    if (*at == '.') {
        if (!g_ascii_isdigit(at[1]))
            return "a digit must follow the point";
        at = skip_digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        if (!g_ascii_isdigit(*at))
            return "a digit must follow the exponent's \"e\"";
        at = skip_digits(at);
    }
    return *at == '\0' ? NULL : "a unit or other text belongs into a string";
}

/* Returns: the rule the token breaks, or NULL. */
static const char *
find_number_fault(const char *token)
{
    const char *digits = *token == '-' ? token + 1 : token;
    const char *end = skip_digits(digits);

    if (*token == '+')
        return "a number has no plus sign";
    if (end == digits && *end == '.')
        return "a digit must come before the point";
    if (end == digits)
        return "a digit must follow the minus sign";
    if (*digits == '0' && end > digits + 1)
        return "a number has no leading zeros";
    return find_tail_fault(end);
}

static bool
scan_number(Scan *self)
{
    const size_t n_bytes = measure_token(self);
    g_autofree char *token = g_strndup(self->text + self->at, n_bytes);
    const char *broken = find_number_fault(token);

    if (broken != NULL) {
        g_autofree char *word = psim_quote_word(token);

        return fail(self, PSIM_ERROR_SYNTAX, self->at, "%s is not a number; %s", word, broken);
    }
    if (n_bytes > PSIM_LIMIT_JSON_NUMBER_BYTES) {
        fail(self, PSIM_ERROR_LIMIT, self->at,
             "is a number of %" G_GSIZE_FORMAT
             " characters; must be at most %u (PSIM_LIMIT_JSON_NUMBER_BYTES)",
             n_bytes, PSIM_LIMIT_JSON_NUMBER_BYTES);
        self->fault->pointer = spell_pointer(self);
        return false;
    }
    if (!isfinite(g_ascii_strtod(token, NULL))) {
        fail(self, PSIM_ERROR_VALUE, self->at, "is %s; must be below 1.8e308 in size", token);
        self->fault->pointer = spell_pointer(self);
        return false;
    }
    self->at += n_bytes;
    return true;
}

/* -- Strings ----------------------------------------------------------------------------------- */

static bool
scan_unicode_escape(Scan *self)
{
    const char *here = self->text + self->at;
    size_t n_bytes = 0;
    const gint32 character = psim_escape_parse_unicode(here, self->n_bytes - self->at, &n_bytes);

    if (character == PSIM_ESCAPE_NOT_HEXADECIMAL)
        return fail(self, PSIM_ERROR_SYNTAX, self->at,
                    "\\u in a string; must be followed by four hexadecimal digits");
    if (character == PSIM_ESCAPE_HALF_PAIR)
        return fail(self, PSIM_ERROR_SYNTAX, self->at,
                    "%.6s is half a character; must be a pair of a high and a low surrogate", here);
    if (character == 0)
        return fail(self, PSIM_ERROR_SYNTAX, self->at, "\\u0000 in a string; text cannot hold it");
    self->at += n_bytes;
    return true;
}

static bool
scan_escape(Scan *self)
{
    if (self->at + 1 == self->n_bytes) {
        self->at++;
        return fail_expected(self, "a closing quote");
    }
    if (self->text[self->at + 1] == 'u')
        return scan_unicode_escape(self);
    if (strchr("\"\\/bfnrt", self->text[self->at + 1]) == NULL)
        return fail(self, PSIM_ERROR_SYNTAX, self->at,
                    "unknown escape in a string; a backslash is written \\\\");
    self->at += 2;
    return true;
}

static bool
scan_string(Scan *self)
{
    for (self->at++; !is_at_end(self);) {
        const char c = self->text[self->at];

        if (c == '"') {
            self->at++;
            return true;
        }
        if (c == '\n' || c == '\r')
            return fail(self, PSIM_ERROR_SYNTAX, self->at,
                        "end of the line in a string; expected a closing quote");
        if ((guchar)c < 0x20)
            return fail(self, PSIM_ERROR_SYNTAX, self->at,
                        "control character in a string; must be written \\u%04x", (unsigned)c);
        if (c != '\\')
            self->at++;
        else if (!scan_escape(self))
            return false;
    }
    return fail_expected(self, "a closing quote");
}

/* -- Values ------------------------------------------------------------------------------------ */

static bool
scan_word(Scan *self)
{
    static const char *const words[] = {"true", "false", "null"};
    const size_t n_bytes = measure_token(self);

    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (n_bytes == strlen(words[i]) && memcmp(self->text + self->at, words[i], n_bytes) == 0) {
            self->at += n_bytes;
            return true;
        }
    }
    return fail_expected(self, "a value");
}

static bool
scan_scalar(Scan *self)
{
    const char c = peek(self);

    if (c == '"')
        return scan_string(self);
    if (c == '+' || c == '-' || c == '.' || g_ascii_isdigit(c))
        return scan_number(self);
    return scan_word(self);
}

/* Makes the key (n_bytes at @start with its quotes) the current one; refuses it if it stands for
 * the second time. */
static bool
enter_key(Scan *self, size_t start, size_t n_bytes)
{
    Level *level = &self->levels[self->depth - 1];
    char *key = psim_escape_decode(self->text + start + 1, n_bytes - 2);

    level->key = key;
    if (g_hash_table_add(level->keys, key))
        return true;

    g_autofree char *pointer = spell_pointer(self);
    unsigned line = 0;
    unsigned column = 0;

    /* All that stands before the second one is sound, so the first one is found. */
    psim_locate_pointer(self->text, self->n_bytes, pointer, /* want_key= */ true, &line, &column);
    fail(self, PSIM_ERROR_SCHEMA, start, "stands twice; first on line %u", line);
    self->fault->pointer = g_steal_pointer(&pointer);
    return false;
}

static bool
scan_key(Scan *self, const char *expected)
{
    skip_space(self);
    if (peek(self) != '"')
        return fail_expected(self, expected);

    const size_t start = self->at;

    if (!scan_string(self) || !enter_key(self, start, self->at - start))
        return false;
    skip_space(self);
    if (peek(self) != ':')
        return fail_expected(self, "\":\"");
    self->at++;
    return true;
}

static void
pop_level(Scan *self)
{
    const Level *level = &self->levels[--self->depth];

    if (level->keys != NULL)
        g_hash_table_unref(level->keys);
}

/* Enters a container, up to its first value; passes over an empty one. */
static bool
open_level(Scan *self, bool *ret_value_follows)
{
    const bool is_object = peek(self) == '{';

    if (self->depth + self->depth_above >= PSIM_LIMIT_JSON_DEPTH)
        return fail(self, PSIM_ERROR_LIMIT, self->at,
                    "nested too deeply; must be at most %u levels (PSIM_LIMIT_JSON_DEPTH)",
                    PSIM_LIMIT_JSON_DEPTH);
    self->levels[self->depth++] = (Level){
        .keys = is_object ? g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL) : NULL,
    };
    self->at++;
    skip_space(self);
    *ret_value_follows = peek(self) != (is_object ? '}' : ']');
    if (!*ret_value_follows) {
        self->at++;
        pop_level(self);
        return true;
    }
    return !is_object || scan_key(self, "a key in double quotes or \"}\"");
}

/* After a value: leaves the containers that end here, up to the next value if there is one. */
static bool
close_levels(Scan *self, bool *ret_value_follows)
{
    *ret_value_follows = false;
    while (self->depth > 0) {
        Level *level = &self->levels[self->depth - 1];
        const bool is_object = level->keys != NULL;

        skip_space(self);
        if (peek(self) == ',') {
            self->at++;
            level->index++;
            *ret_value_follows = true;
            return !is_object || scan_key(self, "a key in double quotes");
        }
        if (peek(self) != (is_object ? '}' : ']'))
            return fail_expected(self, is_object ? "\",\" or \"}\"" : "\",\" or \"]\"");
        self->at++;
        pop_level(self);
    }
    return true;
}

static bool
scan_values(Scan *self)
{
    bool value_follows = true;

    while (value_follows) {
        skip_space(self);

        const bool opens = peek(self) == '{' || peek(self) == '[';

        if (opens ? !open_level(self, &value_follows) : !scan_scalar(self))
            return false;
        if ((!opens || !value_follows) && !close_levels(self, &value_follows))
            return false;
    }
    skip_space(self);
    return is_at_end(self) || fail_expected(self, "the end of the text");
}

/* -- The whole text ---------------------------------------------------------------------------- */

static bool
check_bytes(Scan *self)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *end = NULL;

    if (self->n_bytes > (size_t)PSIM_LIMIT_JSON_BYTES)
        return fail(self, PSIM_ERROR_LIMIT, 0, "larger than %u bytes (PSIM_LIMIT_JSON_BYTES)",
                    PSIM_LIMIT_JSON_BYTES);
    if (self->n_bytes >= 3 && memcmp(self->text, mark, 3) == 0)
        return fail(self, PSIM_ERROR_SYNTAX, 0, "byte order mark; expected UTF-8 without one");
    if (self->n_bytes > 0 && !g_utf8_validate_len(self->text, self->n_bytes, &end))
        return fail(self, PSIM_ERROR_SYNTAX, (size_t)(end - self->text),
                    "byte 0x%02x is not UTF-8; expected UTF-8 text", (unsigned)(guchar)*end);
    return true;
}

bool
psim_scan_text(const char *text, size_t n_bytes, unsigned depth, PsimScanFault *ret_fault)
{
    Scan scan = {.text = text, .n_bytes = n_bytes, .depth_above = depth, .fault = ret_fault};
    const bool ok = check_bytes(&scan) && scan_values(&scan);

    while (scan.depth > 0)
        pop_level(&scan);
    return ok;
}
