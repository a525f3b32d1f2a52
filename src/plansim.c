/* SPDX-License-Identifier: MIT */
/* What belongs to no layer. Every other public function is defined in its own. */
#include "plansim.h"

const char *
psim_version(void)
{
    return PSIM_VERSION;
}
