/* SPDX-License-Identifier: MIT */
/* Patterns for questions: what kept a thread from running, what it asked the kernel for. */
#include "perf_events/internal.h"

#include <string.h>

/* Threads that run and wake others, and beginnings and ends of processes. */
static const char *const sched[] = {
    "sched:sched_switch",       "sched:sched_wakeup",
    "sched:sched_wakeup_new",   "sched:sched_migrate_task",
    "sched:sched_process_fork", "sched:sched_process_exec",
    "sched:sched_process_exit", NULL,
};

static const char *const syscalls[] = {"syscalls:sys_enter_*", "syscalls:sys_exit_*", NULL};

/* Requests to block devices. */
static const char *const io[] = {
    "block:block_rq_insert",   "block:block_rq_issue",
    "block:block_rq_complete", "block:block_rq_merge",
    "block:block_rq_requeue",  "block:block_rq_error",
    "block:block_bio_queue",   NULL,
};

/* Page faults, pages, and what is done when they are short. */
static const char *const memory[] = {
    "exceptions:page_fault_*",
    "kmem:mm_page_alloc",
    "kmem:mm_page_free",
    "kmem:rss_stat",
    "vmscan:mm_vmscan_direct_reclaim_*",
    "vmscan:mm_vmscan_kswapd_*",
    "compaction:mm_compaction_begin",
    "compaction:mm_compaction_end",
    "oom:mark_victim",
    "syscalls:sys_enter_mmap",
    "syscalls:sys_enter_munmap",
    "syscalls:sys_enter_brk",
    NULL,
};

/* No tracepoints: threads that leave a CPU, and continue. */
static const char *const switches[] = {NULL};

bool perf_events_is_of_switches(const char *pattern)
{
    return !strcmp(pattern, "@switches");
}

const char *const *perf_events_preset(const char *pattern)
{
    static const struct {
        const char *name;
        const char *const *patterns;
    } presets[] = {
        {"@sched", sched},   {"@syscalls", syscalls}, {"@io", io},
        {"@memory", memory}, {"@switches", switches},
    };

    for (size_t n = 0; n < sizeof(presets) / sizeof(*presets); n++) {
        if (!strcmp(pattern, presets[n].name))
            return presets[n].patterns;
    }
    return NULL;
}
