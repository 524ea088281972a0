/* SPDX-License-Identifier: MIT */
/* Adds fields to lines of text. */
#ifndef TRACING_LINE_VALUES_H
#define TRACING_LINE_VALUES_H

#include "tracing/line.h"

#include <cairn/tracing/span.h>

/* Adds a JSON string made of any bytes: bytes that are not UTF-8 become U+FFFD. */
void tracing_line_json_text(struct tracing_line *line, const char *text, size_t length);

/* Adds a member's name and the colon; numbers from 2 on are appended to the name. */
void tracing_line_json_name(struct tracing_line *line, const char *name, uint32_t number);

/* Adds a JSON value. Numbers that JSON does not have become strings. */
void tracing_line_json_value(struct tracing_line *line, const struct cairn_tracing_value *value);

/* Adds name=value; text in quotes, with control characters escaped. */
void tracing_line_human_field(struct tracing_line *line, const char *name,
                              const struct cairn_tracing_value *value);

/* Adds text unquoted; control characters, which could move a terminal's cursor, become \n, \x1b and
 * so on. */
void tracing_line_human_text(struct tracing_line *line, const char *text, size_t length);

#endif
