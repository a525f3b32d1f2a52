/* SPDX-License-Identifier: MIT */
#include "cli/search_question.h"

#include "cli/question.h"
#include "cli/search_members.h"
#include "cli/search_orders.h"
#include "cli/search_ranking.h"
#include "search/quantity.h"

#include <string.h>

#define MAX_THREADS 256u

static void
refuse(GError **error, const char *option, const char *value, const char *wanted)
{
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--%s: \"%s\" is not %s", option, value,
                wanted);
}

/* -- Base plans -- */

/* As a shell takes it; most words need no quotes. */
static char *
quote_word(const char *word)
{
    const bool is_plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_./=:,+-@%") == strlen(word);

    return is_plain ? g_strdup(word) : g_shell_quote(word);
}

static void
add_word(GPtrArray *words, const char *word)
{
    g_ptr_array_add(words, quote_word(word));
}

/* The user's own words for the base plan, so that commands that are printed can be run. */
static char *
make_subject(const PsimArguments *arguments, const char *hardware)
{
    const struct {
        const char *option, *value;
    } named[] = {{"--model", psim_arguments_text(arguments, "model")}, {"--hardware", hardware}};
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

    if (arguments->operands[0] != NULL)
        add_word(words, arguments->operands[0]);
    for (size_t i = 0; i < G_N_ELEMENTS(named); i++) {
        if (named[i].value == NULL)
            continue;
        add_word(words, named[i].option);
        add_word(words, named[i].value);
    }
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);

        if (strcmp(argument->option->name, "set") != 0)
            continue;
        add_word(words, "--set");
        add_word(words, argument->value);
    }
    g_ptr_array_add(words, NULL);
    return g_strjoinv(" ", (char **)words->pdata);
}

/* As the user has it; NULL: the base plan's own, which needs no word. Takes @own. */
static char *
name_runtime(const PsimArguments *arguments, char *own)
{
    const char *given = psim_arguments_text(arguments, "runtime");
    g_autofree char *name = own;

    if (given != NULL)
        return quote_word(given);
    if (arguments->operands[0] != NULL || psim_search_members_sets_runtime(arguments))
        return NULL;
    return g_steal_pointer(&name);
}

static bool
add_site(PsimSpace *space, const PsimArguments *arguments, const char *hardware, GError **error)
{
    g_autoptr(PsimPlan) base = hardware != NULL ? psim_question_load_on(arguments, hardware, error)
                                                : psim_question_load(arguments, error);
    PsimSite *site = base != NULL ? psim_site_new(base, error) : NULL;

    if (site == NULL)
        return false;
    g_free(site->subject);
    site->subject = make_subject(arguments, hardware);
    site->runtime = name_runtime(arguments, site->runtime);
    if (hardware != NULL) {
        g_free(site->name);
        site->name = g_strdup(hardware);
    }
    g_ptr_array_add(space->sites, site);
    return true;
}

static bool
add_sites(PsimSpace *space, const PsimArguments *arguments, GError **error)
{
    const char *hardware = psim_arguments_text(arguments, "hardware");
    const bool has_plan = arguments->operands[0] != NULL;

    if (hardware == NULL && has_plan)
        return add_site(space, arguments, /* hardware= */ NULL, error);
    if (hardware == NULL || (psim_arguments_text(arguments, "model") == NULL && !has_plan)) {
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--%s is missing; a search needs --model and --hardware, or a PLAN",
                    hardware == NULL ? "hardware" : "model");
        return false;
    }
    g_auto(GStrv) names = g_strsplit(hardware, ",", -1);

    for (size_t i = 0; names[i] != NULL; i++) {
        if (!add_site(space, arguments, g_strstrip(names[i]), error))
            return false;
    }
    return true;
}

/* -- Axes -- */

