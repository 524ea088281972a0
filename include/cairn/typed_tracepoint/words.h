/* SPDX-License-Identifier: MIT */
/*
 * The words of TP_STRUCT__entry, TP_fast_assign and TP_printk: Linux's, separated by spaces and not
 * by commas. They have to be macros under their own names; docs/tracepoints.md lists them. Each
 * field becomes a row for each.h:
 *
 *   (_FIELD, type, name, "type"),
 *   (_ARRAY, type, name, count, "type"),
 *   (_DYNAMIC, data or rel, type, name, "type", begin),
 *
 * `begin` is a struct cairn_trace_dynamic: the source of the bytes, and their number. Types are
 * converted to strings here, where they still have the user's spelling: bool is a macro.
 */
/* The table has a line for each word. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_WORDS_H
#define CAIRN_TYPED_TRACEPOINT_WORDS_H

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
/* nr_cpumask_bits is the kernel's, as in Linux: the number of bits in its CPU masks. */
#define __cpumask(name) \
    (_DYNAMIC, data, unsigned long, name, "__data_loc cpumask_t", cairn_i_dynamic_bits(nr_cpumask_bits)),
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
#define __rel_cpumask(name) \
    (_DYNAMIC, rel, unsigned long, name, "__rel_loc cpumask_t", cairn_i_dynamic_bits(nr_cpumask_bits)),
#define __rel_sockaddr(name, size_bytes) \
    (_DYNAMIC, rel, uint8_t, name, "__rel_loc u8[]", cairn_i_dynamic_array(size_bytes, 1)),

/*
 * The functions of TP_printk are expanded by CAIRN_I_WORD(word, _, arguments) to CAIRN_I_WORD_word.
 * In the text of TP_printk's arguments, for `format`, all macros except these words are expanded:
 * the text is made inside an expansion of CAIRN_I_WORD, where that name is not expanded. So it
 * remains in the text, and cairn_schema_write_format converts "CAIRN_I_WORD(__get_str, _, name)" to
 * "__get_str(name)". The definitions below must not use the words themselves.
 *
 * `raw` is an argument in which no macro may be expanded: TP_printk(...) as a whole.
 */
#define CAIRN_I_WORD(word, raw, ...) CAIRN_I_WORD_##word(CAIRN_I_WORD_RAW_##raw, __VA_ARGS__)
#define CAIRN_I_WORD_TEXT(text, ...) text
#define CAIRN_I_WORD_RAW_CAIRN_I_TRACE_PART_TP_printk(format, ...) \
    "\"" format "\", " CAIRN_I_WORD_STRING(__VA_ARGS__)
#define CAIRN_I_WORD_STRING(...) #__VA_ARGS__

/* ---- dynamic fields of a record: range-checked against cairn_i_raw_bytes, always there ---- */

