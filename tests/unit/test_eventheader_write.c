/* SPDX-License-Identifier: MIT */
/*
 * Test of the functions that encode an event's values and write it, by themselves: unreadable
 * memory follows directly after their sources, and unwritable memory 40 bytes after the space that
 * they may use.
 */
#define USER_EVENTS_EMIT_H /* the event goes here, and not to a backend */

#include "engine/emit.h"
#include "engine/writing.h"

#include <cairn/record.h>
#include <cairn/tracepoint.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define SLACK_BYTES 40

static uint8_t *target_end; /* end of the writable memory */
static uint8_t *source_end; /* end of the readable memory */
static struct engine_thread thread;

/* The event that was written last: as a whole, and the payload of its record. */
static struct {
    uint8_t event[CAIRN_RECORD_MAX_BYTES];
    uint8_t values[CAIRN_RECORD_MAX_BYTES];
    uint32_t event_bytes;
    uint32_t values_bytes;
    uint32_t variant;
} written;

/* Calls `fill` with exactly that space; with less it must fail. Returns the number of bytes. */
static uint32_t fill_exactly(engine_fill *fill, const void *arg, uint32_t bytes, uint8_t *copy)
{
    uint8_t *to = target_end - SLACK_BYTES - bytes;
    const uint8_t *end;

    if (bytes && fill(to, to + bytes - 1, arg))
        return UINT32_MAX;
    end = fill(to, to + bytes, arg);
    if (!end)
        return UINT32_MAX;
    memcpy(copy, to, (size_t)(end - to));
    return (uint32_t)(end - to);
}

static inline bool user_events_is_local(const struct cairn_tracepoint *tracepoint)
{
    (void)tracepoint;
    return false;
}

