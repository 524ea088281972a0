/* SPDX-License-Identifier: MIT */
/*
 * The wire format of EventHeader events, as constants and structs.
 *
 *   event      = header extension* data
 *   extension  = struct cairn_eventheader_extension, then `size_bytes` bytes; no padding anywhere
 *   metadata   = event name, NUL, then field definitions:
 *                name, NUL, u8 encoding, [u8 format], [u16 tag], [u16 array length]
 *   data       = the fields' values, in the order of their definitions, packed
 *
 * Names may carry attributes: "name;attribute=value". Numbers are in the byte order that the
 * header's flags specify; UUIDs, ports and addresses are in network byte order. This layout is
 * frozen: it is shared with writers and readers of other projects.
 */
#ifndef CAIRN_EVENTHEADER_ABI_H
#define CAIRN_EVENTHEADER_ABI_H

#include <cairn/eventheader/field_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define CAIRN_I_ABI_ASSERT static_assert
#else
#define CAIRN_I_ABI_ASSERT _Static_assert
#endif

/* A tracepoint's name is "PROVIDER_LlevelKkeyword[OPTIONS]", with level and keyword in lower-case
 * hexadecimal; an option is an upper-case letter and its value, as in "Gmygroup". */
#define CAIRN_EVENTHEADER_NAME_MAX_BYTES 256u /* its NUL included */

/* The fields with which such a tracepoint is registered: the header's members. A reader recognizes
 * an EventHeader tracepoint by the name of its first field. */
#define CAIRN_EVENTHEADER_FIELDS \
    "u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level"
#define CAIRN_EVENTHEADER_FIRST_FIELD "eventheader_flags"

struct cairn_eventheader {
    uint8_t flags;   /* CAIRN_EVENTHEADER_* */
    uint8_t version; /* of the event's layout, if id is not 0 */
    uint16_t id;     /* stable id of the event, or 0 */
    uint16_t tag;    /* defined by the provider, or 0 */
    uint8_t opcode;  /* enum cairn_opcode */
    uint8_t level;   /* enum cairn_level; the same as in the tracepoint's name */
};

enum cairn_eventheader_flags {
    CAIRN_EVENTHEADER_POINTER64 = 0x01,     /* otherwise pointers have 32 bits */
    CAIRN_EVENTHEADER_LITTLE_ENDIAN = 0x02, /* otherwise big-endian */
    CAIRN_EVENTHEADER_EXTENSION = 0x04,     /* an extension follows the header */
};

/* The flags of this machine, without those for extensions. */
#define CAIRN_EVENTHEADER_NATIVE_FLAGS                         \
    ((sizeof(void *) == 8 ? CAIRN_EVENTHEADER_POINTER64 : 0) | \
     (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? CAIRN_EVENTHEADER_LITTLE_ENDIAN : 0))

/* The destination of this program's events, as far as it is known at compile time. */
enum cairn_native_implementation {
    CAIRN_NATIVE_OTHER = 0,             /* nowhere */
    CAIRN_NATIVE_LINUX_USER_EVENTS = 1, /* to Linux, and to cairn's own sessions */
};

#ifdef __linux__
#define CAIRN_NATIVE_IMPLEMENTATION CAIRN_NATIVE_LINUX_USER_EVENTS
#else
#define CAIRN_NATIVE_IMPLEMENTATION CAIRN_NATIVE_OTHER
#endif

enum cairn_level {
    CAIRN_LEVEL_INVALID = 0,
    CAIRN_LEVEL_CRITICAL_ERROR = 1,
    CAIRN_LEVEL_ERROR = 2,
    CAIRN_LEVEL_WARNING = 3,
    CAIRN_LEVEL_INFORMATION = 4,
    CAIRN_LEVEL_VERBOSE = 5,
};

enum cairn_opcode {
    CAIRN_OPCODE_INFO = 0,
    CAIRN_OPCODE_ACTIVITY_START = 1, /* the first event of an activity id */
    CAIRN_OPCODE_ACTIVITY_STOP = 2,  /* the last event of an activity id */
    CAIRN_OPCODE_COLLECTION_START = 3,
    CAIRN_OPCODE_COLLECTION_STOP = 4,
    CAIRN_OPCODE_EXTENSION = 5,
    CAIRN_OPCODE_REPLY = 6,
    CAIRN_OPCODE_RESUME = 7,
    CAIRN_OPCODE_SUSPEND = 8,
    CAIRN_OPCODE_SEND = 9,
    CAIRN_OPCODE_RECEIVE = 0xf0,
};

