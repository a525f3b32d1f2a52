/* SPDX-License-Identifier: MIT */
#include "spec/member.h"

#include "json/quote.h"

#include <math.h>
#include <string.h>

char *
psim_member_stem(const char *path)
{
    char *base = g_path_get_basename(path);

    if (g_str_has_suffix(base, ".json"))
        base[strlen(base) - strlen(".json")] = '\0';
    return base;
}

char *
psim_member_text(PsimReader *reader, const char *key)
{
    return psim_reader_has(reader, key) ? g_strdup(psim_reader_string(reader, key)) : NULL;
}

PsimTitles
psim_member_titles(PsimReader *reader, const char *schema, const char *fallback)
{
    g_autofree char *written = psim_member_text(reader, "schema");
    g_autofree char *word = psim_quote_word(written != NULL ? written : "");

    if (written != NULL && !g_str_equal(written, schema))
        psim_reader_complain(reader, "schema", PSIM_ERROR_SCHEMA, "is %s; must be \"%s\"", word,
                             schema);
    psim_reader_ignore(reader, "$schema");
    psim_reader_ignore(reader, "notes");

    PsimTitles titles = {
        .name = psim_member_text(reader, "name"),
        .about = psim_member_text(reader, "about"),
        .source = psim_member_text(reader, "source"),
    };

    if (titles.name == NULL)
        titles.name = g_strdup(fallback);
    return titles;
}

void
psim_member_write_titles(PsimWriter *writer, const char *schema, const PsimTitles *titles)
{
    psim_writer_string(writer, "schema", schema);
    psim_writer_string(writer, "name", titles->name);
    psim_member_write_text(writer, "about", titles->about);
    psim_member_write_text(writer, "source", titles->source);
}

uint64_t
psim_member_count(PsimReader *reader,
                  const char *key,
                  uint64_t min,
                  uint64_t max,
                  uint64_t fallback,
                  const char *why)
{
    if (psim_reader_has(reader, key))
        return psim_reader_count(reader, key, min, max);

    g_autofree char *value = g_strdup_printf("%" G_GUINT64_FORMAT, fallback);

    psim_reader_note_default(reader, key, value, why);
    return fallback;
}

bool
psim_member_flag(PsimReader *reader, const char *key, bool fallback, const char *why)
{
    if (psim_reader_has(reader, key))
        return psim_reader_flag(reader, key);
    psim_reader_note_default(reader, key, fallback ? "true" : "false", why);
    return fallback;
}

unsigned
psim_member_choice(PsimReader *reader,
                   const char *key,
                   const char *const *words,
                   unsigned fallback,
                   const char *why)
{
    if (psim_reader_has(reader, key))
        return psim_reader_choice(reader, key, words);

    g_autofree char *value = g_strdup_printf("\"%s\"", words[fallback]);

    psim_reader_note_default(reader, key, value, why);
    return fallback;
}

uint32_t
psim_member_items(PsimReader *reader, const char *key)
{
    const size_t n_items = psim_reader_items(reader, key, /* required= */ false);

    if (n_items > PSIM_MEMBER_MAX_ITEMS)
        psim_reader_complain(reader, key, PSIM_ERROR_LIMIT,
                             "has %zu items; at most %u (PSIM_MEMBER_MAX_ITEMS)", n_items,
                             PSIM_MEMBER_MAX_ITEMS);
    return (uint32_t)MIN(n_items, PSIM_MEMBER_MAX_ITEMS);
}

void
psim_member_origin(PsimReader *reader, PsimOrigin *ret_origin)
{
    ret_origin->provenance = (PsimProvenance)psim_reader_choice_or(
        reader, "provenance", psim_provenance_words(), PSIM_PROVENANCE_GUESS);
    ret_origin->source = psim_member_text(reader, "source");
    if (ret_origin->source == NULL)
        ret_origin->source = g_strdup("");
    ret_origin->error_fraction = (double)NAN;
    if (psim_reader_has(reader, "error"))
        ret_origin->error_fraction = psim_reader_number(reader, "error", 0, 100);
}

void
psim_member_write_origin(PsimWriter *writer, const PsimOrigin *origin)
{
    psim_writer_string(writer, "provenance", psim_provenance_words()[origin->provenance]);
    psim_member_write_text(writer, "source", origin->source);
    if (!isnan(origin->error_fraction))
        psim_writer_number(writer, "error", origin->error_fraction);
}

void
psim_member_own_origin(PsimReader *reader, PsimOrigin *ret_origin)
{
    if (psim_reader_has(reader, "provenance"))
        psim_member_origin(reader, ret_origin);
}

void
psim_member_write_own_origin(PsimWriter *writer, const PsimOrigin *origin)
{
    if (origin->source != NULL)
        psim_member_write_origin(writer, origin);
}

void
psim_member_write_quantity(PsimWriter *writer,
                           const char *key,
                           double value,
                           PsimDimension dimension)
{
    g_autofree char *text = psim_units_format(value, dimension);

    psim_writer_quantity(writer, key, text);
}

void
psim_member_write_text(PsimWriter *writer, const char *key, const char *text)
{
    if (text != NULL && text[0] != '\0')
        psim_writer_string(writer, key, text);
}

static void
free_default(void *data)
{
    PsimDefault *entry = data;

    g_free(entry->pointer);
    g_free(entry->value);
    g_free(entry->why);
    g_free(entry);
}

GPtrArray *
psim_member_defaults_new(void)
{
    return g_ptr_array_new_with_free_func(free_default);
}

void
psim_member_copy_defaults(GPtrArray *into,
                          const GPtrArray *defaults,
                          guint first,
                          const char *prefix)
{
    for (guint i = first; i < defaults->len; i++) {
        const PsimDefault *entry = g_ptr_array_index(defaults, i);
        PsimDefault *copy = g_new0(PsimDefault, 1);

        copy->pointer = g_strconcat(prefix, entry->pointer, NULL);
        copy->value = g_strdup(entry->value);
        copy->why = g_strdup(entry->why);
        g_ptr_array_add(into, copy);
    }
}
