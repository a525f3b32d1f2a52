/* SPDX-License-Identifier: MIT */
/* A document is the text, kept for the places of complaints, and cJSON's tree of it. An override
 * changes the tree and leaves the text alone; it is remembered, so that a complaint about it points
 * at the command line.
 */
#include "json/document.h"

#include "base/error.h"
#include "base/limits.h"
#include "json/locate.h"
#include "json/pointer.h"
#include "json/quote.h"
#include "json/scan.h"
#include "json/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char *pointer; /* spelled as psim_pointer_append() spells it */
    char *label;   /* "--set /parallel/tensor=0"                 */
} Override;

struct PsimDocument {
    char *text;
    size_t n_bytes;
    char *name;
    cJSON *root;
    GPtrArray *overrides; /* Override, in order of arrival */
};

static void
free_override(void *data)
{
    Override *override = data;

    g_free(override->pointer);
    g_free(override->label);
    g_free(override);
}

/* One complaint as an error. @line is 0 where there is none. */
static void
set_error(
    GError **error, PsimError code, const PsimPlace *place, const char *pointer, const char *text)
{
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autofree char *shown = pointer != NULL ? psim_quote_line(pointer) : NULL;

    psim_complaints_add(complaints, code, place->file, place->line, place->column, shown, "%s",
                        text);
    psim_complaints_finish(complaints, error);
}

/* -- Parsing ----------------------------------------------------------------------------------- */

/* cJSON writes a global at each parse, so only one parse goes on at a time. The text has been
 * scanned, so cJSON fails only where memory runs out. */
static cJSON *
parse_scanned(const char *text)
{
    static GMutex mutex;

    g_mutex_lock(&mutex);

    cJSON *root = cJSON_Parse(text);

    g_mutex_unlock(&mutex);
    g_assert(root != NULL);
    return root;
}

PsimDocument *
psim_document_parse(const char *text, size_t n_bytes, const char *name, GError **error)
{
    g_auto(PsimScanFault) fault = {.text = NULL};
    g_autofree char *valid_name = g_utf8_make_valid(name, -1);

    if (!psim_scan_text(text, n_bytes, /* depth= */ 0, &fault)) {
        PsimPlace place = {.file = valid_name};

        psim_locate_offset(text, n_bytes, fault.offset, &place.line, &place.column);
        set_error(error, fault.code, &place, fault.pointer, fault.text);
        return NULL;
    }

    PsimDocument *self = g_new0(PsimDocument, 1);

    self->text = g_strndup(text, n_bytes);
    self->n_bytes = n_bytes;
    self->name = g_steal_pointer(&valid_name);
    self->root = parse_scanned(self->text);
    self->overrides = g_ptr_array_new_with_free_func(free_override);
    return self;
}

/* Reads at most one byte more than a document may have, so that /dev/zero ends, too. */
static bool
read_stream(FILE *stream, GString *ret_text)
{
    char buffer[16384];
    size_t n_bytes = 0;

    do {
        n_bytes = fread(buffer, 1, sizeof buffer, stream);
        g_string_append_len(ret_text, buffer, (gssize)n_bytes);
    } while (n_bytes > 0 && ret_text->len <= (size_t)PSIM_LIMIT_JSON_BYTES);
    return ferror(stream) == 0;
}

PsimDocument *
psim_document_load(const char *path, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    FILE *stream = fopen(path, "rbe");
    const bool ok = stream != NULL && read_stream(stream, text);
    const int reason = errno;

    if (stream != NULL)
        fclose(stream);
    if (!ok) {
        g_autofree char *name = g_utf8_make_valid(path, -1);

        set_error(error, PSIM_ERROR_IO, &(PsimPlace){.file = name}, NULL, g_strerror(reason));
        return NULL;
    }
    return psim_document_parse(text->str, text->len, path, error);
}

void
psim_document_free(PsimDocument *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->overrides);
    cJSON_Delete(self->root);
    g_free(self->name);
    g_free(self->text);
    g_free(self);
}

const char *
psim_document_name(const PsimDocument *self)
{
    return self->name;
}

const cJSON *
psim_document_root(const PsimDocument *self)
{
    return self->root;
}

/* -- Places ------------------------------------------------------------------------------------ */

/* The latest override that set @pointer or something above it. */
static const Override *
find_override_above(const PsimDocument *self, const char *pointer)
{
    for (guint i = self->overrides->len; i > 0; i--) {
        const Override *override = g_ptr_array_index(self->overrides, i - 1);

        if (psim_pointer_covers(override->pointer, pointer))
            return override;
    }
    return NULL;
}

/* The first override that made @pointer on its way down. */
static const Override *
find_override_below(const PsimDocument *self, const char *pointer)
{
    for (guint i = 0; i < self->overrides->len; i++) {
        const Override *override = g_ptr_array_index(self->overrides, i);

        if (psim_pointer_covers(pointer, override->pointer))
            return override;
    }
    return NULL;
}

PsimPlace
psim_document_place(const PsimDocument *self, const char *pointer, bool want_key)
{
    PsimPlace place = {.file = self->name};
    const Override *override = find_override_above(self, pointer);

    if (override == NULL) {
        const bool found = psim_locate_pointer(self->text, self->n_bytes, pointer, want_key,
                                               &place.line, &place.column);

        if (!found)
            override = find_override_below(self, pointer);
    }
    return override == NULL ? place : (PsimPlace){.file = override->label};
}

/* -- Overrides --------------------------------------------------------------------------------- */

