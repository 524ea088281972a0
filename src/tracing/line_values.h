/* SPDX-License-Identifier: MIT */
/* Fields in lines of text. */
#ifndef TRACING_LINE_VALUES_H
#define TRACING_LINE_VALUES_H

#include "tracing/line.h"

#include <cairn/tracing/span.h>

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. */
void cairn_line_json_text(struct cairn_line *line, const char *text, size_t length);

/* "name":value; numbers that JSON has not are strings. */
void cairn_line_json_field(struct cairn_line *line, const char *name,
                           const struct cairn_tracing_value *value);

/* name=value; text in quotes, with control characters escaped. */
void cairn_line_human_field(struct cairn_line *line, const char *name,
                            const struct cairn_tracing_value *value);

/* Text as it is, but control characters, which could move a terminal's cursor, as \n, \x1b. */
void cairn_line_human_text(struct cairn_line *line, const char *text, size_t length);

#endif
