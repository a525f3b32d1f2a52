/* SPDX-License-Identifier: MIT */
/* However many processes and in whichever order: the same training. No time is looked at. */
#include "data.h"
#include "order.h"
#include "suites.h"
#include "train.h"

#include <stdio.h>

static TinyConfig
make_config(uint32_t n_stages, TinySchedule schedule)
{
    return (TinyConfig){
        .n_layers = 4,
        .hidden = 32,
        .n_heads = 4,
        .vocabulary = 32,
        .sequence = 16,
        .micro_batch = 2,
        .n_microbatches = 6,
        .n_stages = n_stages,
        .schedule = schedule,
        .n_warm_up = 1,
        .n_steps = 11,
        .learning_rate = 3e-3,
        .seed = 7,
    };
}

static TinyReport
train(const TinyConfig *config)
{
    TinyReport report;

    ck_assert_ptr_null(tiny_config_check(config));
    ck_assert(tiny_report_init(&report, config));
    ck_assert(tiny_train(config, &report));
    return report;
}

static const TinySchedule schedules[] = {TINY_SCHEDULE_GPIPE, TINY_SCHEDULE_1F1B};

START_TEST(any_number_of_stages_and_either_schedule_learn_the_same_bits)
{
    const TinyConfig one = make_config(1, TINY_SCHEDULE_GPIPE);
    const TinyConfig other = make_config((uint32_t)_i / 2 + 1, schedules[_i % 2]);
    const size_t n = tiny_data_layout(&one).end;
    TinyReport expected = train(&one);
    TinyReport found = train(&other);

    for (uint32_t step = 0; step < one.n_warm_up + one.n_steps; step++)
        ck_assert_double_eq(found.losses[step], expected.losses[step]);
    ck_assert_mem_eq(found.parameters, expected.parameters, n * sizeof(float));
    tiny_report_clear(&found);
    tiny_report_clear(&expected);
}
END_TEST

START_TEST(training_moves_the_weights_and_the_loss_falls)
{
    TinyConfig config = make_config(2, TINY_SCHEDULE_1F1B);
    TinyReport begin;

    config.n_steps = 60;
    ck_assert(tiny_report_init(&begin, &config));
    TinyReport end = train(&config);
    const double *losses = end.losses;

    ck_assert_mem_ne(begin.parameters, end.parameters, sizeof(float));
    /* A uniform guess, at first; half of all tokens follow from the one before. */
    ck_assert_double_eq_tol(losses[0], 3.4657, 0.05);
    ck_assert_double_lt(losses[60], losses[0] - 0.8);
    tiny_report_clear(&end);
    tiny_report_clear(&begin);
}
END_TEST

/* What each stage held of @n_microbatches. */
static void
check_held(uint32_t n_stages, TinySchedule schedule, uint32_t n_microbatches)
{
    TinyConfig config = make_config(n_stages, schedule);

    config.n_microbatches = n_microbatches;
    config.n_steps = 1;
    TinyReport report = train(&config);
    for (uint32_t r = 0; r < n_stages; r++) {
        const bool is_all = schedule == TINY_SCHEDULE_GPIPE || n_stages - r > n_microbatches;

        ck_assert_uint_eq(report.stages[r].peak_held, is_all ? n_microbatches : n_stages - r);
    }
    tiny_report_clear(&report);
}

START_TEST(gpipe_holds_all_microbatches_and_1f1b_as_many_as_stages_are_left)
{
    for (uint32_t p = 1; p <= 4; p++) {
        check_held(p, schedules[_i], 1);
        check_held(p, schedules[_i], 2);
        check_held(p, schedules[_i], 3);
        check_held(p, schedules[_i], 8);
    }
}
END_TEST

/* Operations of a stage as text: "F0 F1 B0 ". */
static void
write_order(const TinyConfig *config, uint32_t stage, char *ret_text)
{
    TinyOp ops[2 * 6];

    tiny_order_make(config, stage, ops);
    for (unsigned i = 0; i < 2 * config->n_microbatches; i++)
        ret_text += sprintf(ret_text, "%c%u ", ops[i].is_backward ? 'B' : 'F', ops[i].microbatch);
}

