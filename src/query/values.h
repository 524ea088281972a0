/* SPDX-License-Identifier: MIT */
/* Values of events as cells: numbers as numbers, texts as UTF-8, arrays and structs as JSON. */
#ifndef QUERY_VALUES_H
#define QUERY_VALUES_H

#include "export/exporter.h"
#include "query/table.h"

/* Memory for texts that are made. */
struct query_values {
    struct cairn_printer *printer; /* of JSON lines, to memory */
};

/* Returns 0, ENOMEM. */
int query_values_open(struct query_values *values);

/* Accepts zeros. */
void query_values_close(struct query_values *values);

/* Sets a cell to a field's value, in the words and digits of JSON lines. */
void query_values_cell(struct query_values *values, const struct decode_layout_field *field,
                       struct decode_value_data data, struct query_cell *cell);

/* Sets a cell to an array, as JSON; it stays as it is if the event's data ends before. Returns the
 * event's error up to there. */
enum cairn_event_error query_values_array(struct query_values *values,
                                          const struct cairn_event *event, uint32_t field,
                                          struct query_cell *cell);

/* Sets a cell to all fields, as JSON: the object `fields` of JSON lines. Returns their error. */
enum cairn_event_error query_values_fields(struct query_values *values,
                                           const struct cairn_event *event,
                                           struct query_cell *cell);

/* Sets a cell to "01020304-0506-...": 16 bytes, or NULL. */
void query_values_uuid(struct query_values *values, const uint8_t *id, struct query_cell *cell);

/* Sets a cell to "2026-11-25T10:00:00.123456789Z". */
void query_values_wall(struct query_values *values, uint64_t wall_ns, struct query_cell *cell);

/* Sets a cell to bytes as UTF-8. */
void query_values_bytes(struct query_values *values, const char *text, size_t size_bytes,
                        struct query_cell *cell);

#endif
