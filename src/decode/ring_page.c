/* SPDX-License-Identifier: MIT */
/* Reads the events of a page of the kernel's ring buffer (Documentation/trace/ring-buffer-design).
 */
#include "decode/ring_page.h"

#include "core/load.h"

#include <errno.h>

/* Flags in the page's number of bytes. */
#define MISSED_EVENTS 0x80000000u
#define MISSED_STORED 0x40000000u /* the number of lost events follows the events */

/* The kind of an event, in the 5 bits of its length. */
enum {
    TYPE_LONG = 0,      /* a word has the length */
    TYPE_DATA_MAX = 28, /* up to here: the number of words */
    TYPE_PADDING = 29,
    TYPE_TIME_EXTEND = 30,
    TYPE_TIME_STAMP = 31,
};

#define DELTA_BITS 27u
#define DELTA_MASK ((1u << DELTA_BITS) - 1)
/* The bits of a time that a time stamp has; the others are those of the page. */
#define STAMP_BITS 59u

int decode_ring_page_begin(struct decode_ring_page *page, const struct decode_ring_format *format,
                           const uint8_t *data)
{
    uint32_t head_bytes = 8 + format->long_bytes;
    uint32_t commit = format->long_bytes == 8 ? (uint32_t)core_load64(data + 8, format->swap)
                                              : core_load32(data + 8, format->swap);
    uint32_t bytes = commit & ~(MISSED_EVENTS | MISSED_STORED);

    *page = (struct decode_ring_page){.format = format, .at = data + head_bytes};
    page->end = page->at;
    page->time_ns = core_load64(data, format->swap);
    page->has_lost = commit & MISSED_EVENTS;
    if (bytes > format->page_bytes - head_bytes)
        return EBADMSG;
    page->end = page->at + bytes;
    if (page->has_lost && (commit & MISSED_STORED) &&
        format->page_bytes - head_bytes - bytes >= format->long_bytes)
        page->lost = core_load_unsigned(page->end, format->long_bytes, format->swap);
    if (page->lost > DECODE_LOST_MAX) /* not believed: the number is unknown */
        page->lost = 0;
    return 0;
}

/* Takes a word. False: the page has no more. */
static bool take_word(struct decode_ring_page *page, uint32_t *ret_word)
{
    if (page->end - page->at < 4)
        return false;
    *ret_word = core_load32(page->at, page->format->swap);
    page->at += 4;
    return true;
}

static int take_data(struct decode_ring_page *page, uint32_t size_bytes,
                     struct decode_ring_event *ret_event)
{
    if ((size_t)(page->end - page->at) < size_bytes)
        return EBADMSG;
    *ret_event = (struct decode_ring_event){page->at, size_bytes, page->time_ns};
    page->at += size_bytes;
    return 0;
}

/* Reads an event whose length is in a word; the length includes the word. */
static int take_long(struct decode_ring_page *page, struct decode_ring_event *ret_event)
{
    uint32_t length;

    if (!take_word(page, &length) || length < 4)
        return EBADMSG;
    length = (length - 4 + 3) & ~3u;
    return take_data(page, length, ret_event);
}

/* Skips an event that was removed; one without a time fills the rest of the page. */
static int skip_padding(struct decode_ring_page *page, uint32_t delta)
{
    struct decode_ring_event ignored;

    if (delta)
        return take_long(page, &ignored);
    page->at = page->end;
    return 0;
}

static int take_time(struct decode_ring_page *page, uint32_t type, uint32_t delta)
{
    uint64_t below = ((uint64_t)1 << STAMP_BITS) - 1;
    uint32_t high;
    uint64_t time;

    if (!take_word(page, &high))
        return EBADMSG;
    time = (uint64_t)high << DELTA_BITS | delta;
    if (type == TYPE_TIME_EXTEND)
        page->time_ns += time;
    else
        page->time_ns = (page->time_ns & ~below) | (time & below);
    return 0;
}

int decode_ring_page_next(struct decode_ring_page *page, struct decode_ring_event *ret_event)
{
    uint32_t head;
    int err = 0;

    while (!err && take_word(page, &head)) {
        bool is_big = page->format->is_big_endian;
        uint32_t type = is_big ? head >> DELTA_BITS : head & 31;
        uint32_t delta = is_big ? head & DELTA_MASK : head >> 5;

        if (type == TYPE_PADDING) {
            err = skip_padding(page, delta);
            page->time_ns += err ? 0 : delta;
        } else if (type > TYPE_PADDING) {
            err = take_time(page, type, delta);
        } else {
            page->time_ns += delta;
            return type == TYPE_LONG ? take_long(page, ret_event)
                                     : take_data(page, 4 * type, ret_event);
        }
    }
    return err ? err : ENODATA;
}
