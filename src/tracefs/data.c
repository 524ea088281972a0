/* SPDX-License-Identifier: MIT */
/* The references of an opening, a table by write index; events from the bytes that a program has
 * written. */
#include "tracefs/data.h"
#include "core/atomic.h"
#include "engine/dynamic_fields.h"
#include "engine/emit.h"

#include <errno.h>
#include <string.h>

/* ---- references ---- */

/* The releases pair with the acquires in tracefs_data_reference. Indexes that are left out are not
 * in use, whatever a released opening had there. */
void tracefs_data_set(struct tracefs_data *data, struct tracefs_reference *reference,
                      uint32_t index)
{
    for (uint32_t i = data->count; i < index; i++)
        core_store_release(&data->references[i], NULL);
    core_store_release(&data->references[index], reference);
    if (reference)
        data->by_event[tracefs_reference_index(reference)] = index;
    if (index >= data->count)
        core_store_release(&data->count, index + 1);
}

static bool is_free(const struct tracefs_data *data, uint32_t index)
{
    return index >= data->count || !data->references[index];
}

/* Chooses the write index of an event that the opening does not have. After an event with a high
 * number, indexes below it are left. Returns ENGINE_EVENT_MAX if there is none. */
static uint32_t choose(const struct tracefs_data *data, uint32_t event, bool as_event)
{
    uint32_t index = event;

    if (!as_event || !index || !is_free(data, index))
        index = data->count < ENGINE_EVENT_MAX ? data->count : 0;
    while (index < ENGINE_EVENT_MAX && !is_free(data, index))
        index++;
    return index;
}

int tracefs_data_add(struct tracefs_data *data, struct tracefs_reference *reference, bool as_event,
                     uint32_t *ret_index)
{
    uint32_t event = tracefs_reference_index(reference);
    uint32_t index = data->by_event[event];
    bool is_known =
        !is_free(data, index) && tracefs_reference_is_same(data->references[index], reference);

    if (!is_known)
        index = choose(data, event, as_event);
    if (is_known || index == ENGINE_EVENT_MAX)
        tracefs_reference_release(reference);
    else
        tracefs_data_set(data, reference, index);
    if (index == ENGINE_EVENT_MAX)
        return EMFILE;
    *ret_index = index;
    return 0;
}

void tracefs_data_release(struct tracefs_data *data)
{
    uint32_t count = data->count;

    core_store_release(&data->count, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (data->references[i])
            tracefs_reference_release(data->references[i]);
    }
}

/* ---- events ---- */

/* The space was reserved for this size. */
static inline uint8_t *copy_payload(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct iovec *payload = arg;

    (void)limit;
    memcpy(to, payload->iov_base, payload->iov_len);
    return to + payload->iov_len;
}

static int emit(const struct tracefs_reference *reference, const uint8_t *bytes,
                uint32_t size_bytes)
{
    const struct iovec payload = {(void *)(uintptr_t)bytes, size_bytes};
    const struct engine_writing writing = {.fill = copy_payload, .least_bytes = size_bytes};
    int error = engine_dynamic_fields_check(&reference->tracepoint, &payload, 1, size_bytes);

    if (error)
        return error;
    if (!engine_thread_self)
        engine_thread_name_self();
    error = engine_emit(&reference->tracepoint, &writing, &payload);
    return error == ENOSPC || error == ENOMEM ? 0 : error;
}

int tracefs_data_index(const uint8_t *bytes, size_t size_bytes, uint32_t *ret_index)
{
    int32_t index;

    if (size_bytes < sizeof(index))
        return EFAULT;
    memcpy(&index, bytes, sizeof(index));
    if (index < 0)
        return EINVAL;
    *ret_index = (uint32_t)index;
    return 0;
}

/* The checks are in the kernel's order. */
int tracefs_data_write_event(const struct tracefs_reference *reference, const uint8_t *bytes,
                             size_t gathered, size_t size_bytes)
{
    const size_t head = sizeof(int32_t);

    if (!reference)
        return ENOENT;
    if (size_bytes - head < reference->fixed_bytes)
        return EINVAL;
    if (!cairn_tracepoint_is_enabled(&reference->tracepoint))
        return EBADF;
    if (gathered < (size_bytes < TRACEFS_DATA_MAX_BYTES ? size_bytes : TRACEFS_DATA_MAX_BYTES))
        return EFAULT;
    if (size_bytes > TRACEFS_DATA_MAX_BYTES)
        return E2BIG;
    return emit(reference, bytes + head, (uint32_t)(size_bytes - head));
}
