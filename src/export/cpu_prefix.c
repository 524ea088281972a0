/* SPDX-License-Identifier: MIT */
/* Caches the CPU, process and thread of events as JSON. */
#include "export/cpu_prefix.h"

#include "export/json_parts.h"
#include "export/number.h"

static bool is_of(const struct cairn_cpu_prefix *prefix, const struct cairn_event *event,
                  uint32_t has)
{
    return prefix->has == has && prefix->cpu == event->cpu && prefix->pid == event->pid &&
           prefix->tid == event->tid;
}

static void write_prefix(struct cairn_cpu_prefix *prefix, const struct cairn_event *event,
                         uint32_t has)
{
    char *to = prefix->text;

    prefix->has = has;
    prefix->cpu = event->cpu;
    prefix->pid = event->pid;
    prefix->tid = event->tid;
    if (has & CAIRN_EVENT_CPU) {
        to = CAIRN_PUT(to, ",\"cpu\":");
        to = cairn_put_unsigned(to, event->cpu);
    }
    if (has & CAIRN_EVENT_TID) {
        to = CAIRN_PUT(to, ",\"pid\":");
        to = cairn_put_unsigned(to, event->pid);
        to = CAIRN_PUT(to, ",\"tid\":");
        to = cairn_put_unsigned(to, event->tid);
    }
    prefix->length = (uint32_t)(to - prefix->text);
}

char *cairn_put_cpu_prefix(char *to, struct cairn_cpu_prefixes *prefixes,
                           const struct cairn_event *event)
{
    struct cairn_cpu_prefix *prefix = &prefixes->slots[event->tid % CAIRN_CPU_PREFIX_COUNT];
    uint32_t has = event->has & (CAIRN_EVENT_CPU | CAIRN_EVENT_TID);

    if (!has)
        return to;
    if (!is_of(prefix, event, has))
        write_prefix(prefix, event, has);
    memcpy(to, prefix->text, sizeof(prefix->text));
    return to + prefix->length;
}
