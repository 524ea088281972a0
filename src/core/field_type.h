/* SPDX-License-Identifier: MIT */
/* The layout of a field's bytes, derived from its declared type. Used by both parsers. */
#ifndef CORE_FIELD_TYPE_H
#define CORE_FIELD_TYPE_H

#include <cairn/schema.h>

/* True if a type declares a dynamic field: "__data_loc char[]", "__rel_loc u8". */
enum cairn_field_location core_type_location(struct cairn_slice type);

/* True if a type's name says that it is signed; false if the name is unknown. */
bool core_type_is_signed(struct cairn_slice type);

/* "char *", const or not. */
bool core_type_is_text_pointer(struct cairn_slice type);

/*
 * Fills in kind, location, is_array, element_size_bytes and element_count from the field's type,
 * size_bytes, is_signed and is_array.
 *
 * declared_count   n of a declared [n]; 0 when there is none, or none that is a number
 * long_size_bytes  4 or 8
 */
void core_field_classify(struct cairn_field *field, uint32_t declared_count,
                         uint32_t long_size_bytes);

#endif
