/* SPDX-License-Identifier: MIT */
/* Events of the kernel's records of switches. */
#include "decode/switches.h"

#include "core/load.h"
#include "core/slice.h"
#include "decode/reader.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>

static const char format_text[] =
    "name: context_switch\n"
    "ID: 0\n"
    "format:\n"
    "\tfield:unsigned char in;\toffset:0;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char preempted;\toffset:1;\tsize:1;\tsigned:0;\n"
    "\n"
    "print fmt: \"in=%u preempted=%u\", REC->in, REC->preempted\n";

_Static_assert(sizeof(struct decode_switch_data) == 2, "as the format describes it");

static int add_tracepoint(struct cairn_reader *reader)
{
    const struct cairn_decoder_format format = {
        .system = core_slice_of("perf"),
        .name = core_slice_of("context_switch"),
        .text = {format_text, sizeof(format_text) - 1},
        .long_size_bytes = sizeof(long),
    };
    int err = 0;

    if (!reader->switches.has_tracepoint)
        err = cairn_decoder_add(reader->decoder, &format, &reader->switches.tracepoint);
    reader->switches.has_tracepoint = !err;
    return err;
}

static void set_thread(struct cairn_event *event, const struct perf_data_sample_layout *layout,
                       const uint8_t *end, bool swap)
{
    event->has = CAIRN_EVENT_TIME | CAIRN_EVENT_TID;
    event->pid = core_load32(end - layout->tail_tid, swap);
    event->tid = core_load32(end - layout->tail_tid + sizeof(uint32_t), swap);
    if (!layout->tail_cpu)
        return;
    event->has |= CAIRN_EVENT_CPU;
    event->cpu = core_load32(end - layout->tail_cpu, swap);
}

int decode_switches_fill(struct cairn_reader *reader, const struct perf_data_sample_layout *layout,
                         const uint8_t *record, uint16_t size_bytes, bool swap)
{
    uint32_t type = core_load32(record, swap);
    uint16_t misc = core_load16(record + offsetof(struct perf_event_header, misc), swap);
    int err;

    /* The thread is farthest from the end. */
    if ((type != PERF_RECORD_SWITCH && type != PERF_RECORD_SWITCH_CPU_WIDE) || !layout->tail_tid ||
        !layout->tail_time || size_bytes < sizeof(struct perf_event_header) + layout->tail_tid)
        return ENOENT;
    err = add_tracepoint(reader);
    if (err)
        return err;
    set_thread(&reader->event, layout, record + size_bytes, swap);
    if (!reader->event.tid)
        return ENOENT;
    reader->switches.data = (struct decode_switch_data){
        .in = !(misc & PERF_RECORD_MISC_SWITCH_OUT),
        .preempted = (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT) != 0,
    };
    reader->record = (struct decode_record){
        .tracepoint = reader->switches.tracepoint,
        .bytes = &reader->switches.data.in,
        .size_bytes = sizeof(reader->switches.data),
    };
    return 0;
}
