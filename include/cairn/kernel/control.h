/* SPDX-License-Identifier: MIT */
/*
 * Managing tracepoints: the table of all events, enabling, callbacks and filters, and the files of
 * tracefs.
 *
 *   trace      all tracepoints of a kernel, its host, rings and comm cache
 *   event      a tracepoint of CAIRN_TRACEPOINT() (cairn/typed_tracepoint.h)
 *   state      what an event does when it is hit: recorded or not, filter, callbacks; replaced
 *              whole, so that readers of it take no lock
 *   section    from the host's `enter` to its `leave`: an event is being written, callbacks run
 *
 * Contexts. Unless it says otherwise, a function may be called from any context: by several CPUs at
 * once, in interrupts and NMIs (if the host's `allocate` permits it), and from callbacks, also for
 * the event that is being hit. None takes a lock, and none waits for another's change.
 *
 * Functions that change an event's state do two more things if the caller can wait: outside
 * sections, in a task that has interrupts, softirqs and preemption on, as the host's `enter`
 * reports in flags and preempt_count. The event's static key is patched, and what was replaced is
 * released after a grace period. If the caller cannot wait, both are deferred: keys to the end of
 * the next outermost section of a task that can, memory to the next change by one, or both to
 * cairn_trace_synchronize(). (Keys without sites to patch, of a host without switch_event, are
 * switched at once in any context.) A function that changes many events takes one round of patching
 * and one grace period for all of them. If two CPUs change one event at once, one of them switches
 * its key for both, and the other may return shortly before that.
 */
#ifndef CAIRN_KERNEL_CONTROL_H
#define CAIRN_KERNEL_CONTROL_H

#include <cairn/api.h>
#include <cairn/kernel/host.h>
#include <cairn/kernel/trace_line.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_comm_cache; /* cairn/kernel/comm_cache.h */
struct cairn_i_error;
struct cairn_i_garbage;
struct cairn_filter_error; /* cairn/filter.h */
struct cairn_record_head;  /* cairn/record.h */
struct cairn_trace_buffer; /* cairn/kernel/trace_buffer.h */
struct cairn_trace_cpu;
struct cairn_trace_event; /* cairn/typed_tracepoint.h */

/* An event's id is a u16, and 0 is none. */
#define CAIRN_TRACE_ID_MAX 65534u

/* The number of messages in error_log, as in Linux. */
#define CAIRN_TRACE_ERRORS 8u

struct cairn_trace_config {
    const struct cairn_host *host;
    struct cairn_trace_buffer *buffer; /* initialized; NULL: no rings, for programs only */
    struct cairn_comm_cache *comms;    /* initialized; NULL: none */
    struct cairn_static_keys *keys;    /* initialized; NULL: no key has sites to patch */
    void *table_memory;                /* cairn_trace_table_memory_bytes(); aligned to 8 */
    size_t table_bytes;
    uint32_t first_id; /* 0: 1 */
};

/* Members are internal, except that `host`, `buffer` and `comms` may be read. */
struct cairn_trace {
    const struct cairn_host *host;
    struct cairn_trace_buffer *buffer;
    struct cairn_comm_cache *comms;
    struct cairn_static_keys *keys;
    /* copies of members of `host` and `buffer`, for the fast path */
    void (*enter)(struct cairn_host_context *ret_context);
    void (*leave)(void);
    struct cairn_trace_cpu *cpus;
    struct cairn_static_keys own_keys;
    bool fence;        /* entering a section needs a memory barrier */
    bool record_comms; /* options/record-cmd */
    uint32_t first_id;
    uint32_t capacity;                  /* of the table */
    uint32_t end;                       /* one after the highest index ever given out */
    uint32_t next;                      /* start of the search for a free index */
    uint32_t name_slots;                /* a power of two */
    struct cairn_trace_event **events;  /* by id - first_id; NULL: none */
    uint16_t *names;                    /* hash table: index + 1; 0: free */
    struct cairn_i_garbage *garbage;    /* replaced, and not yet released */
    struct cairn_trace_event *deferred; /* events whose static keys have to be switched */
    uint32_t switchers;                 /* number of CPUs that are switching them */
    struct cairn_i_error *errors[CAIRN_TRACE_ERRORS];
    uint32_t error_count; /* number of errors so far */
};

/* The bytes of memory for a table of event_count events; 0: more than CAIRN_TRACE_ID_MAX. Pure. */
CAIRN_API size_t cairn_trace_table_memory_bytes(uint32_t event_count);

