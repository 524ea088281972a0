/* SPDX-License-Identifier: MIT */
/* Builds entries of tables, with the members that tables.c and descriptors.c read, in the same
 * order. */
#include "trace_file/write_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An entry begins with its size, which is set at its end. */
static size_t begin(struct cairn_bytes *b)
{
    size_t at = b->size;

    perf_data_bytes_put_u32(b, 0);
    return at;
}

static void end(struct cairn_bytes *b, size_t at)
{
    uint32_t size;

    perf_data_bytes_put_zeros(b, -b->size & 3);
    if (b->error)
        return;
    size = (uint32_t)(b->size - at);
    memcpy(b->data + at, &size, sizeof(size));
}

static void put_fact(struct cairn_bytes *b, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    perf_data_bytes_put(b, key, strlen(key) + 1);
    perf_data_bytes_put(b, text, strlen(text) + 1);
}

static void put_number(struct cairn_bytes *b, const char *key, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    if (number)
        put_fact(b, key, text);
}

void trace_file_put_host(struct trace_file_tables_writer *tables,
                         const struct cairn_perf_host *host)
{
    struct cairn_bytes *b = &tables->host;

    put_fact(b, "hostname", host->hostname);
    put_fact(b, "osrelease", host->osrelease);
    put_fact(b, "version", host->version);
    put_fact(b, "arch", host->arch);
    put_fact(b, "cpudesc", host->cpudesc);
    put_fact(b, "cpuid", host->cpuid);
    put_number(b, "cpus_available", host->cpus_available);
    put_number(b, "cpus_online", host->cpus_online);
    put_number(b, "total_mem_kib", host->total_mem_kib);
    for (uint32_t n = 0; n < host->arg_count; n++) {
        perf_data_bytes_put(b, "arg", sizeof("arg"));
        perf_data_bytes_put(b, host->args[n], strlen(host->args[n]) + 1);
    }
}

void trace_file_put_kernel_strings(struct trace_file_tables_writer *tables, uint32_t domain,
                                   struct cairn_slice text)
{
    struct cairn_bytes *b = &tables->kernel_strings;
    size_t at;

    if (!text.length || text.length > TRACE_FILE_KERNEL_STRINGS_MAX_BYTES)
        return;
    at = begin(b);
    perf_data_bytes_put_u32(b, domain);
    perf_data_bytes_put_u32(b, text.length);
    perf_data_bytes_put(b, text.text, text.length);
    end(b, at);
}

void trace_file_put_clock(struct trace_file_tables_writer *tables,
                          const struct trace_file_clock_pair *pair)
{
    struct cairn_bytes *b = &tables->clocks;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, pair->domain);
    perf_data_bytes_put_u32(b, pair->counter_kind);
    perf_data_bytes_put_u32(b, (uint32_t)pair->clockid);
    perf_data_bytes_put_u64(b, pair->counter);
    perf_data_bytes_put_u64(b, pair->time_ns);
    perf_data_bytes_put_u64(b, pair->wall_ns);
    perf_data_bytes_put_u64(b, pair->resolution_ns);
    perf_data_bytes_put_u64(b, pair->rate);
    end(b, at);
}

void trace_file_put_id(struct trace_file_tables_writer *tables, uint32_t process, uint32_t id,
                       uint32_t number)
{
    struct cairn_bytes *b = &tables->ids;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, process);
    perf_data_bytes_put_u32(b, id);
    perf_data_bytes_put_u32(b, number);
    end(b, at);
}

void trace_file_put_perf_attr(struct trace_file_tables_writer *tables, uint32_t descriptor,
                              uint32_t domain, struct cairn_slice attr, const uint64_t *ids,
                              uint32_t id_count)
{
    struct cairn_bytes *b = &tables->perf_attrs;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, descriptor);
    perf_data_bytes_put_u32(b, domain);
    perf_data_bytes_put_u32(b, attr.length);
    perf_data_bytes_put_u32(b, id_count);
    perf_data_bytes_put(b, attr.text, attr.length);
    perf_data_bytes_put(b, ids, id_count * sizeof(*ids));
    end(b, at);
}

void trace_file_put_process(struct trace_file_tables_writer *tables,
                            const struct trace_file_process *process)
{
    struct cairn_bytes *b = &tables->processes;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, process->number);
    perf_data_bytes_put_u32(b, process->pid);
    perf_data_bytes_put_u32(b, process->domain);
    if (process->container)
        perf_data_bytes_put(b, process->container, strlen(process->container));
    end(b, at);
}

void trace_file_put_name(struct trace_file_tables_writer *tables,
                         const struct trace_file_name *name)
{
    struct cairn_bytes *b = &tables->names;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, name->process);
    perf_data_bytes_put_u32(b, name->tid);
    perf_data_bytes_put_u64(b, name->time_ns);
    perf_data_bytes_put(b, name->text, strlen(name->text));
    end(b, at);
}

