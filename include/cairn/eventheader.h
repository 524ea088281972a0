/* SPDX-License-Identifier: MIT */
/*
 * EventHeader: events that carry their own metadata, each written with one macro.
 *
 *   CAIRN_PROVIDER(my_provider, "MyCompany_MyComponent");
 *
 *   err = cairn_provider_register(&my_provider);
 *   CAIRN_WRITE_EVENT(my_provider, "MyEventName", level(WARNING), keyword(0x23),
 *                     str8("Field1", text), u32("Field2", 42),
 *                     struct("Peer", ipv4("Address", &addr.sin_addr), port("Port",
 * addr.sin_port))); cairn_provider_unregister(&my_provider);
 *
 * The words inside are no macros of their own: `level`, `str8`, `struct` are pasted onto a prefix,
 * so no short name leaks into the program. docs/eventheader.md lists them all.
 */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_H
#define CAIRN_EVENTHEADER_H

#include <cairn/eventheader/call_site.h>
#include <cairn/guid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- providers ---- */

/* A group of events with one name. Made by CAIRN_PROVIDER; its members are not the user's. */
struct cairn_provider {
    const char *name;
    const char *group;                    /* "": none */
    const char *options;                  /* "": none besides */
    struct cairn_i_site *sites;           /* all places of this executable or shared object ... */
    const struct cairn_i_site *sites_end; /* ... that write events of any provider */
    struct cairn_i_name *names;           /* texts that registered tracepoints refer to */
    int registered;
    uint32_t first;          /* number of its first place; 0: none, or not yet looked for */
    uint32_t version;        /* CAIRN_I_PROVIDER_VERSION */
    uint32_t reserved;       /* zero, as the next */
    void *reserved_state[2]; /* for what a later library remembers of it */
};

#define CAIRN_I_PROVIDER_VERSION 1

/* Made by the linker, one pair for each executable or shared object; NULL when it has no places. */
extern struct cairn_i_site __start_cairn_i_sites[] __attribute__((weak, visibility("hidden")));
extern const struct cairn_i_site __stop_cairn_i_sites[] __attribute__((weak, visibility("hidden")));

/*
 * CAIRN_PROVIDER(symbol, "Name", options...) defines a provider, at file scope. The name is a
 * string literal, of letters, digits and underscores for the sake of other tools; spaces, colons,
 * semicolons and control characters do not compile. Options stand at the end of the names of the
 * provider's tracepoints, so that a recorder can choose by them:
 *
 *   group_name("group")    the provider's group, of lower-case letters and digits: "*Ggroup"
 *   options("AoneZtwo")    others: upper-case letters in alphabetical order, each with a value of
 *                          lower-case letters and digits, which may be empty
 *   id(...), group_id(...) ignored: they mean something to ETW
 *
 * Other files of the same executable or shared object that write its events say
 * CAIRN_PROVIDER_DECLARE(symbol); a header may do so. A header may also define a provider, for all
 * files that include it, by CAIRN_PROVIDER_INLINE, which takes what CAIRN_PROVIDER takes: there is
 * one in an executable or shared object then. (All of these files are compiled with -flto, or none:
 * gcc does not join the two kinds.)
 */
#define CAIRN_PROVIDER(symbol, ...) CAIRN_I_PROVIDER(, symbol, __VA_ARGS__, , , , , , )
#define CAIRN_PROVIDER_INLINE(symbol, ...) \
    CAIRN_I_PROVIDER(__attribute__((weak)), symbol, __VA_ARGS__, , , , , , )
