/* SPDX-License-Identifier: MIT */
/* Format text of a schema, with enums replaced by numbers. */
#ifndef CORE_SCHEMA_FORMAT_H
#define CORE_SCHEMA_FORMAT_H

#include <cairn/schema.h>

#include "core/text.h"

/* Names that are replaced by numbers in `print fmt`; names of other systems are not. */
struct core_enums {
    const struct cairn_trace_enum *const *start;
    const struct cairn_trace_enum *const *stop;
    struct cairn_slice system;
};

/* Adds a schema's format text: cairn_schema_write_format, with enums replaced. */
void core_schema_add_format(struct cairn_text *t, const struct cairn_schema *schema, uint32_t id,
                            const struct core_enums *enums);

#endif
