/* SPDX-License-Identifier: MIT */
/* Writes tracing data; tracing_data.c has the layout. */
#include "perf_data/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Texts about the ring buffer, from the tracing directory of a 64-bit kernel. perf needs both; from
 * the first it takes the size of the machine's long.
 */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n"
                                   "\n"
                                   "\tpadding     : type == 29\n"
                                   "\ttime_extend : type == 30\n"
                                   "\ttime_stamp : type == 31\n"
                                   "\tdata max type_len  == 28\n";

static void put_named(struct cairn_bytes *b, const char *name, const char *text)
{
    perf_data_bytes_put(b, name, strlen(name) + 1);
    perf_data_bytes_put_u64(b, strlen(text));
    perf_data_bytes_put(b, text, strlen(text));
}

static int compare_systems(const struct perf_data_written_event *a,
                           const struct perf_data_written_event *b)
{
    uint32_t shorter = a->system_bytes < b->system_bytes ? a->system_bytes : b->system_bytes;
    int order = memcmp(a->name, b->name, shorter);

    return order ? order
                 : (a->system_bytes > b->system_bytes) - (a->system_bytes < b->system_bytes);
}

/* Sorted by system, then in the order in which they were added. */
static int compare(const void *left, const void *right)
{
    const struct perf_data_written_event *const *a = left;
    const struct perf_data_written_event *const *b = right;
    int order = compare_systems(*a, *b);

    return order ? order : ((*a)->index > (*b)->index) - ((*a)->index < (*b)->index);
}

/* The number of events, from the first on, that have the same system. */
static uint32_t same_system(const struct perf_data_written_event **events, uint32_t count)
{
    uint32_t same = 1;

    while (same < count && !compare_systems(events[0], events[same]))
        same++;
    return same;
}

static void put_systems(struct cairn_bytes *b, const struct perf_data_written_event **events,
                        uint32_t count)
{
    uint32_t systems = 0;

    for (uint32_t i = 0; i < count; i += same_system(events + i, count - i))
        systems++;
    perf_data_bytes_put_u32(b, systems);
    for (uint32_t i = 0; i < count;) {
        uint32_t end = i + same_system(events + i, count - i);

        perf_data_bytes_put(b, events[i]->name, events[i]->system_bytes);
        perf_data_bytes_put_zeros(b, 1);
        perf_data_bytes_put_u32(b, end - i);
        for (; i < end; i++) {
            perf_data_bytes_put_u64(b, events[i]->perf_format.length);
            perf_data_bytes_put(b, events[i]->perf_format.text, events[i]->perf_format.length);
        }
    }
}

int perf_data_put_tracing_data(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    const struct perf_data_written_event **events = calloc(writer->event_count, sizeof(void *));
    uint8_t long_bytes =
        (uint8_t)(writer->long_size_bytes ? writer->long_size_bytes : sizeof(long));
    uint8_t machine[2] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_bytes};
    uint32_t count = 0;

    if (!events)
        return ENOMEM;
    for (uint32_t i = 0; i < writer->event_count; i++) {
        if (writer->events[i]->format_bytes && !writer->events[i]->known_format)
            events[count++] = writer->events[i];
    }
    qsort(events, count, sizeof(void *), compare);
    perf_data_bytes_put(b, "\027\010\104tracing0.6", 14); /* the version's NUL included */
    perf_data_bytes_put(b, machine, sizeof(machine));
    perf_data_bytes_put_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
    put_named(b, "header_page", header_page);
    put_named(b, "header_event", header_event);
    perf_data_bytes_put_u32(b, 0); /* ftrace's own formats */
    put_systems(b, events, count);
    perf_data_bytes_put_u32(b, 0); /* kallsyms */
    perf_data_bytes_put_u32(b, writer->printk.length);
    if (writer->printk.length)
        perf_data_bytes_put(b, writer->printk.text, writer->printk.length);
    perf_data_bytes_put_u64(b, 0); /* saved cmdlines: there are COMM records */
    free(events);
    return 0;
}
