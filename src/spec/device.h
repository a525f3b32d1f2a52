/* SPDX-License-Identifier: MIT */
/* device.h: the accelerator of a hardware file, and the constants of its kernels
 *
 * The file format is documented in hardware/README.md. Only a peak, and size and bandwidth of the
 * memory must be there; kernel constants left out are guesses and say so.
 */
#pragma once

#include "spec/hardware.h"
#include "json/reader.h"
#include "json/writer.h"

G_BEGIN_DECLS

/**
 * psim_device_read_members:
 * Fills @self from the object the reader stands in; complaints go to the reader's.
 *
 * @complaints    those of the reader: what does not stand is not compared
 * @fallback      name of a device that has none
 * Ownership: the caller frees members with psim_device_clear().
 */
void psim_device_read_members(PsimDevice *self,
                              PsimReader *reader,
                              const PsimComplaints *complaints,
                              const char *fallback);
void psim_device_clear(PsimDevice *self);

/** psim_device_write_members: the canonical text as an object of @writer; @key as there. */
void psim_device_write_members(const PsimDevice *self, PsimWriter *writer, const char *key);

/** psim_device_precisions: Returns: "fp32, fp16", what the device computes in; caller frees. */
char *psim_device_precisions(const PsimDevice *self);

G_END_DECLS
