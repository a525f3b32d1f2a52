/* SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "base/units.h"

#include <check.h>
#include <math.h>

Suite *units_suite(void);

static const struct {
    const char *text;
    PsimDimension dimension;
    double value;
} quantities[] = {
    {"80 GiB", PSIM_DIMENSION_BYTES, 85899345920.0},
    {"80GB", PSIM_DIMENSION_BYTES, 80e9},
    {"81920 MiB", PSIM_DIMENSION_BYTES, 85899345920.0},
    {"0 B", PSIM_DIMENSION_BYTES, 0.0},
    {"8 Gb", PSIM_DIMENSION_BYTES, 1e9},
    {"-1 kB", PSIM_DIMENSION_BYTES, -1000.0},
    {"3.35 TB/s", PSIM_DIMENSION_BYTES_PER_S, 3.35e12},
    {"900 GB/s", PSIM_DIMENSION_BYTES_PER_S, 900e9},
    {"200 Gbps", PSIM_DIMENSION_BYTES_PER_S, 25e9},
    {"200 Gb/s", PSIM_DIMENSION_BYTES_PER_S, 25e9},
    {"4.5 us", PSIM_DIMENSION_TIME, 4.5e-6},
    {"2 h", PSIM_DIMENSION_TIME, 7200.0},
    {"1e-3 ms", PSIM_DIMENSION_TIME, 1e-6},
    {"12 GFLOP", PSIM_DIMENSION_FLOP, 12e9},
    {"312 TFLOP/s", PSIM_DIMENSION_FLOP_PER_S, 312e12},
    {"0.1 kW", PSIM_DIMENSION_POWER, 100.0},
    {"1410 MHz", PSIM_DIMENSION_FREQUENCY, 1410e6},
    {"1.8 USD/h", PSIM_DIMENSION_MONEY_PER_S, 1.8 / 3600.0},
};

START_TEST(parse_reads_a_number_and_a_unit_exactly)
{
    double value = -1.0;
    char *message = NULL;

    ck_assert(psim_units_parse(quantities[_i].text, quantities[_i].dimension, &value, &message));
    ck_assert(value == quantities[_i].value);
    ck_assert_ptr_null(message);
}
END_TEST

static const struct {
    const char *text;
    PsimDimension dimension;
    const char *message;
} refusals[] = {
    {"", PSIM_DIMENSION_BYTES,
     "\"\" does not begin with a number; must be a size such as \"80 GiB\""},
    {"GB", PSIM_DIMENSION_BYTES,
     "\"GB\" does not begin with a number; must be a size such as \"80 GiB\""},
    {"NaN s", PSIM_DIMENSION_TIME,
     "\"NaN s\" does not begin with a number; must be a time such as \"4.5 us\""},
    {"inf W", PSIM_DIMENSION_POWER,
     "\"inf W\" does not begin with a number; must be a power such as \"400 W\""},
    {" 1 W", PSIM_DIMENSION_POWER,
     "\" 1 W\" does not begin with a number; must be a power such as \"400 W\""},
    {"900", PSIM_DIMENSION_BYTES_PER_S,
     "\"900\" has no unit; must be a bandwidth such as \"900 GB/s\""},
    {"80 GiB", PSIM_DIMENSION_BYTES_PER_S,
     "\"80 GiB\" is a size; must be a bandwidth such as \"900 GB/s\""},
    {"900 GB/s", PSIM_DIMENSION_BYTES,
     "\"900 GB/s\" is a bandwidth; must be a size such as \"80 GiB\""},
    {"3 W", PSIM_DIMENSION_FREQUENCY,
     "\"3 W\" is a power; must be a frequency such as \"1410 MHz\""},
    {"3 s", PSIM_DIMENSION_MONEY_PER_S, "\"3 s\" is a time; must be a price such as \"1.8 USD/h\""},
    {"3 GFLOP/s", PSIM_DIMENSION_FLOP,
     "\"3 GFLOP/s\" is a compute rate; must be an amount of work such as \"12 GFLOP\""},
    {"3 GFLOP", PSIM_DIMENSION_FLOP_PER_S,
     "\"3 GFLOP\" is an amount of work; must be a compute rate such as \"312 TFLOP/s\""},
    {"312 TFLOPS", PSIM_DIMENSION_FLOP_PER_S,
     "\"312 TFLOPS\" has the unknown unit \"TFLOPS\"; did you mean \"TFLOP/s\"?"},
    {"80 gB", PSIM_DIMENSION_BYTES, "\"80 gB\" has the unknown unit \"gB\"; did you mean \"GB\"?"},
    {"80 parsec", PSIM_DIMENSION_BYTES,
     "\"80 parsec\" has the unknown unit \"parsec\"; must be a size such as \"80 GiB\""},
    {"0x10 GB", PSIM_DIMENSION_BYTES,
     "\"0x10 GB\" has the unknown unit \"x10 GB\"; must be a size such as \"80 GiB\""},
    {"1,5 GB", PSIM_DIMENSION_BYTES,
     "\"1,5 GB\" has the unknown unit \",5 GB\"; must be a size such as \"80 GiB\""},
    {"80 GB ", PSIM_DIMENSION_BYTES,
     "\"80 GB \" has the unknown unit \"GB \"; did you mean \"GB\"?"},
    {"1e999 GB", PSIM_DIMENSION_BYTES, "\"1e999 GB\" is out of range; must fit a double"},
    {"1e99999999999999999999 s", PSIM_DIMENSION_TIME,
     "\"1e99999999999999999999 s\" is out of range; must fit a double"},
    {"1e-999 s", PSIM_DIMENSION_TIME, "\"1e-999 s\" is out of range; must fit a double"},
};

START_TEST(parse_refuses_with_what_is_there_and_what_would_be_right)
{
    double value = 7.0;
    g_autofree char *message = NULL;

    ck_assert(!psim_units_parse(refusals[_i].text, refusals[_i].dimension, &value, &message));
    ck_assert_str_eq(message, refusals[_i].message);
    ck_assert(value == 7.0);
}
END_TEST

static const struct {
    double value;
    PsimDimension dimension;
    const char *text;
} written[] = {
    {85899345920.0, PSIM_DIMENSION_BYTES, "80 GiB"},
    {80e9, PSIM_DIMENSION_BYTES, "80 GB"},
    {0.0, PSIM_DIMENSION_BYTES, "0 B"},
    {1.0, PSIM_DIMENSION_BYTES, "1 B"},
    {3.35e12, PSIM_DIMENSION_BYTES_PER_S, "3.35 TB/s"},
    {25e9, PSIM_DIMENSION_BYTES_PER_S, "25 GB/s"},
    {4.5e-6, PSIM_DIMENSION_TIME, "4.5 us"},
    {1e-13, PSIM_DIMENSION_TIME, "0.1 ps"},
    {60.0, PSIM_DIMENSION_TIME, "60 s"},
    {312e12, PSIM_DIMENSION_FLOP_PER_S, "312 TFLOP/s"},
    {400.0, PSIM_DIMENSION_POWER, "400 W"},
    {1.41e9, PSIM_DIMENSION_FREQUENCY, "1.41 GHz"},
    {1.8 / 3600.0, PSIM_DIMENSION_MONEY_PER_S, "1.8 USD/h"},
};

START_TEST(format_chooses_the_short_text_with_a_number_from_1_to_1000)
{
    g_autofree char *text = psim_units_format(written[_i].value, written[_i].dimension);

    ck_assert_str_eq(text, written[_i].text);
}
END_TEST

START_TEST(what_format_writes_parse_reads_back_exactly)
{
    const PsimDimension dimension = (PsimDimension)_i;

    for (uint64_t id = 0; id < 500; id++) {
        const double sign = id % 5 == 0 ? -1.0 : 1.0;
        const double value =
            sign * ldexp(psim_rng_unit(9, id), (int)psim_rng_below(10, id, 120) - 40);
        g_autofree char *text = psim_units_format(value, dimension);
        g_autofree char *message = NULL;
        double back = 0.0;

        ck_assert_msg(psim_units_parse(text, dimension, &back, &message), "%s", text);
        ck_assert_msg(back == value, "%s", text);
    }
}
END_TEST

START_TEST(the_example_of_a_dimension_is_of_that_dimension)
{
    const PsimDimension dimension = (PsimDimension)_i;
    g_autofree char *message = NULL;
    double value = -1.0;

    ck_assert(psim_units_parse(psim_dimension_example(dimension), dimension, &value, &message));
    ck_assert(value > 0.0);
    ck_assert_int_eq(psim_dimension_name(dimension)[0], 'a');
}
END_TEST

Suite *
units_suite(void)
{
    Suite *suite = suite_create("units");
    TCase *tests = tcase_create("units");
    const int n_dimensions = PSIM_DIMENSION_MONEY_PER_S + 1;

    tcase_add_loop_test(tests, parse_reads_a_number_and_a_unit_exactly, 0,
                        G_N_ELEMENTS(quantities));
    tcase_add_loop_test(tests, parse_refuses_with_what_is_there_and_what_would_be_right, 0,
                        G_N_ELEMENTS(refusals));
    tcase_add_loop_test(tests, format_chooses_the_short_text_with_a_number_from_1_to_1000, 0,
                        G_N_ELEMENTS(written));
    tcase_add_loop_test(tests, what_format_writes_parse_reads_back_exactly, 0, n_dimensions);
    tcase_add_loop_test(tests, the_example_of_a_dimension_is_of_that_dimension, 0, n_dimensions);
    suite_add_tcase(suite, tests);
    return suite;
}
