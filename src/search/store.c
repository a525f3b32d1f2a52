/* SPDX-License-Identifier: MIT */
#include "search/store.h"

#include "search/lock.h"

#include <sqlite3.h>
#include <string.h>

#define SCHEMA_VERSION 2

static const char schema[] =
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE plans ("
    " ordinal INTEGER PRIMARY KEY, site INTEGER, gpus INTEGER, tp INTEGER, pp INTEGER, dp INTEGER,"
    " schedule TEXT, chunks INTEGER, micro_batch INTEGER, global_batch INTEGER,"
    " recompute INTEGER, zero_stage INTEGER, sequence_parallel INTEGER, balanced INTEGER,"
    " step_ps INTEGER, peak_bytes REAL, capacity_bytes REAL, tokens_per_s REAL,"
    " mfu_fraction REAL, microbatches INTEGER, fits INTEGER, repeats INTEGER, rampup_s REAL);"
    "CREATE TABLE progress ("
    " id INTEGER PRIMARY KEY CHECK (id = 1), next_ordinal INTEGER, run INTEGER, failed INTEGER,"
    " dropped_rules INTEGER, dropped_alike INTEGER, dropped_memory INTEGER,"
    " dropped_bound INTEGER, done INTEGER);"
    "PRAGMA user_version = 2;";

struct PsimStore {
    sqlite3 *db;
    sqlite3_stmt *insert;
    char *path;
    PsimLock lock; /* while a search writes */
};

static bool
complain(const PsimStore *self, GError **error)
{
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: %s", self->path, sqlite3_errmsg(self->db));
    return false;
}

static bool
execute(PsimStore *self, const char *sql, GError **error)
{
    return sqlite3_exec(self->db, sql, NULL, NULL, NULL) == SQLITE_OK || complain(self, error);
}

void
psim_store_close(PsimStore *self)
{
    if (self == NULL)
        return;
    sqlite3_finalize(self->insert);
    sqlite3_close(self->db);
    psim_lock_release(&self->lock);
    g_free(self->path);
    g_free(self);
}

/* -- Small values -- */

static bool
write_meta(PsimStore *self, const char *key, const char *value, GError **error)
{
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(self->db, "INSERT INTO meta VALUES (?1, ?2)", -1, &statement,
                                   NULL) == SQLITE_OK;

    if (done) {
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC);
        done = sqlite3_step(statement) == SQLITE_DONE;
    }
    sqlite3_finalize(statement);
    return done || complain(self, error);
}

