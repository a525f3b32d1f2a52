/* SPDX-License-Identifier: MIT */
/* Small spaces, searched in every way: pruned or not, by one thread or eight, in one go or with a
 * break; the answer must be the same.
 */
#include "../main.h"
#include "search/neighbour.h"
#include "search/rescue.h"
#include "search/search.h"
#include "search/telling.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* -- Five small spaces -- */

static const struct {
    const char *model, *hardware;
    uint32_t n_gpus[2], batches[2];
    PsimRankBy rank_by;
} spaces[] = {
    {"llama-3-8b", "dgx-h100", {16, 0}, {128, 0}, PSIM_RANK_STEP},
    {"narayanan-1.7b", "dgx-a100-80gb", {32, 0}, {512, 0}, PSIM_RANK_STEP},
    {"gpt2-xl", "dgx-1v", {8, 16}, {64, 128}, PSIM_RANK_THROUGHPUT},
    {"llama-2-7b", "dgx-a100-40gb", {24, 0}, {96, 0}, PSIM_RANK_COST},
    {"gpt-48-layers", "dgx-a100-80gb", {12, 0}, {144, 0}, PSIM_RANK_MEMORY},
};

static PsimPlan *
load_base(size_t index)
{
    const PsimOverride overrides[] = {
        {"/model", spaces[index].model}, {"/hardware", spaces[index].hardware}, {"/gpus", "1"}};
    static const char text[] = "{\"schema\": \"plansim.plan/1\", \"name\": \"search\"}";
    GError *error = NULL;
    PsimPlan *plan =
        psim_plan_parse(text, strlen(text), "test", overrides, G_N_ELEMENTS(overrides), &error);

    ck_assert_msg(plan != NULL, "%s", error != NULL ? error->message : "");
    return plan;
}

static PsimSpace *
make_space(size_t index)
{
    PsimSpace *space = psim_space_new();
    g_autoptr(PsimPlan) base = load_base(index);

    g_ptr_array_add(space->sites, psim_site_new(base, NULL));
    for (size_t i = 0; i < 2; i++) {
        if (spaces[index].n_gpus[i] > 0)
            g_array_append_val(space->gpus, spaces[index].n_gpus[i]);
        if (spaces[index].batches[i] > 0)
            g_array_append_val(space->batches, spaces[index].batches[i]);
    }
    psim_space_fill(space);
    return space;
}

static PsimSearchOptions
make_options(size_t index)
{
    return (PsimSearchOptions){.rank_by = spaces[index].rank_by, .n_best = 100, .n_threads = 2};
}

static char *
tell(const PsimSpace *space, const PsimSearchOptions *options, const PsimSearchAnswer *answer)
{
    const PsimTelling telling = {
        .space = space, .options = options, .answer = answer, .n_shown = 100};

    return psim_telling_json(&telling);
}

static char *
list_plans(const PsimSpace *space, const PsimSearchOptions *options, const PsimSearchAnswer *answer)
{
    const PsimTelling telling = {
        .space = space, .options = options, .answer = answer, .n_shown = 100};

    return psim_telling_csv(&telling);
}

/* -- Pruning and threads -- */

START_TEST(a_pruned_search_ranks_the_same_hundred_plans_as_an_exhaustive_one)
{
    g_autoptr(PsimSpace) space = make_space((size_t)_i);
    PsimSearchOptions options = make_options((size_t)_i);
    g_autoptr(PsimSearchAnswer) pruned = psim_search_run(space, &options, NULL);

    options.is_exhaustive = true;
    g_autoptr(PsimSearchAnswer) whole = psim_search_run(space, &options, NULL);
    g_autofree char *of_pruned = list_plans(space, &options, pruned);
    g_autofree char *of_whole = list_plans(space, &options, whole);

    ck_assert_str_eq(of_pruned, of_whole);
    ck_assert_uint_gt(whole->ranking.items->len, 5);
    ck_assert_uint_le(pruned->progress.n_run, whole->progress.n_run);
    ck_assert_uint_eq(pruned->front->len, whole->front->len);
}
END_TEST

