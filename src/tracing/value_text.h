/* SPDX-License-Identifier: MIT */
/* Values as text: what filters compare with, and what lines show. */
#ifndef TRACING_VALUE_TEXT_H
#define TRACING_VALUE_TEXT_H

#include <cairn/tracing/value.h>

#define CAIRN_VALUE_TEXT_BYTES 64u

/* A value that is no text and no bytes, as a NUL-terminated text; returns its length. */
size_t cairn_value_text(const struct cairn_tracing_value *value,
                        char ret_text[CAIRN_VALUE_TEXT_BYTES]);

/* ns since 1970 as "2026-01-31T12:00:00.123456789Z", with `digits` (0 to 9) of the fraction. */
size_t cairn_time_text(int64_t time_ns, unsigned digits, char ret_text[CAIRN_VALUE_TEXT_BYTES]);

/* Bytes as lower-case digits, two for each, and a NUL. */
void cairn_hex_text(const void *bytes, size_t count, char *ret_text);

#endif