/* Returns: NULL if there is none. Caller frees. */
static char *
read_meta(PsimStore *self, const char *key)
{
    sqlite3_stmt *statement = NULL;
    char *value = NULL;

    if (sqlite3_prepare_v2(self->db, "SELECT value FROM meta WHERE key = ?1", -1, &statement,
                           NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            value = g_strdup((const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return value;
}

static int64_t
read_number(PsimStore *self, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;

    if (sqlite3_prepare_v2(self->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

/* -- Where the rows are from: "rank start increment samples" -- */

static bool
write_origin(PsimStore *self, const PsimStoreOrigin *origin, GError **error)
{
    char samples[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *text = g_strdup_printf(
        "%d %u %u %s", origin->rank_by, origin->rampup.start, origin->rampup.increment,
        g_ascii_dtostr(samples, sizeof samples, origin->rampup.samples));

    return write_meta(self, "origin", text, error);
}

static PsimStoreOrigin
read_origin(PsimStore *self)
{
    g_autofree char *text = read_meta(self, "origin");
    g_auto(GStrv) words = g_strsplit(text != NULL ? text : "", " ", 4);

    if (g_strv_length(words) != 4)
        return (PsimStoreOrigin){.rank_by = PSIM_RANK_STEP};
    return (PsimStoreOrigin){
        .rank_by = (PsimRankBy)g_ascii_strtoull(words[0], NULL, 10),
        .rampup = {.start = (uint32_t)g_ascii_strtoull(words[1], NULL, 10),
                   .increment = (uint32_t)g_ascii_strtoull(words[2], NULL, 10),
                   .samples = g_ascii_strtod(words[3], NULL)},
    };
}

/* -- Sites: "site/0" and the words of a command line for it -- */

static bool
write_site_text(PsimStore *self, const char *what, guint index, const char *text, GError **error)
{
    g_autofree char *key = g_strdup_printf("%s/%u", what, index);

    return text == NULL || write_meta(self, key, text, error);
}

static bool
write_site(PsimStore *self, guint index, const PsimSite *site, GError **error)
{
    return write_site_text(self, "site", index, site->digest_text, error) &&
           write_site_text(self, "subject", index, site->subject, error) &&
           write_site_text(self, "runtime", index, site->runtime, error);
}

static char *
read_site_text(PsimStore *self, const char *what, guint index)
{
    g_autofree char *key = g_strdup_printf("%s/%u", what, index);

    return read_meta(self, key);
}

/* Files of older versions have no words; then those of the plan must do. */
static PsimSite *
read_site(PsimStore *self, guint index, const char *text, GError **error)
{
    g_autofree char *subject = read_site_text(self, "subject", index);
    g_autoptr(PsimPlan) base = psim_plan_parse(text, strlen(text), self->path, NULL, 0, error);
    PsimSite *site = base != NULL ? psim_site_new(base, error) : NULL;

    if (site == NULL || subject == NULL)
        return site;
    g_free(site->subject);
    site->subject = g_steal_pointer(&subject);
    g_free(site->runtime);
    site->runtime = read_site_text(self, "runtime", index);
    return site;
}

/* The values a column has, in ascending order. */
static void
read_axis(PsimStore *self, const char *sql, GArray *axis)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(self->db, sql, -1, &statement, NULL) == SQLITE_OK) {
        while (sqlite3_step(statement) == SQLITE_ROW) {
            const uint32_t value = (uint32_t)sqlite3_column_int64(statement, 0);

            g_array_append_val(axis, value);
        }
    }
    sqlite3_finalize(statement);
}

/* -- Opening -- */

static PsimStore *
open_file(const char *path, int flags, GError **error)
{
    g_autoptr(PsimStore) self = g_new0(PsimStore, 1);

    self->path = g_strdup(path);
    self->lock = (PsimLock)PSIM_LOCK_INIT;
    if (sqlite3_open_v2(path, &self->db, flags, NULL) != SQLITE_OK) {
        complain(self, error);
        return NULL;
    }
    sqlite3_busy_timeout(self->db, /* ms= */ 2000);
    return g_steal_pointer(&self);
}

/* Two searches would write the same rows. */
static bool
lock(PsimStore *self, GError **error)
{
    if (psim_lock_take(&self->lock, sqlite3_db_filename(self->db, "main")))
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: in use by another search", self->path);
    return false;
}

static bool
create(PsimStore *self,
       const char *key,
       const PsimSpace *space,
       const PsimStoreOrigin *origin,
       GError **error)
{
    if (!execute(self, "BEGIN IMMEDIATE", error) || !execute(self, schema, error) ||
        !write_meta(self, "version", psim_version(), error) ||
        !write_meta(self, "key", key, error) || !write_origin(self, origin, error))
        return false;
    for (guint i = 0; i < space->sites->len; i++) {
        if (!write_site(self, i, g_ptr_array_index(space->sites, i), error))
            return false;
    }
    return execute(self,
                   "INSERT INTO progress VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0);"
                   "COMMIT",
                   error);
}

static bool
check_version(PsimStore *self, GError **error)
{
    const int64_t version = read_number(self, "PRAGMA user_version");

    if (version == SCHEMA_VERSION)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_MISMATCH,
                "%s: is no file of search results, or of another version", self->path);
    return false;
}

static bool
check_key(PsimStore *self, const char *key, GError **error)
{
    g_autofree char *kept = read_meta(self, "key");

    if (kept != NULL && strcmp(kept, key) == 0)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_MISMATCH,
                "%s: holds another search; name another file, or see it with --report", self->path);
    return false;
}

PsimStore *
psim_store_open(const char *path,
                const char *key,
                const PsimSpace *space,
                const PsimStoreOrigin *origin,
                GError **error)
{
    g_autoptr(PsimStore) self = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);

    if (self == NULL || !lock(self, error) ||
        !execute(self, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", error))
        return NULL;
    const bool is_new = read_number(self, "SELECT count(*) FROM sqlite_master") == 0;

    if (is_new ? !create(self, key, space, origin, error)
               : !check_version(self, error) || !check_key(self, key, error))
        return NULL;
    return g_steal_pointer(&self);
}

PsimStore *
psim_store_open_old(const char *path, PsimSpace *space, PsimStoreOrigin *ret_origin, GError **error)
{
    g_autoptr(PsimStore) self = open_file(path, SQLITE_OPEN_READWRITE, error);

    if (self == NULL || !check_version(self, error))
        return NULL;
    *ret_origin = read_origin(self);
    read_axis(self, "SELECT DISTINCT gpus FROM plans ORDER BY gpus", space->gpus);
    read_axis(self, "SELECT DISTINCT global_batch FROM plans ORDER BY global_batch",
              space->batches);
    for (guint i = 0;; i++) {
        g_autofree char *text = read_site_text(self, "site", i);

        if (text == NULL)
            return g_steal_pointer(&self);
        PsimSite *site = read_site(self, i, text, error);

        if (site == NULL)
            return NULL;
        g_ptr_array_add(space->sites, site);
    }
}

/* -- Rows -- */

static bool
insert_row(PsimStore *self, const PsimFound *found)
{
    const PsimChange *change = &found->plan.change;
    const PsimEvaluation *evaluation = &found->evaluation;
    sqlite3_stmt *row = self->insert;
    const int64_t numbers[] = {
        (int64_t)found->plan.ordinal,
        found->plan.site,
        found->plan.n_gpus,
        change->tp,
        change->pp,
        change->dp,
        /* schedule= */ 0,
        change->n_chunks,
        change->micro_batch,
        change->global_batch,
        change->recompute,
        change->zero_stage,
        change->sequence_parallel,
        change->balanced,
        evaluation->step,
    };

    sqlite3_reset(row);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        sqlite3_bind_int64(row, (int)i + 1, numbers[i]);
    sqlite3_bind_text(row, 7, change->schedule, -1, SQLITE_STATIC);
    sqlite3_bind_double(row, 16, evaluation->peak_bytes);
    sqlite3_bind_double(row, 17, evaluation->capacity_bytes);
    sqlite3_bind_double(row, 18, evaluation->tokens_per_s);
    sqlite3_bind_double(row, 19, evaluation->mfu_fraction);
    sqlite3_bind_int64(row, 20, evaluation->n_microbatches);
    sqlite3_bind_int64(row, 21, evaluation->fits);
    sqlite3_bind_int64(row, 22, evaluation->repeats);
    sqlite3_bind_double(row, 23, found->rampup_s);
    return sqlite3_step(row) == SQLITE_DONE;
}

static bool
write_progress(PsimStore *self, const PsimStoreProgress *progress, GError **error)
{
    g_autofree char *sql = g_strdup_printf(
        "UPDATE progress SET next_ordinal = %" G_GUINT64_FORMAT ", run = %" G_GUINT64_FORMAT
        ", failed = %" G_GUINT64_FORMAT ", dropped_rules = %" G_GUINT64_FORMAT
        ", dropped_alike = %" G_GUINT64_FORMAT ", dropped_memory = %" G_GUINT64_FORMAT
        ", dropped_bound = %" G_GUINT64_FORMAT ", done = %d",
        progress->next_ordinal, progress->n_run, progress->n_failed,
        progress->dropped[PSIM_DROP_RULES], progress->dropped[PSIM_DROP_ALIKE],
        progress->dropped[PSIM_DROP_MEMORY], progress->dropped[PSIM_DROP_BOUND], progress->is_done);

    return execute(self, sql, error);
}

bool
psim_store_write(PsimStore *self,
                 const PsimFound *found,
                 guint n_found,
                 const PsimStoreProgress *progress,
                 GError **error)
{
    static const char insert[] = "INSERT INTO plans VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                                 "?,?,?,?,?)";

    if (self->insert == NULL &&
        sqlite3_prepare_v2(self->db, insert, -1, &self->insert, NULL) != SQLITE_OK)
        return complain(self, error);
    if (!execute(self, "BEGIN IMMEDIATE", error))
        return false;
    for (guint i = 0; i < n_found; i++) {
        if (!insert_row(self, &found[i]))
            return complain(self, error);
    }
    sqlite3_reset(self->insert);
    return write_progress(self, progress, error) && execute(self, "COMMIT", error);
}

static const char *
find_schedule(const char *name)
{
    const char *const *names = psim_schedule_names();

    for (size_t i = 0; names[i] != NULL; i++) {
        if (g_strcmp0(names[i], name) == 0)
            return names[i];
    }
    return NULL;
}

static PsimFound
read_row(sqlite3_stmt *row)
{
    PsimFound found = {.evaluation = {.size = sizeof(PsimEvaluation)}};
    PsimChange *change = &found.plan.change;
    PsimEvaluation *evaluation = &found.evaluation;

    found.plan.ordinal = (uint64_t)sqlite3_column_int64(row, 0);
    found.plan.site = (uint32_t)sqlite3_column_int64(row, 1);
    found.plan.n_gpus = (uint32_t)sqlite3_column_int64(row, 2);
    change->size = sizeof *change;
    change->tp = (uint32_t)sqlite3_column_int64(row, 3);
    change->pp = (uint32_t)sqlite3_column_int64(row, 4);
    change->dp = (uint32_t)sqlite3_column_int64(row, 5);
    change->schedule = find_schedule((const char *)sqlite3_column_text(row, 6));
    change->n_chunks = (uint32_t)sqlite3_column_int64(row, 7);
    change->micro_batch = (uint32_t)sqlite3_column_int64(row, 8);
    change->global_batch = (uint32_t)sqlite3_column_int64(row, 9);
    change->recompute = sqlite3_column_int(row, 10);
    change->zero_stage = sqlite3_column_int(row, 11);
    change->sequence_parallel = sqlite3_column_int(row, 12);
    change->balanced = sqlite3_column_int(row, 13);
    evaluation->step = sqlite3_column_int64(row, 14);
    evaluation->peak_bytes = sqlite3_column_double(row, 15);
    evaluation->capacity_bytes = sqlite3_column_double(row, 16);
    evaluation->tokens_per_s = sqlite3_column_double(row, 17);
    evaluation->mfu_fraction = sqlite3_column_double(row, 18);
    evaluation->n_microbatches = (uint32_t)sqlite3_column_int64(row, 19);
    evaluation->fits = sqlite3_column_int(row, 20) != 0;
    evaluation->repeats = sqlite3_column_int(row, 21) != 0;
    found.rampup_s = sqlite3_column_double(row, 22);
    return found;
}

static void
read_progress(sqlite3_stmt *row, PsimStoreProgress *ret_progress)
{
    *ret_progress = (PsimStoreProgress){
        .next_ordinal = (uint64_t)sqlite3_column_int64(row, 1),
        .n_run = (uint64_t)sqlite3_column_int64(row, 2),
        .n_failed = (uint64_t)sqlite3_column_int64(row, 3),
        .is_done = sqlite3_column_int(row, 8) != 0,
    };
    for (int i = 0; i < PSIM_N_DROPS; i++)
        ret_progress->dropped[i] = (uint64_t)sqlite3_column_int64(row, 4 + i);
}

bool
psim_store_read(PsimStore *self,
                void (*take)(const PsimFound *found, void *user),
                void *user,
                PsimStoreProgress *ret_progress,
                GError **error)
{
    sqlite3_stmt *rows = NULL;
    sqlite3_stmt *progress = NULL;
    bool done =
        sqlite3_prepare_v2(self->db, "SELECT * FROM plans ORDER BY ordinal", -1, &rows, NULL) ==
            SQLITE_OK &&
        sqlite3_prepare_v2(self->db, "SELECT * FROM progress", -1, &progress, NULL) == SQLITE_OK &&
        sqlite3_step(progress) == SQLITE_ROW;

    if (done) {
        int state = sqlite3_step(rows);

        read_progress(progress, ret_progress);
        for (; state == SQLITE_ROW; state = sqlite3_step(rows)) {
            const PsimFound found = read_row(rows);

            if (found.plan.change.schedule != NULL)
                take(&found, user);
        }
        done = state == SQLITE_DONE;
    }
    if (!done)
        complain(self, error);
    sqlite3_finalize(rows);
    sqlite3_finalize(progress);
    return done;
}
