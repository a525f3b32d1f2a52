/* SPDX-License-Identifier: MIT */
#include "spec/digest.h"

char *
psim_digest_text(const char *text)
{
    return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}
