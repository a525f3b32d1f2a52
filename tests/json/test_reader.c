/* SPDX-License-Identifier: MIT */
/* Longer than a file should be, for the tables: each text has its row. */
#include "json/reader.h"

#include "test_json.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const words[] = {"none", "selective", "full", NULL};

/* What a reader is asked for, so that tables can name it. */
typedef void (*Ask)(PsimReader *reader);

/* Reads @text with @ask. Returns: the complaints, or NULL. */
static char *
read_with(const char *text, Ask ask, PsimError *ret_code)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = parse(text);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    ask(reader);
    psim_reader_end(reader);
    if (psim_complaints_finish(complaints, &error))
        return NULL;
    *ret_code = (PsimError)error->code;
    return g_strdup(error->message);
}

/* -- Scalars ----------------------------------------------------------------------------------- */

static void
ask_count(PsimReader *reader)
{
    const uint64_t value = psim_reader_count(reader, "a", 1, 1024);

    ck_assert(value >= 1 && value <= 1024);
}

static void
ask_large_count(PsimReader *reader)
{
    psim_reader_count(reader, "a", 0, G_MAXUINT64);
}

static void
ask_gpus(PsimReader *reader)
{
    psim_reader_count(reader, "a", 1, 1048576);
}

static void
ask_count_or(PsimReader *reader)
{
    const uint64_t value = psim_reader_count_or(reader, "a", 1, 1024, 7);

    ck_assert(value >= 1 && value <= 1024);
}

static void
ask_number(PsimReader *reader)
{
    const double value = psim_reader_number(reader, "a", 0.0, 1.0);

    ck_assert(value >= 0.0 && value <= 1.0);
}

static void
ask_positive(PsimReader *reader)
{
    ck_assert(psim_reader_number(reader, "a", 0.5, HUGE_VAL) >= 0.5);
}

static void
ask_small(PsimReader *reader)
{
    ck_assert(psim_reader_number(reader, "a", -HUGE_VAL, 1e300) <= 1e300);
}

static void
ask_any_number(PsimReader *reader)
{
    ck_assert(isfinite(psim_reader_number(reader, "a", -DBL_MAX, DBL_MAX)));
}

static void
ask_number_or(PsimReader *reader)
{
    psim_reader_number_or(reader, "a", 0.0, 1.0, 0.5);
}

static void
ask_size(PsimReader *reader)
{
    const double value = psim_reader_quantity(reader, "a", PSIM_DIMENSION_BYTES, 0.0, 1e12);

    ck_assert(value >= 0.0 && value <= 1e12);
}

static void
ask_latency(PsimReader *reader)
{
    psim_reader_quantity(reader, "a", PSIM_DIMENSION_TIME, 1e-6, HUGE_VAL);
}

static void
ask_size_or(PsimReader *reader)
{
    psim_reader_quantity_or(reader, "a", PSIM_DIMENSION_BYTES, 0.0, 1e12, 1e9);
}

static void
ask_flag(PsimReader *reader)
{
    psim_reader_flag(reader, "a");
}

static void
ask_flag_or(PsimReader *reader)
{
    psim_reader_flag_or(reader, "a", true);
}

static void
ask_string(PsimReader *reader)
{
    ck_assert_ptr_nonnull(psim_reader_string(reader, "a"));
}

static void
ask_string_or(PsimReader *reader)
{
    psim_reader_string_or(reader, "a", NULL);
}

static void
ask_choice(PsimReader *reader)
{
    ck_assert_uint_lt(psim_reader_choice(reader, "a", words), 3);
}

static void
ask_choice_or(PsimReader *reader)
{
    psim_reader_choice_or(reader, "a", words, 1);
}

/* -- Containers -------------------------------------------------------------------------------- */

static void
ask_object(PsimReader *reader)
{
    psim_reader_enter(reader, "a");
    ck_assert_uint_eq(psim_reader_count(reader, "b", 1, 9), 1);
    psim_reader_enter(reader, "deeper");
    psim_reader_string(reader, "c");
    psim_reader_complain(reader, "c", PSIM_ERROR_VALUE, "never said");
    psim_reader_leave(reader);
    psim_reader_leave(reader);
}

