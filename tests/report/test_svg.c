/* SPDX-License-Identifier: MIT */
#include "engine/sweep.h"
#include "fixture.h"
#include "picture.h"
#include "report/paint.h"
#include "timeline/summary.h"

#include <check.h>
#include <math.h>
#include <string.h>

Suite *svg_suite(void);

/* One rank runs so many tasks back to back. */
static PsimResult *
make_row(uint32_t n_tasks, PsimTime duration)
{
    static const PsimTaskClass class = {.op = "F", .kind = PSIM_TASK_COMPUTE};
    PsimResult *result = psim_result_new(PSIM_RESULT_SCHEDULE);
    PsimGraphBuilder builder;

    psim_graph_builder_init(&builder, result->arena, n_tasks, 0);
    (void)psim_graph_add_stream(&builder, /* rank= */ 0, PSIM_STREAM_COMPUTE);
    (void)psim_graph_add_class(&builder, &class);
    for (uint32_t i = 0; i < n_tasks; i++)
        (void)psim_graph_add_task(&builder, 0, 0, duration, i);
    result->graph = psim_graph_freeze(&builder);
    result->replay = psim_sweep_run(result->graph, result->arena, NULL);
    result->step_ps = result->replay->makespan;
    result->n_ranks = 1;
    result->ranks = psim_summary_ranks(result->graph, result->replay, result->arena);
    return result;
}

static PsimResult *
make_picture(int index)
{
    switch (index) {
    case 0:
        return fixture_schedule(/* latency= */ 0);
    case 1:
        return fixture_schedule(/* latency= */ 1);
    case 2:
        return fixture_deadlock();
    case 3:
        return fixture_run(/* fits= */ true);
    case 4:
        return fixture_run(/* fits= */ false);
    case 5: /* long numbers on the axis */
        return make_row(12, INT64_C(412345678901234567));
    case 6: /* many marks on it */
        return make_row(12, INT64_C(83333333));
    default:
        return psim_result_new(PSIM_RESULT_RUN);
    }
}
#define N_PICTURES 8

static const Box *
box_at(const GArray *boxes, guint index)
{
    return &g_array_index(boxes, Box, index);
}

/* "78+54=0" for a cell and the number in it, of the row whose cells begin at @y. */
static char *
list_row(const Picture *picture, double y)
{
    GString *list = g_string_new(NULL);

    for (guint i = 0; i < picture->rects->len; i++) {
        const Box *cell = box_at(picture->rects, i);

        if (strcmp(cell->class, "cell") != 0 || fabs(cell->y - y) > 0.001)
            continue;
        g_string_append_printf(list, "%s%.0f+%.0f", list->len > 0 ? " " : "", cell->x, cell->width);
        for (guint j = 0; j < picture->words->len; j++) {
            const Box *words = box_at(picture->words, j);

            if (words->x > cell->x && words->x < cell->x + cell->width && words->y > cell->y &&
                words->y < cell->y + cell->height)
                g_string_append_printf(list, "=%s", words->text);
        }
    }
    return g_string_free(list, /* free_segment= */ FALSE);
}

/* The row of a rank lies where its name is. */
static double
find_row(const Picture *picture, const char *name)
{
    for (guint i = 0; i < picture->words->len; i++) {
        const Box *words = box_at(picture->words, i);

        if (strcmp(words->text, name) != 0)
            continue;
        for (guint j = 0; j < picture->rects->len; j++) {
            const Box *ground = box_at(picture->rects, j);

            if (strcmp(ground->class, "idle") == 0 && words->y > ground->y &&
                words->y < ground->y + ground->height)
                return ground->y;
        }
    }
    ck_abort_msg("no row of %s", name);
    return 0.0;
}

