/* SPDX-License-Identifier: MIT */
/*
 * The values of an event on Windows: descriptors of the memory that contains them, which the kernel
 * gathers. Numbers are in the variables of the call site, texts and arrays where the program has
 * them; a count is in a variable of the call site. fields.h has the signatures, values.h says what
 * they are elsewhere.
 *
 * ETW has another form for some values: UUIDs have their first three parts in little-endian order,
 * times are counted from 1601 in units of 100 ns, an IPv6 address has its size before it, and sizes
 * of text are in bytes. Single values are converted at the call site. What is converted as a whole
 * (UTF-32, arrays of UUIDs, of ports in host byte order) has a descriptor of a type of its own, for
 * which the event is copied by cairn_i_etw_write_converted.
 */
/* clang-format would take rows and passes for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_ETW_VALUES_H
#define CAIRN_EVENTHEADER_ETW_VALUES_H

#include <cairn/api.h>
#include <cairn/eventheader/convert.h>
#include <stdint.h>
#include <time.h>

struct cairn_provider;

#ifdef __cplusplus
extern "C" {
#endif

/* As EVENT_DATA_DESCRIPTOR. */
struct cairn_i_etw_data {
    uint64_t address;
    uint32_t size_bytes; /* for types from CAIRN_I_ETW_CONVERTED on: the number of units */
    uint8_t type;
    uint8_t reserved1;
    uint16_t reserved2;
};

/* As EVENT_DESCRIPTOR. */
struct cairn_i_etw_event {
    uint16_t id;
    uint8_t version;
    uint8_t channel;
    uint8_t level;
    uint8_t opcode;
    uint16_t task;
    uint64_t keyword;
};

enum cairn_i_etw_type {
    CAIRN_I_ETW_DATA = 0,
    CAIRN_I_ETW_EVENT_METADATA = 1,
    CAIRN_I_ETW_PROVIDER_METADATA = 2,
    CAIRN_I_ETW_CONVERTED = 0x80,  /* those from here on are not for the kernel */
    CAIRN_I_ETW_ZEROS = 0x80,      /* `count` bytes */
    CAIRN_I_ETW_UUIDS = 0x81,      /* `count` UUIDs */
    CAIRN_I_ETW_PORTS = 0x82,      /* `count` u16, their bytes exchanged */
    CAIRN_I_ETW_UTF32 = 0x83,      /* `count` units, to UTF-16 after their size in bytes */
    CAIRN_I_ETW_ZUTF32 = 0x84,     /* units up to a zero, at most `count`, to UTF-16 with a zero */
    CAIRN_I_ETW_SUTF32 = 0x85,     /* units up to a zero, to UTF-16 after their size in bytes */
    CAIRN_I_ETW_ADDRESS = 0x86,    /* `count` bytes of an IPv4 or IPv6 address, to one of IPv6 after its size */
};

/*
 * Writes an event.
 *
 * data   two descriptors that this fills in, for the provider's and the event's metadata, and those of the values
 *
 * Returns what CAIRN_WRITE_EVENT returns.
 */
#define CAIRN_I_ETW_API  CAIRN_API /* of the library for Windows alone */
CAIRN_I_ETW_API CAIRN_I_COLD int cairn_i_etw_write(const struct cairn_provider *provider,
                                                   const struct cairn_i_etw_event *event, const void *metadata,
                                                   const void *activity_id, const void *related_id,
                                                   struct cairn_i_etw_data *data, uint32_t count);

/* The same for values to be converted, and for more of them than the kernel takes. */
CAIRN_I_ETW_API CAIRN_I_COLD int cairn_i_etw_write_converted(const struct cairn_provider *provider,
                                                             const struct cairn_i_etw_event *event, const void *metadata,
                                                             const void *activity_id, const void *related_id,
                                                             struct cairn_i_etw_data *data, uint32_t count);

/* The most that the kernel takes, those of the metadata included. */
#define CAIRN_I_ETW_DATA_MAX 128

/* ---- values ---- */

static const uint8_t cairn_i_etw_zeros[16] __attribute__((unused)) = {0};

/* Each of these adds descriptors, and returns the address of the next. `odd` becomes not zero if the event has to be
 * written by cairn_i_etw_write_converted: for zeros instead of NULL, and for counts that do not fit. */