static void
ask_object_or_empty(PsimReader *reader)
{
    psim_reader_enter_or_empty(reader, "a");
    psim_reader_count(reader, "b", 1, 9);
    psim_reader_leave(reader);
}

static void
ask_array(PsimReader *reader)
{
    ck_assert_uint_eq(psim_reader_items(reader, "a", /* required= */ true), 0);
}

static void
ask_array_or_nothing(PsimReader *reader)
{
    ck_assert_uint_eq(psim_reader_items(reader, "a", /* required= */ false), 0);
}

static void
ask_item_counts(PsimReader *reader)
{
    const size_t n_items = psim_reader_items(reader, "a", /* required= */ true);

    for (size_t i = 0; i < n_items; i++)
        psim_reader_item_count(reader, "a", i, 1, 9);
}

static void
ask_item_strings(PsimReader *reader)
{
    const size_t n_items = psim_reader_items(reader, "a", /* required= */ true);

    for (size_t i = 0; i < n_items; i++)
        psim_reader_item_string(reader, "a", i);
}

static void
ask_item_objects(PsimReader *reader)
{
    const size_t n_items = psim_reader_items(reader, "a", /* required= */ true);

    for (size_t i = 0; i < n_items; i++) {
        psim_reader_enter_item(reader, "a", i);
        psim_reader_count(reader, "b", 1, 9);
        psim_reader_leave(reader);
    }
}

static void
ask_item_beyond_the_end(PsimReader *reader)
{
    psim_reader_enter_item(reader, "a", 1);
    psim_reader_leave(reader);
}

static void
ask_plan(PsimReader *reader)
{
    psim_reader_enter(reader, "parallel");
    psim_reader_count(reader, "tensor", 1, 1024);
    psim_reader_count(reader, "pipeline", 1, 1024);
    psim_reader_count(reader, "data", 1, 1024);
    psim_reader_leave(reader);
}

static void
ask_with_ignored(PsimReader *reader)
{
    psim_reader_ignore(reader, "$schema");
    psim_reader_string_or(reader, "about", "");
}

static void
ask_nothing(PsimReader *reader)
{
    (void)reader;
}

/* -- Complaints of the caller ------------------------------------------------------------------ */

static void
complain_of_member(PsimReader *reader)
{
    psim_reader_enter(reader, "a");
    psim_reader_string_or(reader, "b", "");
    psim_reader_complain(reader, "b", PSIM_ERROR_MISMATCH, "is %d; must divide %d", 3, 16);
    psim_reader_complain(reader, "absent", PSIM_ERROR_VALUE, "is not here");
    psim_reader_complain(reader, NULL, PSIM_ERROR_VALUE, "is odd");
    psim_reader_leave(reader);
    psim_reader_complain_at(reader, "/a/b", PSIM_ERROR_VALUE, "and more");
    psim_reader_complain_at(reader, "", PSIM_ERROR_VALUE, "is the whole");
}

#define SCHEMA PSIM_ERROR_SCHEMA
#define VALUE  PSIM_ERROR_VALUE
#define SIXTY  "0123456789abcdefghij0123456789abcdefghij0123456789abcdefghij"

