/* SPDX-License-Identifier: MIT */
#include "serve/answer.h"

#include "serve/catalogue.h"
#include "serve/page.h"
#include "serve/query.h"

#include <string.h>

/* Content of ours loads from here alone; a report brings its own script and style. */
#define POLICY_PAGE                                                                                \
    "default-src 'self'; img-src 'self' data:; "                                                   \
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
#define POLICY_REPORT                                                                              \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: "    \
    "blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

typedef struct {
    const char *path;
    const char *type;
    const char *text;
} Page;

static const Page pages[] = {
    {"/", "text/html; charset=utf-8", psim_page_html},
    {"/page.css", "text/css; charset=utf-8", psim_page_css},
    {"/page.js", "text/javascript; charset=utf-8", psim_page_js},
};

void
psim_answer_clear(PsimAnswer *self)
{
    if (self->body != NULL)
        g_bytes_unref(self->body);
    *self = (PsimAnswer){0};
}

void
psim_answer_refuse(unsigned status, const char *reason, PsimAnswer *ret_answer)
{
    g_autofree char *line = g_strconcat(reason, "\n", NULL);
    const gsize n_bytes = strlen(line);

    *ret_answer = (PsimAnswer){
        .status = status,
        .type = "text/plain; charset=utf-8",
        .policy = POLICY_REPORT,
        .body = g_bytes_new_take(g_steal_pointer(&line), n_bytes),
    };
}

static unsigned
find_status(const GError *error)
{
    if (error->domain != PSIM_ERROR)
        return 400;
    switch ((PsimError)error->code) {
    case PSIM_ERROR_SYNTAX:
    case PSIM_ERROR_SCHEMA:
    case PSIM_ERROR_VALUE:
    case PSIM_ERROR_MISMATCH:
    case PSIM_ERROR_UNSUPPORTED:
        return 400;
    case PSIM_ERROR_LIMIT:
        return 413;
    case PSIM_ERROR_INFEASIBLE:
        return 422;
    case PSIM_ERROR_CANCELLED:
        return 503;
    case PSIM_ERROR_IO:
    case PSIM_ERROR_INTERNAL:
        return 500;
    }
    return 500;
}

static void
refuse_error(const PsimServeHost *host,
             const char *command,
             const GError *error,
             PsimAnswer *ret_answer)
{
    g_autofree char *reason = host->tell(command, error);

    psim_answer_refuse(find_status(error), reason, ret_answer);
}

static const char *
find_type(const char *format)
{
    static const struct {
        const char *format;
        const char *type;
    } types[] = {
        {"json", "application/json"},       {"chrome", "application/json"},
        {"svg", "image/svg+xml"},           {"html", "text/html; charset=utf-8"},
        {"csv", "text/csv; charset=utf-8"}, {"png", "image/png"},
    };

    for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
        if (strcmp(types[i].format, format) == 0)
            return types[i].type;
    }
    return "text/plain; charset=utf-8";
}

static bool
append_bytes(const char *bytes, size_t n_bytes, void *user)
{
    g_byte_array_append(user, (const guint8 *)bytes, (guint)n_bytes);
    return true;
}

static bool
is_late(void *user)
{
    const gint64 *deadline = user;

    return g_get_monotonic_time() > *deadline;
}

/* @words and @format are what was asked. */
static void
answer_words(const PsimServeHost *host,
             const char *command,
             char **words,
             const char *format,
             PsimAnswer *ret_answer)
{
    gint64 deadline = g_get_monotonic_time() + PSIM_SERVE_MAX_SECONDS * G_USEC_PER_SEC;
    g_autoptr(GError) error = NULL;
    g_autoptr(PsimResult) result = host->ask(command, words, is_late, &deadline, &error);
    GByteArray *bytes = g_byte_array_new();

    if (result == NULL || !psim_result_write(result, format, append_bytes, bytes, &error)) {
        g_byte_array_unref(bytes);
        refuse_error(host, command, error, ret_answer);
        return;
    }
    *ret_answer = (PsimAnswer){
        .status = 200,
        .type = find_type(format),
        .policy = POLICY_REPORT,
        .body = g_byte_array_free_to_bytes(bytes),
    };
}

