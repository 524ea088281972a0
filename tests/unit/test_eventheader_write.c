/* SPDX-License-Identifier: MIT */
/*
 * Test of the functions that write events, by themselves: unreadable memory follows directly after
 * their sources, and unwritable memory 40 bytes after the space that they may use; none of the
 * bytes before the space may change.
 */
#define USER_EVENTS_EMIT_H /* the payload goes here, and not to a backend */

#include <cairn/record.h>
#include <cairn/tracepoint.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define SLACK_BYTES 40

typedef uint8_t *engine_fill(uint8_t *to, uint8_t *limit, const void *arg);

struct written {
    uint8_t payload[CAIRN_RECORD_MAX_BYTES];
    uint32_t bytes;
    int times;
};

static uint8_t *target_end; /* end of the writable memory */
static uint32_t room_bytes = CAIRN_PAYLOAD_MAX_BYTES;
static struct written any;
static struct written simple; /* written by the fast path for simple events */
static int stray_writes;      /* bytes changed before the payload */

static int write_into(struct written *written, uint32_t space, engine_fill *fill, const void *arg)
{
    uint8_t *to = target_end - SLACK_BYTES - space;
    const uint8_t *end;

    memset(to - 16, 0xa5, 16 + space); /* no bytes of an earlier event remain */
    end = fill(to, to + space, arg);
    for (int i = 1; i <= 16; i++)
        stray_writes += to[-i] != 0xa5;
    if (!end)
        return E2BIG;
    written->bytes = (uint32_t)(end - to);
    memcpy(written->payload, to, written->bytes);
    written->times++;
    return 0;
}

/* Offers exactly the space that the event needs. Never accepts the event, so that the general path
 * runs as well. */
static inline int user_events_emit_hot(const struct cairn_tracepoint *tracepoint,
                                       uint32_t hot_bytes, engine_fill *fill, const void *arg)
{
    (void)tracepoint;
    (void)write_into(&simple, hot_bytes, fill, arg);
    return EAGAIN;
}

static inline int user_events_emit(const struct cairn_tracepoint *tracepoint, uint32_t least_bytes,
                                   engine_fill *fill, const void *arg)
{
    (void)tracepoint;
    return least_bytes <= room_bytes ? write_into(&any, room_bytes, fill, arg) : E2BIG;
}

/* NOLINTBEGIN(bugprone-suspicious-include): the included files are tested from inside */
#include "eventheader/write.c"
#include "eventheader/write_any.c"
/* NOLINTEND(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define AREA_BYTES (1u << 18)

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

static uint8_t *source_end;

static int make_areas(void **state)
{
    (void)state;
    target_end = guarded_end();
    source_end = guarded_end();
    return 0;
}

static int forget(void **state)
{
    (void)state;
    any.times = 0;
    simple.times = 0;
    stray_writes = 0;
    return 0;
}

/* The last of three calls has too little space for the general path. */
static bool is_always_simple(void)
{
    return any.times && 2 * simple.times == 3 * any.times;
}

/* CALL writes an event: with the largest space, with exactly the space that it needs, and with one
 * byte less. */
#define write_exactly(call)                                              \
    do {                                                                 \
        int simple_before = simple.times;                                \
                                                                         \
        assert_int_equal(call, 0);                                       \
        room_bytes = any.bytes;                                          \
        assert_int_equal(call, 0);                                       \
        assert_int_equal(any.bytes, room_bytes);                         \
        room_bytes--;                                                    \
        assert_int_equal(call, E2BIG);                                   \
        room_bytes = CAIRN_PAYLOAD_MAX_BYTES;                            \
        if (simple.times > simple_before) {                              \
            assert_int_equal(simple.times, simple_before + 3);           \
            assert_int_equal(simple.bytes, any.bytes);                   \
            assert_memory_equal(simple.payload, any.payload, any.bytes); \
        }                                                                \
    } while (0)