/*
 * Makes a trace of the events whose addresses are from start to stop: the section that the linker
 * made (cairn/cairn.ld). Ids are assigned in that order; duplicates and NULLs are ignored. `trace`,
 * the objects that config points to and the events belong to the caller, and must stay valid. Call
 * it once, before anything else of the trace is used. Events that are hit before that do nothing.
 * Returns 0; EINVAL no host, no `enter`, neither rings nor `synchronize` and `entered`, or static
 * keys that were not initialized; EOPNOTSUPP an event's static key has sites that are not among
 * those of config->keys, so that they would not be patched; ENOSPC the table is too small; EEXIST
 * two events of one system have one name; EBUSY an event is in another trace.
 */
CAIRN_API int cairn_trace_init(struct cairn_trace *trace, const struct cairn_trace_config *config,
                               struct cairn_trace_event *const *start,
                               struct cairn_trace_event *const *stop);

/*
 * Adds events, for instance of a module that was loaded: all, or none on failure. Events that are
 * in the trace already are ignored. One caller of add and remove at a time; not in sections, not in
 * interrupts. Returns 0; ENOSPC the table is full; EEXIST an event of that system and name is
 * there; EBUSY an event is in another trace: remove it there first; EOPNOTSUPP as for
 * cairn_trace_init.
 */
CAIRN_API int cairn_trace_add(struct cairn_trace *trace, struct cairn_trace_event *const *start,
                              struct cairn_trace_event *const *stop);

/*
 * Removes events, for instance of a module that is to be unloaded: they are disabled, all their
 * callbacks are removed, and on return no CPU runs one or uses the event, except callers of
 * cairn_trace_find and similar functions. Records that are still in the rings are shown as of
 * unknown type. Ids are assigned in turn: one is reused after all others have been used, and
 * records from before that are shown as of unknown type even then. The event may be hit meanwhile
 * and afterwards, while its memory is valid: it does nothing. Waits for CPUs that are switching
 * static keys. Callers as for cairn_trace_add. Returns 0; EINPROGRESS the caller cannot wait:
 * nothing was done.
 */
CAIRN_API int cairn_trace_remove(struct cairn_trace *trace, struct cairn_trace_event *const *start,
                                 struct cairn_trace_event *const *stop);

/* ---- finding: NULL when there is none. Not while events are added and removed. ---- */

CAIRN_API struct cairn_trace_event *cairn_trace_find_id(const struct cairn_trace *trace,
                                                        uint32_t id);

/* "system:name" */
CAIRN_API struct cairn_trace_event *cairn_trace_find(const struct cairn_trace *trace,
                                                     const char *system_and_name);

/* The next event in the order of ids; the first one after NULL. */
CAIRN_API struct cairn_trace_event *cairn_trace_next(const struct cairn_trace *trace,
                                                     const struct cairn_trace_event *event);

/* ---- enabling: events that are recorded ---- */

/* Enables or disables recording of an event. Returns 0; ENODEV the event is in no trace; ENOMEM,
 * without any change (never for an event without filter and callbacks); or the error of the host's
 * write_text: the state has changed, the static key has not. */
CAIRN_API int cairn_trace_event_enable(struct cairn_trace_event *event, bool on);

CAIRN_API bool cairn_trace_event_is_enabled(const struct cairn_trace_event *event);

/*
 * Enables or disables all events that a pattern of set_event names: "system:name", "system:*",
 * "*:name", "*:*", and "name" alone for a system or for events of any. An empty part is the same as
 * "*". As in Linux there are no other globs. A leading "!" inverts `on`. ret_count: the number of
 * events that match; may be NULL. Returns 0; EINVAL no event has such a name; or the first error of
 * cairn_trace_event_enable: all others are changed.
 */
CAIRN_API int cairn_trace_enable(struct cairn_trace *trace, const char *pattern, bool on,
                                 uint32_t *ret_count);

/* ---- callbacks ---- */

enum cairn_trace_callback_kind {
    /*
     * Called with `data` and the arguments of the tracepoint: register_trace_NAME() checks the
     * type. Called first, for events that the filter rejects, too.
     */
    CAIRN_TRACE_TYPED = 0,
    /*
     * cairn_trace_record_function: the record, after the filter has passed it and before it is
     * visible to readers. Needs no ring: called also for events that are not recorded, and when the
     * rings are full. Not called for records larger than cairn_trace_buffer_record_max_bytes(), nor
     * if interrupted callbacks leave no space for them outside the rings: these count as dropped.
     */
    CAIRN_TRACE_RECORD = 1,
    /*
     * cairn_trace_raw_function: the arguments as u64. Called last, for events that the filter
     * rejects, too.
     */
    CAIRN_TRACE_RAW = 2,
};

#define CAIRN_TRACE_CALLBACK_KINDS 3u

struct cairn_trace_callback {
    struct cairn_trace_callback *next; /* list of callbacks to be released */
    void (*function)(void);            /* NULL: it was just removed */
    void *data;
    int32_t priority;
};

