/* SPDX-License-Identifier: MIT */
#include "json/writer.h"

#include "test_json.h"
#include "json/tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Everything the writer can do, once. */
static void
write_everything(PsimWriter *writer)
{
    psim_writer_begin_object(writer, NULL);
    psim_writer_string(writer, "string", "a \"b\" \\ \b\f\n\r\t\x01 \xc3\xa4");
    psim_writer_string(writer, "none", NULL);
    psim_writer_number(writer, "number", 0.1);
    psim_writer_number(writer, "nan", (double)NAN);
    psim_writer_number(writer, "infinity", -HUGE_VAL);
    psim_writer_count(writer, "count", G_MAXUINT64);
    psim_writer_integer(writer, "integer", G_MININT64);
    psim_writer_seconds(writer, "step_s", 37500000000);
    psim_writer_flag(writer, "yes", true);
    psim_writer_flag(writer, "no", false);
    psim_writer_null(writer, "null");
    psim_writer_quantity(writer, "memory", "80 GiB");
    psim_writer_begin_object(writer, "object");
    psim_writer_end_object(writer);
    psim_writer_begin_array(writer, "array");
    psim_writer_end_array(writer);
    psim_writer_begin_array(writer, "rows");
    for (uint64_t i = 0; i < 2; i++) {
        psim_writer_begin_row(writer, NULL);
        psim_writer_count(writer, "x", i);
        psim_writer_begin_array(writer, "inner"); /* on the row's line */
        psim_writer_count(writer, NULL, 1);
        psim_writer_count(writer, NULL, 2);
        psim_writer_end_array(writer);
        psim_writer_end_object(writer);
    }
    psim_writer_end_array(writer);
    psim_writer_begin_list(writer, "list");
    psim_writer_string(writer, NULL, "a");
    psim_writer_begin_object(writer, NULL);
    psim_writer_flag(writer, "k\"", true);
    psim_writer_end_object(writer);
    psim_writer_end_array(writer);
    psim_writer_end_object(writer);
}

static const char pretty[] = "{\n"
                             "  \"string\": \"a \\\"b\\\" \\\\ \\b\\f\\n\\r\\t\\u0001 \xc3\xa4\",\n"
                             "  \"none\": null,\n"
                             "  \"number\": 0.1,\n"
                             "  \"nan\": null,\n"
                             "  \"infinity\": null,\n"
                             "  \"count\": 18446744073709551615,\n"
                             "  \"integer\": -9223372036854775808,\n"
                             "  \"step_s\": 0.0375,\n"
                             "  \"yes\": true,\n"
                             "  \"no\": false,\n"
                             "  \"null\": null,\n"
                             "  \"memory\": \"80 GiB\",\n"
                             "  \"object\": {},\n"
                             "  \"array\": [],\n"
                             "  \"rows\": [\n"
                             "    {\"x\": 0, \"inner\": [1, 2]},\n"
                             "    {\"x\": 1, \"inner\": [1, 2]}\n"
                             "  ],\n"
                             "  \"list\": [\"a\", {\"k\\\"\": true}]\n"
                             "}\n";

static const char compact[] =
    "{\"string\":\"a \\\"b\\\" \\\\ \\b\\f\\n\\r\\t\\u0001 \xc3\xa4\",\"none\":null,\"number\":0.1,"
    "\"nan\":null,\"infinity\":null,\"count\":18446744073709551615,"
    "\"integer\":-9223372036854775808,\"step_s\":0.0375,\"yes\":true,\"no\":false,\"null\":null,"
    "\"memory\":\"80 GiB\",\"object\":{},\"array\":[],"
    "\"rows\":[{\"x\":0,\"inner\":[1,2]},{\"x\":1,\"inner\":[1,2]}],"
    "\"list\":[\"a\",{\"k\\\"\":true}]}\n";

START_TEST(the_pretty_layout_is_stable)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    write_everything(writer);

    g_autofree char *text = psim_writer_finish(writer);

    ck_assert_str_eq(text, pretty);
}
END_TEST

