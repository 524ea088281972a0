/* SPDX-License-Identifier: MIT */
/*
 * The tracepoint: a named thing that can be enabled and written to.
 *
 * The status of a tracepoint is one byte, reached through one pointer, so that a disabled
 * tracepoint costs two loads and a branch whatever backends are in use. The byte is the
 * tracepoint's in the status page of the local engine. A kernel with user_events sets one bit *of
 * the pointer* when a tracer attaches: the pointer then refers to a page of ones. Either way the
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

/* Never written to by users: an event that is not registered looks here. */
extern CAIRN_API const unsigned char cairn_i_never_enabled[8];

/*
 * A tracepoint's members are not the user's: initialize it with CAIRN_TRACEPOINT_INIT and hand it
 * to the functions of cairn/user_events.h. Zeros are no tracepoint: registering them is refused
 * with EINVAL, but cairn_tracepoint_is_enabled, which has no instruction to spare, must not see
 * them before.
 */
struct cairn_tracepoint {
    const unsigned char *enabled;   /* the byte to look at; never NULL */
    void *local;                    /* the local engine's entry, or NULL */
    uint64_t sample_id;             /* of its records: the entry's generation and common_type */
    int32_t kernel_index;           /* the kernel's write index, or -1 */
    uint32_t kernel_epoch;          /* of the kernel's file when it was registered there */
    uint32_t fixed_bytes;           /* of a payload, at least */
    bool registered;                /* between register and unregister */
    bool own;                       /* the process itself listens, by callbacks */
    bool late;                      /* the local engine takes it as soon as it can */
    uint8_t version;                /* CAIRN_I_TRACEPOINT_VERSION */
    struct cairn_tracepoint *next;  /* all registered tracepoints of the process */
    struct cairn_tracepoint **link; /* what points to this one among them */
    const char *command;    /* the command text it was registered with; the caller's memory */
    uint32_t dynamic_count; /* of its dynamic fields */
    uint32_t dynamic[7];    /* where the first of them are */
    uint32_t forks;         /* so often the process had forked when this was registered */
    uint32_t reserved;      /* zero, as the next */
    void *reserved_state;   /* for what a later library remembers of it */
};

/* The version of the struct, in each object that a program contains. A library knows its own
 * version and all before it. */
#define CAIRN_I_TRACEPOINT_VERSION 1

#define CAIRN_TRACEPOINT_INIT                                                                      \
    {                                                                                              \
        cairn_i_never_enabled, 0, 0, -1, 0, 0, false, false, false, CAIRN_I_TRACEPOINT_VERSION, 0, \
            0, 0, 0, {0}, 0, 0, 0                                                                  \
    }

#define cairn_likely(x)   __builtin_expect(!!(x), 1)
#define cairn_unlikely(x) __builtin_expect(!!(x), 0)

/* The byte is found through the pointer, so every machine loads them in this order. Thread
 * sanitizers do not know that, and are told. */
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

/* True while anybody listens. Any thread, any signal handler; also before registration. */
static inline bool cairn_tracepoint_is_enabled(const struct cairn_tracepoint *tracepoint)
{
    const unsigned char *byte = __atomic_load_n(&tracepoint->enabled, CAIRN_I_ORDER_DEPENDENT);

    return __atomic_load_n(byte, __ATOMIC_RELAXED) != 0;
}

#ifdef __cplusplus
}
#endif

#endif
