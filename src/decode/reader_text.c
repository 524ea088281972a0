/* SPDX-License-Identifier: MIT */
/*
 * A reader's events from the text of the kernel's trace file or trace_pipe. The text after an
 * event's name is its field `text`: it does not show where one value ends. That of a stack is
 * " => schedule => do_nanosleep", which the kernel prints in lines.
 */
#include "decode/reader.h"
#include "decode/text_line.h"
#include "perf_data/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 32768u
#define TEXT_AT        12u /* in a record */
#define COMM_BYTES     64u
#define NAMES_MAX      4096u /* of events; those with other names are not read */
#define SLOTS          (2 * NAMES_MAX)

struct text_name {
    struct cairn_slice text;
    uint32_t tracepoint; /* the decoder's number */
};

struct decode_reader_text {
    struct perf_data_source source;
    struct perf_data_block_pool pool;
    struct cairn_perf_error error; /* the first */
    struct perf_data_arena arena;  /* of names */
    struct text_name names[SLOTS]; /* open addressing; length 0: free */
    uint32_t name_count;
    struct cairn_bytes record; /* of the event that was returned last */
    char comm[COMM_BYTES];
    uint64_t lost;
    uint64_t unreadable;
};

/* ---- opening ---- */

bool decode_reader_is_text(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    const uint8_t *begin;

    return !perf_data_source_peek(source, pool, DECODE_TEXT_MAGIC_BYTES, &begin) &&
           decode_text_is_trace(begin);
}

int decode_reader_open_text(const char *name, const struct cairn_reader_options *options,
                            struct perf_data_source *source, struct perf_data_block_pool *pool,
                            struct cairn_reader **ret_reader)
{
    struct decode_reader_text *text = (struct decode_reader_text *)calloc(1, sizeof(*text));
    int err = text ? decode_reader_create(name, options, ret_reader) : ENOMEM;

    if (err) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        free(text);
        return err;
    }
    text->source = *source;
    text->pool = *pool;
    (*ret_reader)->text = text;
    return 0;
}

void decode_reader_close_text(struct decode_reader_text *text)
{
    if (!text)
        return;
    perf_data_source_close(&text->source, &text->pool);
    perf_data_block_pool_free(&text->pool);
    perf_data_arena_free(&text->arena);
    perf_data_bytes_free(&text->record);
    free(text);
}

/* ---- lines ---- */

static int fail(struct decode_reader_text *text, int err, const char *message)
{
    if (!text->error.code)
        text->error = (struct cairn_perf_error){err, text->source.offset, message};
    return err;
}

/* The bytes that are there without reading more. */
static struct cairn_slice ready(const struct perf_data_source *source)
{
    uint64_t left = source->map ? source->end - source->offset : source->window.left;
    const uint8_t *at = source->map ? source->map + source->offset : source->window.at;

    return (struct cairn_slice){(const char *)at,
                                left < LINE_MAX_BYTES ? (uint32_t)left : LINE_MAX_BYTES};
}

/*
 * Takes a line, without its end. The last one may have none.
 *
 * Returns 0; ENODATA; EBADMSG it is too long; ENOMEM; or the error of read.
 */
static int take_line(struct decode_reader_text *text, struct cairn_slice *ret_line)
{
    struct perf_data_source *source = &text->source;
    struct cairn_slice line = ready(source);
    const char *newline = NULL;
    const uint8_t *data;

    while (!(newline = line.length ? memchr(line.text, '\n', line.length) : NULL)) {
        int err = line.length == LINE_MAX_BYTES
                      ? EBADMSG
                      : perf_data_source_peek(source, &text->pool, line.length + 1u, &data);

        if (err == EBADMSG && line.length < LINE_MAX_BYTES) /* the file's end */
            break;
        if (err)
            return err;
        line = ready(source);
    }
    if (newline)
        line.length = (uint32_t)(newline - line.text);
    *ret_line = line;
    perf_data_source_take(source, line.length + (newline ? 1u : 0u));
    return 0;
}

/* ---- events ---- */

/* A tracepoint of this name: its field is the rest of the record. */
static int describe(struct cairn_reader *reader, struct cairn_slice name, uint32_t *ret_tracepoint)
{
    static const char rest[] =
        "\nID: 1\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
        "\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
        "print fmt: \"%s\", __get_str(text)\n";
    struct cairn_bytes format = {0};
    struct cairn_decoder_format description = {.name = name, .long_size_bytes = sizeof(long)};
    int err;

    perf_data_bytes_put(&format, "name: ", 6);
    perf_data_bytes_put(&format, name.text, name.length);
    perf_data_bytes_put(&format, rest, sizeof(rest) - 1);
    if (format.error)
        return format.error;
    description.text = (struct cairn_slice){(const char *)format.data, (uint32_t)format.size};
    err = cairn_decoder_add(reader->decoder, &description, ret_tracepoint);
    perf_data_bytes_free(&format);
    return err == EBADMSG ? ENOENT : err; /* not a name */
}

