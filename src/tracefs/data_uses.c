/* SPDX-License-Identifier: MIT */
/* The uses of an opening: a table by write index. */
#include "tracefs/data_uses.h"
#include "core/atomic.h"

#include <errno.h>

/* The releases pair with the acquires in tracefs_data_use. Indexes that are left out are not in
 * use, whatever a released opening had there. */
void tracefs_data_put(struct tracefs_data *data, struct tracefs_use *use, uint32_t index)
{
    for (uint32_t i = data->count; i < index; i++)
        core_store_release(&data->uses[i], NULL);
    core_store_release(&data->uses[index], use);
    if (use)
        data->by_event[tracefs_use_index(use)] = index;
    if (index >= data->count)
        core_store_release(&data->count, index + 1);
}

static bool is_free(const struct tracefs_data *data, uint32_t index)
{
    return index >= data->count || !data->uses[index];
}

/* After an event with a high number, indexes below it are left. */
int tracefs_data_choose(const struct tracefs_data *data, const struct tracefs_use *use,
                        enum tracefs_data_position position, uint32_t *ret_index)
{
    uint32_t index = tracefs_use_index(use);

    if (position != TRACEFS_DATA_OF_EVENT || !index || !is_free(data, index))
        index = data->count < ENGINE_EVENT_MAX ? data->count : 0;
    while (index < ENGINE_EVENT_MAX && !is_free(data, index))
        index++;
    *ret_index = index;
    return index < ENGINE_EVENT_MAX ? 0 : EMFILE;
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

int tracefs_data_add(struct tracefs_data *data, struct tracefs_use *use,
                     enum tracefs_data_position position, uint32_t *ret_index)
{
    bool is_known = tracefs_data_find_index(data, use, ret_index);
    int error = is_known ? 0 : tracefs_data_choose(data, use, position, ret_index);

    if (is_known || error)
        tracefs_use_release(use);
    else
        tracefs_data_put(data, use, *ret_index);
    return error;
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
