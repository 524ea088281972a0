/* SPDX-License-Identifier: MIT */
/*
 * The parts of messages, from the last byte to the first. For pack.c, and for code that encodes one
 * kind of messages. A number and its tag have at most EXCHANGE_PACK_NUMBER_BYTES bytes each.
 */
#ifndef EXCHANGE_PACK_BYTES_H
#define EXCHANGE_PACK_BYTES_H

#include "exchange/pack.h"

#include <stdbool.h>
#include <string.h>

#define EXCHANGE_PACK_NUMBER_BYTES 10u

/* The encoding of a value: the low bits of its tag. */
enum exchange_pack_wire {
    EXCHANGE_PACK_VARINT = 0,
    EXCHANGE_PACK_64 = 1,
    EXCHANGE_PACK_BYTES = 2,
    EXCHANGE_PACK_32 = 5,
};

/* Makes space for `least` bytes more. */
void exchange_pack_grow(struct exchange_pack *pack, size_t least);

/* Encodes a message, without its size. */
void exchange_pack_message(struct exchange_pack *pack, const ProtobufCMessage *message);

/* The number of bytes so far. */
static inline size_t exchange_pack_written(const struct exchange_pack *pack)
{
    return pack->memory ? (size_t)(pack->memory + pack->size_bytes - pack->at) : 0;
}

/* Makes space for this number of bytes. False: no memory. */
static inline bool exchange_pack_reserve(struct exchange_pack *pack, size_t size_bytes)
{
    if (__builtin_expect((size_t)(pack->at - pack->memory) < size_bytes, 0))
        exchange_pack_grow(pack, size_bytes);
    return !pack->error;
}

/* Space is there. */
static inline void exchange_pack_varint(struct exchange_pack *pack, uint64_t value)
{
    uint8_t *to;

    if (value < 0x80) {
        *--pack->at = (uint8_t)value;
        return;
    }
    pack->at -= (70 - (unsigned)__builtin_clzll(value)) / 7;
    for (to = pack->at; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to = (uint8_t)value;
}

static inline void exchange_pack_tag(struct exchange_pack *pack, uint32_t number,
                                     enum exchange_pack_wire wire)
{
    exchange_pack_varint(pack, (uint64_t)number << 3 | wire);
}

static inline void exchange_pack_number(struct exchange_pack *pack, uint32_t number, uint64_t value)
{
    if (!exchange_pack_reserve(pack, (size_t)2 * EXCHANGE_PACK_NUMBER_BYTES))
        return;
    exchange_pack_varint(pack, value);
    exchange_pack_tag(pack, number, EXCHANGE_PACK_VARINT);
}

/* A value of 4 or 8 bytes. */
static inline void exchange_pack_fixed(struct exchange_pack *pack, uint32_t number,
                                       const void *value, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)value;

    if (!exchange_pack_reserve(pack, size + EXCHANGE_PACK_NUMBER_BYTES))
        return;
    pack->at -= size;
    memcpy(pack->at, bytes, size);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        for (size_t n = 0; n < size; n++)
            pack->at[n] = bytes[size - 1 - n];
    }
    exchange_pack_tag(pack, number, size == 8 ? EXCHANGE_PACK_64 : EXCHANGE_PACK_32);
}

static inline void exchange_pack_bytes(struct exchange_pack *pack, uint32_t number,
                                       const void *bytes, size_t size)
{
    if (!exchange_pack_reserve(pack, size + (size_t)2 * EXCHANGE_PACK_NUMBER_BYTES))
        return;
    pack->at -= size;
    if (size)
        memcpy(pack->at, bytes, size);
    exchange_pack_varint(pack, size);
    exchange_pack_tag(pack, number, EXCHANGE_PACK_BYTES);
}

/* Adds the size and the tag of a message, before which `before` bytes were written. */
static inline void exchange_pack_end(struct exchange_pack *pack, uint32_t number, size_t before)
{
    if (!exchange_pack_reserve(pack, (size_t)2 * EXCHANGE_PACK_NUMBER_BYTES))
        return;
    exchange_pack_varint(pack, exchange_pack_written(pack) - before);
    exchange_pack_tag(pack, number, EXCHANGE_PACK_BYTES);
}

#endif
