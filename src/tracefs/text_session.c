/* SPDX-License-Identifier: MIT */
/* The session of events that are enabled by tracefs, and its text. */
#include "tracefs/text_session.h"
#include "kernel/trace_text_header.h"
#include "engine/engine.h"
#include "engine/session.h"
#include "tracefs/lines.h"
#include "tracefs/lines_drain.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct cairn_engine_session session; /* generation 0: not joined yet */

void cairn_text_session_keep(int liveness_fd)
{
    struct statfs fs;

    (void)mmap(NULL, CAIRN_PAGE_BYTES, PROT_READ, MAP_SHARED, liveness_fd, 0);
    if (fstatfs(liveness_fd, &fs) || fs.f_type != OVERLAYFS_SUPER_MAGIC)
        (void)close(liveness_fd);
}

static bool is_joined(void)
{
    return session.generation &&
           cairn_i_engine.local.slots[session.slot].generation == session.generation;
}

/* No event is chosen by a pattern. */
static int join(void)
{
    static const struct cairn_session_request request = {
        .status_bit = CAIRN_STATUS_TEXT,
        .chunk_bytes = CAIRN_SHARED_CHUNK_BYTES,
        .chunk_count = CAIRN_SHARED_CHUNKS,
        .small_chunks = CAIRN_SHARED_SMALL_CHUNKS,
    };
    int error = cairn_engine_attach();

    if (error || is_joined())
        return error;
    error = cairn_session_share(&cairn_i_engine.local, &request, &session);
    if (!error)
        cairn_text_session_keep(session.liveness_fd);
    return error;
}

int cairn_text_session_begin(struct cairn_lines_file **ret_file)
{
    int error = join();

    if (!error)
        error = cairn_engine_registry_lock(&cairn_i_engine.local);
    if (error)
        return error;
    error = cairn_lines_open(session.generation, ret_file);
    if (error)
        cairn_engine_registry_unlock(&cairn_i_engine.local);
    return error;
}

void cairn_text_session_end(void)
{
    cairn_engine_registry_unlock(&cairn_i_engine.local);
}

/* Reads all records before the event may be removed: its fields are unknown after that. */
int cairn_text_session_choose(uint32_t index, uint64_t generation, bool wanted)
{
    struct cairn_event_entry *entry = &cairn_i_engine.local.entries[index];
    struct cairn_lines_file *file;
    int error = cairn_text_session_begin(&file);

    if (error)
        return error;
    if (entry->generation != generation)
        error = ENODEV;
    if (!error && !wanted && entry->sessions >> session.slot & 1)
        cairn_lines_drain(file);
    if (!error && wanted != (entry->sessions >> session.slot & 1))
        cairn_session_choose(&cairn_i_engine.local, session.slot, index, wanted);
    cairn_text_session_end();
    return error;
}

bool cairn_text_session_is_chosen(uint32_t index)
{
    return !join() && cairn_i_engine.local.entries[index].sessions >> session.slot & 1;
}

bool cairn_text_session_is_filled_by_us(void)
{
    const struct cairn_engine_registry *local = &cairn_i_engine.local;

    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        if (local->slots[i].flags & CAIRN_SESSION_SHARED && cairn_engine_has_written(i))
            return true;
    }
    return false;
}

void cairn_text_session_drain(void)
{
    struct cairn_lines_file *file;

    if (cairn_text_session_begin(&file))
        return;
    cairn_lines_drain(file);
    cairn_text_session_end();
}

static void print_head(const struct cairn_lines_file *file, struct cairn_output *output)
{
    cairn_output_print(output, CAIRN_TRACE_HEADER, (unsigned long long)cairn_lines_count(file),
                       (unsigned long long)file->entries,
                       (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
}

int cairn_text_session_print(struct cairn_output *output)
{
    struct cairn_lines_file *file;
    int error = cairn_text_session_begin(&file);

    if (error)
        return error;
    cairn_lines_drain(file);
    print_head(file, output);
    cairn_lines_print(file, output);
    cairn_text_session_end();
    return 0;
}

size_t cairn_text_session_take(char *to, size_t size_bytes)
{
    struct cairn_lines_file *file;
    size_t size;

    if (cairn_text_session_begin(&file))
        return 0;
    size = cairn_lines_take(file, to, size_bytes);
    cairn_text_session_end();
    return size;
}

int cairn_text_session_clear(void)
{
    struct cairn_lines_file *file;
    int error = cairn_text_session_begin(&file);

    if (error)
        return error;
    cairn_lines_drain(file);
    file->taken = file->written;
    file->entries = 0;
    cairn_text_session_end();
    return 0;
}

int cairn_text_session_set_on(bool on)
{
    struct cairn_lines_file *file;
    int error = cairn_text_session_begin(&file);

    if (error)
        return error;
    cairn_lines_drain(file);
    file->is_off = !on;
    cairn_text_session_end();
    return 0;
}

bool cairn_text_session_is_on(void)
{
    struct cairn_lines_file *file;
    bool on = true;

    if (!cairn_text_session_begin(&file)) {
        on = !file->is_off;
        cairn_text_session_end();
    }
    return on;
}
