/* SPDX-License-Identifier: MIT */
/* Caches the CPU, process and thread of events as JSON. */
#include "export/cpu_prefix.h"

#include "export/json_parts.h"
#include "export/number.h"

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
