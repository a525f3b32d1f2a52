/* SPDX-License-Identifier: MIT */
/* Constants of this machine, measured. */
#include "calibrate/calibrate.h"
#include "calibrate/check.h"
#include "calibrate/log.h"
#include "calibrate/module.h"
#include "calibrate/tell.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/question.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_BUDGET_S      150.0
#define DEFAULT_CUDA_BUDGET_S 400.0
#define MAX_BUDGET_S          86400.0
#define DEFAULT_PATH          "calibration.json"

/* -- The question -- */

/* "3min", "90 s", "0.5h", or seconds. */
static bool
read_budget(const char *text, double *ret_seconds, GError **error)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1.0}, {"s", 1.0}, {"min", 60.0}, {"m", 60.0}, {"h", 3600.0}};
    char *end = NULL;
    const double number = g_ascii_strtod(text, &end);
    const char *unit = end + strspn(end, " ");

    for (size_t i = 0; i < G_N_ELEMENTS(units) && end != text; i++) {
        *ret_seconds = number * units[i].seconds;
        if (g_str_equal(unit, units[i].unit) && *ret_seconds > 0.0 && *ret_seconds <= MAX_BUDGET_S)
            return true;
    }
    g_set_error(error, PSIM_USAGE_ERROR, 0,
                "--budget %s: must be a time from 1 s to 24 h, such as 3min", text);
    return false;
}

static bool
read_suites(const char *text, bool suites[PSIM_N_SUITES], GError **error)
{
    const char *const *words = psim_suite_words();

    if (text == NULL) {
        memset(suites, true, PSIM_N_SUITES * sizeof *suites);
        return true;
    }
    g_auto(GStrv) names = g_strsplit(text, ",", -1);

    for (size_t i = 0; names[i] != NULL; i++) {
        const int place = psim_word_index(names[i], words);

        if (place < 0) {
            psim_arguments_complain(error, "suite", names[i], words, NULL);
            return false;
        }
        suites[place] = true;
    }
    if (names[0] != NULL)
        return true;
    psim_arguments_complain(error, "suite", text, words, NULL);
    return false;
}

static const char *
read_backend(const PsimArguments *arguments, GError **error)
{
    const char *name = psim_arguments_text(arguments, "backend");

    if (name == NULL)
        return psim_module_names()[0];
    if (g_strv_contains(psim_module_names(), name))
        return name;
    psim_arguments_complain(error, "backend", name, psim_module_names(), NULL);
    return NULL;
}

/* What is asked for is one of three things, and what the others need would go unheard. */
static bool
check_options(const PsimArguments *arguments, GError **error)
{
    static const char *const pairs[][2] = {
        {"check", "log"},   {"check", "suite"}, {"check", "output"}, {"check", "resume"},
        {"log", "backend"}, {"log", "suite"},   {"log", "budget"},   {"log", "resume"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        if (!psim_arguments_flag(arguments, pairs[i][0]) ||
            !psim_arguments_flag(arguments, pairs[i][1]))
            continue;
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--%s and --%s exclude each other",
                    pairs[i][0], pairs[i][1]);
        return false;
    }
    return true;
}

/* PLAN and --log go together. */
static bool
check_plan(const PsimArguments *arguments, GError **error)
{
    const char *plan = arguments->operands[0];
    const bool log = psim_arguments_flag(arguments, "log");

    if (log && plan == NULL)
        g_set_error(
            error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
            "--log needs PLAN, whose step the line tells; \"plansim list plans\" lists plans");
    if (!log && plan != NULL)
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "PLAN \"%s\" is what --log is about; nothing else needs it", plan);
    return log == (plan != NULL);
}

/* A calibration is read again to go on, so that it takes a file; what --log finds does not. */
static bool
check_output(const PsimArguments *arguments, GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    const bool streams = psim_arguments_flag(arguments, "log");

    if (path == NULL || (path[0] != '\0' && (streams || !g_str_equal(path, "-"))))
        return true;
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                "--output \"%s\": must be the name of a file", path);
    return false;
}

/* -- Progress, on a terminal only -- */