static const struct {
    const char *text;
    Ask ask;
    PsimError code;
    const char *message; /* NULL: no complaint */
} cases[] = {
    /* counts */
    {"{\"a\":1}", ask_count, 0, NULL},
    {"{\"a\":1024}", ask_count, 0, NULL},
    {"{\"a\":1.024e3}", ask_count, 0, NULL},
    {"{}", ask_count, SCHEMA, "x.json:1:1: /a: missing; expected a whole number from 1 to 1024"},
    {"{\"a\":null}", ask_count, SCHEMA,
     "x.json:1:6: /a: missing; expected a whole number from 1 to 1024"},
    {"{\"a\":0}", ask_count, VALUE, "x.json:1:6: /a: is 0; must be from 1 to 1024"},
    {"{\"a\":-0}", ask_count, VALUE, "x.json:1:6: /a: is 0; must be from 1 to 1024"},
    {"{\"a\":-3}", ask_count, VALUE, "x.json:1:6: /a: is -3; must be from 1 to 1024"},
    {"{\"a\":1025}", ask_count, VALUE, "x.json:1:6: /a: is 1025; must be from 1 to 1024"},
    {"{\"a\":1e300}", ask_count, VALUE, "x.json:1:6: /a: is 1e300; must be from 1 to 1024"},
    {"{\"a\":2000000}", ask_gpus, VALUE, "x.json:1:6: /a: is 2000000; must be from 1 to 1048576"},
    {"{\"a\":2.5}", ask_count, VALUE, "x.json:1:6: /a: must be a whole number from 1 to 1024"},
    {"{\"a\":\"8\"}", ask_count, SCHEMA, "x.json:1:6: /a: must be a whole number from 1 to 1024"},
    {"{\"a\":true}", ask_count, SCHEMA, "x.json:1:6: /a: must be a whole number from 1 to 1024"},
    {"{\"a\":9007199254740991}", ask_large_count, 0, NULL},
    {"{\"a\":9007199254740992}", ask_large_count, VALUE,
     "x.json:1:6: /a: is 9007199254740992; must be from 0 to 9007199254740991"},
    {"{\"a\":9007199254740993}", /* 2^53 + 1, which a double rounds */
     ask_large_count, VALUE,
     "x.json:1:6: /a: is 9007199254740992; must be from 0 to 9007199254740991"},
    {"{\"a\":18446744073709551616}", ask_large_count, VALUE,
     "x.json:1:6: /a: is 1.8446744073709552e19; must be from 0 to 9007199254740991"},
    {"{\"a\":0}", ask_count_or, VALUE, "x.json:1:6: /a: is 0; must be from 1 to 1024"},
    {"{\"a\":null}", ask_count_or, 0, NULL},
    {"{}", ask_count_or, 0, NULL},

    /* numbers */
    {"{\"a\":0.25}", ask_number, 0, NULL},
    {"{}", ask_number, SCHEMA, "x.json:1:1: /a: missing; expected a number from 0 to 1"},
    {"{\"a\":-1}", ask_number, VALUE, "x.json:1:6: /a: is -1; must be from 0 to 1"},
    {"{\"a\":1.5}", ask_number, VALUE, "x.json:1:6: /a: is 1.5; must be from 0 to 1"},
    {"{\"a\":\"1\"}", ask_number, SCHEMA, "x.json:1:6: /a: must be a number"},
    {"{}", ask_positive, SCHEMA, "x.json:1:1: /a: missing; expected a number of at least 0.5"},
    {"{\"a\":0}", ask_positive, VALUE, "x.json:1:6: /a: is 0; must be at least 0.5"},
    {"{}", ask_small, SCHEMA, "x.json:1:1: /a: missing; expected a number of at most 1e300"},
    {"{\"a\":1e301}", ask_small, VALUE, "x.json:1:6: /a: is 1e301; must be at most 1e300"},
    {"{}", ask_any_number, SCHEMA, "x.json:1:1: /a: missing; expected a number"},
    {"{\"a\":-1.7976931348623157e308}", ask_any_number, 0, NULL},
    {"{\"a\":7}", ask_number_or, VALUE, "x.json:1:6: /a: is 7; must be from 0 to 1"},
    {"{\"a\":null}", ask_number_or, 0, NULL},

    /* quantities */
    {"{\"a\":\"80 GiB\"}", ask_size, 0, NULL},
    {"{}", ask_size, SCHEMA, "x.json:1:1: /a: missing; expected a size, such as \"80 GiB\""},
    {"{\"a\":80}", ask_size, VALUE,
     "x.json:1:6: /a: is 80; a quantity needs its unit, such as \"80 GiB\""},
    {"{\"a\":[]}", ask_size, SCHEMA, "x.json:1:6: /a: must be a size, such as \"80 GiB\""},
    {"{\"a\":\"-3 GB\"}", ask_size, VALUE,
     "x.json:1:6: /a: is \"-3 GB\"; must be from 0 B to 1 TB"},
    {"{\"a\":\"1 ns\"}", ask_latency, VALUE, "x.json:1:6: /a: is \"1 ns\"; must be at least 1 us"},
    {"{\"a\":8}", ask_size_or, VALUE,
     "x.json:1:6: /a: is 8; a quantity needs its unit, such as \"80 GiB\""},
    {"{\"a\":null}", ask_size_or, 0, NULL},

    /* flags */
    {"{\"a\":false}", ask_flag, 0, NULL},
    {"{}", ask_flag, SCHEMA, "x.json:1:1: /a: missing; expected true or false"},
    {"{\"a\":1}", ask_flag, SCHEMA, "x.json:1:6: /a: must be true or false"},
    {"{\"a\":\"true\"}", ask_flag_or, SCHEMA, "x.json:1:6: /a: must be true or false"},
    {"{\"a\":null}", ask_flag_or, 0, NULL},

    /* strings */
    {"{\"a\":\"\"}", ask_string, 0, NULL},
    {"{}", ask_string, SCHEMA, "x.json:1:1: /a: missing; expected a string"},
    {"{\"a\":1}", ask_string, SCHEMA, "x.json:1:6: /a: must be a string"},
    {"{\"a\":{}}", ask_string_or, SCHEMA, "x.json:1:6: /a: must be a string"},
    {"{\"a\":null}", ask_string_or, 0, NULL},

    /* words */
    {"{\"a\":\"full\"}", ask_choice, 0, NULL},
    {"{}", ask_choice, SCHEMA, "x.json:1:1: /a: missing; expected one of none, selective, full"},
    {"{\"a\":1}", ask_choice, SCHEMA, "x.json:1:6: /a: must be one of none, selective, full"},
    {"{\"a\":\"fulll\"}", ask_choice, VALUE,
     "x.json:1:6: /a: is \"fulll\"; must be one of none, selective, full; did you mean \"full\"?"},
    {"{\"a\":\"zebra\\n\"}", ask_choice, VALUE,
     "x.json:1:6: /a: is \"zebra\\n\"; must be one of none, selective, full"},
    {"{\"a\":\"" SIXTY "x\"}", ask_choice, VALUE,
     "x.json:1:6: /a: is \"" SIXTY "...\"; must be one of none, selective, full"},
    {"{\"a\":null}", ask_choice_or, 0, NULL},

    /* objects: what is missing is said once, not of everything inside */
    {"{\"a\":{\"b\":1,\"deeper\":{\"c\":\"\"}}}", ask_object, VALUE,
     "x.json:1:27: /a/deeper/c: never said"},
    {"{}", ask_object, SCHEMA, "x.json:1:1: /a: missing; expected an object"},
    {"{\"a\":null}", ask_object, SCHEMA, "x.json:1:6: /a: missing; expected an object"},
    {"{\"a\":[]}", ask_object, SCHEMA, "x.json:1:6: /a: must be an object"},
    {"{\"a\":{\"b\":1}}", ask_object, SCHEMA, "x.json:1:6: /a/deeper: missing; expected an object"},
    {"{}", ask_object_or_empty, SCHEMA,
     "x.json:1:1: /a/b: missing; expected a whole number from 1 to 9"},
    {"{\"a\":null}", ask_object_or_empty, SCHEMA,
     "x.json:1:6: /a/b: missing; expected a whole number from 1 to 9"},
    {"{\"a\":3}", ask_object_or_empty, SCHEMA, "x.json:1:6: /a: must be an object"},
    {"[]", ask_count, SCHEMA, "x.json:1:1: /: must be an object"},
    {"null", ask_count, SCHEMA, "x.json:1:1: /: missing; expected an object"},

    /* arrays */
    {"{\"a\":[]}", ask_array, 0, NULL},
    {"{}", ask_array, SCHEMA, "x.json:1:1: /a: missing; expected an array"},
    {"{\"a\":{}}", ask_array, SCHEMA, "x.json:1:6: /a: must be an array"},
    {"{}", ask_array_or_nothing, 0, NULL},
    {"{\"a\":null}", ask_array_or_nothing, 0, NULL},
    {"{\"a\":1}", ask_array_or_nothing, SCHEMA, "x.json:1:6: /a: must be an array"},
    {"{\"a\":[1,9]}", ask_item_counts, 0, NULL},
    {"{\"a\":[1,0,\"2\",\nnull]}", ask_item_counts, VALUE,
     "x.json:1:9: /a/1: is 0; must be from 1 to 9\n"
     "x.json:1:11: /a/2: must be a whole number from 1 to 9\n"
     "x.json:2:1: /a/3: missing; expected a whole number from 1 to 9"},
    {"{\"a\":[\"x\",1]}", ask_item_strings, SCHEMA, "x.json:1:11: /a/1: must be a string"},
    {"{\"a\":[{\"b\":1},{\"b\":2}]}", ask_item_objects, 0, NULL},
    {"{\"a\":[{\"b\":1},{\"c\":2},3]}", ask_item_objects, SCHEMA,
     "x.json:1:15: /a/1/b: missing; expected a whole number from 1 to 9\n"
     "x.json:1:16: /a/1/c: unknown; must be one of b\n"
     "x.json:1:23: /a/2: must be an object"},
    {"{\"a\":[{}]}", ask_item_beyond_the_end, SCHEMA,
     "x.json:1:6: /a/1: missing; expected an object"},

    /* what nobody asked for */
    {"{\n\"parallel\": {\"pipline\": 4,\n \"tensor\": 0,\n \"data\": 1.5}}", ask_plan, SCHEMA,
     "x.json:2:13: /parallel/pipeline: missing; expected a whole number from 1 to 1024\n"
     "x.json:2:14: /parallel/pipline: unknown; did you mean \"pipeline\"?\n"
     "x.json:3:12: /parallel/tensor: is 0; must be from 1 to 1024\n"
     "x.json:4:10: /parallel/data: must be a whole number from 1 to 1024"},
    {"{\"parallel\": {\"tensor\":1,\"pipeline\":1,\"data\":1,\"pipelin\":1}}", ask_plan, SCHEMA,
     "x.json:1:48: /parallel/pipelin: unknown; must be one of tensor, pipeline, data"},
    {"{\"$schema\":\"x\",\"about\":\"y\"}", ask_with_ignored, 0, NULL},
    {"{\"schema\":\"x\"}", ask_with_ignored, SCHEMA,
     "x.json:1:2: /schema: unknown; must be one of about"},
    {"{\"a\":1,\n\"b/\\n\":2}", ask_nothing, SCHEMA,
     "x.json:1:2: /a: unknown\nx.json:2:1: /b~1\\n: unknown"},

    /* the caller's own */
    {"{\"a\":\n{\"b\":\"x\"}}", complain_of_member, VALUE,
     "x.json:1:1: /: is the whole\n"
     "x.json:2:1: /a/absent: is not here\n"
     "x.json:2:1: /a: is odd\n"
     "x.json:2:6: /a/b: is 3; must divide 16\n"
     "x.json:2:6: /a/b: and more"},
};

