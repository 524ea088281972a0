/* SPDX-License-Identifier: MIT */
/* Passes an event to the kernel: the provider's metadata, the event's, and its values, each where
 * it is. */
#define CAIRN_I_HOT
#include "etw/write.h"
#include "core/atomic.h"
#include "etw/traits.h"

#include <cairn/eventheader.h>
#include <errno.h>
#include <stddef.h>

_Static_assert(sizeof(struct cairn_i_etw_data) == sizeof(EVENT_DATA_DESCRIPTOR) &&
                   offsetof(struct cairn_i_etw_data, size_bytes) ==
                       offsetof(EVENT_DATA_DESCRIPTOR, Size) &&
                   offsetof(struct cairn_i_etw_data, type) ==
                       offsetof(EVENT_DATA_DESCRIPTOR, Reserved),
               "a descriptor of data is that of ETW");
_Static_assert(sizeof(struct cairn_i_etw_event) == sizeof(EVENT_DESCRIPTOR) &&
                   offsetof(struct cairn_i_etw_event, level) == offsetof(EVENT_DESCRIPTOR, Level) &&
                   offsetof(struct cairn_i_etw_event, task) == offsetof(EVENT_DESCRIPTOR, Task) &&
                   offsetof(struct cairn_i_etw_event, keyword) ==
                       offsetof(EVENT_DESCRIPTOR, Keyword),
               "a descriptor of an event is that of ETW");

int etw_error(ULONG error)
{
    switch (error) {
    case ERROR_SUCCESS:
        return 0;
    case ERROR_INVALID_HANDLE: /* unregistered meanwhile */
        return EBADF;
    case ERROR_ARITHMETIC_OVERFLOW: /* more than 64 KiB */
    case ERROR_MORE_DATA:           /* more than a buffer of the session */
        return E2BIG;
    case ERROR_NOT_ENOUGH_MEMORY: /* the session's buffers are full: ETW counts the event as lost */
    case ERROR_LOG_FILE_FULL:
        return ENOSPC;
    case ERROR_INVALID_PARAMETER:
        return EINVAL;
    case ERROR_ACCESS_DENIED:
        return EACCES;
    default:
        return EIO;
    }
}

static inline void describe(struct cairn_i_etw_data *to, const void *metadata,
                            enum cairn_i_etw_type type)
{
    cairn_i_etw_put(to, metadata, etw_metadata_bytes(metadata));
    to->type = (uint8_t)type;
}

/* With ids, which are rare: kept out of the path of other events. */
static __attribute__((noinline)) ULONG
write_with_ids(uint64_t handle, const struct cairn_i_etw_event *event, const void *activity_id,
               const void *related_id, struct cairn_i_etw_data *data, uint32_t count)
{
    struct etw_guid activity;
    struct etw_guid related;

    etw_guid_convert(activity_id, &activity);
    etw_guid_convert(related_id, &related);
    return EventWriteTransfer(handle, (PCEVENT_DESCRIPTOR)(const void *)event,
                              activity_id ? (LPCGUID)(void *)&activity : NULL,
                              related_id ? (LPCGUID)(void *)&related : NULL, count,
                              (PEVENT_DATA_DESCRIPTOR)(void *)data);
}

int cairn_i_etw_write(const struct cairn_provider *provider, const struct cairn_i_etw_event *event,
                      const void *metadata, const void *activity_id, const void *related_id,
                      struct cairn_i_etw_data *data, uint32_t count)
{
    uint64_t handle =
        core_load_acquire(&provider->handle); /* pairs with the release in registering */
    ULONG result;

    if (cairn_unlikely(!handle))
        return EBADF;
    describe(&data[0], provider->traits, CAIRN_I_ETW_PROVIDER_METADATA);
    describe(&data[1], metadata, CAIRN_I_ETW_EVENT_METADATA);
    if (activity_id || related_id) /* without the former, ETW takes the thread's */
        result = write_with_ids(handle, event, activity_id, related_id, data, count);
    else
        result = EventWriteTransfer(handle, (PCEVENT_DESCRIPTOR)(const void *)event, NULL, NULL,
                                    count, (PEVENT_DATA_DESCRIPTOR)(void *)data);
    return cairn_likely(!result) ? 0 : etw_error(result);
}
