/* SPDX-License-Identifier: MIT */
/*
 * One record as one line of text, as in ftrace's `trace`, default options:
 *
 *            bash-1234    [001] d.h1.  5123.456789: sched_demo: a=1 who=me
 *
 * An event with a print function of its own (TP_printk) shows as TRACE_EVENTs do; any other as
 * user_events do: " field=value" for each field. Text in a record is shown byte for byte, as ftrace
 * does: line breaks and control characters too.
 */
#ifndef CAIRN_KERNEL_TRACE_LINE_H
#define CAIRN_KERNEL_TRACE_LINE_H

#include <cairn/api.h>
#include <cairn/schema.h>
#include <cairn/kernel/text.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of zeros after the raw part that a print function may read. */
#define CAIRN_TRACE_PRINT_SLACK_BYTES 64u

/*
 * Writes the text of TP_printk for a record, without a line break. `raw` is a copy of the raw part,
 * common fields first, aligned to 8; it has at least the bytes of the schema's fixed part. Its
 * contents are untrusted, but bools are 0 or 1.
 */
typedef void cairn_trace_print(struct cairn_text *to, const void *raw, size_t raw_bytes);

/* The description of an event for text. */
struct cairn_trace_format {
    struct cairn_slice name;
    const struct cairn_schema *schema;
    cairn_trace_print *print; /* NULL: field by field */
    uint64_t since_ns;        /* earlier records are of unknown type: another event had the id */
};

/* Lookups of names, supplied by the caller, called with `data` while a line is written. */
struct cairn_trace_names {
    /* The event of a common_type. Returns 0; ENOENT: the line shows "Unknown type". */
    int (*event)(void *data, uint16_t id, struct cairn_trace_format *ret_format);
    /* A thread's name, ended with a NUL. Returns 0; ENOENT: "<...>". NULL: no name is known. */
    int (*comm)(void *data, uint32_t tid, char ret_comm[16]);
    void *data;
};

/*
 * Adds the line of a record, including its line break.
 *
 * record, size_bytes   of any bytes and any alignment. Records that are shorter than their schema
 *                      show "<OVERFLOW>" for missing fields
 * to                   with space for the line and, if the event has a print function, for a copy
 *                      of the record and CAIRN_TRACE_PRINT_SLACK_BYTES, and for the strings that
 *                      the function makes, which is free again afterwards
 *
 * Any thread and any context that `names` may be called in; the record does not change meanwhile.
 * Returns 0; EBADMSG not a record (cairn_record_check), nothing was added; ENOSPC the line does not
 * fit, a part of it was added.
 */
CAIRN_API int cairn_trace_line(const struct cairn_trace_names *names, const void *record,
                               size_t size_bytes, struct cairn_text *to);

#ifdef __cplusplus
}
#endif

#endif
