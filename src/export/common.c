/* SPDX-License-Identifier: MIT */
/* Caches the text that events of a layout and a thread have in common. */
#include "export/common.h"

#include "export/exporter.h"
#include "export/json_parts.h"
#include "export/number.h"

char *export_put_thread(char *to, const struct cairn_event *event,
                        char *(*put_task)(char *to, uint32_t id))
{
    if (event->has & CAIRN_EVENT_CPU) {
        to = EXPORT_PUT(to, ",\"cpu\":");
        to = export_put_unsigned(to, event->cpu);
    }
    if (event->has & CAIRN_EVENT_TID) {
        to = EXPORT_PUT(to, ",\"pid\":");
        to = put_task(to, event->pid);
        to = EXPORT_PUT(to, ",\"tid\":");
        to = put_task(to, event->tid);
    }
    return to;
}

static void store(struct export_common *slot, uint64_t serial, const struct cairn_event *event,
                  const char *comm, const char *text, size_t length)
{
    size_t comm_length = strlen(comm);

    slot->is_used = false;
    if (length > EXPORT_COMMON_BYTES || comm_length >= EXPORT_COMMON_COMM_BYTES)
        return;
    slot->is_used = true;
    slot->serial = serial;
    slot->has = export_common_has(event);
    slot->cpu = event->cpu;
    slot->pid = event->pid;
    slot->tid = event->tid;
    slot->length = (uint32_t)length;
    memcpy(slot->comm, comm, comm_length + 1);
    memcpy(slot->text, text, length);
}

void export_common_add(struct cairn_printer *printer, struct export_common *slot, uint64_t serial,
                       const struct cairn_event *event, export_common_write *write)
{
    struct export_print_output *scratch = &printer->cache.scratch;
    size_t length;

    scratch->at = scratch->begin;
    scratch->error = 0;
    write(scratch, printer, event);
    if (scratch->error)
        export_output_fail(&printer->out, scratch->error);
    length = (size_t)(scratch->at - scratch->begin);
    store(slot, serial, event, export_comm_of(printer, event), scratch->begin, length);
    export_output_bytes(&printer->out, scratch->begin, length);
}
