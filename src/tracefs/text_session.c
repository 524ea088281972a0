/* SPDX-License-Identifier: MIT */
/* The session of events that are enabled by tracefs, and its text. */
#include "tracefs/text_session.h"
#include "engine/engine.h"
#include "engine/session.h"
#include "tracefs/event.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct engine_session session; /* generation 0: not joined yet */

void tracefs_text_session_hold(int liveness_fd)
{
    struct statfs fs;

    (void)mmap(NULL, ENGINE_PAGE_BYTES, PROT_READ, MAP_SHARED, liveness_fd, 0);
    if (fstatfs(liveness_fd, &fs) || fs.f_type != OVERLAYFS_SUPER_MAGIC)
        (void)close(liveness_fd);
}

static bool is_joined(void)
{
    return session.generation &&
           engine_self.local.slots[session.slot].generation == session.generation;
}

static int join(void)
{
    int error = engine_attach();

    if (error || is_joined())
        return error;
    error = engine_session_share(&engine_self.local, &session);
    if (!error)
        tracefs_text_session_hold(session.liveness_fd);
    return error;
}

int tracefs_text_session_begin(struct tracefs_lines_file **ret_file)
{
    int error = join();

    if (!error)
        error = engine_registry_lock(&engine_self.local);
    if (error)
        return error;
    error = tracefs_lines_open(&session, ret_file);
    if (error)
        engine_registry_unlock(&engine_self.local);
    return error;
}

void tracefs_text_session_end(void)
{
    engine_registry_unlock(&engine_self.local);
}

/* Reads all records before the event may be removed: its fields are unknown after that. */
static void change(struct tracefs_lines_file *file, uint32_t index, bool wanted)
{
    bool is_chosen = engine_self.local.entries[index].sessions >> session.slot & 1;

    if (is_chosen && !wanted)
        tracefs_lines_drain(file);
    if (is_chosen != wanted)
        engine_session_choose(&engine_self.local, session.slot, index, wanted);
}

int tracefs_text_session_choose(uint64_t event, bool wanted)
{
    struct tracefs_lines_file *file;
    int error = tracefs_text_session_begin(&file);

    if (error)
        return error;
    if (tracefs_event_is_there(event))
        change(file, engine_sample_index(event), wanted);
    else
        error = ENODEV;
    tracefs_text_session_end();
    return error;
}

size_t tracefs_text_session_take(char *to, size_t size_bytes)
{
    struct tracefs_lines_file *file;
    size_t size;

    if (tracefs_text_session_begin(&file))
        return 0;
    tracefs_lines_drain(file);
    size = tracefs_lines_take(file, to, size_bytes);
    tracefs_text_session_end();
    return size;
}

bool tracefs_text_session_drain_ours(void)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        if (engine_self.local.slots[i].flags & ENGINE_SESSION_SHARED && engine_has_written(i)) {
            (void)tracefs_text_session_take(NULL, 0);
            return true;
        }
    }
    return false;
}
