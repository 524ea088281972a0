/* SPDX-License-Identifier: MIT */
/* Fuzzes the compiler of print formats, and formats with a record. The input is "FORMAT\nRECORD",
 * FORMAT without a newline. */
#include <cairn/decode.h>
#include <cairn/export.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] =
    "name: e\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:u64 q;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:u8 b[16];\toffset:24;\tsize:16;\tsigned:0;\n"
    "\tfield:__data_loc char[] s;\toffset:40;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc u8[] r;\toffset:44;\tsize:4;\tsigned:0;\n\nprint fmt: ";

/* A copy in memory of exactly its size: the sanitizer reports a read after it. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);

    assert(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static void print_record(struct cairn_decoder *decoder, uint32_t tracepoint, const uint8_t *data,
                         size_t size)
{
    void *raw = copy_of(data, size);
    struct cairn_event event = {0};
    struct cairn_printer *printer;

    assert(!cairn_printer_create(CAIRN_STYLE_TEXT, -1, &printer));
    assert(!cairn_decoder_event(decoder, tracepoint, raw, size, &event));
    cairn_printer_event(printer, &event);
    assert(!cairn_printer_has_failed(printer));
    cairn_printer_destroy(printer);
    free(raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t length = newline ? (size_t)(newline - data) : size;
    size_t record_bytes = newline ? size - length - 1 : 0;
    size_t text_bytes = strlen(head) + length;
    char *text = malloc(text_bytes + 1);
    struct cairn_decoder_format format = {
        .system = {"sys", 3},
        .text = {text, (uint32_t)text_bytes},
        .long_size_bytes = size % 2 ? 4 : 8,
        .swap = size % 3 == 0,
    };
    struct cairn_decoder *decoder;
    uint32_t tracepoint;

    assert(text);
    memcpy(text, head, strlen(head));
    if (length)
        memcpy(text + strlen(head), data, length);
    assert(!cairn_decoder_create(&decoder));
    if (!cairn_decoder_add(decoder, &format, &tracepoint))
        print_record(decoder, tracepoint, data + size - record_bytes, record_bytes);
    cairn_decoder_destroy(decoder);
    free(text);
    return 0;
}