START_TEST(complaints_read_word_for_word)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = read_with(cases[_i].text, cases[_i].ask, &code);

    if (cases[_i].message == NULL) {
        ck_assert_msg(message == NULL, "%s", message);
        return;
    }
    ck_assert_ptr_nonnull(message);
    ck_assert_str_eq(message, cases[_i].message);
    ck_assert_int_eq((int)code, (int)cases[_i].code);
}
END_TEST

/* The words are those of base/units, kept on one line. */
START_TEST(a_quantity_that_does_not_parse_is_explained_by_the_units)
{
    static const char *const texts[] = {"80 GB/s", "80", "GB", "80 XB", ""};
    double value = 0.0;

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        PsimError code = PSIM_ERROR_INTERNAL;
        g_autofree char *text = g_strdup_printf("{\"a\": \"%s\"}", texts[i]);
        g_autofree char *reason = NULL;

        ck_assert(!psim_units_parse(texts[i], PSIM_DIMENSION_BYTES, &value, &reason));

        g_autofree char *expected = g_strdup_printf("x.json:1:7: /a: %s", reason);
        g_autofree char *message = read_with(text, ask_size, &code);

        ck_assert_str_eq(message, expected);
        ck_assert_int_eq((int)code, (int)PSIM_ERROR_VALUE);
    }
}
END_TEST

