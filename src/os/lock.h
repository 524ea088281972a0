/* SPDX-License-Identifier: MIT */
/* Waiting for other threads and processes: mutexes of a process, and words of shared memory. */
#ifndef OS_LOCK_H
#define OS_LOCK_H

#include "core/private_api.h"

#include <pthread.h>
#include <stdint.h>

/* A mutex of the threads of one process. Zeros are an unlocked mutex, so it takes no memory in a
 * program that never locks it. */
typedef struct {
    pthread_mutex_t mutex;
} os_mutex;

static inline void os_mutex_lock(os_mutex *mutex)
{
    (void)pthread_mutex_lock(&mutex->mutex);
}

static inline void os_mutex_unlock(os_mutex *mutex)
{
    (void)pthread_mutex_unlock(&mutex->mutex);
}

/* Unlocks it whichever thread holds it: in a forked child that thread does not exist. */
static inline void os_mutex_reset(os_mutex *mutex)
{
    mutex->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* Waits until os_wake_all is called for a word in shared memory, if that still has the value
 * seen; no longer than the timeout, and it may return early. */
void os_wait(const uint32_t *word, uint32_t seen, uint32_t timeout_ms);

/* Wakes the threads that wait for a word, in all processes. */
void os_wake_all(const uint32_t *word) CORE_PRIVATE_API(os_wake_all);

#endif