/* Calls as a call site does: write_event((NULL, event, signature), , arguments...) */
#define write_event(place, ...) CAIRN_I_CALL(place, __VA_ARGS__)

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

static const struct {
    struct cairn_eventheader header;
    struct cairn_eventheader_extension extension;
    char name[8];
} named = {{.level = 5}, {8, CAIRN_EXTENSION_METADATA}, "Some"};

static const uint8_t *data_of(const void *event)
{
    return any.payload + sizeof(struct cairn_i_event) +
           ((const struct cairn_i_event *)event)->extension.size_bytes;
}

static void metadata_of_any_length_is_copied_exactly(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes < 600; bytes++) {
        const void *event = place_event(bytes);
        uint32_t whole = bytes + (uint32_t)sizeof(struct cairn_i_event);

        write_exactly(write_event((NULL, event, ""), ));
        assert_int_equal(any.bytes, whole);
        assert_memory_equal(any.payload, event, whole);
    }
    assert_true(is_always_simple());
    assert_int_equal(stray_writes, 0);
}

static void activity_ids_are_copied_exactly(void **state)
{
    const uint8_t *id = source_end - 16;

    (void)state;
    memset(source_end - 16, 7, 16);
    write_exactly(write_event((NULL, &named, "ab"), , (uintptr_t)id, (uintptr_t)id));
    assert_int_equal(any.bytes, sizeof(named) + 36);
    assert_memory_equal(any.payload, &named.header, 8);
    assert_memory_equal(any.payload + 12, id, 16);
    assert_memory_equal(any.payload + 28, id, 16);
    assert_memory_equal(any.payload + 44, &named.extension, sizeof(named) - 8);
    assert_int_equal(stray_writes, 0);
}

/* Argument formats of fields that are copied from a pointer, with units of 1 << shift bytes. */
static void check_units(char kind, uint32_t shift, uint32_t units)
{
    const char signature[] = {kind, kind == 't' ? 0 : (char)('0' + shift), 0};
    bool is_text = kind == 't' || kind == 's' || kind == 'z';
    uint32_t zero_bytes = 1u << shift;
    uint32_t bytes = units << shift;
    uint8_t *from = source_end - bytes - (is_text ? zero_bytes : 0);
    uint32_t before = kind == 'n' || kind == 't' || kind == 's' ? 2 : 0;
    uint32_t after = kind == 'z' || kind == 'y' ? zero_bytes : 0;
    const uint8_t *data = data_of(&named);
    const uint8_t zeros[4] = {0};

    memset(from, 'x', bytes);
    if (is_text)
        memset(from + bytes, 0, zero_bytes);
    write_exactly(write_event((NULL, &named, signature), , (uintptr_t)from, units));
    assert_int_equal(any.bytes, sizeof(named) + before + bytes + after);
    assert_memory_equal(data + before, from, bytes);
    assert_memory_equal(data + before + bytes, zeros, after);
}

static void any_number_of_units_is_copied_exactly(void **state)
{
    (void)state;
    for (const char *kind = "nszyr"; *kind; kind++)
        for (uint32_t shift = 0; shift <= 2; shift++)
            for (uint32_t units = 0; units < 300; units++)
                check_units(*kind, shift, units);
    for (uint32_t units = 0; units < 300; units++)
        check_units('t', 0, units);
    for (uint32_t units = 1; units < 40; units++)
        check_units('n', 4, units);
    assert_int_equal(stray_writes, 0);
}

/* A string at each distance from the end of memory, with other bytes after it. */
static void strings_that_do_not_end_at_a_page_end_take_the_fast_path(void **state)
{
    (void)state;
    for (uint32_t length = 0; length < 250; length++) {
        for (uint32_t after = 16; after < 48; after++) {
            uint8_t *text = source_end - length - 1 - after;

            memset(text, 'x', (size_t)(source_end - text));
            text[length] = 0;
            write_exactly(write_event((NULL, &named, "t4"), , (uintptr_t)text, 7));
            assert_int_equal(any.bytes, sizeof(named) + 2 + length + 4);
            assert_memory_equal(data_of(&named) + 2, text, length);
        }
    }
    assert_true(is_always_simple());
    assert_int_equal(stray_writes, 0);
}

