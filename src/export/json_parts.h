/* SPDX-License-Identifier: MIT */
/*
 * Parts of JSON objects that `json` and `jsonl` have in common. Each member begins with its comma.
 * As in number.h, text is written at `to`, which is returned advanced.
 */
#ifndef EXPORT_JSON_PARTS_H
#define EXPORT_JSON_PARTS_H

#include "export/exporter.h"

/* A string constant: its length is known when compiling. */
#define EXPORT_PUT(to, string) ((char *)memcpy(to, string, sizeof(string) - 1) + sizeof(string) - 1)

/* `,"key":`, without attributes: the key of `jsonl`, and of JSON within other styles. */
void export_write_jsonl_key(struct export_print_output *out, const struct cairn_item_field *field);

/* Activity and related activity, as far as the event has them. Space: 160 bytes. */
char *export_put_activity(char *to, const struct cairn_event *event, enum cairn_style style);

/* The stack of an event that has one: `[{"address":"0x...","symbol":"main","offset":4,...}]`. */
void export_put_stack(struct export_print_output *out, const struct cairn_event *event);

/* The event's error, if there is one. Space: 128 bytes. */
char *export_put_error(char *to, enum cairn_event_error error);

#endif
