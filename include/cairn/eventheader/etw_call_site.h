/* SPDX-License-Identifier: MIT */
/*
 * The expansion of CAIRN_WRITE_EVENT at a call site on Windows. call_site.h is the same for Linux.
 *
 * In line: the check if the event is enabled, by what the provider's sessions want; nothing has to
 * be found or registered for a call site. Out of line: the values, which are described there
 * (etw_values.h). Outside the code: the event's descriptor and metadata, as constants.
 */
/* clang-format would take rows and passes for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_ETW_CALL_SITE_H
#define CAIRN_EVENTHEADER_ETW_CALL_SITE_H

#include <cairn/eventheader/declare.h>
#include <cairn/eventheader/etw_form.h>
#include <cairn/eventheader/etw_provider.h>
#include <cairn/eventheader/etw_values.h>
#include <cairn/tracepoint.h>
#include <errno.h>

/* The kernel reads arguments at their addresses: they are in memory without further ado. */
#define CAIRN_I_ASIDE(argument)

/* level(ERROR) in a program that includes windows.h, where ERROR is a macro for 0. No level is 0. */
#define CAIRN_I_LEVEL_0 CAIRN_I_HIT(CAIRN_LEVEL_ERROR)

/* ---- options that only ETW has ---- */

#ifdef __cplusplus
extern "C" {
#endif

enum {
    cairn_i_channel = 11, /* of TraceLogging events */
    cairn_i_task = 0,
    cairn_i_has_channel = 0,
    cairn_i_has_task = 0,
};

#ifdef __cplusplus
}
#endif

#define CAIRN_I_CHANNEL_SAYS "cairn: channel(...) takes a constant from 0 to 255"
#define CAIRN_I_DECLARE_CHANNEL(id, ...) \
    CAIRN_I_ONCE(channel) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), CAIRN_I_CHANNEL_SAYS); \
    CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, 0, 255), CAIRN_I_CHANNEL_SAYS); \
    enum { cairn_i_channel = (__VA_ARGS__) };
#define CAIRN_I_TASK_SAYS "cairn: task(...) takes a constant from 0 to 0xffff"
#define CAIRN_I_DECLARE_TASK(id, ...) \
    CAIRN_I_ONCE(task) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), CAIRN_I_TASK_SAYS); \
    CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, 0, 0xffff), CAIRN_I_TASK_SAYS); \
    enum { cairn_i_task = (__VA_ARGS__) };

/* ---- passes over the rows ---- */

/* The level, before options are declared; and the tag, whose size depends on whether there is one. */
#define CAIRN_I_ETW_LEVEL(...) CAIRN_I_FIRST(__VA_OPT__(__VA_ARGS__, ) CAIRN_LEVEL_VERBOSE, )
#define CAIRN_I_LV_A(kind, id, text, signature, bits, what, ...) CAIRN_I_PICK(CAIRN_I_LEVEL_IF##what(__VA_ARGS__), , ) CAIRN_I_LV_B##kind
#define CAIRN_I_LV_B(kind, id, text, signature, bits, what, ...) CAIRN_I_PICK(CAIRN_I_LEVEL_IF##what(__VA_ARGS__), , ) CAIRN_I_LV_A##kind
#define CAIRN_I_LV_A_FORM(...) CAIRN_I_LV_A
#define CAIRN_I_LV_B_FORM(...) CAIRN_I_LV_B
#define CAIRN_I_LV_A_DEBUG CAIRN_I_LV_A
#define CAIRN_I_LV_B_DEBUG CAIRN_I_LV_B
#define CAIRN_I_LV_A_END
#define CAIRN_I_LV_B_END
#define CAIRN_I_LV_A_WRONG
#define CAIRN_I_LV_B_WRONG
#define CAIRN_I_LEVEL_IF_LEVEL(level) CAIRN_I_HIT(level)

