/* SPDX-License-Identifier: MIT */
/* fake.h: a device that takes exactly as long as the formulas say */
#pragma once

#include "calibrate/constants.h"

/* The constants it takes its times from. */
extern const PsimProductCost fake_gpu_cost;  /* of bf16 products, tile form */
extern const PsimProductCost fake_core_cost; /* of fp32 products, smooth form */
extern const double fake_attention_efficiency;
extern const double fake_norm_fraction;

/** fake_gpu: Returns: a backend called "fake", of a device with SMs; static. */
const PsimBackend *fake_gpu(void);

/** fake_core: Returns: the same without SMs; static. */
const PsimBackend *fake_core(void);

/** fake_bare_core: Returns: fake_core() without nominal rates; static. */
const PsimBackend *fake_bare_core(void);

/** fake_broken: Returns: fake_core() where every case fails; static. */
const PsimBackend *fake_broken(void);

/** fake_slow_core: Returns: fake_core() with products a fifth slower; static. */
const PsimBackend *fake_slow_core(void);

/** fake_other: Returns: a backend called "fake" whose device has another name; static. */
const PsimBackend *fake_other(void);