static inline int user_events_emit_by(const struct cairn_tracepoint *tracepoint,
                                      const struct engine_writing *writing, const void *arg)
{
    uint32_t constant_bytes = engine_constant_bytes(writing->constants, writing->variant);

    (void)tracepoint;
    if (writing->least_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        return E2BIG;
    written.variant = writing->variant;
    written.event_bytes = fill_exactly(writing->fill, arg, writing->least_bytes, written.event);
    written.values_bytes = fill_exactly(writing->fill_values, arg,
                                        writing->least_bytes - constant_bytes, written.values);
    return written.values_bytes + constant_bytes == written.event_bytes ? 0 : EPROTO;
}

/* NOLINTBEGIN(bugprone-suspicious-include): the included files are tested from inside */
#include "eventheader/emit.c"
#include "eventheader/put.c"
#include "eventheader/write.c"
#include "eventheader/write_aside.c"
/* NOLINTEND(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define AREA_BYTES (1u << 18)

static struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;

static const struct {
    struct cairn_eventheader header;
    struct cairn_eventheader_extension extension;
    char name[8];
} named = {{.level = 5}, {8, CAIRN_EXTENSION_METADATA}, "Some"};

/* Readable memory followed by unreadable memory; returns its end. */
static uint8_t *guarded_end(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *area =
        mmap(NULL, AREA_BYTES + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(area != MAP_FAILED);
    assert_int_equal(mprotect(area + AREA_BYTES, page, PROT_NONE), 0);
    return area + AREA_BYTES;
}

static int make_areas(void **state)
{
    (void)state;
    target_end = guarded_end();
    source_end = guarded_end();
    return eventheader_scratch_reserve();
}

static int forget(void **state)
{
    (void)state;
    memset(&written, 0, sizeof(written));
    engine_thread_self = NULL;
    return 0;
}

/* ---- values in the buffer of a thread ---- */

/* The thread has begun an event. There are `room_bytes` for it, of which `bytes` are reserved.
 * Returns the place of its values. */
static uint8_t *begin_in_buffer(uint32_t bytes, uint32_t room_bytes)
{
    uint8_t *limit = target_end - SLACK_BYTES;

    memset(&thread, 0, sizeof(thread));
    thread.depth = 1;
    thread.recent.writer.end = limit + ENGINE_CONTROL_BYTES;
    thread.recent.writer.next = limit - bytes - CORE_RECORD_HEAD_BYTES;
    thread.event.tracepoint = &tracepoint;
    thread.event.constant = &named;
    thread.event.room_bytes = room_bytes;
    thread.event.descriptor = ENGINE_ID_VARIANTS;
    engine_thread_self = &thread;
    return limit - bytes;
}

/* A value, in the terms of the call. */
struct value {
    const uint8_t *from;
    uint64_t count;
    uint32_t form;
    const char *function;
};

static uint8_t *put_value(uint8_t *to, const struct value *value)
{
    if (!strcmp(value->function, "text"))
        return cairn_i_put_text(to, (const char *)value->from);
    if (!strcmp(value->function, "slice"))
        return cairn_i_put_slice(to, value->from, value->count, value->form);
    return cairn_i_put_units(to, value->from, value->count, value->form);
}

/* Puts a value of this encoding, which has `bytes` besides its count and zero: into a buffer with
 * as much space as must be enough; into one with a byte less, where a long value must move; and
 * aside. */
static void check_value(const struct value *value, const uint8_t *expected, uint32_t size_bytes,
                        uint32_t bytes)
{
    bool is_long = bytes >= EVENTHEADER_SHORT_BYTES || value->form & CAIRN_I_CHECKED;
    uint32_t room_bytes = value->form & CAIRN_I_CHECKED ? CAIRN_I_LEAST_BYTES : CAIRN_I_SHORT_BYTES;
    uint8_t *to = begin_in_buffer(room_bytes + (is_long ? bytes : 0) + 1, room_bytes);
    uint8_t *end;

    *to = 'p'; /* a value before it */
    end = put_value(to + 1, value);
    assert_ptr_equal(end, to + 1 + size_bytes);
    assert_memory_equal(to + 1, expected, size_bytes);
    if (is_long) {
        to = begin_in_buffer(room_bytes + bytes, room_bytes);
        *to = 'p';
        end = put_value(to + 1, value);
        assert_false(eventheader_is_in_buffer(&thread, end));
        assert_int_equal(thread.depth, 0);
        assert_int_equal(cairn_i_event_commit(end), 0);
        assert_int_equal(written.values_bytes, 1 + size_bytes);
        assert_int_equal(written.values[0], 'p');
        assert_memory_equal(written.values + 1, expected, size_bytes);
    }
    to = cairn_i_event_begin(&tracepoint, &named, room_bytes);
    end = put_value(to, value);
    assert_int_equal(cairn_i_event_commit(end), 0);
    assert_int_equal(written.event_bytes, sizeof(named) + size_bytes);
    assert_memory_equal(written.event, &named, sizeof(named));
    assert_memory_equal(written.values, expected, size_bytes);
}

/* A value of `units` units, with a count before it or a zero after it. */
static void check_units(const char *function, uint32_t form, uint32_t units)
{
    uint32_t shift = form & CAIRN_I_SHIFT;
    bool is_text = form & CAIRN_I_UP_TO;
    uint32_t zero_bytes = 1u << shift;
    uint32_t bytes = units << shift;
    uint8_t *from = source_end - bytes - (is_text ? zero_bytes : 0);
    uint8_t expected[8192] = {0};
    uint32_t size_bytes = 0;
    const struct value value = {from, is_text ? CAIRN_I_NO_LIMIT : units, form, function};

    memset(from, 'x', bytes);
    if (is_text)
        memset(from + bytes, 0, zero_bytes);
    if (form & CAIRN_I_COUNT) {
        memcpy(expected, &(uint16_t){(uint16_t)units}, 2);
        size_bytes = 2;
    }
    memset(expected + size_bytes, 'x', bytes);
    size_bytes += bytes + (form & CAIRN_I_ZERO ? zero_bytes : 0);
    check_value(&value, expected, size_bytes, bytes);
}

static void any_number_of_units_is_copied_exactly(void **state)
{
    static const uint32_t forms[] = {
        0,
        CAIRN_I_CONSTANT,
        CAIRN_I_COUNT,
        CAIRN_I_COUNT | CAIRN_I_UP_TO,
        CAIRN_I_UP_TO | CAIRN_I_ZERO,
    };

    (void)state;
    for (size_t n = 0; n < sizeof(forms) / sizeof(*forms); n++) {
        for (uint32_t shift = 0; shift <= 2; shift++) {
            for (uint32_t units = 0; units < 300; units++) {
                check_units("units", forms[n] | shift, units);
                check_units("units", forms[n] | shift | CAIRN_I_CHECKED, units);
            }
        }
    }
    for (uint32_t shift = 0; shift <= 4; shift++) {
        for (uint32_t units = 0; units < 300; units++)
            check_units("slice", CAIRN_I_COUNT | shift, units);
    }
    for (uint32_t units = 0; units < 300; units++)
        check_units("text", CAIRN_I_COUNT | CAIRN_I_UP_TO, units);
}

/* A string at each distance from the end of memory, with other bytes after it. */
static void strings_may_be_anywhere_in_a_page(void **state)
{
    uint8_t expected[256];

    (void)state;
    for (uint32_t length = 0; length < 250; length++) {
        for (uint32_t after = 0; after < 48; after++) {
            uint8_t *text = source_end - length - 1 - after;
            const struct value value = {text, 0, 0, "text"};

            memset(text, 'x', (size_t)(source_end - text));
            text[length] = 0;
            memcpy(expected, &(uint16_t){(uint16_t)length}, 2);
            memset(expected + 2, 'x', length);
            check_value(&value, expected, 2 + length, length);
        }
    }
}

static void a_limit_ends_a_text_without_a_zero(void **state)
{
    uint8_t *from = source_end - 4;
    const struct value value = {from, 4, CAIRN_I_UP_TO | CAIRN_I_ZERO, "units"};

    (void)state;
    memcpy(from, "abcd", 4);
    check_value(&value, (const uint8_t *)"abcd", 5, 4);
}

/* The memory after the text is not readable. */
static void a_negative_limit_is_too_large(void **state)
{
    static const uint64_t limits[] = {UINT64_MAX, (uint64_t)INT64_MIN, (uint32_t)-1};

    (void)state;
    memset(source_end - 4, 'x', 4);
    for (uint32_t shift = 0; shift <= 2; shift++) {
        for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
            uint8_t *to = cairn_i_event_begin(&tracepoint, &named, CAIRN_I_SHORT_BYTES);

            to = cairn_i_put_units(to, source_end - 4, limits[i],
                                   CAIRN_I_UP_TO | CAIRN_I_ZERO | shift);
            assert_int_equal(cairn_i_event_commit(to), E2BIG);
        }
    }
}

static void a_null_pointer_is_an_empty_field(void **state)
{
    const uint8_t nothing[16] = {0};

    (void)state;
    check_value(&(struct value){NULL, 0, 0, "text"}, nothing, 2, 0);
    check_value(&(struct value){NULL, 9, CAIRN_I_COUNT | 3, "slice"}, nothing, 2, 0);
    check_value(&(struct value){NULL, 9, CAIRN_I_UP_TO | CAIRN_I_ZERO | 2, "units"}, nothing, 4, 0);
    check_value(&(struct value){NULL, 9, 0, "units"}, nothing, 0, 0);
    check_value(&(struct value){NULL, 3, CAIRN_I_CONSTANT | 2, "units"}, nothing, 12, 12);
}

/* ---- events ---- */

/* A constant part with `name_bytes` of metadata, at the end of readable memory. */
static const void *place_event(uint32_t name_bytes)
{
    uint32_t size_bytes = (uint32_t)sizeof(struct cairn_i_event) + name_bytes;
    /* At an even address, as a compiler places it. */
    struct cairn_i_event *event = (void *)(source_end - ((size_bytes + 1) & ~1u));

    memset(event, 'n', sizeof(*event) + name_bytes);
    event->extension.size_bytes = (uint16_t)name_bytes;
    event->metadata[name_bytes - 1] = 0;
    return event;
}

static void metadata_of_any_length_is_copied_exactly(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes < 600; bytes++) {
        const void *event = place_event(bytes);
        uint32_t whole = bytes + (uint32_t)sizeof(struct cairn_i_event);

        assert_int_equal(cairn_i_event_commit(cairn_i_event_begin(&tracepoint, event, 0)), 0);
        assert_int_equal(written.event_bytes, whole);
        assert_memory_equal(written.event, event, whole);
    }
}

