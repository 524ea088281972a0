/* SPDX-License-Identifier: MIT */
/* Writes features: the same bytes in a file's sections and in a stream's records. */
#include "perf_data/writer.h"

static void put_known_string(struct cairn_bytes *b, const char *text)
{
    if (text[0])
        cairn_bytes_put_string(b, text);
}

static void put_cmdline(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    if (!writer->arg_count)
        return;
    cairn_bytes_put_u32(b, writer->arg_count);
    for (uint32_t i = 0; i < writer->arg_count; i++)
        cairn_bytes_put_string(b, writer->args[i]);
}

static void put_event_desc(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    cairn_bytes_put_u32(b, writer->event_count);
    cairn_bytes_put_u32(b, CAIRN_ATTR_FILE_BYTES);
    for (uint32_t i = 0; i < writer->event_count; i++) {
        const struct cairn_written_event *event = writer->events[i];

        cairn_put_attr(b, writer, event, CAIRN_ATTR_FILE_BYTES);
        cairn_bytes_put_u32(b, event->id_count);
        cairn_bytes_put_string(b, event->name);
        cairn_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    }
}

static void put_clock_data(struct cairn_bytes *b, const struct cairn_perf_clock *clock)
{
    if (!clock->wall_clock_known)
        return;
    cairn_bytes_put_u32(b, 1); /* version */
    cairn_bytes_put_u32(b, (uint32_t)clock->clockid);
    cairn_bytes_put_u64(b, clock->wall_clock_ns);
    cairn_bytes_put_u64(b, clock->time_ns);
}

static void put_nrcpus(struct cairn_bytes *b, const struct cairn_host_facts *host)
{
    cairn_bytes_put_u32(b, host->cpus_available);
    cairn_bytes_put_u32(b, host->cpus_online);
}

void cairn_put_feature(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                       enum cairn_perf_feature feature)
{
    const struct cairn_host_facts *host = &writer->host;

    switch (feature) {
    case CAIRN_PERF_FEATURE_HOSTNAME:
        cairn_bytes_put_string(b, host->uts.nodename);
        break;
    case CAIRN_PERF_FEATURE_OSRELEASE:
        put_known_string(b, host->uts.release);
        break;
    case CAIRN_PERF_FEATURE_VERSION:
        cairn_bytes_put_string(b, "cairn " CAIRN_VERSION);
        break;
    case CAIRN_PERF_FEATURE_ARCH:
        put_known_string(b, host->uts.machine);
        break;
    case CAIRN_PERF_FEATURE_NRCPUS:
        put_nrcpus(b, host);
        break;
    case CAIRN_PERF_FEATURE_CPUDESC:
        put_known_string(b, host->cpudesc);
        break;
    case CAIRN_PERF_FEATURE_CPUID:
        put_known_string(b, host->cpuid);
        break;
    case CAIRN_PERF_FEATURE_TOTAL_MEM:
        cairn_bytes_put_u64(b, host->total_mem_kib);
        break;
    case CAIRN_PERF_FEATURE_CMDLINE:
        put_cmdline(b, writer);
        break;
    case CAIRN_PERF_FEATURE_EVENT_DESC:
        put_event_desc(b, writer);
        break;
    case CAIRN_PERF_FEATURE_CLOCKID:
        if (writer->clock.resolution_ns)
            cairn_bytes_put_u64(b, writer->clock.resolution_ns);
        break;
    case CAIRN_PERF_FEATURE_CLOCK_DATA:
        put_clock_data(b, &writer->clock);
        break;
    default:
        break;
    }
}