#define CAIRN_I_PROVIDER(attribute, symbol, name, option, option2, option3, option4, option5, ...) \
    CAIRN_I_ASSERT(                                                                                \
        CAIRN_I_EACH_ONCE(CAIRN_I_PICK(CAIRN_I_PROVIDER_IS_##option, 16, ),                        \
                          CAIRN_I_PICK(CAIRN_I_PROVIDER_IS_##option2, 16, ),                       \
                          CAIRN_I_PICK(CAIRN_I_PROVIDER_IS_##option3, 16, ),                       \
                          CAIRN_I_PICK(CAIRN_I_PROVIDER_IS_##option4, 16, ),                       \
                          CAIRN_I_PICK(CAIRN_I_PROVIDER_IS_##option5, 16, )),                      \
        "cairn: a provider takes group_name(...) and options(...), and ignores id(...) "           \
        "and group_id(...), each once: " #symbol);                                                 \
    CAIRN_I_PROVIDER_DEFINE(                                                                       \
        attribute, symbol, name,                                                                   \
        "" CAIRN_I_PROVIDER_GROUP_##option CAIRN_I_PROVIDER_GROUP_##option2                        \
            CAIRN_I_PROVIDER_GROUP_##option3 CAIRN_I_PROVIDER_GROUP_##option4,                     \
        "" CAIRN_I_PROVIDER_OPTIONS_##option CAIRN_I_PROVIDER_OPTIONS_##option2                    \
            CAIRN_I_PROVIDER_OPTIONS_##option3 CAIRN_I_PROVIDER_OPTIONS_##option4)
#define CAIRN_I_EACH_ONCE(a, b, c, d, e)   \
    (((a) | (b) | (c) | (d) | (e)) < 16 && \
     ((a) | (b) | (c) | (d) | (e)) == (a) + (b) + (c) + (d) + (e))
#define CAIRN_I_PROVIDER_IS_                CAIRN_I_HIT(0)
#define CAIRN_I_PROVIDER_IS_group_name(...) CAIRN_I_HIT(1)
#define CAIRN_I_PROVIDER_IS_options(...)    CAIRN_I_HIT(2)
#define CAIRN_I_PROVIDER_IS_id(...)         CAIRN_I_HIT(4)
#define CAIRN_I_PROVIDER_IS_group_id(...)   CAIRN_I_HIT(8)
#define CAIRN_I_PROVIDER_DEFINE(attribute, symbol, name, group, options)                         \
    CAIRN_I_ASSERT(CAIRN_I_IS_NAME(name),                                                        \
                   "cairn: a provider's name must be a string literal without a NUL: " #name);   \
    CAIRN_I_ASSERT(                                                                              \
        sizeof(name) > 1 && sizeof(name) + sizeof(group) + sizeof(options) <= 202,               \
        "cairn: a provider's name has 1 to 199 bytes, with its options 199 too: " #name);        \
    CAIRN_I_CHARACTERS(_NAME, symbol, name,                                                      \
                       "cairn: a provider's name has no spaces, colons, semicolons or control "  \
                       "characters: " #name)                                                     \
    CAIRN_I_CHARACTERS(_GROUP, symbol, group,                                                    \
                       "cairn: the group_name of provider " #name                                \
                       " has lower-case letters and digits alone")                               \
    CAIRN_I_CHARACTERS(_OPTION, symbol, options,                                                 \
                       "cairn: the options of provider " #name " have letters and digits alone") \
    CAIRN_PROVIDER_DECLARE(symbol);                                                              \
    CAIRN_I_PROVIDER_UNLOAD(symbol)                                                              \
    attribute struct cairn_provider symbol = {                                                   \
        "" name, group, options, __start_cairn_i_sites,    __stop_cairn_i_sites,                 \
        0,       0,     0,       CAIRN_I_PROVIDER_VERSION, 0,                                    \
        {0, 0}}
#define CAIRN_I_PROVIDER_GROUP_
#define CAIRN_I_PROVIDER_GROUP_group_name(group) group
#define CAIRN_I_PROVIDER_GROUP_options(...)
#define CAIRN_I_PROVIDER_GROUP_id(...)
#define CAIRN_I_PROVIDER_GROUP_group_id(...)
#define CAIRN_I_PROVIDER_OPTIONS_
#define CAIRN_I_PROVIDER_OPTIONS_group_name(...)
#define CAIRN_I_PROVIDER_OPTIONS_options(options) options
#define CAIRN_I_PROVIDER_OPTIONS_id(...)
#define CAIRN_I_PROVIDER_OPTIONS_group_id(...)

/* A shared object may be unloaded while its provider is registered: nobody must find it afterwards.
 * This runs after the destructors of others, which may write events. Who includes a header with a
 * provider, and uses nothing of the library, need not link it. */
#define CAIRN_I_PROVIDER_UNLOAD(symbol)                                        \
    static __attribute__((destructor(101))) void cairn_i_unload_##symbol(void) \
    {                                                                          \
        if (cairn_i_provider_unload)                                           \
            cairn_i_provider_unload(&symbol);                                  \
    }

#define CAIRN_PROVIDER_DECLARE(symbol) \
    extern struct cairn_provider symbol __attribute__((visibility("hidden")))

/*
 * Registers the tracepoints of the provider: one for each level and keyword in use, named
 * PROVIDER_LlevelKkeyword, both in hexadecimal: MyCompany_MyComponent_L3K23, with a group
 * MyCompany_MyComponent_L3K23Ggroup. Before it, writing events is harmless and does nothing.
 *
 * Returns 0; EALREADY it is registered; EPROTONOSUPPORT the provider, or one of its call sites, was
 * compiled with headers of a later version; EINVAL a provider that was not made by
 * CAIRN_PROVIDER, such as one of zeros, or a name, a group or options that are not as described
 * above; ENOMEM; or the first failure of cairn_tracepoint_register: the other places are registered
 * all the same. Before a sandbox, after fork: as cairn_tracepoint_register. Any thread. Not in
 * signal handlers.
 */
CAIRN_API int cairn_provider_register(struct cairn_provider *provider);

/*
 * Takes that back. The provider may be registered again. A shared object that is unloaded
 * unregisters its providers itself, and cannot learn of an error: call this before.
 *
 * Returns 0; ENOENT it is not registered; EBUSY the kernel does not let go of a tracepoint (see
 * cairn_tracepoint_unregister): the provider's memory must stay. Any thread. Not in signal
 * handlers.
 */
CAIRN_API int cairn_provider_unregister(struct cairn_provider *provider);

/* The object that the provider is in is being unloaded, or the program ends. */
CAIRN_API __attribute__((weak)) void cairn_i_provider_unload(struct cairn_provider *provider);

/*
 * Makes an id for a new activity: no other call makes the same, in this process or in another.
 * Any thread, any signal handler.
 */
CAIRN_API void cairn_activity_id_generate(struct cairn_guid *ret_id);

#ifdef __cplusplus
}
#endif

/* ---- events ---- */

/*
 * CAIRN_WRITE_EVENT(provider, "EventName", options and fields...) writes an event when somebody
 * listens. Only then are the values evaluated: once, in order.
 *
 * It is an int: 0; EBADF nobody listens; E2BIG the event is larger than a backend takes; ENOSPC it
 * was dropped, and counted; ENOMEM; or what the kernel said. Usually nobody looks at it.
 *
 * Any thread, any signal handler; in a sandbox as cairn_tracepoint_write. errno stays as it is.
 */
#define CAIRN_WRITE_EVENT(provider, ...)      CAIRN_I_WRITE(__COUNTER__, provider, __VA_ARGS__, )
#define CAIRN_I_WRITE(n, provider, name, ...) CAIRN_I_WRITE_(n, provider, name, __VA_ARGS__)
#define CAIRN_I_WRITE_(n, provider, name, ...) \
    CAIRN_I_EVENT(n, provider, name, CAIRN_I_ROWS(__VA_ARGS__), (__VA_ARGS__))

/*
 * CAIRN_PROVIDER_ENABLED(provider, LEVEL, keyword): true while somebody listens to the provider's
 * events of this level and keyword, which are constants. As cheap as a disabled event.
 */
#define CAIRN_PROVIDER_ENABLED(provider, level, keyword) \
    CAIRN_I_ENABLED(__COUNTER__, provider, CAIRN_I_NAMED(_LEVEL, level), keyword)
#define CAIRN_I_ENABLED(n, provider, level, keyword)                   \
    __extension__({                                                    \
        CAIRN_I_TRACEPOINT_DEFINITION(n)                               \
        CAIRN_I_SITE(CAIRN_I_TRACEPOINT(n), provider, level, keyword); \
        cairn_tracepoint_is_enabled(&CAIRN_I_TRACEPOINT(n));           \
    })

#endif
