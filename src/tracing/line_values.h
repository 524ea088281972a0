/* SPDX-License-Identifier: MIT */
/* Fields in lines of text. */
#ifndef TRACING_LINE_VALUES_H
#define TRACING_LINE_VALUES_H

#include "tracing/line.h"

#include <cairn/tracing/span.h>

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. */
void cairn_line_json_text(struct cairn_line *line, const char *text, size_t length);

/* A member's name and the colon; from number 2 on with that number behind it. */
void cairn_line_json_name(struct cairn_line *line, const char *name, uint32_t number);

/* Numbers that JSON has not are strings. */
void cairn_line_json_value(struct cairn_line *line, const struct cairn_tracing_value *value);

/* name=value; text in quotes, with control characters escaped. */
void cairn_line_human_field(struct cairn_line *line, const char *name,
                            const struct cairn_tracing_value *value);

/* Text as it is, but control characters, which could move a terminal's cursor, as \n, \x1b. */
void cairn_line_human_text(struct cairn_line *line, const char *text, size_t length);

#endif
