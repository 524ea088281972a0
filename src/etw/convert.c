/* SPDX-License-Identifier: MIT */
/*
 * Events that the kernel cannot gather from the program's memory: with values that ETW has in
 * another form, or with more values than the kernel takes. They are copied to the stack, which on
 * Windows is large.
 */
#include "etw/traits.h"
#include "etw/write.h"

#include <cairn/eventheader.h>
#include <errno.h>
#include <string.h>

#define VALUES_MAX_BYTES 0x10000u /* of an event with its metadata, in ETW */

#define UTF16_REPLACEMENT 0xfffd

struct copy {
    size_t length;
    bool is_full;
    uint8_t bytes[VALUES_MAX_BYTES];
};

/* Returns where so many bytes go, or NULL: there is no space for them. */
static uint8_t *take(struct copy *copy, size_t bytes)
{
    uint8_t *to = copy->bytes + copy->length;

    if (copy->is_full || bytes > sizeof(copy->bytes) - copy->length) {
        copy->is_full = true;
        return NULL;
    }
    copy->length += bytes;
    return to;
}

static void add_unit(struct copy *copy, uint32_t unit)
{
    uint8_t *to = take(copy, 2);

    if (to) {
        to[0] = (uint8_t)unit;
        to[1] = (uint8_t)(unit >> 8);
    }
}

static void add_character(struct copy *copy, uint32_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = UTF16_REPLACEMENT;
    if (c < 0x10000) {
        add_unit(copy, c);
        return;
    }
    add_unit(copy, 0xd800 + ((c - 0x10000) >> 10));
    add_unit(copy, 0xdc00 + ((c - 0x10000) & 0x3ff));
}

/* Text of UTF-32: after its size, or before a zero. */
static void add_text(struct copy *copy, const uint32_t *units, uint32_t count, bool ends_at_zero,
                     bool has_size)
{
    uint8_t *size = has_size ? take(copy, 2) : NULL;
    size_t begin = copy->length;

    for (uint32_t i = 0; units && i < count && !(ends_at_zero && !units[i]) && !copy->is_full; i++)
        add_character(copy, units[i]);
    if (!has_size) {
        add_unit(copy, 0);
    } else if (copy->length - begin > UINT16_MAX) {
        copy->is_full = true;
    } else if (size) {
        size[0] = (uint8_t)(copy->length - begin);
        size[1] = (uint8_t)((copy->length - begin) >> 8);
    }
}

static void add_uuids(struct copy *copy, const uint8_t *uuids, uint32_t count)
{
    for (uint32_t i = 0; i < count && !copy->is_full; i++) {
        uint8_t *to = take(copy, 16);

        if (to)
            etw_guid_convert(uuids ? uuids + (size_t)16 * i : NULL, (struct etw_guid *)(void *)to);
    }
}

static void add_ports(struct copy *copy, const uint16_t *ports, uint32_t count)
{
    for (uint32_t i = 0; i < count && !copy->is_full; i++)
        add_unit(copy, ports ? __builtin_bswap16(ports[i]) : 0);
}

/* An address of IPv4 becomes the address of IPv6 that stands for it; other sizes stay. */
static void add_address(struct copy *copy, const uint8_t *address, uint32_t size)
{
    static const uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    uint32_t prefix_bytes = size == 4 ? sizeof(prefix) : 0;
    uint8_t *to;

    add_unit(copy, size + prefix_bytes);
    to = take(copy, size + prefix_bytes);
    if (to) {
        memcpy(to, prefix, prefix_bytes);
        memcpy(to + prefix_bytes, address, size);
    }
}

static void add_plain(struct copy *copy, const void *from, uint32_t bytes)
{
    uint8_t *to = take(copy, bytes);

    if (!to || !bytes)
        return;
    if (from)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
}

static void add(struct copy *copy, const struct cairn_i_etw_data *data)
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
        add_text(copy, from, data->size_bytes, false, true);
        break;
    case CAIRN_I_ETW_SUTF32:
        add_text(copy, from, data->size_bytes, true, true);
        break;
    case CAIRN_I_ETW_ZUTF32:
        add_text(copy, from, data->size_bytes, true, false);
        break;
    case CAIRN_I_ETW_ADDRESS:
        add_address(copy, from, data->size_bytes);
        break;
    default:
        add_plain(copy, from, data->size_bytes);
        break;
    }
}

int cairn_i_etw_write_converted(const struct cairn_provider *provider,
                                const struct cairn_i_etw_event *event, const void *metadata,
                                const void *activity_id, const void *related_id,
                                struct cairn_i_etw_data *data, uint32_t count)
{
    struct cairn_i_etw_data parts[3];
    struct copy copy;

    copy.length = 0;
    copy.is_full = false;
    for (uint32_t i = 2; i < count && !copy.is_full; i++)
        add(&copy, &data[i]);
    if (copy.is_full)
        return E2BIG;
    cairn_i_etw_put(&parts[2], copy.bytes, copy.length);
    return cairn_i_etw_write(provider, event, metadata, activity_id, related_id, parts,
                             copy.length ? 3 : 2);
}
