/* SPDX-License-Identifier: MIT */
/* The reader: options, events and state, whatever the source is. */
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

int decode_reader_create(const char *name, const struct cairn_reader_options *options,
                         struct cairn_reader **ret_reader)
{
    struct cairn_reader *reader = (struct cairn_reader *)calloc(1, sizeof(*reader));
    int err = ENOMEM;

    if (!reader)
        return ENOMEM;
    reader->with_comm = !options->without_comm;
    reader->name = strdup(name);
    if (reader->name)
        err = cairn_decoder_create(&reader->decoder);
    if (err) {
        cairn_reader_close(reader);
        return err;
    }
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
    cairn_decoder_destroy(reader->decoder);
    free(reader->attrs);
    free(reader->name);
    free(reader);
}

static const struct cairn_perf_error *error_of_source(const struct cairn_reader *reader)
{
    if (reader->file)
        return cairn_perf_file_error(reader->file);
    return reader->trace ? decode_reader_error_of_trace(reader) : &reader->error;
}

/* An error of the system has no position in the file. */
static void keep_error(struct cairn_reader *reader, int err)
{
    reader->error = *error_of_source(reader);
    if (reader->error.code != err)
        reader->error = (struct cairn_perf_error){.code = err};
}

/* Does what an event, a pause or the end needs. */
static int note(struct cairn_reader *reader, int err)
{
    reader->has_event = !err;
    if (!err) {
        reader->position.event++;
        reader->counts.damaged += reader->event.error != CAIRN_EVENT_WHOLE;
        return 0;
    }
    if (err == EAGAIN)
        return EAGAIN;
    reader->end = err;
    if (err != ENODATA)
        keep_error(reader, err);
    return err;
}

static int next(struct cairn_reader *reader)
{
    if (cairn_likely(reader->file))
        return decode_reader_next_of_file(reader);
    return reader->trace ? decode_reader_next_of_trace(reader)
                         : decode_reader_next_of_session(reader);
}

int cairn_reader_next(struct cairn_reader *reader, const struct cairn_event **ret_event)
{
    int err = reader->end;

    if (cairn_likely(!err)) {
        err = next(reader);
        err = note(reader, err);
    }
    if (!err)
        *ret_event = &reader->event;
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
    else
        decode_reader_count_session(reader);
    return &reader->counts;
}

const struct cairn_perf_error *cairn_reader_error(const struct cairn_reader *reader)
{
    /* Damage that did not end reading is known to the source alone. */
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
