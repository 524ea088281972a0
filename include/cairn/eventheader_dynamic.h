/* SPDX-License-Identifier: MIT */
/*
 * EventHeader events whose names and fields are only known at run time: the same bytes as those of
 * CAIRN_WRITE_EVENT, built by function calls.
 *
 *   err = cairn_dynamic_provider_create("MyCompany_MyComponent", NULL, &provider);
 *   err = cairn_event_set_register(provider, CAIRN_LEVEL_WARNING, 0x23, &set);
 *   err = cairn_builder_create(&b);
 *   ...
 *   if (cairn_event_set_is_enabled(set)) {
 *       cairn_builder_begin(b, "MyEventName", 0);
 *       cairn_builder_str8(b, "Field1", text);
 *       cairn_builder_u32(b, "Field2", 42);
 *       err = cairn_builder_write(b, set, NULL, NULL);
 *   }
 *
 * If the fields are known at compile time, use cairn/eventheader.h: it is faster, and the compiler
 * checks the fields.
 */
#ifndef CAIRN_EVENTHEADER_DYNAMIC_H
#define CAIRN_EVENTHEADER_DYNAMIC_H

#include <cairn/eventheader_abi.h>
#include <cairn/guid.h>
#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- providers and their event sets ---- */

struct cairn_dynamic_provider;

/* The tracepoint of a provider's events of one level and keyword. Its members are internal. */
struct cairn_event_set {
    struct cairn_tracepoint tracepoint;
    uint64_t keyword;
    uint8_t level;
    struct cairn_event_set *next;
    const char *command; /* stored after the set */
};

/*
 * Creates a provider. Registers nothing.
 *
 * name   1 to 234 bytes without spaces, colons, semicolons and control characters; best letters,
 *        digits and underscores, for the sake of other tools. Copied.
 * group  the provider's group: lower-case letters and digits; NULL or "": none. It and a letter
 *        before it count as bytes of the name. Copied.
 *
 * Returns 0; EINVAL an invalid name or group; E2BIG they are too long; ENOMEM. Any thread.
 */
CAIRN_API int cairn_dynamic_provider_create(const char *name, const char *group,
                                            struct cairn_dynamic_provider **ret_provider);

/*
 * The same with further options in the tracepoints' names.
 *
 * options  "AoneZtwo": upper-case letters in alphabetical order, each with a value of lower-case
 *          letters and digits, which may be empty. G is the group's letter. NULL or "": none.
 *          They count as bytes of the name. Copied.
 */
CAIRN_API int cairn_dynamic_provider_create_with(const char *name, const char *group,
                                                 const char *options,
                                                 struct cairn_dynamic_provider **ret_provider);

/* Unregisters the event sets and frees them and the provider; no thread may be writing to them.
 * Returns 0, or EBUSY: everything is freed except memory to which the kernel continues to write
 * (see cairn_tracepoint_unregister). Accepts NULL. Any thread; not in signal handlers. */
CAIRN_API int cairn_dynamic_provider_destroy(struct cairn_dynamic_provider *provider);

/*
 * Returns the event set of a level and keyword, and registers it if necessary. It is valid as long
 * as the provider.
 *
 * level  CAIRN_LEVEL_*, or another from 1 to 255
 *
 * Returns 0; EINVAL level 0; ENOMEM; or the error of cairn_tracepoint_register. Any thread; not in
 * signal handlers.
 */
CAIRN_API int cairn_event_set_register(struct cairn_dynamic_provider *provider, uint8_t level,
                                       uint64_t keyword, struct cairn_event_set **ret_set);

/* Returns the event set of a level and keyword; NULL: it is not registered. Any thread. */
CAIRN_API struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider,
                                                       uint8_t level, uint64_t keyword);

/* True while it is enabled. Any thread, any signal handler. */
static inline bool cairn_event_set_is_enabled(const struct cairn_event_set *set)
{
    return cairn_tracepoint_is_enabled(&set->tracepoint);
}

/* The id that ETW derives from the name of a provider: a UUID of version 5 of its upper-case form.
 * Only ASCII letters are converted to upper case. Any thread, any signal handler. */
CAIRN_API void cairn_guid_from_name(const char *name, struct cairn_guid *ret_guid);