/* Returns: the pointer's steps, or NULL with what is wrong. */
static char **
split_pointer(const char *pointer, char **ret_text)
{
    g_autoptr(GString) token = g_string_new(NULL);
    g_autoptr(GStrvBuilder) tokens = g_strv_builder_new();
    unsigned n_tokens = 0;

    if (*pointer != '/' || !g_utf8_validate(pointer, -1, NULL)) {
        *ret_text = g_strdup("is not a pointer; must begin with \"/\", such as /parallel/tensor");
        return NULL;
    }
    while (psim_pointer_next(&pointer, token)) {
        g_strv_builder_add(tokens, token->str);
        n_tokens++;
    }
    if (n_tokens > PSIM_LIMIT_JSON_DEPTH) {
        *ret_text = g_strdup_printf("has %u steps; must be at most %u (PSIM_LIMIT_JSON_DEPTH)",
                                    n_tokens, PSIM_LIMIT_JSON_DEPTH);
        return NULL;
    }
    return g_strv_builder_end(tokens);
}

/* JSON, or else a string. Returns: NULL with @ret_fault where it is JSON that we refuse. */
static cJSON *
parse_value(const char *value, unsigned depth, PsimScanFault *ret_fault)
{
    if (psim_scan_text(value, strlen(value), depth, ret_fault))
        return parse_scanned(value);
    if (ret_fault->code != PSIM_ERROR_SYNTAX)
        return NULL;
    if (!g_utf8_validate(value, -1, NULL)) {
        ret_fault->code = PSIM_ERROR_VALUE;
        return NULL;
    }
    return cJSON_CreateString(value);
}

static const char *
name_kind(const cJSON *item)
{
    if (cJSON_IsString(item))
        return "a string";
    if (cJSON_IsNumber(item))
        return "a number";
    return cJSON_IsNull(item) ? "null" : "true or false";
}

static cJSON *
find_child(const cJSON *parent, const char *token)
{
    size_t index = 0;

    if (cJSON_IsObject(parent))
        return cJSON_GetObjectItemCaseSensitive(parent, token);
    if (!cJSON_IsArray(parent) || !psim_pointer_to_index(token, &index))
        return NULL;
    return cJSON_GetArrayItem(parent, (int)index);
}

/* Returns: why @token cannot be set in @parent, or NULL if it can. */
static char *
explain_step(const cJSON *parent, const char *token)
{
    g_autofree char *word = psim_quote_word(token);
    const int n_items = cJSON_GetArraySize(parent);

    if (cJSON_IsObject(parent) || (cJSON_IsArray(parent) && find_child(parent, token) != NULL))
        return NULL;
    if (!cJSON_IsArray(parent))
        return g_strdup_printf("is %s; must be an object to hold %s", name_kind(parent), word);
    if (n_items == 0)
        return g_strdup_printf("is an empty array; %s must be the index of an item", word);
    return g_strdup_printf("has %d items; %s must be an index from 0 to %d", n_items, word,
                           n_items - 1);
}

/* In the place of the child of that name, if there is one. Owns @child from here on. */
static void
put_child(cJSON *parent, const char *token, cJSON *child)
{
    size_t index = 0;

    if (cJSON_IsArray(parent) && psim_pointer_to_index(token, &index))
        cJSON_ReplaceItemInArray(parent, (int)index, child);
    else if (find_child(parent, token) != NULL)
        cJSON_ReplaceItemInObjectCaseSensitive(parent, token, child);
    else
        cJSON_AddItemToObject(parent, token, child);
}

/* The container behind @token; an object made for it where nothing or null is there. */
static cJSON *
enter_child(cJSON *parent, const char *token)
{
    cJSON *child = find_child(parent, token);

    if (child == NULL || cJSON_IsNull(child)) {
        child = cJSON_CreateObject();
        put_child(parent, token, child);
    }
    return child;
}

/* Puts @item at the end of @tokens. Nothing is changed before it is clear that it can be put.
 *
 * Returns: what is wrong with the value at @where, or NULL. */
static char *
put_item(PsimDocument *self, char **tokens, cJSON *item, GString *where)
{
    cJSON *parent = self->root;

    for (size_t i = 0; tokens[i] != NULL; i++) {
        char *text = explain_step(parent, tokens[i]);

        if (text != NULL)
            return text;
        psim_pointer_append(where, tokens[i]);
        if (tokens[i + 1] != NULL)
            parent = enter_child(parent, tokens[i]);
    }

    const size_t last = g_strv_length(tokens) - 1;

    put_child(parent, tokens[last], item);
    return NULL;
}

bool
psim_document_set(PsimDocument *self, const char *pointer, const char *value, GError **error)
{
    g_autofree char *argument = g_strdup_printf("--set %s=%s", pointer, value);
    g_autofree char *label = psim_quote_line(argument);
    const PsimPlace place = {.file = label};
    g_autofree char *text = NULL;
    g_auto(GStrv) tokens = split_pointer(pointer, &text);

    if (tokens == NULL) {
        set_error(error, PSIM_ERROR_VALUE, &place, NULL, text);
        return false;
    }

    g_auto(PsimScanFault) fault = {.text = NULL};
    g_autoptr(cJSON) item = parse_value(value, g_strv_length(tokens), &fault);

    if (item == NULL) {
        g_autofree char *inner = g_strconcat(pointer, fault.pointer, NULL);

        set_error(error, fault.code, &place, inner, fault.text);
        return false;
    }

    g_autoptr(GString) where = g_string_new(NULL);

    text = put_item(self, tokens, item, where);
    if (text != NULL) {
        set_error(error, PSIM_ERROR_VALUE, &place, where->str, text);
        return false;
    }
    g_steal_pointer(&item);

    Override *override = g_new0(Override, 1);

    override->pointer = g_string_free(g_steal_pointer(&where), /* free_segment= */ FALSE);
    override->label = g_steal_pointer(&label);
    g_ptr_array_add(self->overrides, override);
    return true;
}
