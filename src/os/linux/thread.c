/* SPDX-License-Identifier: MIT */
/* Threads: the calling one's number, from the C library's own data; names; liveness; a fence of
 * all threads. */
#include "os/thread.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_told;

/*
 * A mutex that checks for errors knows which thread holds it: glibc has the thread's number in a
 * member of its own, musl in the word that is the lock.
 */
static uint32_t ask_mutex(void)
{
#if defined(__GLIBC__)
    pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    uint32_t tid;

    (void)pthread_mutex_lock(&mutex);
    tid = (uint32_t)mutex.__data.__owner;
    (void)pthread_mutex_unlock(&mutex);
    return tid;
#elif defined(__linux__)
    pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    uint32_t tid;

    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    (void)pthread_mutex_init(&mutex, &attributes);
    (void)pthread_mutex_lock(&mutex);
    tid = (uint32_t)((volatile int *)(void *)&mutex)[1] & 0x3fffffff;
    (void)pthread_mutex_unlock(&mutex);
    return tid;
#else
    return 0;
#endif
}

uint32_t os_tid_of_kernel(void)
{
    return (uint32_t)gettid();
}

void os_tid_prepare(void)
{
    is_told = ask_mutex() == os_tid_of_kernel();
}

uint32_t os_tid_self(void)
{
    return is_told ? ask_mutex() : os_tid_of_kernel();
}

void os_thread_name(char ret_name[16])
{
    (void)prctl(PR_GET_NAME, ret_name);
}

bool os_thread_has_ended(uint32_t pid, uint32_t tid)
{
    return tgkill((pid_t)pid, (pid_t)tid, 0) && errno == ESRCH;
}

/* After SA_RESETHAND has removed the handler its flag is still there. EINVAL: the C library's own
 * signal. Another error is that of a sandbox. */
static bool is_handled(int signal_number, bool is_newly_blocked)
{
    struct sigaction action;

    if (sigaction(signal_number, NULL, &action))
        return errno != EINVAL;
    if (action.sa_flags & SA_RESETHAND)
        return is_newly_blocked || action.sa_flags & SA_NODEFER;
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
           (is_newly_blocked || action.sa_flags & SA_NODEFER);
}

bool os_signals_may_be_handled(const os_signals *before)
{
    const int error_number = errno;
    bool may_be_handled = false;
    os_signals now;

    os_signals_read(&now);
    for (int i = 1; !may_be_handled && i < NSIG; i++)
        may_be_handled =
            is_handled(i, sigismember(&now.set, i) == 1 && sigismember(&before->set, i) == 0);
    errno = error_number;
    return may_be_handled;
}

/* A forked child has its parent's registration; a program that was executed has none. */
bool os_threads_may_order(void)
{
    return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
           os_threads_order();
}

bool os_threads_order(void)
{
    return !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}
