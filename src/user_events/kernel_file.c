/* SPDX-License-Identifier: MIT */
/* The one open user_events_data of the process: finds, opens and checks it. */
#include "user_events/kernel_file.h"

#include "core/atomic.h"
#include "os/file.h"
#include "user_events/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The least number of the descriptor: programs close low numbers, use them again, and rely on
 * getting them. With this number the kernel's table of descriptors has 256
 * entries, not more. */
#define HIGH_NUMBER 200

/* epoch << 32 | descriptor. 0: never opened; a descriptor of -1: another file has the number. */
static uint64_t the_file;

/* Device and inode identify the file. All openings are of the same file, so any of them may write
 * these. */
static uint64_t the_device, the_inode;

static uint16_t epoch_of(uint64_t word)
{
    return (uint16_t)(word >> 32);
}

static uint64_t word_after(uint64_t word, int fd)
{
    uint64_t epoch = epoch_of(word) % UINT16_MAX + 1u; /* never 0 */

    return epoch << 32 | (uint32_t)fd;
}

/* The error and the time of the last failed search, so that many registrations in a row do not all
 * read the mounts: the hundredth of a second << 16 | the error. 0: no search failed. */
static uint64_t the_failure;

static uint64_t hundredths_now(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 100 + (uint64_t)now.tv_nsec / 10000000;
}

static void remember_failure(int err)
{
    core_store_relaxed(&the_failure, hundredths_now() << 16 | (uint16_t)err);
}

/* The error of a search in this hundredth of a second; 0: there was none, so search. */
static int failure_just_now(void)
{
    uint64_t failure = core_load_relaxed(&the_failure);

    return failure >> 16 == hundredths_now() ? (uint16_t)failure : 0;
}

struct kernel_file_search {
    char *directory;
    int fd;
    int error;
};

/* The first of several errors is kept, except that ENOENT always replaces it: no user_events. */
static bool try_directory(const char *directory, void *context)
{
    static const char name[] = "/user_events_data";
    struct kernel_file_search *search = context;
    char path[PATH_MAX + sizeof(name)];
    int err;

    snprintf(path, sizeof(path), "%s%s", directory, name);
    search->fd = open(path, O_WRONLY | O_CLOEXEC);
    err = search->fd < 0 ? errno : 0;
    if (err == ENOENT && access(directory, F_OK) < 0)
        return false; /* another file system is mounted over it */
    if (!err || err == ENOENT || search->error == ENODEV) {
        search->error = err;
        snprintf(search->directory, PATH_MAX, "%s", directory);
    }
    return !err;
}

int user_events_kernel_file_find(FILE *mounts, char ret_directory[PATH_MAX], int *ret_fd)
{
    struct kernel_file_search search = {.directory = ret_directory, .fd = -1, .error = ENODEV};
    int err;

    ret_directory[0] = '\0';
    err = user_events_tracefs_each(mounts, try_directory, &search);
    if (!err)
        err = search.error;
    if (err)
        return err;
    *ret_fd = search.fd;
    return 0;
}

static int search_file(int *ret_fd)
{
    FILE *mounts = fopen("/proc/self/mounts", "re");
    char directory[PATH_MAX];
    struct stat stat;
    int fd = -1, err;

    err = mounts ? user_events_kernel_file_find(mounts, directory, &fd) : errno;
    if (!err)
        err = os_file_lift(&fd, HIGH_NUMBER);
    if (!err && fstat(fd, &stat) < 0)
        err = errno;
    if (mounts)
        fclose(mounts);
    if (err) {
        if (fd >= 0)
            close(fd);
        return err;
    }
    core_store_relaxed(&the_device, stat.st_dev);
    core_store_relaxed(&the_inode, stat.st_ino);
    *ret_fd = fd;
    return 0;
}

/* The file does not exist, or this user has no access. A new search after another error may
 * succeed. */
static bool is_lasting(int err)
{
    return err == ENODEV || err == ENOENT || err == EACCES || err == EPERM;
}

static int open_file(int *ret_fd)
{
    int err = failure_just_now();

    if (err)
        return err;
    err = search_file(ret_fd);
    if (is_lasting(err))
        remember_failure(err);
    return err;
}

static bool is_ours(int fd)
{
    struct stat stat;

    return fstat(fd, &stat) == 0 && stat.st_dev == core_load_relaxed(&the_device) &&
           stat.st_ino == core_load_relaxed(&the_inode);
}

static struct user_events_kernel_file file_of(uint64_t word)
{
    return (struct user_events_kernel_file){.fd = (int)(uint32_t)word, .epoch = epoch_of(word)};
}

/* Only this file refuses a write of zero bytes with EFAULT. By syscall(), since write() is a
 * cancellation point. */
static bool refuses_nothing(int fd)
{
    return syscall(SYS_write, fd, NULL, (size_t)0) < 0 && errno == EFAULT;
}

/* Writers do not try the number again until the next registration reopens the file. */
static void give_up(uint64_t word)
{
    uint64_t closed = (uint64_t)epoch_of(word) << 32 | (uint32_t)-1;

    (void)core_compare_exchange_relaxed(&the_file, &word, closed);
}

bool user_events_kernel_file_for_write(struct user_events_kernel_file *ret_file)
{
    uint64_t word = core_load_relaxed(&the_file);
    struct user_events_kernel_file file = file_of(word);

    if (!file.epoch || file.fd < 0)
        return false;
    if (!refuses_nothing(file.fd)) {
        give_up(word);
        return false;
    }
    *ret_file = file;
    return true;
}

int user_events_kernel_file_get(struct user_events_kernel_file *ret_file)
{
    for (;;) {
        /* Pairs with the release below: device and inode are visible before the descriptor. */
        uint64_t word = core_load_acquire(&the_file);
        int fd, err;

        *ret_file = file_of(word);
        if (ret_file->epoch && ret_file->fd >= 0 && is_ours(ret_file->fd))
            return 0;
        err = open_file(&fd);
        if (err)
            return err;
        /* Pairs with the acquire above. */
        if (!core_compare_exchange_release(&the_file, &word, word_after(word, fd)))
            close(fd); /* another thread was faster: use the descriptor that it opened */
    }
}
