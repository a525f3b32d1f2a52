/* SPDX-License-Identifier: MIT */
/* The best plans of a space, and how much of a cluster it takes. */
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/search_question.h"
#include "search/reason.h"
#include "search/rescue.h"
#include "search/share.h"
#include "search/telling.h"

#include <stdio.h>
#include <unistd.h>

#define MAX_TOP 100u

/* -- Progress, on a terminal only -- */

static void
show_progress(uint64_t n_seen, uint64_t n_candidates, uint64_t n_run, void *user)
{
    const gint64 begin = *(const gint64 *)user;
    const double seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
    const double share = n_candidates > 0 ? (double)n_seen / (double)n_candidates : 1.0;

    fprintf(stderr, "\r%3.0f %%, %" G_GUINT64_FORMAT " simulated, %.0f a second, %.0f s to go ",
            share * 100.0, n_run, seconds > 0.0 ? (double)n_run / seconds : 0.0,
            share > 0.0 ? seconds * (1.0 - share) / share : 0.0);
    if (n_seen >= n_candidates)
        fputs("\r\033[K", stderr);
}

static bool
is_store_name(const char *path)
{
    return path != NULL && (g_str_has_suffix(path, ".db") || g_str_has_suffix(path, ".sqlite"));
}

static char *
write_answer(const PsimArguments *arguments, const PsimTelling *telling)
{
    if (psim_arguments_flag(arguments, "json"))
        return psim_telling_json(telling);
    if (psim_arguments_flag(arguments, "csv"))
        return psim_telling_csv(telling);
    if (psim_arguments_flag(arguments, "jsonl"))
        return psim_telling_jsonl(telling);
    return psim_telling_text(telling);
}

/* What is asked of the answer, read before the search begins. */
static bool
read_telling(const PsimArguments *arguments,
             const PsimSpace *space,
             const PsimSearchOptions *options,
             PsimTelling *ret_telling,
             GError **error)
{
    guint64 n_shown = 0;
    guint64 n_explained = 0;

    *ret_telling = (PsimTelling){
        .space = space,
        .options = options,
        .with_sizing = space->gpus->len > 1 || space->sites->len > 1 ||
                       psim_arguments_text(arguments, "for") != NULL,
    };
    if (!psim_arguments_positive(arguments, "top", 10, MAX_TOP, &n_shown, error) ||
        !psim_arguments_count(arguments, "explain", 1, MAX_TOP, &n_explained, error) ||
        !psim_search_question_failures(arguments, options->limits.tokens, &ret_telling->failures,
                                       error))
        return false;
    ret_telling->n_shown = (guint)n_shown;
    ret_telling->n_explained = (guint)n_explained;
    return true;
}

/* Returns: the exit code; an answer without a plan is a no. */
static int
tell(const PsimArguments *arguments,
     const PsimTelling *asked,
     const PsimSearchAnswer *answer,
     GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    const bool is_found = answer->ranking.items->len > 0;
    g_autofree char *rescue =
        is_found ? NULL : psim_rescue_text(asked->space, asked->options, answer);
    /* A file's rows are valid. */
    g_autofree char *reason =
        is_found || asked->space->orders->len == 0 ? NULL : psim_reason_text(asked->space);
    PsimTelling telling = *asked;

    telling.answer = answer;
    telling.reason = reason;
    telling.rescue = rescue;
    g_autofree char *text = write_answer(arguments, &telling);

    path = is_store_name(path) ? NULL : path;
    if (psim_share_rank() == 0 && (path != NULL || !psim_arguments_flag(arguments, "quiet")) &&
        !psim_output_write_text(text, path, error))
        return PSIM_EXIT_IO;
    return is_found ? PSIM_EXIT_DONE : PSIM_EXIT_NO;
}

static int
report(const PsimArguments *arguments, const char *path, GError **error)
{
    g_autoptr(PsimSpace) space = psim_space_new();
    PsimStoreOrigin origin = {.rank_by = PSIM_RANK_STEP};
    g_autoptr(PsimStore) store = psim_store_open_old(path, space, &origin, error);
    PsimSearchOptions options = {0};
    PsimTelling telling = {0};

    if (store == NULL || !psim_search_question_options(arguments, space, &options, error))
        return PSIM_EXIT_FAULT;
    options.limits.rampup = origin.rampup;
    if (!read_telling(arguments, space, &options, &telling, error))
        return PSIM_EXIT_USAGE;
    if (origin.rank_by != options.rank_by)
        telling.pruned_by = psim_found_rank_words()[origin.rank_by];
    g_autoptr(PsimSearchAnswer) answer = psim_search_report(space, store, &options, error);

    return answer != NULL ? tell(arguments, &telling, answer, error) : PSIM_EXIT_FAULT;
}

static PsimSearchAnswer *
run(const PsimArguments *arguments,
    const PsimSpace *space,
    PsimSearchOptions *options,
    GError **error)
{
    const char *path = psim_arguments_text(arguments, "output");
    gint64 begin = g_get_monotonic_time();
    g_autoptr(PsimStore) store = NULL;
    bool failed = false;

    /* Of several processes the first one keeps and tells. */
    if (is_store_name(path) && psim_share_rank() == 0) {
        const PsimStoreOrigin origin = {options->limits.rampup, options->rank_by};
        g_autofree char *key = psim_search_key(space, options);

        store = psim_store_open(path, key, space, &origin, error);
        failed = store == NULL;
    }
    if (psim_share_any(failed)) {
        if (!failed)
            g_set_error_literal(error, PSIM_ERROR, PSIM_ERROR_IO,
                                "another process cannot open its file");
        return NULL;
    }
    options->store = store;
    options->cancelled = psim_interrupt_is_pending;
    /* cppcheck-suppress autoVariables ; until the search is over */
    options->user = &begin;
    if (psim_share_rank() == 0 && isatty(STDERR_FILENO) != 0 &&
        !psim_arguments_flag(arguments, "quiet"))
        options->progress = show_progress;
    PsimSearchAnswer *answer = psim_search_run(space, options, error);

    options->store = NULL;
    options->progress = NULL;
    options->user = NULL;
    return answer;
}

static int
search(const PsimArguments *arguments, GError **error)
{
    const char *old = psim_arguments_text(arguments, "report");

    if (old != NULL)
        return report(arguments, old, error);
    g_autoptr(PsimSpace) space = psim_search_question_space(arguments, error);
    PsimSearchOptions options = {0};

    if (space == NULL || !psim_search_question_options(arguments, space, &options, error))
        return PSIM_EXIT_FAULT;
    PsimTelling telling = {0};

    if (!read_telling(arguments, space, &options, &telling, error))
        return PSIM_EXIT_USAGE;
    g_autoptr(PsimSearchAnswer) answer = run(arguments, space, &options, error);

    return answer != NULL ? tell(arguments, &telling, answer, error) : PSIM_EXIT_FAULT;
}

int
psim_command_search(const PsimArguments *arguments, GError **error)
{
    psim_share_begin();
    const int exit_code = search(arguments, error);

    psim_share_end();
    return exit_code;
}
