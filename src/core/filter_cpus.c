/* SPDX-License-Identifier: MIT */
/*
 * Lists of CPUs: "0,2-5", "all", "0-N:1/2" (one of every two). `N` is the last CPU there may be.
 * Commas and spaces may precede a part, and follow a part without a pattern.
 */
#include "core/filter.h"

struct filter_cpus_part {
    uint32_t first;
    uint32_t last;
    uint32_t used; /* the number in each group */
    uint32_t group;
};

static char peek(struct cairn_slice s)
{
    return s.length ? s.text[0] : '\0';
}

/* Not inlined, for size. */
__attribute__((noinline)) static bool at_separator(struct cairn_slice list)
{
    return core_is_kernel_space(peek(list)) || peek(list) == ',';
}

/* A newline ends a list too. */
static bool at_end(struct cairn_slice list)
{
    return peek(list) == '\0' || peek(list) == '\n';
}

static bool take_number(struct cairn_slice *list, uint32_t last_cpu, uint32_t *ret_number)
{
    struct cairn_slice digits = *list;

    if (core_slice_take(list, "N")) {
        *ret_number = last_cpu;
        return true;
    }
    while (core_is_digit(peek(*list)))
        *list = core_slice_after(*list, 1);
    return core_slice_number(core_slice_first(digits, digits.length - list->length), 10,
                             ret_number);
}

static bool take_all(struct cairn_slice *list)
{
    static const char all[] = "all";

    if (list->length < 3)
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        if ((list->text[i] | 0x20) != all[i])
            return false;
    }
    *list = core_slice_after(*list, 3);
    return true;
}

/* "all", "3", "3-5" */
static bool take_range(struct cairn_slice *list, uint32_t last_cpu, struct filter_cpus_part *part)
{
    if (take_all(list)) {
        part->first = 0;
        part->last = last_cpu;
        return true;
    }
    if (!take_number(list, last_cpu, &part->first))
        return false;
    part->last = part->first;
    if (at_separator(*list) || at_end(*list))
        return true;
    return core_slice_take(list, "-") && take_number(list, last_cpu, &part->last);
}

/* A range, with an optional ":1/2" unless it is a single number. A newline ends the list. */
static bool take_part(struct cairn_slice *list, uint32_t last_cpu, struct filter_cpus_part *part)
{
    if (!take_range(list, last_cpu, part))
        return false;
    part->used = part->last + 1;
    part->group = part->last + 1;
    if (at_end(*list))
        list->length = 0;
    if (!list->length || at_separator(*list))
        return true;
    return core_slice_take(list, ":") && take_number(list, last_cpu, &part->used) &&
           core_slice_take(list, "/") && take_number(list, last_cpu, &part->group);
}

/* A huge group wraps around, as in Linux; the loop ends anyway. */
static bool add_part(const struct filter_cpus_part *part, uint32_t cpu_count, uint64_t *set)
{
    if (part->first > part->last || !part->group || part->used > part->group ||
        part->last >= cpu_count)
        return false;
    for (uint32_t at = part->first; at <= part->last; at += part->group) {
        for (uint32_t i = 0; i < part->used && i <= part->last - at; i++)
            set[(at + i) / 64] |= 1ull << (at + i) % 64;
    }
    return true;
}

bool core_filter_parse_cpus(struct cairn_slice list, uint32_t cpu_count, uint64_t *set)
{
    for (;;) {
        struct filter_cpus_part part;

        while (at_separator(list))
            list = core_slice_after(list, 1);
        if (!list.length)
            return true;
        if (!take_part(&list, cpu_count - 1, &part) || !add_part(&part, cpu_count, set))
            return false;
    }
}
