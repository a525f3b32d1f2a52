/* SPDX-License-Identifier: MIT */
/* measured.h: step time, memory and out of memory, from whatever a source prints
 */
#pragma once

#include "validate/row.h"

G_BEGIN_DECLS

struct cJSON;

/**
 * psim_measured_read:
 * Fills in what was measured.
 *
 * Step time is taken from `measured` or, where the source prints a rate, from `derived`, and last
 * from tokens or samples per second and the batch.
 *
 * @row     its model, GPUs and batch are read already
 * @json    the row
 */
void psim_measured_read(PsimRow *row, const struct cJSON *json);

G_END_DECLS
