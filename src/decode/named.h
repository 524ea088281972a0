/* SPDX-License-Identifier: MIT */
/* The EventHeader tracepoints of a recording of another system, by their names: their events are
 * converted, so that nothing describes them. */
#ifndef DECODE_NAMED_H
#define DECODE_NAMED_H

#include "perf_data/map.h"

#include <cairn/decode.h>

struct decode_named_tracepoint {
    char *name;
    uint32_t number; /* the decoder's */
};

/* Zeros are an empty one. */
struct decode_named {
    struct perf_data_map index_of; /* by a hash of the name */
    struct decode_named_tracepoint *tracepoints;
    uint32_t count;
};

/*
 * Finds the decoder's number of a tracepoint, which is added if it is new. Its records have the
 * common fields of the kernel, then the event.
 *
 * system      of new ones
 * name        "PROVIDER_L5K1", at most CAIRN_EVENTHEADER_NAME_MAX_BYTES bytes
 * big_endian  the byte order of the common fields
 *
 * Returns 0; EBADMSG not a name; E2BIG there are too many; ENOMEM.
 */
int decode_named_find(struct decode_named *named, struct cairn_decoder *decoder, const char *system,
                      const char *name, bool big_endian, uint32_t *ret_number);

void decode_named_free(struct decode_named *named);

#endif