START_TEST(the_compact_layout_is_one_line)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ false);

    write_everything(writer);

    g_autofree char *text = psim_writer_finish(writer);

    ck_assert_str_eq(text, compact);
}
END_TEST

START_TEST(a_finished_writer_begins_anew)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_flag(writer, NULL, true);

    g_autofree char *first = psim_writer_finish(writer);

    psim_writer_null(writer, NULL);

    g_autofree char *second = psim_writer_finish(writer);

    ck_assert_str_eq(first, "true\n");
    ck_assert_str_eq(second, "null\n");
}
END_TEST

START_TEST(a_string_that_is_not_utf8_is_made_so)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_string(writer, NULL, "a\xff");

    g_autofree char *text = psim_writer_finish(writer);

    ck_assert_str_eq(text, "\"a\xef\xbf\xbd\"\n");
}
END_TEST

/* -- JSON that is there already ---------------------------------------------------------------- */

static const struct {
    const char *json;
    const char *pretty; /* as the member "raw" of an object */
    const char *compact;
} raws[] = {
    {"1.50", "1.50", "1.50"},
    {" true ", "true", "true"},
    {"\" , [ \\\" \\\\\"", "\" , [ \\\" \\\\\"", "\" , [ \\\" \\\\\""},
    {"{}", "{}", "{}"},
    {"[\n]", "[]", "[]"},
    /* what stood on one line stays there */
    {"{\"a\":1,\"b\":[1,2]}", "{\"a\": 1, \"b\": [1, 2]}", "{\"a\":1,\"b\":[1,2]}"},
    {"{ \"a{\" : {\"b\" : \"]\"} }", "{\"a{\": {\"b\": \"]\"}}", "{\"a{\":{\"b\":\"]\"}}"},
    /* the rest is laid out again */
    {"{\n\"a\": 1,\n      \"b\": {\"c\": [1,\n2]},\n\"d\": [{\"e\": 1},\n{\"e\": 2}]}\n",
     "{\n"
     "    \"a\": 1,\n"
     "    \"b\": {\n"
     "      \"c\": [\n"
     "        1,\n"
     "        2\n"
     "      ]\n"
     "    },\n"
     "    \"d\": [\n"
     "      {\"e\": 1},\n"
     "      {\"e\": 2}\n"
     "    ]\n"
     "  }",
     "{\"a\":1,\"b\":{\"c\":[1,2]},\"d\":[{\"e\":1},{\"e\":2}]}"},
};

static char *
write_raw(const char *json, bool is_pretty)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(is_pretty);

    psim_writer_begin_object(writer, NULL);
    psim_writer_raw(writer, "raw", json);
    psim_writer_flag(writer, "after", true);
    psim_writer_end_object(writer);
    return psim_writer_finish(writer);
}

START_TEST(raw_json_is_laid_out_like_the_rest)
{
    g_autofree char *pretty_text = write_raw(raws[_i].json, true);
    g_autofree char *compact_text = write_raw(raws[_i].json, false);
    g_autofree char *pretty_expected =
        g_strdup_printf("{\n  \"raw\": %s,\n  \"after\": true\n}\n", raws[_i].pretty);
    g_autofree char *compact_expected =
        g_strdup_printf("{\"raw\":%s,\"after\":true}\n", raws[_i].compact);

    ck_assert_str_eq(pretty_text, pretty_expected);
    ck_assert_str_eq(compact_text, compact_expected);
}
END_TEST

START_TEST(the_writers_own_text_comes_back_as_it_was)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_raw(writer, NULL, pretty);

    g_autofree char *text = psim_writer_finish(writer);

    ck_assert_str_eq(text, pretty);
}
END_TEST

START_TEST(raw_json_inside_a_row_stays_on_its_line)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_list(writer, NULL);
    psim_writer_raw(writer, NULL, "{\n  \"a\": [\n    1\n  ]\n}\n");
    psim_writer_raw(writer, NULL, "2");
    psim_writer_end_array(writer);

    g_autofree char *text = psim_writer_finish(writer);

    ck_assert_str_eq(text, "[{\"a\": [1]}, 2]\n");
}
END_TEST

