/* SPDX-License-Identifier: MIT */
/*
 * The values of an event, encoded by the code of its call site (call_site.h):
 *
 *   begin   finds space for the values: in the buffer of this thread, or, if the event needs more
 *           than a copy into one buffer, in memory of the library
 *   put     the values, in order. Numbers are stored; a function copies what has no fixed size
 *   commit  makes the record, or writes the event to all backends that are enabled
 *
 * An event of numbers that take no more than 8 bytes, and perhaps a text after them, is written by
 * one call instead.
 *
 * Between begin and commit nothing but values that are already known is used, so nothing can fail,
 * jump or wait there.
 *
 * A row's signature (fields.h) says how its value is encoded:
 *
 *   _1 _2 _4 _8         the argument's low bytes
 *   _GUID               16 bytes that it points to; NULL: zeros
 *   _TEXT               pointer to a text: a u16 count, then its bytes up to the zero
 *   _S1 _S2             the same for units of 2 and 4 bytes
 *   _Z0 _Z1 _Z2         the same without the count and with the zero, units of 1 << digit bytes
 *   _Y0 _Y1 _Y2         pointer, limit: units up to a zero or the limit, then a zero
 *   _N0 to _N4          pointer, count: a u16 count, then units of 1 << digit bytes
 *   _P1                 the same, units of two bytes, converted to network byte order
 *   _R0                 pointer, count: bytes without a count
 *   _V0 to _V4          the same for units; NULL: zeros
 *   _W1                 the same, units of two bytes, converted to network byte order
 *   _M0 to _M4          pointer to 1 << digit bytes: a u16 count of bytes, and these; NULL: count 0
 *   _J1                 the same for two bytes, converted to network byte order
 *   _T4 _T8             as _4, _8: seconds since 1970
 *   _TS                 as _8: what cairn_i_systemtime returns
 *   _IPV6 _IP           as _GUID, _N0: an address
 *   _B6 _B0             as _IPV6, _N0: for words that end with c
 *   _C1 _C2             as _N1, _N2: text
 *   _MT4 _MT8 _M6       as _M2, _M3: seconds since 1970; as _M4: an address
 *   _ACTIVITY _RELATED  not a value: the id of the activity, of the related activity
 */
/* clang-format would take rows and passes for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_VALUES_H
#define CAIRN_EVENTHEADER_VALUES_H

#include <cairn/eventheader/constant.h>
#include <cairn/eventheader/convert.h>
#include <cairn/tracepoint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Begins to write an event. Nothing at the call site but the place of the next value is kept, so
 * that the function that contains it needs no stack and saves no registers for a disabled event.
 *
 * room_bytes  the most that the values take, each value of variable size counted with
 *             CAIRN_I_SHORT_BYTES, or with CAIRN_I_LEAST_BYTES if it is put with CAIRN_I_CHECKED
 *
 * Returns where the first value goes; then commit follows. NULL: the library has no memory.
 */
CAIRN_API CAIRN_I_COLD uint8_t *cairn_i_event_begin(const struct cairn_tracepoint *tracepoint,
                                                    const void *event, uint32_t room_bytes);
CAIRN_API CAIRN_I_COLD uint8_t *
cairn_i_event_begin_any(const struct cairn_tracepoint *tracepoint, const void *event,
                             uint32_t room_bytes, const void *activity_id, const void *related_id);

/* The values end there. Returns what CAIRN_WRITE_EVENT returns. */
CAIRN_API CAIRN_I_COLD int cairn_i_event_commit(uint8_t *end);

/* An event of `bytes` of numbers, up to 8, in the order of memory; and the same with a text after
 * them. Returns what CAIRN_WRITE_EVENT returns. */
CAIRN_API CAIRN_I_COLD int cairn_i_event_numbers(const struct cairn_tracepoint *tracepoint,
                                                 const void *event, uint64_t numbers,
                                                 uint32_t bytes);
CAIRN_API CAIRN_I_COLD int cairn_i_event_text(const struct cairn_tracepoint *tracepoint,
                                              const void *event, uint64_t numbers, uint32_t bytes,
                                              const char *text);

/* Each encodes a value. Returns the end of it, where the next one goes. */
CAIRN_API CAIRN_I_COLD uint8_t *cairn_i_put_text(uint8_t *to, const char *text);
CAIRN_API CAIRN_I_COLD uint8_t *cairn_i_put_slice(uint8_t *to, const void *from, uint64_t count,
                                                  uint32_t form);
