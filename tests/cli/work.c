/* SPDX-License-Identifier: MIT */
/*
 * A program to be recorded: work COUNT. Writes COUNT pairs of EventHeader events, Work and Peer, of
 * which the second has a struct, an address and a floating-point number.
 *
 * work COUNT stay: the same, and then waits for a signal that ends it.
 *
 * work spans: two activities that end, one that does not, and the end of one that did not begin.
 * work spans stay: the same, and closes its standard output, and waits to be killed.
 *
 * work nested: an activity 1 with 2 in it, which has 3 in it; with an event in 2, and 4 in another
 * thread; 5 ends after 1, in which it began.
 * work linked: two spans with ids of OpenTelemetry, as the facade writes them; the second one
 * follows from the first.
 *
 * work zeros: two events whose texts differ after a NUL.
 * work values: two events with values at the limits of their types, and one without their fields.
 * work members: an event whose fields have names that formats reserve.
 */
#include <cairn/eventheader.h>

#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <unistd.h>

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

/* stays  closes its output then, and waits to be killed */
static int write_spans(bool stays)
{
    (void)cairn_provider_register(&provider);
    for (uint8_t n = 0; n < 3; n++)
        write_span(n, true);
    for (uint8_t n = 1; n < 4; n++)
        write_span(n, false);
    if (stays && !fclose(stdout))
        (void)pause();
    cairn_provider_unregister(&provider);
    return 0;
}

static const struct cairn_guid ids[] = {{{0}}, {{1}}, {{2}}, {{3}}, {{4}}, {{5}}};

static void begin_inside(unsigned id, unsigned around)
{
    CAIRN_WRITE_EVENT(provider, "Begin", level(INFORMATION), keyword(1), opcode(ACTIVITY_START),
                      activity_id(&ids[id]), related_id(&ids[around]), u32("Id", id));
}

static void end(unsigned id)
{
    CAIRN_WRITE_EVENT(provider, "End", level(INFORMATION), keyword(1), opcode(ACTIVITY_STOP),
                      activity_id(&ids[id]), u32("Ended", id));
}

static void *write_elsewhere(void *unused)
{
    begin_inside(4, 1);
    CAIRN_WRITE_EVENT(provider, "Inside", level(ERROR), keyword(1), activity_id(&ids[2]),
                      u32("Depth", 9), str8("Text", "a;b\"\\\n\xff"));
    end(4);
    return unused;
}

static int write_nested(void)
{
    pthread_t thread;

    (void)cairn_provider_register(&provider);
    CAIRN_WRITE_EVENT(provider, "Begin", level(INFORMATION), keyword(1), opcode(ACTIVITY_START),
                      activity_id(&ids[1]), u32("Id", 1));
    begin_inside(2, 1);
    begin_inside(3, 2);
    if (!pthread_create(&thread, NULL, write_elsewhere, NULL))
        (void)pthread_join(thread, NULL);
    end(3);
    end(2);
    begin_inside(5, 1);
    end(1);
    end(5);
    cairn_provider_unregister(&provider);
    return 0;
}

#define TRACE "0102030405060708090a0b0c0d0e0f10"

static int write_linked(void)
{
    static const char *const spans[] = {"00000000000000a1", "00000000000000a2"};

    (void)cairn_provider_register(&provider);
    for (unsigned n = 0; n < 2; n++)
        CAIRN_WRITE_EVENT(provider, "Begin", level(INFORMATION), keyword(1), opcode(ACTIVITY_START),
                          activity_id(&ids[n + 1]), str8("trace_id", TRACE),
                          str8("span_id", spans[n]), u32("Id", n));
    CAIRN_WRITE_EVENT(provider, "follows_from", level(INFORMATION), keyword(1),
                      activity_id(&ids[2]), str8("trace_id", TRACE), str8("span_id", spans[1]),
                      str8("follows_from_trace_id", TRACE), str8("follows_from_span_id", spans[0]));
    end(2);
    end(1);
    cairn_provider_unregister(&provider);
    return 0;
}

static int write_zeros(void)
{
    static const char texts[2][4] = {{'a', 0, 'b'}, {'a', 0, 'c'}};

    (void)cairn_provider_register(&provider);
    for (unsigned n = 0; n < 2; n++)
        CAIRN_WRITE_EVENT(provider, "Zeros", level(INFORMATION), keyword(1),
                          str8_n("Text", texts[n], 3));
    cairn_provider_unregister(&provider);
    return 0;
}

/* Events with values at the limits of their types, and one that lacks their fields. */
static int write_values(void)
{
    static const char16_t wide[] = u"a b";
    const uint32_t five = 5;

    (void)cairn_provider_register(&provider);
    for (unsigned n = 0; n < 2; n++)
        CAIRN_WRITE_EVENT(provider, "Values", level(INFORMATION), keyword(1),
                          f64("Time", n ? 1700000123.75 : 1700000000.25),
                          f64("Float", n ? 1e20 : (double)NAN),
                          u32_nullable("Null", n ? NULL : &five), str16("Wide", wide),
                          str8("Narrow", "a b"), u64("Big", n ? 1 : UINT64_MAX),
                          i64("Least", n ? -1 : INT64_MIN), i64("Most", INT64_MAX));
    CAIRN_WRITE_EVENT(provider, "Other", level(INFORMATION), keyword(1), u8("Alone", 1));
    cairn_provider_unregister(&provider);
    return 0;
}

static int write_members(void)
{
    (void)cairn_provider_register(&provider);
    CAIRN_WRITE_EVENT(provider, "Members", level(INFORMATION), keyword(1), str8("type", "Network"),
                      u32("cause", 1), str8("cairn", "no"), u32("stop", 2), u32("Number", 3));
    cairn_provider_unregister(&provider);
    return 0;
}

int main(int argc, char **argv)
{
    const uint8_t address[4] = {10, 0, 0, 1};
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;

    if (argc > 1 && !strcmp(argv[1], "spans"))
        return write_spans(argc > 2);
    if (argc > 1 && !strcmp(argv[1], "nested"))
        return write_nested();
    if (argc > 1 && !strcmp(argv[1], "linked"))
        return write_linked();
    if (argc > 1 && !strcmp(argv[1], "zeros"))
        return write_zeros();
    if (argc > 1 && !strcmp(argv[1], "values"))
        return write_values();
    if (argc > 1 && !strcmp(argv[1], "members"))
        return write_members();
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
    if (argc > 2)
        (void)pause();
    cairn_provider_unregister(&provider);
    return 0;
}
