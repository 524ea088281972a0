/* SPDX-License-Identifier: MIT */
/* A session that another recorder can resume. */
#include "session/resume.h"
#include "core/atomic.h"
#include "engine/liveness.h"
#include "engine/record_read.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/memory.h"
#include "session/resume_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POSITIONS_MAGIC UINT64_C(0x31736f706e727263) /* "crrnpos1" */

/* A process that was killed has its locks until it has ended. */
#define ADOPT_TRIES    100
#define ADOPT_PAUSE_NS 10000000

/* This part of a pool's chunks may wait for a block to be written. */
#define HELD_PARTS 8u

struct session_resume {
    struct cairn_session *session;
    struct resume_state state;
    uint64_t freed_to; /* chunks of blocks up to this number may be freed */
    bool is_dirty;     /* there are positions in the block that is being filled */
};

/* ---- opening ---- */

int session_resume_open(struct cairn_session *session, const char *name)
{
    struct session_resume *resume = calloc(1, sizeof(*resume));
    int error;

    if (!resume)
        return ENOMEM;
    resume->session = session;
    resume->state.fd = resume->state.directory_fd = -1;
    error = resume_state_open(&resume->state, name);
    if (error) {
        resume_state_close(&resume->state, false);
        free(resume);
        return error;
    }
    resume->freed_to = resume->state.file.block.written;
    session->resume = resume;
    return 0;
}

int session_resume_output(struct cairn_session *session, int fd)
{
    struct session_resume *resume = session->resume;
    char *directory = resume->state.file.directory;
    char link[32];
    char *slash;
    ssize_t length;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, directory, sizeof(resume->state.file.directory) - 1);
    if (length < 0)
        return errno;
    directory[length] = 0;
    slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = 0;
    resume_state_store(&resume->state, directory, sizeof(resume->state.file.directory));
    session_trace_resume(session->trace, resume);
    return 0;
}

void session_resume_close(struct cairn_session *session, bool has_ended)
{
    if (!session->resume)
        return;
    resume_state_close(&session->resume->state, has_ended);
    free(session->resume);
    session->resume = NULL;
}

/* ---- directories ---- */

static struct resume_directory *find(struct session_resume *resume,
                                     const struct session_directory *directory)
{
    for (uint32_t i = 0; i < RESUME_DIRECTORIES_MAX; i++) {
        struct resume_directory *d = &resume->state.file.directories[i];

        if (d->inode && d->device == directory->device && d->inode == directory->inode)
            return d;
    }
    return NULL;
}

static int adopt(const struct cairn_session *session, struct session_directory *directory,
                 uint32_t slot, uint64_t generation, struct engine_session *ret_handle)
{
    bool is_same = true;
    int error = EBUSY;

    for (int i = 0; i < ADOPT_TRIES && error == EBUSY; i++) {
        error = engine_session_adopt(&directory->local, &session->request, slot, generation,
                                     ret_handle, &is_same);
        if (error == EBUSY)
            os_sleep(ADOPT_PAUSE_NS);
    }
    if (!error)
        directory->is_outdated = !is_same;
    return error;
}

/* The recorder was killed before it could note that its session had begun. That is noted now: the
 * session will be that of another process. The first session of the process after the note is it:
 * the process may have others. */
static void find_begun(const struct session_resume *resume, const struct engine_registry *local,
                       struct resume_directory *d)
{
    const struct engine_session_slot *found = NULL;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX && !d->generation; i++) {
        const struct engine_session_slot *slot = &local->slots[i];

        if (slot->generation >= d->first && slot->flags & ENGINE_SESSION_KEPT &&
            slot->pid == d->pid && slot->pid_start == d->pid_start &&
            (!found || slot->generation < found->generation))
            found = slot;
    }
    if (!found)
        return;
    d->slot = (uint32_t)(found - local->slots);
    d->generation = found->generation;
    resume_state_store(&resume->state, d, sizeof(*d));
}

