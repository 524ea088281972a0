/* SPDX-License-Identifier: MIT */
/*
 * EventHeader events whose names and fields are known at run time only: the same bytes as those of
 * CAIRN_WRITE_EVENT, put together by calls.
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
 * Who knows the fields when the program is compiled uses cairn/eventheader.h: it is faster, and the
 * compiler checks it.
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

/* A tracepoint: the provider's events of one level and keyword. Members are not the user's. */
struct cairn_event_set {
    struct cairn_tracepoint tracepoint;
    uint64_t keyword;
    uint8_t level;
    struct cairn_event_set *next;
    const char *command; /* lies behind the set */
};

/*
 * Makes a provider. Nothing is registered yet.
 *
 * name   1 to 199 bytes without spaces, colons and control characters: other tools like letters,
 *        digits and underscores best. Copied.
 * group  the provider's group: lower-case letters and digits; NULL or "": none. Copied.
 *
 * Returns 0; EINVAL a name or group that will not do; E2BIG they are too long; ENOMEM. Any thread.
 */
CAIRN_API int cairn_dynamic_provider_create(const char *name, const char *group,
                                            struct cairn_dynamic_provider **ret_provider);

/*
 * The same with more options in the tracepoints' names than a group.
 *
 * options  "AoneZtwo": upper-case letters in alphabetical order, each with a value of lower-case
 *          letters and digits, which may be empty. G is the group's letter. NULL or "": none.
 * Copied.
 */
CAIRN_API int cairn_dynamic_provider_create_with(const char *name, const char *group,
                                                 const char *options,
                                                 struct cairn_dynamic_provider **ret_provider);

/*
 * Unregisters its event sets and lets go of them and of the provider; nobody may be writing to
 * them. Returns 0, or EBUSY: all is let go of but for memory that the kernel goes on writing to
 * (see cairn_tracepoint_unregister). NULL is accepted. Any thread; not in signal handlers.
 */
CAIRN_API int cairn_dynamic_provider_destroy(struct cairn_dynamic_provider *provider);

/*
 * The event set of a level and keyword, registered if it was not yet. It lives as long as the
 * provider.
 *
 * level  CAIRN_LEVEL_*, or another from 1 to 255
 *
 * Returns 0; EINVAL level 0; ENOMEM; or what cairn_tracepoint_register said. Any thread; not in
 * signal handlers.
 */
CAIRN_API int cairn_event_set_register(struct cairn_dynamic_provider *provider, uint8_t level,
                                       uint64_t keyword, struct cairn_event_set **ret_set);

/* The event set of a level and keyword, or NULL: not registered. Any thread. */
CAIRN_API struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider,
                                                       uint8_t level, uint64_t keyword);

/* True while somebody listens. Any thread, any signal handler. */
static inline bool cairn_event_set_is_enabled(const struct cairn_event_set *set)
{
    return cairn_tracepoint_is_enabled(&set->tracepoint);
}

/*
 * The id that ETW gives a provider of this name: a UUID of version 5 made from its upper-case form.
 * Letters beyond ASCII are taken as they are. Any thread, any signal handler.
 */
CAIRN_API void cairn_guid_from_name(const char *name, struct cairn_guid *ret_guid);

/* ---- the builder ---- */

/*
 * An event that is being put together. A builder belongs to one thread at a time. It keeps its
 * memory: after the first events none is allocated.
 *
 * The functions that add something return nothing. The first failure is remembered, what comes
 * after it is ignored, and cairn_builder_write returns it.
 */
struct cairn_builder;

/* Structs in structs in structs... so deep. */
#define CAIRN_BUILDER_DEPTH_MAX CAIRN_STRUCT_DEPTH_MAX

/* Returns 0 or ENOMEM. */
CAIRN_API int cairn_builder_create(struct cairn_builder **ret_builder);
CAIRN_API void cairn_builder_destroy(struct cairn_builder *builder);

/*
 * Begins another event: what the builder held is forgotten.
 *
 * name  of the event, UTF-8; may carry attributes: "name;attribute=value". Copied, as all names are
 * tag   means what the provider says; 0: none
 */
CAIRN_API void cairn_builder_begin(struct cairn_builder *builder, const char *name, uint16_t tag);

/* A number that the event keeps, and the version of its fields. */
CAIRN_API void cairn_builder_id_version(struct cairn_builder *builder, uint16_t id,
                                        uint8_t version);

/* CAIRN_OPCODE_*. */
CAIRN_API void cairn_builder_opcode(struct cairn_builder *builder, uint8_t opcode);

/*
 * A value of fixed size.
 *
 * name      of the field; NULL is EINVAL, as for all names
 * encoding  CAIRN_ENCODING_VALUE8 to _VALUE128, without flags
 * format    CAIRN_FORMAT_*, or another up to 0x7f: EINVAL else; _DEFAULT: the encoding's own
 * tag       of the field; 0: none
 * value     as many bytes as the encoding says, of any alignment; NULL: zeros
 */
