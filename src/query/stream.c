/* SPDX-License-Identifier: MIT */
/* Opens and merges recordings for one scan. */
#include "query/stream.h"

#include <errno.h>
#include <stdlib.h>

static void note_unopened(struct query_recording *recording, int err,
                          const struct cairn_perf_error *error)
{
    if (recording->file.code)
        return;
    recording->file.code = err;
    recording->file.offset = error->offset;
    recording->file.text = error->code == err && error->text ? strdup(error->text) : NULL;
}

static int open_all(struct query_stream *stream, const struct query_range *range, unsigned with)
{
    struct query_recordings *recordings = &stream->query->recordings;
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    int err = 0;

    options.without_comm = !(with & QUERY_STREAM_COMM);
    options.with_switches = with & QUERY_STREAM_SWITCHES;
    options.without_raw = true;
    for (size_t n = 0; n < recordings->count && !err; n++) {
        struct cairn_perf_error error = {0};

        err = query_recording_open(&recordings->all[n], &options, range, &error,
                                   &stream->readers[stream->count]);
        if (!err) {
            stream->indexes[stream->count++] = n;
        } else if (err != ENOMEM) {
            note_unopened(&recordings->all[n], err, &error);
            err = 0;
        }
    }
    return err;
}

int query_stream_open(struct cairn_query *query, const struct query_range *range, unsigned with,
                      struct query_stream *ret_stream)
{
    struct query_stream stream = {.query = query};
    size_t count = query->recordings.count;
    int err = ENOMEM;

    stream.readers = (struct cairn_reader **)calloc(count, sizeof(*stream.readers));
    stream.indexes = (size_t *)calloc(count, sizeof(*stream.indexes));
    if (stream.readers && stream.indexes)
        err = open_all(&stream, range, with);
    if (!err && stream.count == 1)
        stream.reader = stream.readers[0];
    else if (!err && stream.count > 1)
        err = cairn_reader_merge(stream.readers, stream.count, &stream.reader);
    if (err) {
        query_stream_close(&stream);
        return err;
    }
    *ret_stream = stream;
    return 0;
}

int query_stream_choose(struct query_stream *stream, decode_reader_wants_fn *wants, void *context)
{
    int err = 0;

    for (size_t n = 0; n < stream->count && !err; n++)
        err = decode_reader_choose(stream->readers[n], wants, context);
    return err;
}

/* Each reader returns the error at its end again. */
static void note_ends(const struct query_stream *stream)
{
    for (size_t n = 0; n < stream->count; n++) {
        const struct cairn_event *event;
        int err = cairn_reader_next(stream->readers[n], &event);

        query_recording_note(&stream->query->recordings, stream->indexes[n], stream->readers[n],
                             err);
    }
}

int query_stream_next(struct query_stream *stream)
{
    int err;

    if (cairn_unlikely(!stream->reader))
        return ENODATA;
    if (cairn_unlikely(stream->query->is_interrupted))
        return ECANCELED;
    err = cairn_reader_next(stream->reader, &stream->event);
    if (cairn_likely(!err))
        return 0;
    if (err == ENOMEM)
        return ENOMEM;
    note_ends(stream);
    return ENODATA;
}

void query_stream_close(struct query_stream *stream)
{
    if (stream->reader) {
        cairn_reader_close(stream->reader);
    } else {
        for (size_t n = 0; n < stream->count; n++)
            cairn_reader_close(stream->readers[n]);
    }
    free((void *)stream->readers);
    free(stream->indexes);
    *stream = (struct query_stream){0};
}

const char *query_stream_path(const struct query_stream *stream, size_t source)
{
    return stream->query->recordings.all[stream->indexes[source]].path;
}
