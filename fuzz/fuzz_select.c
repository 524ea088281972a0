/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes selection and statistics with any filter, any name of a field and any record: nothing
 * outside the record is read, and a decision is the same when it is made again.
 *
 * The input is a filter, a zero, the name of a field, a zero, and a record of an EventHeader event.
 */
#include "stats/fields.h"

#include <cairn/select.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char format[] =
    "name: P_L5K2a\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

/* Takes a text up to its zero. NULL: there is none. */
static const char *take_text(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size ? (const uint8_t *)memchr(*data, 0, *size) : NULL;
    const char *text = (const char *)*data;

    if (!end)
        return NULL;
    *size -= (size_t)(end + 1 - *data);
    *data = end + 1;
    return text;
}

static void count(const char *name, const struct cairn_event *event)
{
    struct stats_field *field = (struct stats_field *)calloc(1, sizeof(*field));
    struct export_print_output text;
    struct stats_number number;

    assert(field && !export_output_open(&text, -1));
    field->name = name;
    (void)stats_field_number(field, event, &number);
    stats_field_text(field, event, &text);
    export_output_close(&text);
    free(field);
}

static void select_event(const char *filter, const struct cairn_event *event)
{
    static const char *const patterns[] = {"P*:*", "[a-f]*"};
    struct cairn_selection_options options = CAIRN_SELECTION_OPTIONS_INIT;
    struct cairn_selection *selection;
    bool first;
    bool second;

    options.patterns = patterns;
    options.pattern_count = 2;
    options.filter = filter;
    if (cairn_selection_create(&options, NULL, &selection))
        return;
    assert(!cairn_selection_match(selection, event, &first));
    assert(!cairn_selection_match(selection, event, &second));
    assert(first == second);
    assert(!first || !cairn_selection_problem(selection));
    assert(!first || cairn_filter_is_possible(filter));
    cairn_selection_destroy(selection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cairn_decoder_format description = {.text = {format, sizeof(format) - 1},
                                                     .long_size_bytes = 8};
    const char *filter = take_text(&data, &size);
    const char *name = filter ? take_text(&data, &size) : NULL;
    struct cairn_event event = {.comm = "fuzz"};
    struct cairn_decoder *decoder;
    uint32_t tracepoint;
    uint8_t *raw;

    if (!name)
        return 0;
    raw = (uint8_t *)malloc(size ? size : 1); /* a sanitizer sees reads after its end */
    assert(raw && !cairn_decoder_create(&decoder));
    memcpy(raw, data, size);
    assert(!cairn_decoder_add(decoder, &description, &tracepoint));
    assert(!cairn_decoder_event(decoder, tracepoint, raw, size, &event));
    select_event(filter, &event);
    count(name, &event);
    cairn_decoder_destroy(decoder);
    free(raw);
    return 0;
}
