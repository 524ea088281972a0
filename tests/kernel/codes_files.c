/* SPDX-License-Identifier: MIT */
/* Cases with files: opened in all ways, and all operations on a descriptor. */
#include "codes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define OF_KEPT "events/user_events/codes_kept/"

static const char *const paths[] = {
    "user_events_data",
    "user_events_status",
    "dynamic_events",
    OF_KEPT "enable",
    OF_KEPT "format",
    OF_KEPT "id",
    OF_KEPT "filter",
    "available_events",
    "set_event",
    "events/user_events/enable",
    "tracing_on",
    "error_log",
    "trace",
    "nothing_there",
    "events/user_events",
    OF_KEPT "nothing",
};

static const struct {
    const char *name;
    int flags;
} ways[] = {
    {"O_RDONLY", O_RDONLY},
    {"O_WRONLY", O_WRONLY},
    {"O_RDWR", O_RDWR},
    {"O_RDWR|O_APPEND", O_RDWR | O_APPEND},
    {"O_RDWR|O_NONBLOCK", O_RDWR | O_NONBLOCK},
    {"O_RDONLY|O_CREAT", O_RDONLY | O_CREAT},
    {"O_WRONLY|O_CREAT|O_EXCL", O_WRONLY | O_CREAT | O_EXCL},
    {"O_RDONLY|O_DIRECTORY", O_RDONLY | O_DIRECTORY},
    {"O_PATH", O_PATH},
    {"O_RDONLY|O_NOFOLLOW", O_RDONLY | O_NOFOLLOW},
    {"O_RDONLY|O_TRUNC", O_RDONLY | O_TRUNC},
    {"O_ACCMODE", O_ACCMODE},
};

static char buffer[64];

/* volatile: the compiler warns about these invalid values. */
static volatile int minus_one = -1;
static volatile size_t too_long = SIZE_MAX;

static ssize_t do_read(int fd)
{
    return read(fd, buffer, 0) < 0 ? -1 : 0;
}

static ssize_t do_read_some(int fd)
{
    return read(fd, buffer, sizeof(buffer)) < 0 ? -1 : 0;
}

static ssize_t do_read_nowhere(int fd)
{
    return read(fd, codes_memory()->gone, 16) < 0 ? -1 : 0;
}

static ssize_t do_pread(int fd)
{
    return pread(fd, buffer, sizeof(buffer), 0) < 0 ? -1 : 0;
}

static ssize_t do_readv(int fd)
{
    struct iovec part = {buffer, sizeof(buffer)};

    return readv(fd, &part, 1) < 0 ? -1 : 0;
}

static ssize_t do_write_nothing(int fd)
{
    return write(fd, buffer, 0);
}

static ssize_t do_writev_nothing(int fd)
{
    struct iovec parts[2] = {{buffer, 0}, {buffer, 0}};

    return writev(fd, parts, 2);
}

static ssize_t do_writev_of_none(int fd)
{
    return writev(fd, NULL, 0);
}

static ssize_t do_writev_of_minus_one(int fd)
{
    struct iovec part = {buffer, 4};

    return writev(fd, &part, minus_one);
}

static ssize_t do_writev_of_1025(int fd)
{
    static struct iovec parts[1025];

    return writev(fd, parts, 1025);
}

static ssize_t do_writev_of_gone(int fd)
{
    return writev(fd, (struct iovec *)codes_memory()->gone, 1);
}

static ssize_t do_writev_too_long(int fd)
{
    struct iovec part = {buffer, SIZE_MAX};

    return writev(fd, &part, 1);
}

static ssize_t do_write_too_long(int fd)
{
    return write(fd, buffer, too_long);
}

static ssize_t do_write_gone(int fd)
{
    return write(fd, codes_memory()->gone, 16);
}

static ssize_t do_write_short(int fd)
{
    return write(fd, "xyz", 3);
}

static ssize_t do_seek_set(int fd)
{
    return lseek(fd, 0, SEEK_SET);
}

static ssize_t do_seek_cur(int fd)
{
    return lseek(fd, 0, SEEK_CUR);
}

/* The size of a directory depends on the file system. */
static bool is_directory(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISDIR(st.st_mode);
}

static ssize_t do_seek_end(int fd)
{
    return is_directory(fd) ? 0 : lseek(fd, 0, SEEK_END);
}

static ssize_t do_seek_back(int fd)
{
    return lseek(fd, -1, SEEK_SET);
}

static ssize_t do_seek_oddly(int fd)
{
    return lseek(fd, 0, 99);
}

static ssize_t do_map(int fd)
{
    void *memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    if (memory != MAP_FAILED)
        munmap(memory, 4096);
    return memory == MAP_FAILED ? -1 : 0;
}

