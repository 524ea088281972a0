/* SPDX-License-Identifier: MIT */
/*
 * Formats a record as a line of text, like trace_print_context and related functions in
 * kernel/trace/ of Linux 6.12.
 */
#include "kernel/trace_line.h"

#include "core/errno.h"
#include "core/load.h"
#include "core/text.h"
#include "kernel/trace_line_fields.h"

#include <cairn/kernel/host.h>
#include <cairn/kernel/pool.h>
#include <cairn/record.h>

#define RAW_AT offsetof(struct cairn_record_head, common_type)

static void add_task(struct cairn_text *to, const struct cairn_trace_names *names, int32_t tid)
{
    char comm[17] = "";
    const char *shown = comm;

    if (!tid)
        shown = "<idle>";
    else if (tid < 0)
        shown = "<XXX>";
    else if (!names->comm || names->comm(names->data, (uint32_t)tid, comm))
        shown = "<...>";
    cairn_text_printf(to, "%16.16s-%-7d ", shown, tid);
}

/* `bits` of a record's flags as an index: the lowest of them is bit 0. */
static uint32_t pick(uint32_t flags, uint32_t low, uint32_t middle, uint32_t high)
{
    return (flags & low ? 1 : 0) | (flags & middle ? 2 : 0) | (flags & high ? 4 : 0);
}

/*
 * The five letters of the latency fields. For the bit that is 'X' in Linux 6.12, on machines that
 * do not know if interrupts are off, later kernels show a lazy reschedule, as here.
 */
static void add_latency(struct cairn_text *to, uint32_t flags, uint32_t preempt_count)
{
    uint32_t off = pick(flags, CAIRN_TRACE_FLAG_IRQS_OFF, CAIRN_TRACE_FLAG_BH_OFF, 0);
    uint32_t resched = pick(flags, CAIRN_TRACE_FLAG_NEED_RESCHED_LAZY,
                            CAIRN_TRACE_FLAG_NEED_RESCHED, CAIRN_TRACE_FLAG_PREEMPT_RESCHED);
    uint32_t irq =
        pick(flags, CAIRN_TRACE_FLAG_SOFTIRQ, CAIRN_TRACE_FLAG_HARDIRQ, CAIRN_TRACE_FLAG_NMI);
    static const char depths[] = ".123456789abcdef";

    cairn_text_printf(to, "%c%c%c%c%c ", ".dbD"[off], ".lnbpLNB"[resched], ".shHzzZZ"[irq],
                      depths[preempt_count & 0xf], depths[preempt_count >> 4 & 0xf]);
}

void kernel_text_add_time(struct cairn_text *to, uint64_t time_ns)
{
    core_text_add_time(to, time_ns + 500); /* wraps around, as in Linux */
}

static void add_context(struct cairn_text *to, const struct cairn_trace_names *names,
                        const struct cairn_record_head *head)
{
    add_task(to, names, head->common_pid);
    cairn_text_printf(to, "[%03u] ", head->cpu);
    add_latency(to, head->common_flags, head->common_preempt_count);
    kernel_text_add_time(to, head->time_ns);
    core_text_put(to, ": ");
}

/*
 * Copies the raw part, followed by zeros, to the end of the free memory, which shrinks by it. NULL:
 * there is too little.
 */
static uint8_t *take_copy(struct cairn_text *to, const uint8_t *raw, size_t raw_bytes)
{
    size_t bytes = raw_bytes + CAIRN_TRACE_PRINT_SLACK_BYTES;
    char *copy;

    bytes += ((uintptr_t)to->at + to->left - bytes) % 8;
    if (to->left < bytes) {
        to->full = true;
        return NULL;
    }
    copy = to->at + to->left - bytes;
    __builtin_memcpy(copy, raw, raw_bytes);
    __builtin_memset(copy + raw_bytes, 0, CAIRN_TRACE_PRINT_SLACK_BYTES);
    to->left = (size_t)(copy - to->at);
    return (uint8_t *)copy;
}

/* Normalizes bools: reading one that is neither 0 nor 1 is undefined behaviour. */
static void normalize_bools(const struct cairn_schema *schema, uint8_t *raw, size_t raw_bytes)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];
        uint64_t at = field->offset, end = at + field->size_bytes;

        if (field->kind != CAIRN_FIELD_BOOL || end > raw_bytes)
            continue;
        if (field->location != CAIRN_FIELD_INLINE) {
            uint32_t location = core_load32(raw + at, false);

            at = (field->location == CAIRN_FIELD_REL_LOC ? end : 0) + (location & UINT16_MAX);
            end = at + (location >> 16);
        }
        for (; at < end && at < raw_bytes; at++)
            raw[at] = raw[at] != 0;
    }
}

/*
 * Strings that `print` has made are at the end of the free memory, too, and are released when it
 * returns.
 */
static void add_printed(struct cairn_text *to, const struct cairn_trace_format *format,
                        const uint8_t *raw, size_t raw_bytes, size_t spare_bytes)
{
    struct cairn_text before = *to;
    uint8_t *copy;

    to->left += spare_bytes;
    copy = take_copy(to, raw, raw_bytes);
    if (copy) {
        normalize_bools(format->schema, copy, raw_bytes);
        format->print(to, copy, raw_bytes);
    }
    if ((size_t)(to->at - before.at) > before.left) {
        *to = before;
        to->full = true;
    }
    to->left = before.left - (size_t)(to->at - before.at);
}

/* True when it was shown field by field. */
static bool add_event(struct cairn_text *to, const struct cairn_trace_format *format,
                      const uint8_t *raw, size_t raw_bytes, size_t spare_bytes)
{
    const struct cairn_schema *schema = format->schema;

    core_text_add(to, format->name);
    /* A record that is too short is shown field by field, so that missing fields are marked. */
    if (format->print && raw_bytes >= schema->fixed_size_bytes) {
        core_text_put(to, ": ");
        add_printed(to, format, raw, raw_bytes, spare_bytes);
        return false;
    }
    if (schema->field_count > schema->common_count) {
        core_text_put(to, ":");
        kernel_trace_fields(schema, raw, raw_bytes, to);
    } else {
        core_text_put(to, ":No fields found");
    }
    return true;
}

int kernel_trace_line_spare(const struct cairn_trace_names *names, const void *record,
                            size_t size_bytes, struct cairn_text *to, size_t spare_bytes)
{
    struct cairn_trace_format format = {.since_ns = 0};
    struct cairn_record_head head;

    if (!cairn_record_check(record, size_bytes))
        return EBADMSG;
    __builtin_memcpy(&head, record, sizeof(head));

    add_context(to, names, &head);
    if (names->event(names->data, head.common_type, &format) || head.time_ns < format.since_ns)
        cairn_text_printf(to, "Unknown type %d", head.common_type);
    else if (add_event(to, &format, (const uint8_t *)record + RAW_AT, head.raw_size_bytes,
                       spare_bytes))
        /* Linux's printf needs space for a NUL, the line break after fields does not. */
        to->left += spare_bytes ? 1 : 0;
    core_text_put(to, "\n");
    return to->full ? ENOSPC : 0;
}

int cairn_trace_line(const struct cairn_trace_names *names, const void *record, size_t size_bytes,
                     struct cairn_text *to)
{
    return kernel_trace_line_spare(names, record, size_bytes, to, 0);
}
