/* SPDX-License-Identifier: MIT */
#include "calibrate/record_place.h"

#include "calibrate/record.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef enum {
    NOTHING,
    A_FILE,
    SOMETHING_ELSE,
} Kind;

static Kind
look_at(const char *path)
{
    GStatBuf status;

    if (g_stat(path, &status) != 0)
        return NOTHING;
    return S_ISREG(status.st_mode) ? A_FILE : SOMETHING_ELSE;
}

char *
psim_record_place_target(const char *path, GError **error)
{
    /* Renaming would put it away, as it did with a device. */
    if (look_at(path) == SOMETHING_ELSE) {
        g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO,
                    "%s: cannot write: it is no file; a calibration is kept in one, so that it can "
                    "go on later",
                    path);
        return NULL;
    }
    char *resolved = realpath(path, NULL);
    char *target = g_strdup(resolved != NULL ? resolved : path);

    free(resolved);
    return target;
}

static bool
check_directory(const char *path, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(path);

    if (g_access(directory, W_OK | X_OK) == 0)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_IO, "%s: cannot write: %s", path, g_strerror(errno));
    return false;
}

bool
psim_record_place_check_new(const char *path, GError **error)
{
    g_autofree char *target = psim_record_place_target(path, error);

    if (target == NULL)
        return false;
    if (look_at(target) == NOTHING)
        return check_directory(target, error);
    g_autoptr(PsimRecord) record = psim_record_load(path, /* error= */ NULL);

    g_set_error(error, PSIM_ERROR, PSIM_ERROR_MISMATCH, "%s: %s", path,
                record != NULL ? "holds a calibration; add --resume, or name another file"
                               : "is there and is no calibration; name another file");
    return false;
}

bool
psim_record_place_check_old(const char *path, GError **error)
{
    if (look_at(path) != SOMETHING_ELSE)
        return true;
    g_set_error(error, PSIM_ERROR, PSIM_ERROR_VALUE,
                "%s: is no file, and a calibration is kept in one", path);
    return false;
}
