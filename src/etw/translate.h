/* SPDX-License-Identifier: MIT */
/* Events that were built for EventHeader as TraceLogging events, and the metadata of others. */
#ifndef ETW_TRANSLATE_H
#define ETW_TRANSLATE_H

#include "etw/copy.h"

/* A field by EventHeader's encoding and format. */
struct etw_definition {
    const char *name;
    size_t name_length;
    uint8_t encoding; /* with the flags of arrays */
    uint8_t format;   /* of a struct: its number of fields */
    uint16_t tag;
    uint16_t length;
};

/* Metadata: begins with an event's name, which may have no NUL; its fields; the end, which is E2BIG
 * if it is too large. */
void etw_definitions_begin(struct etw_copy *to, const char *name, size_t name_length, uint16_t tag);
void etw_definition_add(struct etw_copy *to, const struct etw_definition *field);
int etw_definitions_end(struct etw_copy *metadata);

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