static inline struct cairn_i_etw_data *cairn_i_etw_put(struct cairn_i_etw_data *to, const void *from, uint64_t bytes)
{
    to->address = (uint64_t)(uintptr_t)from;
    to->size_bytes = (uint32_t)bytes;
    to->type = CAIRN_I_ETW_DATA;
    to->reserved1 = 0;
    to->reserved2 = 0;
    return to + 1;
}

static inline struct cairn_i_etw_data *cairn_i_etw_put_as(struct cairn_i_etw_data *to, const void *from, uint64_t count,
                                                          enum cairn_i_etw_type type, uint64_t *odd)
{
    if (count > 0x20000)
        count = 0x20000; /* more than an event can have */
    cairn_i_etw_put(to, from, count)[-1].type = (uint8_t)type;
    *odd |= 1;
    return to + 1;
}

/* A count, and units of 1 << shift bytes; `unit_counts` is what a unit adds to the count. */
static inline struct cairn_i_etw_data *cairn_i_etw_put_counted(struct cairn_i_etw_data *to, uint16_t *count_at,
                                                               const void *from, uint64_t count, uint32_t shift,
                                                               uint32_t unit_counts, uint64_t *odd)
{
    if (!from)
        count = 0;
    *odd |= (count * unit_counts | count) >> 16;
    *count_at = (uint16_t)(count * unit_counts);
    to = cairn_i_etw_put(to, count_at, 2);
    return cairn_i_etw_put(to, from, count > 0xffff ? 0x20000 : count << shift);
}

static inline uint64_t cairn_i_etw_length8(const void *text, uint64_t limit)
{
    uint64_t n = 0;

    if (!text)
        return 0;
    if (limit > CAIRN_I_NO_LIMIT)
        return limit;
    if (limit == CAIRN_I_NO_LIMIT)
        return __builtin_strlen((const char *)text);
    while (n < limit && ((const char *)text)[n])
        n++;
    return n;
}

static inline uint64_t cairn_i_etw_length16(const void *text, uint64_t limit)
{
    uint64_t n = 0;

    if (limit > CAIRN_I_NO_LIMIT)
        return text ? limit : 0;
    while (text && n < limit && ((const uint16_t *)text)[n])
        n++;
    return n;
}

/* `count` units, which are text without a zero, and a zero. */
static inline struct cairn_i_etw_data *cairn_i_etw_put_zero(struct cairn_i_etw_data *to, const void *from, uint64_t count,
                                                            uint32_t shift, uint64_t *odd)
{
    *odd |= count >> 16;
    to = cairn_i_etw_put(to, from, count > 0xffff ? 0x20000 : count << shift);
    return cairn_i_etw_put(to, cairn_i_etw_zeros, (uint64_t)1 << shift);
}

/* Bytes, or zeros for NULL. */
static inline struct cairn_i_etw_data *cairn_i_etw_put_fixed(struct cairn_i_etw_data *to, const void *from, uint64_t bytes,
                                                             uint64_t *odd)
{
    return from ? cairn_i_etw_put(to, from, bytes) : cairn_i_etw_put_as(to, from, bytes, CAIRN_I_ETW_ZEROS, odd);
}

/* A count of 1 and the value, or a count of 0 for NULL. */
static inline struct cairn_i_etw_data *cairn_i_etw_put_one(struct cairn_i_etw_data *to, uint16_t *count_at, const void *from,
                                                           uint64_t bytes, uint16_t counts)
{
    *count_at = from ? counts : 0;
    to = cairn_i_etw_put(to, count_at, 2);
    return from ? cairn_i_etw_put(to, from, bytes) : to;
}

struct cairn_i_etw_guid {
    uint8_t bytes[16];
};

/* A UUID in Windows' byte order; NULL: zeros. */
static inline void cairn_i_etw_convert_guid(const void *from, struct cairn_i_etw_guid *ret_guid)
{
    static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

    for (unsigned i = 0; i < 16; i++)
        ret_guid->bytes[i] = from ? ((const uint8_t *)from)[order[i]] : 0;
}

/* A time since 1970 as units of 100 ns since 1601; what it cannot be becomes the nearest time that Windows can show. */
static inline uint64_t cairn_i_etw_filetime(int64_t seconds, int64_t nanoseconds)
{
    const int64_t low = -11644473600ll;
    const int64_t high = 910670515199ll; /* the last second of the year 30827 */

    if (seconds < low)
        return 0;
    return seconds > high ? 0x7fff35f4f06c7fffull : (uint64_t)(seconds - low) * 10000000u + (uint64_t)(nanoseconds / 100);
}

