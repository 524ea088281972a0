/* SPDX-License-Identifier: MIT */
/* Tracepoints in a header that two sources include. */
#ifndef TRACE_EVENT_POINTS_H
#define TRACE_EVENT_POINTS_H

#include "trace_event_fake.h"

struct point {
    char x;
    int32_t y; /* with padding before it: a nested struct keeps its own layout */
};

enum colour { RED, GREEN = 7 };
enum depth { BELOW = -1, LEVEL, ABOVE };

typedef uint32_t u32;

/* clang-format off */
CAIRN_TRACEPOINT(every_type, TP_SYSTEM(unit),
    TP_PROTO(int8_t small, uint64_t large, const char *who, const u32 *list, size_t count),
    TP_ARGS(small, large, who, list, count),
    TP_STRUCT__entry(
        __field(uint8_t, a8)
        __field(int8_t, b8)
        __field(uint16_t, a16)
        __field(short, b16)
        __field(u32, a32)
        __field(int, b32)
        __field(unsigned long, a64)
        __field(long long, b64)
        __field(size_t, size)
        __field(bool, flag)
        __field(char, letter)
        __field(const void *, where)
        __field(enum colour, colour)
        __field(enum depth, depth)
        __field_struct(struct point, point)
        __array(char, comm, 16)
        __array(unsigned char, mac, 6)
        __array(u32, words, 2 + 1)
        __array(struct point, points, 2)
        __field_ext(pid_t, pid, FILTER_OTHER)
        __string(who, who)
        __dynamic_array(u32, list, count)
        __rel_string(rel_who, who)
        __rel_dynamic_array(struct point, rel_points, 1)
        __bitmask(bits, 65)
    ),
    TP_fast_assign(
        const unsigned long bits[2] = {5, 1};
        const struct point point = {'p', -2};

        __entry->a8 = 200;
        __entry->b8 = small;
        __entry->a16 = 60000;
        __entry->b16 = -3;
        __entry->a32 = 4000000000;
        __entry->b32 = -4;
        __entry->a64 = large;
        __entry->b64 = -5;
        __entry->size = sizeof(*__entry);
        __entry->flag = true;
        __entry->letter = 'L';
        __entry->where = NULL;
        __entry->colour = GREEN;
        __entry->depth = BELOW;
        __entry->point = point;
        memcpy(__entry->comm, "0123456789abcdef", sizeof(__entry->comm));
        memset(__entry->mac, 0xab, sizeof(__entry->mac));
        memset(__entry->words, 0, sizeof(__entry->words));
        __entry->words[2] = 9;
        memset(__entry->points, 0, sizeof(__entry->points));
        __entry->pid = 321;
        __assign_str(who);
        memcpy(__get_dynamic_array(list), list, __get_dynamic_array_len(list));
        __assign_rel_str(rel_who);
        memcpy(__get_rel_dynamic_array(rel_points), &point, sizeof(point));
        __assign_bitmask(bits, bits, 65);
    ),
    TP_printk("a8=%u b8=%d " "who=%s rel=%s list=%s mac=%s colour=%s flags=%s bits=%s rel_y=%zu",
        __entry->a8, __entry->b8, __get_str(who), __get_rel_str(rel_who),
        __print_dynamic_array(list, sizeof(u32)),
        __print_hex(__entry->mac, 6),
        __print_symbolic(__entry->colour, {RED, "red"}, {GREEN, "green"}),
        __print_flags(__entry->a16, "|", {0x8000, "HIGH"}, {0x2000, "MIDDLE"}),
        __get_bitmask(bits), (size_t)__get_rel_dynamic_array_len(rel_points)));

CAIRN_TRACEPOINT(no_fields, TP_SYSTEM(unit),
    TP_PROTO(void), TP_ARGS(), TP_STRUCT__entry(), TP_fast_assign(), TP_printk("nothing"));

