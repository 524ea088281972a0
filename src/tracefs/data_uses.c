/* SPDX-License-Identifier: MIT */
/* The uses of an opening: a table by write index. */
#include "tracefs/data_uses.h"
#include "core/atomic.h"

#include <errno.h>

/* Pairs with the acquire in cairn_data_use. */
void cairn_data_put(struct cairn_data *data, struct cairn_use *use)
{
    uint32_t index = data->count;

    data->uses[index] = use;
    if (use)
        data->by_event[cairn_use_index(use)] = index;
    cairn_store_release(&data->count, index + 1);
}

bool cairn_data_find_index(const struct cairn_data *data, const struct cairn_use *use,
                           uint32_t *ret_index)
{
    uint32_t index = data->by_event[cairn_use_index(use)];

    if (index >= data->count || !data->uses[index] || !cairn_use_is_same(data->uses[index], use))
        return false;
    *ret_index = index;
    return true;
}

int cairn_data_add(struct cairn_data *data, struct cairn_use *use, uint32_t *ret_index)
{
    bool is_known = cairn_data_find_index(data, use, ret_index);

    if (is_known || data->count == CAIRN_EVENT_MAX) {
        cairn_use_release(use);
        return is_known ? 0 : EMFILE;
    }
    *ret_index = data->count;
    cairn_data_put(data, use);
    return 0;
}

void cairn_data_release(struct cairn_data *data)
{
    uint32_t count = data->count;

    cairn_store_release(&data->count, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (data->uses[i])
            cairn_use_release(data->uses[i]);
    }
}
