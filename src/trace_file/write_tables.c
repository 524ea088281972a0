/* SPDX-License-Identifier: MIT */
/* Entries of tables: the same members, in the same order, as tables.c and descriptors.c read. */
#include "trace_file/write_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* An entry begins with its size, which is set at its end. */
static size_t begin(struct cairn_bytes *b)
{
    size_t at = b->size;

    cairn_bytes_put_u32(b, 0);
    return at;
}

static void end(struct cairn_bytes *b, size_t at)
{
    uint32_t size;

    cairn_bytes_put_zeros(b, -b->size & 3);
    if (b->error)
        return;
    size = (uint32_t)(b->size - at);
    memcpy(b->data + at, &size, sizeof(size));
}

static void put_fact(struct cairn_bytes *b, const char *key, const char *text)
{
    if (!text || !*text)
        return;
    cairn_bytes_put(b, key, strlen(key) + 1);
    cairn_bytes_put(b, text, strlen(text) + 1);
}

static void put_number(struct cairn_bytes *b, const char *key, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    if (number)
        put_fact(b, key, text);
}

void cairn_tracefile_put_host(struct cairn_tracefile_tables_writer *tables,
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
        cairn_bytes_put(b, "arg", sizeof("arg"));
        cairn_bytes_put(b, host->args[n], strlen(host->args[n]) + 1);
    }
}

void cairn_tracefile_put_clock(struct cairn_tracefile_tables_writer *tables,
                               const struct cairn_tracefile_clock_pair *pair)
{
    struct cairn_bytes *b = &tables->clocks;
    size_t at = begin(b);

    cairn_bytes_put_u32(b, pair->domain);
    cairn_bytes_put_u32(b, pair->counter_kind);
    cairn_bytes_put_u32(b, (uint32_t)pair->clockid);
    cairn_bytes_put_u64(b, pair->counter);
    cairn_bytes_put_u64(b, pair->time_ns);
    cairn_bytes_put_u64(b, pair->wall_ns);
    cairn_bytes_put_u64(b, pair->resolution_ns);
    end(b, at);
}

void cairn_tracefile_put_process(struct cairn_tracefile_tables_writer *tables,
                                 const struct cairn_tracefile_process *process)
{
    struct cairn_bytes *b = &tables->processes;
    size_t at = begin(b);

    cairn_bytes_put_u32(b, process->number);
    cairn_bytes_put_u32(b, process->pid);
    cairn_bytes_put_u32(b, process->domain);
    end(b, at);
}

void cairn_tracefile_put_name(struct cairn_tracefile_tables_writer *tables,
                              const struct cairn_tracefile_name *name)
{
    struct cairn_bytes *b = &tables->names;
    size_t at = begin(b);

    cairn_bytes_put_u32(b, name->process);
    cairn_bytes_put_u32(b, name->tid);
    cairn_bytes_put_u64(b, name->time_ns);
    cairn_bytes_put(b, name->text, strlen(name->text));
    end(b, at);
}

static void put_tracepoint(struct cairn_bytes *b, const struct cairn_tracefile_descriptor *d)
{
    cairn_bytes_put_u32(b, d->id);
    cairn_bytes_put_u32(b, d->system.length);
    cairn_bytes_put_u32(b, d->name.length);
    cairn_bytes_put_u32(b, d->format.length);
    cairn_bytes_put(b, d->system.text, d->system.length);
    cairn_bytes_put(b, d->name.text, d->name.length);
    cairn_bytes_put(b, d->format.text, d->format.length);
}

static void put_eventheader(struct cairn_bytes *b, const struct cairn_tracefile_descriptor *d)
{
    cairn_bytes_put_u32(b, d->tracepoint->number);
    cairn_bytes_put(b, d->header, sizeof(d->header));
    cairn_bytes_put_u32(b, d->metadata.length);
    cairn_bytes_put_u32(b, d->file.length);
    cairn_bytes_put_u32(b, d->function.length);
    cairn_bytes_put_u32(b, d->line);
    cairn_bytes_put(b, d->metadata.text, d->metadata.length);
    cairn_bytes_put(b, d->file.text, d->file.length);
    cairn_bytes_put(b, d->function.text, d->function.length);
}

void cairn_tracefile_put_descriptor(struct cairn_tracefile_tables_writer *tables,
                                    const struct cairn_tracefile_descriptor *descriptor)
{
    struct cairn_bytes *b = &tables->descriptors;
    uint8_t kind_and_flags[2] = {descriptor->kind, descriptor->flags};
    uint16_t long_size_bytes = (uint16_t)descriptor->long_size_bytes;
    size_t at = begin(b);

    cairn_bytes_put_u32(b, descriptor->number);
    cairn_bytes_put(b, kind_and_flags, sizeof(kind_and_flags));
    cairn_bytes_put(b, &long_size_bytes, sizeof(long_size_bytes));
    if (descriptor->kind == CAIRN_TRACEFILE_TRACEPOINT)
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
    cairn_bytes_put_u32(b, kind);
    cairn_bytes_put_u32(b, cause);
    cairn_bytes_put_u64(b, count);
    end(b, at);
}

void cairn_tracefile_put_missing(struct cairn_tracefile_tables_writer *tables,
                                 const struct cairn_perf_missing *missing)
{
    struct cairn_bytes *b = &tables->losses;

    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        put_loss(b, CAIRN_TRACEFILE_LOST_EVENTS, cause, missing->lost[cause]);
        put_loss(b, CAIRN_TRACEFILE_LOST_PROCESSES, cause, missing->processes[cause]);
    }
    put_loss(b, CAIRN_TRACEFILE_LOST_RECORDS, 0, missing->damaged);
    put_loss(b, CAIRN_TRACEFILE_LOST_DIRECTORY, 0, missing->directory_gone);
}

static int write_table(struct cairn_tracefile_writer *writer, enum cairn_tracefile_block_type type,
                       struct cairn_bytes *b)
{
    int err = 0;

    if (b->size || b->error)
        err = cairn_tracefile_writer_block(writer, type, b, NULL);
    b->size = 0;
    return err;
}

int cairn_tracefile_tables_write(struct cairn_tracefile_tables_writer *tables,
                                 struct cairn_tracefile_writer *writer)
{
    int err = write_table(writer, CAIRN_TRACEFILE_HOST, &tables->host);

    err = err ? err : write_table(writer, CAIRN_TRACEFILE_CLOCKS, &tables->clocks);
    err = err ? err : write_table(writer, CAIRN_TRACEFILE_PROCESSES, &tables->processes);
    err = err ? err : write_table(writer, CAIRN_TRACEFILE_NAMES, &tables->names);
    err = err ? err : write_table(writer, CAIRN_TRACEFILE_DESCRIPTORS, &tables->descriptors);
    return err ? err : write_table(writer, CAIRN_TRACEFILE_LOSSES, &tables->losses);
}

void cairn_tracefile_tables_writer_free(struct cairn_tracefile_tables_writer *tables)
{
    cairn_bytes_free(&tables->host);
    cairn_bytes_free(&tables->clocks);
    cairn_bytes_free(&tables->processes);
    cairn_bytes_free(&tables->names);
    cairn_bytes_free(&tables->descriptors);
    cairn_bytes_free(&tables->losses);
}
