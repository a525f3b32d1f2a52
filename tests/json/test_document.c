/* SPDX-License-Identifier: MIT */
/* Longer than a file should be, for the tables: each text has its row. */
#include "json/document.h"

#include "base/limits.h"
#include "test_json.h"
#include "json/reader.h"
#include "json/tree.h"

#include <glib/gstdio.h>
#include <string.h>

/* What is said of a text of n_bytes, or NULL. */
static char *
explain(const char *text, size_t n_bytes, PsimError *ret_code)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = psim_document_parse(text, n_bytes, "x.json", &error);

    if (document != NULL) {
        ck_assert_ptr_null(error);
        return NULL;
    }
    ck_assert(error->domain == PSIM_ERROR);
    *ret_code = (PsimError)error->code;
    return g_strdup(error->message);
}

#define SYNTAX PSIM_ERROR_SYNTAX
#define END    "end of the text; expected "

static const struct {
    const char *text;
    PsimError code;
    const char *message; /* without the file's name */
} refused[] = {
    /* nothing, and texts cut short */
    {"", SYNTAX, "1:1: " END "a value"},
    {" \n ", SYNTAX, "2:2: " END "a value"},
    {"{", SYNTAX, "1:2: " END "a key in double quotes or \"}\""},
    {"{\"a\"", SYNTAX, "1:5: " END "\":\""},
    {"{\"a\":", SYNTAX, "1:6: " END "a value"},
    {"{\"a\":1", SYNTAX, "1:7: " END "\",\" or \"}\""},
    {"{\"a\":1,", SYNTAX, "1:8: " END "a key in double quotes"},
    {"[", SYNTAX, "1:2: " END "a value"},
    {"[1", SYNTAX, "1:3: " END "\",\" or \"]\""},
    {"[1,", SYNTAX, "1:4: " END "a value"},
    {"\"abc", SYNTAX, "1:5: " END "a closing quote"},
    {"\"abc\\", SYNTAX, "1:6: " END "a closing quote"},
    /* separators */
    {"[1,]", SYNTAX, "1:4: \"]\" here; expected a value"},
    {"[,1]", SYNTAX, "1:2: \",\" here; expected a value"},
    {"[1 2]", SYNTAX, "1:4: \"2\" here; expected \",\" or \"]\""},
    {"{\"a\":1,}", SYNTAX, "1:8: \"}\" here; expected a key in double quotes"},
    {"{\"a\" 1}", SYNTAX, "1:6: \"1\" here; expected \":\""},
    {"{\"a\":1 \"b\":2}", SYNTAX, "1:8: a string here; expected \",\" or \"}\""},
    {"{a:1}", SYNTAX, "1:2: \"a\" here; expected a key in double quotes or \"}\""},
    {"{'a':1}", SYNTAX, "1:2: \"'\" here; expected a key in double quotes or \"}\""},
    {"{1:1}", SYNTAX, "1:2: \"1\" here; expected a key in double quotes or \"}\""},
    {"[1}", SYNTAX, "1:3: \"}\" here; expected \",\" or \"]\""},
    {"{\"a\":1]", SYNTAX, "1:7: \"]\" here; expected \",\" or \"}\""},
    {"]", SYNTAX, "1:1: \"]\" here; expected a value"},
    {"{}x", SYNTAX, "1:3: \"x\" here; expected the end of the text"},
    {"{}\n{}", SYNTAX, "2:1: \"{\" here; expected the end of the text"},
    {"1,", SYNTAX, "1:2: \",\" here; expected the end of the text"},
    {"// no\n{}", SYNTAX, "1:1: \"/\" here; expected a value"},
    {"[\"\xc3\xa4\", \xc3\xa4]", SYNTAX, "1:7: \"\xc3\xa4\" here; expected a value"},
    {"[\v]", SYNTAX, "1:2: \"\\u000b\" here; expected a value"},
    /* words */
    {"NaN", SYNTAX, "1:1: \"NaN\" here; expected a value"},
    {"Infinity", SYNTAX, "1:1: \"Infinity\" here; expected a value"},
    {"True", SYNTAX, "1:1: \"True\" here; expected a value"},
    {"nul", SYNTAX, "1:1: \"nul\" here; expected a value"},
    {"truefalse", SYNTAX, "1:1: \"truefalse\" here; expected a value"},
    /* numbers */
    {"01", SYNTAX, "1:1: \"01\" is not a number; a number has no leading zeros"},
    {"-01", SYNTAX, "1:1: \"-01\" is not a number; a number has no leading zeros"},
    {"1.", SYNTAX, "1:1: \"1.\" is not a number; a digit must follow the point"},
    {"1.e5", SYNTAX, "1:1: \"1.e5\" is not a number; a digit must follow the point"},
    {".5", SYNTAX, "1:1: \".5\" is not a number; a digit must come before the point"},
    {"-.5", SYNTAX, "1:1: \"-.5\" is not a number; a digit must come before the point"},
    {"+1", SYNTAX, "1:1: \"+1\" is not a number; a number has no plus sign"},
    {"-", SYNTAX, "1:1: \"-\" is not a number; a digit must follow the minus sign"},
    {"-Infinity", SYNTAX, "1:1: \"-Infinity\" is not a number; a digit must follow the minus sign"},
    {"1e", SYNTAX, "1:1: \"1e\" is not a number; a digit must follow the exponent's \"e\""},
    {"1e+", SYNTAX, "1:1: \"1e+\" is not a number; a digit must follow the exponent's \"e\""},
    {"[0x10]", SYNTAX, "1:2: \"0x10\" is not a number; a unit or other text belongs into a string"},
    {"80GB", SYNTAX, "1:1: \"80GB\" is not a number; a unit or other text belongs into a string"},
    {"1.2.3", SYNTAX, "1:1: \"1.2.3\" is not a number; a unit or other text belongs into a string"},
    {"1e999", PSIM_ERROR_VALUE, "1:1: /: is 1e999; must be below 1.8e308 in size"},
    {"{\"a\":\n [0, -1e400]}", PSIM_ERROR_VALUE,
     "2:6: /a/1: is -1e400; must be below 1.8e308 in size"},
    {"[1234567890123456789012345678901234567890123456789012345678901234]", PSIM_ERROR_LIMIT,
     "1:2: /0: is a number of 64 characters; must be at most 63 (PSIM_LIMIT_JSON_NUMBER_BYTES)"},
    /* strings */
    {"\"a\tb\"", SYNTAX, "1:3: control character in a string; must be written \\u0009"},
    {"\"a\x1f\"", SYNTAX, "1:3: control character in a string; must be written \\u001f"},
    {"\"a\nb\"", SYNTAX, "1:3: end of the line in a string; expected a closing quote"},
    {"\"\\x\"", SYNTAX, "1:2: unknown escape in a string; a backslash is written \\\\"},
    {"\"\\u12g4\"", SYNTAX, "1:2: \\u in a string; must be followed by four hexadecimal digits"},
    {"\"\\u12", SYNTAX, "1:2: \\u in a string; must be followed by four hexadecimal digits"},
    {"\"a\\u0000b\"", SYNTAX, "1:3: \\u0000 in a string; text cannot hold it"},
    {"{\"\\u0000\":1}", SYNTAX, "1:3: \\u0000 in a string; text cannot hold it"},
    {"\"\\ud800\"", SYNTAX,
     "1:2: \\ud800 is half a character; must be a pair of a high and a low surrogate"},
    {"\"\\udc00\\ud800\"", SYNTAX,
     "1:2: \\udc00 is half a character; must be a pair of a high and a low surrogate"},
    {"\"\\ud83d\\u0041\"", SYNTAX,
     "1:2: \\ud83d is half a character; must be a pair of a high and a low surrogate"},
    {"\"\\ud83d\\ud83d\"", SYNTAX,
     "1:2: \\ud83d is half a character; must be a pair of a high and a low surrogate"},
    {"\"\\ud83dabcdef\"", SYNTAX,
     "1:2: \\ud83d is half a character; must be a pair of a high and a low surrogate"},
    /* bytes */
    {"\xef\xbb\xbf{}", SYNTAX, "1:1: byte order mark; expected UTF-8 without one"},
    {"\xff\xfe{", SYNTAX, "1:1: byte 0xff is not UTF-8; expected UTF-8 text"},
    {"{\"a\":\n\"\xe4\"}", SYNTAX, "2:2: byte 0xe4 is not UTF-8; expected UTF-8 text"},
    {"\"\xc0\xaf\"", SYNTAX, "1:2: byte 0xc0 is not UTF-8; expected UTF-8 text"},
    {"\"\xed\xa0\x80\"", SYNTAX, "1:2: byte 0xed is not UTF-8; expected UTF-8 text"},
    /* keys that stand twice */
    {"{\"a\":1,\n\"a\":2}", PSIM_ERROR_SCHEMA, "2:1: /a: stands twice; first on line 1"},
    {"{\"a\":1,\n\n\"\\u0061\":2}", PSIM_ERROR_SCHEMA, "3:1: /a: stands twice; first on line 1"},
    {"{\"\":1,\"\":2}", PSIM_ERROR_SCHEMA, "1:7: /: stands twice; first on line 1"},
    {"[0,{\"x\":{\n\"a/b\":1,\n\"c\":{}, \"a/b\":2}}]", PSIM_ERROR_SCHEMA,
     "3:9: /1/x/a~1b: stands twice; first on line 2"},
};

