/* SPDX-License-Identifier: MIT */
/* The records in a buffer of an ETL file. */
#ifndef ETL_RECORD_H
#define ETL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum etl_kind {
    ETL_EVENT,    /* of a provider: TraceLogging or manifest */
    ETL_CLASSIC,  /* of a MOF provider, with a GUID */
    ETL_SYSTEM,   /* of the kernel: a group and a type */
    ETL_MESSAGE,  /* of WPP: a number, and other data by flags */
    ETL_INSTANCE, /* of a MOF provider, with instance ids */
};

/* The type of an item of extended data. */
enum etl_extended {
    ETL_RELATED_ID = 1,
    ETL_SCHEMA = 11, /* the metadata of a TraceLogging event */
    ETL_TRAITS = 12, /* the provider's */
};

struct etl_bytes {
    const uint8_t *data; /* NULL: there are none */
    uint32_t size;
};

struct etl_record {
    enum etl_kind kind;
    const uint8_t *bytes; /* the whole record */
    uint32_t size;
    uint32_t header_size;
    uint32_t pid;
    uint32_t tid;
    uint64_t ticks;
    bool has_thread;
    bool has_ticks;
    /* The members of a provider's event, or as far as others have them. */
    const uint8_t *provider_id; /* 16 bytes in Windows' order, or NULL */
    const uint8_t *activity_id; /* the same */
    const uint8_t *related_id;
    uint16_t id;
    uint8_t version;
    uint8_t channel;
    uint8_t level;
    uint8_t opcode;
    uint16_t task;
    uint64_t keyword;
    uint32_t pointer_bytes; /* 4, 8; 0: unknown */
    uint16_t hook;          /* of the kernel: group << 8 | type */
    struct etl_bytes schema;
    struct etl_bytes traits;
    struct etl_bytes data;
};

/*
 * Reads the record at the beginning of some bytes.
 *
 * Returns 0; ENODATA there is none: the buffer ends; EBADMSG it is invalid, or of an unknown kind.
 */
int etl_record_parse(const uint8_t *bytes, size_t left, struct etl_record *ret_record);

#endif
