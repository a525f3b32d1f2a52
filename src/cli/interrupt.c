/* SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The one thing a signal handler may write. */
static volatile sig_atomic_t pending = 0;

static void
remember(int signal_number)
{
    (void)signal_number;
    pending = 1;
}

void
psim_interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND | SA_RESTART};

    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

bool
psim_interrupt_is_pending(void *user)
{
    (void)user;
    return pending != 0;
}
