/* SPDX-License-Identifier: MIT */
/* Dynamic fields of an event that is being written: size, offset and contents. */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_DYNAMIC_H
#define CAIRN_TYPED_TRACEPOINT_DYNAMIC_H

#include <cairn/api.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The text of a NULL string in a record, as in Linux. */
#define CAIRN_I_TRACE_NO_TEXT       "(null)"
#define CAIRN_I_TRACE_NO_TEXT_BYTES 7u

/* A length that no record can hold: the event is dropped and counted. */
#define CAIRN_I_TRACE_TOO_LONG ((uint32_t)UINT16_MAX + 1)

/* Size of a text with its NUL. Without strlen: a kernel may have none. */
CAIRN_API uint32_t cairn_trace_dynamic_text_bytes(const char *text);

/* The text of a format and its arguments, truncated to 511 bytes as in Linux, including the NUL. */
CAIRN_API struct cairn_trace_dynamic cairn_trace_dynamic_format(const char *format,
                                                                va_list *arguments)
    __attribute__((format(printf, 1, 0)));
CAIRN_API void cairn_trace_dynamic_assign_format(void *entry,
                                                 const struct cairn_trace_dynamic *field,
                                                 const char *format, va_list *arguments)
    __attribute__((format(printf, 3, 0)));

static inline struct cairn_trace_dynamic cairn_i_dynamic_array(size_t count, size_t element_bytes)
{
    struct cairn_trace_dynamic field = {0, CAIRN_I_TRACE_TOO_LONG, 0};

    if (count <= UINT16_MAX && element_bytes <= UINT16_MAX && count * element_bytes <= UINT16_MAX)
        field.size_bytes = (uint32_t)(count * element_bytes);
    return field;
}

/* A string, and its first `length` bytes: a NUL is added. */
static inline struct cairn_trace_dynamic cairn_i_dynamic_text(const char *text, size_t length)
{
    struct cairn_trace_dynamic field;

    if (!text) {
        text = CAIRN_I_TRACE_NO_TEXT;
        if (length >= CAIRN_I_TRACE_NO_TEXT_BYTES)
            length = CAIRN_I_TRACE_NO_TEXT_BYTES - 1;
    }
    field = cairn_i_dynamic_array(length + 1, 1);
    field.source = text;
    return field;
}

static inline struct cairn_trace_dynamic cairn_i_dynamic_string(const char *text)
{
    struct cairn_trace_dynamic field = {text ? text : CAIRN_I_TRACE_NO_TEXT,
                                        CAIRN_I_TRACE_NO_TEXT_BYTES, 0};

    if (text) {
#if __STDC_HOSTED__
        size_t length = __builtin_strlen(text);

        field.size_bytes = length < UINT16_MAX ? (uint32_t)length + 1 : CAIRN_I_TRACE_TOO_LONG;
#else
        field.size_bytes = cairn_trace_dynamic_text_bytes(text);
#endif
    }
    return field;
}

/* A bitmap: whole longs. */
static inline struct cairn_trace_dynamic cairn_i_dynamic_bits(size_t bits)
{
    return cairn_i_dynamic_array(bits / (8 * sizeof(long)) + (bits % (8 * sizeof(long)) != 0),
                                 sizeof(long));
}

/*
 * Sets the offset of a field, after all others. A field that is too long makes the sum too large,
 * too.
 */
static inline struct cairn_trace_dynamic cairn_i_dynamic_at(struct cairn_trace_dynamic field,
                                                            uint32_t *raw_bytes)
{
    field.offset = *raw_bytes;
    *raw_bytes += field.size_bytes;
    return field;
}

static inline uint32_t cairn_i_dynamic_location(const struct cairn_trace_dynamic *field,
                                                uint32_t base)
{
    return field->size_bytes << 16 | (field->offset - base);
}

/* The NUL is written, not copied: the text may change while it is copied. */
static inline void cairn_i_dynamic_assign_text(void *entry, const struct cairn_trace_dynamic *field)
{
    char *to = (char *)entry + field->offset;

    __builtin_memcpy(to, field->source, field->size_bytes - 1);
    to[field->size_bytes - 1] = '\0';
}

/* Copies as many bytes as fit. */
static inline void cairn_i_dynamic_assign(void *entry, const struct cairn_trace_dynamic *field,
                                          const void *source, struct cairn_trace_dynamic wanted)
{
    uint32_t size_bytes =
        wanted.size_bytes < field->size_bytes ? wanted.size_bytes : field->size_bytes;

    if (size_bytes)
        __builtin_memcpy((char *)entry + field->offset, source, size_bytes);
}

/* An argument, for raw callbacks. */
static inline uint64_t cairn_i_argument_bits(const volatile void *argument, size_t size_bytes,
                                             bool is_signed)
{
    uint64_t bits = 0;
    unsigned int spare = (unsigned int)(64 - 8 * size_bytes);

    if (size_bytes > sizeof(bits))
        return (uintptr_t)argument;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    __builtin_memcpy(&bits, (const void *)argument, size_bytes);
#else
    __builtin_memcpy((char *)&bits + sizeof(bits) - size_bytes, (const void *)argument, size_bytes);
#endif
    return is_signed && spare < 64 ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits;
}

#ifdef __cplusplus
}
#endif

#endif
