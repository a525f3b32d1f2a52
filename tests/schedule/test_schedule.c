/* SPDX-License-Identifier: MIT */
/* The registry, and the rules each schedule has. */
#include "schedule/schedule.h"
#include "suites.h"

START_TEST(names_are_those_of_the_types_in_order)
{
    g_autoptr(GString) names = g_string_new(NULL);

    for (const char *const *name = psim_schedule_names(); *name != NULL; name++)
        g_string_append_printf(names, "%s ", *name);
    ck_assert_str_eq(names->str,
                     "naive gpipe gpipe-lifo 1f1b eager-1f1b interleaved looped-bfs zb-h1 zb-h2 "
                     "interleaved-zb zb-v v-half v-min dualpipe dualpipe-v chimera gems hanayo "
                     "terapipe seq1f1b pipedream pipedream-2bw bpipe auto ");
}
END_TEST

START_TEST(words_are_the_names)
{
    ck_assert(psim_schedule_words() == psim_schedule_names());
}
END_TEST

START_TEST(unknown_names_are_not_found)
{
    ck_assert_ptr_null(psim_schedule_find("2f2b"));
    ck_assert_ptr_null(psim_schedule_find(""));
    ck_assert_ptr_null(psim_schedule_find("1F1B"));
    ck_assert_ptr_null(psim_schedule_summary("2f2b"));
}
END_TEST

START_TEST(every_type_says_what_it_is)
{
    for (const char *const *name = psim_schedule_names(); *name != NULL; name++) {
        const PsimScheduleType *type = psim_schedule_find(*name);

        ck_assert(g_str_equal(type->name, *name));
        ck_assert(psim_schedule_summary(*name) == type->summary);
        ck_assert(type->title != NULL && type->emit != NULL);
        ck_assert((type->ideal_bubble == NULL) == (type->ideal_text == NULL));
        ck_assert(type->min_chunks <= type->default_chunks);
        ck_assert(type->default_chunks <= type->max_chunks);
    }
}
END_TEST

START_TEST(letters_are_the_fields_own)
{
    ck_assert_int_eq(psim_op_letter(PSIM_OP_FORWARD), 'F');
    ck_assert_int_eq(psim_op_letter(PSIM_OP_BACKWARD), 'B');
    ck_assert_int_eq(psim_op_letter(PSIM_OP_BACKWARD_INPUT), 'I');
    ck_assert_int_eq(psim_op_letter(PSIM_OP_BACKWARD_WEIGHT), 'W');
}
END_TEST

static const struct {
    PsimShape shape;
    bool pytorch_rule;
    const char *complaint;
} rules[] = {
    {{4, 8, 2, 4, 1}, false, ""},
    {{4, 4, 2, 4, 1}, false, ""},
    {{4, 10, 2, 5, 1}, false, ""},
    {{4, 14, 2, 10, 1}, false, ""}, /* the rest of 4 still fills the pipeline */
    {{2, 8, 2, 2, 1}, false, ""},
    {{4, 8, 1, 4, 1}, false, "interleaved has 1 chunk a rank; must be 2 or more, or schedule 1f1b"},
    {{1, 8, 2, 1, 1},
     false,
     "interleaved has 1 pipeline rank; must be 2 or more, or schedule 1f1b"},
    {{4, 3, 2, 4, 1},
     false,
     "interleaved has 3 microbatches for 4 pipeline ranks; must be a multiple of 4, the nearest "
     "is 4"},
    {{4, 8, 2, 3, 1},
     false,
     "interleaved has groups of 3 microbatches; must be from 4 (the pipeline ranks) to 8 (the "
     "microbatches)"},
    {{4, 8, 2, 9, 1},
     false,
     "interleaved has groups of 9 microbatches; must be from 4 (the pipeline ranks) to 8 (the "
     "microbatches)"},
    {{4, 5, 3, 4, 1},
     false,
     "interleaved has 5 microbatches, which leaves 1 after groups of 4, fewer than 4 pipeline "
     "ranks; the nearest that work are 4 and 8"},
    {{4, 22, 2, 10, 1},
     false,
     "interleaved has 22 microbatches, which leaves 2 after groups of 10, fewer than 4 pipeline "
     "ranks; the nearest that work are 20 and 24"},
    {{4, 8, 2, 4, 1}, true, ""},
    {{4, 3, 2, 3, 1}, true, ""},
    {{1, 8, 2, 1, 1}, true, ""},
    {{4, 10, 2, 5, 1}, true, ""},
    {{4, 8, 1, 4, 1}, true, "interleaved has 1 chunk a rank; must be 2 or more, or schedule 1f1b"},
    {{4, 9, 2, 4, 1},
     true,
     "interleaved has 9 microbatches, which do not divide into 2 rounds over 4 pipeline ranks; "
     "the nearest that work are 8 and 10"},
    {{8, 31, 2, 8, 1},
     true,
     "interleaved has 31 microbatches, which do not divide into 3 rounds over 8 pipeline ranks; "
     "the nearest that work are 30 and 32"},
};