CAIRN_API CAIRN_I_COLD uint8_t *cairn_i_put_units(uint8_t *to, const void *from, uint64_t count,
                                                  uint32_t form);

/* Memory that is reserved for a value of variable size, whatever its size is: a short one needs no
 * comparison with what is left. */
#define CAIRN_I_SHORT_BYTES 262
#define CAIRN_I_LEAST_BYTES 6 /* its count and zero */

/* An event of more such values has them checked one by one. */
#define CAIRN_I_SHORT_VALUES_MAX 24

/* More for all values, or activity ids, need cairn_i_event_begin_any. */
#define CAIRN_I_ROOM_SMALL_BYTES 0x7f00

/* The most for all values: more than an event can have. */
#define CAIRN_I_ROOM_MAX_BYTES (128ul << 10)

/* The form of a value of variable size: units of 1 << (form & CAIRN_I_SHIFT) bytes ... */
#define CAIRN_I_SHIFT    7
#define CAIRN_I_COUNT    8   /* after their count */
#define CAIRN_I_ZERO     16  /* and a zero */
#define CAIRN_I_UP_TO    32  /* a zero, or the given count */
#define CAIRN_I_NETWORK  64  /* bytes of each two exchanged */
#define CAIRN_I_CONSTANT 128 /* NULL: zeros of this size */
#define CAIRN_I_CHECKED  256 /* CAIRN_I_LEAST_BYTES are reserved */

static const uint8_t cairn_i_no_guid[16] __attribute__((unused)) = {0};

/* Whole seconds, rounded down. */
static inline uint64_t cairn_i_systemtime(struct timespec time)
{
    return (uint64_t)(int64_t)time.tv_sec;
}

#ifdef __cplusplus
}
#endif

/* ---- the space for the values: + 4 + CAIRN_I_VARIES ---- */

#define CAIRN_I_VARIES (1ul << 20)

#define CAIRN_I_ROOM
#define CAIRN_I_ROOM_ACTIVITY
#define CAIRN_I_ROOM_RELATED
#define CAIRN_I_ROOM_1    + 1
#define CAIRN_I_ROOM_2    + 2
#define CAIRN_I_ROOM_4    + 4
#define CAIRN_I_ROOM_8    + 8
#define CAIRN_I_ROOM_GUID + 16
#define CAIRN_I_ROOM_TEXT + CAIRN_I_VARIES
#define CAIRN_I_ROOM_S1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_S2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Z0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Z1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Z2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Y0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Y1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_Y2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_N0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_N1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_N2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_N3   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_N4   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_P1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_R0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_V0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_V1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_V2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_V3   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_V4   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_W1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_M0   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_M1   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_M2   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_M3   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_M4   + CAIRN_I_VARIES
#define CAIRN_I_ROOM_J1   + CAIRN_I_VARIES

/* ETW distinguishes these from others. */
#define CAIRN_I_ROOM_C1   CAIRN_I_ROOM_N1
#define CAIRN_I_ROOM_C2   CAIRN_I_ROOM_N2
#define CAIRN_I_ROOM_T4   CAIRN_I_ROOM_4
#define CAIRN_I_ROOM_T8   CAIRN_I_ROOM_8
#define CAIRN_I_ROOM_TS   CAIRN_I_ROOM_8
#define CAIRN_I_ROOM_IPV6 CAIRN_I_ROOM_GUID
#define CAIRN_I_ROOM_IP   CAIRN_I_ROOM_N0
#define CAIRN_I_ROOM_B6   CAIRN_I_ROOM_GUID
#define CAIRN_I_ROOM_B0   CAIRN_I_ROOM_N0
#define CAIRN_I_ROOM_MT4  CAIRN_I_ROOM_M2
#define CAIRN_I_ROOM_MT8  CAIRN_I_ROOM_M3
#define CAIRN_I_ROOM_M6   CAIRN_I_ROOM_M4

/* Parts of the sum: the number of values of variable size, if they are checked, and the space. */
#define CAIRN_I_VARYING(sum)    ((sum) / CAIRN_I_VARIES)
#define CAIRN_I_IS_CHECKED(sum) (CAIRN_I_VARYING(sum) > CAIRN_I_SHORT_VALUES_MAX)
#define CAIRN_I_ROOM_OF(sum) \
    ((sum) % CAIRN_I_VARIES + \
     CAIRN_I_VARYING(sum) * (CAIRN_I_IS_CHECKED(sum) ? CAIRN_I_LEAST_BYTES : CAIRN_I_SHORT_BYTES))

/* ---- the values ---- */