START_TEST(what_is_not_json_is_refused_with_its_place)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = explain(refused[_i].text, strlen(refused[_i].text), &code);
    g_autofree char *expected = g_strconcat("x.json:", refused[_i].message, NULL);

    ck_assert_ptr_nonnull(message);
    ck_assert_str_eq(message, expected);
    ck_assert_int_eq((int)code, (int)refused[_i].code);
}
END_TEST

static const char *const accepted[] = {
    "{}",
    "[]",
    " \t\r\n[ ] ",
    "null",
    "true",
    "false",
    "\"\"",
    "0",
    "-0",
    "-0.0e-0",
    "1E+2",
    "1e-999",
    "1.7976931348623157e308",
    "123456789012345678901234567890123456789012345678901234567890123",
    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00\x7f\"",
    "{\"a\":{\"a\":{\"a\":1}},\"A\":2,\"b\":[{\"a\":1},{\"a\":2}]}",
    "{\"\\u00e4\":1,\"a\":[[],[[]],{}]}",
};

START_TEST(what_is_json_is_accepted)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = explain(accepted[_i], strlen(accepted[_i]), &code);

    ck_assert_ptr_null(message);
}
END_TEST

/* Every text that ends too early is refused, and none reads beyond its end. */
START_TEST(every_prefix_of_a_document_is_refused)
{
    const char text[] =
        "{\"a\": [1.5e3, \"\\ud83d\\ude00\\n\", {\"b\": null}], \"\xc3\xa4\": true}";

    for (size_t n_bytes = 0; n_bytes < strlen(text); n_bytes++) {
        PsimError code = PSIM_ERROR_INTERNAL;
        g_autofree char *copy = g_memdup2(text, MAX(n_bytes, 1));
        g_autofree char *message = explain(copy, n_bytes, &code);

        ck_assert_ptr_nonnull(message);
        ck_assert_int_eq((int)code, (int)PSIM_ERROR_SYNTAX);
    }
}
END_TEST

