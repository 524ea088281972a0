/* SPDX-License-Identifier: MIT */
/*
 * A program to be recorded: work COUNT. Writes COUNT pairs of EventHeader events, Work and Peer, of
 * which the second has a struct, an address and a floating-point number.
 *
 * work spans: two activities that end, one that does not, and the end of one that did not begin.
 */
#include <cairn/eventheader.h>

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

CAIRN_PROVIDER(provider, "Cli_Work");

static void write_span(uint8_t number, bool begins)
{
    const struct cairn_guid id = {{number}};

    if (begins)
        CAIRN_WRITE_EVENT(provider, "Begin", level(INFORMATION), keyword(1), opcode(ACTIVITY_START),
                          activity_id(&id));
    else
        CAIRN_WRITE_EVENT(provider, "End", level(INFORMATION), keyword(1), opcode(ACTIVITY_STOP),
                          activity_id(&id));
}

static int write_spans(void)
{
    (void)cairn_provider_register(&provider);
    for (uint8_t n = 0; n < 3; n++)
        write_span(n, true);
    for (uint8_t n = 1; n < 4; n++)
        write_span(n, false);
    cairn_provider_unregister(&provider);
    return 0;
}

int main(int argc, char **argv)
{
    const uint8_t address[4] = {10, 0, 0, 1};
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;

    if (argc > 1 && !strcmp(argv[1], "spans"))
        return write_spans();
    (void)cairn_provider_register(&provider);
    for (uint32_t n = 0; n < count; n++) {
        const uint16_t numbers[2] = {(uint16_t)n, (uint16_t)(n + 1)};

        CAIRN_WRITE_EVENT(provider, "Work", level(INFORMATION), keyword(1), u32("Number", n),
                          str8("Name", n % 2 ? "plain" : "a b=c"), u64("Big", (uint64_t)n << 60));
        CAIRN_WRITE_EVENT(
            provider, "Peer", level(WARNING), keyword(2),
            struct("Peer", ipv4("Address", address), port("Port", htons((uint16_t)n))),
            f64("Ms", (double)n / 2), u16_slice("Numbers", numbers, 2));
    }
    cairn_provider_unregister(&provider);
    return 0;
}