/* cairn_i_to is where the next value goes, cairn_i_checked is 0 or CAIRN_I_CHECKED. */
#define CAIRN_I_PUT(id)
#define CAIRN_I_PUT_ACTIVITY(id)
#define CAIRN_I_PUT_RELATED(id)

struct cairn_i_u16 { uint16_t value; } __attribute__((packed, may_alias));
struct cairn_i_u32 { uint32_t value; } __attribute__((packed, may_alias));
struct cairn_i_u64 { uint64_t value; } __attribute__((packed, may_alias));

#define CAIRN_I_PUT_NUMBER(bits, id) \
    ((struct cairn_i_u##bits *)(void *)cairn_i_to)->value = (uint##bits##_t)cairn_i_argument##id; \
    cairn_i_to += bits / 8;

/* ---- the values of an event that is written by one call ---- */

/* Signatures that are not here leave nothing: then the sum of the bits is not that of the space. So
 * do a second text, and a number after a text. */
#define CAIRN_I_PACK_NUMBER(bits, id) CAIRN_I_HIT( \
    cairn_i_packed |= (uint64_t)(uint##bits##_t)cairn_i_argument##id << cairn_i_packed_bits % 64; \
    cairn_i_packed_bits += cairn_i_packed_texts ? 1000 : bits;)
#define CAIRN_I_PACK_1(id)  CAIRN_I_PACK_NUMBER(8, id)
#define CAIRN_I_PACK_2(id)  CAIRN_I_PACK_NUMBER(16, id)
#define CAIRN_I_PACK_4(id)  CAIRN_I_PACK_NUMBER(32, id)
#define CAIRN_I_PACK_8(id)  CAIRN_I_PACK_NUMBER(64, id)
#define CAIRN_I_PACK_T4(id) CAIRN_I_PACK_NUMBER(32, id)
#define CAIRN_I_PACK_T8(id) CAIRN_I_PACK_NUMBER(64, id)
#define CAIRN_I_PACK_TS(id) CAIRN_I_PACK_NUMBER(64, id)
#define CAIRN_I_PACK_TEXT(id) CAIRN_I_HIT( \
    cairn_i_packed_text = (const char *)CAIRN_I_ADDRESS(id); \
    cairn_i_packed_texts++;)

/* Constant for the compiler. Numbers are packed as they are in memory. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define CAIRN_I_IS_PACKED \
    (!cairn_i_has_activity_id && cairn_i_packed_texts <= 1 && cairn_i_packed_bits <= 64 && \
     cairn_i_packed_bits / 8 + cairn_i_packed_texts * CAIRN_I_VARIES == cairn_i_sum)
#else
#define CAIRN_I_IS_PACKED 0
#endif

/* ---- the values of others ---- */

#define CAIRN_I_PUT_1(id) *cairn_i_to++ = (uint8_t)cairn_i_argument##id;
#define CAIRN_I_PUT_2(id) CAIRN_I_PUT_NUMBER(16, id)
#define CAIRN_I_PUT_4(id) CAIRN_I_PUT_NUMBER(32, id)
#define CAIRN_I_PUT_8(id) CAIRN_I_PUT_NUMBER(64, id)
#define CAIRN_I_PUT_GUID(id) \
    __builtin_memcpy(cairn_i_to, cairn_i_argument##id ? CAIRN_I_ADDRESS(id) : cairn_i_no_guid, 16); \
    cairn_i_to += 16;

#define CAIRN_I_PUT_TEXT(id) \
    cairn_i_to = cairn_i_checked ? cairn_i_put_units(cairn_i_to, CAIRN_I_ADDRESS(id), CAIRN_I_NO_LIMIT, \
                                                     CAIRN_I_COUNT | CAIRN_I_UP_TO | CAIRN_I_CHECKED) \
                                 : cairn_i_put_text(cairn_i_to, (const char *)CAIRN_I_ADDRESS(id));
#define CAIRN_I_PUT_UNITS(id, count, form) \
    cairn_i_to = cairn_i_put_units(cairn_i_to, CAIRN_I_ADDRESS(id), count, (form) | cairn_i_checked);
#define CAIRN_I_PUT_SLICE(id, shift) \
    cairn_i_to = cairn_i_put_slice(cairn_i_to, CAIRN_I_ADDRESS(id), cairn_i_count##id, \
                                   CAIRN_I_COUNT | shift | cairn_i_checked);
#define CAIRN_I_PUT_S1(id) CAIRN_I_PUT_UNITS(id, CAIRN_I_NO_LIMIT, CAIRN_I_COUNT | CAIRN_I_UP_TO | 1)
#define CAIRN_I_PUT_S2(id) CAIRN_I_PUT_UNITS(id, CAIRN_I_NO_LIMIT, CAIRN_I_COUNT | CAIRN_I_UP_TO | 2)
#define CAIRN_I_PUT_Z0(id) CAIRN_I_PUT_UNITS(id, CAIRN_I_NO_LIMIT, CAIRN_I_UP_TO | CAIRN_I_ZERO | 0)
#define CAIRN_I_PUT_Z1(id) CAIRN_I_PUT_UNITS(id, CAIRN_I_NO_LIMIT, CAIRN_I_UP_TO | CAIRN_I_ZERO | 1)
#define CAIRN_I_PUT_Z2(id) CAIRN_I_PUT_UNITS(id, CAIRN_I_NO_LIMIT, CAIRN_I_UP_TO | CAIRN_I_ZERO | 2)
#define CAIRN_I_PUT_Y0(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_UP_TO | CAIRN_I_ZERO | 0)
#define CAIRN_I_PUT_Y1(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_UP_TO | CAIRN_I_ZERO | 1)
#define CAIRN_I_PUT_Y2(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_UP_TO | CAIRN_I_ZERO | 2)
#define CAIRN_I_PUT_N0(id) CAIRN_I_PUT_SLICE(id, 0)
#define CAIRN_I_PUT_N1(id) CAIRN_I_PUT_SLICE(id, 1)
#define CAIRN_I_PUT_N2(id) CAIRN_I_PUT_SLICE(id, 2)
#define CAIRN_I_PUT_N3(id) CAIRN_I_PUT_SLICE(id, 3)
#define CAIRN_I_PUT_N4(id) CAIRN_I_PUT_SLICE(id, 4)
#define CAIRN_I_PUT_P1(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_COUNT | CAIRN_I_NETWORK | 1)
#define CAIRN_I_PUT_R0(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, 0)
#define CAIRN_I_PUT_V0(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | 0)
#define CAIRN_I_PUT_V1(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | 1)
#define CAIRN_I_PUT_V2(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | 2)
#define CAIRN_I_PUT_V3(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | 3)
#define CAIRN_I_PUT_V4(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | 4)
#define CAIRN_I_PUT_W1(id) CAIRN_I_PUT_UNITS(id, cairn_i_count##id, CAIRN_I_CONSTANT | CAIRN_I_NETWORK | 1)
#define CAIRN_I_PUT_M0(id) CAIRN_I_PUT_UNITS(id, 1, CAIRN_I_COUNT)
#define CAIRN_I_PUT_M1(id) CAIRN_I_PUT_UNITS(id, 2, CAIRN_I_COUNT)
#define CAIRN_I_PUT_M2(id) CAIRN_I_PUT_UNITS(id, 4, CAIRN_I_COUNT)
#define CAIRN_I_PUT_M3(id) CAIRN_I_PUT_UNITS(id, 8, CAIRN_I_COUNT)
#define CAIRN_I_PUT_M4(id) CAIRN_I_PUT_UNITS(id, 16, CAIRN_I_COUNT)
#define CAIRN_I_PUT_J1(id) CAIRN_I_PUT_UNITS(id, 2, CAIRN_I_COUNT | CAIRN_I_NETWORK)

/* ETW distinguishes these from others. */
#define CAIRN_I_PUT_C1(id) CAIRN_I_PUT_N1(id)
#define CAIRN_I_PUT_C2(id) CAIRN_I_PUT_N2(id)
#define CAIRN_I_PUT_T4(id) CAIRN_I_PUT_4(id)
#define CAIRN_I_PUT_T8(id) CAIRN_I_PUT_8(id)
#define CAIRN_I_PUT_TS(id) CAIRN_I_PUT_8(id)
#define CAIRN_I_PUT_IPV6(id) CAIRN_I_PUT_GUID(id)
#define CAIRN_I_PUT_IP(id) CAIRN_I_PUT_N0(id)
#define CAIRN_I_PUT_B6(id) CAIRN_I_PUT_GUID(id)
#define CAIRN_I_PUT_B0(id) CAIRN_I_PUT_N0(id)
#define CAIRN_I_PUT_MT4(id) CAIRN_I_PUT_M2(id)
#define CAIRN_I_PUT_MT8(id) CAIRN_I_PUT_M3(id)
#define CAIRN_I_PUT_M6(id) CAIRN_I_PUT_M4(id)

#endif
