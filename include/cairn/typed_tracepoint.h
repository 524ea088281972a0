/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints with typed arguments, each defined by one macro in the vocabulary of Linux:
 *
 *   CAIRN_TRACEPOINT(conn_open, TP_SYSTEM(net),
 *       TP_PROTO(uint16_t port, const char *peer),
 *       TP_ARGS(port, peer),
 *       TP_STRUCT__entry(__field(uint16_t, port) __string(peer, peer)),
 *       TP_fast_assign(__entry->port = port; __assign_str(peer);),
 *       TP_printk("port=%u peer=%s", __entry->port, __get_str(peer)));
 *
 * at file scope, in a source or in a header that many sources include, gives
 *
 *   trace_conn_open(port, peer)             writes the event if it is enabled
 *   trace_conn_open_enabled()               true while it is enabled
 *   register_trace_conn_open(f, data)       f(data, port, peer) is called for each event
 *   register_trace_prio_conn_open(f, data, priority)
 *   unregister_trace_conn_open(f, data)     removes the callback
 *   struct cairn_trace_event cairn_event_conn_open
 *
 * Compiled with -DCAIRN_KERNEL the event goes to the rings of a kernel (cairn/kernel/control.h),
 * else to user_events. docs/tracepoints.md lists all words, and where they differ from Linux's.
 */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_H
#define CAIRN_TYPED_TRACEPOINT_H

#include <cairn/api.h>
#include <cairn/kernel/host.h>
#include <cairn/record.h>
#include <cairn/schema.h>
#include <cairn/kernel/static_key.h>
#include <cairn/kernel/text.h>
#include <cairn/kernel/control.h>
#include <cairn/kernel/trace_line.h>
#include <cairn/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the data of a tracepoint: defined by the macros, read by the core ---- */

struct cairn_trace_cpu;   /* cairn/kernel/trace_buffer.h */
struct cairn_trace_state; /* callbacks, filter, recording: replaced whole */

/* The start of a record's raw part: `ent` of an entry, as in Linux. */
struct cairn_trace_common {
    uint16_t type; /* the event's id */
    uint8_t flags;
    uint8_t preempt_count;
    int32_t pid;
};

/* The data that all events of a class share. Constant. */
struct cairn_trace_class {
    /*
     * The system is the class's, the name is left empty: cairn_trace_event_schema() fills in the
     * event's. No common fields among the fields; offsets count from the raw part's start, so the
     * first is at CAIRN_COMMON_BYTES. print_fmt is TP_printk as the macros leave it:
     * cairn_schema_write_format converts it to Linux's text.
     */
    struct cairn_schema schema;
    uint32_t argument_count;  /* of TP_PROTO, and of a raw callback */
    uint32_t version;         /* CAIRN_I_TRACE_VERSION */
    cairn_trace_print *print; /* the event's own part of a text line */
    /* The enums of the kernel or module that the class is in; both NULL: none. */
    const struct cairn_trace_enum *const *enums_start;
    const struct cairn_trace_enum *const *enums_stop;
    const void *reserved; /* NULL */
};

/* The version of a class, and of an event. In a kernel headers and core are of one version. */
#define CAIRN_I_TRACE_VERSION 1

/* A tracepoint. Members are internal, except that name, system, event_class and id may be read. */
struct cairn_trace_event {
    const char *name;
    const char *system; /* not always the class's */
    const struct cairn_trace_class *event_class;
    struct cairn_static_key key;        /* kernels: enabled while `state` has anything to do */
    struct cairn_tracepoint tracepoint; /* programs: status byte and the kernel's bit */
    struct cairn_trace_state *state;    /* atomically replaced; NULL: nothing to do */
    struct cairn_trace *trace;          /* the trace that it was added to; NULL: none */
    struct cairn_trace_event
        *next_deferred; /* cairn/kernel/control.h: events whose keys have to be switched */
    uint32_t deferred;
    uint32_t switching;
    uint16_t id; /* common_type of its records; 0 before it has one */
    bool on;
    bool wanted;                          /* the value of `on` after the key is switched */
    int32_t error;                        /* of the key's last switch */
    struct cairn_trace_event *next_batch; /* events whose keys are switched together */
    uint64_t since_ns;                    /* earlier records with its id are of another event */
    /* kernels: the static-key sites of the kernel or module that it is in; both NULL: none */
    const struct cairn_static_branch *sites;
    const struct cairn_static_branch *sites_end;
    uint32_t version;        /* CAIRN_I_TRACE_VERSION */
    uint32_t reserved;       /* zero, as the next */
    void *reserved_state[2]; /* for what a later library remembers of it */
};

