/* SPDX-License-Identifier: MIT */
/* The layout of an EventHeader event. */
#ifndef DECODE_EVENTHEADER_H
#define DECODE_EVENTHEADER_H

#include "decode/layout.h"
#include "decode/tracepoint_name.h"
#include "trace_file/eventheader.h"

/*
 * Fills an empty layout from an event's metadata. Invalid metadata is not a failure: the layout
 * then ends in a broken field, or has an error if even the event's name is missing.
 *
 * parts  its metadata must live as long as the layout
 * name   of the tracepoint; its slices must too
 *
 * Returns 0, ENOMEM.
 */
int decode_layout_compile_eventheader(struct decode_layout *layout,
                                      const struct trace_file_eventheader *parts,
                                      const struct decode_tracepoint_name *name);

#endif
