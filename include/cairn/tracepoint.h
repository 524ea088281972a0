/* SPDX-License-Identifier: MIT */
/*
 * The tracepoint: a named object that can be enabled and written to.
 *
 * The status of a tracepoint is one byte, reached through one pointer, so that a disabled
 * tracepoint costs two loads and a branch, whatever backends are in use. The byte is the
 * tracepoint's in the status page of the local engine. A kernel with user_events sets one bit *of
 * the pointer* when a tracer attaches: the pointer then leads to a page of ones. In both cases the
 * byte is not zero while the tracepoint is enabled. (docs/architecture.md, "One check, two
 * backends")
 */
#ifndef CAIRN_TRACEPOINT_H
#define CAIRN_TRACEPOINT_H

#include <cairn/api.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Users never write to it: the status of tracepoints that are not registered. */
extern CAIRN_API const unsigned char cairn_i_never_enabled[8];

/*
 * The members of a tracepoint are internal: initialize it with CAIRN_TRACEPOINT_INIT and pass it to
 * the functions of cairn/user_events.h. Zeros are not a valid tracepoint: registering them fails
 * with EINVAL, but cairn_tracepoint_is_enabled does not check for them, to save an instruction: it
 * must not be called before.
 */
struct cairn_tracepoint {
    const unsigned char *enabled;   /* the status byte; never NULL */
    void *local;                    /* the local engine's entry, or NULL */
    uint64_t sample_id;             /* id of its records: the entry's generation and common_type */
    int32_t kernel_index;           /* the kernel's write index, or -1 */
    uint32_t kernel_epoch;          /* of the kernel's file at the time of registration */
    uint32_t fixed_bytes;           /* minimal size of a payload */
    bool registered;                /* between register and unregister */
    bool own;                       /* the process itself has callbacks */
    unsigned char late;             /* the local engine will accept it as soon as it can */
    uint8_t version;                /* CAIRN_I_TRACEPOINT_VERSION */
    struct cairn_tracepoint *next;  /* next registered tracepoint of the process */
    struct cairn_tracepoint **link; /* the pointer that leads to this one in that list */
    const char *command;            /* the command text of its registration; memory of the caller */
    uint32_t dynamic_count;         /* number of its dynamic fields */
    uint32_t dynamic[7];            /* positions of the first of them */
    uint32_t forks;                 /* number of forks of the process before its registration */
    uint32_t descriptor;            /* id of its descriptor, for the local engine; 0: none yet */
    const void *site;               /* the one call site that writes to it (cairn/eventheader.h) */
    void *reserved_state;           /* for what a later library remembers of it */
};

/* The version of the struct, in each object that a program contains. A library knows its own
 * version and all before it. */
#define CAIRN_I_TRACEPOINT_VERSION 1

#define CAIRN_TRACEPOINT_INIT                                                                     \
    {                                                                                             \
        cairn_i_never_enabled, 0, 0, -1, 0, 0, false, false, 0, CAIRN_I_TRACEPOINT_VERSION, 0, 0, \
            0, 0, {0}, 0, 0, 0, 0                                                                 \
    }

#define cairn_likely(x)   __builtin_expect(!!(x), 1)
#define cairn_unlikely(x) __builtin_expect(!!(x), 0)

/* The byte is found through the pointer, so every machine loads the two in this order. Thread
 * sanitizers need the order stated. */
#ifdef __has_feature /* clang */
#if __has_feature(thread_sanitizer)
#define CAIRN_I_ORDER_DEPENDENT __ATOMIC_ACQUIRE
#endif
#elif defined(__SANITIZE_THREAD__)
#define CAIRN_I_ORDER_DEPENDENT __ATOMIC_ACQUIRE
#endif
#ifndef CAIRN_I_ORDER_DEPENDENT
#define CAIRN_I_ORDER_DEPENDENT __ATOMIC_RELAXED
#endif

/* True if any backend is enabled. Any thread, any signal handler; also before registration. */
static inline bool cairn_tracepoint_is_enabled(const struct cairn_tracepoint *tracepoint)
{
    const unsigned char *byte = __atomic_load_n(&tracepoint->enabled, CAIRN_I_ORDER_DEPENDENT);

    return __atomic_load_n(byte, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif

#endif
