/* SPDX-License-Identifier: MIT */
/* One thread answers one request after the other: each is bounded, and most take milliseconds.
 *
 * A body is never needed; what comes is thrown away as it comes, so that it takes no memory, and
 * beyond a bound the connection is closed. The host that a request names must be this machine, so
 * that a page from elsewhere cannot ask by way of a name that points here.
 */
#include "serve/answer.h"

#include <libsoup/soup.h>
#include <string.h>

#define POLL_MS 100u

typedef struct {
    const PsimServeHost *host;
    GMainLoop *loop;
} Server;

static void
respond(SoupServerMessage *message, const PsimAnswer *answer)
{
    SoupMessageHeaders *headers = soup_server_message_get_response_headers(message);
    const gboolean is_head = g_strcmp0(soup_server_message_get_method(message), "HEAD") == 0;

    soup_server_message_set_status(message, answer->status, /* reason_phrase= */ NULL);
    soup_message_headers_set_content_type(headers, answer->type, /* params= */ NULL);
    soup_message_headers_replace(headers, "Content-Security-Policy", answer->policy);
    soup_message_headers_replace(headers, "X-Content-Type-Options", "nosniff");
    soup_message_headers_replace(headers, "Referrer-Policy", "no-referrer");
    soup_message_headers_replace(headers, "Cache-Control", "no-store");
    /* libsoup 3.2 keeps the descriptor of a connection that its client leaves between requests. */
    soup_message_headers_replace(headers, "Connection", "close");
    if (is_head)
        soup_message_headers_set_content_length(headers, (goffset)g_bytes_get_size(answer->body));
    else
        soup_message_body_append_bytes(soup_server_message_get_response_body(message),
                                       answer->body);
}

static void
refuse(SoupServerMessage *message, unsigned status, const char *reason)
{
    g_auto(PsimAnswer) answer = {0};

    psim_answer_refuse(status, reason, &answer);
    respond(message, &answer);
}

static bool
is_this_machine(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};

    if (host == NULL)
        return false;
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        const size_t n_name = strlen(names[i]);

        if (g_ascii_strncasecmp(host, names[i], n_name) == 0 &&
            (host[n_name] == '\0' || host[n_name] == ':'))
            return true;
    }
    return false;
}

/* Counts what is thrown away. */
static void
take_chunk(SoupServerMessage *message, GBytes *chunk, gpointer user)
{
    gsize *n_bytes = user;
    GSocket *socket = soup_server_message_get_socket(message);

    *n_bytes += g_bytes_get_size(chunk);
    if (*n_bytes > PSIM_SERVE_MAX_BODY_BYTES && socket != NULL)
        (void)g_socket_shutdown(socket, TRUE, TRUE, /* error= */ NULL);
}

static void
free_count(gpointer user, GClosure *closure)
{
    (void)closure;
    g_free(user);
}

static void
take_headers(SoupServerMessage *message, gpointer user)
{
    SoupMessageHeaders *headers = soup_server_message_get_request_headers(message);
    const char *method = soup_server_message_get_method(message);

    (void)user;
    soup_message_body_set_accumulate(soup_server_message_get_request_body(message), FALSE);
    g_signal_connect_data(message, "got-chunk", G_CALLBACK(take_chunk), g_new0(gsize, 1),
                          free_count, G_CONNECT_DEFAULT);
    if (soup_message_headers_get_content_length(headers) < 0) {
        refuse(message, 400, "Content-Length is negative");
    } else if (!is_this_machine(soup_message_headers_get_one(headers, "Host"))) {
        refuse(message, 421, "this is not the host you asked for");
    } else if (g_strcmp0(method, "GET") != 0 && g_strcmp0(method, "HEAD") != 0) {
        refuse(message, 405, "only GET and HEAD are answered");
    } else if (soup_message_headers_get_content_length(headers) > 0) {
        refuse(message, 413, "a body is not needed");
    }
}

static void
begin_request(SoupServer *soup, SoupServerMessage *message, gpointer user)
{
    (void)soup;
    g_signal_connect(message, "got-headers", G_CALLBACK(take_headers), user);
}

static void
answer(SoupServer *soup,
       SoupServerMessage *message,
       const char *path,
       GHashTable *parameters,
       gpointer user)
{
    const Server *self = user;
    GUri *uri = soup_server_message_get_uri(message);
    g_auto(PsimAnswer) found = {0};

    (void)soup;
    (void)parameters;
    if (soup_server_message_get_status(message) != SOUP_STATUS_NONE)
        return;
    psim_answer_find(self->host, path, g_uri_get_query(uri), &found);
    respond(message, &found);
}

static gboolean
poll_host(gpointer user)
{
    const Server *self = user;

    if (self->host->stopped != NULL && self->host->stopped(NULL))
        g_main_loop_quit(self->loop);
    return G_SOURCE_CONTINUE;
}

static bool
listen_to(SoupServer *soup, uint16_t port, GError **error)
{
    g_autoptr(GError) reason = NULL;

    if (soup_server_listen_local(soup, port, SOUP_SERVER_LISTEN_IPV4_ONLY, &reason))
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "cannot listen on port %u: %s", port,
                reason->message);
    return false;
}

static void
tell_address(SoupServer *soup, void (*listening)(const char *address))
{
    GSList *uris = soup_server_get_uris(soup);
    g_autofree char *address = g_uri_to_string(uris->data);

    listening(address);
    g_slist_free_full(uris, (GDestroyNotify)g_uri_unref);
}

bool
psim_serve_run(const PsimServeHost *host,
               uint16_t port,
               void (*listening)(const char *address),
               GError **error)
{
    g_autoptr(SoupServer) soup = soup_server_new("server-header", "plansim", NULL);
    g_autoptr(GMainLoop) loop = g_main_loop_new(/* context= */ NULL, /* is_running= */ FALSE);
    Server self = {.host = host, .loop = loop};

    if (!listen_to(soup, port, error))
        return false;
    (void)g_signal_connect(soup, "request-started", G_CALLBACK(begin_request), &self);
    soup_server_add_handler(soup, /* path= */ NULL, answer, &self, /* destroy= */ NULL);
    const guint poll = g_timeout_add(POLL_MS, poll_host, &self);

    tell_address(soup, listening);
    g_main_loop_run(loop);
    (void)g_source_remove(poll);
    soup_server_disconnect(soup);
    return true;
}
