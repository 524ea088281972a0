/* SPDX-License-Identifier: MIT */
/* Writes data as base64 into elements of a page, or as it is. */
#include "report/sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char part_begin[] = "<script type=\"text/plain\" class=\"cairn-data\">";
static const char part_end[] = "</script>\n";

static void write_all(struct report_sink *sink, const void *data, size_t size)
{
    const uint8_t *from = (const uint8_t *)data;

    while (size && !sink->error) {
        ssize_t n = write(sink->fd, from, size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            sink->error = errno;
            return;
        }
        from += n;
        size -= (size_t)n;
        sink->written += (uint64_t)n;
    }
}

static size_t put_base64(uint8_t *to, const uint8_t *from, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *begin = to;

    for (; size >= 3; size -= 3, from += 3) {
        uint32_t group = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];

        *to++ = (uint8_t)digits[group >> 18];
        *to++ = (uint8_t)digits[group >> 12 & 63];
        *to++ = (uint8_t)digits[group >> 6 & 63];
        *to++ = (uint8_t)digits[group & 63];
    }
    if (size) {
        uint32_t group = (uint32_t)from[0] << 16 | (size > 1 ? (uint32_t)from[1] << 8 : 0);

        *to++ = (uint8_t)digits[group >> 18];
        *to++ = (uint8_t)digits[group >> 12 & 63];
        *to++ = (uint8_t)(size > 1 ? digits[group >> 6 & 63] : '=');
        *to++ = '=';
    }
    return (size_t)(to - begin);
}

static void write_part(struct report_sink *sink)
{
    struct report_bytes *text = &sink->text;

    if (!sink->part.size)
        return;
    text->size = 0;
    report_bytes_add(text, part_begin, sizeof(part_begin) - 1);
    if (report_bytes_reserve(text, sink->part.size / 3 * 4 + 4))
        text->size += put_base64(text->data + text->size, sink->part.data, sink->part.size);
    report_bytes_add(text, part_end, sizeof(part_end) - 1);
    sink->part.size = 0;
    if (text->error && !sink->error)
        sink->error = text->error;
    write_all(sink, text->data, text->size);
}

void report_sink_add(struct report_sink *sink, const void *data, size_t size)
{
    const uint8_t *from = (const uint8_t *)data;

    sink->size += size;
    while (size) {
        size_t space = REPORT_SINK_PART_BYTES - sink->part.size;
        size_t n = size < space ? size : space;

        report_bytes_add(&sink->part, from, n);
        if (sink->part.error) {
            sink->error = sink->error ? sink->error : ENOMEM;
            return;
        }
        from += n;
        size -= n;
        if (sink->part.size == REPORT_SINK_PART_BYTES)
            report_sink_flush(sink);
    }
}

int report_sink_flush(struct report_sink *sink)
{
    if (sink->is_page) {
        write_part(sink);
    } else {
        write_all(sink, sink->part.data, sink->part.size);
        sink->part.size = 0;
    }
    return sink->error;
}

void report_sink_text(struct report_sink *sink, const void *text, size_t size)
{
    report_sink_flush(sink);
    write_all(sink, text, size);
}

void report_sink_free(struct report_sink *sink)
{
    report_bytes_free(&sink->part);
    report_bytes_free(&sink->text);
}
