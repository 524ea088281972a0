/* SPDX-License-Identifier: MIT */
/* Waiting for locks. */
#include "libc/events.h"
#include "libc/real.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

/* Versions of functions that glibc has in an older one, too, on x86-64. */
#ifdef __x86_64__
#define COND_VERSION "GLIBC_2.3.2"
#else
#define COND_VERSION NULL
#endif

typedef int mutex_function(pthread_mutex_t *mutex);
typedef int rwlock_function(pthread_rwlock_t *lock);
typedef int wait_function(pthread_cond_t *cond, pthread_mutex_t *mutex);
typedef int timed_function(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *until);

LIBC_PUBLIC int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    mutex_function *lock = LIBC_REAL(mutex_function *, "pthread_mutex_lock");
    uint64_t start_ns;
    int error;

    if (!libc_is_wanted(LIBC_EVENT_mutex_wait))
        return lock(mutex);
    error = LIBC_REAL(mutex_function *, "pthread_mutex_trylock")(mutex);
    if (error != EBUSY)
        return error;
    start_ns = os_clock_ns();
    error = lock(mutex);
    libc_write_lock(LIBC_EVENT_mutex_wait, mutex, error, start_ns);
    return error;
}

static int lock_rwlock(pthread_rwlock_t *rwlock, rwlock_function *try_lock, rwlock_function *lock)
{
    int error = try_lock(rwlock);
    uint64_t start_ns;

    if (error != EBUSY)
        return error;
    start_ns = os_clock_ns();
    error = lock(rwlock);
    libc_write_lock(LIBC_EVENT_rwlock_wait, rwlock, error, start_ns);
    return error;
}

LIBC_PUBLIC int pthread_rwlock_rdlock(pthread_rwlock_t *rwlock)
{
    rwlock_function *lock = LIBC_REAL(rwlock_function *, "pthread_rwlock_rdlock");

    if (!libc_is_wanted(LIBC_EVENT_rwlock_wait))
        return lock(rwlock);
    return lock_rwlock(rwlock, LIBC_REAL(rwlock_function *, "pthread_rwlock_tryrdlock"), lock);
}

LIBC_PUBLIC int pthread_rwlock_wrlock(pthread_rwlock_t *rwlock)
{
    rwlock_function *lock = LIBC_REAL(rwlock_function *, "pthread_rwlock_wrlock");

    if (!libc_is_wanted(LIBC_EVENT_rwlock_wait))
        return lock(rwlock);
    return lock_rwlock(rwlock, LIBC_REAL(rwlock_function *, "pthread_rwlock_trywrlock"), lock);
}

LIBC_PUBLIC int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    wait_function *wait = LIBC_REAL_VERSION(wait_function *, "pthread_cond_wait", COND_VERSION);
    uint64_t start_ns;
    int error;

    if (!libc_is_wanted(LIBC_EVENT_cond_wait))
        return wait(cond, mutex);
    start_ns = os_clock_ns();
    error = wait(cond, mutex);
    libc_write_lock(LIBC_EVENT_cond_wait, cond, error, start_ns);
    return error;
}

LIBC_PUBLIC int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                       const struct timespec *until)
{
    timed_function *wait =
        LIBC_REAL_VERSION(timed_function *, "pthread_cond_timedwait", COND_VERSION);
    uint64_t start_ns;
    int error;

    if (!libc_is_wanted(LIBC_EVENT_cond_wait))
        return wait(cond, mutex, until);
    start_ns = os_clock_ns();
    error = wait(cond, mutex, until);
    libc_write_lock(LIBC_EVENT_cond_wait, cond, error, start_ns);
    return error;
}
