/* SPDX-License-Identifier: MIT */
/* The library's beginning and end in a program. */
#include "engine/liveness.h"
#include "preload/next.h"
#include "preload/place_path.h"
#include "preload/served.h"
#include "tracefs/text_session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_active;

/* The session of tracefs's text is held by each program, from the program cairn on. */
static void join_session(void)
{
    const char *path = secure_getenv("CAIRN_RUN_SESSION");
    const char *inherited = secure_getenv("CAIRN_RUN_FD");
    int fd = path ? PRELOAD_NEXT(openat)(AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;

    if (fd >= 0 && !engine_liveness_share(fd))
        tracefs_text_session_keep(fd);
    else if (fd >= 0)
        (void)PRELOAD_NEXT(close)(fd);
    /* The program cairn held it until here. */
    if (inherited) {
        close((int)strtol(inherited, NULL, 10));
        (void)unsetenv("CAIRN_RUN_FD");
    }
}

static __attribute__((constructor)) void begin(void)
{
    is_active = preload_place_prepare();
    if (!is_active)
        return;
    join_session();
    preload_served_inherit();
}

static __attribute__((destructor)) void end(void)
{
    if (is_active)
        preload_served_finish();
}
