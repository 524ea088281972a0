/* SPDX-License-Identifier: MIT */
/* Events that were built for EventHeader as TraceLogging events. */
#ifndef ETW_TRANSLATE_H
#define ETW_TRANSLATE_H

#include "etw/copy.h"

/*
 * Translates an event. Data that end before their fields do end there, too.
 *
 * metadata  the event's name and definitions, as in EventHeader's extension
 *
 * Returns 0; E2BIG it is too large; EINVAL the definitions are invalid.
 */
int etw_translate(const void *metadata, size_t metadata_bytes, uint16_t tag, const void *data,
                  size_t data_bytes, struct etw_copy *ret_metadata, struct etw_copy *ret_data);

#endif
