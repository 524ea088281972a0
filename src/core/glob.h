/* SPDX-License-Identifier: MIT */
/* Glob patterns on names: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`; a backslash takes the next character
 * as it is. */
#ifndef CORE_GLOB_H
#define CORE_GLOB_H

#include <stdbool.h>

bool cairn_glob_match(const char *pattern, const char *text);

#endif