/* Size of the command text of a provider's tracepoint, including its NUL. */
#define CAIRN_PROVIDER_COMMAND_MAX_BYTES \
    (CAIRN_EVENTHEADER_NAME_MAX_BYTES + sizeof(CAIRN_EVENTHEADER_FIELDS))

/*
 * Writes the command text with which a provider registers its tracepoint of a level and keyword:
 * "NAME_LlevelKkeyword[OPTIONS] FIELDS". Registers nothing.
 *
 * name, group  as for cairn_dynamic_provider_create
 * options      other options, "AoneZtwo": each begins with a capital letter other than G, in
 *              alphabetical order; NULL or "": none
 *
 * Returns 0; EINVAL or E2BIG as cairn_dynamic_provider_create. Any thread; signal handlers too.
 */
CAIRN_API int cairn_dynamic_provider_command(const char *name, const char *group,
                                             const char *options, uint8_t level, uint64_t keyword,
                                             char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES]);

/* ---- the builder ---- */

/*
 * Builds an event. A builder is used by one thread at a time. It reuses its memory: after the first
 * events it allocates none.
 *
 * The functions that add something return nothing. The builder stores the first error, ignores the
 * calls after it, and returns it from cairn_builder_write.
 */
struct cairn_builder;

/* Maximal depth of nested structs. */
#define CAIRN_BUILDER_DEPTH_MAX CAIRN_STRUCT_DEPTH_MAX

/* Returns 0 or ENOMEM. */
CAIRN_API int cairn_builder_create(struct cairn_builder **ret_builder);
CAIRN_API void cairn_builder_destroy(struct cairn_builder *builder);

/*
 * Begins a new event, and discards the previous one.
 *
 * name  of the event, UTF-8; may carry attributes: "name;attribute=value". Copied, as all names are
 * tag   defined by the provider; 0: none
 */
CAIRN_API void cairn_builder_begin(struct cairn_builder *builder, const char *name, uint16_t tag);

/* A number that identifies the event permanently, and the version of its fields. */
CAIRN_API void cairn_builder_id_version(struct cairn_builder *builder, uint16_t id,
                                        uint8_t version);

/* CAIRN_OPCODE_*. */
CAIRN_API void cairn_builder_opcode(struct cairn_builder *builder, uint8_t opcode);

/*
 * Adds a value of fixed size.
 *
 * name      of the field; NULL is EINVAL, as for all names
 * encoding  CAIRN_ENCODING_VALUE8 to _VALUE128, without flags
 * format    CAIRN_FORMAT_*, or another up to 0x7f (larger: EINVAL); _DEFAULT: the encoding's own
 * tag       of the field; 0: none
 * value     as many bytes as the encoding specifies, of any alignment; NULL: zeros
 */
CAIRN_API void cairn_builder_value(struct cairn_builder *builder, const char *name,
                                   uint8_t encoding, uint8_t format, uint16_t tag,
                                   const void *value);

/* Adds an array of such values: up to 65535. Its length is in the data. */
CAIRN_API void cairn_builder_values(struct cairn_builder *builder, const char *name,
                                    uint8_t encoding, uint8_t format, uint16_t tag,
                                    const void *values, size_t count);

/* Adds an array whose length, 1 to 65535, is in the metadata: the same in all such events. */
CAIRN_API void cairn_builder_fixed_values(struct cairn_builder *builder, const char *name,
                                          uint8_t encoding, uint8_t format, uint16_t tag,
                                          const void *values, size_t count);

/*
 * Adds text or bytes.
 *
 * encoding  CAIRN_ENCODING_ZSTRING_*, _STRING_LENGTH16_* or _BINARY_LENGTH16_CHAR8
 * units     of 8, 16 or 32 bits, depending on the encoding, of any alignment; NULL: none
 * count     of units; a ZSTRING ends at the first zero in them, or after them; others have at most
 *           65535
 */
CAIRN_API void cairn_builder_text(struct cairn_builder *builder, const char *name, uint8_t encoding,
                                  uint8_t format, uint16_t tag, const void *units, size_t count);

struct cairn_event_text {
    const void *units;
    size_t count;
};

/* Adds an array of texts. */
CAIRN_API void cairn_builder_texts(struct cairn_builder *builder, const char *name,
                                   uint8_t encoding, uint8_t format, uint16_t tag,
                                   const struct cairn_event_text *texts, size_t count);

