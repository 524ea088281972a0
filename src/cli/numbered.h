/* SPDX-License-Identifier: MIT */
/* Files of one recording that are distinguished by a number: trace.000017.cairn of trace.cairn. */
#ifndef CLI_NUMBERED_H
#define CLI_NUMBERED_H

#include <stdint.h>

/* The name with a number, allocated. NULL: no memory. The names sort by number as long as these
 * have six digits. */
char *cli_numbered_name(const char *path, uint32_t number);

/* Calls a function for each such file that exists, in the order of the numbers. */
void cli_numbered_each(const char *path,
                       void (*each)(void *context, uint32_t number, uint64_t bytes), void *context);

/* A number above those of all such files; from 1. */
uint32_t cli_numbered_next(const char *path);

#endif
