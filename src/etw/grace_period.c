/* SPDX-License-Identifier: MIT */
/*
 * Grace periods on Windows: sections are counted in one of two counters. A thread that waits makes
 * new sections use the other one, and waits until the first is zero; twice, because a section may
 * have chosen its counter before the change, and incremented it afterwards.
 */
#include "user_events/grace_period.h"
#include "core/atomic.h"

#include <windows.h>

static volatile LONG counts[2];
static volatile LONG turn;
static SRWLOCK waiting;

static __thread unsigned depth;
static __thread LONG mine;

/* No thread has a slot: the sections in line call the functions below. */
__thread struct user_events_sections user_events_sections;
uint32_t user_events_section_side;

void user_events_read_section_enter(void)
{
    if (depth++)
        return;
    mine = turn & 1;
    InterlockedIncrement(&counts[mine]); /* a full fence: what is read comes after it */
}

void user_events_read_section_leave(void)
{
    if (!--depth)
        InterlockedDecrement(&counts[mine]);
}

void user_events_read_section_take_slot(void)
{
}

void user_events_read_section_return_slot(void)
{
}

bool user_events_in_read_section(void)
{
    return depth != 0;
}

void user_events_grace_period_wait(void)
{
    AcquireSRWLockExclusive(&waiting);
    for (int i = 0; i < 2; i++) {
        LONG before = (InterlockedIncrement(&turn) - 1) & 1;

        while (InterlockedCompareExchange(&counts[before], 0, 0))
            SwitchToThread();
    }
    ReleaseSRWLockExclusive(&waiting);
}