START_TEST(a_zero_byte_is_refused)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *message = explain("{}\0", 3, &code);

    ck_assert_str_eq(message, "x.json:1:3: byte 0x00 is not UTF-8; expected UTF-8 text");
}
END_TEST

static char *
make_nested(size_t depth)
{
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < depth; i++)
        g_string_append(text, i % 2 == 0 ? "[" : "{\"a\":");
    return g_string_free(text, /* free_segment= */ FALSE);
}

static void
close_nested(GString *text, size_t depth)
{
    for (size_t i = depth; i > 0; i--)
        g_string_append_c(text, i % 2 == 1 ? ']' : '}');
}

START_TEST(depth_64_is_the_last_that_is_accepted)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autoptr(GString) text = g_string_new("0");

    for (size_t depth = 64; depth <= 65; depth++) {
        g_autofree char *begin = make_nested(depth);

        g_string_assign(text, begin);
        g_string_append_c(text, '0');
        close_nested(text, depth);

        g_autofree char *message = explain(text->str, text->len, &code);

        if (depth == 64)
            ck_assert_ptr_null(message);
        else
            ck_assert_str_eq(message, "x.json:1:193: nested too deeply; must be at most 64 levels "
                                      "(PSIM_LIMIT_JSON_DEPTH)");
    }
    ck_assert_int_eq((int)code, (int)PSIM_ERROR_LIMIT);
}
END_TEST

START_TEST(a_million_brackets_are_refused_without_recursion)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *text = g_strnfill(1000000, '[');
    g_autofree char *message = explain(text, strlen(text), &code);

    ck_assert_str_eq(message, "x.json:1:65: nested too deeply; must be at most 64 levels "
                              "(PSIM_LIMIT_JSON_DEPTH)");
    ck_assert_int_eq((int)code, (int)PSIM_ERROR_LIMIT);
}
END_TEST