/*
 * Adds a field without a value: a BINARY_LENGTH16_CHAR8 of length 0. With a value, the same field
 * is cairn_builder_text with this encoding and format, and the bytes of the value.
 *
 * format  of values of fixed size, such as CAIRN_FORMAT_UNSIGNED_INT: decoders show null; of others
 *         they show an empty text or empty bytes
 */
CAIRN_API void cairn_builder_null(struct cairn_builder *builder, const char *name, uint8_t format,
                                  uint16_t tag);

/* Begins a struct: everything that is added before cairn_builder_struct_end is one of its fields, 1
 * to 127, which may be structs. */
CAIRN_API void cairn_builder_struct_begin(struct cairn_builder *builder, const char *name,
                                          uint16_t tag);

/*
 * Begins an array of `count` structs, up to 65535. Add the fields of the first, then, after each
 * cairn_builder_structs_next, those of the next, with the same names, encodings, formats and tags
 * (otherwise EINVAL); then call cairn_builder_struct_end. An array of no structs has fields, too:
 * add them once; their values are ignored.
 */
CAIRN_API void cairn_builder_structs_begin(struct cairn_builder *builder, const char *name,
                                           uint16_t tag, size_t count);
CAIRN_API void cairn_builder_structs_next(struct cairn_builder *builder);
CAIRN_API void cairn_builder_struct_end(struct cairn_builder *builder);

/*
 * Adds only a definition, or only data, without a check that they match.
 *
 * encoding  CAIRN_ENCODING_STRUCT to _BINARY_LENGTH16_CHAR8, with CAIRN_ENCODING_CARRAY or _VARRAY
 *           or neither. A struct counts the fields after it, so it cannot be in one that
 *           cairn_builder_struct_begin has begun.
 * format    up to 0x7f; for a struct, its number of fields
 * length    of a CARRAY, not 0; otherwise ignored
 *
 * Other values are EINVAL.
 */
CAIRN_API void cairn_builder_raw_definition(struct cairn_builder *builder, const char *name,
                                            uint8_t encoding, uint8_t format, uint16_t tag,
                                            uint16_t length);
CAIRN_API void cairn_builder_raw_data(struct cairn_builder *builder, const void *bytes,
                                      size_t size_bytes);

/* Returns the first error since cairn_builder_begin, or 0; and its description, "" for none. */
CAIRN_API int cairn_builder_error(const struct cairn_builder *builder);
CAIRN_API const char *cairn_builder_reason(const struct cairn_builder *builder);

/*
 * Writes the event if the set is enabled. The builder then still contains it.
 *
 * activity, related  ids, or NULL; on Linux, a related id without an activity's is not written
 *
 * Returns 0; EBADF disabled; E2BIG a limit is exceeded: a struct of more than 127 fields, an array
 * or a text of more than 65535 units, structs nested too deeply, names of 32 KiB and more in total,
 * an event larger than a backend accepts (65476 bytes; 8184 for the kernel); EINVAL an argument is
 * invalid: no set, no name, a struct without an end or without fields, an encoding that the
 * function does not accept, a format over 0x7f, elements of an array that differ; ENOMEM; ENOSPC it
 * was dropped, and counted; or the kernel's error.
 */
CAIRN_API int cairn_builder_write(struct cairn_builder *builder, const struct cairn_event_set *set,
                                  const struct cairn_guid *activity,
                                  const struct cairn_guid *related);

/* ---- the words of CAIRN_WRITE_EVENT, without tag and format ---- */

/* In network byte order, as sin_port is. */
static inline void cairn_builder_port(struct cairn_builder *builder, const char *name,
                                      uint16_t port)
{
    cairn_builder_value(builder, name, CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_PORT, 0, &port);
}

/* In the machine's byte order, as a port is before htons. */
static inline void cairn_builder_port_host(struct cairn_builder *builder, const char *name,
                                           uint16_t port)
{
    const uint8_t network_order[2] = {(uint8_t)(port >> 8), (uint8_t)port};

    cairn_builder_value(builder, name, CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_PORT, 0, network_order);
}

static inline void cairn_builder_guid(struct cairn_builder *builder, const char *name,
                                      const struct cairn_guid *guid)
{
    cairn_builder_value(builder, name, CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_UUID, 0, guid);
}

