/* SPDX-License-Identifier: MIT */
/*
 * Glob patterns as in the kernel: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`; a backslash quotes the next
 * character. A '[' without ']' matches itself.
 */
#ifndef CORE_GLOB_H
#define CORE_GLOB_H

#include "core/private_api.h"
#include "core/slice.h"

#include <stdbool.h>

bool core_glob_match(const char *pattern, const char *text) CORE_PRIVATE_API(core_glob_match);

/* The same for a pattern without a NUL in it, and a text that ends at its first NUL at the latest.
 */
bool core_glob_match_slice(struct cairn_slice pattern, struct cairn_slice text)
    CORE_PRIVATE_API(core_glob_match_slice);

#endif