CAIRN_API void cairn_builder_value(struct cairn_builder *builder, const char *name,
                                   uint8_t encoding, uint8_t format, uint16_t tag,
                                   const void *value);

/* An array of such values: up to 65535 of them. Its length is in the data. */
CAIRN_API void cairn_builder_values(struct cairn_builder *builder, const char *name,
                                    uint8_t encoding, uint8_t format, uint16_t tag,
                                    const void *values, size_t count);

/* An array whose length, 1 to 65535, is in the metadata: it is the same in each such event. */
CAIRN_API void cairn_builder_fixed_values(struct cairn_builder *builder, const char *name,
                                          uint8_t encoding, uint8_t format, uint16_t tag,
                                          const void *values, size_t count);

/*
 * Text or bytes.
 *
 * encoding  CAIRN_ENCODING_ZSTRING_*, _STRING_LENGTH16_* or _BINARY_LENGTH16_CHAR8
 * units     of 8, 16 or 32 bits, as the encoding says, of any alignment; NULL: none
 * count     of units; a ZSTRING ends before the first zero in them, or behind them; others take at
 *           most 65535
 */
CAIRN_API void cairn_builder_text(struct cairn_builder *builder, const char *name, uint8_t encoding,
                                  uint8_t format, uint16_t tag, const void *units, size_t count);

struct cairn_event_text {
    const void *units;
    size_t count;
};

/* An array of texts. */
CAIRN_API void cairn_builder_texts(struct cairn_builder *builder, const char *name,
                                   uint8_t encoding, uint8_t format, uint16_t tag,
                                   const struct cairn_event_text *texts, size_t count);

/*
 * A field that has no value: a BINARY_LENGTH16_CHAR8 of length 0. With a value, the same field is
 * cairn_builder_text with this encoding and format, and the bytes of the value.
 */
CAIRN_API void cairn_builder_null(struct cairn_builder *builder, const char *name, uint8_t format,
                                  uint16_t tag);

/*
 * A struct: what is added up to cairn_builder_struct_end is its fields, 1 to 127 of them, which may
 * be structs.
 */
CAIRN_API void cairn_builder_struct_begin(struct cairn_builder *builder, const char *name,
                                          uint16_t tag);

/*
 * An array of `count` structs, up to 65535. The fields of the first come next, then, after each
 * cairn_builder_structs_next, those of another, with the same names, encodings, formats and tags
 * (EINVAL else); in the end cairn_builder_struct_end. An array of no structs has fields too: they
 * are added once, and their values are not looked at.
 */
CAIRN_API void cairn_builder_structs_begin(struct cairn_builder *builder, const char *name,
                                           uint16_t tag, size_t count);
CAIRN_API void cairn_builder_structs_next(struct cairn_builder *builder);
CAIRN_API void cairn_builder_struct_end(struct cairn_builder *builder);

/*
 * A definition alone, and data alone: nobody checks that they agree.
 *
 * encoding  CAIRN_ENCODING_STRUCT to _BINARY_LENGTH16_CHAR8, with CAIRN_ENCODING_CARRAY or _VARRAY
 * or neither. A struct counts the fields after it, and so it cannot be in one that
 *           cairn_builder_struct_begin has begun.
 * format    up to 0x7f; of a struct its number of fields
 * length    of a CARRAY, not 0; else not looked at
 *
 * What is not as said here is EINVAL.
 */
CAIRN_API void cairn_builder_raw_definition(struct cairn_builder *builder, const char *name,
                                            uint8_t encoding, uint8_t format, uint16_t tag,
                                            uint16_t length);
CAIRN_API void cairn_builder_raw_data(struct cairn_builder *builder, const void *bytes,
                                      size_t size_bytes);

/* The first failure since cairn_builder_begin, or 0; and in words, "" for none. */
CAIRN_API int cairn_builder_error(const struct cairn_builder *builder);
CAIRN_API const char *cairn_builder_reason(const struct cairn_builder *builder);

/*
 * Writes the event, when somebody listens. The builder still holds it then.
 *
 * activity, related  ids, or NULL; a related id without an activity's is not written
 *
 * Returns 0; EBADF nobody listens; E2BIG something is over a limit: a struct of more than 127
 * fields, an array or a text of more than 65535 units, structs too deep in structs, names of 32 KiB
 * and more in all, an event larger than a backend takes (65476 bytes; 8184 for the kernel); EINVAL
 * something makes no sense: no set, no name, a struct without an end or without fields, an encoding
 * that is not of the function's kind, a format over 0x7f, elements of an array that differ; ENOMEM;
 * ENOSPC it was dropped, and counted; or what the kernel said.
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

/* UTF-8 that ends at its NUL; NULL is an empty text. */
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
