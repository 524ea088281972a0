/* SPDX-License-Identifier: MIT */
/*
 * Reads tracing data: files of the machine's tracing directory, mainly the format texts.
 *
 *   17 08 44 "tracing" VERSION\0, u8 big endian, u8 size of long, u32 page size
 *   "header_page\0" u64 size, text;  "header_event\0" u64 size, text
 *   u32 count of ftrace's own formats: u64 size, text each
 *   u32 count of systems: NAME\0, u32 count of formats: u64 size, text each
 *   u32 size, kallsyms;  u32 size, printk formats;  from version 0.6 u64 size, saved cmdlines
 */
#include "perf_data/file.h"
#include "perf_data/tracing.h"

#include <errno.h>
#include <stdlib.h>

#define MAGIC_BYTES 10u

/* The number of formats of one id that are distinguished by their names. */
#define SAME_ID_MAX 32u

/* Returns the rest of the line that begins with `key`, among the first lines of a format text. */
static struct cairn_slice line_after(struct cairn_slice text, const char *key)
{
    size_t key_bytes = strlen(key);
    const char *at = text.text;
    const char *end = at + text.length;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;

        if ((size_t)(line_end - at) >= key_bytes && !memcmp(at, key, key_bytes)) {
            at += key_bytes;
            while (at < line_end && *at == ' ')
                at++;
            return (struct cairn_slice){at, (uint32_t)(line_end - at)};
        }
        at = line_end + 1;
    }
    return (struct cairn_slice){"", 0};
}

static uint32_t number_of(struct cairn_slice digits)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < digits.length; i++) {
        if (digits.text[i] < '0' || digits.text[i] > '9' || number > UINT32_MAX / 10 - 1)
            break;
        number = 10 * number + (uint32_t)(digits.text[i] - '0');
    }
    return number;
}

static int add_format(struct cairn_perf_file *file, struct cairn_slice system,
                      struct cairn_slice text)
{
    uint32_t id = number_of(line_after(text, "ID:"));
    struct perf_data_format *format;
    int err;

    if (file->format_count == PERF_DATA_MAP_NONE)
        return ENOMEM;
    format = perf_data_arena_alloc(&file->arena, sizeof(*format));
    err = format ? perf_data_array_grow((void ***)&file->formats, file->format_count) : ENOMEM;
    if (err)
        return err;
    *format = (struct perf_data_format){
        .public = {.system = system, .text = text, .id = id},
        .name = line_after(text, "name:"),
        .next = perf_data_map_get(&file->format_of_id, id),
    };
    err = perf_data_map_set(&file->format_of_id, id, file->format_count);
    if (!err)
        file->formats[file->format_count++] = format;
    return err;
}

static bool is_named(const struct perf_data_format *format, const char *name)
{
    struct cairn_slice system = format->public.system;

    return strlen(name) == (size_t)system.length + 1 + format->name.length &&
           !memcmp(name, system.text, system.length) && name[system.length] == ':' &&
           !memcmp(name + system.length + 1, format->name.text, format->name.length);
}

/* Makes "system:name" from a format, for an attr that has no name. */
static int name_by_format(struct cairn_perf_file *file, struct perf_data_attr *attr,
                          const struct perf_data_format *format)
{
    struct cairn_slice system = format->public.system;
    size_t length = (size_t)system.length + 1 + format->name.length;
    char *name = perf_data_arena_alloc(&file->arena, length + 1);

    if (!name)
        return ENOMEM;
    memcpy(name, system.text, system.length);
    name[system.length] = ':';
    memcpy(name + system.length + 1, format->name.text, format->name.length);
    name[length] = '\0';
    attr->public.name = name;
    return 0;
}

int perf_data_format_link(struct cairn_perf_file *file, struct perf_data_attr *attr)
{
    const struct perf_data_format *found = NULL;
    uint32_t at = perf_data_map_get(&file->format_of_id, attr->public.config);

    if (attr->public.type != CAIRN_PERF_TYPE_TRACEPOINT || attr->public.config > UINT32_MAX)
        return 0;
    for (uint32_t tries = 0; at != PERF_DATA_MAP_NONE && tries < SAME_ID_MAX; tries++) {
        const struct perf_data_format *format = file->formats[at];

        if (!found || is_named(format, attr->public.name))
            found = format;
        at = format->next;
    }
    if (!found)
        return 0;
    attr->public.format = found->public.text;
    attr->public.system = found->public.system;
    return attr->public.name[0] ? 0 : name_by_format(file, attr, found);
}

/* A text after its size, of 4 or 8 bytes. */
static struct cairn_slice take_sized(struct core_cursor *c, uint64_t size_bytes)
{
    const char *text = NULL;