static void activity_ids_are_copied_exactly(void **state)
{
    const uint8_t *id = source_end - 16;
    uint8_t *to;

    (void)state;
    memset(source_end - 16, 7, 16);
    to = cairn_i_event_begin_any(&tracepoint, &named, 1, id, id);
    *to++ = 'v';
    assert_int_equal(cairn_i_event_commit(to), 0);
    assert_int_equal(written.variant, ENGINE_ID_RELATED);
    assert_int_equal(written.event_bytes, sizeof(named) + 37);
    assert_memory_equal(written.event, &named.header, 8);
    assert_memory_equal(written.event + 12, id, 16);
    assert_memory_equal(written.event + 28, id, 16);
    assert_memory_equal(written.event + 44, &named.extension, sizeof(named) - 8);
    assert_int_equal(written.values_bytes, 33);
    assert_int_equal(written.values[32], 'v');

    assert_int_equal(
        cairn_i_event_commit(cairn_i_event_begin_any(&tracepoint, &named, 0, NULL, id)), 0);
    assert_int_equal(written.event_bytes, sizeof(named));
}

static void ids_stay_when_values_move(void **state)
{
    uint8_t *id = source_end - 16;
    uint8_t *to = begin_in_buffer(16 + CAIRN_I_SHORT_BYTES, CAIRN_I_SHORT_BYTES);

    (void)state;
    memset(id, 7, 16);
    memset(source_end - 1000, 'x', 984);
    thread.event.descriptor += ENGINE_ID_ACTIVITY;
    thread.event.activity_id = id;
    memcpy(to, id, 16);
    to = cairn_i_put_slice(to + 16, source_end - 1000, 900, CAIRN_I_COUNT);
    assert_int_equal(cairn_i_event_commit(to), 0);
    assert_int_equal(written.variant, ENGINE_ID_ACTIVITY);
    assert_int_equal(written.values_bytes, 16 + 2 + 900);
    assert_memory_equal(written.values, id, 16);
    assert_int_equal(written.values[18], 'x');
}