START_TEST(a_string_beyond_the_limit_is_refused)
{
    static const Ask asks[] = {ask_string, ask_size, ask_choice};
    g_autofree char *filler = g_strnfill(1025, 'x');
    g_autofree char *text = g_strdup_printf("{\"a\": \"%s\"}", filler);

    for (size_t i = 0; i < G_N_ELEMENTS(asks); i++) {
        PsimError code = PSIM_ERROR_INTERNAL;
        g_autofree char *message = read_with(text, asks[i], &code);

        ck_assert_str_eq(message, "x.json:1:7: /a: is 1025 bytes long; must be at most 1024 "
                                  "(PSIM_LIMIT_NAME_BYTES)");
        ck_assert_int_eq((int)code, (int)PSIM_ERROR_LIMIT);
    }
}
END_TEST

START_TEST(an_override_is_named_instead_of_a_line)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = parse("{\"parallel\": {\"pipeline\": 2}}");
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();

    ck_assert(psim_document_set(document, "/parallel/tensor", "0", NULL));
    ck_assert(psim_document_set(document, "/paralel/data", "8", NULL));

    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    psim_reader_enter(reader, "parallel");
    psim_reader_count(reader, "tensor", 1, 65536);
    psim_reader_count(reader, "pipeline", 1, 65535);
    psim_reader_count(reader, "data", 1, 65536);
    psim_reader_leave(reader);
    psim_reader_end(reader);
    ck_assert(!psim_complaints_finish(complaints, &error));
    ck_assert_str_eq(
        error->message,
        "--set /paralel/data=8: /paralel: unknown; must be one of parallel\n"
        "--set /parallel/tensor=0: /parallel/tensor: is 0; must be from 1 to 65536\n"
        "x.json:1:14: /parallel/data: missing; expected a whole number from 1 to 65536");
}
END_TEST

