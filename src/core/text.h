/* SPDX-License-Identifier: MIT */
/* The internal part of cairn/kernel/text.h: single pieces, and ending a text. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include "core/slice.h"

#include <cairn/kernel/text.h>

void core_text_add(struct cairn_text *t, struct cairn_slice s);

/* Adds a NUL-terminated text. */
void core_text_put(struct cairn_text *t, const char *text);

/* Adds c `count` times. */
void core_text_fill(struct cairn_text *t, char c, size_t count);

/* Adds bytes as two hexadecimal digits each, with `separator` between them unless it is NUL. */
void core_text_add_hex(struct cairn_text *t, const uint8_t *bytes, size_t size_bytes,
                       char separator);

/* Adds seconds and microseconds as Linux shows them. */
void core_text_add_time(struct cairn_text *t, uint64_t time_ns);

/* Ends the text with a NUL that its length does not count. Returns 0; ENOSPC. */
int core_text_end(struct cairn_text *t, size_t *ret_length);

#endif
