/* SPDX-License-Identifier: MIT */
/* interrupt.h: the first SIGINT asks for an orderly end, the second one kills
 */
#pragma once

#include <stdbool.h>

/** psim_interrupt_watch: from now on SIGINT and SIGTERM are remembered. */
void psim_interrupt_watch(void);

/** psim_interrupt_is_pending: Returns: whether one came. Fits PsimOptions.cancelled. */
bool psim_interrupt_is_pending(void *user);