static void put_tracepoint(struct cairn_bytes *b, const struct trace_file_descriptor *d)
{
    perf_data_bytes_put_u32(b, d->id);
    perf_data_bytes_put_u32(b, d->system.length);
    perf_data_bytes_put_u32(b, d->name.length);
    perf_data_bytes_put_u32(b, d->format.length);
    perf_data_bytes_put(b, d->system.text, d->system.length);
    perf_data_bytes_put(b, d->name.text, d->name.length);
    perf_data_bytes_put(b, d->format.text, d->format.length);
}

static void put_eventheader(struct cairn_bytes *b, const struct trace_file_descriptor *d)
{
    perf_data_bytes_put_u32(b, d->tracepoint->number);
    perf_data_bytes_put(b, d->header, sizeof(d->header));
    perf_data_bytes_put_u32(b, d->metadata.length);
    perf_data_bytes_put_u32(b, d->file.length);
    perf_data_bytes_put_u32(b, d->function.length);
    perf_data_bytes_put_u32(b, d->line);
    perf_data_bytes_put(b, d->metadata.text, d->metadata.length);
    perf_data_bytes_put(b, d->file.text, d->file.length);
    perf_data_bytes_put(b, d->function.text, d->function.length);
}

void trace_file_put_descriptor(struct trace_file_tables_writer *tables,
                               const struct trace_file_descriptor *descriptor)
{
    struct cairn_bytes *b = &tables->descriptors;
    uint8_t kind_and_flags[2] = {descriptor->kind, descriptor->flags};
    uint16_t long_size_bytes = (uint16_t)descriptor->long_size_bytes;
    size_t at = begin(b);

    perf_data_bytes_put_u32(b, descriptor->number);
    perf_data_bytes_put(b, kind_and_flags, sizeof(kind_and_flags));
    perf_data_bytes_put(b, &long_size_bytes, sizeof(long_size_bytes));
    if (descriptor->kind == TRACE_FILE_TRACEPOINT)
        put_tracepoint(b, descriptor);
    else
        put_eventheader(b, descriptor);
    end(b, at);
}

static void put_loss(struct cairn_bytes *b, uint32_t kind, uint32_t cause, uint64_t count)
{
    size_t at;

    if (!count)
        return;
    at = begin(b);
    perf_data_bytes_put_u32(b, kind);
    perf_data_bytes_put_u32(b, cause);
    perf_data_bytes_put_u64(b, count);
    end(b, at);
}

void trace_file_put_missing(struct trace_file_tables_writer *tables,
                            const struct cairn_perf_missing *missing)
{
    struct cairn_bytes *b = &tables->losses;

    b->size = 0; /* these are totals: earlier ones that are not in the file yet are not needed */
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        put_loss(b, TRACE_FILE_LOST_EVENTS, cause, missing->lost[cause]);
        put_loss(b, TRACE_FILE_LOST_PROCESSES, cause, missing->processes[cause]);
    }
    put_loss(b, TRACE_FILE_LOST_RECORDS, 0, missing->damaged);
    put_loss(b, TRACE_FILE_LOST_DIRECTORY, 0, missing->directory_gone);
    put_loss(b, TRACE_FILE_LOST_KERNEL, 0, missing->kernel_gap);
    put_loss(b, TRACE_FILE_LOST_SILENCES, 0, missing->silences);
    put_loss(b, TRACE_FILE_LOST_CPUS, 0, missing->changed_cpus);
    put_loss(b, TRACE_FILE_LOST_LEFT_OUT, 0, missing->directories_left_out);
}

static int write_table(struct trace_file_writer *writer, enum trace_file_block_type type,
                       struct cairn_bytes *b)
{
    int err = 0;

    if (b->size || b->error)
        err = trace_file_writer_block(writer, type, b, NULL);
    b->size = 0;
    return err;
}

int trace_file_tables_write(struct trace_file_tables_writer *tables,
                            struct trace_file_writer *writer)
{
    int err = write_table(writer, TRACE_FILE_HOST, &tables->host);

    err = err ? err : write_table(writer, TRACE_FILE_KERNEL_STRINGS, &tables->kernel_strings);
    err = err ? err : write_table(writer, TRACE_FILE_CLOCKS, &tables->clocks);
    err = err ? err : write_table(writer, TRACE_FILE_PROCESSES, &tables->processes);
    err = err ? err : write_table(writer, TRACE_FILE_NAMES, &tables->names);
    err = err ? err : write_table(writer, TRACE_FILE_DESCRIPTORS, &tables->descriptors);
    err = err ? err : write_table(writer, TRACE_FILE_IDS, &tables->ids);
    err = err ? err : write_table(writer, TRACE_FILE_PERF_ATTRS, &tables->perf_attrs);
    return err ? err : write_table(writer, TRACE_FILE_LOSSES, &tables->losses);
}

void trace_file_tables_writer_free(struct trace_file_tables_writer *tables)
{
    perf_data_bytes_free(&tables->host);
    perf_data_bytes_free(&tables->kernel_strings);
    perf_data_bytes_free(&tables->clocks);
    perf_data_bytes_free(&tables->processes);
    perf_data_bytes_free(&tables->names);
    perf_data_bytes_free(&tables->descriptors);
    perf_data_bytes_free(&tables->ids);
    perf_data_bytes_free(&tables->perf_attrs);
    perf_data_bytes_free(&tables->losses);
}
