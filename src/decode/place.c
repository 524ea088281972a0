/* SPDX-License-Identifier: MIT */
/* Caches the CPU, process and thread of events as JSON. */
#include "decode/place.h"

#include "decode/json_parts.h"
#include "decode/number.h"

static bool is_of(const struct cairn_place *place, const struct cairn_event *event, uint32_t has)
{
    return place->has == has && place->cpu == event->cpu && place->pid == event->pid &&
           place->tid == event->tid;
}

static void write_place(struct cairn_place *place, const struct cairn_event *event, uint32_t has)
{
    char *to = place->text;

    place->has = has;
    place->cpu = event->cpu;
    place->pid = event->pid;
    place->tid = event->tid;
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
    place->length = (uint32_t)(to - place->text);
}

char *cairn_put_place(char *to, struct cairn_places *places, const struct cairn_event *event)
{
    struct cairn_place *place = &places->slots[event->tid % CAIRN_PLACE_COUNT];
    uint32_t has = event->has & (CAIRN_EVENT_CPU | CAIRN_EVENT_TID);

    if (!has)
        return to;
    if (!is_of(place, event, has))
        write_place(place, event, has);
    memcpy(to, place->text, sizeof(place->text));
    return to + place->length;
}
