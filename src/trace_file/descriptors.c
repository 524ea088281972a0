/* SPDX-License-Identifier: MIT */
/* The table of descriptors, from blocks. */
#include "trace_file/tables.h"

#include "trace_file/entry.h"

#include <errno.h>
#include <string.h>

static int take_text(struct trace_file_tables *tables, struct core_cursor *c, uint32_t length,
                     struct cairn_slice *ret_text)
{
    const char *text = (const char *)core_cursor_take(c, length);

    if (!text)
        return EBADMSG;
    text = perf_data_arena_text(&tables->arena, text, length);
    *ret_text = (struct cairn_slice){text, length};
    return text ? 0 : ENOMEM;
}

static int fill_tracepoint(struct trace_file_tables *tables, struct core_cursor *c,
                           struct trace_file_descriptor *descriptor)
{
    uint32_t system_bytes;
    uint32_t name_bytes;
    uint32_t format_bytes;
    int err;

    descriptor->id = core_cursor_u32(c);
    system_bytes = core_cursor_u32(c);
    name_bytes = core_cursor_u32(c);
    format_bytes = core_cursor_u32(c);
    err = take_text(tables, c, system_bytes, &descriptor->system);
    err = err ? err : take_text(tables, c, name_bytes, &descriptor->name);
    return err ? err : take_text(tables, c, format_bytes, &descriptor->format);
}

static int fill_eventheader(struct trace_file_tables *tables, struct core_cursor *c,
                            struct trace_file_descriptor *descriptor)
{
    uint32_t tracepoint = core_cursor_u32(c);
    const void *header = core_cursor_take(c, sizeof(descriptor->header));
    uint32_t metadata_bytes = core_cursor_u32(c);
    uint32_t file_bytes = core_cursor_u32(c);
    uint32_t function_bytes = core_cursor_u32(c);
    int err;

    descriptor->line = core_cursor_u32(c);
    descriptor->tracepoint = trace_file_tables_descriptor(tables, tracepoint);
    if (!header || !descriptor->tracepoint ||
        descriptor->tracepoint->kind != TRACE_FILE_TRACEPOINT || metadata_bytes > UINT16_MAX)
        return EBADMSG;
    memcpy(descriptor->header, header, sizeof(descriptor->header));
    err = take_text(tables, c, metadata_bytes, &descriptor->metadata);
    err = err ? err : take_text(tables, c, file_bytes, &descriptor->file);
    return err ? err : take_text(tables, c, function_bytes, &descriptor->function);
}

static int fill(struct trace_file_tables *tables, struct core_cursor *c,
                struct trace_file_descriptor *descriptor)
{
    descriptor->number = core_cursor_u32(c);
    descriptor->kind = core_cursor_u8(c);
    descriptor->flags = core_cursor_u8(c);
    descriptor->long_size_bytes = core_cursor_u16(c);
    if (!descriptor->number)
        return EBADMSG;
    if (descriptor->kind == TRACE_FILE_TRACEPOINT)
        return fill_tracepoint(tables, c, descriptor);
    if (descriptor->kind == TRACE_FILE_EVENTHEADER)
        return fill_eventheader(tables, c, descriptor);
    return 0; /* of a later version: its events cannot be decoded */
}

static int add(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    struct trace_file_descriptor *descriptor;
    int err = perf_data_array_grow((void ***)&tables->descriptors, tables->descriptor_count);

    if (err)
        return err;
    descriptor =
        (struct trace_file_descriptor *)perf_data_arena_alloc(&tables->arena, sizeof(*descriptor));
    if (!descriptor)
        return ENOMEM;
    *descriptor = (struct trace_file_descriptor){.index = tables->descriptor_count};
    err = fill(tables, &entry, descriptor);
    if (err)
        return err;
    tables->descriptors[tables->descriptor_count] = descriptor;
    return perf_data_map_set(&tables->descriptor_of, descriptor->number,
                             tables->descriptor_count++);
}

int trace_file_tables_descriptors(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add, tables);
}

const struct trace_file_descriptor *
trace_file_tables_descriptor(const struct trace_file_tables *tables, uint32_t number)
{
    uint32_t index = perf_data_map_get(&tables->descriptor_of, number);

    return index == PERF_DATA_MAP_NONE ? NULL : tables->descriptors[index];
}
