/* SPDX-License-Identifier: MIT */
/*
 * The functions that a host supplies: an operating system kernel, a bare-metal image, a test. They
 * are members of one struct cairn_host; docs/porting.md is the guide.
 *
 * Every function may be called in any context, interrupts and NMIs included, unless it says
 * otherwise. None may hit a tracepoint itself, except `allocate`, `release`, `synchronize` and
 * `switch_event` when they are called outside `enter` and `leave`.
 */
#ifndef CAIRN_KERNEL_HOST_H
#define CAIRN_KERNEL_HOST_H

#include <cairn/kernel/static_key.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_trace_event;

/* Bits of cairn_host_context.flags: the record's common_flags, with Linux's values. */
enum cairn_trace_flag {
    CAIRN_TRACE_FLAG_IRQS_OFF = 0x01,
    CAIRN_TRACE_FLAG_NEED_RESCHED_LAZY = 0x02,
    CAIRN_TRACE_FLAG_NEED_RESCHED = 0x04,
    CAIRN_TRACE_FLAG_HARDIRQ = 0x08,
    CAIRN_TRACE_FLAG_SOFTIRQ = 0x10,
    CAIRN_TRACE_FLAG_PREEMPT_RESCHED = 0x20,
    CAIRN_TRACE_FLAG_NMI = 0x40,
    CAIRN_TRACE_FLAG_BH_OFF = 0x80,
};

/* Time and context of an event: the state of the caller of `enter`, before `enter` changed it. */
struct cairn_host_context {
    uint64_t time_ns;      /* monotonic on each CPU, comparable among CPUs */
    uint32_t cpu;          /* below the number of CPUs of the trace's buffer */
    uint32_t pid;          /* the process; 0 where there is none */
    uint32_t tid;          /* the thread: ftrace's text calls it the pid */
    uint8_t flags;         /* enum cairn_trace_flag */
    uint8_t preempt_count; /* bits 0-3 preemption depth, bits 4-7 migrate-disable depth */
};

struct cairn_host {
    /*
     * Reports time and context, and prevents other tasks from running on this CPU until `leave`:
     * preemption off. Interrupts may stay on; they leave before the code that they interrupt
     * continues. Takes no lock.
     */
    void (*enter)(struct cairn_host_context *ret_context);

    /* Undoes `enter`. May be NULL if there is nothing to undo. */
    void (*leave)(void);

    /* Stores the current task's name: 16 bytes, padded with NULs. May be NULL: "<...>" is shown. */
    void (*comm)(char comm[16]);

    /*
     * Memory for callbacks and filters: aligned to 16, of some 100 bytes, and while a filter is set
     * of 20 times its text's length: 72 KiB for the longest. `allocate` returns NULL if there is
     * none. It is called where the caller cannot wait (between enter and leave, in an interrupt,
     * with interrupts or preemption off) only if an event is changed there; `release` never is.
     * Both may be NULL: events can be enabled, but have no callbacks and no filters.
     */
    void *(*allocate)(size_t size_bytes);
    void (*release)(void *memory);

    /*
     * Returns when every CPU that was between `enter` and `leave` at the time of the call has left
     * it: RCU's grace period. It may sleep: it is called only where flags and preempt_count of
     * `enter` say that interrupts, softirqs and preemption are on, and never between enter and
     * leave. A change of many events takes one. May be NULL: the core then waits in a loop, with
     * keys.sync_cores as the memory barrier on all CPUs and `relax` in its loop; if sync_cores is
     * NULL, too, each event costs a memory barrier.
     */
    void (*synchronize)(void);

    /* Pauses in a busy loop. May be NULL. */
    void (*relax)(void);

    /* Text patching: see cairn/kernel/static_key.h. All NULL: keys are loads and branches. */
    struct cairn_static_key_host keys;

    /* ---- optional: replacements of parts of the core ---- */

    /*
     * Receives each complete record (struct cairn_record_head and payload) instead of the rings; it
     * must copy the record. Called between
     * enter and leave. Returns 0, or an errno code: the event counts as dropped.
     */
    int (*push_record)(const void *record, size_t size_bytes);

    /* Replace the comm cache: store a name, and look one up (0, or ENOENT). Both or none. */
    void (*comm_push)(uint32_t tid, const char comm[16]);
    int (*comm_find)(uint32_t tid, char ret_comm[16]);

    /*
     * True if the caller is between `enter` and `leave`. For a host without rings only: with rings
     * the core keeps count.
     */
    bool (*entered)(void);

    /*
     * Reports that an event is enabled or disabled, in addition to its static key. The last call is
     * valid. Called in the same contexts as `synchronize`.
     */
    void (*switch_event)(struct cairn_trace_event *event, bool on);
};

#ifdef __cplusplus
}
#endif

#endif
