/* SPDX-License-Identifier: MIT */
/* The reader: options, events and state, for all kinds of sources. */
#include "decode/reader.h"
#include "core/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int decode_reader_copy_options(const struct cairn_reader_options *options,
                               struct cairn_reader_options *ret_options)
{
    *ret_options = (struct cairn_reader_options)CAIRN_READER_OPTIONS_INIT;
    return core_options_copy(options,
                             CORE_OPTIONS_BYTES_TO(struct cairn_reader_options, buffer_bytes),
                             sizeof(*ret_options), ret_options);
}

static void set_range(struct cairn_reader *reader, const struct cairn_reader_options *options)
{
    struct decode_reader_range range = {
        .since_ns = options->since_ns,
        .until_ns = options->until_ns ? options->until_ns : UINT64_MAX,
        .since_wall_ns = options->since_wall_ns,
        .until_wall_ns = options->until_wall_ns ? options->until_wall_ns : UINT64_MAX,
    };

    reader->has_range =
        options->since_ns || options->until_ns || options->since_wall_ns || options->until_wall_ns;
    reader->range = range;
}

int decode_reader_create(const char *name, const struct cairn_reader_options *options,
                         struct cairn_reader **ret_reader)
{
    struct cairn_reader *reader = (struct cairn_reader *)calloc(1, sizeof(*reader));
    int err = ENOMEM;

    if (!reader)
        return ENOMEM;
    reader->with_comm = !options->without_comm;
    reader->in_file_order = options->in_file_order;
    reader->records.without_raw = options->without_raw;
    reader->with_switches = options->with_switches;
    set_range(reader, options);
    reader->name = strdup(name);
    if (reader->name)
        err = cairn_decoder_create(&reader->decoder);
    if (err) {
        cairn_reader_close(reader);
        return err;
    }
    reader->records.decoder = reader->decoder;
    reader->stacks.kernel = decode_kernel_of(reader->decoder);
    reader->position.name = reader->name;
    *ret_reader = reader;
    return 0;
}

void cairn_reader_close(struct cairn_reader *reader)
{
    if (!reader)
        return;
    cairn_session_destroy(reader->session);
    cairn_perf_file_close(reader->file);
    decode_reader_close_trace(reader->trace);
    decode_reader_close_merged(reader->merged);
    decode_reader_close_dat(reader->dat);
    decode_reader_close_etl(reader->etl);
    decode_reader_close_ctf(reader->ctf);
    decode_reader_close_text(reader->text);
    cairn_decoder_destroy(reader->decoder);
    decode_records_free(&reader->records);
    decode_stacks_free(&reader->stacks);
    free(reader->attrs);
    free(reader->name);
    free(reader);
}

static const struct cairn_perf_error *error_of_source(const struct cairn_reader *reader)
{
    if (reader->file)
        return cairn_perf_file_error(reader->file);
    if (reader->dat)
        return decode_reader_error_of_dat(reader);
    if (reader->etl)
        return decode_reader_error_of_etl(reader);
    if (reader->ctf)
        return decode_reader_error_of_ctf(reader);
    if (reader->text)
        return decode_reader_error_of_text(reader);
    if (reader->merged)
        return decode_reader_error_of_merged(reader);
    return reader->trace ? decode_reader_error_of_trace(reader) : &reader->error;
}

/* A system error has no position in the file. */
static void set_error(struct cairn_reader *reader, int err)
{
    reader->error = *error_of_source(reader);
    if (reader->error.code != err)
        reader->error = (struct cairn_perf_error){.code = err};
}

int decode_reader_end(struct cairn_reader *reader, int err)
{
    reader->end = err;
    if (err != ENODATA)
        set_error(reader, err);
    return err;
}

/* Does what a pause or the end needs. */
static int note(struct cairn_reader *reader, int err)
{
    return err == EAGAIN ? EAGAIN : decode_reader_end(reader, err);
}