/* Finds the tracepoint of a name. Returns 0; ENOENT it has none; ENOMEM. */
static int find(struct cairn_reader *reader, struct cairn_slice name, uint32_t *ret_tracepoint)
{
    struct decode_reader_text *text = reader->text;
    uint32_t at = (uint32_t)perf_data_hash((const uint8_t *)name.text, name.length, 0) % SLOTS;
    const char *copy;
    int err;

    for (; text->names[at].text.length; at = (at + 1) % SLOTS) {
        const struct text_name *known = &text->names[at];

        if (known->text.length == name.length &&
            !memcmp(known->text.text, name.text, name.length)) {
            *ret_tracepoint = known->tracepoint;
            return 0;
        }
    }
    if (text->name_count == NAMES_MAX || !name.length)
        return ENOENT;
    err = describe(reader, name, ret_tracepoint);
    if (err)
        return err;
    copy = perf_data_arena_text(&text->arena, name.text, name.length);
    if (!copy)
        return ENOMEM;
    text->names[at] = (struct text_name){{copy, name.length}, *ret_tracepoint};
    text->name_count++;
    return 0;
}

static bool is_frame_next(struct decode_reader_text *text)
{
    const uint8_t *next;

    return !perf_data_source_peek(&text->source, &text->pool, DECODE_TEXT_FRAME_BYTES, &next) &&
           !memcmp(next, DECODE_TEXT_FRAME, DECODE_TEXT_FRAME_BYTES);
}

/* Adds the lines that follow an event and are its stack. Those beyond the longest text are counted
 * as unreadable. */
static void add_frames(struct decode_reader_text *text)
{
    struct cairn_bytes *record = &text->record;
    struct cairn_slice line;

    while (is_frame_next(text) && !take_line(text, &line)) {
        if (record->size + line.length < LINE_MAX_BYTES)
            perf_data_bytes_put(record, line.text, line.length);
        else
            text->unreadable++;
    }
}

/* The bytes that the tracepoint's event has. The line is not valid afterwards. */
static int make_record(struct cairn_reader *reader, const struct decode_text_line *line)
{
    struct cairn_bytes *record = &reader->text->record;
    uint32_t place;

    record->size = 0;
    perf_data_bytes_put_u32(record, 1); /* the id; no flags */
    perf_data_bytes_put_u32(record, line->tid);
    perf_data_bytes_put_u32(record, 0); /* the text's place, see below */
    perf_data_bytes_put(record, line->text.text, line->text.length);
    if (line->is_stack)
        add_frames(reader->text);
    perf_data_bytes_put_zeros(record, 1);
    if (record->error)
        return record->error;
    place = ((uint32_t)record->size - TEXT_AT) << 16 | TEXT_AT;
    memcpy(record->data + TEXT_AT - sizeof(place), &place, sizeof(place));
    reader->record.bytes = record->data;
    reader->record.size_bytes = (uint32_t)record->size;
    return 0;
}

static void set_comm(struct decode_reader_text *text, struct cairn_slice comm)
{
    uint32_t length = comm.length < COMM_BYTES ? comm.length : COMM_BYTES - 1;

    memcpy(text->comm, comm.text, length);
    text->comm[length] = '\0';
}

/* Returns 0; ENOENT it is no event; ENOMEM. */
static int fill_event(struct cairn_reader *reader, const struct decode_text_line *line)
{
    struct cairn_event *event = &reader->event;
    uint32_t tracepoint;
    int err = find(reader, line->name, &tracepoint);

    if (err)
        return err;
    reader->record = (struct decode_record){.tracepoint = tracepoint};
    set_comm(reader->text, line->comm);
    err = make_record(reader, line);
    if (err)
        return err;
    event->has = CAIRN_EVENT_TIME | CAIRN_EVENT_CPU | CAIRN_EVENT_TID;
    event->time_ns = line->time_ns;
    event->cpu = line->cpu;
    event->tid = line->tid;
    event->pid = line->has_pid ? line->pid : line->tid;
    event->comm = reader->with_comm ? reader->text->comm : NULL;
    return 0;
}

/* Handles a line. Returns 0 an event; ENOENT; ENOMEM. */
static int handle(struct cairn_reader *reader, struct cairn_slice from)
{
    struct decode_reader_text *text = reader->text;
    struct decode_text_line line;
    int err = ENOENT;

    decode_text_line_parse(from, &line);
    text->lost += line.lost;
    if (line.kind == DECODE_TEXT_EVENT)
        err = fill_event(reader, &line);
    if (err == ENOENT && (line.kind == DECODE_TEXT_EVENT || line.kind == DECODE_TEXT_OTHER))
        text->unreadable++;
    return err;
}

int decode_reader_take_of_text(struct cairn_reader *reader)
{
    struct decode_reader_text *text = reader->text;
    struct cairn_slice line;
    int err;

    do {
        reader->position.offset = text->source.offset;
        err = take_line(text, &line);
        if (err)
            return err == EBADMSG ? fail(text, EBADMSG, "a line is too long") : err;
        err = handle(reader, line);
    } while (err == ENOENT);
    return err;
}

/* ---- state ---- */

void decode_reader_count_text(struct cairn_reader *reader)
{
    reader->counts.unreadable = reader->text->unreadable;
    reader->counts.lost = reader->text->lost;
}

const struct cairn_perf_error *decode_reader_error_of_text(const struct cairn_reader *reader)
{
    return &reader->text->error;
}