static inline uint64_t cairn_i_systemtime(struct timespec time)
{
    return cairn_i_etw_filetime(time.tv_sec, time.tv_nsec);
}

#ifdef __cplusplus
}
#endif

/* ---- the number of descriptors: + 1, + 2; + CAIRN_I_ETW_ODD for values that are converted as a whole ---- */

#define CAIRN_I_ETW_ODD (1u << 20)

#define CAIRN_I_ROOM
#define CAIRN_I_ROOM_ACTIVITY
#define CAIRN_I_ROOM_RELATED
#define CAIRN_I_ROOM_1    + 1
#define CAIRN_I_ROOM_2    + 1
#define CAIRN_I_ROOM_4    + 1
#define CAIRN_I_ROOM_8    + 1
#define CAIRN_I_ROOM_T4   + 1
#define CAIRN_I_ROOM_T8   + 1
#define CAIRN_I_ROOM_TS   + 1
#define CAIRN_I_ROOM_GUID + 1
#define CAIRN_I_ROOM_IPV6 + 2
#define CAIRN_I_ROOM_B6   + 2
#define CAIRN_I_ROOM_IP   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_TEXT + 2
#define CAIRN_I_ROOM_S1   + 2
#define CAIRN_I_ROOM_S2   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_Z0   + 2
#define CAIRN_I_ROOM_Z1   + 2
#define CAIRN_I_ROOM_Z2   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_Y0   + 2
#define CAIRN_I_ROOM_Y1   + 2
#define CAIRN_I_ROOM_Y2   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_N0   + 2
#define CAIRN_I_ROOM_B0   + 2
#define CAIRN_I_ROOM_N1   + 2
#define CAIRN_I_ROOM_N2   + 2
#define CAIRN_I_ROOM_N3   + 2
#define CAIRN_I_ROOM_N4   + CAIRN_I_ETW_ODD + 2
#define CAIRN_I_ROOM_C1   + 2
#define CAIRN_I_ROOM_C2   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_P1   + CAIRN_I_ETW_ODD + 2
#define CAIRN_I_ROOM_R0   + 1
#define CAIRN_I_ROOM_V0   + 1
#define CAIRN_I_ROOM_V1   + 1
#define CAIRN_I_ROOM_V2   + 1
#define CAIRN_I_ROOM_V3   + 1
#define CAIRN_I_ROOM_V4   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_W1   + CAIRN_I_ETW_ODD + 1
#define CAIRN_I_ROOM_M0   + 2
#define CAIRN_I_ROOM_M1   + 2
#define CAIRN_I_ROOM_M2   + 2
#define CAIRN_I_ROOM_M3   + 2
#define CAIRN_I_ROOM_M4   + 2
#define CAIRN_I_ROOM_M6   + 2
#define CAIRN_I_ROOM_MT4  + 2
#define CAIRN_I_ROOM_MT8  + 2
#define CAIRN_I_ROOM_J1   + 2

/* ---- the values ---- */

