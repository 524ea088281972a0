/* SPDX-License-Identifier: MIT */
/* A provider in a program on Windows: what CAIRN_PROVIDER defines. provider.h is the same for
 * Linux. */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_ETW_PROVIDER_H
#define CAIRN_EVENTHEADER_ETW_PROVIDER_H

#include <cairn/api.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a provider's metadata: its size, its name, and a trait of 19 bytes for the group. */
#define CAIRN_I_ETW_TRAITS_MAX_BYTES 224

/* A group of events with one name. Defined by CAIRN_PROVIDER; its members are internal. The enable
 * callback changes the first three while threads read them. */
struct cairn_provider {
    uint32_t levels;      /* enabled levels are below this; 0: disabled */
    uint32_t version;     /* CAIRN_I_PROVIDER_VERSION */
    uint64_t keyword_any; /* an event has one of these ... */
    uint64_t keyword_all; /* ... and all of these, unless it has no keyword */
    uint64_t handle;      /* of the registration; 0: none */
    const char *name;
    const char *id;           /* as text; "": that of the name */
    const char *group_id;     /* as text; "": none */
    void *lock;               /* an SRWLOCK: of the registration */
    uint32_t state;           /* enum etw_state */
    uint32_t callback_thread; /* the thread that is in the enable callback */
    void (*capture_state)(void *context);
    void *context;
    void *reserved_state[2]; /* for what a later library remembers of it */
    uint8_t traits[CAIRN_I_ETW_TRAITS_MAX_BYTES];
};

#define CAIRN_I_PROVIDER_VERSION 1

/* A few loads: that of the levels decides while no session wants the provider. */
static inline bool cairn_i_etw_is_enabled(const struct cairn_provider *provider, uint32_t level,
                                          uint64_t keyword)
{
    uint64_t all;

    if (level >= __atomic_load_n(&provider->levels, __ATOMIC_RELAXED))
        return false;
    all = __atomic_load_n(&provider->keyword_all, __ATOMIC_RELAXED);
    return !keyword || ((keyword & __atomic_load_n(&provider->keyword_any, __ATOMIC_RELAXED)) &&
                        (keyword & all) == all);
}

#ifdef __cplusplus
}
#endif

#define CAIRN_I_PROVIDER_DEFINE(attribute, symbol, name, group, options, id, group_id) \
    attribute struct cairn_provider symbol = {                                         \
        0, CAIRN_I_PROVIDER_VERSION, 0, 0, 0, "" name, id, group_id, 0, 0, 0, 0, 0, {0, 0}, {0}}

/* Before a DLL is unloaded its providers must be unregistered: ETW calls back into it. */
#define CAIRN_I_PROVIDER_UNLOAD(symbol)                                        \
    static __attribute__((destructor(101))) void cairn_i_unload_##symbol(void) \
    {                                                                          \
        cairn_i_provider_unload(&symbol);                                      \
    }

/* Only for the files of one executable or DLL: others do not see it in any case. */
#define CAIRN_I_PROVIDER_OWN

/* A definition that other files may contain too. */
#define CAIRN_I_PROVIDER_SHARED __attribute__((selectany))

#endif
