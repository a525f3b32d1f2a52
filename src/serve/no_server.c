/* SPDX-License-Identifier: MIT */
/* Stands in for server.c where libsoup was not found. */
#include "serve/serve.h"

bool
psim_serve_run(const PsimServeHost *host,
               uint16_t port,
               void (*listening)(const char *address),
               GError **error)
{
    (void)host;
    (void)port;
    (void)listening;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_UNSUPPORTED,
                "serve is not in this build, which was configured without libsoup 3.0; "
                "--answer ADDRESS works all the same");
    return false;
}
