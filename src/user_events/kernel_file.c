/* SPDX-License-Identifier: MIT */
#include "user_events/kernel_file.h"

#include "user_events/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A descriptor's least number. The kernel's table of descriptors has 256 places then, not more. */
#define HIGH_NUMBER 200

/* The file: epoch << 32 | descriptor. 0: never opened; a descriptor of -1: closed under us. */
static _Atomic uint64_t the_file;

/* By what it is known. All openings are of one file, so it does not matter which wrote these. */
static _Atomic uint64_t the_device, the_inode;

static uint16_t epoch_of(uint64_t word)
{
    return (uint16_t)(word >> 32);
}

static uint64_t word_after(uint64_t word, int fd)
{
    uint64_t epoch = epoch_of(word) % UINT16_MAX + 1u; /* never 0 */

    return epoch << 32 | (uint32_t)fd;
}

/*
 * Why the last search failed, and when, so that of many registrations not each reads the mounts:
 * the hundredth of a second << 16 | the error. 0: it did not fail.
 */
static _Atomic uint64_t the_failure;

static uint64_t hundredths_now(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 100 + (uint64_t)now.tv_nsec / 10000000;
}

static void remember_failure(int err)
{
    atomic_store_explicit(&the_failure, hundredths_now() << 16 | (uint16_t)err,
                          memory_order_relaxed);
}

/* The error of a search just now; 0: there was none, and it is worth another. */
static int failure_just_now(void)
{
    uint64_t failure = atomic_load_explicit(&the_failure, memory_order_relaxed);

    return failure >> 16 == hundredths_now() ? (uint16_t)failure : 0;
}

struct search {
    char *folder;
    int fd;
    int error;
};

/* Of several errors the first is kept, yet ENOENT is the one to know: that kernel has none. */
static bool try_folder(const char *folder, void *context)
{
    static const char name[] = "/user_events_data";
    struct search *search = context;
    char path[PATH_MAX + sizeof(name)];
    int err;

    snprintf(path, sizeof(path), "%s%s", folder, name);
    search->fd = open(path, O_WRONLY | O_CLOEXEC);
    err = search->fd < 0 ? errno : 0;
    if (err == ENOENT && access(folder, F_OK) < 0)
        return false; /* something else is mounted over it */
    if (!err || err == ENOENT || search->error == ENODEV) {
        search->error = err;
        snprintf(search->folder, PATH_MAX, "%s", folder);
    }
    return !err;
}

int cairn_kernel_file_find(FILE *mounts, char ret_folder[PATH_MAX], int *ret_fd)
{
    struct search search = {.folder = ret_folder, .fd = -1, .error = ENODEV};
    int err;

    ret_folder[0] = '\0';
    err = cairn_tracefs_each(mounts, try_folder, &search);
    if (!err)
        err = search.error;
    if (err)
        return err;
    *ret_fd = search.fd;
    return 0;
}

/*
 * Lifts a descriptor out of the program's way: programs close and use again the low numbers, and
 * count on getting them. Above those of standard input, output and error, where text would reach
 * it, in any case.
 */
static int lift(int *fd)
{
    int lifted = fcntl(*fd, F_DUPFD_CLOEXEC, HIGH_NUMBER);

    if (lifted < 0 && *fd > STDERR_FILENO)
        return 0; /* the limit is lower */
    if (lifted < 0)
        lifted = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (lifted < 0)
        return errno;
    close(*fd);
    *fd = lifted;
    return 0;
}

static int search_file(int *ret_fd)
{
    FILE *mounts = fopen("/proc/self/mounts", "re");
    char folder[PATH_MAX];
    struct stat stat;
    int fd = -1, err;

    err = mounts ? cairn_kernel_file_find(mounts, folder, &fd) : errno;
    if (!err)
        err = lift(&fd);
    if (!err && fstat(fd, &stat) < 0)
        err = errno;
    if (mounts)
        fclose(mounts);
    if (err) {
        if (fd >= 0)
            close(fd);
        return err;
    }
    atomic_store_explicit(&the_device, stat.st_dev, memory_order_relaxed);
    atomic_store_explicit(&the_inode, stat.st_ino, memory_order_relaxed);
    *ret_fd = fd;
    return 0;
}

/* The file is not there, or not open to us; of the rest each search may end otherwise. */
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

    return fstat(fd, &stat) == 0 &&
           stat.st_dev == atomic_load_explicit(&the_device, memory_order_relaxed) &&
           stat.st_ino == atomic_load_explicit(&the_inode, memory_order_relaxed);
}

static struct cairn_kernel_file file_of(uint64_t word)
{
    return (struct cairn_kernel_file){.fd = (int)(uint32_t)word, .epoch = epoch_of(word)};
}

/* The file refuses a write of no bytes, which another one takes, or refuses for a reason of its
 * own. By syscall(): write() is a cancellation point. */
static bool refuses_nothing(int fd)
{
    return syscall(SYS_write, fd, NULL, (size_t)0) < 0 && errno == EFAULT;
}

/* No number is tried again until the next registration opens the file anew. */
static void give_up(uint64_t word)
{
    uint64_t closed = (uint64_t)epoch_of(word) << 32 | (uint32_t)-1;

    (void)atomic_compare_exchange_strong_explicit(&the_file, &word, closed, memory_order_relaxed,
                                                  memory_order_relaxed);
}

bool cairn_kernel_file_for_write(struct cairn_kernel_file *ret_file)
{
    uint64_t word = atomic_load_explicit(&the_file, memory_order_relaxed);
    struct cairn_kernel_file file = file_of(word);

    if (!file.epoch || file.fd < 0)
        return false;
    if (!refuses_nothing(file.fd)) {
        give_up(word);
        return false;
    }
    *ret_file = file;
    return true;
}

int cairn_kernel_file_get(struct cairn_kernel_file *ret_file)
{
    for (;;) {
        /* Pairs with the release below: device and inode before the descriptor. */
        uint64_t word = atomic_load_explicit(&the_file, memory_order_acquire);
        int fd, err;

        *ret_file = file_of(word);
        if (ret_file->epoch && ret_file->fd >= 0 && is_ours(ret_file->fd))
            return 0;
        err = open_file(&fd);
        if (err)
            return err;
        /* Pairs with the acquire above. */
        if (!atomic_compare_exchange_strong_explicit(&the_file, &word, word_after(word, fd),
                                                     memory_order_release, memory_order_relaxed))
            close(fd); /* another thread was faster: its opening is the one */
    }
}