START_TEST(a_text_beyond_the_limit_is_refused)
{
    PsimError code = PSIM_ERROR_INTERNAL;
    g_autofree char *text = g_strnfill(PSIM_LIMIT_JSON_BYTES + 1, ' ');
    g_autofree char *message = explain(text, PSIM_LIMIT_JSON_BYTES + 1, &code);

    ck_assert_str_eq(message, "x.json:1:1: larger than 67108864 bytes (PSIM_LIMIT_JSON_BYTES)");
    ck_assert_int_eq((int)code, (int)PSIM_ERROR_LIMIT);
}
END_TEST

START_TEST(strings_arrive_unescaped_and_numbers_exact)
{
    g_autoptr(PsimDocument) document = parse("{\"s\":\"\\u00e4\\ud83d\\ude00\\n\",\"n\":0.1}");
    const cJSON *root = psim_document_root(document);
    const cJSON *text = cJSON_GetObjectItemCaseSensitive(root, "s");
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(root, "n");

    ck_assert_str_eq(text->valuestring, "\xc3\xa4\xf0\x9f\x98\x80\n");
    ck_assert(number->valuedouble == 0.1);
    ck_assert_str_eq(psim_document_name(document), "x.json");
}
END_TEST

/* -- Files ------------------------------------------------------------------------------------- */

START_TEST(a_file_is_loaded)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = NULL;
    const int descriptor = g_file_open_tmp("plansim-XXXXXX.json", &path, NULL);

    ck_assert_int_ge(descriptor, 0);
    g_close(descriptor, NULL);
    ck_assert(g_file_set_contents(path, "{\"a\": 1}\n", -1, NULL));

    g_autoptr(PsimDocument) document = psim_document_load(path, &error);

    ck_assert_ptr_null(error);
    ck_assert_str_eq(psim_document_name(document), path);
    ck_assert_int_eq(cJSON_GetArraySize(psim_document_root(document)), 1);
    g_unlink(path);
}
END_TEST

static const struct {
    const char *path;
    PsimError code;
    const char *message;
} unreadable[] = {
    {"no/such.json", PSIM_ERROR_IO, "no/such.json: No such file or directory"},
    {"/", PSIM_ERROR_IO, "/: Is a directory"},
    {"/dev/null", PSIM_ERROR_SYNTAX, "/dev/null:1:1: end of the text; expected a value"},
    {"/dev/zero", PSIM_ERROR_LIMIT,
     "/dev/zero:1:1: larger than 67108864 bytes (PSIM_LIMIT_JSON_BYTES)"},
};

START_TEST(a_file_that_cannot_be_read_is_an_error)
{
    g_autoptr(GError) error = NULL;

    ck_assert_ptr_null(psim_document_load(unreadable[_i].path, &error));
    ck_assert_str_eq(error->message, unreadable[_i].message);
    ck_assert_int_eq(error->code, (int)unreadable[_i].code);
}
END_TEST