START_TEST(with_limits_and_a_ramp_up_pruning_ranks_the_same)
{
    g_autoptr(PsimSpace) space = make_space((size_t)_i);
    PsimSearchOptions options = make_options((size_t)_i);
    const double batch = g_array_index(space->batches, uint32_t, 0);

    /* Some plans are in time, some are not, and some cannot run half a batch. */
    options.limits.tokens = 1e12;
    options.limits.rampup = (PsimRampup){(uint32_t)batch / 2, (uint32_t)batch / 2, 1e6};
    g_autoptr(PsimSearchAnswer) all = psim_search_run(space, &options, NULL);
    const guint middle = all->ranking.items->len / 2;
    const PsimSite *site = g_ptr_array_index(space->sites, 0);

    options.limits.max_days =
        psim_found_whole_run(&g_array_index(all->ranking.items, PsimFound, middle), site,
                             &options.limits)
            .days;
    g_autoptr(PsimSearchAnswer) pruned = psim_search_run(space, &options, NULL);

    options.is_exhaustive = true;
    g_autoptr(PsimSearchAnswer) whole = psim_search_run(space, &options, NULL);
    g_autofree char *of_pruned = list_plans(space, &options, pruned);
    g_autofree char *of_whole = list_plans(space, &options, whole);

    ck_assert_str_eq(of_pruned, of_whole);
    ck_assert_uint_gt(whole->ranking.items->len, 2);
    ck_assert_uint_gt(whole->slow.plan.n_gpus, 0);
}
END_TEST

START_TEST(every_candidate_is_counted_once)
{
    g_autoptr(PsimSpace) space = make_space((size_t)_i);
    const PsimSearchOptions options = make_options((size_t)_i);
    g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &options, NULL);
    uint64_t n = answer->progress.n_run + answer->progress.n_failed;

    for (size_t i = 0; i < PSIM_N_DROPS; i++)
        n += answer->progress.dropped[i];
    ck_assert_uint_eq(n, answer->n_candidates);
    ck_assert_uint_eq(n, psim_space_size(space));
}
END_TEST

START_TEST(one_two_and_eight_threads_give_the_same_bytes)
{
    g_autoptr(PsimSpace) space = make_space((size_t)_i);
    PsimSearchOptions options = make_options((size_t)_i);
    g_autofree char *first = NULL;
    static const guint threads[] = {1, 2, 8};

    for (size_t i = 0; i < G_N_ELEMENTS(threads); i++) {
        options.n_threads = threads[i];
        g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &options, NULL);
        g_autofree char *text = tell(space, &options, answer);

        if (first == NULL)
            first = g_strdup(text);
        ck_assert_str_eq(text, first);
    }
}
END_TEST

START_TEST(a_found_plan_run_alone_takes_the_same_picoseconds)
{
    g_autoptr(PsimSpace) space = make_space((size_t)_i);
    const PsimSearchOptions options = make_options((size_t)_i);
    g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &options, NULL);
    const PsimSite *site = g_ptr_array_index(space->sites, 0);

    for (guint i = 0; i < 3; i++) {
        const PsimFound *found = &g_array_index(answer->ranking.items, PsimFound, i);
        g_autoptr(PsimPlan) plan = psim_plan_derive(site->base, &found->plan.change, NULL);
        g_autoptr(PsimResult) result = psim_simulate(plan, NULL, NULL);
        PsimSummary summary = {.size = sizeof summary};

        psim_result_summary(result, &summary);
        ck_assert_int_eq(summary.step, found->evaluation.step);
        ck_assert(psim_result_fits(result));
    }
}
END_TEST

