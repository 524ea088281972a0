/* SPDX-License-Identifier: MIT */
/* Writes the key of an event. */
#include "stats/key.h"

#include "export/number.h"

static void put_number(struct export_print_output *text, uint64_t number)
{
    text->at = export_put_unsigned(export_output_reserve(text, 20), number);
}

static void put_task(struct export_print_output *text, uint32_t id)
{
    text->at = export_put_task(export_output_reserve(text, 20), id);
}

static void put_slice(struct export_print_output *text, struct cairn_slice slice)
{
    export_output_bytes(text, slice.text, slice.length);
}

static void put_event_name(struct export_print_output *text, const struct cairn_event_type *type)
{
    put_slice(text, type->provider);
    if (type->provider.length)
        export_output_byte(text, ':');
    put_slice(text, type->name);
}

static void put_thread(struct export_print_output *text, const char *comm, uint32_t tid)
{
    export_output_string(text, comm ? comm : "<...>");
    export_output_byte(text, '-');
    put_task(text, tid);
}

bool stats_key_put(enum cairn_stats_key key, struct stats_field *field,
                   const struct cairn_event *event, struct export_print_output *text)
{
    switch (key) {
    case CAIRN_STATS_BY_EVENT:
        put_event_name(text, event->type);
        break;
    case CAIRN_STATS_BY_PROVIDER:
        put_slice(text, event->type->provider);
        break;
    case CAIRN_STATS_BY_PROCESS:
        if (event->has & CAIRN_EVENT_TID)
            put_task(text, event->pid);
        break;
    case CAIRN_STATS_BY_THREAD:
        if (event->has & CAIRN_EVENT_TID)
            put_thread(text, event->comm, event->tid);
        break;
    case CAIRN_STATS_BY_CPU:
        if (event->has & CAIRN_EVENT_CPU)
            put_number(text, event->cpu);
        break;
    case CAIRN_STATS_BY_FIELD:
        return stats_field_text(field, event, text);
    }
    return true;
}

static bool is_known(const char *text)
{
    return text && *text;
}

static void put_event_of_loss(struct export_print_output *text, const struct cairn_stats_loss *loss)
{
    if (!is_known(loss->event))
        return;
    if (is_known(loss->provider)) {
        export_output_string(text, loss->provider);
        export_output_byte(text, ':');
    }
    export_output_string(text, loss->event);
}

void stats_key_put_loss(enum cairn_stats_key key, const struct cairn_stats_loss *loss,
                        struct export_print_output *text)
{
    ptrdiff_t before = text->at - text->begin;

    if (key == CAIRN_STATS_BY_EVENT)
        put_event_of_loss(text, loss);
    else if (key == CAIRN_STATS_BY_PROVIDER && is_known(loss->provider))
        export_output_string(text, loss->provider);
    else if (key == CAIRN_STATS_BY_PROCESS && loss->pid)
        put_task(text, loss->pid);
    else if (key == CAIRN_STATS_BY_THREAD && loss->tid)
        put_thread(text, is_known(loss->comm) ? loss->comm : NULL, loss->tid);
    if (text->at - text->begin == before)
        export_output_string(text, CAIRN_STATS_UNKNOWN);
}
