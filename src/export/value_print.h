/* SPDX-License-Identifier: MIT */
/* Prints values. */
#ifndef EXPORT_VALUE_PRINT_H
#define EXPORT_VALUE_PRINT_H

#include "export/output.h"
#include "decode/value.h"

#include <cairn/export.h>

/* Prints a value, with quotes if the style has them. `value` is not BY_SIZE. */
void export_value_print(struct export_print_output *out, enum cairn_style style,
                        enum decode_value value, struct decode_value_data data);

/* The bytes of a character, or of a unit of one, of a string. */
uint32_t export_value_unit(enum decode_value value, struct decode_value_data data);

/* The space for a value that is no string, in quotes: an IPv6 address. */
#define EXPORT_VALUE_ROOM_BYTES 64u

/* As in number.h: text at `to`, which is returned advanced. */

/* A value that is no string, as export_value_print. Space: EXPORT_VALUE_ROOM_BYTES. */
char *export_value_put(char *to, enum cairn_style style, enum decode_value value,
                       struct decode_value_data data);

/* "2024-03-28T00:45:12", or "TIME(n)" outside the calendar's range. Space: 32 bytes. */
char *export_put_time(char *to, int64_t seconds_since_1970);

/* "ENOENT(2)", "ERRNO(-1)". Space: 32 bytes. */
char *export_put_errno(char *to, uint32_t code);

/* 16 bytes as "01020304-0506-0708-0102-030405060708". Space: 36 bytes. */
char *export_put_uuid(char *to, const uint8_t *data);

/* 4 or 16 bytes. Space: 46 bytes. */
char *export_put_ip_address(char *to, const uint8_t *data, uint32_t size_bytes);

#endif