static ssize_t do_unknown_ioctl(int fd)
{
    return ioctl(fd, _IOW('*', 77, char *), buffer);
}

static ssize_t do_ioctl_of_terminals(int fd)
{
    struct termios terminal;

    return tcgetattr(fd, &terminal);
}

static ssize_t do_nonblocking_ioctl(int fd)
{
    int on = 0;

    return ioctl(fd, FIONBIO, &on);
}

/* Directories have access rights of their own. */
static ssize_t do_fstat(int fd)
{
    struct stat st;

    if (fstat(fd, &st))
        return -1;
    return (ssize_t)(st.st_mode & (S_ISDIR(st.st_mode) ? (mode_t)S_IFMT : (S_IFMT | 07777)));
}

static ssize_t do_get_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 ? -1 : flags & (O_ACCMODE | O_APPEND | O_NONBLOCK);
}

static ssize_t do_dup(int fd)
{
    int other = dup(fd);

    close(other);
    return other < 0 ? -1 : 0;
}

static const struct {
    const char *name;
    ssize_t (*call)(int fd);
} calls[] = {
    {"read of nothing", do_read},
    {"read", do_read_some},
    {"read into nothing", do_read_nowhere},
    {"pread", do_pread},
    {"readv", do_readv},
    {"write of nothing", do_write_nothing},
    {"writev of nothing", do_writev_nothing},
    {"writev of no parts", do_writev_of_none},
    {"writev of -1 parts", do_writev_of_minus_one},
    {"writev of 1025 parts", do_writev_of_1025},
    {"writev of parts that are not there", do_writev_of_gone},
    {"writev of a part too long", do_writev_too_long},
    {"write of more than there can be", do_write_too_long},
    {"write of what is not there", do_write_gone},
    {"write of three bytes", do_write_short},
    {"lseek to the beginning", do_seek_set},
    {"lseek to nowhere else", do_seek_cur},
    {"lseek to the end", do_seek_end},
    {"lseek to before the beginning", do_seek_back},
    {"lseek of no known kind", do_seek_oddly},
    {"mmap", do_map},
    {"an unknown ioctl", do_unknown_ioctl},
    {"an ioctl of terminals", do_ioctl_of_terminals},
    {"an ioctl of all files", do_nonblocking_ioctl},
    {"fstat", do_fstat},
    {"fcntl(F_GETFL)", do_get_flags},
    {"dup", do_dup},
};

static void say(const char *what, bool tried, ssize_t result, const char *row)
{
    char code[32];

    (void)snprintf(code, sizeof(code), "%zd", result);
    codes_say("file", what, !tried ? CODES_NOT_TRIED : result < 0 ? codes_name(errno) : code, row);
}

static const char *row_of(const char *path, const char *call)
{
    return !strcmp(path, "user_events_status") && !strcmp(call, "mmap") ? "mapping the status page"
                                                                        : NULL;
}

static void try_calls(const char *path, const char *way, int flags)
{
    char whole[128], what[256];

    (void)snprintf(whole, sizeof(whole), TRACING "/%s", path);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        int fd = open(whole, flags | O_CLOEXEC, 0600);

        (void)snprintf(what, sizeof(what), "%s, %s", path, way);
        if (i == 0)
            say(what, true, fd < 0 ? -1 : 0, NULL);
        (void)snprintf(what, sizeof(what), "%s, %s, %s", path, way, calls[i].name);
        say(what, fd >= 0, fd < 0 ? 0 : calls[i].call(fd), row_of(path, calls[i].name));
        close(fd);
    }
}

static void try_stream(const char *path, const char *mode)
{
    char whole[128], what[256];
    FILE *file;

    (void)snprintf(whole, sizeof(whole), TRACING "/%s", path);
    (void)snprintf(what, sizeof(what), "%s, fopen %s", path, mode);
    file = fopen(whole, mode);
    say(what, true, file ? 0 : -1, NULL);
    (void)snprintf(what, sizeof(what), "%s, fopen %s, fseek", path, mode);
    say(what, file != NULL, file && !is_directory(fileno(file)) ? fseek(file, 0, SEEK_END) : 0,
        NULL);
    if (file)
        fclose(file);
}

void codes_files(const struct codes_side *side)
{
    static const char *const modes[] = {"r", "r+", "w", "a", "wx"};
    struct codes_event busy; /* registered so that O_TRUNC finds an event */

    codes_prepare(&busy, "codes_kept u32 a");
    codes_check(!side->add(&busy, 0), "registering");
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        for (size_t j = 0; j < sizeof(ways) / sizeof(*ways); j++)
            try_calls(paths[i], ways[j].name, ways[j].flags);
        for (size_t j = 0; j < sizeof(modes) / sizeof(*modes); j++)
            try_stream(paths[i], modes[j]);
    }
    codes_check(!side->remove(&busy), "unregistering");
}
