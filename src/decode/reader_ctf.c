/* SPDX-License-Identifier: MIT */
/* A reader's events from CTF traces, as LTTng records them. Each becomes an event of EventHeader
 * (ctf/event.h). */
#include "decode/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library reports no position of an error. */
static int fail(int err, const char *text, struct cairn_perf_error *ret_error)
{
    if (ret_error)
        *ret_error = (struct cairn_perf_error){err, CAIRN_PERF_ERROR_NO_OFFSET, text};
    return err;
}

#ifdef DECODE_HAVE_BABELTRACE2

#include "ctf/process.h"
#include "decode/named.h"

struct decode_reader_ctf {
    struct ctf_process process;
    struct ctf_process_event event;
    struct decode_named tracepoints;
    struct cairn_perf_error error;
    uint64_t unreadable; /* in addition to those of the process */
};

/* ---- opening ---- */

/* The text of an error must stay when the trace is closed. */
static const char *text_at_opening(const struct decode_reader_ctf *ctf)
{
    static _Thread_local char text[CTF_TEXT_BYTES];

    if (!*ctf->process.error_text)
        return NULL;
    memcpy(text, ctf->process.error_text, sizeof(text));
    return text;
}

int decode_reader_open_ctf(const char *path, const struct cairn_reader_options *options,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct decode_reader_ctf *ctf = (struct decode_reader_ctf *)calloc(1, sizeof(*ctf));
    int err = ctf ? ctf_process_open(&ctf->process, path) : ENOMEM;

    if (!err)
        err = decode_reader_create(path, options, ret_reader);
    if (!err) {
        (*ret_reader)->ctf = ctf;
        return 0;
    }
    (void)fail(err, ctf ? text_at_opening(ctf) : NULL, ret_error);
    decode_reader_close_ctf(ctf);
    return err;
}

void decode_reader_close_ctf(struct decode_reader_ctf *ctf)
{
    if (!ctf)
        return;
    ctf_process_close(&ctf->process);
    decode_named_free(&ctf->tracepoints);
    free(ctf);
}

/* ---- events ---- */

static void set_sample(struct cairn_reader *reader)
{
    const struct ctf_frame *from = &reader->ctf->event.frame;
    struct cairn_event *event = &reader->event;

    event->has = (from->has & CTF_FRAME_HAS_TIME ? CAIRN_EVENT_TIME : 0) |
                 (from->has & CTF_FRAME_HAS_WALL ? CAIRN_EVENT_WALL : 0) |
                 (from->has & CTF_FRAME_HAS_CPU ? CAIRN_EVENT_CPU : 0) |
                 (from->has & CTF_FRAME_HAS_THREAD ? CAIRN_EVENT_TID : 0);
    event->time_ns = from->time_ns;
    event->wall_ns = from->wall_ns;
    event->cpu = from->cpu;
    event->pid = from->pid;
    event->tid = from->tid;
    event->comm = reader->with_comm ? reader->ctf->event.comm : NULL;
}

/* Returns 0; EBADMSG it has no valid name; E2BIG there are too many names; ENOMEM. */
static int fill_event(struct cairn_reader *reader)
{
    struct decode_reader_ctf *ctf = reader->ctf;
    uint32_t number;
    int err = decode_named_find(&ctf->tracepoints, reader->decoder, "ctf", ctf->event.name,
                                __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, &number);

    if (err)
        return err;
    reader->record = (struct decode_record){
        .tracepoint = number,
        .bytes = ctf->event.record,
        .size_bytes = ctf->event.frame.record_bytes,
    };
    set_sample(reader);
    return 0;
}

int decode_reader_take_of_ctf(struct cairn_reader *reader)
{
    struct decode_reader_ctf *ctf = reader->ctf;
    int err;

    do {
        err = ctf_process_next(&ctf->process, &ctf->event);
        if (err == EBADMSG)
            return fail(err, ctf->process.error_text, &ctf->error);
        if (err)
            return err;
        err = fill_event(reader);
        ctf->unreadable += err == EBADMSG || err == E2BIG;
    } while (err == EBADMSG || err == E2BIG);
    return err;
}

/* ---- state ---- */

void decode_reader_count_ctf(struct cairn_reader *reader)
{
    const struct decode_reader_ctf *ctf = reader->ctf;

    reader->counts.unreadable = ctf->unreadable + ctf->process.unreadable;
    reader->counts.lost = ctf->process.lost + ctf->process.lost_packets;
    reader->counts.lost_packets = ctf->process.lost_packets;
}

const struct cairn_perf_error *decode_reader_error_of_ctf(const struct cairn_reader *reader)
{
    return &reader->ctf->error;
}

#else

/* True if the directory is a trace itself. */
static bool is_trace(const char *path)
{
    char *metadata;
    bool is;

    if (asprintf(&metadata, "%s/metadata", path) < 0)
        return false;
    is = !access(metadata, F_OK);
    free(metadata);
    return is;
}

int decode_reader_open_ctf(const char *path, const struct cairn_reader_options *options,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    (void)options, (void)ret_reader;
    if (!is_trace(path))
        return fail(EISDIR, NULL, ret_error);
    return fail(EOPNOTSUPP, "CTF is read by libbabeltrace2, which this build lacks", ret_error);
}

void decode_reader_close_ctf(struct decode_reader_ctf *ctf)
{
    (void)ctf;
}

int decode_reader_take_of_ctf(struct cairn_reader *reader)
{
    (void)reader;
    return ENODATA;
}

void decode_reader_count_ctf(struct cairn_reader *reader)
{
    (void)reader;
}

const struct cairn_perf_error *decode_reader_error_of_ctf(const struct cairn_reader *reader)
{
    return &reader->error;
}

#endif