static int take(struct cairn_reader *reader)
{
    if (cairn_likely(reader->file))
        return decode_reader_take_of_file(reader);
    if (reader->trace)
        return decode_reader_take_of_trace(reader);
    if (reader->dat)
        return decode_reader_take_of_dat(reader);
    if (reader->etl)
        return decode_reader_take_of_etl(reader);
    if (reader->ctf)
        return decode_reader_take_of_ctf(reader);
    if (reader->text)
        return decode_reader_take_of_text(reader);
    return reader->merged ? decode_reader_take_of_merged(reader)
                          : decode_reader_take_of_session(reader);
}

static bool is_in_range(struct cairn_reader *reader, const struct cairn_event *event)
{
    const struct decode_reader_range *range = &reader->range;

    if (!(event->has & CAIRN_EVENT_TIME) || event->time_ns < range->since_ns ||
        event->time_ns > range->until_ns)
        return false;
    if (!range->since_wall_ns && range->until_wall_ns == UINT64_MAX)
        return true;
    if (!(event->has & CAIRN_EVENT_WALL)) {
        reader->counts.undated++;
        return false;
    }
    return event->wall_ns >= range->since_wall_ns && event->wall_ns <= range->until_wall_ns;
}

static __attribute__((noinline)) int take_in_range(struct cairn_reader *reader)
{
    int err = take(reader);

    while (!err && !is_in_range(reader, &reader->event)) {
        reader->out_of_range++;
        err = take(reader);
    }
    return err;
}

int decode_reader_take(struct cairn_reader *reader)
{
    int err = reader->end;

    if (cairn_unlikely(err))
        return err;
    err = cairn_unlikely(reader->has_range) ? take_in_range(reader) : take(reader);
    if (cairn_unlikely(err))
        return note(reader, err);
    reader->position.event++;
    return 0;
}

int cairn_reader_next(struct cairn_reader *reader, const struct cairn_event **ret_event)
{
    int err = decode_reader_take(reader);
    struct cairn_reader *own = decode_reader_of_event(reader);

    if (!err) {
        /* A merged event is another one's copy each time. */
        err = cairn_likely(own == reader)
                  ? decode_record_next(&own->records, &reader->record, &reader->event)
                  : decode_record_event(&own->records, &reader->record, &reader->event);
        if (cairn_unlikely(err))
            note(reader, err);
    }
    reader->has_event = !err;
    if (!err) {
        own->counts.damaged += reader->event.error != CAIRN_EVENT_WHOLE;
        *ret_event = &reader->event;
    }
    return err;
}

struct cairn_items *cairn_reader_items(struct cairn_reader *reader)
{
    if (!reader->has_event)
        return NULL;
    cairn_items_begin(&reader->items, &reader->event);
    return &reader->items;
}

uint32_t cairn_reader_wait_ms(const struct cairn_reader *reader)
{
    return reader->wait_ms;
}

const struct cairn_reader_position *cairn_reader_position(const struct cairn_reader *reader)
{
    return &reader->position;
}

const struct cairn_reader_counts *cairn_reader_counts(struct cairn_reader *reader)
{
    reader->counts.events = reader->position.event;
    if (reader->file)
        decode_reader_count_file(reader);
    else if (reader->trace)
        decode_reader_count_trace(reader);
    else if (reader->merged)
        decode_reader_count_merged(reader);
    else if (reader->dat)
        decode_reader_count_dat(reader);
    else if (reader->etl)
        decode_reader_count_etl(reader);
    else if (reader->ctf)
        decode_reader_count_ctf(reader);
    else if (reader->text)
        decode_reader_count_text(reader);
    else
        decode_reader_count_session(reader);
    if (reader->has_range)
        reader->counts.filtered = reader->out_of_range;
    return &reader->counts;
}

const struct cairn_perf_error *cairn_reader_error(const struct cairn_reader *reader)
{
    /* Only the source knows of damage that did not end reading. */
    return reader->error.code ? &reader->error : error_of_source(reader);
}

const struct cairn_perf_file *cairn_reader_file(const struct cairn_reader *reader)
{
    return reader->file;
}

const struct cairn_session *cairn_reader_session(const struct cairn_reader *reader)
{
    return reader->session;
}
