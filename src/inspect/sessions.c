/* SPDX-License-Identifier: MIT */
/* Sessions of a snapshot: their patterns, their buffers, and the events that they have lost. */
#include "core/atomic.h"
#include "engine/loss.h"
#include "inspect/inspection.h"

#include <cairn/kernel/pool.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void copy_patterns(const struct engine_session_slot *slot, struct inspect_session *session)
{
    uint32_t count = 0;

    memcpy(session->texts, slot->patterns, sizeof(slot->patterns));
    session->texts[sizeof(session->texts) - 1] = 0;
    for (const char *at = session->texts; *at; at += strlen(at) + 1)
        session->patterns[count++] = at;
    session->shown.patterns = session->patterns;
    session->shown.pattern_count = count;
}

static uint32_t count_events(const struct engine_registry *local, uint32_t slot)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < engine_registry_end(local); i++)
        count += local->entries[i].generation && (local->entries[i].sessions >> slot & 1);
    return count;
}

static void read_session(const struct engine_registry *local, uint32_t index,
                         struct inspect_session *session)
{
    const struct engine_session_slot *slot = &local->slots[index];

    session->shown = (struct cairn_inspected_session){
        .id = slot->generation,
        .pid = slot->pid,
        .listener =
            core_load_relaxed(&slot->status_bit) & (ENGINE_STATUS_TEXT | ENGINE_STATUS_RECORDER),
        .event_count = count_events(local, index),
        .buffer_bytes = (uint64_t)slot->chunk_bytes * slot->chunk_count,
    };
    copy_patterns(slot, session);
    engine_loss_read(slot, session->shown.id, session->shown.lost_by_cause);
}

/* ---- buffers ---- */

/* Reads the header of a session's pool in a pool file. False: the file has none. */
static bool read_buffer(int fd, uint32_t slot, uint64_t session,
                        struct cairn_inspected_buffer *ret_buffer)
{
    struct engine_pool_file file;
    const struct engine_pool_range *range = &file.ranges[slot];
    struct cairn_pool_header header;

    if (pread(fd, &file, sizeof(file), 0) != (ssize_t)sizeof(file) ||
        file.magic != ENGINE_POOL_FILE_MAGIC || range->session != session)
        return false;
    *ret_buffer = (struct cairn_inspected_buffer){
        .session = session, .pid = file.pid, .error = (int)range->error};
    if (pread(fd, &header, sizeof(header), (off_t)(range->offset + range->table_bytes)) !=
            (ssize_t)sizeof(header) ||
        header.magic != CAIRN_POOL_MAGIC)
        return range->error != 0;
    ret_buffer->size_bytes = (uint64_t)header.chunk_bytes * header.chunk_count;
    ret_buffer->lost = engine_loss_value(header.lost, session);
    ret_buffer->error = (int)header.bare_error;
    return true;
}

static int append_buffer(struct inspect_sessions *sessions,
                         const struct cairn_inspected_buffer *buffer)
{
    void *more = reallocarray(sessions->buffers, (size_t)sessions->buffer_count + 1,
                              sizeof(*sessions->buffers));

    if (!more)
        return ENOMEM;
    sessions->buffers = (struct cairn_inspected_buffer *)more;
    sessions->buffers[sessions->buffer_count++] = *buffer;
    return 0;
}

static int read_buffers(const struct engine_registry *local, uint32_t slot, DIR *pools,
                        struct inspect_sessions *sessions, struct inspect_session *session)
{
    struct cairn_inspected_buffer buffer;
    const char *name;
    uint32_t count = 0;
    int error = 0;

    rewinddir(pools);
    while (!error && (name = engine_directory_next(&local->directory, pools, &count))) {
        int fd = openat(dirfd(pools), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

        if (fd < 0)
            continue;
        if (read_buffer(fd, slot, session->shown.id, &buffer)) {
            enum cairn_loss cause =
                buffer.error ? engine_loss_of_error(buffer.error) : CAIRN_LOSS_FULL;

            session->shown.lost_by_cause[cause] += buffer.lost;
            error = append_buffer(sessions, &buffer);
        }
        close(fd);
    }
    return error;
}

int inspect_sessions_read(const struct engine_registry *local,
                          struct inspect_sessions *ret_sessions)
{
    DIR *pools = engine_directory_list(&local->directory, "pools");
    int error = 0;

    *ret_sessions = (struct inspect_sessions){0};
    ret_sessions->sessions =
        (struct inspect_session *)calloc(ENGINE_SESSION_MAX, sizeof(*ret_sessions->sessions));
    if (!ret_sessions->sessions)
        error = ENOMEM;
    for (uint32_t i = 0; !error && i < ENGINE_SESSION_MAX; i++) {
        struct inspect_session *session = &ret_sessions->sessions[ret_sessions->session_count];

        if (!core_load_acquire(&local->slots[i].generation))
            continue;
        read_session(local, i, session);
        ret_sessions->session_count++;
        if (pools)
            error = read_buffers(local, i, pools, ret_sessions, session);
    }
    if (pools)
        closedir(pools);
    return error;
}

void inspect_sessions_free(struct inspect_sessions *sessions)
{
    free(sessions->sessions);
    free(sessions->buffers);
}
