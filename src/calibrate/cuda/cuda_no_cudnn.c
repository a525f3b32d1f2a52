/* SPDX-License-Identifier: MIT */
/* In place of cuda_cudnn.c where cuDNN is missing. cuda_case.c refuses attention before any of
 * these is called. */
#include "calibrate/cuda/cuda_cudnn.h"

bool
psim_cuda_cudnn_is_built_in(void)
{
    return false;
}

PsimCudnn *
psim_cuda_cudnn_new(G_GNUC_UNUSED cudaStream_t stream, G_GNUC_UNUSED GError **error)
{
    return NULL;
}

void
psim_cuda_cudnn_free(G_GNUC_UNUSED PsimCudnn *self)
{
}

char *
psim_cuda_cudnn_version(void)
{
    return g_strdup("");
}

PsimCudnnPlan *
psim_cuda_cudnn_plan(G_GNUC_UNUSED PsimCudnn *self,
                     G_GNUC_UNUSED const PsimCase *what,
                     G_GNUC_UNUSED bool backward,
                     G_GNUC_UNUSED const char *device_json,
                     G_GNUC_UNUSED GError **error)
{
    g_assert_not_reached();
}

void
psim_cuda_cudnn_plan_free(G_GNUC_UNUSED PsimCudnnPlan *plan)
{
}

uint64_t
psim_cuda_cudnn_workspace(G_GNUC_UNUSED const PsimCudnnPlan *plan)
{
    return 0;
}

bool
psim_cuda_cudnn_run(G_GNUC_UNUSED PsimCudnn *self,
                    G_GNUC_UNUSED PsimCudnnPlan *plan,
                    G_GNUC_UNUSED void *const *arrays,
                    G_GNUC_UNUSED void *workspace,
                    G_GNUC_UNUSED GError **error)
{
    g_assert_not_reached();
}