/* The session that was to take the place of one whose events were being changed. */
static bool find_next(const struct engine_registry *local, const struct resume_directory *d,
                      uint32_t *ret_slot)
{
    for (uint32_t i = 0; d->generation && i < ENGINE_SESSION_MAX; i++) {
        const struct engine_session_slot *slot = &local->slots[i];

        if (slot->generation && slot->former == d->generation &&
            slot->flags & ENGINE_SESSION_KEPT) {
            *ret_slot = i;
            return true;
        }
    }
    return false;
}

int session_resume_directory(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_registry *local = &directory->local;
    struct resume_directory *d = find(session->resume, directory);
    uint32_t next = 0;
    bool was_silenced;
    bool has_next;
    int error;

    if (!d || d->slot >= ENGINE_SESSION_MAX)
        return ENOENT;
    find_begun(session->resume, local, d);
    was_silenced = !core_load_relaxed(&local->slots[d->slot].status_bit);
    has_next = find_next(local, d, &next);
    error = adopt(session, directory, d->slot, d->generation, &directory->handle);
    if (error)
        return error;
    directory->has_next =
        has_next &&
        !adopt(session, directory, next, local->slots[next].generation, &directory->next_handle);
    memcpy(directory->slot_lost, d->lost, sizeof(directory->slot_lost));
    memcpy(directory->next_lost, d->next_lost, sizeof(directory->next_lost));
    session->counts.silences += was_silenced;
    session->counts.is_resumed = true;
    return 0;
}

void session_resume_note(struct cairn_session *session, const struct session_directory *directory)
{
    const struct engine_liveness self = engine_liveness_of_self();
    struct session_resume *resume = session->resume;
    struct resume_directory *d = find(resume, directory);

    for (uint32_t i = 0; i < RESUME_DIRECTORIES_MAX && !d; i++) {
        if (!resume->state.file.directories[i].inode)
            d = &resume->state.file.directories[i];
    }
    if (!d)
        return;
    *d = (struct resume_directory){.device = directory->device,
                                   .inode = directory->inode,
                                   .generation = directory->handle.generation,
                                   .first = directory->local.registry->next_generation,
                                   .slot = directory->handle.slot,
                                   .pid = self.pid,
                                   .pid_start = self.pid_start};
    memcpy(d->lost, directory->slot_lost, sizeof(d->lost));
    resume_state_store(&resume->state, d, sizeof(*d));
}

void session_resume_forget(struct cairn_session *session, const struct session_directory *directory)
{
    struct resume_directory *d = session->resume ? find(session->resume, directory) : NULL;

    if (!d)
        return;
    *d = (struct resume_directory){0};
    resume_state_store(&session->resume->state, d, sizeof(*d));
}

/* True if there were more. */
static bool note_lost(uint64_t kept[CAIRN_LOSS_CAUSES], const uint64_t lost[CAIRN_LOSS_CAUSES])
{
    const size_t size_bytes = CAIRN_LOSS_CAUSES * sizeof(*kept);

    if (!memcmp(kept, lost, size_bytes))
        return false;
    memcpy(kept, lost, size_bytes);
    return true;
}

/* While there is a former session, it is the one that would be resumed, and ours the next. */
static void note_losses(struct session_resume *resume)
{
    for (struct session_directory *directory = resume->session->directories; directory;
         directory = directory->next) {
        struct resume_directory *d = find(resume, directory);
        bool has_former = session_has_former(directory);
        bool is_changed;

        if (!d)
            continue;
        is_changed = note_lost(has_former ? d->next_lost : d->lost, directory->slot_lost);
        if (has_former)
            is_changed |= note_lost(d->lost, directory->former_lost);
        if (is_changed)
            resume_state_store(&resume->state, d, sizeof(*d));
    }
}

/* ---- positions ---- */

struct session_position {
    uint64_t sequence; /* of the chunk: its use that the position is of */
    uint64_t block;    /* that has what is between both positions */
    uint32_t before;
    uint32_t after;
};

struct session_positions {
    uint64_t magic;
    uint64_t lost; /* by the pool's count, those that are in a file */
    struct session_position chunks[];
};

