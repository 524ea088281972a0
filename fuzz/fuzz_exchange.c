/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the exporters with several records of any tracepoint: they read no byte after a record,
 * and begin, nest and end spans in any order.
 *
 * The input is described in exchange_input.h.
 */
#include "exchange_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_to(enum cairn_exchange_format format, const struct exchange_input *input)
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
    (void)exchange_input_export(input, exporter);
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
    struct exchange_input input;

    if (!exchange_input_open(&input, data, size))
        return 0;
    for (int n = 0; n < CAIRN_EXCHANGE_FORMAT_COUNT; n++) {
        if (is_wanted(n, input.first))
            export_to((enum cairn_exchange_format)n, &input);
    }
    exchange_input_close(&input);
    return 0;
}