#define CAIRN_I_TRACE_DATA(get, name) get(__entry, cairn_i_raw_bytes, 0, __entry->__data_loc_##name)
#define CAIRN_I_TRACE_REL(get, name) \
    get(__entry, cairn_i_raw_bytes, CAIRN_I_TRACE_AFTER(__rel_loc_##name), __entry->__rel_loc_##name)
#define CAIRN_I_TRACE_AFTER(member) \
    ((uint32_t)((const char *)&__entry->member - (const char *)__entry) + 4u)

#define CAIRN_I_TRACE_BYTES(name)      CAIRN_I_TRACE_DATA(cairn_trace_field_bytes, name)
#define CAIRN_I_TRACE_LENGTH(name)     CAIRN_I_TRACE_DATA(cairn_trace_field_length, name)
#define CAIRN_I_TRACE_REL_BYTES(name)  CAIRN_I_TRACE_REL(cairn_trace_field_bytes, name)
#define CAIRN_I_TRACE_REL_LENGTH(name) CAIRN_I_TRACE_REL(cairn_trace_field_length, name)

#define __get_dynamic_array(name)         CAIRN_I_WORD(__get_dynamic_array, _, name)
#define __get_dynamic_array_len(name)     CAIRN_I_WORD(__get_dynamic_array_len, _, name)
#define __get_str(name)                   CAIRN_I_WORD(__get_str, _, name)
#define __get_rel_dynamic_array(name)     CAIRN_I_WORD(__get_rel_dynamic_array, _, name)
#define __get_rel_dynamic_array_len(name) CAIRN_I_WORD(__get_rel_dynamic_array_len, _, name)
#define __get_rel_str(name)               CAIRN_I_WORD(__get_rel_str, _, name)
#define __get_sockaddr(name)              CAIRN_I_WORD(__get_sockaddr, _, name)
#define __get_rel_sockaddr(name)          CAIRN_I_WORD(__get_rel_sockaddr, _, name)

#define CAIRN_I_WORD___get_dynamic_array(_, name)         CAIRN_I_TRACE_BYTES(name)
#define CAIRN_I_WORD___get_dynamic_array_len(_, name)     CAIRN_I_TRACE_LENGTH(name)
#define CAIRN_I_WORD___get_str(_, name)                   CAIRN_I_TRACE_DATA(cairn_trace_field_text, name)
#define CAIRN_I_WORD___get_rel_dynamic_array(_, name)     CAIRN_I_TRACE_REL_BYTES(name)
#define CAIRN_I_WORD___get_rel_dynamic_array_len(_, name) CAIRN_I_TRACE_REL_LENGTH(name)
#define CAIRN_I_WORD___get_rel_str(_, name)               CAIRN_I_TRACE_REL(cairn_trace_field_text, name)
#define CAIRN_I_WORD___get_sockaddr(_, name)              ((struct sockaddr *)CAIRN_I_TRACE_BYTES(name))
#define CAIRN_I_WORD___get_rel_sockaddr(_, name)          ((struct sockaddr *)CAIRN_I_TRACE_REL_BYTES(name))

/* ---- TP_fast_assign ---- */

/* One argument; or two, as before Linux 6.10, where the second repeats the source. */
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
#define __assign_cpumask(name, source)           __assign_bitmask(name, source, nr_cpumask_bits)
#define __assign_rel_cpumask(name, source)       __assign_bitmask(name, source, nr_cpumask_bits)
#define __assign_sockaddr(name, source, size_bytes) \
    cairn_i_dynamic_assign(__entry, &cairn_i_field_##name, source, cairn_i_dynamic_array(size_bytes, 1))
#define __assign_rel_sockaddr(name, source, size_bytes) __assign_sockaddr(name, source, size_bytes)

/* ---- TP_printk ---- */

#define __print_flags(flags, delimiter, ...)     CAIRN_I_WORD(__print_flags, _, flags, delimiter, __VA_ARGS__)
#define __print_symbolic(value, ...)             CAIRN_I_WORD(__print_symbolic, _, value, __VA_ARGS__)
#define __print_flags_u64(flags, delimiter, ...) CAIRN_I_WORD(__print_flags, _, flags, delimiter, __VA_ARGS__)
#define __print_symbolic_u64(value, ...)         CAIRN_I_WORD(__print_symbolic, _, value, __VA_ARGS__)
#define __print_hex(bytes, size_bytes)           CAIRN_I_WORD(__print_hex, _, bytes, size_bytes)
#define __print_hex_str(bytes, size_bytes)       CAIRN_I_WORD(__print_hex_str, _, bytes, size_bytes)
#define __print_array(elements, count, element_bytes) \
    CAIRN_I_WORD(__print_array, _, elements, count, element_bytes)
#define __print_dynamic_array(name, element_bytes) \
    CAIRN_I_WORD(__print_dynamic_array, _, name, element_bytes)
#define __get_bitmask(name)                      CAIRN_I_WORD(__get_bitmask, _, name)
#define __get_rel_bitmask(name)                  CAIRN_I_WORD(__get_rel_bitmask, _, name)
#define __get_cpumask(name)                      CAIRN_I_WORD(__get_cpumask, _, name)
#define __get_rel_cpumask(name)                  CAIRN_I_WORD(__get_rel_cpumask, _, name)
#define __print_ns_to_secs(value)                ((value) / 1000000000UL)
#define __print_ns_without_secs(value)           ((value) % 1000000000UL)

/* A name of NULL ends the table. */
#define CAIRN_I_TRACE_NAMES(...) \
    static const struct cairn_text_name cairn_i_names[] = {__VA_ARGS__, {0, 0}};
#define CAIRN_I_WORD___print_flags(_, flags, delimiter, ...)                         \
    __extension__({                                                                  \
        CAIRN_I_TRACE_NAMES(__VA_ARGS__)                                             \
        cairn_text_flags(cairn_i_text, delimiter, (uint64_t)(flags), cairn_i_names); \
    })
#define CAIRN_I_WORD___print_symbolic(_, value, ...)                     \
    __extension__({                                                      \
        CAIRN_I_TRACE_NAMES(__VA_ARGS__)                                 \
        cairn_text_symbolic(cairn_i_text, (uint64_t)(value), cairn_i_names); \
    })

/* Bytes of the record are shown up to its end, whatever length the record contains. */
#define CAIRN_I_TRACE_WITHIN(bytes, size_bytes) \
    cairn_trace_field_within(__entry, cairn_i_raw_bytes, bytes, size_bytes)
#define CAIRN_I_TRACE_HEX(bytes, size_bytes, separator) \
    cairn_text_hex(cairn_i_text, bytes, CAIRN_I_TRACE_WITHIN(bytes, (size_t)(size_bytes)), separator)
#define CAIRN_I_TRACE_NUMBERS(elements, count, element_bytes)                                 \
    cairn_text_array(cairn_i_text, elements,                                                  \
                     CAIRN_I_TRACE_WITHIN(elements, (size_t)(count) * (element_bytes)) / (element_bytes), \
                     element_bytes)
#define CAIRN_I_WORD___print_hex(_, bytes, size_bytes)     CAIRN_I_TRACE_HEX(bytes, size_bytes, ' ')
#define CAIRN_I_WORD___print_hex_str(_, bytes, size_bytes) CAIRN_I_TRACE_HEX(bytes, size_bytes, '\0')
#define CAIRN_I_WORD___print_array(_, elements, count, element_bytes) \
    CAIRN_I_TRACE_NUMBERS(elements, count, element_bytes)
#define CAIRN_I_WORD___print_dynamic_array(_, name, element_bytes) \
    CAIRN_I_TRACE_NUMBERS(CAIRN_I_TRACE_BYTES(name), CAIRN_I_TRACE_LENGTH(name) / (element_bytes), element_bytes)
#define CAIRN_I_WORD___get_bitmask(_, name) \
    cairn_text_bitmask(cairn_i_text, CAIRN_I_TRACE_BYTES(name), CAIRN_I_TRACE_LENGTH(name))
#define CAIRN_I_WORD___get_rel_bitmask(_, name) \
    cairn_text_bitmask(cairn_i_text, CAIRN_I_TRACE_REL_BYTES(name), CAIRN_I_TRACE_REL_LENGTH(name))
#define CAIRN_I_WORD___get_cpumask(_, name)     CAIRN_I_WORD___get_bitmask(_, name)
#define CAIRN_I_WORD___get_rel_cpumask(_, name) CAIRN_I_WORD___get_rel_bitmask(_, name)

#endif