static int write_two(uint64_t first_bytes, uint64_t second_bytes)
{
    const uint8_t *from = source_end - AREA_BYTES;
    uint8_t *to = cairn_i_event_begin(&tracepoint, &named, 2 * CAIRN_I_SHORT_BYTES);

    to = cairn_i_put_units(to, from, first_bytes, 0);
    return cairn_i_event_commit(cairn_i_put_units(to, from, second_bytes, 0));
}

static void an_event_that_is_too_large_is_not_written(void **state)
{
    const uint64_t rest = CAIRN_PAYLOAD_MAX_BYTES - sizeof(named);
    uint8_t *to;

    (void)state;
    memset(source_end - AREA_BYTES, 'x', AREA_BYTES - 1);
    source_end[-1] = 0;
    assert_int_equal(write_two(rest + 1, 0), E2BIG);
    assert_int_equal(write_two(rest, 1), E2BIG);
    assert_int_equal(write_two(rest, rest), E2BIG);
    assert_int_equal(write_two(UINT64_MAX, 0), E2BIG);
    assert_int_equal(write_two(0, (uint64_t)1 << 62), E2BIG);
    assert_int_equal(written.event_bytes, 0);
    assert_int_equal(write_two(rest, 0), 0);
    assert_int_equal(written.event_bytes, CAIRN_PAYLOAD_MAX_BYTES);
    assert_int_equal(write_two(7, rest - 7), 0);
    assert_int_equal(written.event_bytes, CAIRN_PAYLOAD_MAX_BYTES);
    to = cairn_i_event_begin(&tracepoint, &named, CAIRN_I_SHORT_BYTES);
    to = cairn_i_put_slice(to, source_end - 16, UINT64_MAX >> 4, CAIRN_I_COUNT | 4);
    assert_int_equal(cairn_i_event_commit(to), E2BIG);
}

