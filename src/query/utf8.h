/* SPDX-License-Identifier: MIT */
/* A check that bytes are UTF-8. */
#ifndef QUERY_UTF8_H
#define QUERY_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* False also if there is a NUL, at which SQLite would end the text. */
bool query_is_utf8(const char *text, size_t size_bytes);

#endif
