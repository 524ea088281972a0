/* SPDX-License-Identifier: MIT */
/*
 * Events that the kernel cannot gather from the program's memory: with values that ETW has in
 * another form, or with more values than the kernel takes. They are copied to the stack, which on
 * Windows is large.
 */
#include "etw/copy.h"
#include "etw/traits.h"
#include "etw/write.h"

#include <cairn/eventheader.h>
#include <errno.h>
#include <string.h>

static void add_uuids(struct etw_copy *copy, const uint8_t *uuids, uint32_t count)
{
    for (uint32_t i = 0; i < count && !copy->is_full; i++) {
        uint8_t *to = etw_copy_take(copy, 16);

        if (to)
            etw_guid_convert(uuids ? uuids + (size_t)16 * i : NULL, (struct etw_guid *)(void *)to);
    }
}

static void add_ports(struct etw_copy *copy, const uint16_t *ports, uint32_t count)
{
    for (uint32_t i = 0; i < count && !copy->is_full; i++)
        etw_copy_add_u16(copy, ports ? __builtin_bswap16(ports[i]) : 0);
}

static void add(struct etw_copy *copy, const struct cairn_i_etw_data *data)
{
    const void *from = (const void *)(uintptr_t)data->address;

    switch (data->type) {
    case CAIRN_I_ETW_UUIDS:
        add_uuids(copy, from, data->size_bytes);
        break;
    case CAIRN_I_ETW_PORTS:
        add_ports(copy, from, data->size_bytes);
        break;
    case CAIRN_I_ETW_UTF32:
        etw_copy_add_utf32(copy, from, data->size_bytes, false, true);
        break;
    case CAIRN_I_ETW_SUTF32:
        etw_copy_add_utf32(copy, from, data->size_bytes, true, true);
        break;
    case CAIRN_I_ETW_ZUTF32:
        etw_copy_add_utf32(copy, from, data->size_bytes, true, false);
        break;
    case CAIRN_I_ETW_ADDRESS:
        etw_copy_add_address(copy, from, data->size_bytes);
        break;
    default:
        etw_copy_add(copy, from, data->size_bytes);
        break;
    }
}

int cairn_i_etw_write_converted(const struct cairn_provider *provider,
                                const struct cairn_i_etw_event *event, const void *metadata,
                                const void *activity_id, const void *related_id,
                                struct cairn_i_etw_data *data, uint32_t count)
{
    struct cairn_i_etw_data parts[3];
    struct etw_copy copy;

    etw_copy_begin(&copy);
    for (uint32_t i = 2; i < count && !copy.is_full; i++)
        add(&copy, &data[i]);
    if (copy.is_full)
        return E2BIG;
    cairn_i_etw_put(&parts[2], copy.bytes, copy.length);
    return cairn_i_etw_write(provider, event, metadata, activity_id, related_id, parts,
                             copy.length ? 3 : 2);
}
