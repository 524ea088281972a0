/* SPDX-License-Identifier: MIT */
/* Events of Windows as events of EventHeader. */
#ifndef ETL_CONVERT_H
#define ETL_CONVERT_H

#include "etl/schema.h"
#include "perf_data/bytes.h"

/* Starts as zeros; freed by the caller. Reused for each event. */
struct etl_converter {
    struct cairn_bytes
        event; /* as the record of a tracepoint: common fields, header, extensions, values */
    struct cairn_bytes values;
    struct cairn_bytes name; /* of the tracepoint, zero-terminated */
    struct etl_schema schema;
};

/*
 * Converts an event. A TraceLogging event has its own fields; others, and those whose metadata is
 * invalid, have the members of their header, and their bytes as `Data`.
 *
 * pointer_bytes  of the recorded machine, for events that do not say
 * ret_is_whole   false: its metadata is invalid
 *
 * Returns 0; ENOMEM; E2BIG it is too large.
 */
int etl_convert(struct etl_converter *converter, const struct etl_record *record,
                uint32_t pointer_bytes, bool *ret_is_whole);

void etl_converter_free(struct etl_converter *converter);

#endif
