/* SPDX-License-Identifier: MIT */
#include "schedule/partition.h"
#include "suites.h"

static const struct {
    uint32_t n_layers, n_stages;
    uint32_t layers; /* of each stage; 0: uneven */
    uint32_t below, above;
} cases[] = {
    {96, 8, 12, 6, 12},    {30, 4, 0, 3, 5},  {80, 32, 0, 20, 40}, {7, 7, 1, 1, 0},
    {7, 5, 0, 1, 7},       {7, 8, 0, 7, 0},   {7, 100, 0, 7, 0},   {1, 1, 1, 0, 0},
    {105, 35, 3, 21, 105}, {12, 1, 12, 0, 2}, {12, 0, 0, 0, 1},
};

START_TEST(layers_divide_evenly_or_the_nearest_counts_are_named)
{
    uint32_t layers[128] = {0};
    uint32_t below = 99;
    uint32_t above = 99;

    ck_assert(psim_partition_even(cases[_i].n_layers, cases[_i].n_stages, layers) ==
              (cases[_i].layers != 0));
    for (uint32_t stage = 0; stage < cases[_i].n_stages; stage++)
        ck_assert_uint_eq(layers[stage], cases[_i].layers);
    psim_partition_nearest(cases[_i].n_layers, cases[_i].n_stages, &below, &above);
    ck_assert_uint_eq(below, cases[_i].below);
    ck_assert_uint_eq(above, cases[_i].above);
}
END_TEST

Suite *
partition_suite(void)
{
    Suite *suite = suite_create("partition");
    TCase *tcase = tcase_create("partition");

    tcase_add_loop_test(tcase, layers_divide_evenly_or_the_nearest_counts_are_named, 0,
                        G_N_ELEMENTS(cases));
    suite_add_tcase(suite, tcase);
    return suite;
}
