/* SPDX-License-Identifier: MIT */
/* Gradients of every kind of parameter against differences of the loss. */
#include "block.h"
#include "data.h"
#include "product.h"
#include "stage.h"
#include "suites.h"

#include <math.h>
#include <stdlib.h>

/* Small enough for differences, with more than one of everything. */
static const TinyConfig config = {
    .n_layers = 2,
    .hidden = 8,
    .n_heads = 2,
    .vocabulary = 11,
    .sequence = 5,
    .micro_batch = 2,
    .n_microbatches = 2,
    .n_stages = 1,
    .schedule = TINY_SCHEDULE_GPIPE,
    .n_steps = 1,
    .seed = 3,
};

/* A step along a unit direction: the loss is a float at heart, so 1e-2 balances its rounding and
 * its curvature. */
#define STEP 1e-2
/* Of the length of the gradient, and what rounding may do to a gradient of nothing. */
#define RELATIVE 0.02
#define ABSOLUTE 5e-5

/* Weights of 0.02 hardly bend a model this narrow; these do. */
#define GREATER 12.0F

static float *
make_parameters(void)
{
    const size_t n = tiny_data_layout(&config).end;
    float *parameters = calloc(n, sizeof *parameters);

    ck_assert_ptr_nonnull(parameters);
    tiny_data_weights(&config, parameters);
    for (size_t i = 0; i < n; i++) {
        if (fabsf(parameters[i]) < 0.5F)
            parameters[i] *= GREATER;
    }
    return parameters;
}

/* The mean loss; and its gradient unless @gradient is NULL. */
static double
find_loss(float *parameters, float *gradient)
{
    TinyStage *stage = tiny_stage_new(&config, 0, parameters);
    size_t first;
    size_t n;

    for (uint32_t i = 0; i < config.n_microbatches; i++)
        ck_assert_ptr_null(tiny_stage_forward(stage, /* step= */ 0, i, NULL));
    const double loss = tiny_stage_take_loss(stage);
    for (uint32_t i = 0; gradient != NULL && i < config.n_microbatches; i++)
        ck_assert_ptr_null(tiny_stage_backward(stage, i, NULL));
    const float *found = tiny_stage_gradients(stage, &first, &n);
    for (size_t i = 0; gradient != NULL && i < n; i++)
        gradient[first + i] = found[i];
    tiny_stage_free(stage);
    return loss;
}

/* A tensor of the model. */
typedef struct {
    const char *name;
    size_t first, n;
} Tensor;

static void
move(float *parameters, const Tensor *tensor, const double *direction, double by)
{
    for (size_t i = 0; i < tensor->n; i++)
        parameters[tensor->first + i] += (float)(by * direction[i]);
}

/* Slope of the loss along @direction of @tensor, by a central difference. */
static double
find_slope(float *parameters, const Tensor *tensor, const double *direction)
{
    move(parameters, tensor, direction, STEP);
    const double ahead = find_loss(parameters, NULL);
    move(parameters, tensor, direction, -2.0 * STEP);
    const double behind = find_loss(parameters, NULL);
    move(parameters, tensor, direction, STEP);
    return (ahead - behind) / (2.0 * STEP);
}

static double
normalise(double *direction, size_t n)
{
    double square = 0.0;

    for (size_t i = 0; i < n; i++)
        square += direction[i] * direction[i];
    for (size_t i = 0; square > 0.0 && i < n; i++)
        direction[i] /= sqrt(square);
    return sqrt(square);
}

static void
check_slope(float *parameters, const Tensor *tensor, const float *gradient, const double *direction)
{
    double expected = 0.0;
    double square = 0.0;

    for (size_t i = 0; i < tensor->n; i++) {
        const double g = (double)gradient[tensor->first + i];

        expected += g * direction[i];
        square += g * g;
    }
    const double found = find_slope(parameters, tensor, direction);
    ck_assert_msg(fabs(found - expected) <= RELATIVE * sqrt(square) + ABSOLUTE,
                  "%s: the loss has slope %g, the gradient says %g (length %g)", tensor->name,
                  found, expected, sqrt(square));
}

