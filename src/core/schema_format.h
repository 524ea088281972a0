/* SPDX-License-Identifier: MIT */
#ifndef CORE_SCHEMA_FORMAT_H
#define CORE_SCHEMA_FORMAT_H

#include <cairn/schema.h>

#include "core/text.h"

/* Adds a schema's format text: cairn_schema_write_format. */
void cairn_i_schema_add_format(struct cairn_text *t, const struct cairn_schema *schema,
                               uint32_t id);

#endif
