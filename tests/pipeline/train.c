/* SPDX-License-Identifier: MIT */
#include "train.h"

#include "channel.h"
#include "data.h"
#include "order.h"
#include "product.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the processes share, beside the report. */
typedef struct {
    pthread_barrier_t barrier;
    TinyChannel forward[TINY_MAX_STAGES];  /* to the stage of that number */
    TinyChannel backward[TINY_MAX_STAGES]; /* to the stage of that number */
} Shared;

/* One process. */
typedef struct {
    const TinyConfig *config;
    uint32_t number;
    Shared *shared;
    TinyReport *report;
    TinyStage *stage;
    TinyOp *ops;     /* (2 m) */
    TinyTimes times; /* of the step under way */
} Process;

/* -- Report ------------------------------------------------------------------------------------ */

bool
tiny_report_init(TinyReport *self, const TinyConfig *config)
{
    const size_t p = config->n_stages;
    const size_t n_losses = config->n_warm_up + config->n_steps;
    const size_t n_parameters = tiny_data_layout(config).end;

    self->n_bytes = p * sizeof *self->stages + config->n_steps * p * sizeof *self->times +
                    (config->n_steps + n_losses) * sizeof(double) + n_parameters * sizeof(float);
    self->memory = tiny_shared_new(self->n_bytes);
    if (self->memory == NULL)
        return false;
    self->times = self->memory;
    self->step_s = (double *)(self->times + config->n_steps * p);
    self->losses = self->step_s + config->n_steps;
    self->stages = (TinyStageFacts *)(self->losses + n_losses);
    self->parameters = (float *)(self->stages + p);
    tiny_data_weights(config, self->parameters);
    return true;
}

void
tiny_report_clear(TinyReport *self)
{
    tiny_shared_free(self->memory, self->n_bytes);
    *self = (TinyReport){.memory = NULL};
}

/* -- Clocks ------------------------------------------------------------------------------------ */

static double
read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static TinyClock
begin_clock(void)
{
    return (TinyClock){
        .wall_s = read_clock(CLOCK_MONOTONIC),
        .cpu_s = read_clock(CLOCK_THREAD_CPUTIME_ID),
    };
}

static void
end_clock(const TinyClock *begin, TinyClock *sum)
{
    sum->cpu_s += read_clock(CLOCK_THREAD_CPUTIME_ID) - begin->cpu_s;
    sum->wall_s += read_clock(CLOCK_MONOTONIC) - begin->wall_s;
}

/* -- One process ------------------------------------------------------------------------------- */

/* Returns: core @number of those in @allowed, which has more. */
static size_t
find_core(const cpu_set_t *allowed, uint32_t number)
{
    size_t core = 0;

    for (uint32_t n_left = number + 1; n_left > 0; core++)
        n_left -= CPU_ISSET(core, allowed) ? 1 : 0;
    return core - 1;
}

/* Returns: the core this process is now alone allowed on, or -1 where there are not enough. */
static int
pin(const TinyConfig *config, uint32_t number)
{
    cpu_set_t allowed;
    cpu_set_t one;

    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 ||
        (uint32_t)CPU_COUNT(&allowed) < config->n_stages) {
        return -1;
    }
    const size_t core = find_core(&allowed, number);
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? (int)core : -1;
}

static float *
receive(Process *self, TinyChannel *channel, uint32_t microbatch)
{
    const double begin = read_clock(CLOCK_MONOTONIC);
    float *data = tiny_channel_receive(channel, microbatch);

    self->times.wait_s += read_clock(CLOCK_MONOTONIC) - begin;
    return data;
}

static void
send(Process *self, TinyChannel *channel, uint32_t microbatch, const float *data)
{
    const double begin = read_clock(CLOCK_MONOTONIC);

    tiny_channel_send(channel, microbatch, data);
    self->times.send_s += read_clock(CLOCK_MONOTONIC) - begin;
}

static void
run_forward(Process *self, uint32_t step, uint32_t microbatch)
{
    Shared *shared = self->shared;
    const float *input =
        self->number > 0 ? receive(self, &shared->forward[self->number], microbatch) : NULL;
    const TinyClock begin = begin_clock();
    const float *output = tiny_stage_forward(self->stage, step, microbatch, input);

    end_clock(&begin, &self->times.forward);
    if (output != NULL)
        send(self, &shared->forward[self->number + 1], microbatch, output);
}

static void
run_backward(Process *self, uint32_t microbatch)
{
    Shared *shared = self->shared;
    const bool is_last = self->number + 1 == self->config->n_stages;
    float *gradient = is_last ? NULL : receive(self, &shared->backward[self->number], microbatch);
    const TinyClock begin = begin_clock();
    const float *d_input = tiny_stage_backward(self->stage, microbatch, gradient);

    end_clock(&begin, &self->times.backward);
    if (d_input != NULL)
        send(self, &shared->backward[self->number - 1], microbatch, d_input);
}

