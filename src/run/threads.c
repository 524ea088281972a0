/* SPDX-License-Identifier: MIT */
/* Contexts of threads, by their ids. Few are kept: that of the thread that has had one for the
 * longest time is dropped. */
#include "run/programs.h"
#include "engine/thread.h"
#include "run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 128u /* each has a chunk: there are 256 small ones for the text */

struct known_thread {
    uint32_t tid; /* 0: unused */
    int comm; /* an opening of /proc/TID/comm: of this thread, even if its number is used again */
    struct engine_thread *context;
};

static struct known_thread threads[THREADS_MAX];
static struct known_thread *last = threads;
static uint32_t made;

/* Reads its name. False: it has ended. */
static bool read_name(struct known_thread *thread, char name[16])
{
    ssize_t size = pread(thread->comm, name, 16, 0);

    if (size <= 0)
        return false;
    name[size - 1] = 0; /* a line break was there */
    memset(name + size, 0, 16 - (size_t)size);
    return true;
}

static void end(struct known_thread *thread)
{
    if (!thread->tid)
        return;
    engine_thread_end(thread->context);
    close(thread->comm);
    *thread = (struct known_thread){0};
}

static struct known_thread *find(uint32_t tid)
{
    if (last->tid == tid)
        return last;
    for (uint32_t i = 0; i < THREADS_MAX; i++) {
        if (threads[i].tid == tid)
            return &threads[i];
    }
    return NULL;
}

/* `former` has ended, and its place is used; NULL: another one's is. */
static int make(uint32_t tid, struct known_thread *former, struct known_thread **ret_thread)
{
    struct known_thread *thread = former ? former : &threads[made++ % THREADS_MAX];
    uint32_t pid = run_process_of(tid);
    char name[16];

    end(thread);
    thread->comm = pid ? run_process_open(tid, "comm", O_RDONLY) : -1;
    if (thread->comm < 0)
        return EPERM;
    thread->context = read_name(thread, name) ? engine_thread_make_for(pid, tid, name) : NULL;
    if (!thread->context) {
        close(thread->comm);
        return ENOMEM;
    }
    thread->tid = tid;
    *ret_thread = thread;
    return 0;
}

int run_thread_become(uint32_t tid)
{
    struct known_thread *thread = tid ? find(tid) : NULL;
    char name[16];
    int error = 0;

    if (!tid)
        return EPERM;
    if (thread && read_name(thread, name))
        memcpy(thread->context->name.comm, name, sizeof(name));
    else
        error = make(tid, thread, &thread);
    if (error)
        return error;
    last = thread;
    engine_thread_self = thread->context;
    return 0;
}
