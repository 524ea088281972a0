/* SPDX-License-Identifier: MIT */
/* Writes features: the same bytes in a file's sections and in a stream's records. */
#include "perf_data/writer.h"

static void put_known_string(struct cairn_bytes *b, const char *text)
{
    if (text[0])
        perf_data_bytes_put_string(b, text);
}

static void put_cmdline(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    if (!writer->arg_count)
        return;
    perf_data_bytes_put_u32(b, writer->arg_count);
    for (uint32_t i = 0; i < writer->arg_count; i++)
        perf_data_bytes_put_string(b, writer->args[i]);
}

static void put_event_desc(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    perf_data_bytes_put_u32(b, writer->event_count);
    perf_data_bytes_put_u32(b, PERF_DATA_ATTR_FILE_BYTES);
    for (uint32_t i = 0; i < writer->event_count; i++) {
        const struct perf_data_written_event *event = writer->events[i];

        perf_data_put_attr(b, writer, event, PERF_DATA_ATTR_FILE_BYTES);
        perf_data_bytes_put_u32(b, event->id_count);
        perf_data_bytes_put_string(b, event->name);
        perf_data_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    }
}

static void put_clock_data(struct cairn_bytes *b, const struct cairn_perf_clock *clock)
{
    if (!clock->wall_clock_known)
        return;
    perf_data_bytes_put_u32(b, 1); /* version */
    perf_data_bytes_put_u32(b, (uint32_t)clock->clockid);
    perf_data_bytes_put_u64(b, clock->wall_clock_ns);
    perf_data_bytes_put_u64(b, clock->time_ns);
}

static void put_nrcpus(struct cairn_bytes *b, const struct perf_data_host_facts *host)
{
    perf_data_bytes_put_u32(b, host->cpus_available);
    perf_data_bytes_put_u32(b, host->cpus_online);
}

void perf_data_put_feature(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                           enum cairn_perf_feature feature)
{
    const struct perf_data_host_facts *host = &writer->host;

    switch (feature) {
    case CAIRN_PERF_FEATURE_HOSTNAME:
        perf_data_bytes_put_string(b, host->uts.nodename);
        break;
    case CAIRN_PERF_FEATURE_OSRELEASE:
        put_known_string(b, host->uts.release);
        break;
    case CAIRN_PERF_FEATURE_VERSION:
        perf_data_bytes_put_string(b, "cairn " CAIRN_VERSION);
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
        perf_data_bytes_put_u64(b, host->total_mem_kib);
        break;
    case CAIRN_PERF_FEATURE_CMDLINE:
        put_cmdline(b, writer);
        break;
    case CAIRN_PERF_FEATURE_EVENT_DESC:
        put_event_desc(b, writer);
        break;
    case CAIRN_PERF_FEATURE_CLOCKID:
        if (writer->clock.resolution_ns)
            perf_data_bytes_put_u64(b, writer->clock.resolution_ns);
        break;
    case CAIRN_PERF_FEATURE_CLOCK_DATA:
        put_clock_data(b, &writer->clock);
        break;
    default:
        break;
    }
}
