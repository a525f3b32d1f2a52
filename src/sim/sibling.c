/* SPDX-License-Identifier: MIT */
#include "sim/sibling.h"

#include "base/error.h"
#include "spec/preset.h"

#include <string.h>

/* "a100-pcie-80gb" for "a100-sxm4-80gb": the same up to the first dash; better if also from the
 * last one on. */
static const char *
find_name(const char *const *names, const char *own)
{
    const size_t n_family = strcspn(own, "-");
    const char *memory = strrchr(own, '-');
    const char *found = NULL;

    for (; *names != NULL; names++) {
        if (strncmp(*names, own, n_family) != 0 || !g_str_has_prefix(*names + n_family, "-pcie"))
            continue;
        if (found == NULL || (memory != NULL && g_str_has_suffix(*names, memory)))
            found = *names;
    }
    return found;
}

bool
psim_sibling_load(const PsimDevice *device, PsimDevice *ret_sibling)
{
    g_auto(GStrv) names = psim_preset_names(PSIM_PRESET_DEVICE);
    g_autoptr(PsimComplaints) complaints = psim_complaints_new();
    const char *name = strstr(device->name, "pcie") == NULL
                           ? find_name((const char *const *)names, device->name)
                           : NULL;

    if (name == NULL)
        return false;
    g_autoptr(PsimDocument) document =
        psim_preset_resolve(PSIM_PRESET_DEVICE, name, /* directory= */ NULL, /* error= */ NULL);

    g_return_val_if_fail(document != NULL, false);
    g_autoptr(PsimReader) reader = psim_reader_new(document, complaints);

    psim_device_read_members(ret_sibling, reader, complaints, name);
    psim_reader_end(reader);
    return true;
}
