/* SPDX-License-Identifier: MIT */
/* Typed tracepoints in a header that several sources include. */
#ifndef TYPED_EVENTS_H
#define TYPED_EVENTS_H

#include <cairn/typed_tracepoint.h>
#include <string.h>

struct pair {
    uint8_t first;
    uint8_t second;
};

enum size { SMALL, LARGE };

/* clang-format off */
CAIRN_TRACEPOINT(single, TP_SYSTEM(typed),
    TP_PROTO(int64_t number, void *pointer, enum size size),
    TP_ARGS(number, pointer, size),
    TP_STRUCT__entry(
        __field(uint8_t, byte)
        __field(int16_t, negative)
        __field(int64_t, number)
        __field(bool, is_true)
        __field(char, letter)
        __field(void *, pointer)
        __field(enum size, size)
        __field(struct pair, pair)
    ),
    TP_fast_assign(
        __entry->byte = 7;
        __entry->negative = -2;
        __entry->number = number;
        __entry->is_true = true;
        __entry->letter = 'x';
        __entry->pointer = pointer;
        __entry->size = size;
        __entry->pair.first = 1;
        __entry->pair.second = 2;
    ),
    TP_printk("number=%lld", (long long)__entry->number));

CAIRN_TRACEPOINT(arrays, TP_SYSTEM(typed),
    TP_PROTO(const char *text, const uint16_t *numbers, size_t count),
    TP_ARGS(text, numbers, count),
    TP_STRUCT__entry(
        __string(text, text)
        __array(char, place, 8)
        __array(uint16_t, three, 3)
        __dynamic_array(uint16_t, numbers, count)
        __rel_string(relative, text)
        __dynamic_array(struct pair, pairs, 1)
    ),
    TP_fast_assign(
        __assign_str(text);
        memcpy(__entry->place, "ab\0cdefg", 8);
        memcpy(__entry->three, "\1\0\2\0\3\0", 6);
        if (count)
            memcpy(__get_dynamic_array(numbers), numbers, count * sizeof(*numbers));
        __assign_rel_str(relative);
        memcpy(__get_dynamic_array(pairs), "\5\6", 2);
    ),
    TP_printk("text=%s", __get_str(text)));

CAIRN_TRACEPOINT(bytes, TP_SYSTEM(typed_other),
    TP_PROTO(size_t count), TP_ARGS(count),
    TP_STRUCT__entry(__dynamic_array(uint8_t, bytes, count)),
    TP_fast_assign(memset(__get_dynamic_array(bytes), 1, count);),
    TP_printk("%u", __get_dynamic_array_len(bytes)));
/* clang-format on */

/* In typed_other.c, and in typed_declared.c. */
void write_elsewhere(void);
void write_declared(void);

#endif
