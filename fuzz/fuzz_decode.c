/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the decoder and the printers with any record of any tracepoint: they read no byte after
 * the record, the output is valid UTF-8, brackets and strings of JSON match, and each event is one
 * line where it should be.
 *
 * The first byte of the input selects the rest: a record of an EventHeader event, or a format text,
 * a zero, and a record.
 */
#include "eventheader_format.h"
#include "export/exporter.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The size of the character at this position; 0 if it is not valid UTF-8. */
static size_t character_size(const uint8_t *at, size_t left)
{
    size_t size = at[0] < 0x80 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    uint32_t c = at[0] & (0xffu >> (size == 1 ? 0 : size + 1));
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (left < size || (at[0] >= 0x80 && at[0] < 0xc0) || at[0] > 0xf4)
        return 0;
    for (size_t n = 1; n < size; n++) {
        if (at[n] >> 6 != 2)
            return 0;
        c = c << 6 | (at[n] & 0x3f);
    }
    return c < least[size] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : size;
}

static void check_utf8(const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text;

    while (size) {
        size_t n = character_size(at, size);

        assert(n);
        at += n;
        size -= n;
    }
}

/* Checks that brackets match outside of strings, and that strings end and have no control
 * characters. */
static void check_json(const char *text, size_t size)
{
    static char open[1 << 16];
    size_t depth = 0;
    bool in_string = false;

    for (size_t n = 0; n < size; n++) {
        unsigned char c = (unsigned char)text[n];

        if (in_string) {
            assert(c >= 0x20);
            n += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            assert(depth < sizeof(open));
            open[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            assert(depth && open[--depth] == (char)c);
        } else if (c == ',') {
            assert(depth && text[n + 1] != '}' && text[n + 1] != ']' && text[n + 1] != ',');
        }
    }
    assert(!depth && !in_string);
}

/* Checks that quotes match, and that each line has as many commas outside of them. Returns the
 * length of the first line. */
static size_t check_csv(const char *text, size_t size)
{
    size_t first = 0;
    size_t commas[2] = {0, 0};
    bool in_string = false;

    for (size_t n = 0; n < size; n++) {
        in_string ^= text[n] == '"';
        if (in_string)
            continue;
        commas[first > 0] += text[n] == ',';
        if (text[n] != '\n')
            continue;
        assert(!first || commas[0] == commas[1]);
        commas[1] = 0;
        first = first ? first : n + 1;
    }
    assert(!in_string);
    return first;
}

static void check_output(enum cairn_style style, const char *text, size_t size)
{
    size_t head = style == CAIRN_STYLE_CSV ? check_csv(text, size) : 0;

    check_utf8(text, size);
    if (style == CAIRN_STYLE_JSON || style == CAIRN_STYLE_JSONL)
        check_json(text, size);
    text += head;
    size -= head;
    if (style != CAIRN_STYLE_JSON && size) /* the event twice */
        assert(size % 2 == 0 && !memcmp(text, text + size / 2, size / 2) &&
               text[size / 2 - 1] == '\n');
    if (style == CAIRN_STYLE_JSONL || style == CAIRN_STYLE_TEXT)
        assert(!size || memchr(text, '\n', size) == text + (size / 2 - 1));
}

static void print(enum cairn_style style, struct cairn_slice format, const void *raw, size_t size,
                  bool has_fields)
{
    static const char *const fields[] = {"a", "b.c", "s"};
    const struct cairn_decoder_format description = {.text = format, .long_size_bytes = 8};
    struct cairn_event event = {.has = CAIRN_EVENT_TIME | CAIRN_EVENT_TID};
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
    uint32_t tracepoint;

    assert(!cairn_decoder_create(&decoder) && !cairn_printer_create(style, -1, &printer));
    if (has_fields)
        assert(!cairn_printer_set_fields(printer, fields, 3));
    if (!cairn_decoder_add(decoder, &description, &tracepoint)) {
        cairn_printer_begin(printer, "f");
        assert(!cairn_decoder_event(decoder, tracepoint, raw, size, &event));
        cairn_printer_event(printer, &event);
        assert(
            !cairn_decoder_event(decoder, tracepoint, raw, size, &event)); /* by a cached layout */
        cairn_printer_event(printer, &event);
        assert(!cairn_printer_finish(printer));
    }
    check_output(style, printer->out.begin, (size_t)(printer->out.at - printer->out.begin));
    cairn_printer_destroy(printer);
    cairn_decoder_destroy(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_slice format = {eventheader_format, sizeof(eventheader_format) - 1};
    const uint8_t *end;
    bool has_fields;

    if (!size--)
        return 0;
    has_fields = *data & 2;
    if (*data++ & 1) {
        end = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
        if (!end)
            return 0;
        format = (struct cairn_slice){(const char *)data, (uint32_t)(end - data)};
        size -= format.length + 1u;
        data = end + 1;
    }
    for (int style = 0; style < CAIRN_STYLE_COUNT; style++)
        print((enum cairn_style)style, format, data, size, has_fields);
    return 0;
}
