/* SPDX-License-Identifier: MIT */
/* The uses of an opening: a table by write index. */
#include "tracefs/data_uses.h"
#include "core/atomic.h"

#include <errno.h>

/* Pairs with the acquire in tracefs_data_use. */
void tracefs_data_put(struct tracefs_data *data, struct tracefs_use *use)
{
    uint32_t index = data->count;

    data->uses[index] = use;
    if (use)
        data->by_event[tracefs_use_index(use)] = index;
    core_store_release(&data->count, index + 1);
}

bool tracefs_data_find_index(const struct tracefs_data *data, const struct tracefs_use *use,
                             uint32_t *ret_index)
{
    uint32_t index = data->by_event[tracefs_use_index(use)];

    if (index >= data->count || !data->uses[index] || !tracefs_use_is_same(data->uses[index], use))
        return false;
    *ret_index = index;
    return true;
}

int tracefs_data_add(struct tracefs_data *data, struct tracefs_use *use, uint32_t *ret_index)
{
    bool is_known = tracefs_data_find_index(data, use, ret_index);

    if (is_known || data->count == ENGINE_EVENT_MAX) {
        tracefs_use_release(use);
        return is_known ? 0 : EMFILE;
    }
    *ret_index = data->count;
    tracefs_data_put(data, use);
    return 0;
}

void tracefs_data_release(struct tracefs_data *data)
{
    uint32_t count = data->count;

    core_store_release(&data->count, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (data->uses[i])
            tracefs_use_release(data->uses[i]);
    }
}
