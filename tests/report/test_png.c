/* SPDX-License-Identifier: MIT */
#include "report/png.h"

#include "fixture.h"
#include "main.h"

#include <check.h>
#include <string.h>

Suite *png_suite(void);

PSIM_TEST_SUITES(png_suite);

/* A PsimWrite. */
static bool
collect(const char *bytes, size_t n_bytes, void *user)
{
    g_string_append_len(user, bytes, (gssize)n_bytes);
    return true;
}

/* Says what it has been given with psim_png_write(). */
static void
draw_text(const void *user, PsimSink *sink)
{
    g_string_append(sink->buffer, user);
}

static char *
complain(const char *svg)
{
    g_autoptr(GString) buffer = g_string_new(NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    PsimSink sink = {.buffer = buffer, .write = collect, .user = out};

    psim_png_write(draw_text, svg, &sink);
    ck_assert(!psim_report_end(&sink, "unused", &error));
    ck_assert_uint_eq(out->len, 0);
    return g_strdup(error->message);
}

START_TEST(nothing_to_draw_is_an_error)
{
    g_autofree char *message = complain("");

    ck_assert_str_eq(message, "there is nothing to draw");
}
END_TEST

#ifdef PSIM_PNG

static uint32_t
read_big_endian(const char *bytes)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++)
        value = value << 8 | (uint8_t)bytes[i];
    return value;
}

static PsimResult *
make_result(int index)
{
    return index == 0   ? fixture_schedule(/* latency= */ 1)
             : index == 1 ? fixture_run(/* fits= */ true)
                          : fixture_deadlock();
}

START_TEST(a_picture_is_a_png_twice_as_wide_and_high_as_the_svg)
{
    g_autoptr(PsimResult) result = make_result(_i);
    g_autoptr(GString) png = g_string_new(NULL);
    g_autofree char *svg = fixture_tell(result, "svg");
    char *end = strstr(svg, "viewBox=\"0 0 ");
    const double width = g_ascii_strtod(end + strlen("viewBox=\"0 0 "), &end);
    const double height = g_ascii_strtod(end, NULL);

    ck_assert(psim_result_write(result, "png", collect, png, /* error= */ NULL));
    ck_assert_uint_gt(png->len, 1000);
    ck_assert_mem_eq(png->str, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    ck_assert_uint_eq(read_big_endian(png->str + 16), (uint32_t)(2 * width));
    ck_assert_uint_eq(read_big_endian(png->str + 20), (uint32_t)(2 * height));
    ck_assert_mem_eq(png->str + png->len - 8, "IEND\xae\x42\x60\x82", 8);
}
END_TEST

/* Without its words, a picture would be much smaller. */
START_TEST(words_are_drawn)
{
    static const char *const texts[] = {"", "words"};
    gsize n_bytes[2];

    for (int i = 0; i < 2; i++) {
        g_autofree char *svg = g_strdup_printf(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"99\" height=\"40\"><text "
            "y=\"30\" font-family=\"sans-serif\" fill=\"red\">%s</text></svg>",
            texts[i]);
        g_autoptr(GString) buffer = g_string_new(NULL);
        g_autoptr(GString) out = g_string_new(NULL);
        PsimSink sink = {.buffer = buffer, .write = collect, .user = out};

        psim_png_write(draw_text, svg, &sink);
        ck_assert(psim_report_end(&sink, "unused", /* error= */ NULL));
        n_bytes[i] = out->len;
    }
    ck_assert_uint_gt(n_bytes[1], n_bytes[0] + 100);
}
END_TEST

START_TEST(a_picture_too_long_for_cairo_becomes_smaller)
{
    g_autoptr(GString) buffer = g_string_new(NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    PsimSink sink = {.buffer = buffer, .write = collect, .user = out};

    psim_png_write(draw_text,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"64000\"/>",
                   &sink);
    ck_assert(psim_report_end(&sink, "unused", /* error= */ NULL));
    ck_assert_uint_eq(read_big_endian(out->str + 16), 4);
    ck_assert_uint_eq(read_big_endian(out->str + 20), 32000);
}
END_TEST

START_TEST(what_librsvg_cannot_read_is_an_error)
{
    g_autofree char *message = complain("<svg");

    ck_assert_msg(g_str_has_prefix(message, "the picture cannot be drawn: XML parse error: "), "%s",
                  message);
}
END_TEST

static bool
refuse(const char *bytes, size_t n_bytes, void *user)
{
    (void)bytes;
    (void)n_bytes;
    (*(unsigned *)user)++;
    return false;
}

START_TEST(a_receiver_that_takes_no_more_is_an_error)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 1);
    g_autoptr(GError) error = NULL;
    unsigned n_calls = 0;

    ck_assert(!psim_result_write(result, "png", refuse, &n_calls, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
    ck_assert_str_eq(error->message, "cannot write the result: its receiver took no more");
    ck_assert_uint_eq(n_calls, 1);
}
END_TEST

#else

START_TEST(without_librsvg_it_says_so)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 1);
    g_autoptr(GString) png = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    ck_assert(!psim_result_write(result, "png", collect, png, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED));
    ck_assert_str_eq(error->message, "PNG needs librsvg, which is not in this build");
    ck_assert_uint_eq(png->len, 0);
}
END_TEST

#endif

Suite *
png_suite(void)
{
    Suite *suite = suite_create("png");
    TCase *pictures = tcase_create("pictures");

    tcase_add_test(pictures, nothing_to_draw_is_an_error);
#ifdef PSIM_PNG
    tcase_add_loop_test(pictures, a_picture_is_a_png_twice_as_wide_and_high_as_the_svg, 0, 3);
    tcase_add_test(pictures, words_are_drawn);
    tcase_add_test(pictures, a_picture_too_long_for_cairo_becomes_smaller);
    tcase_add_test(pictures, what_librsvg_cannot_read_is_an_error);
    tcase_add_test(pictures, a_receiver_that_takes_no_more_is_an_error);
#else
    tcase_add_test(pictures, without_librsvg_it_says_so);
#endif
    suite_add_tcase(suite, pictures);
    return suite;
}