static bool
overlap(const Box *a, const Box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static bool
lies_in(const Box *inner, const Box *outer)
{
    return inner->x >= outer->x && inner->x + inner->width <= outer->x + outer->width &&
           inner->y >= outer->y && inner->y + inner->height <= outer->y + outer->height;
}

START_TEST(every_picture_is_xml_and_stays_inside_itself)
{
    g_autoptr(PsimResult) result = make_picture(_i);
    g_autofree char *text = fixture_tell(result, "svg");
    g_auto(Picture) picture = picture_read(text);
    const char *size = strstr(text, "viewBox=\"0 0 ");
    char *end = NULL;

    ck_assert_ptr_nonnull(size);
    const double width = g_ascii_strtod(size + strlen("viewBox=\"0 0 "), &end);
    const double height = g_ascii_strtod(end, NULL);

    const Box frame = {.width = width, .height = height};

    for (guint i = 0; i < picture.words->len; i++)
        ck_assert_msg(lies_in(box_at(picture.words, i), &frame), "%s",
                      box_at(picture.words, i)->text);
    ck_assert_ptr_null(strstr(text, "nan"));
    ck_assert_ptr_null(strstr(text, "(null)"));
}
END_TEST

/* 18 ticks, each 52.75 pixels long; white is what no cell covers. */
START_TEST(a_cell_is_where_its_task_was_and_has_its_microbatch)
{
    g_autoptr(PsimResult) result = fixture_schedule(/* latency= */ 0);
    g_autofree char *text = fixture_tell(result, "svg");
    g_auto(Picture) picture = picture_read(text);
    g_autofree char *first = list_row(&picture, find_row(&picture, "rank 0"));
    g_autofree char *last = list_row(&picture, find_row(&picture, "rank 2"));

    ck_assert_str_eq(first,
                     "76+53=0 129+53=1 182+53=2 446+106=0 551+53=3 604+106=1 762+106=2 920+106=3");
    ck_assert_str_eq(last,
                     "182+53=0 235+106=0 340+53=1 393+106=1 498+53=2 551+106=2 657+53=3 709+106=3");
    ck_assert_ptr_nonnull(strstr(text, "<title>B3: from 16 ticks, for 2 ticks</title>"));
}
END_TEST

START_TEST(words_lie_inside_their_cell_or_beside_all_cells_and_words)
{
    g_autoptr(PsimResult) result = make_picture(_i);
    g_autofree char *text = fixture_tell(result, "svg");
    g_auto(Picture) picture = picture_read(text);

    for (guint i = 0; i < picture.words->len; i++) {
        const Box *words = box_at(picture.words, i);

        for (guint j = 0; j < picture.rects->len; j++) {
            const Box *rect = box_at(picture.rects, j);

            ck_assert_msg(strcmp(rect->class, "idle") == 0 || !overlap(words, rect) ||
                              lies_in(words, rect),
                          "\"%s\" runs into a %s", words->text, rect->class);
        }
        for (guint j = 0; j < i; j++)
            ck_assert_msg(!overlap(words, box_at(picture.words, j)), "\"%s\" runs into \"%s\"",
                          words->text, box_at(picture.words, j)->text);
    }
}
END_TEST

START_TEST(anybodys_name_is_escaped_and_a_long_one_cut)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ true);
    g_autofree char *plain = g_strnfill(400, 'm');

    result->plan_name = "</svg><script>\"&'\001";
    g_autofree char *text = fixture_tell(result, "svg");
    g_auto(Picture) picture = picture_read(text);

    ck_assert_ptr_null(strstr(text, "<script"));
    ck_assert(g_str_has_prefix(box_at(picture.words, 0)->text, "</svg><script>\"&'\xef\xbf\xbd: "));

    result->plan_name = plain;
    g_autofree char *cut = fixture_tell(result, "svg");
    g_auto(Picture) second = picture_read(cut);

    ck_assert(g_str_has_suffix(box_at(second.words, 0)->text, "m\xe2\x80\xa6"));
}
END_TEST