/* -- Overrides --------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    const char *pointer;
    const char *value;
    const char *result;
} settable[] = {
    {"{\"a\":1}", "/a", "2", "{\"a\":2}"},
    {"{\"a\":1,\"b\":2}", "/a", "true", "{\"a\":true,\"b\":2}"},
    {"{}", "/a", "80 GiB", "{\"a\":\"80 GiB\"}"},
    {"{}", "/a", "\"8\"", "{\"a\":\"8\"}"},
    {"{}", "/a", "", "{\"a\":\"\"}"},
    {"{}", "/a", "01", "{\"a\":\"01\"}"},
    {"{}", "/a", "null", "{\"a\":null}"},
    {"{}", "/a", "{\"b\":[1,2]}", "{\"a\":{\"b\":[1,2]}}"},
    {"{}", "/a", "{b", "{\"a\":\"{b\"}"},
    {"{}", "/a/b/c", "1", "{\"a\":{\"b\":{\"c\":1}}}"},
    {"{\"a\":null}", "/a/b", "1", "{\"a\":{\"b\":1}}"},
    {"{\"a\":[1,{\"b\":2},null]}", "/a/1/b", "3", "{\"a\":[1,{\"b\":3},null]}"},
    {"{\"a\":[1,2,3]}", "/a/0", "7", "{\"a\":[7,2,3]}"},
    {"{\"a\":[1,2,3]}", "/a/2", "7", "{\"a\":[1,2,7]}"},
    {"{\"a\":[null]}", "/a/0/b", "7", "{\"a\":[{\"b\":7}]}"},
    {"[1]", "/0", "2", "[2]"},
    {"{}", "/a~1b/~0c~01", "1", "{\"a/b\":{\"~c~1\":1}}"},
    {"{}", "/", "1", "{\"\":1}"},
    {"{\"A\":1}", "/a", "2", "{\"A\":1,\"a\":2}"},
};

START_TEST(set_replaces_or_adds_a_member)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = parse(settable[_i].text);

    ck_assert(psim_document_set(document, settable[_i].pointer, settable[_i].value, &error));
    ck_assert_ptr_null(error);

    char *result = cJSON_PrintUnformatted(psim_document_root(document));

    ck_assert_str_eq(result, settable[_i].result);
    cJSON_free(result);
}
END_TEST

static const struct {
    const char *text;
    const char *pointer;
    const char *value;
    PsimError code;
    const char *message;
} unsettable[] = {
    {"{}", "a", "1", PSIM_ERROR_VALUE,
     "--set a=1: is not a pointer; must begin with \"/\", such as /parallel/tensor"},
    {"{}", "", "1", PSIM_ERROR_VALUE,
     "--set =1: is not a pointer; must begin with \"/\", such as /parallel/tensor"},
    {"{\"a\":1}", "/a/b/c", "2", PSIM_ERROR_VALUE,
     "--set /a/b/c=2: /a: is a number; must be an object to hold \"b\""},
    {"{\"a\":\"x\"}", "/a/b", "2", PSIM_ERROR_VALUE,
     "--set /a/b=2: /a: is a string; must be an object to hold \"b\""},
    {"{\"a\":false}", "/a/b", "2", PSIM_ERROR_VALUE,
     "--set /a/b=2: /a: is true or false; must be an object to hold \"b\""},
    {"null", "/a", "2", PSIM_ERROR_VALUE,
     "--set /a=2: /: is null; must be an object to hold \"a\""},
    {"{\"a\":[1,2]}", "/a/2", "3", PSIM_ERROR_VALUE,
     "--set /a/2=3: /a: has 2 items; \"2\" must be an index from 0 to 1"},
    {"{\"a\":[1,2]}", "/a/00", "3", PSIM_ERROR_VALUE,
     "--set /a/00=3: /a: has 2 items; \"00\" must be an index from 0 to 1"},
    {"{\"a\":[1,2]}", "/a/-", "3", PSIM_ERROR_VALUE,
     "--set /a/-=3: /a: has 2 items; \"-\" must be an index from 0 to 1"},
    {"{\"a\":[1,2]}", "/a/99999999999999999999/b", "3", PSIM_ERROR_VALUE,
     "--set /a/99999999999999999999/b=3: /a: has 2 items; \"99999999999999999999\" must be an "
     "index from 0 to 1"},
    {"{\"a\":[]}", "/a/0", "3", PSIM_ERROR_VALUE,
     "--set /a/0=3: /a: is an empty array; \"0\" must be the index of an item"},
    {"{}", "/a", "1e999", PSIM_ERROR_VALUE,
     "--set /a=1e999: /a: is 1e999; must be below 1.8e308 in size"},
    {"{}", "/a", "{\"b\":1,\"b\":2}", PSIM_ERROR_SCHEMA,
     "--set /a={\"b\":1,\"b\":2}: /a/b: stands twice; first on line 1"},
    {"{}", "/a", "\xff", PSIM_ERROR_VALUE,
     "--set /a=\xef\xbf\xbd: /a: byte 0xff is not UTF-8; expected UTF-8 text"},
};

START_TEST(set_refuses_what_it_cannot_put_and_changes_nothing)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = parse(unsettable[_i].text);

    ck_assert(!psim_document_set(document, unsettable[_i].pointer, unsettable[_i].value, &error));
    ck_assert_str_eq(error->message, unsettable[_i].message);
    ck_assert_int_eq(error->code, (int)unsettable[_i].code);

    char *result = cJSON_PrintUnformatted(psim_document_root(document));

    ck_assert_str_eq(result, unsettable[_i].text);
    cJSON_free(result);
}
END_TEST

START_TEST(set_counts_the_depth_of_pointer_and_value)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimDocument) document = parse("{}");
    g_autoptr(GString) pointer = g_string_new(NULL);

    for (unsigned i = 0; i < 63; i++)
        g_string_append(pointer, "/a");
    ck_assert(psim_document_set(document, pointer->str, "[]", &error));
    ck_assert(!psim_document_set(document, pointer->str, "[[]]", &error));
    ck_assert_int_eq(error->code, (int)PSIM_ERROR_LIMIT);
    ck_assert(g_str_has_suffix(error->message, ": nested too deeply; must be at most 64 levels "
                                               "(PSIM_LIMIT_JSON_DEPTH)"));
    g_clear_error(&error);
    g_string_append(pointer, "/a/a");
    ck_assert(!psim_document_set(document, pointer->str, "1", &error));
    ck_assert(g_str_has_suffix(error->message,
                               ": has 65 steps; must be at most 64 (PSIM_LIMIT_JSON_DEPTH)"));
}
END_TEST

static const struct {
    const char *pointer;
    bool want_key;
    const char *file;
    unsigned line;
    unsigned column;
} places[] = {
    {"/a", false, "x.json", 2, 6},
    {"/a", true, "x.json", 2, 1},
    {"/a/b", false, "--set /a/b=1", 0, 0},
    {"/a/b/c", false, "--set /a/b=1", 0, 0},
    {"/a/bb", false, "x.json", 2, 6},
    {"/new", true, "--set /new/x~1y/z=2", 0, 0}, /* made on the way */
    {"/new/x~1y", true, "--set /new/x~1y/z=2", 0, 0},
    {"/new/x~1y/q", false, "x.json", 1, 1},
    {"/twice", false, "--set /twice=4", 0, 0}, /* the last one holds */
    {"/twice/in", false, "--set /twice=4", 0, 0},
};

