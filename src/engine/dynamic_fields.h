/* SPDX-License-Identifier: MIT */
/*
 * Checks of a payload, the same as the kernel's: dynamic fields (__data_loc, __rel_loc) are within
 * the payload, and text among them ends with a NUL.
 */
#ifndef ENGINE_DYNAMIC_FIELDS_H
#define ENGINE_DYNAMIC_FIELDS_H

#include <cairn/schema.h>
#include <cairn/tracepoint.h>
#include <sys/uio.h>

/* Stores in a tracepoint where its dynamic fields are. */
void engine_dynamic_fields_note(struct cairn_tracepoint *tp, const struct cairn_schema *schema);

/*
 * Checks a payload that is at least as long as the fields. Returns 0 or EFAULT. Any thread, any
 * signal handler.
 */
int engine_dynamic_fields_check(const struct cairn_tracepoint *tp, const struct iovec *parts,
                                int count, uint32_t payload_bytes);

#endif
