/* SPDX-License-Identifier: MIT */
/* Parts of formats that are JSON: texts, and the fields of events as jsonl has them. */
#ifndef EXCHANGE_JSON_H
#define EXCHANGE_JSON_H

#include "exchange/format.h"
#include "export/exporter.h"
#include "timeline/calls.h"

struct exchange_json {
    struct cairn_printer *printer; /* of jsonl, in memory */
    struct exporter exporter;      /* its own, if it has other keys */
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int exchange_json_open(struct exchange_json *json);

/* Adds a field's key: with "_2" if the format itself has a member of its name, which are listed up
 * to NULL. */
void exchange_json_key(struct export_print_output *out, struct cairn_slice name,
                       const char *const *reserved);

/* The fields' keys are written by another function; before the first event. The struct must not
 * move afterwards. */
void exchange_json_set_key(struct exchange_json *json,
                           void (*write_key)(struct export_print_output *out,
                                             const struct cairn_item_field *field));

/* Accepts zeros. */
void exchange_json_close(struct exchange_json *json);

/* Adds the fields of an event as members, each with a comma before. Returns the event's error. */
enum cairn_event_error exchange_json_fields(struct exchange_json *json,
                                            struct export_print_output *out,
                                            const struct cairn_event *event);

/* Goes to the beginning of an event. Returns its items, of which arrays and structs are printed;
 * NULL: no memory. */
struct cairn_items *exchange_json_begin(struct exchange_json *json,
                                        const struct cairn_event *event);

/* Adds an array or a struct, up to its end. Its beginning was read last. */
void exchange_json_rest(struct exchange_json *json, struct export_print_output *out,
                        const struct cairn_item *item);

/* Adds the header of an event: members "level", "keyword" and others, without the brackets. */
void exchange_json_header(struct export_print_output *out, const struct cairn_event *event);

/* Its parts: what all events of a type have, and what an event has of its own; `has_some`: there
 * are members before. */
void exchange_json_type(struct export_print_output *out, const struct cairn_event_type *type);
void exchange_json_sample(struct export_print_output *out, const struct cairn_event *event,
                          bool has_some);

/* Adds a text of any bytes, in quotes. */
void exchange_json_text(struct export_print_output *out, struct cairn_slice text);
void exchange_json_string(struct export_print_output *out, const char *text);

/* Adds JSON as a part of a text: its quotes and backslashes are escaped. */
void exchange_json_inside(struct export_print_output *out, const char *json, size_t size_bytes);

/* Adds "Provider:Event", or "Event", in quotes. */
void exchange_json_event_name(struct export_print_output *out, const struct cairn_event_type *type);

/* Adds a function of a stack as exchange_put_function names it, in quotes. */
void exchange_json_function(struct cairn_exporter *exporter, struct export_print_output *out,
                            const struct timeline_function *function);

/* Adds a number; one of `decimals` decimals that is given without its point. */
void exchange_json_number(struct export_print_output *out, uint64_t number);

/* The id of a process or a thread. */
void exchange_json_task(struct export_print_output *out, uint32_t id);
void exchange_json_decimal(struct export_print_output *out, uint64_t number, unsigned decimals);

#endif
