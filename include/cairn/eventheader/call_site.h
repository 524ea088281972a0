/* SPDX-License-Identifier: MIT */
/*
 * The expansion of CAIRN_WRITE_EVENT at a call site.
 *
 * In line: the check if the event is enabled. Out of line, in the cold part of the function: the
 * values, which are encoded there (values.h). Outside the code:
 *
 * - a struct cairn_tracepoint, found by the provider through section cairn_i_sites, which contains
 *   one struct cairn_i_site for each call site;
 * - the event's metadata, in the form in which each event contains it.
 *
 * An assembler statement creates the sites, because in C++ a variable of an inline function cannot
 * be placed into the section of the others, and because distances need no relocations when a
 * program starts. The statement is after the call: if it were before the call, gcc would assume
 * that it may not return, and keep the block in line. If a compiler duplicates the block there are
 * two sites of one tracepoint; the second finds it registered.
 */
/* clang-format would take rows and passes for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_CALL_SITE_H
#define CAIRN_EVENTHEADER_CALL_SITE_H

#include <cairn/eventheader/declare.h>
#include <cairn/eventheader/form.h>
#include <cairn/eventheader/values.h>
#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call site that writes events, or checks if they are enabled. Distances are from the members
 * themselves. */
struct cairn_i_site {
    int32_t tracepoint;
    int32_t provider;
    uint8_t level;
    uint8_t version; /* CAIRN_I_SITE_VERSION */
    uint16_t reserved; /* zero */
    uint32_t keyword_low;
    uint32_t keyword_high;
    uint32_t next; /* of the same provider: its number, counted from 1; 0 ends (src/eventheader/sites.c) */
    int32_t file;  /* names, zero-terminated */
    int32_t function;
    uint32_t line;
};

/* A section has elements of one size: another size would need a section of another name. */
#define CAIRN_I_SITE_VERSION 1

#ifdef __cplusplus
}

/* A variable of an inline function would be shared by all files, and not only in this object. */
extern "C++" {
namespace
{
template <int> struct cairn_i_place {
    static struct cairn_tracepoint tracepoint;
};
template <int N> struct cairn_tracepoint cairn_i_place<N>::tracepoint = CAIRN_TRACEPOINT_INIT;
}
}
#define CAIRN_I_TRACEPOINT(n)   cairn_i_place<n>::tracepoint
#define CAIRN_I_TRACEPOINT_DEFINITION(n)
#else
#define CAIRN_I_TRACEPOINT(n)   cairn_i_tracepoint
#define CAIRN_I_TRACEPOINT_DEFINITION(n) \
    static struct cairn_tracepoint cairn_i_tracepoint __attribute__((aligned(8))) = CAIRN_TRACEPOINT_INIT;
#endif

/* Keeps an argument in memory until it is encoded: a compiler would keep it in a register that the
 * function must save, possibly at its beginning, where a disabled event would pay for it. */
#define CAIRN_I_ASIDE(argument) \
    if (!__builtin_constant_p(argument)) \
        __asm__ volatile("" : "+m"(argument));

/* Options that ETW has. */
#define CAIRN_I_DECLARE_CHANNEL(...)
#define CAIRN_I_DECLARE_TASK(...)

/* ---- the call site ---- */

#if defined(__aarch64__) || defined(__riscv)
#define CAIRN_I_SYMBOL "S"
#else
#define CAIRN_I_SYMBOL "i"
#endif

/* Prints a number without the mark of a number; on s390 and RISC-V the modifier `c` has another
 * meaning or none, and numbers have no mark. */
#if defined(__s390__) || defined(__riscv)
#define CAIRN_I_NUMBER "%"
#else
#define CAIRN_I_NUMBER "%c"
#endif

/* Adds a struct cairn_i_site to the section. w: the call sites of a provider are linked there; R:
 * it is kept though nothing refers to it; ?: it is discarded with the function when the linker
 * drops a copy of an inline function. */
#define CAIRN_I_SITE(tp, provider, level, keyword)                                          \
    __asm__ volatile(".pushsection cairn_i_sites, \"awR?\", %%progbits\n\t"                 \
                     ".balign 4\n\t"                                                       \
                     ".long " CAIRN_I_NUMBER "0 - ., " CAIRN_I_NUMBER "1 - .\n\t"            \
                     ".byte " CAIRN_I_NUMBER "2, " CAIRN_I_NUMBER "5, 0, 0\n\t"              \
                     ".long " CAIRN_I_NUMBER "3, " CAIRN_I_NUMBER "4, 0\n\t"                 \
                     ".long " CAIRN_I_NUMBER "6 - ., " CAIRN_I_NUMBER "7 - ., " CAIRN_I_NUMBER "8\n\t" \
                     ".popsection"                                                         \
                     :                                                                     \
                     : CAIRN_I_SYMBOL(&(tp)), CAIRN_I_SYMBOL(&(provider)), "i"(level), \
                       "i"((uint32_t)(keyword)), "i"((uint32_t)((uint64_t)(keyword) >> 32)), \
                       "i"(CAIRN_I_SITE_VERSION), CAIRN_I_SYMBOL(__FILE__), CAIRN_I_SYMBOL(__func__), \
                       "i"(__LINE__))

