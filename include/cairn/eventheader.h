/* SPDX-License-Identifier: MIT */
/*
 * EventHeader: events that carry their own metadata, each written with one macro.
 *
 *   CAIRN_PROVIDER(my_provider, "MyCompany_MyComponent");
 *
 *   err = cairn_provider_register(&my_provider);
 *   CAIRN_WRITE_EVENT(my_provider, "MyEventName", level(WARNING), keyword(0x23),
 *                     str8("Field1", text), u32("Field2", 42),
 *                     struct("Peer", ipv4("Address", &addr.sin_addr)));
 *   cairn_provider_unregister(&my_provider);
 *
 * The words in the arguments are not macros: `level`, `str8`, `struct` are pasted onto a prefix, so
 * that the program's namespace gets no short names. docs/eventheader.md lists all words.
 */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_H
#define CAIRN_EVENTHEADER_H

#include <cairn/eventheader/system.h>
#include <cairn/guid.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- providers ---- */

/*
 * CAIRN_PROVIDER(symbol, "Name", options...) defines a provider, at file scope. The name is a
 * string literal; use letters, digits and underscores, for the sake of other tools. Spaces, colons,
 * semicolons and control characters do not compile. Options are appended to the names of the
 * provider's tracepoints, so that patterns of recorders can select them:
 *
 *   group_name("group")    the provider's group, of lower-case letters and digits: "*Ggroup"
 *   options("AoneZtwo")    others: upper-case letters in alphabetical order, each with a value of
 *                          lower-case letters and digits, which may be empty
 *   id("..."), group_id("...")  of the provider and its group for ETW, as UUIDs in text form;
 *                          elsewhere they have no effect
 *
 * Other files of the same executable or shared object that write events of the provider use
 * CAIRN_PROVIDER_DECLARE(symbol), possibly in a header. A header can also define a provider, for
 * all files that include it, by CAIRN_PROVIDER_INLINE, with the arguments of CAIRN_PROVIDER: an
 * executable or shared object then contains it once. (Compile all of these files with -flto, or
 * none: gcc does not merge the two kinds.)
 */
#define CAIRN_PROVIDER(symbol, ...) CAIRN_I_PROVIDER(, symbol, __VA_ARGS__, , , , , , )
#define CAIRN_PROVIDER_INLINE(symbol, ...) \
    CAIRN_I_PROVIDER(CAIRN_I_PROVIDER_SHARED, symbol, __VA_ARGS__, , , , , , )
#define CAIRN_PROVIDER_DECLARE(symbol)                                                     \
    CAIRN_I_WHICH(CAIRN_I_PROVIDER_DECLARE_IF_, CAIRN_I_EXPECT_VARIABLE(symbol), A_WORD, ) \
    (symbol)