static void
answer_question(const PsimServeHost *host,
                const char *command,
                const char *format,
                const char *query,
                PsimAnswer *ret_answer)
{
    g_autoptr(GError) error = NULL;

    if (psim_format_summary(format) == NULL) {
        psim_answer_refuse(404, "no such format; /api/presets lists formats", ret_answer);
        return;
    }
    g_auto(GStrv) words = psim_query_words(command, query, &error);

    if (words == NULL)
        refuse_error(host, command, error, ret_answer);
    else
        answer_words(host, command, words, format, ret_answer);
}

/* "/api/run.svg" asks the command "run" in the format "svg"; without one, in JSON.
 * Returns: whether @path asks @command. */
static bool
take_question(const PsimServeHost *host,
              const char *command,
              const char *path,
              const char *query,
              PsimAnswer *ret_answer)
{
    const size_t n_command = strlen(command);
    const char *rest = path + n_command;

    if (strncmp(path, command, n_command) != 0 || (rest[0] != '\0' && rest[0] != '.'))
        return false;
    answer_question(host, command, rest[0] == '\0' ? "json" : rest + 1, query, ret_answer);
    return true;
}

static bool
take_page(const char *path, PsimAnswer *ret_answer)
{
    for (gsize i = 0; i < G_N_ELEMENTS(pages); i++) {
        if (strcmp(pages[i].path, path) != 0)
            continue;
        *ret_answer = (PsimAnswer){
            .status = 200,
            .type = pages[i].type,
            .policy = POLICY_PAGE,
            .body = g_bytes_new_static(pages[i].text, strlen(pages[i].text)),
        };
        return true;
    }
    return false;
}

static bool
take_catalogue(const char *path, PsimAnswer *ret_answer)
{
    if (strcmp(path, "presets") != 0)
        return false;
    g_autofree char *json = psim_catalogue_json();
    const gsize n_bytes = strlen(json);

    *ret_answer = (PsimAnswer){
        .status = 200,
        .type = "application/json",
        .policy = POLICY_REPORT,
        .body = g_bytes_new_take(g_steal_pointer(&json), n_bytes),
    };
    return true;
}

void
psim_answer_find(const PsimServeHost *host,
                 const char *path,
                 const char *query,
                 PsimAnswer *ret_answer)
{
    static const char prefix[] = "/api/";
    const bool is_api = strncmp(path, prefix, strlen(prefix)) == 0;
    const char *rest = is_api ? path + strlen(prefix) : path;

    if (strlen(path) + (query == NULL ? 0 : strlen(query)) > PSIM_SERVE_MAX_ADDRESS_BYTES) {
        g_autofree char *reason =
            g_strdup_printf("the address is longer than %u bytes", PSIM_SERVE_MAX_ADDRESS_BYTES);

        psim_answer_refuse(414, reason, ret_answer);
        return;
    }
    if (!is_api && take_page(path, ret_answer))
        return;
    if (is_api &&
        (take_catalogue(rest, ret_answer) || take_question(host, "run", rest, query, ret_answer) ||
         take_question(host, "schedule", rest, query, ret_answer)))
        return;
    psim_answer_refuse(404, "nothing is here; try / or /api/presets, /api/run, /api/schedule",
                       ret_answer);
}

GBytes *
psim_serve_answer(const PsimServeHost *host, const char *address, unsigned *ret_status)
{
    g_auto(GStrv) halves = g_strsplit(address, "?", 2);
    g_auto(PsimAnswer) answer = {0};

    psim_answer_find(host, halves[0] == NULL ? "" : halves[0], halves[0] == NULL ? NULL : halves[1],
                     &answer);
    *ret_status = answer.status;
    return g_steal_pointer(&answer.body);
}

bool
psim_serve_check(const PsimScheduleOptions *size, GError **error)
{
    const uint64_t n_chunks = size->n_chunks == 0 ? 1 : size->n_chunks;
    const uint64_t n_pairs = (uint64_t)size->n_ranks * size->n_microbatches;

    if (n_pairs <= PSIM_SERVE_MAX_OPERATIONS / n_chunks)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_LIMIT,
                "%u ranks x %u microbatches x %" G_GUINT64_FORMAT
                " chunks are beyond the %u of a served run; \"plansim run\" takes them",
                size->n_ranks, size->n_microbatches, n_chunks, PSIM_SERVE_MAX_OPERATIONS);
    return false;
}
