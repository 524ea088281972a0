/* SPDX-License-Identifier: MIT */
/* Writes records of the writer's own: losses, names, ends of rounds. */
#include "perf_data/writer.h"

#include <errno.h>
#include <string.h>

/* The trailer of a record, as its attr's sample type requires. */
struct write_records_trailer {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t id;
};

static void put_trailer(struct cairn_bytes *b, uint64_t sample_type,
                        const struct write_records_trailer *t)
{
    if (sample_type & PERF_DATA_SAMPLE_TID) {
        perf_data_bytes_put_u32(b, t->pid);
        perf_data_bytes_put_u32(b, t->tid);
    }
    perf_data_bytes_put_u64(b, t->time_ns);
    if (sample_type & PERF_DATA_SAMPLE_ID)
        perf_data_bytes_put_u64(b, t->id);
    if (sample_type & PERF_DATA_SAMPLE_STREAM_ID)
        perf_data_bytes_put_u64(b, t->id);
    if (sample_type & PERF_DATA_SAMPLE_CPU)
        perf_data_bytes_put_u64(b, 0);
    perf_data_bytes_put_u64(b, t->id);
}

static int write_record(struct cairn_perf_writer *writer, struct cairn_bytes *b)
{
    int err = b->error ? b->error : cairn_perf_writer_write(writer, b->data, b->size);

    perf_data_bytes_free(b);
    return err;
}

int cairn_perf_writer_lost(struct cairn_perf_writer *writer, uint64_t sample_id, uint64_t lost,
                           uint64_t time_ns)
{
    struct write_records_trailer trailer = {.time_ns = time_ns, .id = sample_id};
    struct cairn_bytes b = {0};
    uint32_t index = perf_data_map_get(&writer->event_of_sample_id, sample_id);
    size_t record;

    if (index == PERF_DATA_MAP_NONE && sample_id)
        return EINVAL;
    record = perf_data_bytes_begin_record(&b, CAIRN_PERF_RECORD_LOST);
    perf_data_bytes_put_u64(&b, sample_id);
    perf_data_bytes_put_u64(&b, lost);
    put_trailer(&b, writer->events[sample_id ? index : 0]->sample_type, &trailer);
    perf_data_bytes_end_record(&b, record);
    return write_record(writer, &b);
}

int cairn_perf_writer_comm(struct cairn_perf_writer *writer, uint32_t pid, uint32_t tid,
                           const char *comm, uint64_t time_ns)
{
    struct write_records_trailer trailer = {.pid = pid, .tid = tid, .time_ns = time_ns};
    struct cairn_bytes b = {0};
    char padded[16] = {0};
    size_t record = perf_data_bytes_begin_record(&b, CAIRN_PERF_RECORD_COMM);

    memcpy(padded, comm, strnlen(comm, sizeof(padded) - 1));
    perf_data_bytes_put_u32(&b, pid);
    perf_data_bytes_put_u32(&b, tid);
    perf_data_bytes_put(&b, padded, sizeof(padded));
    put_trailer(&b, writer->events[0]->sample_type, &trailer);
    perf_data_bytes_end_record(&b, record);
    return write_record(writer, &b);
}

int cairn_perf_writer_round(struct cairn_perf_writer *writer)
{
    struct cairn_bytes b = {0};
    size_t record = perf_data_bytes_begin_record(&b, CAIRN_PERF_RECORD_FINISHED_ROUND);

    perf_data_bytes_end_record(&b, record);
    return write_record(writer, &b);
}