static size_t bytes_of(uint32_t count)
{
    return sizeof(struct session_positions) + (size_t)count * sizeof(struct session_position);
}

static void name_file(const struct session_pool *pool, const char *name, char path[128])
{
    (void)snprintf(path, 128, "sessions/%" PRIu64 ".%s", pool->reader.session, name);
}

static int map_positions(struct session_pool *pool, const char *name)
{
    size_t size_bytes = bytes_of(pool->reader.count);
    void *memory = NULL;
    char path[128];
    int error;
    int fd;

    name_file(pool, name, path);
    fd = engine_directory_open(&pool->directory->local.directory, path, O_RDWR | O_CREAT);
    if (fd < 0)
        return errno;
    error = os_file_back(fd, 0, size_bytes);
    if (!error)
        error = os_memory_map(fd, 0, size_bytes, &memory);
    close(fd);
    pool->positions = error ? NULL : memory;
    return error;
}

/* Reads again what was recorded of a chunk, for what it says of the records after it. False: the
 * position is not the end of a record. */
static bool find_baseline(struct cairn_session *session, struct session_pool *pool, uint32_t chunk,
                          uint32_t position)
{
    uint32_t size_bytes;
    uint32_t at = 0;
    bool is_held;

    pool->reader.consumed[chunk] = 0;
    size_bytes = engine_process_pool_copy(&pool->reader, chunk, session->block, &is_held);
    pool->reader.held[chunk] = 0;
    if (position > size_bytes)
        return false;
    while (at < position) {
        struct engine_record record;

        if (!engine_record_read(&pool->baselines[chunk], session->block + at, position - at,
                                &record))
            return false;
        at += record.size_bytes;
    }
    return at == position;
}

static void resume_chunk(struct cairn_session *session, struct session_pool *pool, uint32_t chunk)
{
    const struct cairn_chunk descriptor =
        engine_process_pool_copy_chunk(engine_process_pool_chunk(&pool->reader.pool, chunk));
    struct session_position *kept = &pool->positions->chunks[chunk];
    const struct session_position copy = *kept;
    uint32_t position =
        resume_state_is_written(&session->resume->state, copy.block) ? copy.after : copy.before;

    if (!descriptor.sequence || copy.sequence != descriptor.sequence)
        return;
    kept->before = kept->after = position; /* what was not written has not been read */
    if (position && descriptor.session == pool->reader.session &&
        !find_baseline(session, pool, chunk, position)) {
        pool->spoilt = true;
        session->counts.damaged++;
    }
    pool->reader.consumed[chunk] = position;
}

int session_resume_pool(struct cairn_session *session, struct session_pool *pool, const char *name)
{
    int error = map_positions(pool, name);

    if (error)
        return error;
    if (pool->positions->magic == POSITIONS_MAGIC) {
        engine_process_pool_mend(&pool->reader);
        pool->lost = pool->lost_in_file = pool->positions->lost;
        for (uint32_t i = 0; i < pool->reader.count; i++)
            resume_chunk(session, pool, i);
    }
    pool->positions->magic = POSITIONS_MAGIC;
    return 0;
}

void session_resume_free_pool(struct session_pool *pool)
{
    if (pool->positions)
        os_memory_unmap(pool->positions, bytes_of(pool->reader.count));
    pool->positions = NULL;
    free(pool->held);
}

void session_resume_remove_pool(struct session_pool *pool)
{
    char path[128];

    if (!pool->positions)
        return;
    name_file(pool, pool->name, path);
    engine_directory_remove(&pool->directory->local.directory, path);
}