/*
 * The section of tracepoints, made by the linker for this program or shared object, or by the
 * linker script of a kernel (cairn/cairn.ld). NULL if there are none. On Windows these are macros.
 */
#ifndef _WIN32
extern struct cairn_trace_event *const __start_cairn_trace_events[]
    __attribute__((weak, visibility("hidden")));
extern struct cairn_trace_event *const __stop_cairn_trace_events[]
    __attribute__((weak, visibility("hidden")));
#endif

/*
 * In kernels: the section of the definitions by TRACE_DEFINE_ENUM and TRACE_DEFINE_SIZEOF. NULL if
 * there are none.
 */
extern const struct cairn_trace_enum *const __start_cairn_trace_enums[]
    __attribute__((weak, visibility("hidden")));
extern const struct cairn_trace_enum *const __stop_cairn_trace_enums[]
    __attribute__((weak, visibility("hidden")));

/* An event's schema, its name and system filled in. Pure. */
CAIRN_API void cairn_trace_event_schema(const struct cairn_trace_event *event,
                                        struct cairn_schema *ret_schema);

/* ---- dynamic fields of an untrusted record ---- */

/*
 * entry, raw_bytes  the record's raw part
 * base              0 for __data_loc; for __rel_loc, the offset after the location itself
 * location          the u32 in the record: length << 16 | offset from base
 *
 * cairn_trace_field_bytes   the address of the bytes; NULL if not all are within the record
 * cairn_trace_field_length  their number; 0 if not all are within the record
 * cairn_trace_field_text    the text; "" if it or its NUL is not within the record
 *
 * Pure: any thread, any signal handler, any interrupt.
 */
CAIRN_API void *cairn_trace_field_bytes(const void *entry, size_t raw_bytes, uint32_t base,
                                        uint32_t location);
CAIRN_API uint32_t cairn_trace_field_length(const void *entry, size_t raw_bytes, uint32_t base,
                                            uint32_t location);
CAIRN_API char *cairn_trace_field_text(const void *entry, size_t raw_bytes, uint32_t base,
                                       uint32_t location);

/*
 * Returns size_bytes, or the number of bytes from `bytes` to the end of the record if that is less
 * and `bytes` is in the record. Pure.
 */
CAIRN_API size_t cairn_trace_field_within(const void *entry, size_t raw_bytes, const void *bytes,
                                          size_t size_bytes);

/* ---- functions for the code that the macros generate ---- */

/* The steps of writing an event: struct cairn_trace_write.todo. */
enum cairn_trace_do {
    CAIRN_TRACE_DO_TYPED = 1,  /* typed callbacks */
    CAIRN_TRACE_DO_RECORD = 2, /* build a record: for the ring, or for record callbacks */
    CAIRN_TRACE_DO_RAW = 4,    /* raw callbacks */
};

/* The default priority of callbacks. */
#define CAIRN_TRACE_PRIORITY 10

/* An event that is being written: on the stack of the function that writes it. */
struct cairn_trace_write {
    struct cairn_trace_event *event;
    struct cairn_trace *trace;
    struct cairn_trace_cpu *cpu;
    struct cairn_host_context context;
    const struct cairn_trace_state *direct; /* enter has reserved; NULL: see `todo` */
    uint32_t direct_bytes;                  /* of its raw part then */
    uint32_t todo;                          /* enum cairn_trace_do */
    const struct cairn_trace_state *state;
    void *raw;    /* the raw part */
    void *record; /* a whole record, which is not in a ring */
    uint32_t level;
    uint32_t size_bytes; /* of this */
    uint32_t raw_bytes;  /* as reserved */
    bool aside;          /* there is a whole record */
};