#define CAIRN_I_PROVIDER_DECLARE_IF_A_WORD(symbol)                                \
    CAIRN_I_ASSERT(CAIRN_I_IS_VARIABLE(#symbol), CAIRN_I_VARIABLE_SAYS(#symbol)); \
    extern struct cairn_provider symbol CAIRN_I_PROVIDER_OWN
#define CAIRN_I_PROVIDER_DECLARE_IF_NO_WORD(symbol) \
    CAIRN_I_STATIC_ASSERT(0, CAIRN_I_VARIABLE_SAYS(#symbol))
#define CAIRN_I_VARIABLE_SAYS(text) \
    "cairn: a provider's variable has no name, or not an identifier as its name: " text

/* Each option is pasted to a name that states what belongs there, and `()` follows: so no option at
 * all differs from a string, which cannot be pasted. */
#define CAIRN_I_PROVIDER(attribute, symbol, ...)                                   \
    CAIRN_I_WHICH(CAIRN_I_PROVIDER_IF_, CAIRN_I_EXPECT_VARIABLE(symbol), A_WORD, ) \
    (attribute, symbol, __VA_ARGS__)
#define CAIRN_I_PROVIDER_IF_NO_WORD(attribute, symbol, ...) \
    CAIRN_I_STATIC_ASSERT(0, CAIRN_I_VARIABLE_SAYS(#symbol))
#define CAIRN_I_PROVIDER_IF_A_WORD(attribute, symbol, name, option, option2, option3, option4,          \
                                   option5, ...)                                                        \
    CAIRN_I_PROVIDER_OPTIONS(                                                                           \
        CAIRN_I_PICK(                                                                                   \
            cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__##option(),  \
            16, ),                                                                                      \
        CAIRN_I_PICK(                                                                                   \
            cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__##option2(), \
            16, ),                                                                                      \
        CAIRN_I_PICK(                                                                                   \
            cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__##option3(), \
            16, ),                                                                                      \
        CAIRN_I_PICK(                                                                                   \
            cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__##option4(), \
            16, ),                                                                                      \
        CAIRN_I_PICK(                                                                                   \
            cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__##option5(), \
            16, ),                                                                                      \
        attribute, symbol, name, option, option2, option3, option4)
#define CAIRN_I_PROVIDER_OPTIONS(...) CAIRN_I_PROVIDER_OPTIONS_OF(__VA_ARGS__)
#define CAIRN_I_PROVIDER_OPTIONS_OF(a, b, c, d, e, attribute, symbol, ...)                   \
    CAIRN_I_ASSERT(CAIRN_I_EACH_ONCE(a, b, c, d, e),                                         \
                   "cairn: a provider takes group_name(...) and options(...), and ignores "  \
                   "id(...) and group_id(...), each once: " #symbol);                        \
    CAIRN_I_CAT(                                                                             \
        CAIRN_I_PROVIDER_GIVEN,                                                              \
        CAIRN_I_ANY(                                                                         \
            CAIRN_I_PROVIDER_WRONG_##a CAIRN_I_PROVIDER_WRONG_##b CAIRN_I_PROVIDER_WRONG_##c \
                CAIRN_I_PROVIDER_WRONG_##d CAIRN_I_PROVIDER_WRONG_##e))                      \
    (attribute, symbol, __VA_ARGS__)
#define CAIRN_I_PROVIDER_WRONG_0
#define CAIRN_I_PROVIDER_WRONG_1
#define CAIRN_I_PROVIDER_WRONG_2
#define CAIRN_I_PROVIDER_WRONG_4
#define CAIRN_I_PROVIDER_WRONG_8
#define CAIRN_I_PROVIDER_GIVEN_MORE(attribute, symbol, ...) struct cairn_provider
#define CAIRN_I_PROVIDER_GIVEN(attribute, symbol, name, option, option2, option3, option4) \
    CAIRN_I_ASSERT(CAIRN_I_IS_VARIABLE(#symbol), CAIRN_I_VARIABLE_SAYS(#symbol));          \
    CAIRN_I_PROVIDER_DEFINE_CHECKED(                                                       \
        attribute, symbol, name, CAIRN_I_ANY(option option2 option3 option4),              \
        "" CAIRN_I_PROVIDER_GROUP_##option CAIRN_I_PROVIDER_GROUP_##option2                \
            CAIRN_I_PROVIDER_GROUP_##option3 CAIRN_I_PROVIDER_GROUP_##option4,             \
        "" CAIRN_I_PROVIDER_OPTIONS_##option CAIRN_I_PROVIDER_OPTIONS_##option2            \
            CAIRN_I_PROVIDER_OPTIONS_##option3 CAIRN_I_PROVIDER_OPTIONS_##option4,         \
        "" CAIRN_I_PROVIDER_ID_##option CAIRN_I_PROVIDER_ID_##option2                      \
            CAIRN_I_PROVIDER_ID_##option3 CAIRN_I_PROVIDER_ID_##option4,                   \
        "" CAIRN_I_PROVIDER_GROUP_ID_##option CAIRN_I_PROVIDER_GROUP_ID_##option2          \
            CAIRN_I_PROVIDER_GROUP_ID_##option3 CAIRN_I_PROVIDER_GROUP_ID_##option4)
#define CAIRN_I_PROVIDER_DEFINE_CHECKED(attribute, symbol, name, has_options, group, options, id, \
                                        group_id)                                                 \
    CAIRN_I_PROVIDER_CHECK(symbol, name, group, options)                                          \
    CAIRN_I_PROVIDER_CHECK_IF(has_options, symbol, name, group, options)                          \
    extern struct cairn_provider symbol CAIRN_I_PROVIDER_OWN;                                     \
    CAIRN_I_PROVIDER_UNLOAD(symbol)                                                               \
    CAIRN_I_PROVIDER_DEFINE(attribute, symbol, name, group, options, id, group_id)
#define CAIRN_I_EACH_ONCE(a, b, c, d, e)   \
    (((a) | (b) | (c) | (d) | (e)) < 16 && \
     ((a) | (b) | (c) | (d) | (e)) == (a) + (b) + (c) + (d) + (e))
#define cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__() \
    CAIRN_I_HIT(0)
#define cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__group_name( \
    ...)                                                                                           \
    CAIRN_I_PROVIDER_ONE(1, __VA_ARGS__, )
#define cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__options( \
    ...)                                                                                        \
    CAIRN_I_PROVIDER_ONE(2, __VA_ARGS__, )
#define cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__id(...) \
    CAIRN_I_HIT(4)
#define cairn__only_options_such_as_group_name_may_follow_the_name_of_a_provider__not__group_id( \
    ...)                                                                                         \
    CAIRN_I_HIT(8)
#define CAIRN_I_PROVIDER_ONE(bit, text, ...) CAIRN_I_HIT(CAIRN_I_FIRST(__VA_OPT__(16, ) bit, ))
#define CAIRN_I_PROVIDER_CHECK(symbol, name, group, options)                                    \
    CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#name),                                                    \
                   "cairn: a provider's name must be a string literal without a NUL: " #name);  \
    CAIRN_I_ASSERT(CAIRN_I_IS_NAME(name),                                                       \
                   "cairn: a provider's name must be a string literal without a NUL: " #name);  \
    CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#group) && CAIRN_I_IS_QUOTED(#options),                    \
                   "cairn: group_name(...) and options(...) of provider " #name                 \
                   " take a string literal, and have a comma between them");                    \
    CAIRN_I_ASSERT(                                                                             \
        sizeof(name) > 1 && sizeof(name) + sizeof(group) + sizeof(options) <= 202,              \
        "cairn: a provider's name has 1 to 199 bytes, with its options 199 too: " #name);       \
    CAIRN_I_CHARACTERS(_NAME, symbol, name,                                                     \
                       "cairn: a provider's name has no spaces, colons, semicolons or control " \
                       "characters: " #name)
/* An empty text has no wrong characters, but searching them takes time. */
#define CAIRN_I_PROVIDER_CHECK_IF(has_options, ...) \
    CAIRN_I_CAT(CAIRN_I_PROVIDER_CHECK_OPTIONS, has_options)(__VA_ARGS__)
#define CAIRN_I_PROVIDER_CHECK_OPTIONS(symbol, name, group, options)
#define CAIRN_I_PROVIDER_CHECK_OPTIONS_MORE(symbol, name, group, options) \
    CAIRN_I_CHARACTERS(_GROUP, symbol, group,                             \
                       "cairn: the group_name of provider " #name         \
                       " has lower-case letters and digits alone")        \
    CAIRN_I_CHARACTERS(_OPTION, symbol, options,                          \
                       "cairn: the options of provider " #name " have letters and digits alone")
#define CAIRN_I_PROVIDER_GROUP_
#define CAIRN_I_PROVIDER_GROUP_group_name(...) CAIRN_I_FIRST(__VA_ARGS__, )
#define CAIRN_I_PROVIDER_GROUP_options(...)
#define CAIRN_I_PROVIDER_GROUP_id(...)
#define CAIRN_I_PROVIDER_GROUP_group_id(...)
#define CAIRN_I_PROVIDER_OPTIONS_
#define CAIRN_I_PROVIDER_OPTIONS_group_name(...)
#define CAIRN_I_PROVIDER_OPTIONS_options(...) CAIRN_I_FIRST(__VA_ARGS__, )
#define CAIRN_I_PROVIDER_OPTIONS_id(...)
#define CAIRN_I_PROVIDER_OPTIONS_group_id(...)
#define CAIRN_I_PROVIDER_ID_
#define CAIRN_I_PROVIDER_ID_group_name(...)
#define CAIRN_I_PROVIDER_ID_options(...)
/* The first argument alone: a comma would be one of the macro that defines the provider. */
#define CAIRN_I_PROVIDER_ID_id(...) CAIRN_I_FIRST(__VA_ARGS__, )
#define CAIRN_I_PROVIDER_ID_group_id(...)
#define CAIRN_I_PROVIDER_GROUP_ID_
#define CAIRN_I_PROVIDER_GROUP_ID_group_name(...)
#define CAIRN_I_PROVIDER_GROUP_ID_options(...)
#define CAIRN_I_PROVIDER_GROUP_ID_id(...)
#define CAIRN_I_PROVIDER_GROUP_ID_group_id(...) CAIRN_I_FIRST(__VA_ARGS__, )

/*
 * Registers the tracepoints of the provider: one for each level and keyword in use, named
 * PROVIDER_LlevelKkeyword, both in hexadecimal: MyCompany_MyComponent_L3K23, with a group
 * MyCompany_MyComponent_L3K23Ggroup. Before this call, writing events is harmless and has no
 * effect.
 *
 * Returns 0; EALREADY it is registered; EPROTONOSUPPORT the provider, or one of its call sites, was
 * compiled with headers of a later version; EINVAL a provider that was not defined by
 * CAIRN_PROVIDER, such as zeros, or whose name, group or options are not as described above;
 * ENOMEM; or the first error of cairn_tracepoint_register: the other call sites are registered
 * nevertheless. In a sandbox and after fork: as cairn_tracepoint_register. Any thread. Not in
 * signal handlers.
 */
CAIRN_API int cairn_provider_register(struct cairn_provider *provider);

/*
 * Unregisters the provider, which can then be registered again. A shared object that is unloaded
 * unregisters its providers itself, but cannot report an error: call this before.
 *
 * Returns 0; ENOENT it is not registered; EBUSY the kernel continues to write to a tracepoint (see
 * cairn_tracepoint_unregister): the provider's memory must stay valid. Any thread. Not in signal
 * handlers.
 */
CAIRN_API int cairn_provider_unregister(struct cairn_provider *provider);

/*
 * Sets a function that is called when a session of ETW asks for the provider's state: it writes the
 * events that describe what exists now, such as open connections. Only ETW asks; elsewhere the
 * function is never called.
 *
 * callback  NULL: none. It runs in a thread of the system, and cannot register or unregister the
 * provider (EDEADLK).
 *
 * Call it before cairn_provider_register. Returns 0; EALREADY the provider is registered. Any
 * thread.
 */
CAIRN_API int cairn_provider_on_capture_state(struct cairn_provider *provider,
                                              void (*callback)(void *context), void *context);

/* Called when the object that contains the provider is unloaded, or the program ends. */
#ifdef _WIN32
CAIRN_API void cairn_i_provider_unload(struct cairn_provider *provider);
#else
CAIRN_API __attribute__((weak)) void cairn_i_provider_unload(struct cairn_provider *provider);
#endif

/* Creates an id for a new activity: no other call returns the same, in this process or in another.
 * Any thread, any signal handler. */
CAIRN_API void cairn_activity_id_generate(struct cairn_guid *ret_id);

#ifdef __cplusplus
}
#endif

/* ---- events ---- */

/*
 * CAIRN_WRITE_EVENT(provider, "EventName", options and fields...) writes an event if it is enabled.
 * Only then are the values evaluated: once, in order. What pointers point to is copied after that,
 * so it must not be in a temporary object of the value's expression: in C++ path.string().c_str()
 * needs a variable before the statement.
 *
 * Its value is an int: 0; EBADF disabled; E2BIG the event is larger than a backend accepts; ENOSPC
 * it was dropped, and counted; ENOMEM; or the kernel's error. Most programs ignore it.
 *
 * Any thread, any signal handler; in a sandbox as cairn_tracepoint_write. Preserves errno.
 */
#define CAIRN_WRITE_EVENT(provider, ...)      CAIRN_I_WRITE(__COUNTER__, provider, __VA_ARGS__, )
#define CAIRN_I_WRITE(n, provider, name, ...) CAIRN_I_WRITE_(n, provider, name, __VA_ARGS__)
#define CAIRN_I_WRITE_(n, provider, name, ...) \
    CAIRN_I_EVENT(n, provider, name, CAIRN_I_ROWS(__VA_ARGS__), (__VA_ARGS__))

/* CAIRN_PROVIDER_ENABLED(provider, LEVEL, keyword): true while the provider's events of this level
 * and keyword, which are constants, are enabled. It costs the same as a disabled event. */
#define CAIRN_PROVIDER_ENABLED(provider, ...) CAIRN_I_ENABLED_OF(provider, __VA_ARGS__, , )
#define CAIRN_I_ENABLED_OF(provider, level, keyword, ...)                         \
    CAIRN_I_ENABLED(__COUNTER__, provider, CAIRN_I_NAMED(_LEVEL, level), keyword, \
                    CAIRN_I_FIRST(__VA_ARGS__))

#endif
