/* SPDX-License-Identifier: MIT */
/*
 * The printers' output: a buffer that is written to a file descriptor in large blocks, or that
 * grows in memory. It remembers its first failure and accepts bytes after it, so that printers need
 * no checks.
 */
#ifndef EXPORT_OUTPUT_H
#define EXPORT_OUTPUT_H

#include "perf_data/write_wait.h"

#include <cairn/tracepoint.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The most that can be reserved at once. */
#define EXPORT_OUTPUT_STEP_BYTES 4096u

/* The number of readable bytes after text that is copied with export_put_padded. */
#define EXPORT_OUTPUT_PADDING_BYTES 64u

struct export_print_output {
    char *at;    /* the next byte goes here */
    char *end;   /* of the buffer */
    char *begin; /* of the buffer */
    int fd;      /* -1: all stays in memory */
    int error;   /* 0, or the errno code of the first failure */
    struct perf_data_write_wait wait;
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int export_output_open(struct export_print_output *out, int fd);

/* The same for much text: in large pages. */
int export_output_open_large(struct export_print_output *out, int fd);

/* Frees the buffer; bytes that were not flushed are lost. Accepts an output of zeros. */
void export_output_close(struct export_print_output *out);

/* Flushes the buffer. Returns 0, or the first failure since the output was opened. */
int export_output_flush(struct export_print_output *out);

/* Moves the contents of an output in memory to the end of another one. */
void export_output_move(struct export_print_output *out, struct export_print_output *from);

/* Remembers a failure, if it is the first. */
static inline void export_output_fail(struct export_print_output *out, int error)
{
    if (!out->error)
        out->error = error;
}

/* Makes STEP bytes available between `at` and `end`: the slow path of export_output_reserve. */
void export_output_make_room(struct export_print_output *out);

/* Reserves size_bytes <= EXPORT_OUTPUT_STEP_BYTES at the returned address, which is out->at. */
static inline char *export_output_reserve(struct export_print_output *out, size_t size_bytes)
{
    if (cairn_unlikely((size_t)(out->end - out->at) < size_bytes))
        export_output_make_room(out);
    return out->at;
}

static inline void export_output_byte(struct export_print_output *out, char byte)
{
    *export_output_reserve(out, 1) = byte;
    out->at++;
}

/* Adds bytes of any length, unchanged. */
void export_output_bytes(struct export_print_output *out, const void *data, size_t size_bytes);

static inline void export_output_string(struct export_print_output *out, const char *string)
{
    export_output_bytes(out, string, strlen(string));
}

/*
 * Copies text that has EXPORT_OUTPUT_PADDING_BYTES readable bytes after it to memory that has as
 * many spare bytes, and returns the address after it. Copying whole blocks is several times faster
 * than memcpy of an unknown length; most keys are one small block.
 */
static inline char *export_put_padded(char *to, const char *text, size_t length)
{
    memcpy(to, text, 16);
    if (length > 16) {
        for (size_t n = 16; n < length; n += 48)
            memcpy(to + n, text + n, 48);
    }
    return to + length;
}

/* Adds such a text, of any length. */
static inline void export_output_padded(struct export_print_output *out, const char *text,
                                        size_t length)
{
    size_t space = length + EXPORT_OUTPUT_PADDING_BYTES;

    if (cairn_unlikely(space > EXPORT_OUTPUT_STEP_BYTES))
        export_output_bytes(out, text, length);
    else
        out->at = export_put_padded(export_output_reserve(out, space), text, length);
}

#endif