START_TEST(two_readers_complain_together)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimDocument) second = psim_document_parse("{}", 2, "b.json", NULL);
    g_autoptr(PsimDocument) first = psim_document_parse("{}", 2, "a.json", NULL);
    g_autoptr(PsimReader) second_reader = psim_reader_new(second, complaints);
    g_autoptr(PsimReader) first_reader = psim_reader_new(first, complaints);

    psim_reader_flag(second_reader, "x");
    psim_reader_flag(first_reader, "y");
    ck_assert(!psim_complaints_finish(complaints, &error));
    ck_assert_str_eq(error->message, "a.json:1:1: /y: missing; expected true or false\n"
                                     "b.json:1:1: /x: missing; expected true or false");
}
END_TEST

/* Twenty are shown, in order; finding the places of the others would take hours. */
START_TEST(ten_thousand_unknown_members_are_counted_quickly)
{
    g_autoptr(GString) text = g_string_new("{\"ok\": true");
    PsimError code = PSIM_ERROR_INTERNAL;

    for (unsigned i = 0; i < 10000; i++)
        g_string_append_printf(text, ",\n\"k%u\": %u", i, i);
    g_string_append(text, "}");

    g_autofree char *message = read_with(text->str, ask_nothing, &code);

    ck_assert(g_str_has_prefix(message, "x.json:1:2: /ok: unknown\n"
                                        "x.json:2:1: /k0: unknown\n"
                                        "x.json:3:1: /k1: unknown\n"));
    ck_assert(g_str_has_suffix(message, "\nx.json:20:1: /k18: unknown\nand 9981 more"));
}
END_TEST

/* -- Values ------------------------------------------------------------------------------------ */

static const char everything[] =
    "{\"count\": 9007199254740991, \"number\": 0.1, \"size\": \"80 GiB\","
    "\"flag\": true, \"string\": \"\xc3\xa4\", \"choice\": \"full\","
    "\"array\": [3, 1, 2], \"names\": [\"x\", \"y\"],"
    "\"rows\": [{\"n\": 5}, {\"n\": 6}], \"object\": {\"a/b\": {\"c\": 7}}}";