/* Along the gradient, where its length shows, and along other directions, where its own does. */
static void
check_tensor(float *parameters, const Tensor *tensor, const float *gradient)
{
    double *direction = calloc(tensor->n, sizeof *direction);

    ck_assert_ptr_nonnull(direction);
    for (size_t i = 0; i < tensor->n; i++)
        direction[i] = (double)gradient[tensor->first + i];
    if (normalise(direction, tensor->n) > 0.0)
        check_slope(parameters, tensor, gradient, direction);
    for (uint64_t turn = 0; turn < 4; turn++) {
        for (size_t i = 0; i < tensor->n; i++)
            direction[i] = tiny_data_unit(100 + turn, tensor->first + i) - 0.5;
        normalise(direction, tensor->n);
        check_slope(parameters, tensor, gradient, direction);
    }
    free(direction);
}

static void
check_tensors(const Tensor *tensors, size_t n)
{
    float *parameters = make_parameters();
    float *gradient = calloc(tiny_data_layout(&config).end, sizeof *gradient);

    ck_assert_ptr_nonnull(gradient);
    (void)find_loss(parameters, gradient);
    for (size_t i = 0; i < n; i++)
        check_tensor(parameters, &tensors[i], gradient);
    free(gradient);
    free(parameters);
}

START_TEST(gradients_of_both_ends_are_slopes_of_the_loss)
{
    const TinyLayout layout = tiny_data_layout(&config);
    const size_t h = config.hidden;
    const Tensor tensors[] = {
        {"token embedding", 0, layout.positions},
        {"positions", layout.positions, config.sequence * h},
        {"norm gain", layout.norm, h},
        {"norm bias", layout.norm + h, h},
        {"head", layout.head, config.vocabulary * h},
    };

    check_tensors(tensors, sizeof tensors / sizeof tensors[0]);
}
END_TEST

START_TEST(gradients_of_a_block_are_slopes_of_the_loss)
{
    const size_t h = config.hidden;
    const size_t block =
        tiny_data_layout(&config).blocks + (size_t)_i * tiny_block_parameters(&config);
    const size_t qkv = block + 2 * h;
    const size_t projection = qkv + 3 * h * h + 3 * h;
    const size_t norm_2 = projection + h * h + h;
    const size_t fc1 = norm_2 + 2 * h;
    const size_t fc2 = fc1 + 4 * h * h + 4 * h;
    const Tensor tensors[] = {
        {"first norm gain", block, h},
        {"first norm bias", block + h, h},
        {"queries", qkv, h * h},
        {"keys", qkv + h * h, h * h},
        {"values", qkv + 2 * h * h, h * h},
        {"query bias", qkv + 3 * h * h, h},
        {"key bias", qkv + 3 * h * h + h, h},
        {"value bias", qkv + 3 * h * h + 2 * h, h},
        {"projection", projection, h * h},
        {"projection bias", projection + h * h, h},
        {"second norm gain", norm_2, h},
        {"second norm bias", norm_2 + h, h},
        {"fc1", fc1, 4 * h * h},
        {"fc1 bias", fc1 + 4 * h * h, 4 * h},
        {"fc2", fc2, 4 * h * h},
        {"fc2 bias", fc2 + 4 * h * h, h},
    };

    ck_assert_uint_eq(fc2 + 4 * h * h + h, block + tiny_block_parameters(&config));
    check_tensors(tensors, sizeof tensors / sizeof tensors[0]);
}
END_TEST

Suite *
gradients_suite(void)
{
    Suite *suite = suite_create("gradients");
    TCase *cases = tcase_create("gradients");

    tiny_product_begin();
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, gradients_of_both_ends_are_slopes_of_the_loss);
    tcase_add_loop_test(cases, gradients_of_a_block_are_slopes_of_the_loss, 0, 2);
    suite_add_tcase(suite, cases);
    return suite;
}
