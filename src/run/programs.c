/* SPDX-License-Identifier: MIT */
/* The programs with enable words, and access to their memory from this process. */
#include "run/programs.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "os/process.h"
#include "run/process.h"
#include "tracefs/enabler.h"
#include "tracefs/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRIES_MAX  3          /* to set a bit that the program overwrites */
#define PIDS_MAX   (4u << 20) /* the kernel's limit of process ids */
#define SCANNED_NS UINT64_C(1000000000)

struct tracefs_program {
    struct tracefs_program *next;
    uint32_t pid; /* of the process */
    uint32_t tid; /* of the last caller: the first thread may have ended */
    bool has_origin;
    uint8_t origin[RUN_ORIGIN_BYTES];
    bool is_dead;
    int pages;  /* /proc/PID/pagemap; -1: it cannot be opened */
    int memory; /* /proc/PID/mem, opened: of this address space, also after an exec */
};

static struct tracefs_program *programs;

/* ---- one program ---- */

/* Reading from an address space without processes returns 0 bytes at any address. */
static bool is_alive(const struct tracefs_program *program)
{
    uint8_t byte;

    return pread(program->memory, &byte, sizeof(byte), 0) != 0;
}

static void discard(struct tracefs_program *program)
{
    close(program->memory);
    if (program->pages >= 0)
        close(program->pages);
    free(program);
}

/* Opens the memory of a thread. Returns 0; ENOENT it is not of an origin, which may be NULL: any.
 */
static int open_memory(uint32_t tid, const uint8_t *origin, int *ret_memory)
{
    uint8_t found[RUN_ORIGIN_BYTES];

    *ret_memory = run_process_open(tid, "mem", O_RDWR);
    if (*ret_memory < 0)
        return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? errno : EPERM;
    if (!origin ||
        (run_process_origin(tid, *ret_memory, found) && !memcmp(found, origin, RUN_ORIGIN_BYTES)))
        return 0;
    close(*ret_memory);
    return ENOENT;
}

/* A program that is not in the list. Called by any thread, without the lock. */
static int examine(uint32_t pid, uint32_t tid, struct tracefs_program **ret_program)
{
    struct tracefs_program *program = calloc(1, sizeof(*program));
    int error = program ? open_memory(tid, NULL, &program->memory) : ENOMEM;

    if (error) {
        free(program);
        return error;
    }
    program->pid = pid;
    program->tid = tid;
    program->pages = -1;
    program->has_origin = run_process_origin(tid, program->memory, program->origin);
    *ret_program = program;
    return 0;
}

static bool is_of_origin(const struct tracefs_program *program,
                         const uint8_t origin[RUN_ORIGIN_BYTES])
{
    return program->has_origin && !memcmp(program->origin, origin, RUN_ORIGIN_BYTES);
}

/*
 * A process that shared its parent's memory when it was examined may have called exec since: then
 * its memory is the parent's. Opens the memory again. Returns ENOENT if the process has called
 * exec.
 */
static int open_again(struct tracefs_program *program)
{
    int memory;
    int error = open_memory(program->tid, program->origin, &memory);

    if (error)
        return error;
    close(program->memory);
    program->memory = memory;
    return 0;
}

/* ---- the list ---- */

static struct tracefs_program *find(uint32_t pid)
{
    struct tracefs_program *program = programs;

    while (program && (program->pid != pid || !is_alive(program)))
        program = program->next;
    return program;
}

/* The ids of a program that has ended may belong to other processes now. */
static struct tracefs_program *find_sharing(uint32_t pid, const uint8_t origin[RUN_ORIGIN_BYTES])
{
    struct tracefs_program *program = programs;

    while (program && !(is_of_origin(program, origin) && is_alive(program) &&
                        (run_process_shares_memory(program->pid, pid) ||
                         run_process_shares_memory(program->tid, pid))))
        program = program->next;
    return program;
}

/* ---- adding ---- */

/* The first of the processes that share an address space: a child of vfork ends before its parent.
 */
static uint32_t find_first_sharing(uint32_t pid)
{
    struct os_process_stat stat;

    while (os_process_stat(pid, &stat) && stat.parent &&
           run_process_shares_memory(stat.parent, pid))
        pid = stat.parent;
    return pid;
}

static bool has_origin(uint32_t pid, const uint8_t origin[RUN_ORIGIN_BYTES])
{
    int memory;
    bool has = !open_memory(pid, origin, &memory);

    if (has)
        close(memory);
    return has;
}