struct cairn_eventheader_extension {
    uint16_t size_bytes; /* of the data after this struct */
    uint16_t kind;       /* enum cairn_extension_kind, and CAIRN_EXTENSION_CHAIN */
};

#define CAIRN_EXTENSION_CHAIN     0x8000u /* another extension follows this one */
#define CAIRN_EXTENSION_KIND_MASK 0x7fffu

enum cairn_extension_kind {
    CAIRN_EXTENSION_INVALID = 0,
    CAIRN_EXTENSION_METADATA = 1,
    CAIRN_EXTENSION_ACTIVITY_ID = 2, /* 16 bytes: activity id; 32: activity id, related id */
};

#define CAIRN_ACTIVITY_ID_BYTES 16u

/* Flags in a field's encoding byte. Constant and variable length together are reserved. */
#define CAIRN_ENCODING_CARRAY     0x20u /* array; its u16 length is in the metadata, not 0 */
#define CAIRN_ENCODING_VARRAY     0x40u /* array; its u16 length is in the data before the elements */
#define CAIRN_ENCODING_CHAIN      0x80u /* a format byte follows */
#define CAIRN_ENCODING_VALUE_MASK 0x1fu

/*
 * The encodings determine how a decoder finds a field's size, and the format that it has if none is
 * given: CAIRN_ENCODING_VALUE8 and so on, as the table in cairn/eventheader/field_types.h describes
 * them.
 */
enum cairn_encoding {
#define CAIRN_I_ENCODING(name, number, extent, unit) CAIRN_ENCODING_##name = number,
    CAIRN_I_ENCODINGS(CAIRN_I_ENCODING)
#undef CAIRN_I_ENCODING
        CAIRN_ENCODING_MAX
};

#if __SIZEOF_POINTER__ == 8
#define CAIRN_ENCODING_VALUE_PTR CAIRN_ENCODING_VALUE64
#else
#define CAIRN_ENCODING_VALUE_PTR CAIRN_ENCODING_VALUE32
#endif
#if __SIZEOF_LONG__ == 8
#define CAIRN_ENCODING_VALUE_LONG CAIRN_ENCODING_VALUE64
#else
#define CAIRN_ENCODING_VALUE_LONG CAIRN_ENCODING_VALUE32
#endif

#define CAIRN_FORMAT_CHAIN      0x80u /* a u16 field tag follows */
#define CAIRN_FORMAT_VALUE_MASK 0x7fu

/*
 * The formats determine the meaning of a field's bytes: CAIRN_FORMAT_HEX_INT and so on, as the
 * table in cairn/eventheader/field_types.h describes them. The two LENGTH16_CHAR8 encodings take
 * every format: with length 0 the value is null, with a length that the format accepts it is that
 * value, and otherwise it has the encoding's own format.
 */
enum cairn_format {
#define CAIRN_I_FORMAT(name, number, kind, sizes) CAIRN_FORMAT_##name = number,
    CAIRN_I_FORMATS(CAIRN_I_FORMAT)
#undef CAIRN_I_FORMAT
};

#define CAIRN_STRUCT_FIELDS_MAX 127u /* the field count is in the 7 bits of a format */

/* Maximal depth of nested structs, for the macro and the builder: other decoders support no
 * more. */
#define CAIRN_STRUCT_DEPTH_MAX 8u

CAIRN_I_ABI_ASSERT(sizeof(struct cairn_eventheader) == 8, "the header has 8 bytes");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, flags) == 0, "flags at 0");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, version) == 1, "version at 1");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, id) == 2, "id at 2");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, tag) == 4, "tag at 4");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, opcode) == 6, "opcode at 6");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader, level) == 7, "level at 7");
CAIRN_I_ABI_ASSERT(sizeof(struct cairn_eventheader_extension) == 4,
                   "the extension head has 4 bytes");
CAIRN_I_ABI_ASSERT(offsetof(struct cairn_eventheader_extension, kind) == 2, "kind at 2");

#ifdef __cplusplus
}
#endif

#endif
