/* SPDX-License-Identifier: MIT */
/* Samples of programs with call chains. */
#include "perf_data/sample_layout.h"
#include "perf_data/writer.h"

#include <cairn/record.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Before the first of programs' addresses in a chain. */
#define CONTEXT_USER ((uint64_t)-512)

/* All samples of an id have the same fields: those with a stack have an id of their own. */
#define STACK_IDS (UINT64_C(1) << 61)

static int add_event(struct cairn_perf_writer *writer, const struct perf_data_written_event *of,
                     uint64_t id)
{
    struct cairn_perf_tracepoint to = {
        .system = strndup(of->name, of->system_bytes),
        .name = of->name + of->system_bytes + 1,
        .id = (uint32_t)of->config,
        .format = of->format,
        .format_bytes = of->format_bytes,
        .sample_ids = &id,
        .sample_id_count = 1,
        .sample_type = of->sample_type | PERF_DATA_SAMPLE_CALLCHAIN,
    };
    int err = to.system ? cairn_perf_writer_add_tracepoint(writer, &to) : ENOMEM;

    free((void *)(uintptr_t)to.system);
    return err;
}

/* Finds the id that samples of an id have with a stack. */
static int find_id(struct cairn_perf_writer *writer, uint64_t id, uint64_t *ret_id)
{
    uint32_t index = perf_data_map_get(&writer->event_of_sample_id, id);

    *ret_id = STACK_IDS | id;
    if (index == PERF_DATA_MAP_NONE || !writer->events[index]->system_bytes)
        return EINVAL;
    if (perf_data_map_get(&writer->event_of_sample_id, *ret_id) != PERF_DATA_MAP_NONE)
        return 0;
    return add_event(writer, writer->events[index], *ret_id);
}

int perf_data_writer_put_stacked(struct cairn_perf_writer *writer, const uint8_t *sample,
                                 const uint8_t *chain, uint32_t count)
{
    const size_t before_raw = offsetof(struct cairn_record_head, raw_size_bytes);
    const uint64_t chain_head[2] = {count + UINT64_C(1), CONTEXT_USER};
    size_t chain_bytes = count * sizeof(uint64_t);
    struct cairn_bytes *record = &writer->stacked;
    struct cairn_record_head head;
    size_t size_bytes;
    uint64_t id = 0;
    int err;

    memcpy(&head, sample, sizeof(head));
    size_bytes = head.size_bytes + sizeof(chain_head) + chain_bytes;
    if (size_bytes > CAIRN_RECORD_MAX_BYTES)
        return E2BIG;
    record->size = 0;
    perf_data_bytes_put(record, sample, before_raw);
    perf_data_bytes_put(record, chain_head, sizeof(chain_head));
    perf_data_bytes_put(record, chain, chain_bytes);
    perf_data_bytes_put(record, sample + before_raw, head.size_bytes - before_raw);
    err = record->error ? record->error : find_id(writer, head.id, &id);
    if (err)
        return err;
    head.id = id;
    head.size_bytes = (uint16_t)size_bytes;
    memcpy(record->data, &head, offsetof(struct cairn_record_head, pid));
    return cairn_perf_writer_write(writer, record->data, record->size);
}
