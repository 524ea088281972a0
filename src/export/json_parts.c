/* SPDX-License-Identifier: MIT */
/* Parts of JSON objects that `json` and `jsonl` have in common. */
#include "export/json_parts.h"

#include "export/number.h"
#include "export/value_print.h"

void export_write_jsonl_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    export_output_string(out, ",\"");
    export_print_name(out, CAIRN_STYLE_JSONL, decode_name_without_attributes(field->name));
    export_output_string(out, "\":");
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