/* The compiler keeps the order: the process may be killed between any two of these. */
void session_resume_position(struct cairn_session *session, struct session_pool *pool,
                             uint32_t chunk, uint64_t sequence, uint32_t position)
{
    struct session_resume *resume = session->resume;
    struct session_position *p = &pool->positions->chunks[chunk];
    uint64_t block = resume->state.file.block.written + 1;

    if (!resume->state.file.is_used) {
        resume->state.file.is_used = 1;
        resume_state_store(&resume->state, &resume->state.file.is_used, sizeof(uint64_t));
    }
    resume->is_dirty = true;
    if (p->sequence != sequence) {
        core_store_release(&p->before, 0);
        core_store_release(&p->block, block);
        core_store_release(&p->after, 0);
        core_store_release(&p->sequence, sequence);
    } else if (p->block != block) {
        core_store_release(&p->before, p->after);
        core_store_release(&p->block, block);
    }
    core_store_release(&p->after, position);
}

/* ---- chunks that wait ---- */

/* A chunk of a block. */
struct session_held {
    uint64_t block;
    uint32_t chunk;
};

/* Without memory for the list it is freed now: a recorder that is killed next may read other
 * records in its place. */
void session_resume_hold(struct cairn_session *session, struct session_pool *pool, uint32_t chunk)
{
    uint32_t count = pool->held_count;
    struct session_held *more = pool->held;

    if (!(count & (count - 1)))
        more = reallocarray(pool->held, count ? 2 * (size_t)count : 1, sizeof(*more));
    if (!more) {
        engine_process_pool_free(&pool->reader, chunk);
        return;
    }
    pool->held = more;
    pool->held[pool->held_count++] =
        (struct session_held){session->resume->state.file.block.written + 1, chunk};
}

void session_resume_free_chunks(struct cairn_session *session, struct session_pool *pool)
{
    uint32_t freed = 0;

    while (freed < pool->held_count && pool->held[freed].block <= session->resume->freed_to)
        engine_process_pool_free(&pool->reader, pool->held[freed++].chunk);
    pool->held_count -= freed;
    if (freed)
        memmove(pool->held, pool->held + freed, pool->held_count * sizeof(*pool->held));
    pool->positions->lost = pool->lost_in_file;
}

/* Small chunks count as parts of large ones. */
void session_resume_limit(struct cairn_session *session, struct session_pool *pool)
{
    uint32_t large = pool->reader.pool.large.chunk_count;
    uint32_t parts = pool->reader.pool.small_chunks ? pool->reader.pool.small_chunks : 1;
    uint64_t held = 0;

    for (uint32_t i = 0; i < pool->held_count; i++)
        held += pool->held[i].chunk < large ? parts : 1;
    if (held && held >= (uint64_t)large * parts / HELD_PARTS)
        session_resume_flush(session);
}

/* ---- blocks ---- */

/* Losses that have been counted are in the file with the block. */
void session_resume_prepare(struct session_resume *resume)
{
    session_sum_missing(resume->session);
    session_write_missing(resume->session);
}

void session_resume_note_end(void *context, int fd, uint64_t end)
{
    struct session_resume *resume = context;
    struct resume_block *block = &resume->state.file.block;
    struct stat st;

    if (fstat(fd, &st))
        return;
    block->device = st.st_dev;
    block->inode = st.st_ino;
    block->end = end;
    block->pending = block->written + 1;
    resume_state_store(&resume->state, block, sizeof(*block));
}

/* Records that cannot be written are not kept either: the recorder ends. */
void session_resume_written(struct session_resume *resume, int error)
{
    struct resume_block *block = &resume->state.file.block;

    resume->freed_to = block->written + 1;
    if (error)
        return;
    resume->is_dirty = false;
    block->written++;
    block->pending = 0;
    resume_state_store(&resume->state, block, sizeof(*block));
    note_losses(resume);
    for (struct session_directory *d = resume->session->directories; d; d = d->next) {
        for (struct session_pool *pool = d->pools; pool; pool = pool->next)
            pool->lost_in_file = pool->lost;
    }
}

void session_resume_flush(struct cairn_session *session)
{
    if (!session->resume)
        return;
    session_fail(session, session_trace_write(session->trace));
}

void session_resume_end_poll(struct cairn_session *session)
{
    if (session->resume && session->resume->is_dirty &&
        !trace_file_copies_waiting(session_trace_copies(session->trace)))
        session_resume_written(session->resume, session->error);
}