/* -- Round trips ------------------------------------------------------------------------------- */

/* A 64-bit linear congruential generator (Knuth's constants), so that failures come again. */
static uint64_t
draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ (*state >> 32);
}

static double
draw_double(uint64_t *state)
{
    const uint64_t bits = draw(state);
    double value = 0.0;

    /* Half of them any bits at all, half of them what people write. */
    if (bits % 2 == 0)
        return (double)(draw(state) % 1000000) / 1000.0;
    memcpy(&value, &bits, sizeof value);
    return isfinite(value) ? value : 0.0;
}

static uint64_t
get_bits(double value)
{
    uint64_t bits = 0;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void
check_numbers(const double *values, size_t n_values)
{
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    psim_writer_begin_array(writer, NULL);
    for (size_t i = 0; i < n_values; i++)
        psim_writer_number(writer, NULL, values[i]);
    psim_writer_end_array(writer);

    g_autofree char *text = psim_writer_finish(writer);
    g_autoptr(PsimDocument) document = parse(text);
    const cJSON *item = psim_document_root(document)->child;

    for (size_t i = 0; i < n_values; i++, item = item->next)
        ck_assert_msg(get_bits(item->valuedouble) == get_bits(values[i]),
                      "number %zu: %.17g came back as %.17g", i, values[i], item->valuedouble);
    ck_assert_ptr_null(item);
}

START_TEST(random_numbers_come_back_with_the_same_bits)
{
    static double values[5000];
    uint64_t state = 1;

    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        values[i] = draw_double(&state);
    check_numbers(values, G_N_ELEMENTS(values));
}
END_TEST

START_TEST(extreme_numbers_come_back_with_the_same_bits)
{
    static const double values[] = {
        0.0,       -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, DBL_EPSILON,        0.1,
        1.0 / 3.0, 1e21, 1e22,    1e23,     1e-7,    123456789.0,  2251799813685248.5, 5e-324,
        1e15 - 1., 1e16, 1e17,
    };

    check_numbers(values, G_N_ELEMENTS(values));
}
END_TEST

START_TEST(every_character_comes_back)
{
    g_autoptr(GString) all = g_string_new(NULL);
    g_autoptr(PsimWriter) writer = psim_writer_new(/* pretty= */ true);

    for (gunichar c = 1; c < 0x3000; c++)
        g_string_append_unichar(all, c);
    g_string_append_unichar(all, 0x1f600);
    psim_writer_begin_object(writer, NULL);
    psim_writer_string(writer, all->str, all->str);
    psim_writer_end_object(writer);

    g_autofree char *text = psim_writer_finish(writer);
    g_autoptr(PsimDocument) document = parse(text);
    const cJSON *member = psim_document_root(document)->child;

    ck_assert_str_eq(member->string, all->str);
    ck_assert_str_eq(member->valuestring, all->str);
}
END_TEST

Suite *
writer_suite(void)
{
    Suite *suite = suite_create("writer");
    TCase *tcase = tcase_create("layout");

    tcase_add_test(tcase, the_pretty_layout_is_stable);
    tcase_add_test(tcase, the_compact_layout_is_one_line);
    tcase_add_test(tcase, a_finished_writer_begins_anew);
    tcase_add_test(tcase, a_string_that_is_not_utf8_is_made_so);
    tcase_add_loop_test(tcase, raw_json_is_laid_out_like_the_rest, 0, G_N_ELEMENTS(raws));
    tcase_add_test(tcase, the_writers_own_text_comes_back_as_it_was);
    tcase_add_test(tcase, raw_json_inside_a_row_stays_on_its_line);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("round trip");
    tcase_add_test(tcase, random_numbers_come_back_with_the_same_bits);
    tcase_add_test(tcase, extreme_numbers_come_back_with_the_same_bits);
    tcase_add_test(tcase, every_character_comes_back);
    suite_add_tcase(suite, tcase);
    return suite;
}
