/* SPDX-License-Identifier: MIT */
/* Programs by their address spaces, and access to their memory from outside. */
#include "run/programs.h"
#include "engine/clock.h"
#include "run/pages.h"
#include "run/process.h"
#include "tracefs/enabler.h"
#include "tracefs/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRIES_MAX    3          /* to set a bit that the program overwrites */
#define PIDS_MAX     (4u << 20) /* of the kernel's numbers of processes */
#define LOOKED_AT_NS UINT64_C(1000000000)

struct run_program {
    struct tracefs_program program; /* the first: a pointer to one is a pointer to both */
    struct run_program *next;
    uint32_t pid;                     /* of the process */
    uint32_t tid;                     /* that called last: the first thread may have ended */
    uint8_t origin[RUN_ORIGIN_BYTES]; /* zeros: not known */
    int pages;                        /* of run_pages_open */
    int memory; /* an opening of /proc/PID/mem: of this address space, whatever the process does */
};

static struct run_program *programs;

static const struct run_program *run_program(const struct tracefs_program *program)
{
    return (const struct run_program *)(const void *)program;
}

/* ---- which programs there are ---- */

/* An address space that has no process any more cannot be read at any address. */
static bool is_alive(const struct run_program *program)
{
    uint8_t byte;

    return pread(program->memory, &byte, sizeof(byte), 0) != 0;
}

static void drop(struct run_program **link)
{
    struct run_program *program = *link;

    *link = program->next;
    tracefs_enabler_drop(&program->program);
    close(program->memory);
    if (program->pages >= 0)
        close(program->pages);
    free(program);
}

static bool is_new(uint32_t pid)
{
    for (const struct run_program *program = programs; program; program = program->next) {
        if (program->pid == pid && is_alive(program))
            return false;
    }
    return true;
}

/* ---- making ---- */

static int open_memory(uint32_t pid, int *ret_memory)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "/proc/%u/mem", pid);
    *ret_memory = open(path, O_RDWR | O_CLOEXEC);
    if (*ret_memory >= 0)
        return 0;
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : EPERM;
}

static int add(uint32_t pid, uint32_t tid, int memory, const uint8_t origin[RUN_ORIGIN_BYTES],
               struct run_program **ret_program)
{
    struct run_program *program = calloc(1, sizeof(*program));

    if (!program)
        return ENOMEM;
    program->pid = pid;
    program->tid = tid;
    program->memory = memory;
    program->pages = run_pages_open(tid);
    memcpy(program->origin, origin, RUN_ORIGIN_BYTES);
    program->next = programs;
    programs = program;
    *ret_program = program;
    return 0;
}

/* A program that a process was forked from: its parent if it is known, otherwise any with the same
 * origin, as the parent may have ended. */
static struct run_program *find_relative(uint32_t parent, const uint8_t origin[RUN_ORIGIN_BYTES])
{
    struct run_program *found = NULL;

    for (struct run_program *program = programs; program; program = program->next) {
        if (memcmp(program->origin, origin, RUN_ORIGIN_BYTES) != 0)
            continue;
        if (!found || program->pid == parent)
            found = program;
    }
    return found;
}

/* The numbers of a program that has ended may be others' now. */
static bool is_sharing(const struct run_program *program, uint32_t pid)
{
    return is_alive(program) && (run_process_shares_memory(program->pid, pid) ||
                                 run_process_shares_memory(program->tid, pid));
}

static struct run_program *find_sharing(uint32_t pid, const uint8_t origin[RUN_ORIGIN_BYTES])
{
    struct run_program *program = programs;

    while (program &&
           (memcmp(program->origin, origin, RUN_ORIGIN_BYTES) != 0 || !is_sharing(program, pid)))
        program = program->next;
    return program;
}

/* The first of the processes that share an address space: a child of vfork ends before its parent.
 */
static uint32_t find_first_sharing(uint32_t pid)
{
    uint64_t until_ns;
    uint32_t parent;

    while (run_process_start(pid, &parent, &until_ns) && parent &&
           run_process_shares_memory(parent, pid))
        pid = parent;
    return pid;
}

/* A forked child has the words of its parent. A child that shares memory is no other program. */
static int make(uint32_t pid, uint32_t tid, bool only_children, struct run_program **ret_program)
{
    uint8_t origin[RUN_ORIGIN_BYTES] = {0};
    struct run_program *relative = NULL;
    uint64_t until_ns = 0;
    uint32_t parent;
    int memory;
    int error = open_memory(tid, &memory);

    if (error)
        return error;
    if (run_process_origin(tid, memory, origin)) {
        *ret_program = find_sharing(pid, origin);
        if (*ret_program) {
            close(memory);
            return 0;
        }
        pid = find_first_sharing(pid);
        if (run_process_start(pid, &parent, &until_ns))
            relative = find_relative(parent, origin);
    }
    error = !relative && only_children ? ENOENT : add(pid, tid, memory, origin, ret_program);
    if (error)
        close(memory);
    else if (relative)
        tracefs_enabler_copy(&relative->program, &(*ret_program)->program, until_ns);
    return error;
}

int run_program_of(uint32_t tid, struct tracefs_program **ret_program)
{
    uint32_t pid = tid ? run_process_of(tid) : 0;
    struct run_program *program = programs;
    int error;

    if (!pid)
        return EPERM;
    while (program && (program->pid != pid || !is_alive(program)))
        program = program->next;
    error = program ? 0 : make(pid, tid, false, &program);
    if (error)
        return error;
    program->tid = tid;
    *ret_program = &program->program;
    return 0;
}