static bool
read_counts(const PsimArguments *arguments, const char *option, GArray *axis, GError **error)
{
    const char *text = psim_arguments_text(arguments, option);

    if (text == NULL || psim_quantity_counts(text, axis))
        return true;
    refuse(error, option, text, "a list of numbers, such as 64,128 or 64..1024");
    return false;
}

/* "1536", "512..2048", or "2/gpu": so many samples a GPU. */
static bool
read_batches(PsimSpace *space, const PsimArguments *arguments, GError **error)
{
    static const char per_gpu[] = "/gpu";
    const char *text = psim_arguments_text(arguments, "global-batch");

    if (text == NULL || !g_str_has_suffix(text, per_gpu))
        return read_counts(arguments, "global-batch", space->batches, error);
    g_autofree char *numbers = g_strndup(text, strlen(text) - strlen(per_gpu));

    space->is_batch_per_gpu = true;
    if (psim_quantity_counts(numbers, space->batches))
        return true;
    refuse(error, "global-batch", text, "numbers of samples a GPU, such as 2/gpu");
    return false;
}

/* The plan's own where there is one; else doubling numbers a step of training may have. */
static bool
read_sizes(PsimSpace *space, const PsimArguments *arguments, GError **error)
{
    static const uint32_t usual[] = {256, 512, 1024, 2048};
    const PsimSite *site = g_ptr_array_index(space->sites, 0);
    const bool has_plan = arguments->operands[0] != NULL;
    const uint32_t own_gpus = site->tp * site->cp * site->pp * site->dp;

    if (!read_counts(arguments, "gpus", space->gpus, error) ||
        !read_batches(space, arguments, error))
        return false;
    if (space->gpus->len == 0 && !has_plan) {
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                            "--gpus is missing; a number, a list or a range: 64,128 or 64..1024");
        return false;
    }
    if (space->gpus->len == 0)
        g_array_append_val(space->gpus, own_gpus);
    if (space->batches->len == 0 && has_plan)
        g_array_append_val(space->batches, site->global_batch);
    else if (space->batches->len == 0)
        g_array_append_vals(space->batches, usual, G_N_ELEMENTS(usual));
    return true;
}

static bool
keep_word(GArray *axis, const char *value, const char *const *words)
{
    for (uint32_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], value) != 0)
            continue;
        g_array_append_val(axis, i);
        return true;
    }
    return false;
}

/* "none,selective" */
static bool
keep_words(GArray *axis, const char *values, const char *const *words)
{
    g_auto(GStrv) list = g_strsplit(values, ",", -1);
    bool are_known = list[0] != NULL;

    for (size_t i = 0; are_known && list[i] != NULL; i++)
        are_known = keep_word(axis, g_strstrip(list[i]), words);
    return are_known;
}

static bool
keep_one(PsimSpace *space, const char *name, const char *value)
{
    static const char *const recompute[] = {"none", "selective", "full", NULL};
    static const char *const stages[] = {"0", "1", "2", "3", NULL};
    static const char *const flags[] = {"no", "yes", NULL};

    if (strcmp(name, "tp") == 0)
        return psim_quantity_counts(value, space->tp);
    if (strcmp(name, "pp") == 0)
        return psim_quantity_counts(value, space->pp);
    if (strcmp(name, "micro-batch") == 0)
        return psim_quantity_counts(value, space->micro);
    if (strcmp(name, "recompute") == 0)
        return keep_words(space->recompute, value, recompute);
    if (strcmp(name, "zero") == 0)
        return keep_words(space->zero, value, stages);
    if (strcmp(name, "sequence-parallel") == 0)
        return keep_words(space->sequence_parallel, value, flags);
    return false;
}

