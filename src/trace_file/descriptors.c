/* SPDX-License-Identifier: MIT */
/* The table of descriptors, from blocks. */
#include "trace_file/tables.h"

#include "trace_file/entry.h"

#include <errno.h>
#include <string.h>

static int take_text(struct cairn_tracefile_tables *tables, struct cairn_cursor *c, uint32_t length,
                     struct cairn_slice *ret_text)
{
    const char *text = (const char *)cairn_cursor_take(c, length);

    if (!text)
        return EBADMSG;
    text = cairn_arena_text(&tables->arena, text, length);
    *ret_text = (struct cairn_slice){text, length};
    return text ? 0 : ENOMEM;
}

static int fill_tracepoint(struct cairn_tracefile_tables *tables, struct cairn_cursor *c,
                           struct cairn_tracefile_descriptor *descriptor)
{
    uint32_t system_bytes;
    uint32_t name_bytes;
    uint32_t format_bytes;
    int err;

    descriptor->id = cairn_cursor_u32(c);
    system_bytes = cairn_cursor_u32(c);
    name_bytes = cairn_cursor_u32(c);
    format_bytes = cairn_cursor_u32(c);
    err = take_text(tables, c, system_bytes, &descriptor->system);
    err = err ? err : take_text(tables, c, name_bytes, &descriptor->name);
    return err ? err : take_text(tables, c, format_bytes, &descriptor->format);
}

static int fill_eventheader(struct cairn_tracefile_tables *tables, struct cairn_cursor *c,
                            struct cairn_tracefile_descriptor *descriptor)
{
    uint32_t tracepoint = cairn_cursor_u32(c);
    const void *header = cairn_cursor_take(c, sizeof(descriptor->header));
    uint32_t metadata_bytes = cairn_cursor_u32(c);
    uint32_t file_bytes = cairn_cursor_u32(c);
    uint32_t function_bytes = cairn_cursor_u32(c);
    int err;

    descriptor->line = cairn_cursor_u32(c);
    descriptor->tracepoint = cairn_tracefile_tables_descriptor(tables, tracepoint);
    if (!header || !descriptor->tracepoint ||
        descriptor->tracepoint->kind != CAIRN_TRACEFILE_TRACEPOINT || metadata_bytes > UINT16_MAX)
        return EBADMSG;
    memcpy(descriptor->header, header, sizeof(descriptor->header));
    err = take_text(tables, c, metadata_bytes, &descriptor->metadata);
    err = err ? err : take_text(tables, c, file_bytes, &descriptor->file);
    return err ? err : take_text(tables, c, function_bytes, &descriptor->function);
}

static int fill(struct cairn_tracefile_tables *tables, struct cairn_cursor *c,
                struct cairn_tracefile_descriptor *descriptor)
{
    descriptor->number = cairn_cursor_u32(c);
    descriptor->kind = cairn_cursor_u8(c);
    descriptor->flags = cairn_cursor_u8(c);
    descriptor->long_size_bytes = cairn_cursor_u16(c);
    if (!descriptor->number)
        return EBADMSG;
    if (descriptor->kind == CAIRN_TRACEFILE_TRACEPOINT)
        return fill_tracepoint(tables, c, descriptor);
    if (descriptor->kind == CAIRN_TRACEFILE_EVENTHEADER)
        return fill_eventheader(tables, c, descriptor);
    return 0; /* of a later version: its events cannot be decoded */
}

static int add(void *context, struct cairn_cursor entry)
{
    struct cairn_tracefile_tables *tables = (struct cairn_tracefile_tables *)context;
    struct cairn_tracefile_descriptor *descriptor;
    int err = cairn_array_grow((void ***)&tables->descriptors, tables->descriptor_count);

    if (err)
        return err;
    descriptor =
        (struct cairn_tracefile_descriptor *)cairn_arena_alloc(&tables->arena, sizeof(*descriptor));
    if (!descriptor)
        return ENOMEM;
    *descriptor = (struct cairn_tracefile_descriptor){.index = tables->descriptor_count};
    err = fill(tables, &entry, descriptor);
    if (err)
        return err;
    tables->descriptors[tables->descriptor_count] = descriptor;
    return cairn_map_set(&tables->descriptor_of, descriptor->number, tables->descriptor_count++);
}

int cairn_tracefile_tables_descriptors(struct cairn_tracefile_tables *tables, struct cairn_cursor c)
{
    return cairn_tracefile_each_entry(c, add, tables);
}

const struct cairn_tracefile_descriptor *
cairn_tracefile_tables_descriptor(const struct cairn_tracefile_tables *tables, uint32_t number)
{
    uint32_t index = cairn_map_get(&tables->descriptor_of, number);

    return index == CAIRN_MAP_NONE ? NULL : tables->descriptors[index];
}
