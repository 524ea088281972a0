/* SPDX-License-Identifier: MIT */
/* Compares two schemas, as the kernel does for user_events. */
#include "core/slice.h"

#include <cairn/schema.h>

/* Kind and location are derived from these. */
static bool fields_equal(const struct cairn_field *a, const struct cairn_field *b)
{
    return core_slice_equal(a->name, b->name) && core_slice_equal(a->type, b->type) &&
           a->offset == b->offset && a->size_bytes == b->size_bytes &&
           a->element_size_bytes == b->element_size_bytes && a->is_array == b->is_array &&
           a->is_signed == b->is_signed;
}

bool cairn_schema_equal(const struct cairn_schema *a, const struct cairn_schema *b)
{
    uint32_t count = a->field_count - a->common_count;

    if (!core_slice_equal(a->name, b->name) || b->field_count - b->common_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!fields_equal(&a->fields[a->common_count + i], &b->fields[b->common_count + i]))
            return false;
    }
    return true;
}
