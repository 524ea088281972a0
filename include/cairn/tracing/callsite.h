/* SPDX-License-Identifier: MIT */
/* A call site: a place in a program that emits events or spans. It is a static object outside the
 * code, with everything that layers know of the call site. The call sites of an executable or a
 * shared object are found through linker section cairn_i_callsites when it is loaded. */
#pragma GCC system_header
#ifndef CAIRN_TRACING_CALLSITE_H
#define CAIRN_TRACING_CALLSITE_H

#include <cairn/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The levels, with their numbers in EventHeader and ETW events; TRACE is one more than verbose. */
enum cairn_tracing_level {
    CAIRN_TRACING_OFF = 1,
    CAIRN_TRACING_ERROR = 2,
    CAIRN_TRACING_WARN = 3,
    CAIRN_TRACING_INFO = 4,
    CAIRN_TRACING_DEBUG = 5,
    CAIRN_TRACING_TRACE = 6,
};

enum cairn_callsite_kind {
    CAIRN_CALLSITE_EVENT,
    CAIRN_CALLSITE_SPAN,
};

#define CAIRN_TRACING_FIELDS_MAX 32u /* of one event or span */

struct cairn_i_tracing_object;

struct cairn_callsite {
    const struct cairn_tracepoint *gate; /* internal: NULL while no layer wants this call site */
    const char *name;
    const char *target;        /* given, or the file's name without ending, after its module */
    const char *file;          /* without directories */
    const char *const *fields; /* names */
    uint32_t line;
    uint32_t field_count;
    uint64_t keyword; /* 0: none given */
    uint16_t tag;
    uint8_t level; /* enum cairn_tracing_level */
    uint8_t kind;  /* enum cairn_callsite_kind */

    /* The following members are internal, except target_bytes. */
    uint32_t target_bytes; /* the target has no NUL at its end */
    uint32_t wanted;       /* bitmap of layers */
    uint32_t maybe;        /* bitmap of those that want it only in some spans */
    bool is_known;
    uint8_t version;     /* CAIRN_I_CALLSITE_VERSION */
    uint8_t reserved[6]; /* zero */
    struct cairn_i_tracing_object *object;
    struct cairn_callsite *next;
    void *state; /* what a layer of the library remembers of it */
};

#define CAIRN_I_CALLSITE_VERSION 1

/* Distances from the members themselves: they need no relocations. */
struct cairn_i_callsite_distance {
    int32_t site;
};

/* The call sites of an executable or a shared object. */
struct cairn_i_tracing_object {
    const struct cairn_i_callsite_distance *begin;
    const struct cairn_i_callsite_distance *end;
};

/* Gates: of call sites that are not registered yet, and of those that are always wanted. */
extern CAIRN_API const struct cairn_tracepoint cairn_i_gate_new;
extern CAIRN_API const struct cairn_tracepoint cairn_i_gate_always;

CAIRN_API void cairn_i_tracing_load(struct cairn_i_tracing_object *object);
CAIRN_API void cairn_i_tracing_unload(struct cairn_i_tracing_object *object);

/* Registers a call site; false: no layer wants it. */
CAIRN_API __attribute__((cold)) bool cairn_i_callsite_meet(struct cairn_callsite *site);

#ifdef _WIN32
/* On Windows a call site is registered when it is reached for the first time. */
struct cairn_i_tracing_object cairn_i_tracing_object __attribute__((selectany)) = {0, 0};
#else
extern const struct cairn_i_callsite_distance __start_cairn_i_callsites[]
    __attribute__((weak, visibility("hidden")));
extern const struct cairn_i_callsite_distance __stop_cairn_i_callsites[]
    __attribute__((weak, visibility("hidden")));

/* There is one of each in an executable or a shared object, from whichever file the linker takes
 * it. */
extern struct cairn_i_tracing_object cairn_i_tracing_object
    __attribute__((weak, visibility("hidden")));
struct cairn_i_tracing_object cairn_i_tracing_object = {__start_cairn_i_callsites,
                                                        __stop_cairn_i_callsites};
#endif

/* Runs once for each file; only the first call has an effect. */
static __attribute__((constructor)) void cairn_i_tracing_loaded(void)
{
    cairn_i_tracing_load(&cairn_i_tracing_object);
}

