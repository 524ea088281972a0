/* SPDX-License-Identifier: MIT */
/*
 * The text of `trace` and `trace_pipe`, like s_show and tracing_read_pipe of kernel/trace/trace.c.
 */
#include "core/errno.h"
#include "core/text.h"
#include "kernel/trace_line.h"
#include "kernel/trace_text_header.h"

#include <cairn/kernel/trace_text.h>

#define ALIGN_16(bytes) (((bytes) + 15) & ~(size_t)15)
#define LINE_TOO_BIG    "[LINE TOO BIG]\n"

/* A line, and the mark of a line that is too long. */
#define LINE_BYTES ALIGN_16(CAIRN_TRACE_LINE_MAX_BYTES + 15)

static size_t started_bytes(const struct cairn_trace_buffer *buffer)
{
    return ALIGN_16(((size_t)buffer->cpu_count + 7) / 8);
}

/* The limit of attempts to read a record that writers overwrite. */
#define POP_TRIES 1000

/* Memory for print functions: as much again for their strings, and a copy of the record. */
static size_t spare_bytes(const struct cairn_trace_buffer *buffer)
{
    return LINE_BYTES +
           ALIGN_16(cairn_trace_buffer_record_max_bytes(buffer) + CAIRN_TRACE_PRINT_SLACK_BYTES);
}

static size_t own_bytes(const struct cairn_trace_buffer *buffer)
{
    return LINE_BYTES + spare_bytes(buffer) + started_bytes(buffer);
}

size_t cairn_trace_text_memory_bytes(const struct cairn_trace_buffer *buffer)
{
    return own_bytes(buffer) + cairn_trace_cursor_memory_bytes(buffer);
}

/* The number of events in the rings, and the number ever written. */
static void count_entries(const struct cairn_trace_buffer *buffer, uint64_t *ret_entries,
                          uint64_t *ret_overruns)
{
    struct cairn_trace_stats stats;

    *ret_entries = 0;
    *ret_overruns = 0;
    for (uint32_t cpu = 0; cpu < buffer->cpu_count; cpu++) {
        if (cairn_trace_buffer_stats(buffer, cpu, &stats))
            continue;
        *ret_entries += stats.entries;
        *ret_overruns += stats.overruns;
    }
}

/* Makes the text in `line` the next to be read. */
static void show_line(struct cairn_trace_text *text, const struct cairn_text *written)
{
    text->line_at = 0;
    text->line_bytes = cairn_text_length(written);
}

/* The same for one CPU's `trace`: Linux counts all CPUs there too. */
static void put_header(struct cairn_trace_text *text)
{
    struct cairn_text to = cairn_text(text->line, LINE_BYTES);
    uint64_t entries, overruns;

    count_entries(text->buffer, &entries, &overruns);
    cairn_text_printf(&to, KERNEL_TRACE_HEADER, (unsigned long long)entries,
                      (unsigned long long)entries + overruns, text->buffer->cpu_count);
    show_line(text, &to);
    /* From then on the first event of each CPU is announced. */
    text->annotate = overruns != 0;
}

int cairn_trace_text_open(struct cairn_trace_text *text, const struct cairn_trace_names *names,
                          struct cairn_trace_buffer *buffer, uint32_t cpu, bool consume,
                          void *memory, size_t memory_bytes)
{
    size_t ours = own_bytes(buffer);
    struct cairn_trace_text opened = {.names = *names, .buffer = buffer, .consume = consume};
    int err;

    if (!memory || (uintptr_t)memory % 16 || memory_bytes < ours)
        return EINVAL;
    opened.line = (char *)memory;
    opened.started = (uint32_t *)(void *)(opened.line + LINE_BYTES + spare_bytes(buffer));
    __builtin_memset(opened.started, 0, started_bytes(buffer));
    err = cairn_trace_cursor_open(&opened.cursor, buffer, cpu, consume, opened.line + ours,
                                  memory_bytes - ours);
    if (err)
        return err;
    if (!consume)
        put_header(&opened);
    *text = opened;
    return 0;
}

void cairn_trace_text_close(struct cairn_trace_text *text)
{
    cairn_trace_cursor_close(&text->cursor);
}

