/* SPDX-License-Identifier: MIT */
/* The library's beginning in a program. */
#include "accelerator/descriptors.h"
#include "accelerator/own_memory.h"
#include "engine/engine.h"
#include "engine/liveness.h"
#include "preload/files.h"
#include "preload/stream.h"
#include "tracefs/text_session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The session of tracefs's text is held by each program, from the program cairn on: events that a
 * shell's commands enable remain enabled until the shell ends. */
static void join_session(void)
{
    const char *path = secure_getenv("CAIRN_RUN_SESSION");
    const char *inherited = secure_getenv("CAIRN_RUN_FD");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;

    if (fd >= 0 && !engine_liveness_share(fd))
        tracefs_text_session_hold(fd);
    else if (fd >= 0)
        (void)close(fd);
    if (inherited) { /* the program cairn held it until here */
        (void)close((int)strtol(inherited, NULL, 10));
        (void)unsetenv("CAIRN_RUN_FD");
    }
}

/* Standard input, output and error may be files that a shell has opened. */
static __attribute__((constructor)) void begin(void)
{
    engine_lock_state lock_state;

    accelerator_own_memory_set(accelerator_is_filtered() ? ACCELERATOR_PLAINLY
                                                         : ACCELERATOR_KERNEL_MAY_REFUSE);
    join_session();
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GET_SEALS) < 0)
            continue;
        engine_lock(&lock_state);
        preload_files_inherit(fd);
        engine_unlock(&lock_state);
        if (fd == STDOUT_FILENO)
            preload_stream_hold(preload_files_may_have(fd));
    }
}
