/* SPDX-License-Identifier: MIT */
/* Lends the server the reading of words: what a query asks goes the way of a command line. */
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/question.h"
#include "cli/schedule_question.h"
#include "serve/serve.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_PORT 8017

typedef struct {
    bool (*cancelled)(void *user);
    void *user;
} Guard;

static const PsimCommand *
find_command(const char *name)
{
    for (const PsimCommand *command = psim_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0)
            return command;
    }
    return NULL;
}

static PsimResult *
run_plan(const PsimArguments *arguments, const Guard *guard, GError **error)
{
    g_autoptr(PsimPlan) plan = psim_question_load(arguments, error);
    PsimScheduleOptions size = PSIM_SCHEDULE_OPTIONS_INIT;
    PsimOptions options = PSIM_OPTIONS_INIT;

    if (plan == NULL)
        return NULL;
    psim_plan_schedule_options(plan, &size);
    if (!psim_serve_check(&size, error))
        return NULL;
    options.cancelled = guard->cancelled;
    options.user = guard->user;
    return psim_simulate(plan, &options, error);
}

static PsimResult *
run_schedule(const PsimArguments *arguments, GError **error)
{
    PsimScheduleOptions options = PSIM_SCHEDULE_OPTIONS_INIT;
    g_auto(PsimTicks) stages = {0};

    if (!psim_schedule_question_read(arguments, &options, &stages, error) ||
        !psim_serve_check(&options, error))
        return NULL;
    return psim_schedule_simulate(&options, error);
}

static PsimResult *
ask(const char *command, char **words, bool (*cancelled)(void *user), void *user, GError **error)
{
    const Guard guard = {.cancelled = cancelled, .user = user};
    g_autoptr(PsimArguments) arguments = psim_arguments_parse(find_command(command), words, error);

    if (arguments == NULL)
        return NULL;
    return strcmp(command, "run") == 0 ? run_plan(arguments, &guard, error)
                                       : run_schedule(arguments, error);
}

static char *
tell(const char *command, const GError *error)
{
    return error->domain == PSIM_USAGE_ERROR
               ? g_strdup_printf("plansim %s: %s", command, error->message)
               : g_strdup(error->message);
}

static const PsimServeHost host = {
    .ask = ask,
    .tell = tell,
    .stopped = psim_interrupt_is_pending,
};

static void
print_address(const char *address)
{
    (void)printf("%s\n", address);
    (void)fflush(stdout);
}

static int
answer(const PsimArguments *arguments, const char *address, GError **error)
{
    unsigned status = 0;
    g_autoptr(GBytes) body = psim_serve_answer(&host, address, &status);
    gsize n_bytes = 0;
    const char *bytes = g_bytes_get_data(body, &n_bytes);

    if (status != 200) {
        g_autofree char *text = g_strndup(bytes, n_bytes);

        g_strchomp(text);
        g_set_error(error, PSIM_ERROR, status == 500 ? PSIM_ERROR_INTERNAL : PSIM_ERROR_VALUE,
                    "%u %s", status, text);
        return PSIM_EXIT_INPUT;
    }
    const char *path = psim_arguments_text(arguments, "output");

    return psim_output_write_bytes(bytes, n_bytes, path, error) ? PSIM_EXIT_DONE : PSIM_EXIT_IO;
}

int
psim_command_serve(const PsimArguments *arguments, GError **error)
{
    const char *address = psim_arguments_text(arguments, "answer");
    guint64 port = 0;

    if (address != NULL)
        return answer(arguments, address, error);
    if (!psim_arguments_count(arguments, "port", DEFAULT_PORT, G_MAXUINT16, &port, error))
        return PSIM_EXIT_USAGE;
    return psim_serve_run(&host, (uint16_t)port, print_address, error) ? PSIM_EXIT_DONE
                                                                       : PSIM_EXIT_FAULT;
}