CAIRN_TRACEPOINT(texts, TP_SYSTEM(unit),
    TP_PROTO(const char *text, size_t length, va_list *list),
    TP_ARGS(text, length, list),
    TP_STRUCT__entry(
        __string_len(first, text, length)
        __vstring(all, "%s-%d", list)
        __string(old, text)
        __rel_string_len(rel_first, text, length)
    ),
    TP_fast_assign(
        __assign_str(first);
        __assign_vstr(all, "%s-%d", list);
        __assign_str(old, text);
        __assign_rel_str(rel_first);
    ),
    TP_printk("%s|%s|%s|%s", __get_str(first), __get_str(all), __get_str(old),
              __get_rel_str(rel_first)));

CAIRN_TRACEPOINT_CLASS(task, TP_SYSTEM(unit),
    TP_PROTO(uint32_t pid), TP_ARGS(pid),
    TP_STRUCT__entry(__field(uint32_t, pid)),
    TP_fast_assign(__entry->pid = pid;),
    TP_printk("pid=%u", __entry->pid));
CAIRN_TRACEPOINT_EVENT(task, task_begin, TP_SYSTEM(unit), TP_PROTO(uint32_t pid), TP_ARGS(pid));
CAIRN_TRACEPOINT_EVENT(task, task_end, TP_SYSTEM(elsewhere), TP_PROTO(uint32_t pid), TP_ARGS(pid));
CAIRN_TRACEPOINT_EVENT_CONDITION(task, task_even, TP_SYSTEM(unit),
    TP_PROTO(uint32_t pid), TP_ARGS(pid), TP_CONDITION(pid % 2 == 0));
CAIRN_TRACEPOINT_EVENT_PRINT(task, task_odd_text, TP_SYSTEM(unit),
    TP_PROTO(uint32_t pid), TP_ARGS(pid), TP_printk("[%u]", __entry->pid));

/* Their `format` must be that of the same events in Linux 6.12. */
CAIRN_TRACEPOINT(task_rename, TP_SYSTEM(task),
    TP_PROTO(const char *from, const char *to), TP_ARGS(from, to),
    TP_STRUCT__entry(
        __field(	pid_t,	pid	)
        __array(	char, oldcomm,  16)
        __array(	char, newcomm,  16)
        __field(	short,	oom_score_adj)
    ),
    TP_fast_assign(
        memcpy(__entry->oldcomm, from, 16);
        memcpy(__entry->newcomm, to, 16);
    ),
    TP_printk("pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd",
        __entry->pid, __entry->oldcomm,
        __entry->newcomm, __entry->oom_score_adj));

CAIRN_TRACEPOINT(workqueue_queue_work, TP_SYSTEM(workqueue),
    TP_PROTO(const char *name), TP_ARGS(name),
    TP_STRUCT__entry(
        __field( void *,	work	)
        __field( void *,	function)
        __string( workqueue,	name)
        __field( int,	req_cpu	)
        __field( int,	cpu	)
    ),
    TP_fast_assign(__assign_str(workqueue);),
    TP_printk("work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d",
          __entry->work, __entry->function, __get_str(workqueue),
          __entry->req_cpu, __entry->cpu));

#define softirq(number, name) { number, #name }
#define show_softirq(value) __print_symbolic(value, \
    softirq(0, HI), softirq(1, TIMER), softirq(2, NET_TX))
CAIRN_TRACEPOINT(softirq_raise, TP_SYSTEM(irq),
    TP_PROTO(unsigned int number), TP_ARGS(number),
    TP_STRUCT__entry(__field(unsigned int, vec)),
    TP_fast_assign(__entry->vec = number;),
    TP_printk("vec=%u [action=%s]", __entry->vec, show_softirq(__entry->vec)));

CAIRN_TRACEPOINT_CONDITION(with_condition, TP_SYSTEM(unit),
    TP_PROTO(const char *text, float real, struct point point), TP_ARGS(text, real, point),
    TP_CONDITION(text != NULL),
    TP_STRUCT__entry(__rel_string(text, text)),
    TP_fast_assign(__assign_rel_str(text);),
    TP_printk("%s", __get_rel_str(text)));
/* clang-format on */

/* The event that the other source has under a name. */
const struct cairn_trace_event *other_event(void);
void other_hit(uint32_t pid);

#endif