START_TEST(values_arrive_as_they_were_written)
{
    g_autoptr(PsimDocument) document = parse(everything);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    ck_assert(psim_reader_count(reader, "count", 0, G_MAXUINT64) == UINT64_C(9007199254740991));
    ck_assert(psim_reader_number(reader, "number", 0.0, 1.0) == 0.1);
    ck_assert(psim_reader_quantity(reader, "size", PSIM_DIMENSION_BYTES, 0.0, HUGE_VAL) ==
              80.0 * 1073741824.0);
    ck_assert(psim_reader_flag(reader, "flag"));
    ck_assert_str_eq(psim_reader_string(reader, "string"), "\xc3\xa4");
    ck_assert_uint_eq(psim_reader_choice(reader, "choice", words), 2);
    ck_assert_uint_eq(psim_reader_items(reader, "array", true), 3);
    ck_assert_uint_eq(psim_reader_item_count(reader, "array", 2, 0, 9), 2);
    ck_assert_uint_eq(psim_reader_item_count(reader, "array", 0, 0, 9), 3);
    ck_assert_uint_eq(psim_reader_item_count(reader, "array", 1, 0, 9), 1);
    ck_assert_str_eq(psim_reader_item_string(reader, "names", 1), "y");
    ck_assert_uint_eq(psim_reader_items(reader, "rows", false), 2);
    psim_reader_enter_item(reader, "rows", 1);
    ck_assert_uint_eq(psim_reader_count(reader, "n", 0, 9), 6);
    psim_reader_leave(reader);
    psim_reader_enter_item(reader, "rows", 0);
    ck_assert_uint_eq(psim_reader_count(reader, "n", 0, 9), 5);
    psim_reader_leave(reader);
    psim_reader_enter(reader, "object");
    psim_reader_enter_or_empty(reader, "a/b");
    ck_assert_uint_eq(psim_reader_count(reader, "c", 0, 9), 7);
    psim_reader_leave(reader);
    psim_reader_leave(reader);
    psim_reader_end(reader);
    ck_assert_uint_eq(psim_complaints_n(complaints), 0);
}
END_TEST

START_TEST(an_or_getter_prefers_what_is_there)
{
    g_autoptr(PsimDocument) document = parse(everything);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    ck_assert(psim_reader_count_or(reader, "count", 0, G_MAXUINT64, 1) > 1);
    ck_assert(psim_reader_number_or(reader, "number", 0.0, 1.0, 0.5) == 0.1);
    ck_assert(psim_reader_quantity_or(reader, "size", PSIM_DIMENSION_BYTES, 0.0, 1e12, 1.0) > 1.0);
    ck_assert(psim_reader_flag_or(reader, "flag", false));
    ck_assert_str_eq(psim_reader_string_or(reader, "string", "x"), "\xc3\xa4");
    ck_assert_uint_eq(psim_reader_choice_or(reader, "choice", words, 0), 2);
    ck_assert_uint_eq(psim_reader_defaults(reader)->len, 0);
    ck_assert_uint_eq(psim_complaints_n(complaints), 0);
}
END_TEST

START_TEST(kinds_are_told_without_a_complaint)
{
    g_autoptr(PsimDocument) document =
        parse("{\"s\": \"\", \"o\": {}, \"a\": [], \"n\": null, \"f\": false}");
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    ck_assert(psim_reader_has(reader, "s"));
    ck_assert(psim_reader_has(reader, "f"));
    ck_assert(!psim_reader_has(reader, "n"));
    ck_assert(!psim_reader_has(reader, "absent"));
    ck_assert(psim_reader_is_string(reader, "s"));
    ck_assert(!psim_reader_is_string(reader, "o"));
    ck_assert(psim_reader_is_object(reader, "o"));
    ck_assert(!psim_reader_is_object(reader, "a"));
    ck_assert(psim_reader_is_array(reader, "a"));
    ck_assert(!psim_reader_is_array(reader, "absent"));
    psim_reader_end(reader);
    ck_assert_uint_eq(psim_complaints_n(complaints), 0);
}
END_TEST