static bool
read_keeps(PsimSpace *space, const PsimArguments *arguments, GError **error)
{
    for (guint i = 0; i < arguments->given->len; i++) {
        const PsimArgument *argument = &g_array_index(arguments->given, PsimArgument, i);

        if (strcmp(argument->option->name, "keep") != 0)
            continue;
        g_auto(GStrv) parts = g_strsplit(argument->value, "=", 2);

        if (parts[0] != NULL && parts[1] != NULL && keep_one(space, parts[0], parts[1]))
            continue;
        refuse(error, "keep", argument->value,
               "tp=N,.., pp=N,.., micro-batch=N,.., recompute=WHAT,.., zero=STAGE,.. or "
               "sequence-parallel=yes");
        return false;
    }
    return true;
}

PsimSpace *
psim_search_question_space(const PsimArguments *arguments, GError **error)
{
    g_autoptr(PsimSpace) space = psim_space_new();

    if (!psim_search_members_read(arguments, space, error) || !add_sites(space, arguments, error) ||
        !read_sizes(space, arguments, error) || !read_keeps(space, arguments, error) ||
        !psim_search_orders_read(arguments, space, error))
        return NULL;
    space->no_cross_node_tp = psim_arguments_flag(arguments, "no-cross-node-tp");
    /* Who names the stages wants them, pipeline or not. */
    space->pipelined_sharding = space->zero->len > 0;
    psim_space_fill(space);
    return g_steal_pointer(&space);
}

/* -- Ranking and limits -- */

static bool
read_quantity(const PsimArguments *arguments,
              const char *option,
              bool (*parse)(const char *text, double *ret_value),
              const char *wanted,
              double *ret_value,
              GError **error)
{
    const char *text = psim_arguments_text(arguments, option);

    if (text == NULL || parse(text, ret_value))
        return true;
    refuse(error, option, text, wanted);
    return false;
}

/* Some batch that is asked for must be one the ramp-up leads to; else the last one tells why. */
static bool
check_rampup(const PsimSpace *space, const PsimRampup *rampup, GError **error)
{
    g_autofree char *refusal = NULL;

    for (guint i = 0; i < space->batches->len * space->gpus->len; i++) {
        const uint32_t n_gpus = g_array_index(space->gpus, uint32_t, i % space->gpus->len);

        g_free(refusal);
        refusal =
            psim_rampup_refusal(rampup, psim_space_batch(space, i / space->gpus->len, n_gpus));
        if (refusal == NULL)
            return true;
    }
    g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--rampup: %s", refusal);
    return false;
}

/* The smaller batches must leave some of the run to the whole one. */
static bool
read_rampup(const PsimArguments *arguments,
            const PsimSpace *space,
            PsimLimits *limits,
            GError **error)
{
    const char *text = psim_arguments_text(arguments, "rampup");
    PsimRampup *rampup = &limits->rampup;

    if (text == NULL)
        return true;
    if (!psim_quantity_triple(text, &rampup->start, &rampup->increment, &rampup->samples)) {
        refuse(error, "rampup", text, "START,INCREMENT,SAMPLES, such as 192,16,9.8M");
        return false;
    }
    if (psim_arguments_text(arguments, "report") != NULL) {
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                            "--rampup: the rows of --report have the ramp-up they were run with");
        return false;
    }
    if (!check_rampup(space, rampup, error))
        return false;
    for (guint i = 0; i < space->sites->len; i++) {
        const PsimSite *site = g_ptr_array_index(space->sites, i);

        if (rampup->samples * site->sequence < limits->tokens)
            continue;
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                    "--rampup: needs --tokens, and more of them than its samples have, %u each",
                    site->sequence);
        return false;
    }
    return true;
}

