/* SPDX-License-Identifier: MIT */
/* In place of cuda_collective.c where NCCL is missing; cuda_case.c refuses collectives before
 * anything here is called. */
#include "calibrate/cuda/cuda_job.h"

bool
psim_cuda_collective_is_built_in(void)
{
    return false;
}

char *
psim_cuda_collective_version(void)
{
    return g_strdup("");
}

const PsimJobKind psim_cuda_collective = {0};
