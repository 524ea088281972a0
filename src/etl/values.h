/* SPDX-License-Identifier: MIT */
/* The values of a TraceLogging event in EventHeader's form. */
#ifndef ETL_VALUES_H
#define ETL_VALUES_H

#include "etl/schema.h"
#include "perf_data/bytes.h"

struct etl_form {
    uint8_t encoding; /* with the flags of arrays */
    uint8_t format;
};

/* The encoding and format of a field; pointers have this number of bytes. */
struct etl_form etl_field_form(const struct etl_field *field, uint32_t pointer_bytes);

/*
 * Adds the values of all fields. If the data ends too early, so do the values: who decodes them
 * reports it. Sets is_text of fields that need it; then nothing of what was added is to be used.
 *
 * Returns 0; EAGAIN a field was set: do it again; EBADMSG the metadata is invalid; or bytes->error.
 */
int etl_values_add(struct etl_schema *schema, struct etl_bytes data, uint32_t pointer_bytes,
                   struct cairn_bytes *to);

#endif
