/* SPDX-License-Identifier: MIT */
/* The locks of the library on Windows, where no process is forked (engine/locks.h). */
#include "engine/locks.h"
#include "core/atomic.h"

#include <stdlib.h>
#include <windows.h>

static SRWLOCK locks[ENGINE_LOCKS]; /* zeros are unlocked */
static DWORD owners[ENGINE_LOCKS];

uint32_t engine_lock_faults;
uint32_t engine_forks;
uint32_t engine_fork_epoch;

void engine_lock_take(enum engine_lock_id lock)
{
    AcquireSRWLockExclusive(&locks[lock]);
    core_store_relaxed(&owners[lock], GetCurrentThreadId());
}

void engine_lock_release(enum engine_lock_id lock)
{
    core_store_relaxed(&owners[lock], 0);
    ReleaseSRWLockExclusive(&locks[lock]);
}

bool engine_lock_is_mine(enum engine_lock_id lock)
{
    return core_load_relaxed(&owners[lock]) == GetCurrentThreadId();
}

void engine_fork_hook_add(struct engine_fork_hook *hook)
{
    (void)hook;
}

void engine_locks_check_process(void)
{
}

/* ---- the process's end ---- */

static volatile LONG is_ending;

static void on_exit_begin(void)
{
    InterlockedExchange(&is_ending, 1);
}

/* Registered late, so it is called before destructors. */
static __attribute__((constructor)) void register_exit(void)
{
    (void)atexit(on_exit_begin);
}

/* True if exit has begun, or the system has ended the other threads. */
bool engine_process_is_ending(void)
{
    typedef BOOLEAN NTAPI shutdown_in_progress(void);
    HMODULE ntdll = GetModuleHandleA("ntdll.dll");
    FARPROC found = ntdll ? GetProcAddress(ntdll, "RtlDllShutdownInProgress") : NULL;

    return InterlockedCompareExchange(&is_ending, 0, 0) ||
           (found && ((shutdown_in_progress *)(void *)found)());
}