/* True the first time that a CPU is seen. */
static bool starts(struct cairn_trace_text *text, uint32_t cpu)
{
    uint32_t bit = 1u << cpu % 32;
    bool first;

    if (cpu >= text->buffer->cpu_count)
        return false;
    first = !(text->started[cpu / 32] & bit);
    text->started[cpu / 32] |= bit;
    return first;
}

/* As in Linux, `trace` shows that events were lost, and only `trace_pipe` how many. */
static void add_lost(const struct cairn_trace_text *text, uint32_t cpu, struct cairn_text *to)
{
    uint64_t lost = cairn_trace_cursor_lost(&text->cursor);

    if (lost && text->consume)
        cairn_text_printf(to, "CPU:%u [LOST %llu EVENTS]\n", cpu, (unsigned long long)lost);
    else if (lost)
        cairn_text_printf(to, "CPU:%u [LOST EVENTS]\n", cpu);
}

static void put_event(struct cairn_trace_text *text, const struct cairn_record_head *record)
{
    struct cairn_text to = cairn_text(text->line, CAIRN_TRACE_LINE_MAX_BYTES);

    add_lost(text, record->cpu, &to);
    /* As in Linux, nothing is announced before the third event. */
    if (text->annotate && starts(text, record->cpu) && text->event_count > 1)
        cairn_text_printf(&to, "##### CPU %u buffer started ####\n", record->cpu);
    if (kernel_trace_line_spare(&text->names, record, record->size_bytes, &to,
                                LINE_BYTES - CAIRN_TRACE_LINE_MAX_BYTES +
                                    spare_bytes(text->buffer))) {
        to.left = LINE_BYTES - cairn_text_length(&to);
        to.full = false;
        core_text_put(&to, LINE_TOO_BIG);
    }
    show_line(text, &to);
}

/* Makes the next event the line that is being read. Returns 0; EAGAIN there is none. */
static int next_event(struct cairn_trace_text *text)
{
    const struct cairn_record_head *record;

    for (int tries = 0; tries < POP_TRIES; tries++) {
        if (cairn_trace_cursor_peek(&text->cursor, &record))
            return EAGAIN;
        put_event(text, record);
        if (!cairn_trace_cursor_pop(&text->cursor)) {
            text->event_count++;
            return 0;
        }
        /* The event was consumed or overwritten in the meantime. */
        text->line_bytes = 0;
    }
    return EAGAIN;
}

/* Moves the rest of the line to `to`, if it fits; a part of it if `to` is empty. */
static void read_line(struct cairn_trace_text *text, struct cairn_text *to)
{
    size_t bytes = text->line_bytes - text->line_at;

    if (bytes > to->left) {
        to->full = true;
        bytes = cairn_text_length(to) ? 0 : to->left;
    }
    __builtin_memcpy(to->at, text->line + text->line_at, bytes);
    to->at += bytes;
    to->left -= bytes;
    text->line_at += bytes;
}

int cairn_trace_text_read(struct cairn_trace_text *text, char *to, size_t size_bytes,
                          size_t *ret_length)
{
    struct cairn_text read = cairn_text(to, size_bytes);

    if (!size_bytes)
        return EINVAL;
    while (!read.full) {
        if (text->line_at == text->line_bytes && next_event(text))
            break;
        read_line(text, &read);
    }
    if (text->consume && !cairn_text_length(&read))
        return EAGAIN;
    *ret_length = cairn_text_length(&read);
    return 0;
}

int cairn_trace_buffer_write_stats(const struct cairn_trace_buffer *buffer, uint32_t cpu,
                                   uint64_t now_ns, struct cairn_text *to)
{
    struct cairn_trace_stats stats;
    int err = cairn_trace_buffer_stats(buffer, cpu, &stats);

    if (err)
        return err;
    cairn_text_printf(
        to, "entries: %llu\noverrun: %llu\ncommit overrun: 0\nbytes: %llu\noldest event ts: ",
        (unsigned long long)stats.entries, (unsigned long long)stats.overruns,
        (unsigned long long)stats.bytes);
    kernel_text_add_time(to, stats.oldest_ns);
    core_text_put(to, "\nnow ts: ");
    kernel_text_add_time(to, now_ns);
    cairn_text_printf(to, "\ndropped events: %llu\nread events: %llu\n",
                      (unsigned long long)stats.dropped, (unsigned long long)stats.read_events);
    return 0;
}