/* 4 and 16 bytes in network order, such as struct in_addr and struct in6_addr. */
static inline void cairn_builder_ipv4(struct cairn_builder *builder, const char *name,
                                      const void *address)
{
    cairn_builder_value(builder, name, CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_IP_ADDRESS, 0, address);
}

static inline void cairn_builder_ipv6(struct cairn_builder *builder, const char *name,
                                      const void *address)
{
    cairn_builder_value(builder, name, CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_IP_ADDRESS, 0,
                        address);
}

/* UTF-8 with a NUL at its end; NULL is an empty text. */
static inline void cairn_builder_str8(struct cairn_builder *builder, const char *name,
                                      const char *text)
{
    cairn_builder_text(builder, name, CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT, 0,
                       text, text ? strlen(text) : 0);
}

static inline void cairn_builder_cstr8(struct cairn_builder *builder, const char *name,
                                       const char *text)
{
    cairn_builder_text(builder, name, CAIRN_ENCODING_ZSTRING_CHAR8, CAIRN_FORMAT_DEFAULT, 0, text,
                       text ? strlen(text) : 0);
}

static inline void cairn_builder_binary(struct cairn_builder *builder, const char *name,
                                        const void *bytes, size_t size_bytes)
{
    cairn_builder_text(builder, name, CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_HEX_BYTES,
                       0, bytes, size_bytes);
}

#define CAIRN_I_BUILDER_VALUE(word, type, encoding, format)                                     \
    static inline void cairn_builder_##word(struct cairn_builder *builder, const char *name,    \
                                            type value)                                         \
    {                                                                                           \
        cairn_builder_value(builder, name, CAIRN_ENCODING_##encoding, CAIRN_FORMAT_##format, 0, \
                            &value);                                                            \
    }

CAIRN_I_BUILDER_VALUE(u8, uint8_t, VALUE8, DEFAULT)
CAIRN_I_BUILDER_VALUE(u16, uint16_t, VALUE16, DEFAULT)
CAIRN_I_BUILDER_VALUE(u32, uint32_t, VALUE32, DEFAULT)
CAIRN_I_BUILDER_VALUE(u64, uint64_t, VALUE64, DEFAULT)
CAIRN_I_BUILDER_VALUE(usize, size_t, VALUE_PTR, DEFAULT)
CAIRN_I_BUILDER_VALUE(u8_hex, uint8_t, VALUE8, HEX_INT)
CAIRN_I_BUILDER_VALUE(u16_hex, uint16_t, VALUE16, HEX_INT)
CAIRN_I_BUILDER_VALUE(u32_hex, uint32_t, VALUE32, HEX_INT)
CAIRN_I_BUILDER_VALUE(u64_hex, uint64_t, VALUE64, HEX_INT)
CAIRN_I_BUILDER_VALUE(i8, int8_t, VALUE8, SIGNED_INT)
CAIRN_I_BUILDER_VALUE(i16, int16_t, VALUE16, SIGNED_INT)
CAIRN_I_BUILDER_VALUE(i32, int32_t, VALUE32, SIGNED_INT)
CAIRN_I_BUILDER_VALUE(i64, int64_t, VALUE64, SIGNED_INT)
CAIRN_I_BUILDER_VALUE(isize, ptrdiff_t, VALUE_PTR, SIGNED_INT)
CAIRN_I_BUILDER_VALUE(f32, float, VALUE32, FLOAT)
CAIRN_I_BUILDER_VALUE(f64, double, VALUE64, FLOAT)
CAIRN_I_BUILDER_VALUE(bool8, bool, VALUE8, BOOLEAN)
CAIRN_I_BUILDER_VALUE(bool32, int32_t, VALUE32, BOOLEAN)
CAIRN_I_BUILDER_VALUE(errno_code, int32_t, VALUE32, ERRNO)
CAIRN_I_BUILDER_VALUE(hresult, int32_t, VALUE32, HEX_INT)
CAIRN_I_BUILDER_VALUE(pid, int32_t, VALUE32, PID)
CAIRN_I_BUILDER_VALUE(tid, int32_t, VALUE32, PID)
CAIRN_I_BUILDER_VALUE(time32, int32_t, VALUE32, TIME)
CAIRN_I_BUILDER_VALUE(time64, int64_t, VALUE64, TIME)
CAIRN_I_BUILDER_VALUE(pointer, const void *, VALUE_PTR, HEX_INT)

#ifdef __cplusplus
}
#endif

#endif