#define CAIRN_I_ETW_TAG(...)   CAIRN_I_CAT_(CAIRN_I_ETW_TAG_, __VA_OPT__(1))(__VA_ARGS__)
#define CAIRN_I_ETW_TAG_(...)  CAIRN_I_TAG(0)
#define CAIRN_I_ETW_TAG_1(tag) CAIRN_I_TAG(tag)
#define CAIRN_I_ETW_TAG_BYTES(...) CAIRN_I_TAG_BYTES(CAIRN_I_FIRST(__VA_OPT__(__VA_ARGS__, ) 0, ))
#define CAIRN_I_TG_A(kind, id, text, signature, bits, what, ...) CAIRN_I_PICK(CAIRN_I_TAG_IF##what(__VA_ARGS__), , ) CAIRN_I_TG_B##kind
#define CAIRN_I_TG_B(kind, id, text, signature, bits, what, ...) CAIRN_I_PICK(CAIRN_I_TAG_IF##what(__VA_ARGS__), , ) CAIRN_I_TG_A##kind
#define CAIRN_I_TG_A_FORM(...) CAIRN_I_TG_A
#define CAIRN_I_TG_B_FORM(...) CAIRN_I_TG_B
#define CAIRN_I_TG_A_DEBUG CAIRN_I_TG_A
#define CAIRN_I_TG_B_DEBUG CAIRN_I_TG_B
#define CAIRN_I_TG_A_END
#define CAIRN_I_TG_B_END
#define CAIRN_I_TG_A_WRONG
#define CAIRN_I_TG_B_WRONG
#define CAIRN_I_TAG_IF_TAG(tag) CAIRN_I_HIT(tag)

/* ---- the call site ---- */

#define CAIRN_I_ENABLED(n, provider, level, keyword, ...)            \
    __extension__({                                                  \
        CAIRN_I_CHECK_ENABLED(provider, level, keyword, __VA_ARGS__) \
        cairn_i_etw_is_enabled(&(provider), level, keyword);         \
    })

/* `words` are the event's words again, in parentheses, for error messages about them. */
#define CAIRN_I_EVENT(n, provider, name, rows, words) \
    __extension__({ \
        int cairn_i_result = EBADF; \
        if (cairn_unlikely(cairn_i_etw_is_enabled(&(provider), CAIRN_I_ETW_LEVEL(CAIRN_I_LV_A rows), \
                                                  CAIRN_I_KEYWORD(CAIRN_I_BITS_A rows)))) { \
            CAIRN_I_CHECK_PROVIDER(provider) \
            CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#name), \
                           "cairn: an event's name must be a string literal without a NUL: " #name); \
            CAIRN_I_ASSERT(CAIRN_I_IS_NAME(name), \
                           "cairn: an event's name must be a string literal without a NUL: " #name); \
            CAIRN_I_DECL_A rows words \
            CAIRN_I_OVERRIDES_BEGIN \
            static const struct { \
                uint16_t size_bytes; \
                CAIRN_I_BYTES(groups, CAIRN_I_ETW_TAG_BYTES(CAIRN_I_TG_A rows)) \
                char cairn_i_n[sizeof(name "\0" CAIRN_I_TYPE_A rows)]; \
            } __attribute__((packed)) cairn_i_metadata = { \
                sizeof(cairn_i_metadata) - 1, CAIRN_I_ETW_TAG(CAIRN_I_TG_A rows), name "\0" CAIRN_I_INIT_A rows}; \
            CAIRN_I_OVERRIDES_END \
            CAIRN_I_ASSERT(sizeof(cairn_i_metadata) <= 0x8000, \
                           "cairn: the names of this event are too long for it"); \
            static const struct cairn_i_etw_event cairn_i_event = { \
                cairn_i_id, cairn_i_version, cairn_i_channel, cairn_i_level, cairn_i_opcode, cairn_i_task, \
                CAIRN_I_KEYWORD(CAIRN_I_BITS_A rows)}; \
            enum { cairn_i_sum = 2 CAIRN_I_ROOM_A rows, cairn_i_parts = cairn_i_sum % CAIRN_I_ETW_ODD }; \
            struct cairn_i_etw_data cairn_i_data[cairn_i_parts]; \
            struct cairn_i_etw_data *cairn_i_to = cairn_i_data + 2; \
            uint64_t cairn_i_odd = cairn_i_sum >= CAIRN_I_ETW_ODD || cairn_i_parts > CAIRN_I_ETW_DATA_MAX; \
            CAIRN_I_PUT_A rows \
            cairn_i_result = (cairn_i_odd ? cairn_i_etw_write_converted : cairn_i_etw_write)( \
                &(provider), &cairn_i_event, &cairn_i_metadata, CAIRN_I_ADDRESS(_activity_id), \
                CAIRN_I_ADDRESS(_related_id), cairn_i_data, (uint32_t)(cairn_i_to - cairn_i_data)); \
        } \
        cairn_i_result; \
    })

#endif
