/* SPDX-License-Identifier: MIT */
/* Caches the CPU, process and thread of events as JSON. */
#include "export/cpu_prefix.h"

#include "export/json_parts.h"
#include "export/number.h"
#include "export/utf.h"

static bool is_of(const struct export_cpu_prefix *prefix, const struct cairn_event *event,
                  uint32_t has)
{
    return prefix->has == has && prefix->cpu == event->cpu && prefix->pid == event->pid &&
           prefix->tid == event->tid;
}

static void write_prefix(struct export_cpu_prefix *prefix, const struct cairn_event *event,
                         uint32_t has)
{
    char *to = prefix->text;

    prefix->has = has;
    prefix->cpu = event->cpu;
    prefix->pid = event->pid;
    prefix->tid = event->tid;
    if (has & CAIRN_EVENT_CPU) {
        to = EXPORT_PUT(to, ",\"cpu\":");
        to = export_put_unsigned(to, event->cpu);
    }
    if (has & CAIRN_EVENT_TID) {
        to = EXPORT_PUT(to, ",\"pid\":");
        to = export_put_unsigned(to, event->pid);
        to = EXPORT_PUT(to, ",\"tid\":");
        to = export_put_unsigned(to, event->tid);
    }
    prefix->length = (uint32_t)(to - prefix->text);
}

char *export_put_cpu_prefix(char *to, struct export_cpu_prefixes *prefixes,
                            const struct cairn_event *event)
{
    struct export_cpu_prefix *prefix = &prefixes->slots[event->tid % EXPORT_CPU_PREFIX_COUNT];
    uint32_t has = event->has & (CAIRN_EVENT_CPU | CAIRN_EVENT_TID);

    if (!has)
        return to;
    if (!is_of(prefix, event, has))
        write_prefix(prefix, event, has);
    memcpy(to, prefix->text, sizeof(prefix->text));
    return to + prefix->length;
}

static void print_comm(struct export_print_output *out, const char *name, size_t length)
{
    export_output_string(out, ",\"comm\":\"");
    export_print_utf8(out, CAIRN_STYLE_JSONL, name, length);
    export_output_byte(out, '"');
}

/* Prints and keeps the text. After the reservation nothing is flushed in between. */
static void print_and_keep(struct export_print_output *out, struct export_comm *comm,
                           const char *name, size_t length)
{
    const char *begin = export_output_reserve(out, EXPORT_OUTPUT_STEP_BYTES);

    print_comm(out, name, length);
    comm->length = (uint32_t)(out->at - begin);
    memcpy(comm->name, name, length + 1);
    memcpy(comm->text, begin, comm->length);
}

void export_print_comm(struct export_print_output *out, struct export_comms *comms,
                       const struct cairn_event *event)
{
    struct export_comm *comm = &comms->slots[event->tid % EXPORT_CPU_PREFIX_COUNT];
    size_t length;

    if (cairn_likely(comm->length && !strcmp(comm->name, event->comm))) {
        memcpy(export_output_reserve(out, sizeof(comm->text)), comm->text, sizeof(comm->text));
        out->at += comm->length;
        return;
    }
    length = strlen(event->comm);
    if (length < EXPORT_COMM_BYTES)
        print_and_keep(out, comm, event->comm, length);
    else
        print_comm(out, event->comm, length);
}