static void without_memory_for_a_long_value_there_is_no_event(void **state)
{
    uint8_t *taken[2048];
    size_t count = 0;
    uint8_t *to;

    (void)state;
    while ((taken[count] = eventheader_scratch_take()) != NULL)
        count++;
    assert_null(cairn_i_event_begin(&tracepoint, &named, 0));
    to = begin_in_buffer(CAIRN_I_SHORT_BYTES, CAIRN_I_SHORT_BYTES);
    thread.cpu = &(const int32_t){1};
    memset(source_end - 300, 'x', 300);
    to = cairn_i_put_slice(to, source_end - 300, 300, CAIRN_I_COUNT);
    assert_int_equal(cairn_i_event_commit(to), ENOMEM);
    assert_int_equal(thread.depth, 0);
    while (count)
        eventheader_scratch_give(taken[--count]);
}

/* Another thread frees memory between the two values. */
static void an_event_without_its_first_value_is_not_written(void **state)
{
    uint8_t *taken[2048];
    size_t count = 0;
    uint8_t *to;

    (void)state;
    while ((taken[count] = eventheader_scratch_take()) != NULL)
        count++;
    to = begin_in_buffer(2 * CAIRN_I_SHORT_BYTES, 2 * CAIRN_I_SHORT_BYTES);
    thread.cpu = &(const int32_t){1};
    memset(source_end - 900, 'x', 900);
    to = cairn_i_put_slice(to, source_end - 900, 900, CAIRN_I_COUNT);
    while (count)
        eventheader_scratch_give(taken[--count]);
    to = cairn_i_put_slice(to, source_end - 900, 900, CAIRN_I_COUNT);
    assert_int_equal(cairn_i_event_commit(to), ENOMEM);
    assert_int_equal(thread.depth, 0);
    assert_int_equal(written.values_bytes, 0);
}

/* Checks an event that is written by one call, without a thread's buffer. */
static void check_packed(uint32_t bytes, const char *text, uint32_t length)
{
    const uint8_t numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint64_t packed;

    memcpy(&packed, numbers, sizeof(packed));
    assert_int_equal(cairn_i_event_text(&tracepoint, &named, packed, bytes, text), 0);
    assert_int_equal(written.values_bytes, bytes + 2 + length);
    assert_memory_equal(written.values, numbers, bytes);
    assert_int_equal(written.values[bytes] | written.values[bytes + 1] << 8, length);
    if (length)
        assert_memory_equal(written.values + bytes + 2, text, length);
    assert_int_equal(cairn_i_event_numbers(&tracepoint, &named, packed, bytes), 0);
    assert_int_equal(written.values_bytes, bytes);
    assert_memory_equal(written.values, numbers, bytes);
}

static void numbers_and_a_text_are_written_by_one_call(void **state)
{
    (void)state;
    for (uint32_t bytes = 0; bytes <= 8; bytes++) {
        check_packed(bytes, NULL, 0);
        for (uint32_t length = 0; length < 2 * EVENTHEADER_SHORT_BYTES; length += 15) {
            char *text = (char *)source_end - length - 1;

            memset(text, 'x', length);
            text[length] = 0;
            check_packed(bytes, text, length);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(numbers_and_a_text_are_written_by_one_call, forget),
        cmocka_unit_test_setup(any_number_of_units_is_copied_exactly, forget),
        cmocka_unit_test_setup(strings_may_be_anywhere_in_a_page, forget),
        cmocka_unit_test_setup(a_limit_ends_a_text_without_a_zero, forget),
        cmocka_unit_test_setup(a_negative_limit_is_too_large, forget),
        cmocka_unit_test_setup(a_null_pointer_is_an_empty_field, forget),
        cmocka_unit_test_setup(metadata_of_any_length_is_copied_exactly, forget),
        cmocka_unit_test_setup(activity_ids_are_copied_exactly, forget),
        cmocka_unit_test_setup(ids_stay_when_values_move, forget),
        cmocka_unit_test_setup(an_event_that_is_too_large_is_not_written, forget),
        cmocka_unit_test_setup(without_memory_for_a_long_value_there_is_no_event, forget),
        cmocka_unit_test_setup(an_event_without_its_first_value_is_not_written, forget),
    };

    return cmocka_run_group_tests(tests, make_areas, NULL);
}
