/* SPDX-License-Identifier: MIT */
/* The tracepoints of kitchen.c, in a header, so that all sources of a program can use them. */
#ifndef KITCHEN_H
#define KITCHEN_H

#include <cairn/typed_tracepoint.h>

enum course { STARTER, MAIN, DESSERT };

/* clang-format off */
CAIRN_TRACEPOINT(dish_served, TP_SYSTEM(kitchen),
    TP_PROTO(uint32_t table, enum course course, const char *name, const uint16_t *grams,
             size_t ingredients),
    TP_ARGS(table, course, name, grams, ingredients),
    TP_STRUCT__entry(
        __field(uint32_t, table)
        __field(enum course, course)
        __string(name, name)
        __dynamic_array(uint16_t, grams, ingredients)
    ),
    TP_fast_assign(
        __entry->table = table;
        __entry->course = course;
        __assign_str(name);
        __builtin_memcpy(__get_dynamic_array(grams), grams, ingredients * sizeof(*grams));
    ),
    TP_printk("table=%u %s: %s, grams %s", __entry->table,
        __print_symbolic(__entry->course, {STARTER, "starter"}, {MAIN, "main"}, {DESSERT, "dessert"}),
        __get_str(name), __print_dynamic_array(grams, sizeof(uint16_t))));

CAIRN_TRACEPOINT_CLASS(table, TP_SYSTEM(kitchen),
    TP_PROTO(uint32_t table), TP_ARGS(table),
    TP_STRUCT__entry(__field(uint32_t, table)),
    TP_fast_assign(__entry->table = table;),
    TP_printk("table=%u", __entry->table));
CAIRN_TRACEPOINT_EVENT(table, table_taken, TP_SYSTEM(kitchen), TP_PROTO(uint32_t table), TP_ARGS(table));
CAIRN_TRACEPOINT_EVENT(table, table_paid, TP_SYSTEM(kitchen), TP_PROTO(uint32_t table), TP_ARGS(table));
/* clang-format on */

#endif