/* The enable words that a forked child has from another program: those added before the fork. */
struct inheritance {
    struct tracefs_program *from; /* NULL: none */
    uint64_t surely_until_ns;
    uint64_t until_ns;
};

/*
 * A child inherits from its nearest ancestor in the list; ancestors between have registered
 * nothing. If none is in the list, an ancestor may have ended: then the words of another program of
 * the same origin are used, but only those added before the oldest living ancestor started.
 */
static struct inheritance find_inheritance(uint32_t pid, const uint8_t origin[RUN_ORIGIN_BYTES])
{
    const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    struct tracefs_program *any = programs;
    uint64_t start_ticks = UINT64_MAX;
    struct os_process_stat stat;

    while (any && !is_of_origin(any, origin))
        any = any->next;
    while (any && os_process_stat(pid, &stat)) {
        struct inheritance found;

        start_ticks = stat.start_ticks < start_ticks ? stat.start_ticks : start_ticks;
        found = (struct inheritance){any, start_ticks * tick_ns, (start_ticks + 1) * tick_ns};
        for (; found.from; found.from = found.from->next) {
            if (found.from->pid == stat.parent && is_of_origin(found.from, origin))
                return found;
        }
        if (!stat.parent || !has_origin(stat.parent, origin))
            return (struct inheritance){any, 0, found.until_ns};
        pid = stat.parent;
    }
    return (struct inheritance){0};
}

/*
 * Under the lock. Adds a program that was examined. A forked child gets the words of its parent; a
 * child that shares its parent's memory is the same program. It was examined before the lock was
 * taken, so a parent that registered before the fork is in the list by now.
 */
static int add(struct tracefs_program *program, bool only_children,
               struct tracefs_program **ret_program)
{
    struct inheritance inherited = {0};
    int error;

    if (program->has_origin) {
        *ret_program = find_sharing(program->pid, program->origin);
        if (*ret_program) {
            discard(program);
            return 0;
        }
        program->pid = find_first_sharing(program->pid);
        inherited = find_inheritance(program->pid, program->origin);
    }
    error = inherited.from ? open_again(program) : only_children ? ENOENT : 0;
    if (error) {
        discard(program);
        return error;
    }
    program->pages = run_process_open(program->tid, "pagemap", O_RDONLY);
    program->next = programs;
    programs = program;
    if (inherited.from)
        tracefs_enabler_copy(inherited.from, program, inherited.surely_until_ns,
                             inherited.until_ns);
    *ret_program = program;
    return 0;
}

int run_program_of(uint32_t tid, const struct tracefs_program **ret_program)
{
    uint32_t pid = run_process_of(tid);
    struct tracefs_program *program = find(pid);
    int error = pid ? 0 : EPERM;

    if (!program && !error) {
        error = examine(pid, tid, &program);
        if (!error)
            error = add(program, false, &program);
    }
    if (error)
        return error;
    program->tid = tid;
    *ret_program = program;
    return 0;
}

/* ---- forked children, and programs that have ended ---- */

static bool is_requested; /* a scan of all processes */

void run_programs_request_scan(void)
{
    is_requested = true;
}

/*
 * Processes that were examined are not examined again, since a process never gets the origin of
 * another one; after SCANNED_NS they are, because process ids are reused. Used by the scanning
 * thread only.
 */
static uint8_t examined[PIDS_MAX / 8];
static uint64_t examined_from_ns;

static void examine_new(uint32_t pid)
{
    struct tracefs_program *program;
    engine_lock_state lock_state;
    int error = examine(pid, pid, &program);

    /* During exec a process has no origin for a moment: it is examined in the next scan. */
    if (error || program->has_origin)
        examined[pid / 8] |= (uint8_t)(1u << pid % 8);
    if (error)
        return;
    engine_lock(&lock_state);
    if (program->has_origin && !find(pid))
        (void)add(program, true, &program);
    else
        discard(program);
    engine_unlock(&lock_state);
}

/* The order does not matter: a child of a child has the same origin. Returns true if a process was
 * skipped because it was examined before. */