/* A dynamic field of an event that is being written. */
struct cairn_trace_dynamic {
    const void *source;  /* of a string; NULL: TP_fast_assign fills it in */
    uint32_t size_bytes; /* over UINT16_MAX: it fits into no record */
    uint32_t offset;     /* from the raw part's start */
};

/* The size of the raw part for enter. 0 bytes: not yet known. */
#define CAIRN_I_TRACE_RECORD_BYTES(raw_bytes)                                   \
    ((raw_bytes) && (raw_bytes) <= CAIRN_PAYLOAD_MAX_BYTES + CAIRN_COMMON_BYTES \
         ? (uint32_t)(raw_bytes)                                                \
         : UINT32_MAX)

/*
 * In a kernel. enter: returns what reserve would, if the event only has to be recorded; then only
 * finish is called. NULL: ret_write->todo has the steps; 0, the event is disabled, and nothing else
 * is called. raw_bytes is UINT32_MAX if it is not yet known. typed: the callbacks to call,
 * except those whose function is NULL. reserve: the raw part, common fields filled in, aligned to
 * 4; NULL: dropped and counted, or larger than any record. commit: applies the filter, calls record
 * callbacks and makes the record visible. raw: calls the raw callbacks. leave: the last. finish:
 * commit and leave. Any context.
 */
CAIRN_API void *cairn_trace_write_enter(struct cairn_trace_event *event,
                                        struct cairn_trace_write *ret_write, uint32_t raw_bytes);
CAIRN_API struct cairn_trace_callback *const *
cairn_trace_write_typed(const struct cairn_trace_write *write, uint32_t *ret_count);
CAIRN_API void *cairn_trace_write_reserve(struct cairn_trace_write *write, uint32_t raw_bytes);
CAIRN_API void cairn_trace_write_commit(struct cairn_trace_write *write);
CAIRN_API void cairn_trace_write_raw(struct cairn_trace_write *write, const uint64_t *arguments,
                                     uint32_t count);
CAIRN_API void cairn_trace_write_leave(struct cairn_trace_write *write);
CAIRN_API void cairn_trace_write_finish(struct cairn_trace_write *write);

/*
 * The same in a program, for user_events; reserve is given CAIRN_I_TRACE_USER_BYTES(raw_bytes)
 * bytes at a multiple of 4, or NULL: it is too large for a record.
 */
#define CAIRN_I_TRACE_USER_BYTES(raw_bytes) \
    (offsetof(struct cairn_record_head, common_type) + (size_t)(raw_bytes) + 8)

CAIRN_API bool cairn_i_trace_user_enter(struct cairn_trace_event *event,
                                        struct cairn_trace_write *ret_write);
CAIRN_API struct cairn_trace_callback *const *
cairn_i_trace_user_typed(const struct cairn_trace_write *write, uint32_t *ret_count);
CAIRN_API void *cairn_i_trace_user_reserve(struct cairn_trace_write *write, uint32_t raw_bytes,
                                           void *memory);
CAIRN_API void cairn_i_trace_user_commit(struct cairn_trace_write *write);
CAIRN_API void cairn_i_trace_user_raw(struct cairn_trace_write *write, const uint64_t *arguments,
                                      uint32_t count);
CAIRN_API void cairn_i_trace_user_leave(struct cairn_trace_write *write);

/* ---- programs: registration ---- */

/*
 * Registers typed tracepoints with user_events, each under the name SYSTEM_NAME. Those of a program
 * or shared object register themselves before main() and when it is loaded, and unregister when it
 * is unloaded; calling it again registers those that failed, and returns the error.
 *
 * start, stop  the section: cairn_trace_events_register(__start_cairn_trace_events,
 *              __stop_cairn_trace_events)
 *
 * Returns 0; E2BIG a name or the fields are too long for user_events; EPROTONOSUPPORT a tracepoint
 * was compiled with headers of a later version; ENOMEM; or the error of
 * cairn_tracepoint_register. All others are registered nevertheless. Any thread. Not in signal
 * handlers.
 */