static __attribute__((destructor)) void cairn_i_tracing_unloaded(void)
{
    cairn_i_tracing_unload(&cairn_i_tracing_object);
}

/* The whole cost of a call site that no layer wants: a load and a branch; while a layer is
 * installed that writes to a disabled tracepoint, or others may change the filters
 * (cairn-filter(1)), also the two loads of a tracepoint. */
static inline bool cairn_i_callsite_on(struct cairn_callsite *site)
{
    const struct cairn_tracepoint *gate = __atomic_load_n(&site->gate, __ATOMIC_RELAXED);

    /* "Likely" keeps the second check in line: most layers write to disabled tracepoints. */
    return cairn_likely(gate) && cairn_unlikely(cairn_tracepoint_is_enabled(gate)) &&
           cairn_likely(gate != &cairn_i_gate_new || cairn_i_callsite_meet(site));
}

#ifdef __cplusplus
}

extern "C++" {
/* Names of fields, and a NULL. */
template <unsigned size> struct cairn_i_names {
    static constexpr unsigned count = size;
    const char *names[size];
};

template <class... names> constexpr cairn_i_names<sizeof...(names)> cairn_i_list(names... all)
{
    return {{all...}};
}

/* A call site in C++, identified by a local type. A static variable of an inline function could
 * belong to another library, and g++ would prevent that library from being unloaded; this one is
 * hidden: each shared object has its own. */
template <class here> struct __attribute__((visibility("hidden"))) cairn_i_callsite_of {
    static constexpr auto names = here::names();
    static cairn_callsite site;
};
template <class here> cairn_callsite cairn_i_callsite_of<here>::site = here::site(names.names);

/* A call site that is registered when it is reached for the first time. */
struct __attribute__((visibility("hidden"))) cairn_i_late_callsite {
    constexpr cairn_i_late_callsite(const cairn_callsite &known, const char *name) : site(known)
    {
        if (!site.name)
            site.name = name;
    }
    cairn_callsite site;
};
}
#define CAIRN_I_CALLSITE_OF_SECTION cairn_i_callsite_of<cairn_i_here>::site
#else
#define CAIRN_I_CALLSITE_OF_SECTION cairn_i_callsite
#endif

#if defined(__aarch64__) || defined(__riscv)
#define CAIRN_I_CALLSITE_SYMBOL "S"
#else
#define CAIRN_I_CALLSITE_SYMBOL "i"
#endif
/* Prints an address without the mark of a number; these architectures have no mark, and no modifier
 * `c` or another one. */
#if defined(__riscv) || defined(__s390__)
#define CAIRN_I_CALLSITE_ADDRESS "%0"
#else
#define CAIRN_I_CALLSITE_ADDRESS "%c0"
#endif
#ifdef _WIN32
#define CAIRN_I_CALLSITE_SECTION
#else
#define CAIRN_I_CALLSITE_SECTION                                               \
    __asm__ volatile(".pushsection cairn_i_callsites, \"aR?\", %%progbits\n\t" \
                     ".balign 4\n\t"                                           \
                     ".long " CAIRN_I_CALLSITE_ADDRESS " - .\n\t"              \
                     ".popsection"                                             \
                     :                                                         \
                     : CAIRN_I_CALLSITE_SYMBOL(&CAIRN_I_CALLSITE_OF_SECTION))
#endif

#ifdef __FILE_NAME__
#define CAIRN_I_FILE_NAME __FILE_NAME__
#else
#define CAIRN_I_FILE_NAME __FILE__
#endif

/* A program may define these before it includes this header, for one file or for many:
 * -DCAIRN_MODULE='"net"' makes net::conn the target of call sites in conn.c, -DCAIRN_TARGET='"net"'
 * makes it net. */
#ifdef CAIRN_MODULE
#define CAIRN_I_FILE CAIRN_MODULE "::" CAIRN_I_FILE_NAME
#else
#define CAIRN_I_FILE CAIRN_I_FILE_NAME
#endif
#ifndef CAIRN_TARGET
#define CAIRN_TARGET 0
#endif

#endif
