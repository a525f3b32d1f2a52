/* SPDX-License-Identifier: MIT */
/* Any bytes as a document: parsed, set, read, located and written back. What is checked beyond the
 * absence of crashes: a refusal has a message of one line, and what was accepted is accepted again
 * after the writer has laid it out.
 */
#include "fuzz.h"

#include "base/error.h"
#include "json/document.h"
#include "json/locate.h"
#include "json/reader.h"
#include "json/writer.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {"none", "selective", "full", NULL};

static const char *const pointers[] = {"", "/a", "/a/0", "/a/b", "/b/1/c", "/a~1b", "/"};

static void
read_scalars(PsimReader *reader)
{
    const PsimDimension bytes = PSIM_DIMENSION_BYTES;
    const double number = psim_reader_number(reader, "number", 0.0, 1.0);
    const uint64_t count = psim_reader_count(reader, "count", 1, G_MAXUINT64);
    const double size = psim_reader_quantity(reader, "size", bytes, 0.0, HUGE_VAL);

    g_assert(number >= 0.0 && number <= 1.0 && count >= 1 && size >= 0.0);
    g_assert(psim_reader_choice(reader, "choice", words) < 3);
    psim_reader_flag(reader, "flag");
    psim_reader_string_or(reader, "string", "");
    psim_reader_count_or(reader, "a", 0, 9, 1);
    psim_reader_number_or(reader, "b", -1.0, 1.0, 0.5);
}

static void
read_items(PsimReader *reader, const char *key)
{
    const size_t n_items = MIN(psim_reader_items(reader, key, /* required= */ true), 8);

    for (size_t i = 0; i < n_items; i++) {
        psim_reader_item_count(reader, key, i, 0, 9);
        psim_reader_item_string(reader, key, i);
        psim_reader_enter_item(reader, key, i);
        read_scalars(reader);
        psim_reader_leave(reader);
    }
}

static void
read_document(PsimDocument *document)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    read_scalars(reader);
    read_items(reader, "items");
    read_items(reader, "a");
    psim_reader_enter(reader, "object");
    read_scalars(reader);
    psim_reader_enter_or_empty(reader, "a");
    read_scalars(reader);
    psim_reader_leave(reader);
    psim_reader_leave(reader);
    psim_reader_end(reader);
    psim_complaints_finish(complaints, &error);
}

static void
locate_pointers(const char *text, size_t n_bytes)
{
    for (size_t i = 0; i < G_N_ELEMENTS(pointers); i++) {
        unsigned line = 0;
        unsigned column = 0;

        psim_locate_pointer(text, n_bytes, pointers[i], i % 2 == 0, &line, &column);
        g_assert(line > 0 && column > 0);
    }
}

/* Lays the text out again, twice; the second time must change nothing. */
static void
write_twice(const char *text, size_t n_bytes, bool pretty)
{
    g_autofree char *original = g_strndup(text, n_bytes);
    g_autoptr(PsimWriter) writer = psim_writer_new(pretty);

    psim_writer_raw(writer, NULL, original);

    g_autofree char *first = psim_writer_finish(writer);
    g_autoptr(PsimDocument) document =
        psim_document_parse(first, strlen(first), "first.json", NULL);

    g_assert(document != NULL);
    psim_writer_raw(writer, NULL, first);

    g_autofree char *second = psim_writer_finish(writer);

    g_assert_cmpstr(first, ==, second);
}

/* The text itself as the value of an override, or as its pointer. */
static void
set_members(PsimDocument *document, const char *text, size_t n_bytes)
{
    g_autofree char *value = g_strndup(text, MIN(n_bytes, 200));

    for (size_t i = 0; i < G_N_ELEMENTS(pointers); i++) {
        g_autoptr(GError) error = NULL;

        g_assert(psim_document_set(document, pointers[i], value, &error) == (error == NULL));
    }
    psim_document_set(document, value, "1", NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    const char *text = (const char *)data;
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = psim_document_parse(text, n_bytes, "x.json", &error);

    g_assert((document == NULL) == (error != NULL));
    if (document == NULL) {
        g_assert(strchr(error->message, '\n') == NULL);
        /* The place of a fault is found in texts that are not valid, too. */
        locate_pointers(text, n_bytes);
        return 0;
    }
    locate_pointers(text, n_bytes);
    read_document(document);
    write_twice(text, n_bytes, /* pretty= */ true);
    write_twice(text, n_bytes, /* pretty= */ false);
    set_members(document, text, n_bytes);
    read_document(document);
    return 0;
}