/* -- Defaults ---------------------------------------------------------------------------------- */

static const struct {
    const char *pointer;
    const char *value;
    const char *why;
} defaults[] = {
    {"/count", "7", "default"},        {"/number", "0.1", "default"},
    {"/infinite", "null", "default"},  {"/size", "\"80 GiB\"", "default"},
    {"/unbounded", "null", "default"}, {"/yes", "true", "default"},
    {"/no", "false", "default"},       {"/string", "\"a\\\"\"", "default"},
    {"/none", "null", "default"},      {"/choice", "\"selective\"", "default"},
    {"/batch/micro", "1", "default"},  {"/batch/global", "32", "the data degree times 4"},
};

START_TEST(defaults_are_remembered_with_pointer_and_value)
{
    g_autoptr(PsimDocument) document = parse("{\"none\": null}");
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);
    const PsimDimension bytes = PSIM_DIMENSION_BYTES;

    ck_assert_uint_eq(psim_reader_count_or(reader, "count", 1, 9, 7), 7);
    ck_assert(psim_reader_number_or(reader, "number", 0.0, 1.0, 0.1) == 0.1);
    ck_assert(isinf(psim_reader_number_or(reader, "infinite", 0.0, 1.0, HUGE_VAL)));
    ck_assert(psim_reader_quantity_or(reader, "size", bytes, 0.0, 1.0, 85899345920.0) ==
              85899345920.0);
    ck_assert(isinf(psim_reader_quantity_or(reader, "unbounded", bytes, 0.0, 1.0, HUGE_VAL)));
    ck_assert(psim_reader_flag_or(reader, "yes", true));
    ck_assert(!psim_reader_flag_or(reader, "no", false));
    ck_assert_str_eq(psim_reader_string_or(reader, "string", "a\""), "a\"");
    ck_assert_ptr_null(psim_reader_string_or(reader, "none", NULL));
    ck_assert_uint_eq(psim_reader_choice_or(reader, "choice", words, 1), 1);
    psim_reader_enter_or_empty(reader, "batch");
    ck_assert_uint_eq(psim_reader_count_or(reader, "micro", 1, 9, 1), 1);
    psim_reader_note_default(reader, "global", "32", "the data degree times 4");
    psim_reader_leave(reader);
    psim_reader_end(reader);
    ck_assert_uint_eq(psim_complaints_n(complaints), 0);

    const GPtrArray *taken = psim_reader_defaults(reader);

    ck_assert_uint_eq(taken->len, G_N_ELEMENTS(defaults));
    for (guint i = 0; i < taken->len; i++) {
        const PsimDefault *one = g_ptr_array_index(taken, i);

        ck_assert_str_eq(one->pointer, defaults[i].pointer);
        ck_assert_str_eq(one->value, defaults[i].value);
        ck_assert_str_eq(one->why, defaults[i].why);
    }
}
END_TEST

Suite *
reader_suite(void)
{
    Suite *suite = suite_create("reader");
    TCase *tcase = tcase_create("complaints");

    tcase_add_loop_test(tcase, complaints_read_word_for_word, 0, G_N_ELEMENTS(cases));
    tcase_add_test(tcase, a_quantity_that_does_not_parse_is_explained_by_the_units);
    tcase_add_test(tcase, a_string_beyond_the_limit_is_refused);
    tcase_add_test(tcase, an_override_is_named_instead_of_a_line);
    tcase_add_test(tcase, two_readers_complain_together);
    tcase_add_test(tcase, ten_thousand_unknown_members_are_counted_quickly);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("values");
    tcase_add_test(tcase, values_arrive_as_they_were_written);
    tcase_add_test(tcase, an_or_getter_prefers_what_is_there);
    tcase_add_test(tcase, kinds_are_told_without_a_complaint);
    tcase_add_test(tcase, defaults_are_remembered_with_pointer_and_value);
    suite_add_tcase(suite, tcase);
    return suite;
}
