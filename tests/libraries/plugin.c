/* SPDX-License-Identifier: MIT */
/*
 * A plugin that is unloaded without unregistering anything, in C and C++. The kind of its events is
 * -DPROVIDER, -DPROVIDER_INLINE, -DPROVIDERS (several), -DTYPED or -DFACADE.
 */
#ifdef __cplusplus
#define PLUGIN extern "C" __attribute__((visibility("default")))
#else
#define PLUGIN __attribute__((visibility("default")))
#endif

#if defined(TYPED)

#include <cairn/typed_tracepoint.h>

/* clang-format off */
CAIRN_TRACEPOINT(work, TP_SYSTEM(Unload), TP_PROTO(uint32_t n), TP_ARGS(n),
    TP_STRUCT__entry(__field(uint32_t, n)), TP_fast_assign(__entry->n = n;),
    TP_printk("n=%u", __entry->n));
/* clang-format on */
#define REGISTER() 0
#define WRITE(n)   trace_work(n)

#elif defined(FACADE)

#include <cairn/tracing.h>

#define REGISTER() 0
#define WRITE(n)   work(n)

static void work(uint32_t n)
{
    CAIRN_SCOPE(TRACE, "span", target("plugin"));
    CAIRN_INFO((target("plugin"), name("work"), kv("n", n)), "work");
    cairn_tracing_log(6, "plugin", "logged %u", n);
}

#else

#include <cairn/eventheader.h>

#ifdef PROVIDER_INLINE
CAIRN_PROVIDER_INLINE(provider, "Unload_Plugin");
#else
CAIRN_PROVIDER(provider, "Unload_Plugin");
#endif
#ifdef PROVIDERS
CAIRN_PROVIDER(other, "Unload_Other");
CAIRN_PROVIDER(unused, "Unload_Unused"); /* never registered */
#define REGISTER() (cairn_provider_register(&provider) | cairn_provider_register(&other))
#define WRITE(n)                                            \
    do {                                                    \
        CAIRN_WRITE_EVENT(other, "Work", u32("number", n)); \
        CAIRN_WRITE_EVENT(unused, "Work");                  \
    } while (0)
#else
#define REGISTER() cairn_provider_register(&provider)
#define WRITE(n)   CAIRN_WRITE_EVENT(provider, "Work", level(WARNING), u32("number", n))

/* A destructor may write: the provider is registered until the end of the last one. */
static __attribute__((destructor)) void write_last(void)
{
    CAIRN_WRITE_EVENT(provider, "Last");
}
#endif

#endif

PLUGIN int plugin_begin(void);
PLUGIN void plugin_work(unsigned n);

int plugin_begin(void)
{
    return REGISTER();
}

void plugin_work(unsigned n)
{
    WRITE(n);
}