/* cairn_i_to is where the next descriptor goes. The variables live as long as the descriptors. */
#define CAIRN_I_PUT(id)
#define CAIRN_I_PUT_ACTIVITY(id)
#define CAIRN_I_PUT_RELATED(id)
#define CAIRN_I_PUT_NUMBER(id, bytes) cairn_i_to = cairn_i_etw_put(cairn_i_to, &cairn_i_argument##id, bytes);
#define CAIRN_I_PUT_1(id) CAIRN_I_PUT_NUMBER(id, 1)
#define CAIRN_I_PUT_2(id) CAIRN_I_PUT_NUMBER(id, 2)
#define CAIRN_I_PUT_4(id) CAIRN_I_PUT_NUMBER(id, 4)
#define CAIRN_I_PUT_8(id) CAIRN_I_PUT_NUMBER(id, 8)
#define CAIRN_I_PUT_TIME(id, type) \
    uint64_t cairn_i_time##id = cairn_i_etw_filetime((type)cairn_i_argument##id, 0); \
    cairn_i_to = cairn_i_etw_put(cairn_i_to, &cairn_i_time##id, 8);
#define CAIRN_I_PUT_T4(id) CAIRN_I_PUT_TIME(id, int32_t)
#define CAIRN_I_PUT_T8(id) CAIRN_I_PUT_TIME(id, int64_t)
#define CAIRN_I_PUT_TS(id) CAIRN_I_PUT_8(id)
#define CAIRN_I_PUT_GUID(id) \
    struct cairn_i_etw_guid cairn_i_guid##id; \
    cairn_i_etw_convert_guid(CAIRN_I_ADDRESS(id), &cairn_i_guid##id); \
    cairn_i_to = cairn_i_etw_put(cairn_i_to, &cairn_i_guid##id, 16);
#define CAIRN_I_PUT_IPV6(id) \
    uint16_t cairn_i_size##id; \
    cairn_i_to = cairn_i_etw_put_one(cairn_i_to, &cairn_i_size##id, \
                                     cairn_i_argument##id ? CAIRN_I_ADDRESS(id) : cairn_i_etw_zeros, 16, 16);
#define CAIRN_I_PUT_B6(id) CAIRN_I_PUT_IPV6(id)
#define CAIRN_I_PUT_AS(id, count, type) \
    cairn_i_to = cairn_i_etw_put_as(cairn_i_to, CAIRN_I_ADDRESS(id), count, type, &cairn_i_odd);
#define CAIRN_I_PUT_COUNTED(id, count, shift, unit_counts) \
    uint16_t cairn_i_size##id; \
    cairn_i_to = cairn_i_etw_put_counted(cairn_i_to, &cairn_i_size##id, CAIRN_I_ADDRESS(id), count, shift, unit_counts, &cairn_i_odd);
#define CAIRN_I_PUT_IP(id) CAIRN_I_PUT_AS(id, cairn_i_argument##id ? cairn_i_count##id : 0, CAIRN_I_ETW_ADDRESS)
#define CAIRN_I_PUT_TEXT(id) \
    CAIRN_I_PUT_COUNTED(id, cairn_i_etw_length8(CAIRN_I_ADDRESS(id), CAIRN_I_NO_LIMIT), 0, 1)
#define CAIRN_I_PUT_S1(id) \
    CAIRN_I_PUT_COUNTED(id, cairn_i_etw_length16(CAIRN_I_ADDRESS(id), CAIRN_I_NO_LIMIT), 1, 2)
#define CAIRN_I_PUT_S2(id) CAIRN_I_PUT_AS(id, UINT64_MAX, CAIRN_I_ETW_SUTF32)
#define CAIRN_I_PUT_Z(id, bits, limit, shift) \
    cairn_i_to = cairn_i_etw_put_zero(cairn_i_to, CAIRN_I_ADDRESS(id), \
                                      cairn_i_etw_length##bits(CAIRN_I_ADDRESS(id), limit), shift, &cairn_i_odd);
#define CAIRN_I_PUT_Z0(id) CAIRN_I_PUT_Z(id, 8, CAIRN_I_NO_LIMIT, 0)
#define CAIRN_I_PUT_Z1(id) CAIRN_I_PUT_Z(id, 16, CAIRN_I_NO_LIMIT, 1)
#define CAIRN_I_PUT_Z2(id) CAIRN_I_PUT_AS(id, UINT64_MAX, CAIRN_I_ETW_ZUTF32)
#define CAIRN_I_PUT_Y0(id) CAIRN_I_PUT_Z(id, 8, cairn_i_count##id, 0)
#define CAIRN_I_PUT_Y1(id) CAIRN_I_PUT_Z(id, 16, cairn_i_count##id, 1)
#define CAIRN_I_PUT_Y2(id) CAIRN_I_PUT_AS(id, cairn_i_count##id, CAIRN_I_ETW_ZUTF32)
#define CAIRN_I_PUT_N0(id) CAIRN_I_PUT_COUNTED(id, cairn_i_count##id, 0, 1)
#define CAIRN_I_PUT_B0(id) CAIRN_I_PUT_N0(id)
#define CAIRN_I_PUT_N1(id) CAIRN_I_PUT_COUNTED(id, cairn_i_count##id, 1, 1)
#define CAIRN_I_PUT_N2(id) CAIRN_I_PUT_COUNTED(id, cairn_i_count##id, 2, 1)
#define CAIRN_I_PUT_N3(id) CAIRN_I_PUT_COUNTED(id, cairn_i_count##id, 3, 1)
#define CAIRN_I_PUT_C1(id) CAIRN_I_PUT_COUNTED(id, cairn_i_count##id, 1, 2)
#define CAIRN_I_PUT_C2(id) CAIRN_I_PUT_AS(id, cairn_i_count##id, CAIRN_I_ETW_UTF32)
/* The count first, then what is converted. */
#define CAIRN_I_PUT_CONVERTED(id, type) \
    uint64_t cairn_i_number##id = cairn_i_argument##id ? cairn_i_count##id : 0; \
    uint16_t cairn_i_size##id = (uint16_t)cairn_i_number##id; \
    cairn_i_to = cairn_i_etw_put(cairn_i_to, &cairn_i_size##id, 2); \
    CAIRN_I_PUT_AS(id, cairn_i_number##id, type)
#define CAIRN_I_PUT_N4(id) CAIRN_I_PUT_CONVERTED(id, CAIRN_I_ETW_UUIDS)
#define CAIRN_I_PUT_P1(id) CAIRN_I_PUT_CONVERTED(id, CAIRN_I_ETW_PORTS)
#define CAIRN_I_PUT_R0(id) \
    cairn_i_odd |= cairn_i_argument##id ? (uint64_t)cairn_i_count##id >> 16 : 0; \
    cairn_i_to = cairn_i_etw_put(cairn_i_to, CAIRN_I_ADDRESS(id), \
                                 !cairn_i_argument##id ? 0 : cairn_i_count##id > 0xffff ? 0x20000 : cairn_i_count##id);
#define CAIRN_I_PUT_FIXED(id, shift) \
    cairn_i_to = cairn_i_etw_put_fixed(cairn_i_to, CAIRN_I_ADDRESS(id), (uint64_t)cairn_i_count##id << shift, &cairn_i_odd);
#define CAIRN_I_PUT_V0(id) CAIRN_I_PUT_FIXED(id, 0)
#define CAIRN_I_PUT_V1(id) CAIRN_I_PUT_FIXED(id, 1)
#define CAIRN_I_PUT_V2(id) CAIRN_I_PUT_FIXED(id, 2)
#define CAIRN_I_PUT_V3(id) CAIRN_I_PUT_FIXED(id, 3)
#define CAIRN_I_PUT_V4(id) CAIRN_I_PUT_AS(id, cairn_i_count##id, CAIRN_I_ETW_UUIDS)
#define CAIRN_I_PUT_W1(id) CAIRN_I_PUT_AS(id, cairn_i_count##id, CAIRN_I_ETW_PORTS)
#define CAIRN_I_PUT_ONE(id, bytes, counts) \
    uint16_t cairn_i_size##id; \
    cairn_i_to = cairn_i_etw_put_one(cairn_i_to, &cairn_i_size##id, CAIRN_I_ADDRESS(id), bytes, counts);
#define CAIRN_I_PUT_M0(id) CAIRN_I_PUT_ONE(id, 1, 1)
#define CAIRN_I_PUT_M1(id) CAIRN_I_PUT_ONE(id, 2, 1)
#define CAIRN_I_PUT_M2(id) CAIRN_I_PUT_ONE(id, 4, 1)
#define CAIRN_I_PUT_M3(id) CAIRN_I_PUT_ONE(id, 8, 1)
#define CAIRN_I_PUT_M6(id) CAIRN_I_PUT_ONE(id, 16, 16)
#define CAIRN_I_PUT_ONE_OF(id, value, bytes) \
    uint16_t cairn_i_size##id; \
    cairn_i_to = cairn_i_etw_put_one(cairn_i_to, &cairn_i_size##id, cairn_i_argument##id ? &value : 0, bytes, 1);
#define CAIRN_I_PUT_M4(id) \
    struct cairn_i_etw_guid cairn_i_guid##id; \
    cairn_i_etw_convert_guid(CAIRN_I_ADDRESS(id), &cairn_i_guid##id); \
    CAIRN_I_PUT_ONE_OF(id, cairn_i_guid##id, 16)
#define CAIRN_I_PUT_ONE_TIME(id, type) \
    uint64_t cairn_i_time##id = cairn_i_etw_filetime(cairn_i_argument##id ? *(type *)CAIRN_I_ADDRESS(id) : 0, 0); \
    CAIRN_I_PUT_ONE_OF(id, cairn_i_time##id, 8)
#define CAIRN_I_PUT_MT4(id) CAIRN_I_PUT_ONE_TIME(id, const int32_t)
#define CAIRN_I_PUT_MT8(id) CAIRN_I_PUT_ONE_TIME(id, const int64_t)
#define CAIRN_I_PUT_J1(id) \
    uint16_t cairn_i_port##id = cairn_i_argument##id ? __builtin_bswap16(*(const uint16_t *)CAIRN_I_ADDRESS(id)) : 0; \
    CAIRN_I_PUT_ONE_OF(id, cairn_i_port##id, 2)

#endif