    if (size_bytes > UINT32_MAX)
        core_cursor_fail(c, EBADMSG);
    else
        text = core_cursor_take(c, (size_t)size_bytes);
    return text ? (struct cairn_slice){text, (uint32_t)size_bytes} : (struct cairn_slice){"", 0};
}

/* A text after its name and its size. */
static struct cairn_slice take_named(struct core_cursor *c, const char *name)
{
    size_t length;
    const char *found = core_cursor_string(c, &length);

    if (found && strcmp(found, name) != 0)
        core_cursor_fail(c, EBADMSG);
    return take_sized(c, core_cursor_u64(c));
}

static void take_formats(struct cairn_perf_file *file, struct core_cursor *c,
                         struct cairn_slice system)
{
    uint32_t count = core_cursor_u32(c);

    for (uint32_t i = 0; i < count && !c->error; i++) {
        struct cairn_slice text = take_sized(c, core_cursor_u64(c));

        if (!c->error && add_format(file, system, text))
            core_cursor_fail(c, ENOMEM);
    }
}

static void take_systems(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t count = core_cursor_u32(c);

    for (uint32_t i = 0; i < count && !c->error; i++) {
        size_t length;
        const char *name = core_cursor_string(c, &length);

        if (length > UINT32_MAX)
            core_cursor_fail(c, EBADMSG);
        if (name)
            take_formats(file, c, (struct cairn_slice){name, (uint32_t)length});
    }
}

/* True from version 0.6 on; versions are written "0.5", "0.6". */
static bool has_cmdlines(const char *version)
{
    return version && strcmp(version, "0.5") > 0;
}

static void take_all(struct cairn_perf_file *file, struct core_cursor *c)
{
    struct cairn_perf_tracing *t = &file->tracing;
    const void *magic = core_cursor_take(c, MAGIC_BYTES);
    size_t length;
    const char *version;

    if (!magic || memcmp(magic, "\027\010\104tracing", MAGIC_BYTES) != 0) {
        core_cursor_fail(c, EBADMSG);
        return;
    }
    version = core_cursor_string(c, &length);
    c->swap = (core_cursor_u8(c) != 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    t->long_size_bytes = core_cursor_u8(c) == 4 ? 4 : 8;
    t->page_size_bytes = core_cursor_u32(c);
    t->header_page = take_named(c, "header_page");
    t->header_event = take_named(c, "header_event");
    take_formats(file, c, (struct cairn_slice){"ftrace", 6});
    take_systems(file, c);
    t->kallsyms = take_sized(c, core_cursor_u32(c));
    t->printk = take_sized(c, core_cursor_u32(c));
    if (has_cmdlines(version))
        t->cmdlines = take_sized(c, core_cursor_u64(c));
}

int perf_data_tracing_data_read(struct cairn_perf_file *file, const struct perf_data_feature *blob)
{
    struct core_cursor c = core_cursor(blob->data, blob->size_bytes, file->swap);
    int err = 0;

    if (file->has_tracing_data)
        return 0;
    file->has_tracing_data = true;
    file->features[CAIRN_PERF_FEATURE_TRACING_DATA] = *blob;
    take_all(file, &c);
    file->tracing_swap = c.swap;
    file->tracing_end = (uint64_t)(c.at - (const uint8_t *)blob->data);
    if (c.error == EBADMSG)
        perf_data_file_fail(file, EBADMSG, blob->offset + (uint64_t)(c.at - blob->data),
                            "tracing data are cut short or invalid");
    else
        err = c.error;
    if (!err)
        err = perf_data_comm_read_cmdlines(file, file->tracing.cmdlines);
    for (uint32_t i = 0; i < file->attr_count && !err; i++)
        err = perf_data_format_link(file, file->attrs[i]);
    return err;
}

struct perf_data_tracing_rest perf_data_tracing_rest(const struct cairn_perf_file *file)
{
    return (struct perf_data_tracing_rest){
        .begin = file->source.map,
        .size_bytes = file->source.map_bytes,
        .offset = (size_t)file->tracing_end,
        .swap = file->tracing_swap,
        .source = &file->source,
    };
}

bool perf_data_tracing_find(const struct cairn_perf_file *file, uint32_t id, uint32_t *ret_index,
                            struct cairn_slice *ret_system, struct cairn_slice *ret_name,
                            struct cairn_slice *ret_text)
{
    uint32_t index = perf_data_map_get(&file->format_of_id, id);

    if (index == PERF_DATA_MAP_NONE)
        return false;
    *ret_index = index;
    *ret_system = file->formats[index]->public.system;
    *ret_name = file->formats[index]->name;
    *ret_text = file->formats[index]->public.text;
    return true;
}
