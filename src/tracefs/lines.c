/* SPDX-License-Identifier: MIT */
/* The buffer of lines: a ring of text in a file that all programs map. */
#include "tracefs/lines.h"
#include "engine/engine.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static struct tracefs_lines_file *mapped;

static int map_file(void)
{
    int fd = engine_directory_open(&engine_self.local.directory, "trace", O_RDWR | O_CREAT);
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

int tracefs_lines_open(const struct engine_session *session, struct tracefs_lines_file **ret_file)
{
    int error = mapped ? 0 : map_file();

    if (error)
        return error;
    if (mapped->magic != TRACEFS_LINES_MAGIC || mapped->session != session->generation) {
        memset(mapped, 0, offsetof(struct tracefs_lines_file, text));
        mapped->session = session->generation;
        mapped->magic = TRACEFS_LINES_MAGIC;
    }
    mapped->slot = session->slot;
    *ret_file = mapped;
    return 0;
}

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
size_t tracefs_lines_take(struct tracefs_lines_file *file, char *to, size_t size_bytes)
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
