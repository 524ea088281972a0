/* SPDX-License-Identifier: MIT */
/* Small recordings made with the writer: functions that its tests share. */
#ifndef PERF_RECORDING_H
#define PERF_RECORDING_H

#include "cairn/perf_data.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COMMON_FIELDS                                                              \
    "format:\n"                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define OPEN_FIELDS                                               \
    "\tfield:u32 port;\toffset:8;\tsize:4;\tsigned:0;\n"          \
    "\tfield:char peer[12];\toffset:12;\tsize:12;\tsigned:0;\n\n" \
    "print fmt: \"port=%u peer=%s\", REC->port, REC->peer\n"

#define CLOSE_FIELDS                                         \
    "\tfield:s64 result;\toffset:8;\tsize:8;\tsigned:1;\n\n" \
    "print fmt: \"result=%lld\", REC->result\n"

#define FORMAT_OPEN  "name: conn_open\nID: 1701\n" COMMON_FIELDS OPEN_FIELDS
#define FORMAT_CLOSE "name: conn_close\nID: 1702\n" COMMON_FIELDS CLOSE_FIELDS

static inline int add_tracepoint(struct cairn_perf_writer *writer, const char *system,
                                 const char *name, uint32_t id, const char *format,
                                 uint64_t sample_id)
{
    const struct cairn_perf_tracepoint tracepoint = {
        .system = system,
        .name = name,
        .id = id,
        .format = format,
        .format_bytes = strlen(format),
        .sample_ids = &sample_id,
        .sample_id_count = 1,
    };

    return cairn_perf_writer_add_tracepoint(writer, &tracepoint);
}

struct conn_open {
    uint32_t port;
    char peer[12];
};

static inline int write_event_on(struct cairn_perf_writer *writer, uint32_t cpu, uint64_t sample_id,
                                 uint16_t type, uint64_t time_ns, const void *payload,
                                 uint32_t payload_bytes)
{
    union {
        struct cairn_record_head head;
        uint8_t bytes[256];
    } r = {.head = {
               .type = CAIRN_RECORD_SAMPLE,
               .misc = 2,
               .size_bytes = (uint16_t)cairn_record_size(payload_bytes),
               .id = sample_id,
               .pid = 4000,
               .tid = 4001,
               .time_ns = time_ns,
               .cpu = cpu,
               .raw_size_bytes = cairn_record_size(payload_bytes) - 44,
               .common_type = type,
               .common_pid = 4001,
           }};

    memcpy(r.bytes + sizeof(r.head), payload, payload_bytes);
    return cairn_perf_writer_write(writer, r.bytes, r.head.size_bytes);
}

static inline int write_event(struct cairn_perf_writer *writer, uint64_t sample_id, uint16_t type,
                              uint64_t time_ns, const void *payload, uint32_t payload_bytes)
{
    return write_event_on(writer, 1, sample_id, type, time_ns, payload, payload_bytes);
}

static inline int write_open(struct cairn_perf_writer *writer, uint64_t sample_id, uint64_t time_ns)
{
    const struct conn_open event = {.port = 80, .peer = "10.0.0.1"};

    return write_event(writer, sample_id, 1701, time_ns, &event, sizeof(event));
}

static inline int write_close(struct cairn_perf_writer *writer, uint64_t sample_id,
                              uint64_t time_ns)
{
    const int64_t result = -7;

    return write_event(writer, sample_id, 1702, time_ns, &result, sizeof(result));
}

/* A file in memory. */
static inline int memory_file(void)
{
    return memfd_create("recording", MFD_CLOEXEC);
}

#endif
