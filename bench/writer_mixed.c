/* SPDX-License-Identifier: MIT */
/*
 * cairn: an event of eight fields of several kinds, about 100 bytes of payload and 150 of metadata.
 * With BENCH_DYNAMIC, the same bytes by the dynamic builder.
 */
#include "loops.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>

static const struct cairn_guid request = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
static const uint32_t timings_us[] = {120, 4500, 33};

#ifdef BENCH_DYNAMIC

static struct cairn_dynamic_provider *provider;
static struct cairn_event_set *set;
static __thread struct cairn_builder *builder; /* belongs to its thread */

static inline void emit_event(uint32_t number, const char *text)
{
    struct cairn_builder *b;

    if (!cairn_event_set_is_enabled(set) || (!builder && cairn_builder_create(&builder)))
        return;
    b = builder;
    cairn_builder_begin(b, "ConnectionRequestFinished", 0);
    cairn_builder_u32(b, "RequestNumberOfPeer", number);
    cairn_builder_str8(b, "PeerAddressAsText", text);
    cairn_builder_str8(b, "PathOfTheResource", "/var/lib/server/pages/index.html");
    cairn_builder_guid(b, "RequestIdentity", &request);
    cairn_builder_f64(b, "LoadOfTheMachine", 0.75);
    cairn_builder_i64(b, "BytesTransferred", -1);
    cairn_builder_bool8(b, "ConnectionIsKept", true);
    cairn_builder_values(b, "TimingsMicroseconds", CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_DEFAULT, 0,
                         timings_us, 3);
    (void)cairn_builder_write(b, set, NULL, NULL);
}

static int open_event(void)
{
    int error = cairn_dynamic_provider_create("Cairn_Bench", NULL, &provider);

    return error ? error : cairn_event_set_register(provider, CAIRN_LEVEL_VERBOSE, 0x1, &set);
}

static bool event_enabled(void)
{
    return cairn_event_set_is_enabled(set);
}

static void close_event(void)
{
    cairn_builder_destroy(builder);
    (void)cairn_dynamic_provider_destroy(provider);
}

#else

CAIRN_PROVIDER(bench_provider, "Cairn_Bench");

static inline void emit_event(uint32_t number, const char *text)
{
    CAIRN_WRITE_EVENT(bench_provider, "ConnectionRequestFinished",
                      u32("RequestNumberOfPeer", number), str8("PeerAddressAsText", text),
                      str8("PathOfTheResource", "/var/lib/server/pages/index.html"),
                      guid("RequestIdentity", &request), f64("LoadOfTheMachine", 0.75),
                      i64("BytesTransferred", -1), bool8("ConnectionIsKept", true),
                      u32_slice("TimingsMicroseconds", timings_us, 3));
}

static int open_event(void)
{
    return cairn_provider_register(&bench_provider);
}

static bool event_enabled(void)
{
    return CAIRN_PROVIDER_ENABLED(bench_provider, VERBOSE, 0x1);
}

static void close_event(void)
{
    cairn_provider_unregister(&bench_provider);
}

#endif

int main(int argc, char **argv)
{
    static const struct bench_tracer mixed = {
        .open = open_event,
        .enabled = event_enabled,
        .close = close_event,
        BENCH_LOOPS,
    };

    return bench_main(&mixed, argc, argv);
}
