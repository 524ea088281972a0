/* SPDX-License-Identifier: MIT */
/* The session of events that are enabled by tracefs, and its text: a ring in a file that all
 * programs map. */
#include "tracefs/text_session.h"
#include "engine/engine.h"
#include "os/file.h"
#include "os/memory.h"
#include "tracefs/event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct engine_session session; /* generation 0: not joined yet */

static struct tracefs_lines_file *mapped;

/* ---- the buffer ---- */

/* Bytes of text; a process that damaged the file has emptied it. */
static size_t length_of(const struct tracefs_lines_file *file)
{
    uint64_t length = file->written - file->taken;

    return length <= TRACEFS_LINES_BYTES ? (size_t)length : 0;
}

static char byte_at(const struct tracefs_lines_file *file, uint64_t at)
{
    return file->text[at % TRACEFS_LINES_BYTES];
}

/* Drops the oldest line. */
static void drop_line(struct tracefs_lines_file *file)
{
    uint64_t at = file->taken;

    while (at != file->written && byte_at(file, at) != '\n')
        at++;
    file->taken = at == file->written ? at : at + 1;
}

void tracefs_lines_add(struct tracefs_lines_file *file, const char *line, size_t size_bytes)
{
    if (!length_of(file))
        file->taken = file->written;
    while (TRACEFS_LINES_BYTES - length_of(file) < size_bytes)
        drop_line(file);
    for (size_t i = 0; i < size_bytes; i++)
        file->text[(file->written + i) % TRACEFS_LINES_BYTES] = line[i];
    file->written += size_bytes;
    file->entries++;
}

uint64_t tracefs_lines_count(const struct tracefs_lines_file *file)
{
    uint64_t count = 0;

    for (size_t i = 0; i < length_of(file); i++)
        count += byte_at(file, file->taken + i) == '\n';
    return count;
}

/* The ring ends at the end of its memory, and continues at the beginning. */
void tracefs_lines_print(const struct tracefs_lines_file *file, struct engine_output *output)
{
    size_t begin = file->taken % TRACEFS_LINES_BYTES;
    size_t length = length_of(file);
    size_t first = TRACEFS_LINES_BYTES - begin < length ? TRACEFS_LINES_BYTES - begin : length;

    engine_output_write(output, file->text + begin, first);
    engine_output_write(output, file->text, length - first);
}

/* A line is shorter than the requested size. */
static size_t take_lines(struct tracefs_lines_file *file, char *to, size_t size_bytes)
{
    size_t length = length_of(file);
    size_t size = length < size_bytes ? length : size_bytes;

    for (size_t i = 0; i < size; i++)
        to[i] = byte_at(file, file->taken + i);
    while (size > 0 && to[size - 1] != '\n')
        size--;
    file->taken += size;
    return size;
}

/* ---- the session ---- */

void tracefs_text_session_hold(int liveness_fd)
{
    struct statfs fs;

    (void)mmap(NULL, ENGINE_PAGE_BYTES, PROT_READ, MAP_SHARED, liveness_fd, 0);
    if (fstatfs(liveness_fd, &fs) || fs.f_type != OVERLAYFS_SUPER_MAGIC)
        (void)close(liveness_fd);
}

static int join(void)
{
    int error = engine_attach();

    if (error || (session.generation &&
                  engine_self.local.slots[session.slot].generation == session.generation))
        return error;
    error = engine_session_share(&engine_self.local, &session);
    if (!error)
        tracefs_text_session_hold(session.liveness_fd);
    return error;
}

static int map_file(void)
{
    int fd = engine_directory_open(&engine_self.local.directory, "lines", O_RDWR | O_CREAT);
    void *memory;
    int error = fd < 0 ? errno : os_file_back(fd, 0, sizeof(*mapped));

    if (!error)
        error = os_memory_map(fd, 0, sizeof(*mapped), &memory);
    if (fd >= 0)
        close(fd);
    if (!error)
        mapped = memory;
    return error;
}

/* Maps the file for the session; empties it if it was another's. */
static int open_lines(struct tracefs_lines_file **ret_file)
{
    int error = mapped ? 0 : map_file();

    if (error)
        return error;
    if (mapped->magic != TRACEFS_LINES_MAGIC || mapped->session != session.generation) {
        memset(mapped, 0, offsetof(struct tracefs_lines_file, text));
        mapped->session = session.generation;
        mapped->magic = TRACEFS_LINES_MAGIC;
    }
    mapped->slot = session.slot;
    *ret_file = mapped;
    return 0;
}

int tracefs_text_session_lock(struct tracefs_lines_file **ret_file)
{
    int error = join();

    if (!error)
        error = engine_registry_lock(&engine_self.local);
    if (error)
        return error;
    error = open_lines(ret_file);
    if (error)
        engine_registry_unlock(&engine_self.local);
    return error;
}

int tracefs_text_session_choose(uint64_t event, bool wanted)
{
    const uint32_t index = engine_sample_index(event);
    struct tracefs_lines_file *file;
    int error = tracefs_text_session_lock(&file);
    bool is_chosen;

    if (error)
        return error;
    if (!tracefs_event_is_there(event)) {
        engine_registry_unlock(&engine_self.local);
        return ENODEV;
    }
    is_chosen = engine_self.local.entries[index].sessions >> session.slot & 1;
    /* Before the event may be removed: its fields are unknown after that. */
    if (is_chosen && !wanted)
        tracefs_lines_drain(file);
    if (is_chosen != wanted)
        engine_session_choose(&engine_self.local, session.slot, index, wanted);
    engine_registry_unlock(&engine_self.local);
    return 0;
}

size_t tracefs_text_session_take(char *to, size_t size_bytes)
{
    struct tracefs_lines_file *file;
    size_t size;

    if (tracefs_text_session_lock(&file))
        return 0;
    tracefs_lines_drain(file);
    size = take_lines(file, to, size_bytes);
    engine_registry_unlock(&engine_self.local);
    return size;
}

bool tracefs_text_session_drain_ours(void)
{
    for (uint64_t slots = engine_session_shared(&engine_self.local); slots; slots &= slots - 1) {
        if (engine_has_written((uint32_t)__builtin_ctzll(slots))) {
            (void)tracefs_text_session_take(NULL, 0);
            return true;
        }
    }
    return false;
}
