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

static bool read_line(struct tracefs_data *data, int fd, uint32_t index)
{
    struct tracefs_use *use = NULL;
    struct line line;

    if (pread(fd, &line, sizeof(line), (off_t)(index * sizeof(line))) != (ssize_t)sizeof(line))
        return false;
    line.command[sizeof(line.command) - 1] = 0;
    if (*line.command)
        (void)tracefs_use_take(line.command, line.flags, &use);
    tracefs_data_put(data, use, index);
    return true;
}

/* Takes over what others, who have the same opening, have registered meanwhile. */
static void read_lines(struct tracefs_data *data, int fd)
{
    while (data->count < ENGINE_EVENT_MAX && read_line(data, fd, data->count))
        ;
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

/* An opening of the lines to add to: the program's own cannot be written to. It has a lock, as
 * other processes may add lines to the same file. */
static int open_lines(int fd, int *ret_writer)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char link[32];
    int writer;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    writer = open(link, O_WRONLY | O_CLOEXEC);
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

/* Lines that are left out are zeros: of no event. */
static int write_line(int writer, uint32_t index, const char *command, uint32_t flags)
{
    struct line line = {.flags = flags};

    (void)snprintf(line.command, sizeof(line.command), "%s", command);
    return pwrite(writer, &line, sizeof(line), (off_t)(index * sizeof(line))) ==
                   (ssize_t)sizeof(line)
               ? 0
               : ENOMEM;
}

int tracefs_transport_add_use(struct tracefs_data *data, int fd, struct tracefs_use *use,
                              uint32_t flags, enum tracefs_data_position position,
                              uint32_t *ret_index)
{
    int writer = -1;
    int error = open_lines(fd, &writer);
    bool is_known;

    if (!error)
        read_lines(data, fd);
    is_known = !error && tracefs_data_find_index(data, use, ret_index);
    if (!error && !is_known)
        error = tracefs_data_choose(data, use, position, ret_index);
    if (!error && !is_known)
        error = write_line(writer, *ret_index, use->command, flags);
    if (error || is_known)
        tracefs_use_release(use);
    else
        tracefs_data_put(data, use, *ret_index);
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
    use = tracefs_data_use(data, index);
    if (!use && index < data->count && read_line(data, fd, index)) /* it was left out before */
        use = tracefs_data_use(data, index);
    engine_unlock(&lock_state);
    return use;
}