START_TEST(interleaved_names_the_nearest_shapes_that_work)
{
    g_autoptr(GString) complaints = g_string_new(NULL);

    psim_schedule_find("interleaved")->check(&rules[_i].shape, rules[_i].pytorch_rule, complaints);
    ck_assert_str_eq(complaints->str, rules[_i].complaint);
}
END_TEST

static bool
is_legal(uint32_t p, uint32_t m, bool pytorch_rule)
{
    const PsimShape shape = {.n_ranks = p, .n_microbatches = m, .n_chunks = 2, .group = p};
    g_autoptr(GString) complaints = g_string_new(NULL);

    psim_schedule_find("interleaved")->check(&shape, pytorch_rule, complaints);
    return complaints->len == 0;
}

START_TEST(interleaved_rules_are_those_of_the_two_runtimes)
{
    for (uint32_t p = 2; p <= 12; p++) {
        for (uint32_t m = 1; m <= 60; m++) {
            ck_assert(is_legal(p, m, /* pytorch_rule= */ false) == (m % p == 0));
            ck_assert(is_legal(p, m, /* pytorch_rule= */ true) == (m % MAX(1, m / p) == 0));
        }
    }
}
END_TEST

static const struct {
    PsimShape shape;
    const char *complaint;
} zero_bubble_rules[] = {
    {{4, 8, 2, 4, 1}, ""},
    {{4, 10, 1, 4, 1}, ""}, /* two rounds of 5 */
    {{4, 3, 2, 4, 1}, ""},
    {{4, 12, 2, 6, 1}, ""},
    {{4, 9, 2, 4, 1},
     "interleaved-zb has 9 microbatches, which do not divide into 2 rounds over 4 pipeline ranks; "
     "the nearest that work are 8 and 10"},
    {{4, 13, 2, 6, 1},
     "interleaved-zb has 13 microbatches, which leaves 1 after groups of 6; the nearest that work "
     "are 12 and 18"},
    {{4, 5, 2, 6, 1},
     "interleaved-zb has groups of 6 microbatches; must be from 4 (the pipeline ranks) to 5 (the "
     "microbatches)"},
    {{4, 8, 2, 2, 1},
     "interleaved-zb has groups of 2 microbatches; must be from 4 (the pipeline ranks) to 8 (the "
     "microbatches)"},
    {{4, 3, 2, 2, 1},
     "interleaved-zb has groups of 2 microbatches; must be 3 (the microbatches) for 4 pipeline "
     "ranks"},
    {{4, 3, 2, 3, 1}, ""},
};

START_TEST(interleaved_zero_bubble_names_the_nearest_shapes_that_work)
{
    const PsimShape *shape = &zero_bubble_rules[_i].shape;
    g_autoptr(GString) complaints = g_string_new(NULL);

    psim_schedule_find("interleaved-zb")->check(shape, /* pytorch_rule= */ _i % 2, complaints);
    ck_assert_str_eq(complaints->str, zero_bubble_rules[_i].complaint);
}
END_TEST

START_TEST(these_take_any_number_of_microbatches)
{
    static const char *const names[] = {"naive", "gpipe", "1f1b", "eager-1f1b", "looped-bfs",
                                        "zb-h1", "zb-h2", "zb-v", "v-half",     "v-min"};

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        ck_assert(psim_schedule_find(names[i])->check == NULL);
}
END_TEST

Suite *
schedule_suite(void)
{
    Suite *suite = suite_create("schedule");
    TCase *tcase = tcase_create("schedule");

    tcase_add_test(tcase, names_are_those_of_the_types_in_order);
    tcase_add_test(tcase, words_are_the_names);
    tcase_add_test(tcase, unknown_names_are_not_found);
    tcase_add_test(tcase, every_type_says_what_it_is);
    tcase_add_test(tcase, letters_are_the_fields_own);
    tcase_add_loop_test(tcase, interleaved_names_the_nearest_shapes_that_work, 0,
                        G_N_ELEMENTS(rules));
    tcase_add_test(tcase, interleaved_rules_are_those_of_the_two_runtimes);
    tcase_add_loop_test(tcase, interleaved_zero_bubble_names_the_nearest_shapes_that_work, 0,
                        G_N_ELEMENTS(zero_bubble_rules));
    tcase_add_test(tcase, these_take_any_number_of_microbatches);
    suite_add_tcase(suite, tcase);
    return suite;
}

PSIM_TEST_SUITES(schedule_suite,
                 partition_suite,
                 orders_suite,
                 replays_suite,
                 pictures_suite,
                 rules_suite,
                 auto_suite,
                 csv_suite,
                 csv_files_suite,
                 csv_lower_suite);
