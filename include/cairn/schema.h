/* SPDX-License-Identifier: MIT */
/*
 * Schemas: the ordered fields of a tracepoint, and the two texts that describe them.
 *
 * - The command text of user_events: "name[:FLAG[,FLAG]] [type field[; type field ...]]".
 * - The `format` text of tracefs, as in events/SYSTEM/NAME/format.
 *
 * Nothing here allocates: the caller provides the memory for fields, and a schema's names point
 * into the text from which it was parsed, which must be valid as long as the schema is used. All
 * functions are pure: any thread, any signal handler, any interrupt.
 */
#ifndef CAIRN_SCHEMA_H
#define CAIRN_SCHEMA_H

#include <cairn/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Text that is part of a longer one: not NUL-terminated. */
struct cairn_slice {
    const char *text;
    uint32_t length;
};

/* The position of a field's bytes. */
enum cairn_field_location {
    CAIRN_FIELD_INLINE = 0,   /* at `offset` of the record, `size_bytes` long */
    CAIRN_FIELD_DATA_LOC = 1, /* at `offset` a u32: length << 16 | offset from the record's start */
    CAIRN_FIELD_REL_LOC = 2,  /* at `offset` a u32: length << 16 | offset from the u32's own end */
};

/* The meaning of a field's bytes, derived from its declared type; for an array, of each element. */
enum cairn_field_kind {
    CAIRN_FIELD_UNSIGNED = 0, /* also an unknown type of an integer's size */
    CAIRN_FIELD_SIGNED = 1,
    CAIRN_FIELD_BOOL = 2,
    CAIRN_FIELD_POINTER = 3, /* an address: shown in hexadecimal */
    CAIRN_FIELD_STRING = 4,  /* plain char: text, ended by a NUL or by the field's end */
    CAIRN_FIELD_STRUCT = 5,  /* a struct or union: opaque bytes */
    CAIRN_FIELD_BYTES = 6,   /* of unknown type and not of an integer's size: opaque bytes */
};

struct cairn_field {
    struct cairn_slice name;     /* "prev_comm" */
    struct cairn_slice type;     /* as declared, without the [n] of an array in place: "char";
                                    with it when dynamic: "__data_loc char[]" */
    uint32_t offset;             /* from the start of the record, common fields included */
    uint32_t size_bytes;         /* of the field in place: 4 for a dynamic one; 0 for an array that
                                    extends to the record's end */
    uint16_t element_size_bytes; /* of one element; 0 for structs and bytes */
    uint16_t element_count;      /* in place; 0: no array, or dynamic, or of size 0; for structs
                                    and bytes where it is known */
    uint8_t kind;                /* enum cairn_field_kind */
    uint8_t location;            /* enum cairn_field_location */
    bool is_signed;              /* `signed:` of the format text */
    bool is_array;               /* declared with [], or dynamic */
};

struct cairn_schema {
    struct cairn_slice system;    /* "": in neither text; the caller may set it */
    struct cairn_slice name;      /* "sched_switch" */
    struct cairn_slice flags;     /* of a command text, without the colon; "" if none */
    struct cairn_slice print_fmt; /* of a format text, unchanged; of a tracepoint, as its macros
                                     leave it; "" if none */
    uint32_t id;                  /* of a format text; 0 otherwise */
    uint32_t common_count;        /* number of common_* fields, which are the first */
    uint32_t field_count;         /* all fields, the common ones included */
    uint32_t fixed_size_bytes;    /* of a record's fixed part, common fields included */
    struct cairn_field *fields;   /* the caller's memory */
};

/* A name that the `format` files of a system's events show as a number. Constant. */
struct cairn_trace_enum {
    const char *system;
    const char *name;
    int64_t value;
};

/* Bytes of the common fields with which each record's raw part begins. */
#define CAIRN_COMMON_BYTES 8u

/* Limits of user_events: a longer name or command is refused. */
#define CAIRN_NAME_MAX_BYTES    256u /* its NUL included */
#define CAIRN_COMMAND_MAX_BYTES 512u /* its NUL included */
#define CAIRN_FIELDS_MAX        128u /* enough for every command of the maximal length */

/* Enough for the format text of every command, its NUL included. */
#define CAIRN_FORMAT_MAX_BYTES 12288u

/*
 * Parses a command text as the kernel's user_events does. The schema gets no common fields in
 * `fields`, but offsets count them: the first field is at CAIRN_COMMON_BYTES.
 *
 * command      NUL-terminated; the schema's names point into it
 * fields       memory for field_max fields; its contents are undefined after a failure
 * ret_schema   filled on success, unchanged on failure
 * ret_position the byte offset of the error in command, set on failure; may be NULL
 *
 * Returns 0; EINVAL malformed, or a type that is unknown or of no size, or a command over its limit
 * (the kernel's code for it); E2BIG an event name over its limit; ENOSPC more than field_max
 * fields.
 */
CAIRN_API int cairn_schema_parse_command(const char *command, struct cairn_field *fields,
                                         uint32_t field_max, struct cairn_schema *ret_schema,
                                         uint32_t *ret_position);

/* True if both describe the same event: same name, and the same fields in the same order with the
 * same types at the same offsets. As in the kernel, flags do not count; nor do ids, print formats
 * and common fields. */
CAIRN_API bool cairn_schema_equal(const struct cairn_schema *a, const struct cairn_schema *b);

/*
 * Parses a tracefs format text of any kernel.
 *
 * text, size_bytes   need not be NUL-terminated; the schema's names point into it
 * long_size_bytes    of the machine that the text is from: 4 or 8
 * fields, ret_schema as for cairn_schema_parse_command
 *
 * Returns 0; EBADMSG not a format text; ENOSPC more than field_max fields.
 */
CAIRN_API int cairn_schema_parse_format(const char *text, size_t size_bytes,
                                        uint32_t long_size_bytes, struct cairn_field *fields,
                                        uint32_t field_max, struct cairn_schema *ret_schema);

/*
 * Writes a schema's tracefs format text, including the common fields and `print fmt`: byte for byte
 * as the kernel writes it for user_events, and for tracepoints if the schema has a print_fmt. Names
 * that TRACE_DEFINE_ENUM has converted to numbers are numbers in the `format` file only. Only for
 * schemas from cairn_schema_parse_command and of tracepoints (cairn_trace_event_schema).
 *
 * text, size_bytes   the caller's memory, NUL-terminated on success
 * ret_length         bytes written without the NUL; may be NULL
 *
 * Returns 0; ENOSPC it does not fit: the contents of text are then undefined.
 */
CAIRN_API int cairn_schema_write_format(const struct cairn_schema *schema, uint32_t id, char *text,
                                        size_t size_bytes, size_t *ret_length);

#ifdef __cplusplus
}
#endif

#endif
