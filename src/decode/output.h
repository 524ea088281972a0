/* SPDX-License-Identifier: MIT */
/*
 * Where the printers put their bytes: a buffer that is written to a file descriptor in big blocks,
 * or that grows in memory. It remembers its first failure and goes on taking bytes after it, so
 * that printers need not look.
 */
#ifndef DECODE_OUTPUT_H
#define DECODE_OUTPUT_H

#include "perf_data/write_wait.h"

#include <cairn/tracepoint.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most that can be reserved at once. */
#define CAIRN_OUTPUT_STEP_BYTES 4096u

/* Text that is copied with cairn_put_padded has so many more readable bytes after it. */
#define CAIRN_OUTPUT_PADDING_BYTES 16u

struct cairn_output {
    char *at;    /* the next byte goes here */
    char *end;   /* of the buffer */
    char *begin; /* of the buffer */
    int fd;      /* -1: all stays in memory */
    int error;   /* 0, or the errno code of the first failure */
    struct cairn_write_wait wait;
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int cairn_output_open(struct cairn_output *out, int fd);

/* Frees the buffer; what was not flushed is lost. Accepts one that is filled with zeros. */
void cairn_output_close(struct cairn_output *out);

/* Writes what is in the buffer. Returns 0, or the first failure since the output was opened. */
int cairn_output_flush(struct cairn_output *out);

/* Sees to it that STEP bytes fit between `at` and `end`; out of line, for cairn_output_reserve. */
void cairn_output_make_room(struct cairn_output *out);

/* Room for size_bytes <= CAIRN_OUTPUT_STEP_BYTES at the returned place, which is out->at. */
static inline char *cairn_output_reserve(struct cairn_output *out, size_t size_bytes)
{
    if (cairn_unlikely((size_t)(out->end - out->at) < size_bytes))
        cairn_output_make_room(out);
    return out->at;
}

static inline void cairn_output_byte(struct cairn_output *out, char byte)
{
    *cairn_output_reserve(out, 1) = byte;
    out->at++;
}

/* Bytes of any length, as they are. */
void cairn_output_bytes(struct cairn_output *out, const void *data, size_t size_bytes);

static inline void cairn_output_string(struct cairn_output *out, const char *string)
{
    cairn_output_bytes(out, string, strlen(string));
}

/*
 * Copies text that has CAIRN_OUTPUT_PADDING_BYTES readable bytes behind it to a place that has as
 * many to spare, and returns the place after it. Whole 16-byte pieces, some bytes too far, are
 * several times faster than memcpy of an unknown length.
 */
static inline char *cairn_put_padded(char *to, const char *text, size_t length)
{
    for (size_t n = 0; n < length; n += CAIRN_OUTPUT_PADDING_BYTES)
        memcpy(to + n, text + n, CAIRN_OUTPUT_PADDING_BYTES);
    return to + length;
}

/* Such a text, of any length. */
static inline void cairn_output_padded(struct cairn_output *out, const char *text, size_t length)
{
    size_t room = length + CAIRN_OUTPUT_PADDING_BYTES;

    if (cairn_unlikely(room > CAIRN_OUTPUT_STEP_BYTES))
        cairn_output_bytes(out, text, length);
    else
        out->at = cairn_put_padded(cairn_output_reserve(out, room), text, length);
}

#endif
