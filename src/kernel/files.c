/* SPDX-License-Identifier: MIT */
/* Finds a file of tracefs by its path, and calls its functions. */
#include "kernel/files.h"

#include "kernel/event_table.h"

#include <cairn/kernel/trace_buffer.h>

struct entry {
    /* A "*" is a system, a second one an event; "cpu#" is a CPU. */
    const char *path;
    kernel_file_read *read;
    kernel_file_write *write;
    kernel_file_truncate *truncate;
};

static int accept(const struct kernel_file *file, struct cairn_slice text);

static const struct entry entries[] = {
    {"available_events", kernel_read_available_events, NULL, NULL},
    {"available_tracers", kernel_read_tracer, NULL, NULL},
    {"buffer_size_kb", kernel_read_buffer_size, kernel_write_buffer_size, NULL},
    {"buffer_total_size_kb", kernel_read_buffer_total, NULL, NULL},
    {"current_tracer", kernel_read_tracer, kernel_write_tracer, NULL},
    {"error_log", kernel_read_error_log, accept, kernel_truncate_error_log},
    {"events/enable", kernel_read_system_enable, kernel_write_system_enable, NULL},
    {"events/*/enable", kernel_read_system_enable, kernel_write_system_enable, NULL},
    {"events/*/filter", kernel_read_system_filter, kernel_write_system_filter, NULL},
    {"events/*/*/enable", kernel_read_enable, kernel_write_enable, NULL},
    {"events/*/*/filter", kernel_read_filter, kernel_write_filter, NULL},
    {"events/*/*/format", kernel_read_format, NULL, NULL},
    {"events/*/*/id", kernel_read_id, NULL, NULL},
    {"options/overwrite", kernel_read_overwrite, kernel_write_overwrite, NULL},
    {"options/record-cmd", kernel_read_record_comms, kernel_write_record_comms, NULL},
    {"per_cpu/cpu#/buffer_size_kb", kernel_read_buffer_size, kernel_write_buffer_size, NULL},
    {"per_cpu/cpu#/stats", kernel_read_stats, NULL, NULL},
    {"per_cpu/cpu#/trace", NULL, accept, kernel_truncate_trace},
    {"per_cpu/cpu#/trace_pipe", NULL, NULL, NULL}, /* streams: cairn/kernel/trace_text.h */
    {"saved_cmdlines", kernel_read_saved_comms, NULL, NULL},
    {"set_event", kernel_read_set_event, kernel_write_set_event, kernel_truncate_set_event},
    {"trace", NULL, accept, kernel_truncate_trace},
    {"trace_options", kernel_read_options, kernel_write_options, NULL},
    {"trace_pipe", NULL, NULL, NULL},
    {"tracing_on", kernel_read_tracing_on, kernel_write_tracing_on, NULL},
};

/* As in Linux, writes to `trace` and `error_log` succeed and are ignored. */
static int accept(const struct kernel_file *file, struct cairn_slice text)
{
    (void)file;
    (void)text;
    return 0;
}

/* ---- paths ---- */

static bool find_system(const struct cairn_trace *trace, struct cairn_slice name)
{
    const struct cairn_trace_event *event = NULL;

    while ((event = cairn_trace_next(trace, event))) {
        if (core_slice_equal(core_slice_of(event->system), name))
            return true;
    }
    return false;
}

static bool find_cpu(const struct cairn_trace *trace, struct cairn_slice name, uint32_t *ret_cpu)
{
    uint32_t cpu;

    /* A directory's name is digits only, without the sign and newline that numbers may have. */
    if (!core_slice_take(&name, "cpu") || core_slice_starts(name, "+") ||
        core_slice_ends(name, "\n") || !core_slice_number(name, 10, &cpu) ||
        (name.length > 1 && name.text[0] == '0') || !trace->buffer ||
        cpu >= trace->buffer->cpu_count)
        return false;
    *ret_cpu = cpu;
    return true;
}