/* `words` are the event's words again, in parentheses, for error messages about them. */
#define CAIRN_I_EVENT(n, provider, name, rows, words) \
    __extension__({ \
        CAIRN_I_TRACEPOINT_DEFINITION(n) \
        int cairn_i_result = EBADF; \
        if (cairn_unlikely(cairn_tracepoint_is_enabled(&CAIRN_I_TRACEPOINT(n)))) { \
            CAIRN_I_CHECK_PROVIDER(provider) \
            CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#name), \
                           "cairn: an event's name must be a string literal without a NUL: " #name); \
            CAIRN_I_ASSERT(CAIRN_I_IS_NAME(name), \
                           "cairn: an event's name must be a string literal without a NUL: " #name); \
            CAIRN_I_DECL_A rows words \
            enum { cairn_i_keyword = (uint64_t)(CAIRN_I_KEYWORD(CAIRN_I_BITS_A rows)) }; \
            static const struct { \
                struct cairn_eventheader header; \
                struct cairn_eventheader_extension extension; \
                char cairn_i_n[sizeof(name "\0" CAIRN_I_TYPE_A rows)]; \
            } __attribute__((packed)) cairn_i_event __attribute__((aligned(2))) = { \
                {cairn_i_flags, cairn_i_version, cairn_i_id, cairn_i_tag, cairn_i_opcode, cairn_i_level}, \
                {sizeof(cairn_i_event) - sizeof(struct cairn_i_event) - 1, CAIRN_EXTENSION_METADATA}, \
                name "\0" CAIRN_I_INIT_A rows}; \
            CAIRN_I_ASSERT(sizeof(cairn_i_event) <= 0x8000, \
                           "cairn: the names of this event are too long for it"); \
            enum { \
                cairn_i_sum = 0 CAIRN_I_ROOM_A rows, \
                cairn_i_room = CAIRN_I_ROOM_OF(cairn_i_sum), \
                cairn_i_checked = CAIRN_I_IS_CHECKED(cairn_i_sum) * CAIRN_I_CHECKED \
            }; \
            CAIRN_I_ASSERT(cairn_i_room <= CAIRN_I_ROOM_MAX_BYTES, "cairn: this event has too many fields"); \
            uint64_t cairn_i_packed = 0; \
            uint32_t cairn_i_packed_bits = 0; \
            uint32_t cairn_i_packed_texts = 0; \
            const char *cairn_i_packed_text = 0; \
            CAIRN_I_PACK_A rows \
            if (CAIRN_I_IS_PACKED) { \
                cairn_i_result = \
                    cairn_i_packed_texts \
                        ? cairn_i_event_text(&CAIRN_I_TRACEPOINT(n), &cairn_i_event, cairn_i_packed, \
                                             cairn_i_packed_bits / 8, cairn_i_packed_text) \
                        : cairn_i_event_numbers(&CAIRN_I_TRACEPOINT(n), &cairn_i_event, cairn_i_packed, \
                                                cairn_i_packed_bits / 8); \
            } else { \
                uint8_t *cairn_i_to = \
                    cairn_i_has_activity_id || cairn_i_room > CAIRN_I_ROOM_SMALL_BYTES \
                        ? cairn_i_event_begin_any(&CAIRN_I_TRACEPOINT(n), &cairn_i_event, cairn_i_room, \
                                                       CAIRN_I_ADDRESS(_activity_id), CAIRN_I_ADDRESS(_related_id)) \
                        : cairn_i_event_begin(&CAIRN_I_TRACEPOINT(n), &cairn_i_event, cairn_i_room); \
                cairn_i_result = ENOMEM; \
                if (cairn_likely(cairn_i_to)) { \
                    CAIRN_I_PUT_A rows \
                    cairn_i_result = cairn_i_event_commit(cairn_i_to); \
                } \
            } \
            CAIRN_I_SITE(CAIRN_I_TRACEPOINT(n), provider, cairn_i_level, cairn_i_keyword); \
        } \
        cairn_i_result; \
    })

#define CAIRN_I_ENABLED(n, provider, level, keyword, ...)              \
    __extension__({                                                    \
        CAIRN_I_CHECK_ENABLED(provider, level, keyword, __VA_ARGS__)   \
        CAIRN_I_TRACEPOINT_DEFINITION(n)                               \
        CAIRN_I_SITE(CAIRN_I_TRACEPOINT(n), provider, level, keyword); \
        cairn_tracepoint_is_enabled(&CAIRN_I_TRACEPOINT(n));           \
    })

#endif