START_TEST(neighbours_of_the_best_say_why_they_lose)
{
    g_autoptr(PsimSpace) space = make_space(0);
    const PsimSearchOptions options = make_options(0);
    g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &options, NULL);
    g_autoptr(GArray) list =
        psim_neighbour_list(&g_array_index(answer->ranking.items, PsimFound, 0),
                            g_ptr_array_index(space->sites, 0), psim_space_limit(space, 0));

    ck_assert_uint_gt(list->len, 3);
    for (guint i = 0; i < list->len; i++) {
        const PsimNeighbour *neighbour = &g_array_index(list, PsimNeighbour, i);

        ck_assert_str_ne(neighbour->change, "");
        ck_assert_str_ne(neighbour->why, "");
        ck_assert(!(neighbour->ratio < 1.0));
    }
}
END_TEST

START_TEST(an_empty_answer_names_what_would_make_one)
{
    const uint32_t gpus[] = {2};
    const uint32_t batch = 16;
    g_autoptr(PsimSpace) space = psim_space_new();
    g_autoptr(PsimPlan) base = load_base(3);
    const PsimSearchOptions options = make_options(3);

    g_ptr_array_add(space->sites, psim_site_new(base, NULL));
    g_array_append_vals(space->gpus, gpus, 1);
    g_array_append_val(space->batches, batch);
    psim_space_fill(space);
    g_autoptr(PsimSearchAnswer) answer = psim_search_run(space, &options, NULL);

    ck_assert_uint_eq(answer->ranking.items->len, 0);
    g_autofree char *text = psim_rescue_text(space, &options, answer);

    ck_assert_msg(g_str_has_prefix(text, "with "), "%s", text);
    ck_assert_ptr_nonnull(strstr(text, " GiB a GPU instead of "));
    ck_assert_ptr_nonnull(strstr(text, " GPUs: plansim run --model llama-2-7b --hardware "));
}
END_TEST

/* -- Files -- */

typedef struct {
    unsigned n_waves, n_most;
} Break;

static bool
is_broken_off(void *user)
{
    Break *at = user;

    return at->n_waves++ >= at->n_most;
}

static char *
read_rows(const char *path)
{
    const char *command[] = {"sqlite3", path, ".dump", NULL};
    char *text = NULL;

    /* The shell of SQLite may be missing; then the library's own reading must do. */
    if (!g_spawn_sync(NULL, (char **)(guintptr)command, NULL,
                      G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL,
                      NULL, NULL))
        return g_strdup("");
    return text;
}

static PsimSearchAnswer *
run_into(const PsimSpace *space, PsimSearchOptions *options, const char *path, GError **error)
{
    g_autofree char *key = psim_search_key(space, options);
    const PsimStoreOrigin origin = {options->limits.rampup, options->rank_by};
    g_autoptr(PsimStore) store = psim_store_open(path, key, space, &origin, error);

    if (store == NULL)
        return NULL;
    options->store = store;
    PsimSearchAnswer *answer = psim_search_run(space, options, error);

    options->store = NULL;
    return answer;
}

START_TEST(a_search_broken_off_goes_on_to_the_same_file)
{
    g_autofree char *directory = g_dir_make_tmp("search-XXXXXX", NULL);
    g_autofree char *one = g_build_filename(directory, "one.db", NULL);
    g_autofree char *two = g_build_filename(directory, "two.db", NULL);
    g_autoptr(PsimSpace) space = make_space(0);
    PsimSearchOptions options = make_options(0);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimSearchAnswer) whole = run_into(space, &options, one, &error);

    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return;
    Break at = {.n_most = 0};

    options.cancelled = is_broken_off;
    options.user = &at;
    g_autoptr(PsimSearchAnswer) broken = run_into(space, &options, two, &error);

    ck_assert_ptr_null(broken);
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_CANCELLED));
    ck_assert_str_eq(error->message, "interrupted; with -o the search goes on where it was");
    options.cancelled = NULL;
    g_clear_error(&error);
    g_autoptr(PsimSearchAnswer) resumed = run_into(space, &options, two, &error);
    g_autoptr(PsimSearchAnswer) again = run_into(space, &options, two, &error);
    g_autofree char *of_whole = tell(space, &options, whole);
    g_autofree char *of_resumed = tell(space, &options, resumed);
    g_autofree char *of_again = tell(space, &options, again);
    g_autofree char *rows_one = read_rows(one);
    g_autofree char *rows_two = read_rows(two);

    ck_assert_str_eq(of_whole, of_resumed);
    ck_assert_str_eq(of_whole, of_again);
    ck_assert_str_eq(rows_one, rows_two);
    g_remove(one);
    g_remove(two);
    g_rmdir(directory);
}
END_TEST

