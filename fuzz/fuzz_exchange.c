/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the exporters with several records of any tracepoint: they read no byte after a record,
 * and begin, nest and end spans in any order.
 *
 * The first byte of the input selects the rest: records of EventHeader events, or a format text, a
 * zero, and records. Each record has its size in a byte before it.
 */
#include <cairn/exchange.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char eventheader_format[] =
    "name: P_L5K2a\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

/* The sample of a record: what it has depends on its first byte. */
static void set_sample(struct cairn_event *event, uint8_t byte, uint64_t number)
{
    event->has = byte & (CAIRN_EVENT_TIME | CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID);
    event->cpu = byte >> 6;
    event->pid = 10;
    event->tid = 10u + (byte >> 4 & 3);
    event->time_ns = 1 + number * (byte & 8 ? 7 : 0);
    event->wall_ns = event->time_ns + 1000;
    event->comm = byte & 16 ? "a;\xff\"" : NULL;
}

static void add_records(struct cairn_exporter *exporter, struct cairn_decoder *decoder,
                        uint32_t tracepoint, const uint8_t *data, size_t size)
{
    for (uint64_t number = 0; size; number++) {
        size_t record = *data++;
        struct cairn_event event = {0};
        uint8_t *copy; /* of its size: a sanitizer finds reading after its end */

        record = record < --size ? record : size;
        copy = (uint8_t *)malloc(record + !record);
        assert(copy);
        memcpy(copy, data, record);
        assert(!cairn_decoder_event(decoder, tracepoint, copy, record, &event));
        set_sample(&event, record ? copy[record / 2] : 0, number);
        assert(!cairn_exporter_event(exporter, NULL, &event));
        free(copy);
        data += record;
        size -= record;
    }
}

static void export_to(enum cairn_exchange_format format, struct cairn_decoder *decoder,
                      uint32_t tracepoint, const uint8_t *data, size_t size)
{
    static const char *const counters[] = {"a", "b.c"};
    struct cairn_exporter_options options = CAIRN_EXPORTER_OPTIONS_INIT;
    struct cairn_exporter *exporter;

    options.format = format;
    options.path = format == CAIRN_EXCHANGE_CTF || format == CAIRN_EXCHANGE_CTF2 ||
                           format == CAIRN_EXCHANGE_OTLP || format == CAIRN_EXCHANGE_SQLITE
                       ? "/dev/shm/cairn-fuzz-exchange"
                       : "/dev/null";
    options.counters = counters;
    options.counter_count = 2;
    if (cairn_exporter_create(&options, &exporter))
        return; /* a program is missing */
    add_records(exporter, decoder, tracepoint, data, size);
    if (!strcmp(options.path, "/dev/null"))
        assert(!cairn_exporter_finish(exporter, NULL));
    cairn_exporter_destroy(exporter);
}

/* A database takes longer than all other formats: some inputs have none. */
static bool is_wanted(int format, uint8_t first)
{
    return format != CAIRN_EXCHANGE_SQLITE || (first & 6) == 6;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_decoder_format format = {
        .text = {eventheader_format, sizeof(eventheader_format) - 1}, .long_size_bytes = 8};
    struct cairn_decoder *decoder;
    uint32_t tracepoint;
    const uint8_t *end;
    uint8_t first;

    if (!size--)
        return 0;
    first = *data++;
    if (first & 1) {
        end = size ? (const uint8_t *)memchr(data, 0, size) : NULL;
        if (!end)
            return 0;
        format.text = (struct cairn_slice){(const char *)data, (uint32_t)(end - data)};
        size -= format.text.length + 1u;
        data = end + 1;
    }
    assert(!cairn_decoder_create(&decoder));
    if (!cairn_decoder_add(decoder, &format, &tracepoint)) {
        for (int n = 0; n < CAIRN_EXCHANGE_FORMAT_COUNT; n++) {
            if (is_wanted(n, first))
                export_to((enum cairn_exchange_format)n, decoder, tracepoint, data, size);
        }
    }
    cairn_decoder_destroy(decoder);
    return 0;
}
