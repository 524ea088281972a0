/* SPDX-License-Identifier: MIT */
/* A reader's events from an ETL file, a recording of Windows. Each becomes an event of EventHeader
 * (etl/convert.h), of a tracepoint that has the name of its provider, level and keyword. */
#include "decode/named.h"
#include "decode/reader.h"
#include "etl/convert.h"
#include "etl/file.h"

#include <errno.h>
#include <stdlib.h>

struct decode_reader_etl {
    struct perf_data_source source;
    struct perf_data_block_pool pool;
    struct etl_file file;
    struct etl_converter converter;
    const struct etl_record *record; /* the last one */
    struct cairn_perf_error error;
    struct decode_named tracepoints;
    uint64_t unreadable;
};

/* ---- opening ---- */

bool decode_reader_is_etl(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    const uint8_t *bytes;

    return !perf_data_source_peek(source, pool, ETL_HEAD_BYTES, &bytes) &&
           etl_file_is_one(bytes, ETL_HEAD_BYTES);
}

static void set_error(struct decode_reader_etl *etl, int err)
{
    etl->error = (struct cairn_perf_error){.code = err};
    if (etl->file.error == err) {
        etl->error.offset = etl->file.error_at;
        etl->error.text = etl->file.error_text;
    }
}

int decode_reader_open_etl(const char *name, const struct cairn_reader_options *options,
                           struct perf_data_source *source, struct perf_data_block_pool *pool,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct decode_reader_etl *etl = (struct decode_reader_etl *)calloc(1, sizeof(*etl));
    int err = 0;

    if (!etl) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        return ENOMEM;
    }
    if (!source->map) /* processors' buffers are anywhere in it */
        err = perf_data_source_spool(source, pool);
    etl->source = *source;
    etl->pool = *pool;
    if (!err)
        err = etl_file_open(&etl->file, etl->source.map, etl->source.map_bytes);
    if (!err)
        err = decode_reader_create(name, options, ret_reader);
    if (!err) {
        (*ret_reader)->etl = etl;
        return 0;
    }
    set_error(etl, err);
    if (ret_error)
        *ret_error = etl->error;
    decode_reader_close_etl(etl);
    return err;
}

void decode_reader_close_etl(struct decode_reader_etl *etl)
{
    if (!etl)
        return;
    decode_named_free(&etl->tracepoints);
    etl_converter_free(&etl->converter);
    etl_file_close(&etl->file);
    perf_data_source_close(&etl->source, &etl->pool);
    perf_data_block_pool_free(&etl->pool);
    free(etl);
}

/* ---- events ---- */

static void set_sample(struct cairn_reader *reader, const struct etl_record *record, uint32_t cpu)
{
    const struct decode_reader_etl *etl = reader->etl;
    struct cairn_event *event = &reader->event;

    event->has = CAIRN_EVENT_CPU;
    event->cpu = cpu;
    event->comm = NULL;
    if (record->has_thread) {
        event->has |= CAIRN_EVENT_TID;
        event->pid = record->pid;
        event->tid = record->tid;
    }
    if (record->has_ticks) {
        event->has |= CAIRN_EVENT_TIME | CAIRN_EVENT_WALL;
        event->time_ns = etl_file_time_ns(&etl->file, record->ticks);
        event->wall_ns = etl_file_wall_ns(&etl->file, record->ticks);
    }
    reader->position.offset = (uint64_t)(record->bytes - etl->file.bytes);
}

static int fill_event(struct cairn_reader *reader, uint32_t cpu)
{
    struct decode_reader_etl *etl = reader->etl;
    bool is_whole;
    uint32_t number;
    int err = etl_convert(&etl->converter, etl->record, etl->file.pointer_bytes, &is_whole);

    if (!err)
        err = decode_named_find(&etl->tracepoints, reader->decoder, "etw",
                                (const char *)etl->converter.name.data, false, &number);
    if (err)
        return err;
    etl->unreadable += !is_whole;
    reader->record = (struct decode_record){
        .tracepoint = number,
        .bytes = etl->converter.event.data,
        .size_bytes = (uint32_t)etl->converter.event.size,
    };
    set_sample(reader, etl->record, cpu);
    return 0;
}

/* The file's head describes the file. */
static bool is_head(const struct decode_reader_etl *etl)
{
    return etl->record->kind == ETL_SYSTEM && !etl->record->hook;
}

int decode_reader_take_of_etl(struct cairn_reader *reader)
{
    struct decode_reader_etl *etl = reader->etl;
    uint32_t cpu;
    int err;

    do {
        if (etl_file_next(&etl->file, &etl->record, &cpu)) {
            set_error(etl, etl->file.error);
            return etl->file.error ? etl->file.error : ENODATA;
        }
        err = is_head(etl) ? E2BIG : fill_event(reader, cpu);
        etl->unreadable += err == E2BIG && !is_head(etl);
        if (err == E2BIG) {
            etl->converter.event.error = 0;
            etl->converter.values.error = 0;
        }
    } while (err == E2BIG);
    return err;
}

/* ---- state ---- */

void decode_reader_count_etl(struct cairn_reader *reader)
{
    reader->counts.unreadable = reader->etl->unreadable;
    reader->counts.lost = reader->etl->file.lost;
}

const struct cairn_perf_error *decode_reader_error_of_etl(const struct cairn_reader *reader)
{
    return &reader->etl->error;
}