CAIRN_API int cairn_trace_events_register(struct cairn_trace_event *const *start,
                                          struct cairn_trace_event *const *stop);

/*
 * Unregisters typed tracepoints; their callbacks are removed, and none is running on return.
 * Returns 0; EINPROGRESS called by a callback: another thread may still be running one; EBUSY as
 * for cairn_tracepoint_unregister. Any thread. Not in signal handlers.
 */
CAIRN_API int cairn_trace_events_unregister(struct cairn_trace_event *const *start,
                                            struct cairn_trace_event *const *stop);

/*
 * The number of events that the system's own tracing did not accept. On Linux: that were too large
 * for the recorders of the kernel's user_events, which may have reached others; cairn's sessions
 * count the events that they lose themselves. On Windows: that ETW refused, mostly because they
 * were too large for it or for a session; not those for which a session had no space, which ETW
 * counts. Any thread.
 */
CAIRN_API uint64_t cairn_trace_events_lost(void);

#ifdef __cplusplus
}
#endif

#include <cairn/typed_tracepoint/dynamic.h>
#include <cairn/typed_tracepoint/generate.h>
#include <cairn/typed_tracepoint/words.h>

/* ---- definitions ---- */

/*
 * Defines a tracepoint. The parts are named as in Linux, in this order:
 *
 *   TP_SYSTEM(identifier)     the directory that the event is in
 *   TP_PROTO(parameters)      of trace_NAME(); TP_PROTO(void) for none
 *   TP_ARGS(names)            the parameters' names, at most sixteen
 *   TP_STRUCT__entry(fields)  __field(type, name) and so on, one after the other without commas
 *   TP_fast_assign(code)      fills in *__entry
 *   TP_printk(format, ...)    as cairn_text_printf
 *
 * With CAIRN_TRACEPOINTS_DECLARE_ONLY defined the macros declare what another source defines.
 */
