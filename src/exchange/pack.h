/* SPDX-License-Identifier: MIT */
/*
 * Encodes messages of protobuf-c in one pass, from the last byte to the first: the length of a
 * message is known when it is written. protobuf-c goes through each message twice.
 */
#ifndef EXCHANGE_PACK_H
#define EXCHANGE_PACK_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that is kept for the next message. Begins as zeros. */
struct exchange_pack {
    uint8_t *memory;
    size_t size_bytes; /* of it */
    uint8_t *at;       /* the bytes that were written last; they end where the memory does */
    int error;         /* ENOMEM */
};

/*
 * Encodes a message.
 *
 * ret_bytes  valid until the next call
 *
 * Returns 0, ENOMEM.
 */
int exchange_pack(struct exchange_pack *pack, const ProtobufCMessage *message,
                  const uint8_t **ret_bytes, size_t *ret_size_bytes);

/* Accepts zeros. */
void exchange_pack_free(struct exchange_pack *pack);

#endif
