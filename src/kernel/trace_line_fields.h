/* SPDX-License-Identifier: MIT */
/* Prints the fields of a record that has no print function. */
#ifndef KERNEL_TRACE_LINE_FIELDS_H
#define KERNEL_TRACE_LINE_FIELDS_H

#include <cairn/schema.h>
#include <cairn/kernel/text.h>

/* Adds " name=value" for each field but the common ones, as Linux's user_events show them. */
void kernel_trace_fields(const struct cairn_schema *schema, const uint8_t *raw, size_t raw_bytes,
                         struct cairn_text *to);

#endif
