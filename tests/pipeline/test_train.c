/* SPDX-License-Identifier: MIT */
/* However many processes and in whichever order: the same training. No time is looked at. */
#include "data.h"
#include "order.h"
#include "suites.h"
#include "train.h"

#include <string.h>

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

START_TEST(gpipe_holds_all_microbatches_and_1f1b_as_many_as_stages_lie_behind)
{
    const uint32_t counts[] = {1, 2, 3, 8};

    for (uint32_t p = 1; p <= 4; p++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            TinyConfig config = make_config(p, schedules[_i]);

            config.n_microbatches = counts[i];
            config.n_steps = 1;
            TinyReport report = train(&config);
            for (uint32_t r = 0; r < p; r++) {
                const uint32_t behind = p - r < counts[i] ? p - r : counts[i];

                ck_assert_uint_eq(report.stages[r].peak_held,
                                  config.schedule == TINY_SCHEDULE_GPIPE ? counts[i] : behind);
            }
            tiny_report_clear(&report);
        }
    }
}
END_TEST

START_TEST(each_operation_comes_once_and_a_backward_after_its_forward)
{
    TinyConfig config = make_config(4, schedules[_i]);
    TinyOp ops[2 * 6];

    for (uint32_t stage = 0; stage < config.n_stages; stage++) {
        unsigned forwards = 0;
        unsigned backwards = 0;

        tiny_order_make(&config, stage, ops);
        for (unsigned i = 0; i < 12; i++) {
            const unsigned bit = 1U << ops[i].microbatch;
            unsigned *seen = ops[i].is_backward ? &backwards : &forwards;

            ck_assert_uint_lt(ops[i].microbatch, 6);
            ck_assert_uint_eq(*seen & bit, 0);
            ck_assert(!ops[i].is_backward || (forwards & bit) != 0);
            *seen |= bit;
        }
        ck_assert_uint_eq(forwards & backwards, 0x3F);
    }
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

Suite *
train_suite(void)
{
    Suite *suite = suite_create("train");
    TCase *cases = tcase_create("train");

    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, any_number_of_stages_and_either_schedule_learn_the_same_bits, 0, 8);
    tcase_add_test(cases, training_moves_the_weights_and_the_loss_falls);
    tcase_add_loop_test(cases, gpipe_holds_all_microbatches_and_1f1b_as_many_as_stages_lie_behind,
                        0, 2);
    tcase_add_loop_test(cases, each_operation_comes_once_and_a_backward_after_its_forward, 0, 2);
    tcase_add_test(cases, times_are_of_this_training);
    tcase_add_test(cases, what_cannot_be_trained_is_said);
    suite_add_tcase(suite, cases);
    return suite;
}
