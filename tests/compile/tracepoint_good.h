/* SPDX-License-Identifier: MIT */
/* Tracepoints in a header that two sources include: C17 and C++17. */
#ifndef TESTS_COMPILE_TRACEPOINT_GOOD_H
#define TESTS_COMPILE_TRACEPOINT_GOOD_H

#include <cairn/typed_tracepoint.h>
#include <stddef.h>
#include <string.h>

struct good_point {
    char x;
    double y;
};

enum good_colour { GOOD_RED, GOOD_GREEN };

/* Its sign depends on the machine. */
#ifndef __cplusplus
_Static_assert(CAIRN_I_TRACE_IS_SIGNED(wchar_t) == ((wchar_t)-1 < 1), "");
#else
static_assert(CAIRN_I_TRACE_IS_SIGNED(wchar_t) == ((wchar_t)-1 < 1), "");
#endif

/* clang-format off */
CAIRN_TRACEPOINT(good_types, TP_SYSTEM(good),
    TP_PROTO(uint16_t number, bool flag, const char *text, const uint32_t *list, size_t count,
             enum good_colour colour, struct good_point point, float real),
    TP_ARGS(number, flag, text, list, count, colour, point, real),
    TP_STRUCT__entry(
        __field(uint16_t, number)
        __field(bool, flag)
        __field(enum good_colour, colour)
        __field(const char *, where)
        __field(unsigned long long, wide)
        __field_struct(struct good_point, point)
        __array(char, name, 8)
        __array(struct good_point, points, 2)
        __string(text, text)
        __dynamic_array(uint32_t, list, count)
        __rel_string(again, text)
        __rel_dynamic_array(uint8_t, bytes, count)
        __bitmask(bits, 20)
    ),
    TP_fast_assign(
        const unsigned long bits = 3;

        __entry->number = number;
        __entry->flag = flag;
        __entry->colour = colour;
        __entry->where = text;
        __entry->wide = 1;
        __entry->point = point;
        memset(__entry->name, 0, sizeof(__entry->name));
        memset(__entry->points, 0, sizeof(__entry->points));
        __assign_str(text);
        memcpy(__get_dynamic_array(list), list, count * sizeof(*list));
        __assign_rel_str(again, text);
        memset(__get_rel_dynamic_array(bytes), 7, count);
        __assign_bitmask(bits, &bits, 20);
    ),
    TP_printk("%u %d %s %s %s %s %s %s %s %s", __entry->number, __entry->flag,
        __print_symbolic(__entry->colour, {GOOD_RED, "red"}, {GOOD_GREEN, "green"}),
        __print_flags(__entry->number, "|", {1, "ODD"}, {2, "TWO"}),
        __entry->name, __get_str(text),
        __print_array(__get_dynamic_array(list), __get_dynamic_array_len(list) / 4, 4),
        __get_rel_str(again), __print_hex_str(__get_rel_dynamic_array(bytes), 2),
        __get_bitmask(bits)));

CAIRN_TRACEPOINT(good_nothing, TP_SYSTEM(good), TP_PROTO(void), TP_ARGS(), TP_STRUCT__entry(),
    TP_fast_assign(), TP_printk("nothing"));

/* More fields than one step of the preprocessor's loop handles, and the largest number of
 * arguments. */
#define GOOD_EIGHT(n) \
    __field(int, n##0) __field(int, n##1) __field(int, n##2) __field(int, n##3) \
    __field(int, n##4) __field(int, n##5) __field(int, n##6) __field(int, n##7)
CAIRN_TRACEPOINT(good_many, TP_SYSTEM(good),
    TP_PROTO(int a, int b, int c, int d, int e, int f, int g, int h,
             int i, int j, int k, int l, int m, int n, int o, int p),
    TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p),
    TP_STRUCT__entry(
        GOOD_EIGHT(a) GOOD_EIGHT(b) GOOD_EIGHT(c) GOOD_EIGHT(d)
        GOOD_EIGHT(e) GOOD_EIGHT(f) GOOD_EIGHT(g) GOOD_EIGHT(h)
        GOOD_EIGHT(i) GOOD_EIGHT(j) GOOD_EIGHT(k) GOOD_EIGHT(l)
        GOOD_EIGHT(m) GOOD_EIGHT(n) GOOD_EIGHT(o) GOOD_EIGHT(p)
    ),
    TP_fast_assign(__entry->a0 = a; __entry->p7 = b + c + d + e + f + g + h + i + j + k + l + m + n + o + p;),
    TP_printk("%d %d", __entry->a0, __entry->p7));

CAIRN_TRACEPOINT_CLASS(good_task, TP_SYSTEM(good), TP_PROTO(int pid), TP_ARGS(pid),
    TP_STRUCT__entry(__field(int, pid)), TP_fast_assign(__entry->pid = pid;),
    TP_printk("pid=%d", __entry->pid));
CAIRN_TRACEPOINT_EVENT(good_task, good_begin, TP_SYSTEM(good), TP_PROTO(int pid), TP_ARGS(pid));
CAIRN_TRACEPOINT_EVENT_CONDITION(good_task, good_even, TP_SYSTEM(good), TP_PROTO(int pid), TP_ARGS(pid),
    TP_CONDITION(pid % 2 == 0));
CAIRN_TRACEPOINT_EVENT_PRINT(good_task, good_text, TP_SYSTEM(other), TP_PROTO(int pid), TP_ARGS(pid),
    TP_printk("[%d]", __entry->pid));
/* clang-format on */

#ifdef __cplusplus
extern "C" {
#endif

/* They return the number of events that they hit. */
int good_first(void);
int good_second(void);

/* All tracepoints of the program or shared object that contains the valid sources. */
void good_events(struct cairn_trace_event *const **ret_start,
                 struct cairn_trace_event *const **ret_stop);

#ifdef __cplusplus
}
#endif

#endif
