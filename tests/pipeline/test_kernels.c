/* SPDX-License-Identifier: MIT */
/* Kernels against the C library's mathematics. */
#include "kernels.h"
#include "suites.h"

#include <math.h>

START_TEST(gelu_is_the_tanh_form_at_any_argument)
{
    const double c = sqrt(2.0 / acos(-1.0));
    const float bias = 0.25F;

    for (int i = -4000; i <= 4000; i++) {
        const float x = (float)i / 100.0F;
        const double v = (double)x + 0.25;
        const double t = tanh(c * (v + 0.044715 * v * v * v));
        const double slope = c * (1.0 + 3.0 * 0.044715 * v * v);
        float y = NAN;
        float d = 2.0F;

        tiny_gelu_forward(1, 1, &x, &bias, &y);
        tiny_gelu_backward(1, 1, &x, &bias, &d);
        ck_assert_double_eq_tol((double)y, 0.5 * v * (1.0 + t), 2e-6 * (1.0 + fabs(v)));
        ck_assert_double_eq_tol((double)d, 1.0 + t + v * (1.0 - t * t) * slope, 1e-5);
    }
}
END_TEST

START_TEST(a_token_sees_itself_and_those_before)
{
    float scores[3 * 3] = {-7.0F, 50.0F, 9.0F, 1.0F, 3.0F, 80.0F, 1000.0F, 1001.0F, 999.0F};
    const double e = exp(1.0);

    tiny_softmax_forward(3, scores);
    ck_assert_double_eq_tol((double)scores[0], 1.0, 1e-6);
    ck_assert(scores[1] == 0.0F && scores[2] == 0.0F && scores[5] == 0.0F);
    ck_assert_double_eq_tol((double)scores[3], 1.0 / (1.0 + e * e), 1e-6);
    ck_assert_double_eq_tol((double)scores[7], e / (e + 1.0 + 1.0 / e), 1e-6);
}
END_TEST

START_TEST(the_loss_is_the_log_of_the_targets_probability)
{
    float logits[2 * 4] = {0.0F, 0.0F, 0.0F, 0.0F, -200.0F, 1.0F, 2.0F, 700.0F};
    const uint32_t targets[2] = {2, 1};

    ck_assert_double_eq_tol(tiny_loss_forward(2, 4, targets, logits), log(4.0) + 699.0, 1e-4);
    ck_assert_double_eq_tol((double)logits[7], 1.0, 1e-6);
    tiny_loss_backward(2, 4, targets, 2.0F, logits);
    ck_assert_double_eq_tol((double)logits[2], 2.0 * (0.25 - 1.0), 1e-6);
    ck_assert_double_eq_tol((double)logits[5], -2.0, 1e-6);
}
END_TEST

START_TEST(the_first_step_of_adam_is_its_rate_whatever_the_gradient)
{
    float weights[3] = {1.0F, 1.0F, 1.0F};
    float gradients[3] = {5.0F, -1e-3F, 0.0F};
    float first[3] = {0.0F};
    float second[3] = {0.0F};
    float *moments[2] = {first, second};
    const TinyAdam adam = tiny_adam_at(0.1, /* step= */ 0);

    tiny_adam_step(&adam, 3, weights, gradients, moments);
    ck_assert_double_eq_tol((double)weights[0], 0.9, 1e-5);
    ck_assert_double_eq_tol((double)weights[1], 1.1, 1e-4);
    ck_assert(weights[2] == 1.0F && gradients[0] == 0.0F);
}
END_TEST

Suite *
kernels_suite(void)
{
    Suite *suite = suite_create("kernels");
    TCase *cases = tcase_create("kernels");

    tcase_add_test(cases, gelu_is_the_tanh_form_at_any_argument);
    tcase_add_test(cases, a_token_sees_itself_and_those_before);
    tcase_add_test(cases, the_loss_is_the_log_of_the_targets_probability);
    tcase_add_test(cases, the_first_step_of_adam_is_its_rate_whatever_the_gradient);
    suite_add_tcase(suite, cases);
    return suite;
}
