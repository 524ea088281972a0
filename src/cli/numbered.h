/* SPDX-License-Identifier: MIT */
/* Files of one recording that are distinguished by a number: trace.000017.cairn of trace.cairn. */
#ifndef CLI_NUMBERED_H
#define CLI_NUMBERED_H

#include <stdint.h>

/* Returns the name with a number, allocated. NULL: no memory. While numbers have up to six digits,
 * the order of the names is that of the numbers. */
char *cli_numbered_name(const char *path, uint32_t number);

/* Calls a function for each such file that exists, in the order of the numbers. */
void cli_numbered_each(const char *path,
                       void (*each)(void *context, uint32_t number, uint64_t bytes), void *context);

/* Returns a number greater than those of all such files, at least 1. */
uint32_t cli_numbered_next(const char *path);

#endif
