/* SPDX-License-Identifier: MIT */
/* serve.h: the simulator behind HTTP, on this machine alone
 *
 * The command line includes this header; everything else here is internal. There is no state: an
 * address says everything, and answers are the bytes that the command line would print. What is
 * asked is put into the words of a command line, which the host reads, so that both ways refuse the
 * same things in the same words.
 */
#pragma once

#include "plansim.h"

G_BEGIN_DECLS

/* Beyond these, a request is refused, so that none runs long. */
#define PSIM_SERVE_MAX_ADDRESS_BYTES 4096u
#define PSIM_SERVE_MAX_BODY_BYTES    16777216u /* read and thrown away */
#define PSIM_SERVE_MAX_OPERATIONS    65536u    /* ranks x microbatches x chunks */
#define PSIM_SERVE_MAX_SECONDS       INT64_C(5)

/* What the command line lends. */
typedef struct {
    /* Runs a command's words, NULL-terminated, such as "mt-nlg-530b" and "--tp=4".
     * @command    "run" or "schedule"
     * @cancelled  asked now and then; ends the run */
    PsimResult *(*ask)(const char *command,
                       char **words,
                       bool (*cancelled)(void *user),
                       void *user,
                       GError **error);
    /* What the command line prints for an error, without the end of the line. The caller frees. */
    char *(*tell)(const char *command, const GError *error);
    /* Asked now and then; ends the server; NULL: never. */
    bool (*stopped)(void *user);
} PsimServeHost;

/**
 * psim_serve_check:
 * For the host's @ask, before it simulates: may a schedule of this size be answered?
 *
 * Errors: LIMIT.
 */
bool psim_serve_check(const PsimScheduleOptions *size, GError **error);

/**
 * psim_serve_answer:
 * What the server says to one address, without a server.
 *
 * @address      "/api/run?plan=mt-nlg-530b"
 * @ret_status   of HTTP: 200, 400, ...
 *
 * Returns: the body; the caller frees.
 */
GBytes *psim_serve_answer(const PsimServeHost *host, const char *address, unsigned *ret_status);

/**
 * psim_serve_run:
 * Listens on the loopback interface until @host says stop.
 *
 * @port       0: any that is free
 * @listening  told the address once it can be asked, "http://127.0.0.1:8080/"
 *
 * Errors: IO (the port is taken), UNSUPPORTED (built without libsoup).
 */
bool psim_serve_run(const PsimServeHost *host,
                    uint16_t port,
                    void (*listening)(const char *address),
                    GError **error);

G_END_DECLS