/* The function of a callback, or NULL. Load it once. */
#define CAIRN_TRACE_FUNCTION(callback) __atomic_load_n(&(callback)->function, __ATOMIC_RELAXED)

/* `record` is valid during the call only. raw_size_bytes is the size of its raw part. */
typedef void cairn_trace_record_function(void *data, const struct cairn_trace_event *event,
                                         const struct cairn_record_head *record);

/*
 * An argument is an integer, sign-extended if it is signed; or the bits of another type of up to 8
 * bytes; or the address of a larger one.
 */
typedef void cairn_trace_raw_function(void *data, const struct cairn_trace_event *event,
                                      const uint64_t *arguments, uint32_t count);

/*
 * Adds a callback. Those of higher priority are called first, equal ones in the order in which they
 * were added. Linux's default priority is 10. Returns 0; EEXIST the event has that function with
 * that data; EINVAL no function, or the event is in no trace; ENOMEM; ENOSPC over 65535 of them; or
 * the error of the host's write_text, as for cairn_trace_event_enable.
 */
CAIRN_API int cairn_trace_event_callback_add(struct cairn_trace_event *event,
                                             enum cairn_trace_callback_kind kind,
                                             void (*function)(void), void *data, int32_t priority);

/*
 * Removes a callback; needs no memory. Returns 0 it is not running and will not be called again;
 * EINPROGRESS it was removed, but the caller cannot wait, so another CPU may be running it until
 * cairn_trace_synchronize() returns 0; ENOENT there is no such callback.
 */
CAIRN_API int cairn_trace_event_callback_remove(struct cairn_trace_event *event,
                                                enum cairn_trace_callback_kind kind,
                                                void (*function)(void), void *data);

/*
 * Waits for a grace period: all callbacks that were removed before have returned. Deferred static
 * keys are patched, memory is released. Returns 0; EINPROGRESS the caller cannot wait: nothing was
 * done.
 */
CAIRN_API int cairn_trace_synchronize(struct cairn_trace *trace);

/* ---- filters ---- */

/*
 * Sets the filter of an event; "0" removes it; leading and trailing spaces are ignored. As in
 * Linux, an invalid filter removes the old one, too: the event is then not filtered, and its
 * `filter` file and error_log show the text and the error.
 *
 * text, length   need not be NUL-terminated; a NUL ends it
 * ret_error      the error and its position, on EINVAL; may be NULL
 *
 * Returns 0; EINVAL an invalid filter; E2BIG, ENOMEM, ENODEV (the event is in no trace), without
 * any change.
 */
CAIRN_API int cairn_trace_event_filter_set(struct cairn_trace_event *event, const char *text,
                                           size_t length, struct cairn_filter_error *ret_error);

/* ---- text ---- */

/*
 * The names of a trace's events and tasks, for cairn_trace_text_open() and cairn_trace_line():
 * `trace` and `trace_pipe`. Use them only while no events are removed.
 */
CAIRN_API void cairn_trace_names_fill(struct cairn_trace *trace,
                                      struct cairn_trace_names *ret_names);

/* ---- the files of tracefs ---- */

/*
 * Reads a file by its path below the tracing directory, "events/sched/sched_switch/format", with
 * the text that Linux 6.12 shows. docs/porting.md lists the files. `trace` and `trace_pipe` are
 * read by cairn/kernel/trace_text.h.
 *
 * offset           number of bytes of the text to leave out
 * text, size_bytes the caller's memory; no NUL is added
 * ret_length       bytes read; 0 at the end of the text
 *
 * Returns 0; ENOENT no such file; EISDIR a directory; EINVAL the file cannot be read; ENODEV there
 * are no rings.
 */
CAIRN_API int cairn_trace_file_read(struct cairn_trace *trace, const char *path, size_t offset,
                                    char *text, size_t size_bytes, size_t *ret_length);

/*
 * Writes to a file as one write(2) does. cairn_trace_file_truncate does what open(2) with O_TRUNC
 * does. Returns 0, and the whole text was accepted; ENOENT no such file; EISDIR a directory;
 * EINVAL, ERANGE and ENOMEM as Linux does, EINVAL also for a file that cannot be written; ENODEV
 * there are no rings.
 */
CAIRN_API int cairn_trace_file_write(struct cairn_trace *trace, const char *path, const char *text,
                                     size_t length);

/*
 * Does what opening a file with O_TRUNC does, as in `echo > file`: `trace` and `per_cpu/cpuN/trace`
 * are emptied, `set_event` disables all events, `error_log` is emptied. Nothing for other files.
 * Returns as cairn_trace_file_write.
 */
CAIRN_API int cairn_trace_file_truncate(struct cairn_trace *trace, const char *path);

#ifdef __cplusplus
}
#endif

#endif
