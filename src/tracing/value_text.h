/* SPDX-License-Identifier: MIT */
/* Values as text, for filters that compare them and for lines that show them. */
#ifndef TRACING_VALUE_TEXT_H
#define TRACING_VALUE_TEXT_H

#include <cairn/tracing/value.h>

#define TRACING_VALUE_TEXT_BYTES 64u

/* Formats a value that is no text and no bytes, NUL-terminated; returns its length. */
size_t tracing_value_text(const struct cairn_tracing_value *value,
                          char ret_text[TRACING_VALUE_TEXT_BYTES]);

/* Formats nanoseconds since 1970 as "2026-01-31T12:00:00.123456789Z", with `digits` (0 to 9) digits
 * of the fraction. */
size_t tracing_time_text(int64_t time_ns, unsigned digits, char ret_text[TRACING_VALUE_TEXT_BYTES]);

/* Formats bytes as lower-case hexadecimal digits, two for each, and a NUL. */
void tracing_hex_text(const void *bytes, size_t count, char *ret_text);

#endif