static bool scan_all(void)
{
    DIR *processes = opendir("/proc");
    uint64_t now_ns = os_clock_ns();
    bool is_any_skipped = false;

    if (now_ns - examined_from_ns > SCANNED_NS) {
        memset(examined, 0, sizeof(examined));
        examined_from_ns = now_ns;
    }
    for (struct dirent *item; processes && (item = readdir(processes));) {
        uint32_t pid = (uint32_t)strtoul(item->d_name, NULL, 10);

        if (!pid || pid >= PIDS_MAX || pid == (uint32_t)getpid())
            continue;
        if (examined[pid / 8] >> pid % 8 & 1)
            is_any_skipped = true;
        else
            examine_new(pid);
    }
    if (processes)
        (void)closedir(processes);
    return is_any_skipped;
}

bool run_programs_any_dead(void)
{
    bool any_dead = false;

    for (struct tracefs_program *program = programs; program; program = program->next) {
        program->is_dead = !is_alive(program);
        any_dead |= program->is_dead;
    }
    return any_dead;
}

static void drop_dead(void)
{
    struct tracefs_program **link = &programs;

    while (*link) {
        struct tracefs_program *program = *link;

        if (!program->is_dead) {
            link = &program->next;
            continue;
        }
        *link = program->next;
        tracefs_enabler_drop(program);
        discard(program);
    }
}

/*
 * Programs that have ended are dropped after the scan for their children, which copies their words.
 * A request that arrives during a scan is handled by the next one. Skipped processes are examined
 * again when their ids may belong to other processes.
 */
uint32_t run_programs_scan(void)
{
    static bool is_due; /* a scan of processes that were skipped */
    engine_lock_state lock_state;
    bool any_dead;
    bool is_wanted;

    engine_lock(&lock_state);
    any_dead = run_programs_any_dead();
    is_wanted = (is_requested || any_dead) && tracefs_enabler_any();
    is_requested = false;
    engine_unlock(&lock_state);
    if (is_wanted || (is_due && os_clock_ns() - examined_from_ns > SCANNED_NS))
        is_due = scan_all();
    if (any_dead) {
        engine_lock(&lock_state);
        drop_dead();
        engine_unlock(&lock_state);
    }
    return is_due ? SCANNED_NS / 1000000 : UINT32_MAX;
}

/* ---- memory of programs ---- */

/* The bytes of a write are in this process: the kernel has passed them. */
int tracefs_memory_gather(void *to, size_t size_bytes, const struct iovec *parts, int count,
                          size_t *ret_size)
{
    *ret_size = tracefs_memory_copy_parts(to, size_bytes, parts, count);
    return 0;
}

static bool is_readable(const struct tracefs_program *program, uint64_t address, size_t size_bytes)
{
    return run_process_may_be_read(program->pages, program->tid, address, size_bytes);
}

int tracefs_memory_read(const struct tracefs_program *program, void *to, uint64_t from,
                        size_t size_bytes)
{
    struct iovec ours = {to, size_bytes};
    struct iovec theirs = {(void *)(uintptr_t)from, size_bytes};

    if (!is_readable(program, from, size_bytes) ||
        process_vm_readv((pid_t)program->tid, &ours, 1, &theirs, 1, 0) != (ssize_t)size_bytes)
        return EFAULT;
    return 0;
}

int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes)
{
    struct iovec ours = {(void *)(uintptr_t)from, size_bytes};
    struct iovec theirs = {(void *)(uintptr_t)to, size_bytes};

    if (!is_readable(program, to, size_bytes) ||
        process_vm_writev((pid_t)program->tid, &ours, 1, &theirs, 1, 0) != (ssize_t)size_bytes)
        return EFAULT;
    return 0;
}

/*
 * process_vm_writev respects the protection of the page, so it is tried first; the program was
 * alive a moment ago, so the id is its own. If its first thread has ended, or another process has
 * its memory, /proc/PID/mem is used, which ignores the protection.
 */
static int write_byte(const struct tracefs_program *program, uint64_t address, uint8_t byte)
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
    uint32_t byte_of = bit / 8;
    uint8_t mask = (uint8_t)(1u << bit % 8);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    byte_of = word_bytes - 1 - byte_of;
#else
    (void)word_bytes;
#endif
    address += byte_of;
    if (!is_readable(program, address, 1))
        return EFAULT;
    for (int i = 0; i < TRIES_MAX; i++) {
        uint8_t byte;
        int error;

        if (pread(program->memory, &byte, sizeof(byte), (off_t)address) != sizeof(byte))
            return EFAULT;
        if (!(byte & mask) == !value && i)
            return 0;
        error = write_byte(program, address, value ? byte | mask : byte & (uint8_t)~mask);
        if (error)
            return error;
    }
    return 0;
}