static void arguments_on_the_stack_are_found(void **state)
{
    const char *text = "a text";
    uint8_t expected[] = {1, 2, 0, 3, 0, 0,   0,   4,   0,   0,   0,   0,
                          0, 0, 0, 6, 0, 'a', ' ', 't', 'e', 'x', 't', 5};

    (void)state;
    write_exactly(write_event((NULL, &named, "1248t1"), , 1, 2, 3, 4, (uintptr_t)text, 5));
    assert_int_equal(any.bytes, sizeof(named) + sizeof(expected));
    assert_memory_equal(data_of(&named), expected, sizeof(expected));
    assert_true(is_always_simple());
    write_exactly(
        write_event((NULL, &named, "12r0t"), , 1, 2, (uintptr_t)text, 2, (uintptr_t)text));
    assert_memory_equal(data_of(&named) + 3, "a \6\0a text", 10);
}

static void an_event_that_is_too_large_is_not_written(void **state)
{
    const uint64_t from = (uintptr_t)(source_end - AREA_BYTES);
    const uint64_t rest = CAIRN_PAYLOAD_MAX_BYTES - sizeof(named);

    (void)state;
    memset(source_end - AREA_BYTES, 'x', AREA_BYTES - 1);
    source_end[-1] = 0;
    assert_int_equal(write_event((NULL, &named, "t"), , from), E2BIG);
    assert_int_equal(write_event((NULL, &named, "n0"), , from, rest - 1), E2BIG);
    assert_int_equal(write_event((NULL, &named, "r0"), , from, rest + 1), E2BIG);
    assert_int_equal(write_event((NULL, &named, "r01"), , from, rest, 1), E2BIG);
    assert_int_equal(write_event((NULL, &named, "n4"), , from, UINT64_MAX), E2BIG);
    assert_int_equal(write_event((NULL, &named, "n4"), , from, UINT64_MAX >> 4), E2BIG);
    assert_int_equal(write_event((NULL, &named, "r0r0"), , from, rest, from, rest), E2BIG);
    assert_int_equal(any.times, 0);
    write_exactly(write_event((NULL, &named, "r0"), , from, rest));
    assert_int_equal(any.bytes, CAIRN_PAYLOAD_MAX_BYTES);
    write_exactly(write_event((NULL, &named, "n0"), , from, rest - 2));
    assert_int_equal(any.bytes, CAIRN_PAYLOAD_MAX_BYTES);
}

static void a_null_pointer_is_an_empty_field(void **state)
{
    const uint8_t nothing[16 + 2 + 2 + 2 + 1 + 4] = {0};

    (void)state;
    write_exactly(write_event((NULL, &named, "gts0n3z0y2r0"), , 0, 0, 0, 0, 9, 0, 0, 9, 0, 9));
    assert_int_equal(any.bytes, sizeof(named) + sizeof(nothing));
    assert_memory_equal(data_of(&named), nothing, sizeof(nothing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(metadata_of_any_length_is_copied_exactly, forget),
        cmocka_unit_test_setup(activity_ids_are_copied_exactly, forget),
        cmocka_unit_test_setup(any_number_of_units_is_copied_exactly, forget),
        cmocka_unit_test_setup(strings_that_do_not_end_at_a_page_end_take_the_fast_path, forget),
        cmocka_unit_test_setup(arguments_on_the_stack_are_found, forget),
        cmocka_unit_test_setup(an_event_that_is_too_large_is_not_written, forget),
        cmocka_unit_test_setup(a_null_pointer_is_an_empty_field, forget),
    };

    return cmocka_run_group_tests(tests, make_areas, NULL);
}
