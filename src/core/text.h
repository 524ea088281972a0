/* SPDX-License-Identifier: MIT */
/* More of cairn/text.h: pieces of text, and the text's end. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include "core/slice.h"

#include <cairn/text.h>

void cairn_text_add(struct cairn_text *t, struct cairn_slice s);

/* A text that ends with a NUL. */
void cairn_text_put(struct cairn_text *t, const char *text);

/* `count` times c. */
void cairn_text_fill(struct cairn_text *t, char c, size_t count);

/* Bytes as two hexadecimal digits each, with `separator` between them unless it is NUL. */
void cairn_i_text_add_hex(struct cairn_text *t, const uint8_t *bytes, size_t size_bytes,
                          char separator);

/* Seconds and microseconds, as Linux shows them. */
void cairn_text_add_time(struct cairn_text *t, uint64_t time_ns);

/* Ends the text with a NUL that its length does not count. Returns 0; ENOSPC. */
int cairn_text_end(struct cairn_text *t, size_t *ret_length);

#endif
