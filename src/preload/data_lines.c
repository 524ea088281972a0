/* SPDX-License-Identifier: MIT */
/* The memory file of an opening: one line for each of its uses. */
#include "preload/data_lines.h"
#include "engine/engine.h"
#include "tracefs/memory.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* A line of the memory file. */
struct line {
    uint32_t flags; /* of enum engine_entry_flag */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* Takes over what others, who have the same opening, have registered meanwhile. */
static void read_lines(struct tracefs_data *data, int fd)
{
    struct line line;

    while (data->count < ENGINE_EVENT_MAX &&
           pread(fd, &line, sizeof(line), (off_t)(data->count * sizeof(line))) ==
               (ssize_t)sizeof(line)) {
        struct tracefs_use *use = NULL;

        line.command[sizeof(line.command) - 1] = 0;
        (void)tracefs_use_take(line.command, line.flags, &use);
        tracefs_data_put(data, use);
    }
}

int preload_data_lines_take(struct tracefs_data **data, int fd)
{
    if (!*data)
        *data = tracefs_memory_take(sizeof(**data));
    if (!*data)
        return ENOMEM;
    (*data)->count = 0;
    read_lines(*data, fd);
    return 0;
}

/* An opening of the lines to append to: the program's own cannot be written to. It has a lock, as
 * other processes may append lines to the same file. */
static int open_lines(int fd, int *ret_writer)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char link[32];
    int writer;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    writer = open(link, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (writer < 0)
        return errno;
    if (fcntl(writer, F_OFD_SETLKW, &lock)) {
        int error = errno;

        close(writer);
        return error;
    }
    *ret_writer = writer;
    return 0;
}

static int append_line(int writer, const char *command, uint32_t flags)
{
    struct line line = {.flags = flags};

    (void)snprintf(line.command, sizeof(line.command), "%s", command);
    return write(writer, &line, sizeof(line)) == (ssize_t)sizeof(line) ? 0 : ENOMEM;
}

int tracefs_transport_add_use(struct tracefs_data *data, int fd, struct tracefs_use *use,
                              uint32_t flags, uint32_t *ret_index)
{
    int writer = -1;
    int error = open_lines(fd, &writer);
    bool is_known;

    if (!error)
        read_lines(data, fd);
    is_known = !error && tracefs_data_find_index(data, use, ret_index);
    if (!error && !is_known)
        error = data->count == ENGINE_EVENT_MAX ? EMFILE : append_line(writer, use->command, flags);
    if (error || is_known) {
        tracefs_use_release(use);
    } else {
        *ret_index = data->count;
        tracefs_data_put(data, use);
    }
    if (writer >= 0)
        close(writer);
    return error;
}

/* Another process, with the same opening, may have registered it. */
struct tracefs_use *preload_data_lines_find(struct tracefs_data *data, int fd, uint32_t index)
{
    struct tracefs_use *use;
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    engine_check_process();
    read_lines(data, fd);
    use = index < data->count ? data->uses[index] : NULL;
    engine_unlock(&lock_state);
    return use;
}