START_TEST(orders_are_those_of_the_papers)
{
    TinyConfig config = make_config(4, TINY_SCHEDULE_GPIPE);
    char text[64];

    write_order(&config, 2, text);
    ck_assert_str_eq(text, "F0 F1 F2 F3 F4 F5 B0 B1 B2 B3 B4 B5 ");
    config.schedule = TINY_SCHEDULE_1F1B;
    write_order(&config, 0, text);
    ck_assert_str_eq(text, "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5 ");
    write_order(&config, 3, text);
    ck_assert_str_eq(text, "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 ");
    config.n_microbatches = 2;
    write_order(&config, 1, text);
    ck_assert_str_eq(text, "F0 F1 B0 B1 ");
}
END_TEST

START_TEST(times_are_of_this_training)
{
    const TinyConfig config = make_config(2, TINY_SCHEDULE_1F1B);
    TinyReport report = train(&config);

    for (uint32_t i = 0; i < config.n_steps * config.n_stages; i++) {
        const TinyTimes *times = &report.times[i];
        const double step_s = report.step_s[i / config.n_stages];
        const double busy_s =
            times->forward.wall_s + times->backward.wall_s + times->optimizer.wall_s;

        ck_assert(times->forward.cpu_s > 0.0 && times->backward.cpu_s > 0.0);
        ck_assert(times->optimizer.cpu_s > 0.0);
        /* The first stage's clock brackets what it did; the other's barrier is the same. */
        ck_assert(i % config.n_stages != 0 || busy_s + times->send_s + times->wait_s <= step_s);
    }
    tiny_report_clear(&report);
}
END_TEST

START_TEST(what_cannot_be_trained_is_said)
{
    TinyConfig config = make_config(5, TINY_SCHEDULE_GPIPE);

    ck_assert_str_eq(tiny_config_check(&config),
                     "--stages must be from 1 to --layers, and at most 16");
    config = make_config(1, TINY_SCHEDULE_GPIPE);
    config.n_heads = 5;
    ck_assert_str_eq(tiny_config_check(&config), "--heads must divide --hidden");
    config.n_heads = 4;
    config.n_microbatches = 0;
    ck_assert_ptr_nonnull(tiny_config_check(&config));
}
END_TEST

START_TEST(options_are_read_over_the_default_and_refused_if_wrong)
{
    char *good[] = {"tiny-pipeline", "--schedule", "gpipe", "--stages", "4", "--steps", "9"};
    char *bad[][3] = {
        {"tiny-pipeline", "--schedule", "dualpipe"}, {"tiny-pipeline", "--hidden", "1e3"},
        {"tiny-pipeline", "--steps", "-1"},          {"tiny-pipeline", "--step", "1"},
        {"tiny-pipeline", "--stages", "5"},
    };
    TinyConfig config;

    ck_assert(tiny_config_parse(&config, 7, good));
    ck_assert(config.schedule == TINY_SCHEDULE_GPIPE);
    ck_assert_uint_eq(config.n_stages, 4);
    ck_assert_uint_eq(config.n_steps, 9);
    ck_assert_uint_eq(config.hidden, tiny_config_default.hidden);
    ck_assert(!tiny_config_parse(&config, 2, good));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert(!tiny_config_parse(&config, 3, bad[i]));
}
END_TEST

Suite *
train_suite(void)
{
    Suite *suite = suite_create("train");
    TCase *cases = tcase_create("train");

    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, any_number_of_stages_and_either_schedule_learn_the_same_bits, 0, 8);
    tcase_add_test(cases, training_moves_the_weights_and_the_loss_falls);
    tcase_add_loop_test(cases, gpipe_holds_all_microbatches_and_1f1b_as_many_as_stages_are_left, 0,
                        2);
    tcase_add_test(cases, orders_are_those_of_the_papers);
    tcase_add_test(cases, times_are_of_this_training);
    tcase_add_test(cases, what_cannot_be_trained_is_said);
    tcase_add_test(cases, options_are_read_over_the_default_and_refused_if_wrong);
    suite_add_tcase(suite, cases);
    return suite;
}
