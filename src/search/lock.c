/* SPDX-License-Identifier: MIT */
#include "search/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TRIES 100u

/* Whoever had the lock may have removed its file between our opening and locking it. */
static bool
is_still_there(const PsimLock *self)
{
    struct stat ours;
    struct stat named;

    return fstat(self->fd, &ours) == 0 && stat(self->path, &named) == 0 &&
           ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static void
drop(PsimLock *self)
{
    if (self->fd >= 0)
        (void)close(self->fd);
    self->fd = -1;
}

bool
psim_lock_take(PsimLock *self, const char *file)
{
    self->path = g_strconcat(file, "-lock", NULL);
    for (unsigned i = 0; i < MAX_TRIES; i++) {
        self->fd = open(self->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (self->fd < 0)
            return true;
        if (flock(self->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            break;
        if (is_still_there(self))
            return true;
        drop(self);
    }
    drop(self);
    return false;
}

void
psim_lock_release(PsimLock *self)
{
    if (self->fd >= 0)
        (void)unlink(self->path);
    drop(self);
    g_clear_pointer(&self->path, g_free);
}