START_TEST(the_same_run_is_the_same_picture)
{
    g_autoptr(PsimResult) result = make_picture(_i);
    g_autofree char *first = fixture_tell(result, "svg");
    g_autofree char *second = fixture_tell(result, "svg");

    ck_assert_str_eq(first, second);
}
END_TEST

START_TEST(what_does_not_fit_is_said_in_the_picture)
{
    g_autoptr(PsimResult) result = fixture_run(/* fits= */ false);
    g_autofree char *text = fixture_tell(result, "svg");

    ck_assert_ptr_nonnull(strstr(text, "DOES NOT FIT: tiny needs 30.0 GB of 24.0 GB on stage 0"));
    ck_assert_ptr_nonnull(strstr(text, ">capacity</text>"));
    ck_assert_ptr_nonnull(strstr(text, "class=\"curve\""));
}
END_TEST

START_TEST(a_long_run_is_an_overview_and_says_so)
{
    g_autoptr(PsimResult) result = make_row(3000, 1);
    g_autofree char *text = fixture_tell(result, "svg");
    g_auto(Picture) picture = picture_read(text);

    ck_assert_ptr_nonnull(strstr(text, ">overview: too many operations for cells, so each column "
                                       "is "));
    ck_assert_uint_lt(picture.rects->len, 16);
    ck_assert_uint_lt(strlen(text), 65536);
}
END_TEST

static int
find_luma(const char *fill)
{
    const guint64 rgb = g_ascii_strtoull(fill + 1, NULL, 16);

    return (int)((299 * (rgb >> 16) + 587 * (rgb >> 8 & 0xff) + 114 * (rgb & 0xff)) / 1000);
}

/* Of 255: what a grey print needs to tell neighbours apart. */
START_TEST(colours_that_stand_together_differ_in_lightness)
{
    static const PsimPaint pairs[][2] = {
        {PSIM_PAINT_FORWARD, PSIM_PAINT_BACKWARD},
        {PSIM_PAINT_FORWARD, PSIM_PAINT_INPUT},
        {PSIM_PAINT_FORWARD, PSIM_PAINT_WEIGHT},
        {PSIM_PAINT_INPUT, PSIM_PAINT_WEIGHT},
        {PSIM_PAINT_BACKWARD, PSIM_PAINT_TP},
        {PSIM_PAINT_FORWARD, PSIM_PAINT_TP},
        {PSIM_PAINT_TP, PSIM_PAINT_PP},
        {PSIM_PAINT_TP, PSIM_PAINT_DP},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++)
        ck_assert_int_ge(abs(find_luma(psim_paint_info(pairs[i][0])->even) -
                             find_luma(psim_paint_info(pairs[i][1])->even)),
                         15);
    for (unsigned i = PSIM_PAINT_FORWARD; i <= PSIM_PAINT_WEIGHT; i++)
        ck_assert_int_ge(find_luma(psim_paint_info((PsimPaint)i)->odd) -
                             find_luma(psim_paint_info((PsimPaint)i)->even),
                         20);
}
END_TEST

Suite *
svg_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *pictures = tcase_create("pictures");

    tcase_add_loop_test(pictures, every_picture_is_xml_and_stays_inside_itself, 0, N_PICTURES);
    tcase_add_test(pictures, a_cell_is_where_its_task_was_and_has_its_microbatch);
    tcase_add_loop_test(pictures, words_lie_inside_their_cell_or_beside_all_cells_and_words, 0,
                        N_PICTURES);
    tcase_add_test(pictures, anybodys_name_is_escaped_and_a_long_one_cut);
    tcase_add_loop_test(pictures, the_same_run_is_the_same_picture, 0, N_PICTURES);
    tcase_add_test(pictures, what_does_not_fit_is_said_in_the_picture);
    tcase_add_test(pictures, a_long_run_is_an_overview_and_says_so);
    tcase_add_test(pictures, colours_that_stand_together_differ_in_lightness);
    suite_add_tcase(suite, pictures);
    return suite;
}
