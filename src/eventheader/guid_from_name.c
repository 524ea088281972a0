/* SPDX-License-Identifier: MIT */
/* The id that ETW derives from a provider's name, as EventSource and TraceLogging do. */
#include <cairn/eventheader_dynamic.h>

#include "eventheader/sha1.h"

/* The namespace: 482c2db2-c390-47c8-87f8-1a15bfc130fb. */
static const uint8_t namespace_bytes[16] = {0x48, 0x2c, 0x2d, 0xb2, 0xc3, 0x90, 0x47, 0xc8,
                                            0x87, 0xf8, 0x1a, 0x15, 0xbf, 0xc1, 0x30, 0xfb};

/* Adds a unit of UTF-16, big-endian. */
static void add_unit(struct eventheader_sha1 *sha1, uint32_t unit)
{
    eventheader_sha1_add(sha1, (uint8_t)(unit >> 8));
    eventheader_sha1_add(sha1, (uint8_t)unit);
}

static void add_character(struct eventheader_sha1 *sha1, uint32_t character)
{
    if (character >= 'a' && character <= 'z')
        character -= 'a' - 'A';
    if (character < 0x10000) {
        add_unit(sha1, character);
        return;
    }
    add_unit(sha1, 0xd800 + ((character - 0x10000) >> 10));
    add_unit(sha1, 0xdc00 + ((character - 0x10000) & 0x3ff));
}

/* Takes a character of UTF-8; a byte that is not part of one counts as the character. */
static uint32_t take_character(const uint8_t **text)
{
    static const uint32_t lowest[] = {0, 0x80, 0x800, 0x10000};
    const uint8_t *at = *text;
    unsigned more = *at >= 0xf0 && *at < 0xf8   ? 3
                    : *at >= 0xe0 && *at < 0xf0 ? 2
                                                : *at >= 0xc0 && *at < 0xe0;
    uint32_t character = *at & (0x7fu >> (more ? more + 1 : 0));

    *text = at + 1;
    if (*at < 0x80 || !more)
        return *at;
    for (unsigned i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return *at;
        character = character << 6 | (at[i] & 0x3f);
    }
    if (character < lowest[more] || character > 0x10ffff)
        return *at;
    *text = at + 1 + more;
    return character;
}

void cairn_guid_from_name(const char *name, struct cairn_guid *ret_guid)
{
    /* Windows stores the first three parts of a GUID with their low byte first; the hash's bytes
     * are taken in this order. */
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const uint8_t *text = (const uint8_t *)name;
    uint8_t digest[EVENTHEADER_SHA1_BYTES];
    struct eventheader_sha1 sha1;

    eventheader_sha1_begin(&sha1);
    for (unsigned i = 0; i < sizeof(namespace_bytes); i++)
        eventheader_sha1_add(&sha1, namespace_bytes[i]);
    while (*text)
        add_character(&sha1, take_character(&text));
    eventheader_sha1_end(&sha1, digest);
    digest[7] = (uint8_t)((digest[7] & 0x0f) | 0x50);
    for (unsigned i = 0; i < sizeof(order); i++)
        ret_guid->bytes[i] = digest[order[i]];
}