START_TEST(complaints_under_an_override_point_at_the_command_line)
{
    g_autoptr(PsimDocument) document = parse("{\n\"a\": {\"b\": 0}}");

    ck_assert(psim_document_set(document, "/a/b", "1", NULL));
    ck_assert(psim_document_set(document, "/new/x~1y/z", "2", NULL));
    ck_assert(psim_document_set(document, "/twice/in", "3", NULL));
    ck_assert(psim_document_set(document, "/twice", "4", NULL));

    const PsimPlace place = psim_document_place(document, places[_i].pointer, places[_i].want_key);

    ck_assert_str_eq(place.file, places[_i].file);
    ck_assert_uint_eq(place.line, places[_i].line);
    ck_assert_uint_eq(place.column, places[_i].column);
}
END_TEST

START_TEST(a_long_override_is_cut_and_kept_on_one_line)
{
    g_autoptr(PsimDocument) document = parse("{}");
    g_autofree char *value = g_strnfill(1000, 'v');

    value[0] = '\n';
    ck_assert(psim_document_set(document, "/a", value, NULL));

    const PsimPlace place = psim_document_place(document, "/a", /* want_key= */ false);

    ck_assert(g_str_has_prefix(place.file, "--set /a=\\nvvv"));
    ck_assert(g_str_has_suffix(place.file, "vvv..."));
    ck_assert_uint_eq(strlen(place.file), 240 + 1 + 3);
}
END_TEST

Suite *
document_suite(void)
{
    Suite *suite = suite_create("document");
    TCase *tcase = tcase_create("parse");

    tcase_add_loop_test(tcase, what_is_not_json_is_refused_with_its_place, 0,
                        G_N_ELEMENTS(refused));
    tcase_add_loop_test(tcase, what_is_json_is_accepted, 0, G_N_ELEMENTS(accepted));
    tcase_add_test(tcase, every_prefix_of_a_document_is_refused);
    tcase_add_test(tcase, a_zero_byte_is_refused);
    tcase_add_test(tcase, depth_64_is_the_last_that_is_accepted);
    tcase_add_test(tcase, a_million_brackets_are_refused_without_recursion);
    tcase_add_test(tcase, a_text_beyond_the_limit_is_refused);
    tcase_add_test(tcase, strings_arrive_unescaped_and_numbers_exact);
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("load");
    tcase_add_test(tcase, a_file_is_loaded);
    tcase_add_loop_test(tcase, a_file_that_cannot_be_read_is_an_error, 0, G_N_ELEMENTS(unreadable));
    suite_add_tcase(suite, tcase);

    tcase = tcase_create("set");
    tcase_add_loop_test(tcase, set_replaces_or_adds_a_member, 0, G_N_ELEMENTS(settable));
    tcase_add_loop_test(tcase, set_refuses_what_it_cannot_put_and_changes_nothing, 0,
                        G_N_ELEMENTS(unsettable));
    tcase_add_test(tcase, set_counts_the_depth_of_pointer_and_value);
    tcase_add_loop_test(tcase, complaints_under_an_override_point_at_the_command_line, 0,
                        G_N_ELEMENTS(places));
    tcase_add_test(tcase, a_long_override_is_cut_and_kept_on_one_line);
    suite_add_tcase(suite, tcase);
    return suite;
}
