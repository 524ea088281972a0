/* SPDX-License-Identifier: MIT */
/* A provider's metadata: a u16 size, the name with its NUL, and a trait for the group: a u16 size,
 * its type, the group's GUID. */
#include "etw/traits.h"

#include <cairn/eventheader/etw_values.h>
#include <string.h>

#define GROUP_TRAIT       1
#define GROUP_TRAIT_BYTES 19

void etw_guid_convert(const void *from, struct etw_guid *ret_guid)
{
    struct cairn_i_etw_guid guid;

    cairn_i_etw_convert_guid(from, &guid);
    memcpy(ret_guid->bytes, guid.bytes, sizeof(guid.bytes));
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

bool etw_guid_parse(const char *text, struct etw_guid *ret_guid)
{
    bool has_brace = *text == '{';
    uint8_t bytes[16];

    text += has_brace;
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        int high;
        int low;

        if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
            return false;
        high = digit_of(text[0]);
        low = high < 0 ? -1 : digit_of(text[1]);
        if (low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
        text += 2;
    }
    if (strcmp(text, has_brace ? "}" : "") != 0)
        return false;
    etw_guid_convert(bytes, ret_guid);
    return true;
}

size_t etw_traits_write(const char *name, const struct etw_guid *group, uint8_t *to, size_t space)
{
    size_t name_bytes = strlen(name) + 1;
    size_t size = 2 + name_bytes + (group ? GROUP_TRAIT_BYTES : 0);
    uint8_t *at = to + 2 + name_bytes;

    if (size > space)
        return 0;
    to[0] = (uint8_t)size;
    to[1] = (uint8_t)(size >> 8);
    memcpy(to + 2, name, name_bytes);
    if (group) {
        at[0] = GROUP_TRAIT_BYTES;
        at[1] = 0;
        at[2] = GROUP_TRAIT;
        memcpy(at + 3, group->bytes, sizeof(group->bytes));
    }
    return size;
}
