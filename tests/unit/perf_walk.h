/* SPDX-License-Identifier: MIT */
/* Reads everything in a perf.data file and touches every byte of it, for sanitizers to check. */
#ifndef PERF_WALK_H
#define PERF_WALK_H

#include "perf_data/file.h"

#include <stdlib.h>

/* Result of the reading, so that no compiler removes it. */
static volatile unsigned perf_walk_sum;

static inline void perf_walk_touch(const void *data, uint64_t size)
{
    const uint8_t *bytes = (const uint8_t *)data;
    unsigned sum = 0;

    for (uint64_t i = 0; i < size; i++)
        sum += bytes[i];
    perf_walk_sum += sum;
}

static inline void perf_walk_text(const char *text)
{
    if (text)
        perf_walk_touch(text, strlen(text));
}

static inline void perf_walk_attr(const struct cairn_perf_attr *attr)
{
    perf_walk_text(attr->name);
    perf_walk_touch(attr->system.text, attr->system.length);
    perf_walk_touch(attr->format.text, attr->format.length);
    perf_walk_touch(attr->ids, attr->id_count * sizeof(*attr->ids));
}

static inline void perf_walk_metadata(const struct cairn_perf_file *file)
{
    const struct cairn_perf_host *host = cairn_perf_file_host(file);
    const struct cairn_perf_tracing *tracing = cairn_perf_file_tracing(file);
    const void *data;
    size_t size;

    for (uint32_t i = 0; i < cairn_perf_file_attr_count(file); i++)
        perf_walk_attr(cairn_perf_file_attr(file, i));
    for (uint32_t i = 0; i < cairn_perf_file_format_count(file); i++) {
        const struct cairn_perf_format *format = cairn_perf_file_format(file, i);

        perf_walk_touch(format->system.text, format->system.length);
        perf_walk_touch(format->text.text, format->text.length);
    }
    perf_walk_text(host->hostname);
    perf_walk_text(host->osrelease);
    perf_walk_text(host->version);
    perf_walk_text(host->arch);
    perf_walk_text(host->cpudesc);
    perf_walk_text(host->cpuid);
    for (uint32_t i = 0; i < host->arg_count; i++)
        perf_walk_text(host->args[i]);
    perf_walk_touch(tracing->header_page.text, tracing->header_page.length);
    perf_walk_touch(tracing->cmdlines.text, tracing->cmdlines.length);
    for (int i = 0; i < CAIRN_PERF_FEATURE_COUNT; i++) {
        if (!cairn_perf_file_feature(file, (enum cairn_perf_feature)i, &data, &size))
            perf_walk_touch(data, size);
    }
}

static inline void perf_walk_record(const struct cairn_perf_file *file,
                                    const struct cairn_perf_record *record)
{
    struct cairn_perf_sample s;

    perf_walk_touch(record->data, record->size_bytes);
    if (record->attr)
        perf_walk_attr(record->attr);
    if (!cairn_perf_sample_parse(file, record, &s)) {
        perf_walk_touch(s.raw, s.raw_size_bytes);
        perf_walk_touch(s.callchain, 8 * s.callchain_count);
        perf_walk_text(cairn_perf_file_comm(file, s.tid));
    }
}

/* At the end only the windows have blocks, with one reference each: any other would never be
 * freed. */
static inline void perf_walk_check_blocks(const struct cairn_perf_file *file)
{
    const struct perf_data_block *windows[] = {file->source.window.block,
                                               file->unpack.window.block};
    size_t in_use = 0;

    if (!file->stopped)
        return;
    for (int i = 0; i < 2; i++) {
        if (windows[i] && windows[i]->references != 1)
            __builtin_trap();
        in_use += windows[i] != NULL;
    }
    if (file->blocks.in_use != in_use)
        __builtin_trap();
}

/* Returns what the last call of next did. */
static inline int perf_walk(struct cairn_perf_file *file, bool ordered, uint64_t *ret_records)
{
    struct cairn_perf_record record;
    uint64_t records = 0;
    int err;

    for (;;) {
        err = ordered ? cairn_perf_file_next_ordered(file, &record)
                      : cairn_perf_file_next(file, &record);
        if (err)
            break;
        perf_walk_record(file, &record);
        records++;
    }
    perf_walk_metadata(file);
    perf_data_record_release(file);
    perf_walk_check_blocks(file);
    *ret_records = records;
    return err;
}

#endif
