/* SPDX-License-Identifier: MIT */
/* A provider in a program: what CAIRN_PROVIDER defines. */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_PROVIDER_H
#define CAIRN_EVENTHEADER_PROVIDER_H

#include <cairn/eventheader/call_site.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A group of events with one name. Defined by CAIRN_PROVIDER; its members are internal. */
struct cairn_provider {
    const char *name;
    const char *group;                    /* "": none */
    const char *options;                  /* other options; "": none */
    struct cairn_i_site *sites;           /* all call sites of this program or object ... */
    const struct cairn_i_site *sites_end; /* ... that write events, of all providers */
    struct cairn_i_name *names;           /* texts that registered tracepoints refer to */
    int registered;
    uint32_t first;          /* number of its first call site; 0: none, or not looked up yet */
    uint32_t version;        /* CAIRN_I_PROVIDER_VERSION */
    uint32_t reserved;       /* zero; so is the next member */
    void *reserved_state[2]; /* for later versions of the library */
};

#define CAIRN_I_PROVIDER_VERSION 1

/* Defined by the linker for each executable or shared object; NULL if it has no call sites. */
extern struct cairn_i_site __start_cairn_i_sites[] __attribute__((weak, visibility("hidden")));
extern const struct cairn_i_site __stop_cairn_i_sites[] __attribute__((weak, visibility("hidden")));

#ifdef __cplusplus
}
#endif

#define CAIRN_I_PROVIDER_DEFINE(attribute, symbol, name, group, options, id, group_id) \
    attribute struct cairn_provider symbol = {                                         \
        "" name, group, options, __start_cairn_i_sites,    __stop_cairn_i_sites,       \
        0,       0,     0,       CAIRN_I_PROVIDER_VERSION, 0,                          \
        {0, 0}}

/* A shared object may be unloaded while its provider is registered: the tracepoints must be
 * unregistered. This runs after the destructors of others, which may write events. A program that
 * includes a header with a provider, but uses nothing of the library, need not link the library. */
#define CAIRN_I_PROVIDER_UNLOAD(symbol)                                        \
    static __attribute__((destructor(101))) void cairn_i_unload_##symbol(void) \
    {                                                                          \
        if (cairn_i_provider_unload)                                           \
            cairn_i_provider_unload(&symbol);                                  \
    }

/* Visible in the files of one executable or shared object only. */
#define CAIRN_I_PROVIDER_OWN __attribute__((visibility("hidden")))

/* A definition that other files may contain too. */
#define CAIRN_I_PROVIDER_SHARED __attribute__((weak))

#endif