static bool
read_limits(const PsimArguments *arguments, PsimLimits *limits, GError **error)
{
    const char *goal = psim_arguments_text(arguments, "for");

    if (goal != NULL && !psim_quantity_goal(goal, &limits->tokens, &limits->max_days)) {
        refuse(error, "for", goal, "\"N tokens in TIME\", such as \"300e9 tokens in 30 days\"");
        return false;
    }
    if (!read_quantity(arguments, "tokens", psim_quantity_amount, "a number, such as 1.1T",
                       &limits->tokens, error) ||
        !read_quantity(arguments, "deadline", psim_quantity_days, "a time, such as 30d",
                       &limits->max_days, error) ||
        !read_quantity(arguments, "budget", psim_quantity_amount, "a sum, such as 2M",
                       &limits->max_usd, error) ||
        !read_quantity(arguments, "max-memory", psim_quantity_bytes, "a size, such as 70GiB",
                       &limits->max_bytes, error) ||
        !read_quantity(arguments, "max-power", psim_quantity_watts, "a power, such as 500kW",
                       &limits->max_watts, error))
        return false;
    if ((limits->max_days > 0.0 || limits->max_usd > 0.0) && !(limits->tokens > 0.0)) {
        g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                            "--deadline and --budget need --tokens");
        return false;
    }
    return true;
}

bool
psim_search_question_options(const PsimArguments *arguments,
                             PsimSpace *space,
                             PsimSearchOptions *ret_options,
                             GError **error)
{
    const PsimSite *site = g_ptr_array_index(space->sites, 0);
    guint64 n_threads = 0;

    *ret_options = (PsimSearchOptions){
        .n_best = 100,
        .is_exhaustive = psim_arguments_flag(arguments, "exhaustive"),
        .limits = {.tokens = site->tokens},
    };
    if (!psim_arguments_positive(arguments, "jobs", g_get_num_processors(), MAX_THREADS, &n_threads,
                                 error) ||
        !read_limits(arguments, &ret_options->limits, error) ||
        !read_rampup(arguments, space, &ret_options->limits, error) ||
        !psim_search_ranking_read(arguments, space, &ret_options->rank_by, error) ||
        !psim_search_ranking_check(arguments, space, ret_options->limits.max_usd, error))
        return false;
    ret_options->n_threads = (guint)n_threads;
    space->max_bytes = ret_options->limits.max_bytes;
    return true;
}

/* -- Failures -- */

static bool
parse_rate(const char *text, double *ret_rate)
{
    g_autofree char *size = g_strdup(text);

    if (g_str_has_suffix(size, "/s"))
        size[strlen(size) - 2] = '\0';
    return psim_quantity_bytes(size, ret_rate);
}

/* "50000h,50GB/s,0.2h" */
static bool
read_failures(const char *text, PsimFailureOptions *failures, GError **error)
{
    static const char time[] = "a time above 0, in h, d, w, months or years";
    const struct {
        const char *name;
        bool (*parse)(const char *text, double *ret_value);
        double *value;
        const char *wanted;
    } wanted[] = {
        {"MTBF", psim_quantity_days, &failures->gpu_mtbf_days, time},
        {"RATE", parse_rate, &failures->checkpoint_bytes_per_s, "a rate above 0, such as 50GB/s"},
        {"RESTART", psim_quantity_days, &failures->restart_days, time},
    };
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    if (g_strv_length(parts) != G_N_ELEMENTS(wanted)) {
        refuse(error, "failures", text, "MTBF,RATE,RESTART, such as 50000h,50GB/s,0.2h");
        return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        if (wanted[i].parse(g_strstrip(parts[i]), wanted[i].value))
            continue;
        g_set_error(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE, "--failures: %s \"%s\" is not %s",
                    wanted[i].name, parts[i], wanted[i].wanted);
        return false;
    }
    return true;
}

bool
psim_search_question_failures(const PsimArguments *arguments,
                              double tokens,
                              PsimFailureOptions *ret_failures,
                              GError **error)
{
    const char *text = psim_arguments_text(arguments, "failures");

    *ret_failures = (PsimFailureOptions){.gpu_mtbf_days = 0.0};
    if (text != NULL && !read_failures(text, ret_failures, error))
        return false;
    if (text == NULL || tokens > 0.0)
        return true;
    g_set_error_literal(error, PSIM_USAGE_ERROR, PSIM_EXIT_USAGE,
                        "--failures needs --tokens or --for");
    return false;
}
