/* SPDX-License-Identifier: MIT */
/* sibling.h: the PCIe card of a device, which people mistake for it
 */
#pragma once

#include "spec/device.h"

G_BEGIN_DECLS

/**
 * psim_sibling_load:
 * The PCIe form of @device among the presets: "a100-pcie-80gb" of "a100-sxm4-80gb", of the same
 * memory if there is one.
 *
 * Returns: false if there is none, or @device is one itself. Ownership: psim_device_clear().
 */
bool psim_sibling_load(const PsimDevice *device, PsimDevice *ret_sibling);

G_END_DECLS