START_TEST(a_file_of_another_search_is_refused)
{
    g_autofree char *directory = g_dir_make_tmp("search-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "one.db", NULL);
    g_autoptr(PsimSpace) space = make_space(0);
    g_autoptr(PsimSpace) other = make_space(4);
    PsimSearchOptions options = make_options(0);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimSearchAnswer) answer = run_into(space, &options, path, &error);

    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return;
    ck_assert_ptr_nonnull(answer);
    g_autoptr(PsimSearchAnswer) refused = run_into(other, &options, path, &error);
    g_autofree char *wanted = g_strdup_printf(
        "%s: holds another search; name another file, or see it with --report", path);

    ck_assert_ptr_null(refused);
    ck_assert_str_eq(error->message, wanted);
    g_remove(path);
    g_rmdir(directory);
}
END_TEST

START_TEST(a_file_is_of_one_search_at_a_time)
{
    g_autofree char *directory = g_dir_make_tmp("search-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "one.db", NULL);
    g_autofree char *alias = g_build_filename(directory, "alias.db", NULL);
    g_autofree char *wanted = g_strdup_printf("%s: in use by another search", alias);
    g_autoptr(PsimSpace) space = make_space(0);
    PsimSearchOptions options = make_options(0);
    const PsimStoreOrigin origin = {.rank_by = options.rank_by};
    g_autofree char *key = psim_search_key(space, &options);
    g_autoptr(GError) error = NULL;
    PsimStore *first = psim_store_open(path, key, space, &origin, &error);

    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return;
    ck_assert_ptr_nonnull(first);
    ck_assert_int_eq(symlink("one.db", alias), 0);
    ck_assert_ptr_null(run_into(space, &options, alias, &error));
    ck_assert(g_error_matches(error, PSIM_ERROR, PSIM_ERROR_IO));
    ck_assert_str_eq(error->message, wanted);
    psim_store_close(first);
    g_autoptr(PsimSearchAnswer) answer = run_into(space, &options, alias, NULL);

    ck_assert_ptr_nonnull(answer);
    g_remove(alias);
    g_remove(path);
    ck_assert_int_eq(g_rmdir(directory), 0);
}
END_TEST

START_TEST(a_file_keeps_the_ramp_up_its_rows_were_run_with)
{
    g_autofree char *directory = g_dir_make_tmp("search-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "one.db", NULL);
    g_autoptr(PsimSpace) space = make_space(0);
    g_autoptr(PsimSpace) old = psim_space_new();
    PsimSearchOptions options = make_options(0);
    PsimSearchOptions again = make_options(0);
    g_autoptr(GError) error = NULL;

    options.limits = (PsimLimits){.tokens = 1e12, .rampup = {32, 32, 1e6}};
    g_autoptr(PsimSearchAnswer) answer = run_into(space, &options, path, &error);

    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return;
    ck_assert_msg(answer != NULL, "%s", error != NULL ? error->message : "");
    again.limits.tokens = 1e12;
    PsimStoreOrigin origin = {.rank_by = PSIM_RANK_MEMORY};
    g_autoptr(PsimStore) store = psim_store_open_old(path, old, &origin, &error);

    ck_assert_int_eq(origin.rank_by, options.rank_by);
    again.limits.rampup = origin.rampup;
    g_autoptr(PsimSearchAnswer) same = psim_search_report(old, store, &again, &error);
    g_autofree char *of_answer = list_plans(space, &options, answer);
    g_autofree char *of_same = list_plans(old, &again, same);

    ck_assert_str_eq(of_answer, of_same);
    ck_assert_double_gt(g_array_index(same->ranking.items, PsimFound, 0).rampup_s, 0.0);
    g_remove(path);
    g_rmdir(directory);
}
END_TEST

START_TEST(a_report_ranks_a_file_anew)
{
    g_autofree char *directory = g_dir_make_tmp("search-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(directory, "one.db", NULL);
    g_autoptr(PsimSpace) space = make_space(0);
    g_autoptr(PsimSpace) old = psim_space_new();
    PsimSearchOptions options = make_options(0);
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimSearchAnswer) answer = run_into(space, &options, path, &error);

    if (g_error_matches(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED))
        return;
    PsimStoreOrigin origin = {.rank_by = PSIM_RANK_STEP};
    g_autoptr(PsimStore) store = psim_store_open_old(path, old, &origin, &error);
    g_autoptr(PsimSearchAnswer) same = psim_search_report(old, store, &options, &error);
    g_autofree char *of_answer = list_plans(space, &options, answer);
    g_autofree char *of_same = list_plans(old, &options, same);

    ck_assert_str_eq(of_answer, of_same);
    options.rank_by = PSIM_RANK_MEMORY;
    g_autoptr(PsimSearchAnswer) other = psim_search_report(old, store, &options, &error);
    const PsimFound *leanest = &g_array_index(other->ranking.items, PsimFound, 0);
    const PsimFound *fastest = &g_array_index(same->ranking.items, PsimFound, 0);

    ck_assert(leanest->evaluation.peak_bytes < fastest->evaluation.peak_bytes);
    g_remove(path);
    g_rmdir(directory);
}
END_TEST

static Suite *
search_suite(void)
{
    Suite *suite = suite_create("search");
    TCase *cases = tcase_create("search");

    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, a_pruned_search_ranks_the_same_hundred_plans_as_an_exhaustive_one, 0,
                        G_N_ELEMENTS(spaces));
    tcase_add_loop_test(cases, with_limits_and_a_ramp_up_pruning_ranks_the_same, 0,
                        G_N_ELEMENTS(spaces));
    tcase_add_loop_test(cases, every_candidate_is_counted_once, 0, G_N_ELEMENTS(spaces));
    tcase_add_loop_test(cases, one_two_and_eight_threads_give_the_same_bytes, 0,
                        G_N_ELEMENTS(spaces));
    tcase_add_loop_test(cases, a_found_plan_run_alone_takes_the_same_picoseconds, 0,
                        G_N_ELEMENTS(spaces));
    tcase_add_test(cases, neighbours_of_the_best_say_why_they_lose);
    tcase_add_test(cases, an_empty_answer_names_what_would_make_one);
    tcase_add_test(cases, a_search_broken_off_goes_on_to_the_same_file);
    tcase_add_test(cases, a_file_of_another_search_is_refused);
    tcase_add_test(cases, a_file_is_of_one_search_at_a_time);
    tcase_add_test(cases, a_file_keeps_the_ramp_up_its_rows_were_run_with);
    tcase_add_test(cases, a_report_ranks_a_file_anew);
    suite_add_tcase(suite, cases);
    return suite;
}

Suite *curve_suite(void);
Suite *quantity_suite(void);
Suite *rampup_suite(void);
Suite *reason_suite(void);
Suite *reliability_suite(void);

PSIM_TEST_SUITES(
    curve_suite, quantity_suite, rampup_suite, reason_suite, reliability_suite, search_suite);
