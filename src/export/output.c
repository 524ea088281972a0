/* SPDX-License-Identifier: MIT */
/* A buffer for printers: written to a file descriptor in large blocks, or kept in memory. */
#include "export/output.h"

#include "perf_data/large_pages.h"

#include <errno.h>
#include <stdlib.h>

#define BUFFER_BYTES   ((size_t)256 * 1024)
#define FIRST_BYTES    ((size_t)32 * 1024)
#define COPY_MAX_BYTES ((size_t)64 * 1024)

static int begin(struct export_print_output *out, int fd, char *buffer, size_t size_bytes)
{
    *out = (struct export_print_output){.fd = fd};
    if (!buffer)
        return ENOMEM;
    out->begin = buffer;
    out->at = buffer;
    out->end = buffer + size_bytes;
    return 0;
}

int export_output_open(struct export_print_output *out, int fd)
{
    return begin(out, fd, (char *)malloc(BUFFER_BYTES), BUFFER_BYTES);
}

/* A large page would cost more than writing little text: a descriptor has one after the first
 * writing. */
int export_output_open_large(struct export_print_output *out, int fd)
{
    if (fd >= 0)
        return begin(out, fd, (char *)malloc(FIRST_BYTES), FIRST_BYTES);
    return begin(out, fd, (char *)perf_data_large_allocate(PERF_DATA_LARGE_PAGE_BYTES),
                 PERF_DATA_LARGE_PAGE_BYTES);
}

/* Moves the contents to a larger buffer, which then belongs to the output. */
static void move_to(struct export_print_output *out, char *buffer, size_t size_bytes)
{
    size_t used = (size_t)(out->at - out->begin);

    memcpy(buffer, out->begin, used);
    free(out->begin);
    out->begin = buffer;
    out->at = buffer + used;
    out->end = buffer + size_bytes;
}

/* After it was written. A part of the page is used: its bytes are still in the cache when they are
 * written. Without memory it stays as it is. */
static void enlarge(struct export_print_output *out)
{
    char *buffer = (char *)perf_data_large_allocate(PERF_DATA_LARGE_PAGE_BYTES);

    if (!buffer)
        return;
    move_to(out, buffer, BUFFER_BYTES);
}

void export_output_close(struct export_print_output *out)
{
    free(out->begin);
    *out = (struct export_print_output){.fd = -1};
}

static int write_all(const struct export_print_output *out, const char *data, size_t size_bytes)
{
    while (size_bytes) {
        struct iovec part = {(void *)(uintptr_t)data, size_bytes};
        ssize_t n = perf_data_write_some(&out->wait, out->fd, &part, 1);

        if (n < 0)
            return errno;
        data += n;
        size_bytes -= (size_t)n;
    }
    return 0;
}

int export_output_flush(struct export_print_output *out)
{
    if (out->fd >= 0) {
        if (!out->error)
            out->error = write_all(out, out->begin, (size_t)(out->at - out->begin));
        out->at = out->begin;
    }
    return out->error;
}

void export_output_move(struct export_print_output *out, struct export_print_output *from)
{
    size_t size_bytes = (size_t)(from->at - from->begin);

    if (out->fd < 0 || size_bytes < COPY_MAX_BYTES) {
        export_output_bytes(out, from->begin, size_bytes);
    } else { /* copying it would take as long as writing it */
        export_output_flush(out);
        if (!out->error)
            out->error = write_all(out, from->begin, size_bytes);
    }
    from->at = from->begin;
}

static int grow(struct export_print_output *out)
{
    size_t size = (size_t)(out->end - out->begin) * 2;
    char *buffer =
        (char *)(size < PERF_DATA_LARGE_PAGE_BYTES ? malloc(size) : perf_data_large_allocate(size));

    if (!buffer)
        return ENOMEM;
    move_to(out, buffer, size);
    return 0;
}

void export_output_make_room(struct export_print_output *out)
{
    int err;

    if (out->fd >= 0) {
        export_output_flush(out);
        if ((size_t)(out->end - out->begin) == FIRST_BYTES)
            enlarge(out);
        return;
    }
    err = grow(out);
    if (err) {
        export_output_fail(out, err);
        out->at = out->begin; /* the contents are not used any more */
    }
}

/* Not with the size's limit in sight: the compiler would copy by string instructions, which are
 * slow for short texts. */
void export_output_bytes(struct export_print_output *out, const void *data, size_t size_bytes)
{
    const char *from = (const char *)data;

    if (cairn_likely(size_bytes && size_bytes <= (size_t)(out->end - out->at))) {
        memcpy(out->at, from, size_bytes);
        out->at += size_bytes;
        return;
    }
    while (size_bytes) {
        size_t n = size_bytes < EXPORT_OUTPUT_STEP_BYTES ? size_bytes : EXPORT_OUTPUT_STEP_BYTES;

        memcpy(export_output_reserve(out, n), from, n);
        out->at += n;
        from += n;
        size_bytes -= n;
    }
}
