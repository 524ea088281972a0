/* SPDX-License-Identifier: MIT */
/* The files of the rings and the comm cache, as in kernel/trace/trace.c of Linux 6.12. */
#include "core/atomic.h"
#include "kernel/files.h"
#include "kernel/section.h"

#include <cairn/kernel/comm_cache.h>
#include <cairn/kernel/trace_buffer.h>
#include <cairn/kernel/trace_text.h>

/* The limit of a tracer's name, and of an option, in the kernel. / */
#define TRACER_MAX_BYTES 100u
#define OPTION_MAX_BYTES 63u

static void add_bool(struct cairn_text *to, bool value)
{
    core_text_put(to, value ? "1\n" : "0\n");
}

/* ---- sizes ---- */

static unsigned long long size_kb(const struct cairn_trace_cpu *cpu)
{
    return (unsigned long long)cpu->pool.chunk_bytes * cpu->pool.chunk_count / 1024;
}

/* All CPUs have rings of one size. */
int kernel_read_buffer_size(const struct kernel_file *file, struct cairn_text *to)
{
    const struct cairn_trace_buffer *buffer = file->trace->buffer;

    if (!buffer)
        return ENODEV;
    cairn_text_printf(to, "%llu\n", size_kb(&buffer->cpus[0]));
    return 0;
}

int kernel_read_buffer_total(const struct kernel_file *file, struct cairn_text *to)
{
    const struct cairn_trace_buffer *buffer = file->trace->buffer;

    if (!buffer)
        return ENODEV;
    cairn_text_printf(to, "%llu\n", size_kb(&buffer->cpus[0]) * buffer->cpu_count);
    return 0;
}

/* The size of the rings is fixed by the host's memory. */
int kernel_write_buffer_size(const struct kernel_file *file, struct cairn_slice text)
{
    const struct cairn_trace_buffer *buffer = file->trace->buffer;
    uint64_t kb;
    int err = buffer ? kernel_file_number(text, &kb) : ENODEV;

    if (err)
        return err;
    if (!kb)
        return EINVAL;
    return kb == size_kb(&buffer->cpus[0]) ? 0 : ENOMEM;
}

/* ---- tracers: only nop ---- */

int kernel_read_tracer(const struct kernel_file *file, struct cairn_text *to)
{
    (void)file;
    core_text_put(to, "nop\n");
    return 0;
}

int kernel_write_tracer(const struct kernel_file *file, struct cairn_slice text)
{
    (void)file;
    text = core_slice_first(text, text.length < TRACER_MAX_BYTES ? text.length : TRACER_MAX_BYTES);
    return core_slice_is(core_slice_stripped(text), "nop") ? 0 : EINVAL;
}

/* ---- options ---- */

static bool is_overwrite(const struct cairn_trace *trace)
{
    return trace->buffer && core_load_relaxed(&trace->buffer->mode) == CAIRN_TRACE_OVERWRITE;
}

static int set_overwrite(struct cairn_trace *trace, bool on)
{
    if (!trace->buffer)
        return ENODEV;
    cairn_trace_buffer_set_mode(trace->buffer, on ? CAIRN_TRACE_OVERWRITE : CAIRN_TRACE_DISCARD);
    return 0;
}

static bool records_comms(const struct cairn_trace *trace)
{
    return core_load_relaxed(&trace->record_comms);
}

static int set_record_comms(struct cairn_trace *trace, bool on)
{
    core_store_relaxed(&trace->record_comms, on);
    return 0;
}

int kernel_read_overwrite(const struct kernel_file *file, struct cairn_text *to)
{
    add_bool(to, is_overwrite(file->trace));
    return 0;
}

int kernel_write_overwrite(const struct kernel_file *file, struct cairn_slice text)
{
    bool on;
    int err = kernel_file_bool(text, &on);

    return err ? err : set_overwrite(file->trace, on);
}

int kernel_read_record_comms(const struct kernel_file *file, struct cairn_text *to)
{
    add_bool(to, records_comms(file->trace));
    return 0;
}

int kernel_write_record_comms(const struct kernel_file *file, struct cairn_slice text)
{
    bool on;
    int err = kernel_file_bool(text, &on);

    return err ? err : set_record_comms(file->trace, on);
}

int kernel_read_options(const struct kernel_file *file, struct cairn_text *to)
{
    cairn_text_printf(to, "%srecord-cmd\n%soverwrite\n", records_comms(file->trace) ? "" : "no",
                      is_overwrite(file->trace) ? "" : "no");
    return 0;
}

int kernel_write_options(const struct kernel_file *file, struct cairn_slice text)
{
    bool on;

    if (text.length > OPTION_MAX_BYTES)
        return EINVAL;
    text = core_slice_stripped(text);
    on = !core_slice_take(&text, "no");
    if (core_slice_is(text, "record-cmd"))
        return set_record_comms(file->trace, on);
    if (core_slice_is(text, "overwrite"))
        return set_overwrite(file->trace, on);
    return EINVAL;
}

/* ---- contents of the rings ---- */

int kernel_read_stats(const struct kernel_file *file, struct cairn_text *to)
{
    return cairn_trace_buffer_write_stats(file->trace->buffer, file->cpu,
                                          kernel_trace_now_ns(file->trace), to);
}

void kernel_truncate_trace(const struct kernel_file *file)
{
    if (file->trace->buffer)
        (void)cairn_trace_buffer_reset(file->trace->buffer, file->cpu);
}

int kernel_read_saved_comms(const struct kernel_file *file, struct cairn_text *to)
{
    if (file->trace->comms)
        cairn_comm_cache_text(file->trace->comms, to);
    return 0;
}

int kernel_read_tracing_on(const struct kernel_file *file, struct cairn_text *to)
{
    add_bool(to, file->trace->buffer && core_load_relaxed(&file->trace->buffer->on));
    return 0;
}

/* Any number but 0 is on. */
int kernel_write_tracing_on(const struct kernel_file *file, struct cairn_slice text)
{
    uint64_t value;
    int err = file->trace->buffer ? kernel_file_number(text, &value) : ENODEV;

    if (!err)
        core_store_relaxed(&file->trace->buffer->on, value != 0);
    return err;
}
