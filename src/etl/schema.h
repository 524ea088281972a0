/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a TraceLogging event:
 *
 *   u16 size, tag, name, NUL, then for each field: name, NUL, u8 in-type, [u8 out-type, [tag]],
 * [u16 length of an array]
 *
 * A tag is bits in groups of seven, the highest first; 0x80 says that another group follows.
 */
#ifndef ETL_SCHEMA_H
#define ETL_SCHEMA_H

#include "etl/record.h"

enum etl_in_type {
    ETL_IN_UNICODE_STRING = 1,
    ETL_IN_ANSI_STRING = 2,
    ETL_IN_INT8 = 3,
    ETL_IN_UINT8 = 4,
    ETL_IN_INT16 = 5,
    ETL_IN_UINT16 = 6,
    ETL_IN_INT32 = 7,
    ETL_IN_UINT32 = 8,
    ETL_IN_INT64 = 9,
    ETL_IN_UINT64 = 10,
    ETL_IN_FLOAT = 11,
    ETL_IN_DOUBLE = 12,
    ETL_IN_BOOL32 = 13,
    ETL_IN_BINARY = 14,
    ETL_IN_GUID = 15,
    ETL_IN_POINTER = 16,
    ETL_IN_FILETIME = 17,
    ETL_IN_SYSTEMTIME = 18,
    ETL_IN_SID = 19,
    ETL_IN_HEX32 = 20,
    ETL_IN_HEX64 = 21,
    ETL_IN_COUNTED_STRING = 22,
    ETL_IN_COUNTED_ANSI_STRING = 23,
    ETL_IN_STRUCT = 24,
    ETL_IN_COUNTED_BINARY = 25,
};

enum etl_out_type {
    ETL_OUT_STRING = 2,
    ETL_OUT_BOOLEAN = 3,
    ETL_OUT_HEX = 4,
    ETL_OUT_PID = 5,
    ETL_OUT_TID = 6,
    ETL_OUT_PORT = 7,
    ETL_OUT_IPV4 = 8,
    ETL_OUT_IPV6 = 9,
    ETL_OUT_XML = 11,
    ETL_OUT_JSON = 12,
    ETL_OUT_NTSTATUS = 14,
    ETL_OUT_HRESULT = 15,
    ETL_OUT_SIGNED = 17,
    ETL_OUT_UTF8 = 35,
    ETL_OUT_CODE_POINTER = 37,
    ETL_OUT_DATETIME_UTC = 38,
};

struct etl_field {
    const char *name; /* zero-terminated */
    uint32_t name_length;
    uint32_t tag;
    uint16_t length; /* of an array of constant length */
    uint8_t in;      /* without flags */
    uint8_t out;     /* of a struct: its number of fields */
    bool is_array;   /* its length is in the data */
    bool is_fixed;   /* its length is in the metadata */
    bool is_text;    /* times that are no whole seconds: shown as text */
};

#define ETL_FIELDS_MAX 4096u

struct etl_schema {
    const char *name;
    uint32_t name_length;
    uint32_t tag;
    uint32_t field_count;
    struct etl_field fields[ETL_FIELDS_MAX];
};

/* Returns 0; EBADMSG it is cut short, or has a type that is unknown. */
int etl_schema_parse(struct etl_bytes metadata, struct etl_schema *ret_schema);

#endif
