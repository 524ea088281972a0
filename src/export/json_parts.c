/* SPDX-License-Identifier: MIT */
/* Parts of JSON objects that `json` and `jsonl` have in common. */
#include "export/json_parts.h"

#include "export/number.h"
#include "export/value_print.h"

static char *put_time(char *to, struct cairn_printer *printer, const struct cairn_event *event)
{
    if (event->has & CAIRN_EVENT_WALL) {
        to = EXPORT_PUT(to, ",\"time\":\"");
        to = export_put_wall_time(to, &printer->clock, event->wall_ns);
        return EXPORT_PUT(to, "\"");
    }
    if (!(event->has & CAIRN_EVENT_TIME))
        return to;
    if (printer->style == CAIRN_STYLE_JSON) {
        to = EXPORT_PUT(to, ",\"time\":");
        return export_put_seconds(to, event->time_ns, 9);
    }
    to = EXPORT_PUT(to, ",\"clock\":\"");
    to = export_put_seconds(to, event->time_ns, 9);
    return EXPORT_PUT(to, "\"");
}

char *export_put_sample(char *to, struct cairn_printer *printer, const struct cairn_event *event)
{
    to = put_time(to, printer, event);
    return export_put_cpu_prefix(to, &printer->prefixes, event);
}

char *export_put_activity(char *to, const struct cairn_event *event, enum cairn_style style)
{
    if (event->activity_id) {
        to = EXPORT_PUT(to, ",\"activity\":\"");
        to = export_put_uuid(to, event->activity_id);
        *to++ = '"';
    }
    if (event->related_id) {
        to = style == CAIRN_STYLE_JSON ? EXPORT_PUT(to, ",\"relatedActivity\":\"")
                                       : EXPORT_PUT(to, ",\"related_activity\":\"");
        to = export_put_uuid(to, event->related_id);
        *to++ = '"';
    }
    return to;
}

char *export_put_error(char *to, enum cairn_event_error error)
{
    if (!error)
        return to;
    to = EXPORT_PUT(to, ",\"error\":\"");
    to = stpcpy(to, cairn_event_error_text(error));
    return EXPORT_PUT(to, "\"");
}
