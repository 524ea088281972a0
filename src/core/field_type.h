/* SPDX-License-Identifier: MIT */
/* What the declared type of a field says about the field's bytes. Both parsers end here. */
#ifndef CORE_FIELD_TYPE_H
#define CORE_FIELD_TYPE_H

#include <cairn/schema.h>

/* Whether a type is one of a dynamic field: "__data_loc char[]", "__rel_loc u8". */
enum cairn_field_location cairn_type_location(struct cairn_slice type);

/* Whether a type is signed by its name; a type of unknown name is not. */
bool cairn_type_is_signed(struct cairn_slice type);

/* "char *", const or not. */
bool cairn_type_is_text_pointer(struct cairn_slice type);

/*
 * Fills in kind, location, is_array, element_size_bytes and element_count from the field's type,
 * size_bytes, is_signed and is_array.
 *
 * declared_count   n of a declared [n]; 0 when there is none, or none that is a number
 * long_size_bytes  4 or 8
 */
void cairn_field_classify(struct cairn_field *field, uint32_t declared_count,
                          uint32_t long_size_bytes);

#endif
