/* SPDX-License-Identifier: MIT */
/* exchange.h: a message from one core to another, through memory that both see
 */
#pragma once

#include "calibrate/backend.h"

G_BEGIN_DECLS

/**
 * psim_cpu_exchange_time:
 * Two threads send @bytes to and fro: the sender copies into a shared buffer, the receiver out of
 * it. A sample is half of a round by the wall clock, for two cores are busy.
 *
 * Returns: whether every message arrived as it was sent.
 * Ownership: the samples are the caller's to clear.
 */
bool psim_cpu_exchange_time(uint64_t bytes, const PsimPolicy *policy, PsimSamples *ret_samples);

G_END_DECLS