static void
run_step(Process *self, uint32_t step)
{
    self->times = (TinyTimes){.send_s = 0.0};
    for (uint32_t i = 0; i < 2 * self->config->n_microbatches; i++) {
        const TinyOp *op = &self->ops[i];

        if (op->is_backward)
            run_backward(self, op->microbatch);
        else
            run_forward(self, step, op->microbatch);
    }
    const TinyClock begin = begin_clock();
    tiny_stage_optimize(self->stage, step);
    end_clock(&begin, &self->times.optimizer);
}

static void
run_steps(Process *self)
{
    const TinyConfig *config = self->config;
    TinyReport *report = self->report;
    const bool is_last = self->number + 1 == config->n_stages;

    for (uint32_t step = 0; step < config->n_warm_up + config->n_steps; step++) {
        pthread_barrier_wait(&self->shared->barrier);
        const double begin = read_clock(CLOCK_MONOTONIC);
        run_step(self, step);
        pthread_barrier_wait(&self->shared->barrier);
        const double step_s = read_clock(CLOCK_MONOTONIC) - begin;
        const double loss = tiny_stage_take_loss(self->stage);

        if (is_last)
            report->losses[step] = loss;
        if (step < config->n_warm_up)
            continue;
        const uint32_t timed = step - config->n_warm_up;
        report->times[timed * config->n_stages + self->number] = self->times;
        if (self->number == 0)
            report->step_s[timed] = step_s;
    }
}

static void
run_process(const TinyConfig *config, uint32_t number, Shared *shared, TinyReport *report)
{
    Process self = {
        .config = config,
        .number = number,
        .shared = shared,
        .report = report,
        .ops = calloc(config->n_microbatches, 2 * sizeof(TinyOp)),
    };

    if (self.ops == NULL)
        abort();
    report->stages[number].core = pin(config, number);
    tiny_product_begin();
    tiny_order_make(config, number, self.ops);
    self.stage = tiny_stage_new(config, number, report->parameters);
    run_steps(&self);
    report->stages[number].peak_held = tiny_stage_peak_held(self.stage);
    report->stages[number].held_bytes = tiny_stage_held_bytes(self.stage);
    tiny_stage_free(self.stage);
    free(self.ops);
}

/* -- All processes ----------------------------------------------------------------------------- */

/* Bytes that the slots of all channels take. */
static size_t
count_slots(const TinyConfig *config)
{
    return 2 * (size_t)(config->n_stages - 1) * tiny_channel_bytes(config);
}

static bool
init_shared(Shared *shared, const TinyConfig *config, char *slots)
{
    const size_t bytes = tiny_channel_bytes(config);
    pthread_barrierattr_t attributes;

    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    const int failure = pthread_barrier_init(&shared->barrier, &attributes, config->n_stages);
    pthread_barrierattr_destroy(&attributes);
    if (failure != 0)
        return false;
    for (uint32_t i = 0; i + 1 < config->n_stages; i++) {
        if (!tiny_channel_init(&shared->forward[i + 1], config, slots + (size_t)i * 2 * bytes) ||
            !tiny_channel_init(&shared->backward[i], config, slots + ((size_t)i * 2 + 1) * bytes)) {
            return false;
        }
    }
    return true;
}

static void
end_all(const pid_t *children, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (children[i] > 0)
            kill(children[i], SIGKILL);
    }
}

/* A stage that dies leaves the others waiting for ever, so they are ended. */
static bool
wait_for_all(pid_t *children, uint32_t n)
{
    bool is_well = true;

    for (uint32_t n_left = n; n_left > 0; n_left--) {
        int status = 0;
        const pid_t child = waitpid(-1, &status, 0);

        for (uint32_t i = 0; i < n; i++)
            children[i] = children[i] == child ? 0 : children[i];
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            is_well = false;
            end_all(children, n);
        }
    }
    return is_well;
}

static bool
fork_all(const TinyConfig *config, Shared *shared, TinyReport *report)
{
    pid_t children[TINY_MAX_STAGES] = {0};
    const pid_t parent = getpid();

    for (uint32_t i = 0; i < config->n_stages; i++) {
        children[i] = fork();
        if (children[i] < 0) {
            perror("fork");
            end_all(children, i);
            return wait_for_all(children, i) && false;
        }
        if (children[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == parent)
                run_process(config, i, shared, report);
            _exit(0);
        }
    }
    if (wait_for_all(children, config->n_stages))
        return true;
    fprintf(stderr, "a stage ended early\n");
    return false;
}

bool
tiny_train(const TinyConfig *config, TinyReport *report)
{
    const size_t n_slots = count_slots(config);
    const size_t n_bytes = sizeof(Shared) + n_slots;
    Shared *shared = tiny_shared_new(n_bytes);

    if (shared == NULL)
        return false;
    const bool is_trained =
        init_shared(shared, config, (char *)(shared + 1)) && fork_all(config, shared, report);
    tiny_shared_free(shared, n_bytes);
    return is_trained;
}