#define CAIRN_TRACEPOINT(name, ...)                                                \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_,                                         \
                      CAIRN_I_TRACE_SPAEFT(name, ##__VA_ARGS__, , , , , , , , , )) \
    (name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_WRONG(name, ...) \
    CAIRN_I_TRACE_WRONG_SPAEFT(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_GOOD(name, system, proto, args, entry, assign, print, ...)        \
    CAIRN_I_TRACE_QUIET                                                                      \
    CAIRN_I_TRACE_CLASS(name, CAIRN_I_TRACE_PART_##system, CAIRN_I_TRACE_PART_##proto,       \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##entry,               \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print,             \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ));                   \
    CAIRN_I_TRACE_EVENT(name, name, CAIRN_I_TRACE_PART_##system, CAIRN_I_TRACE_PART_##proto, \
                        CAIRN_I_TRACE_PART_##args, (true))                                   \
    CAIRN_I_TRACE_QUIET_END

/* The same with TP_CONDITION(expression) after TP_ARGS: the event is written only if that is true.
 * It is evaluated only while the event is enabled. */
#define CAIRN_TRACEPOINT_CONDITION(name, ...)                                       \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_CONDITION_,                                \
                      CAIRN_I_TRACE_SPACEFT(name, ##__VA_ARGS__, , , , , , , , , )) \
    (name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_CONDITION_WRONG(name, ...) \
    CAIRN_I_TRACE_WRONG_SPACEFT(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_CONDITION_GOOD(name, system, proto, args, condition, entry, assign, \
                                          print, ...)                                          \
    CAIRN_I_TRACE_QUIET                                                                        \
    CAIRN_I_TRACE_CLASS(name, CAIRN_I_TRACE_PART_##system, CAIRN_I_TRACE_PART_##proto,         \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##entry,                 \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print,               \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ));                     \
    CAIRN_I_TRACE_EVENT(name, name, CAIRN_I_TRACE_PART_##system, CAIRN_I_TRACE_PART_##proto,   \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##condition)             \
    CAIRN_I_TRACE_QUIET_END

/* Defines what several events share: everything but name and system. Defines no event itself. */
#define CAIRN_TRACEPOINT_CLASS(name, ...)                                          \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_CLASS_,                                   \
                      CAIRN_I_TRACE_SPAEFT(name, ##__VA_ARGS__, , , , , , , , , )) \
    (name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_CLASS_WRONG(name, ...) \
    CAIRN_I_TRACE_WRONG_SPAEFT(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_CLASS_GOOD(name, system, proto, args, entry, assign, print, ...) \
    CAIRN_I_TRACE_QUIET                                                                     \
    CAIRN_I_TRACE_CLASS(name, CAIRN_I_TRACE_PART_##system, CAIRN_I_TRACE_PART_##proto,      \
                        CAIRN_I_TRACE_PART_##args, CAIRN_I_TRACE_PART_##entry,              \
                        CAIRN_I_TRACE_PART_##assign, CAIRN_I_TRACE_PART_##print,            \
                        CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))                   \
    CAIRN_I_TRACE_QUIET_END

/* An event of a class; TP_PROTO and TP_ARGS repeat the class's. */
#define CAIRN_TRACEPOINT_EVENT(event_class, name, ...)                          \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_EVENT_,                                \
                      CAIRN_I_TRACE_SPA(name, ##__VA_ARGS__, , , , , , , , , )) \
    (event_class, name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_EVENT_WRONG(event_class, name, ...) \
    CAIRN_I_TRACE_WRONG_SPA(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_EVENT_GOOD(event_class, name, system, proto, args, ...) \
    CAIRN_I_TRACE_CHECK_NAME(name, CAIRN_I_TRACE_PART_##system)                    \
    CAIRN_I_TRACE_EVENT(event_class, name, CAIRN_I_TRACE_PART_##system,            \
                        CAIRN_I_TRACE_PART_##proto, CAIRN_I_TRACE_PART_##args, (true))

#define CAIRN_TRACEPOINT_EVENT_CONDITION(event_class, name, ...)                 \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_EVENT_CONDITION_,                       \
                      CAIRN_I_TRACE_SPAC(name, ##__VA_ARGS__, , , , , , , , , )) \
    (event_class, name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_EVENT_CONDITION_WRONG(event_class, name, ...) \
    CAIRN_I_TRACE_WRONG_SPAC(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_EVENT_CONDITION_GOOD(event_class, name, system, proto, args, condition, \
                                                ...)                                               \
    CAIRN_I_TRACE_CHECK_NAME(name, CAIRN_I_TRACE_PART_##system)                                    \
    CAIRN_I_TRACE_EVENT(event_class, name, CAIRN_I_TRACE_PART_##system,                            \
                        CAIRN_I_TRACE_PART_##proto, CAIRN_I_TRACE_PART_##args,                     \
                        CAIRN_I_TRACE_PART_##condition)

/* An event of a class with a TP_printk of its own. */
#define CAIRN_TRACEPOINT_EVENT_PRINT(event_class, name, ...)                     \
    CAIRN_I_TRACE_CAT(CAIRN_I_TRACEPOINT_EVENT_PRINT_,                           \
                      CAIRN_I_TRACE_SPAT(name, ##__VA_ARGS__, , , , , , , , , )) \
    (event_class, name, ##__VA_ARGS__, )
#define CAIRN_I_TRACEPOINT_EVENT_PRINT_WRONG(event_class, name, ...) \
    CAIRN_I_TRACE_WRONG_SPAT(name, ##__VA_ARGS__, , , , , , , , , )
#define CAIRN_I_TRACEPOINT_EVENT_PRINT_GOOD(event_class, name, system, proto, args, print, ...) \
    CAIRN_I_TRACE_QUIET                                                                         \
    CAIRN_I_TRACE_CHECK_NAME(name, CAIRN_I_TRACE_PART_##system)                                 \
    CAIRN_I_TRACE_EVENT_PRINT(event_class, name, CAIRN_I_TRACE_PART_##system,                   \
                              CAIRN_I_TRACE_PART_##proto, CAIRN_I_TRACE_PART_##args,            \
                              CAIRN_I_TRACE_PART_##print,                                       \
                              CAIRN_I_WORD(TEXT, CAIRN_I_TRACE_PART_##print, ))                 \
    CAIRN_I_TRACE_QUIET_END

#endif