static void
show_progress(const PsimCalibrateProgress *progress, void *user)
{
    (void)user;
    fprintf(stderr, "\r\033[K%s: %u of %u cases, %.0f s ", psim_suite_words()[progress->suite],
            progress->n_done, progress->n_all, progress->seconds);
}

/* -- The answers -- */

/* What measuring and checking have in common. Returns: NULL with an error. */
static const PsimBackend *
prepare(const PsimArguments *arguments, PsimCalibrateOptions *options, GError **error)
{
    const char *name = read_backend(arguments, error);
    const char *budget = psim_arguments_text(arguments, "budget");

    if (name == NULL)
        return NULL;
    *options = (PsimCalibrateOptions){
        .budget_s = g_str_equal(name, "cpu") ? DEFAULT_BUDGET_S : DEFAULT_CUDA_BUDGET_S,
        .resume = psim_arguments_flag(arguments, "resume"),
        .cancelled = psim_interrupt_is_pending,
    };
    if (!read_suites(psim_arguments_text(arguments, "suite"), options->suites, error) ||
        (budget != NULL && !read_budget(budget, &options->budget_s, error)))
        return NULL;
    return psim_module_find(name, error);
}

static bool
tell(const PsimArguments *arguments, const char *text, GError **error)
{
    return psim_arguments_flag(arguments, "quiet") ||
           psim_output_write_text(text, /* path= */ NULL, error);
}

static int
measure(const PsimArguments *arguments, GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    PsimCalibrateOptions options;
    const PsimBackend *backend = prepare(arguments, &options, error);
    const bool shows = isatty(STDERR_FILENO) != 0 && !psim_arguments_flag(arguments, "quiet");

    if (backend == NULL)
        return PSIM_EXIT_FAULT;
    options.path = path != NULL ? path : DEFAULT_PATH;
    options.progress = shows ? show_progress : NULL;
    g_autoptr(PsimRecord) record = psim_calibrate_run(backend, &options, error);

    if (shows)
        fputs("\r\033[K", stderr);
    if (record == NULL)
        return PSIM_EXIT_FAULT;
    g_autoptr(PsimConstants) constants = psim_constants_fit(record);
    g_autofree char *text = psim_calibration_text(record, constants);

    if (!tell(arguments, text, error))
        return PSIM_EXIT_IO;
    return record->complete ? PSIM_EXIT_DONE : PSIM_EXIT_INTERRUPTED;
}

static int
check(const PsimArguments *arguments, GError **error)
{
    PsimCalibrateOptions options;
    const PsimBackend *backend = prepare(arguments, &options, error);

    if (backend == NULL)
        return PSIM_EXIT_FAULT;
    options.path = psim_arguments_text(arguments, "check");
    g_autoptr(PsimCheck) answer = psim_check_run(backend, &options, error);

    if (answer == NULL)
        return PSIM_EXIT_FAULT;
    g_autofree char *text = psim_check_text(answer);

    if (!tell(arguments, text, error))
        return PSIM_EXIT_IO;
    return psim_check_holds(answer) ? PSIM_EXIT_DONE : PSIM_EXIT_NO;
}

static int
read_log(const PsimArguments *arguments, GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    g_autoptr(PsimPlan) plan = psim_question_load(arguments, error);
    g_autofree char *hardware = NULL;
    PsimLogFit fit;

    if (plan == NULL ||
        !psim_log_fit(plan, psim_arguments_text(arguments, "log"), &fit, &hardware, error))
        return PSIM_EXIT_FAULT;
    g_autofree char *text = psim_log_text(&fit);

    if (!tell(arguments, text, error))
        return PSIM_EXIT_IO;
    if (hardware == NULL)
        return PSIM_EXIT_NO;
    return path == NULL || psim_output_write_text(hardware, path, error) ? PSIM_EXIT_DONE
                                                                         : PSIM_EXIT_IO;
}

int
psim_command_calibrate(const PsimArguments *arguments, GError **error)
{
    if (!check_options(arguments, error) || !check_plan(arguments, error) ||
        !check_output(arguments, error))
        return PSIM_EXIT_USAGE;
    if (psim_arguments_flag(arguments, "log"))
        return read_log(arguments, error);
    return psim_arguments_flag(arguments, "check") ? check(arguments, error)
                                                   : measure(arguments, error);
}