/* ---- children, and the dead ---- */

static bool any_has_words(void)
{
    for (const struct run_program *program = programs; program; program = program->next) {
        if (tracefs_enabler_has(&program->program))
            return true;
    }
    return false;
}

/*
 * A process is not examined again: its origin only changes to one that no other has. After a second
 * it is, because numbers are reused.
 */
static bool is_looked_at(uint32_t pid)
{
    static uint8_t looked_at[PIDS_MAX / 8];
    static uint64_t begun_ns;
    uint64_t now_ns = os_clock_ns();
    bool is_set;

    if (now_ns - begun_ns > LOOKED_AT_NS) {
        memset(looked_at, 0, sizeof(looked_at));
        begun_ns = now_ns;
    }
    if (pid >= PIDS_MAX)
        return false;
    is_set = looked_at[pid / 8] >> pid % 8 & 1;
    looked_at[pid / 8] |= (uint8_t)(1u << pid % 8);
    return is_set;
}

/* A child of a child may be examined before the child: it has the same origin. */
void run_programs_find_children(void)
{
    DIR *processes = any_has_words() ? opendir("/proc") : NULL;

    for (struct dirent *item; processes && (item = readdir(processes));) {
        uint32_t pid = (uint32_t)strtoul(item->d_name, NULL, 10);
        struct run_program *program;

        if (pid && pid != (uint32_t)getpid() && !is_looked_at(pid) && is_new(pid))
            (void)make(pid, pid, true, &program);
    }
    if (processes)
        (void)closedir(processes);
}

/* Finds children of processes that have ended first: their words are unknown afterwards. */
void run_programs_sweep(void)
{
    struct run_program **link = &programs;
    bool any_dead = false;

    for (const struct run_program *program = programs; program; program = program->next)
        any_dead |= !is_alive(program);
    if (any_dead)
        run_programs_find_children();
    while (any_dead && *link) {
        if (is_alive(*link))
            link = &(*link)->next;
        else
            drop(link);
    }
}

/* ---- their memory ---- */

static bool are_readable(const struct tracefs_program *program, const struct iovec *parts,
                         int count)
{
    const struct run_program *other = run_program(program);

    for (int i = 0; i < count; i++) {
        if (!run_pages_can_be_read(other->pages, other->tid, (uintptr_t)parts[i].iov_base,
                                   parts[i].iov_len))
            return false;
    }
    return true;
}

/* Without a program, the memory is this process's: the written bytes, as the kernel has passed
 * them. */
int tracefs_memory_gather(const struct tracefs_program *program, void *to, size_t size_bytes,
                          const struct iovec *parts, int count, size_t *ret_size)
{
    struct iovec ours = {to, size_bytes};
    ssize_t size;

    if (program && !are_readable(program, parts, count))
        return EFAULT;
    size = program ? process_vm_readv((pid_t)run_program(program)->tid, &ours, 1, parts,
                                      (unsigned long)count, 0)
                   : (ssize_t)tracefs_memory_copy_parts(to, size_bytes, parts, count);

    if (size < 0)
        return errno == EPERM ? EPERM : EFAULT;
    *ret_size = (size_t)size;
    return 0;
}

int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes)
{
    struct iovec ours = {(void *)(uintptr_t)from, size_bytes};
    struct iovec theirs = {(void *)(uintptr_t)to, size_bytes};

    if (!are_readable(program, &theirs, 1) ||
        process_vm_writev((pid_t)run_program(program)->tid, &ours, 1, &theirs, 1, 0) !=
            (ssize_t)size_bytes)
        return EFAULT;
    return 0;
}

/*
 * By the number of the process the kernel respects the protection of the page. The number is the
 * program's: it was alive a moment ago. If its first thread has ended, or another process has
 * taken over its memory, the opening remains, which ignores that protection.
 */
static int write_byte(const struct run_program *program, uint64_t address, uint8_t byte)
{
    struct iovec ours = {&byte, sizeof(byte)};
    struct iovec theirs = {(void *)(uintptr_t)address, sizeof(byte)};

    if (process_vm_writev((pid_t)program->pid, &ours, 1, &theirs, 1, 0) == 1)
        return 0;
    if (errno == ESRCH && pwrite(program->memory, &byte, sizeof(byte), (off_t)address) == 1)
        return 0;
    return EFAULT;
}

int tracefs_memory_set_bit(const struct tracefs_program *program, uint64_t address,
                           uint32_t word_bytes, uint32_t bit, int value)
{
    const struct run_program *other = run_program(program);
    uint32_t byte_of = bit / 8;
    uint8_t mask = (uint8_t)(1u << bit % 8);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    byte_of = word_bytes - 1 - byte_of;
#else
    (void)word_bytes;
#endif
    address += byte_of;
    if (!run_pages_can_be_read(other->pages, other->tid, address, 1))
        return EFAULT;
    for (int i = 0; i < TRIES_MAX; i++) {
        uint8_t byte;
        int error;

        if (pread(other->memory, &byte, sizeof(byte), (off_t)address) != sizeof(byte))
            return EFAULT;
        if (!(byte & mask) == !value && i)
            return 0;
        error = write_byte(other, address, value ? byte | mask : byte & (uint8_t)~mask);
        if (error)
            return error;
    }
    return 0;
}
