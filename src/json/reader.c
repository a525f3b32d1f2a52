/* SPDX-License-Identifier: MIT */
/* A stack of frames, one an object entered, and the pointer to where the reader stands:
 *
 *     frame 0  ""          the root
 *     frame 1  "/parallel" has asked for "tensor", "pipeline"; whatever else is there is unknown
 *
 * A frame whose object is missing or no object is silent: that has been complained of once, and
 * nothing inside can be right.
 */
#include "json/reader.h"

#include "base/text.h"
#include "json/pointer.h"
#include "json/quote.h"
#include "json/reader_member.h"

#include <string.h>

/* Finding a place walks the text. Beyond so many complaints, of which twenty are shown, places are
 * no longer found; such complaints sort behind all others and are only counted. */
#define N_LOCATED 200u

typedef struct {
    const cJSON *object; /* NULL: an empty object */
    size_t n_pointer;    /* length of the reader's pointer outside of this frame */
    bool silent;
    GPtrArray *asked;   /* char *, keys some getter asked for */
    GPtrArray *ignored; /* char *, known keys that are no use as a spelling hint */
} Frame;

struct PsimReader {
    PsimDocument *document;
    PsimComplaints *complaints;
    GString *pointer;
    GPtrArray *frames;   /* Frame, the last is the current one */
    GPtrArray *defaults; /* PsimDefault */
    unsigned n_complaints;
    /* The last item visited, since items are a list and are mostly visited in order. */
    const cJSON *item_array;
    const cJSON *item;
    size_t item_index;
};

static void
free_frame(void *data)
{
    Frame *frame = data;

    g_ptr_array_unref(frame->asked);
    g_ptr_array_unref(frame->ignored);
    g_free(frame);
}

static void
free_default(void *data)
{
    PsimDefault *taken = data;

    g_free(taken->pointer);
    g_free(taken->value);
    g_free(taken->why);
    g_free(taken);
}

static Frame *
get_frame(const PsimReader *self)
{
    return g_ptr_array_index(self->frames, self->frames->len - 1);
}

/* -- Complaints -------------------------------------------------------------------------------- */

static bool
is_locating(const PsimReader *self)
{
    return self->n_complaints < N_LOCATED;
}

static void
add_complaint(
    PsimReader *self, const char *pointer, bool want_key, PsimError code, const char *text)
{
    PsimPlace place = {
        .file = psim_document_name(self->document),
        .line = G_MAXUINT,
        .column = G_MAXUINT,
    };
    g_autofree char *shown = psim_quote_line(pointer);

    if (is_locating(self))
        place = psim_document_place(self->document, pointer, want_key);
    self->n_complaints++;
    psim_complaints_add(self->complaints, code, place.file, place.line, place.column, shown, "%s",
                        text);
}

/* Returns: the pointer to member @key of the current object; to the object itself for NULL. */
static char *
point_at(const PsimReader *self, const char *key)
{
    g_autoptr(GString) pointer = g_string_new(self->pointer->str);

    if (key != NULL)
        psim_pointer_append(pointer, key);
    return g_string_free(g_steal_pointer(&pointer), /* free_segment= */ FALSE);
}

static void
complain_fault(PsimReader *self, const char *pointer, const PsimValueFault *fault)
{
    if (!get_frame(self)->silent)
        add_complaint(self, pointer, /* want_key= */ false, fault->code, fault->text);
}

void
psim_reader_refuse(PsimReader *self, const char *key, const PsimValueFault *fault)
{
    g_autofree char *pointer = point_at(self, key);

    complain_fault(self, pointer, fault);
}

void
psim_reader_complain(PsimReader *self, const char *key, PsimError code, const char *format, ...)
{
    va_list arguments;
    g_auto(PsimValueFault) fault = {.code = code};

    va_start(arguments, format);
    fault.text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    psim_reader_refuse(self, key, &fault);
}

void
psim_reader_complain_at(
    PsimReader *self, const char *pointer, PsimError code, const char *format, ...)
{
    va_list arguments;
    g_autofree char *text = NULL;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    add_complaint(self, pointer, /* want_key= */ false, code, text);
}

/* -- Known and unknown members ----------------------------------------------------------------- */

