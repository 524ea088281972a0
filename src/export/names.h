/* SPDX-License-Identifier: MIT */
/* Names for the numbers of EventHeader. */
#ifndef EXPORT_NAMES_H
#define EXPORT_NAMES_H

#include <stdint.h>

/* "warning"; NULL for a number that has no name. */
const char *export_level_name(uint8_t level);

/* "activity_start"; NULL for a number that has no name. */
const char *export_opcode_name(uint8_t opcode);

#endif
