/* SPDX-License-Identifier: MIT */
/*
 * The words of TP_STRUCT__entry, TP_fast_assign and TP_printk: Linux's, as they stand one after the
 * other without commas. They have to be macros under their own names; docs/tracepoints.md lists
 * them. Each field becomes a row for each.h:
 *
 *   (_FIELD, type, name, "type"),
 *   (_ARRAY, type, name, count, "type"),
 *   (_DYNAMIC, data or rel, type, name, "type", how it begins),
 *
 * `how it begins` is a struct cairn_trace_dynamic: where the bytes come from, and how many. Types
 * are made to strings here, where they are still spelled as the user did: bool is a macro.
 */
/* The table has a line for each word. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TRACE_EVENT_WORDS_H
#define CAIRN_TRACE_EVENT_WORDS_H

/* ---- fields ---- */

#define __field(type, name)                   (_FIELD, type, name, #type),
#define __field_ext(type, name, ...)          (_FIELD, type, name, #type),
#define __field_struct(type, name)            (_FIELD, type, name, #type),
#define __field_struct_ext(type, name, ...)   (_FIELD, type, name, #type),
#define __array(type, name, count)            (_ARRAY, type, name, count, #type),

#define __dynamic_array(type, name, count) \
    (_DYNAMIC, data, type, name, "__data_loc " #type "[]", cairn_i_dynamic_array(count, sizeof(type))),
#define __string(name, source) \
    (_DYNAMIC, data, char, name, "__data_loc char[]", cairn_i_dynamic_string(source)),
#define __string_len(name, source, length) \
    (_DYNAMIC, data, char, name, "__data_loc char[]", cairn_i_dynamic_text(source, length)),
#define __vstring(name, format, arguments) \
    (_DYNAMIC, data, char, name, "__data_loc char[]", cairn_trace_dynamic_format(format, arguments)),
#define __bitmask(name, bits) \
    (_DYNAMIC, data, unsigned long, name, "__data_loc unsigned long[]", cairn_i_dynamic_bits(bits)),
#define __sockaddr(name, size_bytes) \
    (_DYNAMIC, data, uint8_t, name, "__data_loc u8[]", cairn_i_dynamic_array(size_bytes, 1)),

#define __rel_dynamic_array(type, name, count) \
    (_DYNAMIC, rel, type, name, "__rel_loc " #type "[]", cairn_i_dynamic_array(count, sizeof(type))),
#define __rel_string(name, source) \
    (_DYNAMIC, rel, char, name, "__rel_loc char[]", cairn_i_dynamic_string(source)),
#define __rel_string_len(name, source, length) \
    (_DYNAMIC, rel, char, name, "__rel_loc char[]", cairn_i_dynamic_text(source, length)),
#define __rel_bitmask(name, bits) \
    (_DYNAMIC, rel, unsigned long, name, "__rel_loc unsigned long[]", cairn_i_dynamic_bits(bits)),
#define __rel_sockaddr(name, size_bytes) \
    (_DYNAMIC, rel, uint8_t, name, "__rel_loc u8[]", cairn_i_dynamic_array(size_bytes, 1)),

/* ---- dynamic fields of a record: range-checked against cairn_i_raw_bytes, always there ---- */

#define CAIRN_I_TRACE_DATA(get, name) get(__entry, cairn_i_raw_bytes, 0, __entry->__data_loc_##name)
#define CAIRN_I_TRACE_REL(get, name) \
    get(__entry, cairn_i_raw_bytes, CAIRN_I_TRACE_BEHIND(__rel_loc_##name), __entry->__rel_loc_##name)
#define CAIRN_I_TRACE_BEHIND(member) \
    ((uint32_t)((const char *)&__entry->member - (const char *)__entry) + 4u)

#define __get_dynamic_array(name)         CAIRN_I_TRACE_DATA(cairn_trace_field_bytes, name)
#define __get_dynamic_array_len(name)     CAIRN_I_TRACE_DATA(cairn_trace_field_length, name)
#define __get_str(name)                   CAIRN_I_TRACE_DATA(cairn_trace_field_text, name)
#define __get_rel_dynamic_array(name)     CAIRN_I_TRACE_REL(cairn_trace_field_bytes, name)
#define __get_rel_dynamic_array_len(name) CAIRN_I_TRACE_REL(cairn_trace_field_length, name)
#define __get_rel_str(name)               CAIRN_I_TRACE_REL(cairn_trace_field_text, name)
#define __get_sockaddr(name)              ((struct sockaddr *)__get_dynamic_array(name))
#define __get_rel_sockaddr(name)          ((struct sockaddr *)__get_rel_dynamic_array(name))

/* ---- TP_fast_assign ---- */

/* Of one argument; of two, as before Linux 6.10, where the second is the source once more. */
#define __assign_str(...)                   CAIRN_I_TRACE_ASSIGN(__VA_ARGS__, )
#define __assign_str_len(...)               CAIRN_I_TRACE_ASSIGN(__VA_ARGS__, )
#define __assign_rel_str(...)               CAIRN_I_TRACE_ASSIGN(__VA_ARGS__, )
#define __assign_rel_str_len(...)           CAIRN_I_TRACE_ASSIGN(__VA_ARGS__, )
#define CAIRN_I_TRACE_ASSIGN(name, ...)     cairn_i_dynamic_assign_text(__entry, &cairn_i_field_##name)
#define __assign_vstr(name, format, arguments) \
    cairn_trace_dynamic_assign_format(__entry, &cairn_i_field_##name, format, arguments)
#define __assign_bitmask(name, source, bits) \
    cairn_i_dynamic_assign(__entry, &cairn_i_field_##name, source, cairn_i_dynamic_bits(bits))
#define __assign_rel_bitmask(name, source, bits) __assign_bitmask(name, source, bits)
#define __assign_sockaddr(name, source, size_bytes) \
    cairn_i_dynamic_assign(__entry, &cairn_i_field_##name, source, cairn_i_dynamic_array(size_bytes, 1))
#define __assign_rel_sockaddr(name, source, size_bytes) __assign_sockaddr(name, source, size_bytes)

/* ---- TP_printk ---- */

/* A name of NULL ends the table. */
#define CAIRN_I_TRACE_NAMES(...) \
    static const struct cairn_text_name cairn_i_names[] = {__VA_ARGS__, {0, 0}};
#define __print_flags(flags, delimiter, ...)                                              \
    __extension__({                                                                       \
        CAIRN_I_TRACE_NAMES(__VA_ARGS__)                                                  \
        cairn_text_flags(cairn_i_text, delimiter, (uint64_t)(flags), cairn_i_names);      \
    })
#define __print_symbolic(value, ...)                                                      \
    __extension__({                                                                       \
        CAIRN_I_TRACE_NAMES(__VA_ARGS__)                                                  \
        cairn_text_symbolic(cairn_i_text, (uint64_t)(value), cairn_i_names);              \
    })
#define __print_flags_u64(flags, delimiter, ...) __print_flags(flags, delimiter, __VA_ARGS__)
#define __print_symbolic_u64(value, ...)         __print_symbolic(value, __VA_ARGS__)

/* Bytes of the record are shown up to its end, whatever length it claims for them. */
#define CAIRN_I_TRACE_WITHIN(bytes, size_bytes) \
    cairn_trace_field_within(__entry, cairn_i_raw_bytes, bytes, size_bytes)
#define __print_hex(bytes, size_bytes) \
    cairn_text_hex(cairn_i_text, bytes, CAIRN_I_TRACE_WITHIN(bytes, (size_t)(size_bytes)), ' ')
#define __print_hex_str(bytes, size_bytes) \
    cairn_text_hex(cairn_i_text, bytes, CAIRN_I_TRACE_WITHIN(bytes, (size_t)(size_bytes)), '\0')
#define __print_array(elements, count, element_bytes)                                             \
    cairn_text_array(                                                                             \
        cairn_i_text, elements,                                                                   \
        CAIRN_I_TRACE_WITHIN(elements, (size_t)(count) * (element_bytes)) / (element_bytes), \
        element_bytes)
#define __print_dynamic_array(name, element_bytes) \
    __print_array(__get_dynamic_array(name),       \
                  __get_dynamic_array_len(name) / (element_bytes), element_bytes)
#define __get_bitmask(name) \
    cairn_text_bitmask(cairn_i_text, __get_dynamic_array(name), __get_dynamic_array_len(name))
#define __get_rel_bitmask(name) \
    cairn_text_bitmask(cairn_i_text, __get_rel_dynamic_array(name), __get_rel_dynamic_array_len(name))
#define __print_ns_to_secs(value)      ((uint64_t)(value) / 1000000000u)
#define __print_ns_without_secs(value) ((uint32_t)((uint64_t)(value) % 1000000000u))

#endif