static bool
is_listed(const GPtrArray *keys, const char *key)
{
    for (guint i = 0; i < keys->len; i++) {
        if (strcmp(g_ptr_array_index(keys, i), key) == 0)
            return true;
    }
    return false;
}

static void
list_key(GPtrArray *keys, const char *key)
{
    if (!is_listed(keys, key))
        g_ptr_array_add(keys, g_strdup(key));
}

const cJSON *
psim_reader_member(PsimReader *self, const char *key)
{
    const Frame *frame = get_frame(self);

    list_key(frame->asked, key);
    return frame->object == NULL ? NULL : cJSON_GetObjectItemCaseSensitive(frame->object, key);
}

/* The known key that @key was meant to be: one that is not there. Otherwise all known keys. */
static char *
explain_unknown(const Frame *frame, const char *key)
{
    g_autoptr(GPtrArray) absent = g_ptr_array_new();
    g_autoptr(GString) text = g_string_new("unknown");

    for (guint i = 0; i < frame->asked->len; i++) {
        char *word = g_ptr_array_index(frame->asked, i);

        if (cJSON_GetObjectItemCaseSensitive(frame->object, word) == NULL)
            g_ptr_array_add(absent, word);
    }
    g_ptr_array_add(absent, NULL);

    const char *nearest = psim_text_nearest(key, (const char *const *)absent->pdata);

    if (nearest != NULL)
        g_string_append_printf(text, "; did you mean \"%s\"?", nearest);
    for (guint i = 0; nearest == NULL && i < frame->asked->len; i++)
        g_string_append_printf(text, "%s %s", i == 0 ? "; must be one of" : ",",
                               (const char *)g_ptr_array_index(frame->asked, i));
    return g_string_free(g_steal_pointer(&text), /* free_segment= */ FALSE);
}

static void
complain_of_unknown(PsimReader *self, const char *key)
{
    g_autofree char *pointer = point_at(self, key);
    g_autofree char *text =
        is_locating(self) ? explain_unknown(get_frame(self), key) : g_strdup("unknown");

    add_complaint(self, pointer, /* want_key= */ true, PSIM_ERROR_SCHEMA, text);
}

static void
check_members(PsimReader *self)
{
    const Frame *frame = get_frame(self);
    const cJSON *member = NULL;

    if (frame->silent)
        return;
    cJSON_ArrayForEach(member, frame->object)
    {
        if (!is_listed(frame->asked, member->string) && !is_listed(frame->ignored, member->string))
            complain_of_unknown(self, member->string);
    }
}

void
psim_reader_ignore(PsimReader *self, const char *key)
{
    list_key(get_frame(self)->ignored, key);
}

/* -- Going in and out -------------------------------------------------------------------------- */

/* Stands on @object, the value at @pointer; complains if it is no object, or absent and required.
 */
static void
push_frame(PsimReader *self, const char *pointer, const cJSON *object, bool required)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    const bool is_object = cJSON_IsObject(object);
    const bool is_empty = !required && psim_value_is_absent(object);
    const bool silent = self->frames->len > 0 && get_frame(self)->silent;
    Frame *frame = g_new0(Frame, 1);

    *frame = (Frame){
        .object = is_object ? object : NULL,
        .n_pointer = self->pointer->len,
        .silent = silent || (!is_object && !is_empty),
        .asked = g_ptr_array_new_with_free_func(g_free),
        .ignored = g_ptr_array_new_with_free_func(g_free),
    };
    if (frame->silent && !silent) {
        psim_value_check_kind(object, "an object", is_object, &fault);
        add_complaint(self, pointer, /* want_key= */ false, fault.code, fault.text);
    }
    g_string_assign(self->pointer, pointer);
    g_ptr_array_add(self->frames, frame);
}

PsimReader *
psim_reader_new(PsimDocument *document, PsimComplaints *complaints)
{
    PsimReader *self = g_new0(PsimReader, 1);

    *self = (PsimReader){
        .document = document,
        .complaints = complaints,
        .pointer = g_string_new(NULL),
        .frames = g_ptr_array_new_with_free_func(free_frame),
        .defaults = g_ptr_array_new_with_free_func(free_default),
    };
    push_frame(self, "", psim_document_root(document), /* required= */ true);
    return self;
}

