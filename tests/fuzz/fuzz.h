/* SPDX-License-Identifier: MIT */
/* fuzz.h: the one function of a fuzz target, called by libFuzzer or by driver.c */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** LLVMFuzzerTestOneInput: Returns: 0; whatever else goes wrong ends the program. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);