/* True if a part of a path matches the table's. */
static bool part_matches(struct cairn_slice part, struct cairn_slice pattern,
                         struct kernel_file *file)
{
    if (core_slice_is(pattern, "cpu#"))
        return find_cpu(file->trace, part, &file->cpu);
    if (!core_slice_is(pattern, "*"))
        return core_slice_equal(part, pattern);
    if (file->system.length) {
        file->event = kernel_trace_find(file->trace, file->system, part);
        return file->event != NULL;
    }
    file->system = part;
    return part.length && find_system(file->trace, part);
}

/* 0; ENOENT; EISDIR: the path is a prefix of this one. */
static int match(const struct entry *entry, struct cairn_slice path, struct kernel_file *file)
{
    struct cairn_slice pattern = core_slice_of(entry->path);

    while (path.length && pattern.length) {
        struct cairn_slice part = core_slice_take_until(&path, '/');

        if (!part_matches(part, core_slice_take_until(&pattern, '/'), file))
            return ENOENT;
    }
    if (path.length)
        return ENOENT;
    return pattern.length ? EISDIR : 0;
}

static int find(struct cairn_trace *trace, const char *path, const struct entry **ret_entry,
                struct kernel_file *ret_file)
{
    int found = ENOENT;

    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        int err;

        *ret_entry = &entries[i];
        *ret_file = (struct kernel_file){.trace = trace, .cpu = CAIRN_TRACE_ALL_CPUS};
        err = match(&entries[i], core_slice_of(path), ret_file);
        if (!err)
            return 0;
        if (err == EISDIR)
            found = EISDIR;
    }
    return found;
}

/* ---- what is written ---- */

int kernel_file_number(struct cairn_slice text, uint64_t *ret_value)
{
    const uint32_t longest = 66; /* the kernel copies no more */
    uint32_t digits = 0;
    uint64_t value;

    text = core_slice_first(text, text.length < longest ? text.length : longest);
    text.length = core_slice_find(text, '\0');
    if (core_slice_number_u64(text, 10, ret_value))
        return 0;
    /* Overflow is reported before invalid bytes that follow. */
    core_slice_take(&text, "+");
    while (digits < text.length && core_is_digit(text.text[digits]))
        digits++;
    text.length = digits;
    return digits && !core_slice_number_u64(text, 10, &value) ? ERANGE : EINVAL;
}

int kernel_file_bool(struct cairn_slice text, bool *ret_value)
{
    uint64_t value;
    int err = kernel_file_number(text, &value);

    if (!err && value > 1)
        err = EINVAL;
    if (!err)
        *ret_value = value;
    return err;
}

/* ---- the functions ---- */

int cairn_trace_file_read(struct cairn_trace *trace, const char *path, size_t offset, char *text,
                          size_t size_bytes, size_t *ret_length)
{
    struct cairn_text to = cairn_text(text, size_bytes);
    const struct entry *entry;
    struct kernel_file file;
    int err = find(trace, path, &entry, &file);

    if (!err && !entry->read)
        err = EINVAL;
    if (err)
        return err;
    to.skip = offset;
    to.cut = true;
    err = entry->read(&file, &to);
    if (!err)
        *ret_length = cairn_text_length(&to);
    return err;
}

int cairn_trace_file_write(struct cairn_trace *trace, const char *path, const char *text,
                           size_t length)
{
    struct cairn_slice written = {text, (uint32_t)length};
    const struct entry *entry;
    struct kernel_file file;
    int err = find(trace, path, &entry, &file);

    if (!err && (!entry->write || length > UINT32_MAX))
        err = EINVAL;
    return err ? err : entry->write(&file, written);
}

int cairn_trace_file_truncate(struct cairn_trace *trace, const char *path)
{
    const struct entry *entry;
    struct kernel_file file;
    int err = find(trace, path, &entry, &file);

    if (!err && entry->truncate)
        entry->truncate(&file);
    return err;
}