void
psim_reader_free(PsimReader *self)
{
    if (self == NULL)
        return;
    g_ptr_array_unref(self->defaults);
    g_ptr_array_unref(self->frames);
    (void)g_string_free(self->pointer, /* free_segment= */ TRUE);
    g_free(self);
}

void
psim_reader_enter(PsimReader *self, const char *key)
{
    g_autofree char *pointer = point_at(self, key);

    push_frame(self, pointer, psim_reader_member(self, key), /* required= */ true);
}

void
psim_reader_enter_or_empty(PsimReader *self, const char *key)
{
    g_autofree char *pointer = point_at(self, key);

    push_frame(self, pointer, psim_reader_member(self, key), /* required= */ false);
}

void
psim_reader_leave(PsimReader *self)
{
    g_assert(self->frames->len > 1);
    check_members(self);
    g_string_truncate(self->pointer, get_frame(self)->n_pointer);
    g_ptr_array_set_size(self->frames, (int)self->frames->len - 1);
}

void
psim_reader_end(PsimReader *self)
{
    g_assert(self->frames->len == 1);
    check_members(self);
}

/* -- Kinds ------------------------------------------------------------------------------------- */

bool
psim_reader_has(PsimReader *self, const char *key)
{
    return !psim_value_is_absent(psim_reader_member(self, key));
}

bool
psim_reader_is_string(PsimReader *self, const char *key)
{
    return cJSON_IsString(psim_reader_member(self, key));
}

bool
psim_reader_is_object(PsimReader *self, const char *key)
{
    return cJSON_IsObject(psim_reader_member(self, key));
}

bool
psim_reader_is_array(PsimReader *self, const char *key)
{
    return cJSON_IsArray(psim_reader_member(self, key));
}

/* -- Arrays ------------------------------------------------------------------------------------ */

size_t
psim_reader_items(PsimReader *self, const char *key, bool required)
{
    g_auto(PsimValueFault) fault = {.text = NULL};
    const cJSON *array = psim_reader_member(self, key);

    if (!required && psim_value_is_absent(array))
        return 0;
    if (!psim_value_check_kind(array, "an array", cJSON_IsArray(array), &fault)) {
        psim_reader_refuse(self, key, &fault);
        return 0;
    }
    return (size_t)cJSON_GetArraySize(array);
}

/* Goes on from the last item visited, where it can. */
const cJSON *
psim_reader_item(PsimReader *self, const char *key, size_t index)
{
    const cJSON *array = psim_reader_member(self, key);

    if (!cJSON_IsArray(array))
        return NULL;
    if (array != self->item_array || self->item == NULL || index < self->item_index) {
        self->item_array = array;
        self->item_index = 0;
        self->item = array->child;
    }
    while (self->item != NULL && self->item_index < index) {
        self->item = self->item->next;
        self->item_index++;
    }
    return self->item;
}

static char *
point_at_item(const PsimReader *self, const char *key, size_t index)
{
    g_autoptr(GString) pointer = g_string_new(self->pointer->str);

    psim_pointer_append(pointer, key);
    psim_pointer_append_index(pointer, index);
    return g_string_free(g_steal_pointer(&pointer), /* free_segment= */ FALSE);
}

void
psim_reader_refuse_item(PsimReader *self,
                        const char *key,
                        size_t index,
                        const PsimValueFault *fault)
{
    g_autofree char *pointer = point_at_item(self, key, index);

    complain_fault(self, pointer, fault);
}

void
psim_reader_enter_item(PsimReader *self, const char *key, size_t index)
{
    g_autofree char *pointer = point_at_item(self, key, index);

    push_frame(self, pointer, psim_reader_item(self, key, index), /* required= */ true);
}

/* -- Defaults ---------------------------------------------------------------------------------- */

void
psim_reader_note_default(PsimReader *self, const char *key, const char *value, const char *why)
{
    PsimDefault *taken = g_new0(PsimDefault, 1);

    *taken = (PsimDefault){
        .pointer = point_at(self, key),
        .value = g_strdup(value),
        .why = g_strdup(why),
    };
    g_ptr_array_add(self->defaults, taken);
}

const GPtrArray *
psim_reader_defaults(const PsimReader *self)
{
    return self->defaults;
}
