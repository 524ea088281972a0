/* SPDX-License-Identifier: MIT */
/*
 * The writing function by itself: what it reads ends where no more memory is, and so does the place
 * that it writes to, 32 bytes behind the payload; before both there is none either.
 */
#define USER_EVENTS_EMIT_H /* the payload goes here, and not to a backend */

#include <cairn/record.h>
#include <cairn/tracepoint.h>
#include <errno.h>
#include <string.h>

#define SLACK_BYTES 32

static uint8_t *target_end; /* of writable memory */
static uint8_t payload[CAIRN_RECORD_MAX_BYTES];
static uint32_t payload_bytes;
static int times_written;
static int stray_writes; /* before the payload */

static inline int cairn_user_event_emit(const struct cairn_tracepoint *tracepoint, uint32_t bytes,
                                        void (*fill)(void *to, const void *arg), const void *arg)
{
    uint8_t *to = target_end - SLACK_BYTES - bytes;

    (void)tracepoint;
    memset(to - 16, 0xa5, 16);
    fill(to, arg);
    for (int i = 1; i <= 16; i++)
        stray_writes += to[-i] != 0xa5;
    memcpy(payload, to, bytes);
    payload_bytes = bytes;
    times_written++;
    return 0;
}

/* NOLINTNEXTLINE(bugprone-suspicious-include): around what is inside it */
#include "eventheader/write.c"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define AREA_BYTES (1u << 18)

/* Readable memory with none behind it; returns its end. */
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
    times_written = 0;
    stray_writes = 0;
    return 0;
}

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
    return payload + sizeof(struct cairn_i_event) +
           ((const struct cairn_i_event *)event)->extension.size_bytes;
}

static void metadata_of_any_length_is_copied_and_no_more(void **state)
{
    (void)state;
    for (uint32_t bytes = 1; bytes < 600; bytes++) {
        const void *event = place_event(bytes);
        uint32_t whole = bytes + (uint32_t)sizeof(struct cairn_i_event);

        assert_int_equal(cairn_i_eventheader_write(NULL, event, ""), 0);
        assert_int_equal(payload_bytes, whole);
        assert_memory_equal(payload, event, whole);
    }
    assert_int_equal(stray_writes, 0);
}

static void an_activitys_ids_are_copied_and_no_more(void **state)
{
    const uint8_t *id = source_end - 16;

    (void)state;
    memset(source_end - 16, 7, 16);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "ab", (uint64_t)(uintptr_t)id,
                                               (uint64_t)(uintptr_t)id),
                     0);
    assert_int_equal(payload_bytes, sizeof(named) + 36);
    assert_memory_equal(payload + 12, id, 16);
    assert_memory_equal(payload + 28, id, 16);
    assert_int_equal(stray_writes, 0);
}

/* The plans of fields that are copied from a pointer, for units of 1 << shift bytes. */
static void check_units(char kind, uint32_t shift, uint32_t units)
{
    const char plan[] = {kind, (char)('0' + shift), 0};
    bool is_text = kind == 's' || kind == 'z';
    uint32_t zero_bytes = 1u << shift;
    uint32_t bytes = units << shift;
    uint8_t *from = source_end - bytes - (is_text ? zero_bytes : 0);
    uint32_t before = kind == 'n' || kind == 's' ? 2 : 0;
    uint32_t behind = kind == 'z' || kind == 'y' ? zero_bytes : 0;
    const uint8_t *data = data_of(&named);
    const uint8_t zeros[4] = {0};

    memset(from, 'x', bytes);
    if (is_text)
        memset(from + bytes, 0, zero_bytes);
    assert_int_equal(
        cairn_i_eventheader_write(NULL, &named, plan, (uint64_t)(uintptr_t)from, (uint64_t)units),
        0);
    assert_int_equal(payload_bytes, sizeof(named) + before + bytes + behind);
    assert_memory_equal(data + before, from, bytes);
    assert_memory_equal(data + before + bytes, zeros, behind);
}

static void units_of_any_number_are_copied_and_no_more(void **state)
{
    (void)state;
    for (const char *kind = "nszyr"; *kind; kind++)
        for (uint32_t shift = 0; shift <= 2; shift++)
            for (uint32_t units = 1; units < 300; units++)
                check_units(*kind, shift, units);
    for (uint32_t units = 1; units < 40; units++)
        check_units('n', 4, units);
    assert_int_equal(stray_writes, 0);
}

static void what_is_too_large_is_not_written(void **state)
{
    const uint64_t from = (uintptr_t)(source_end - AREA_BYTES);
    const uint64_t rest = CAIRN_PAYLOAD_MAX_BYTES - sizeof(named);

    (void)state;
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "n0", from, rest - 1), E2BIG);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "r0", from, rest + 1), E2BIG);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named,
                                               "r0"
                                               "1",
                                               from, rest, 1ull),
                     E2BIG);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "n4", from, UINT64_MAX), E2BIG);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "n4", from, UINT64_MAX >> 4), E2BIG);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named,
                                               "r0"
                                               "r0",
                                               from, rest, from, rest),
                     E2BIG);
    assert_int_equal(times_written, 0);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "r0", from, rest), 0);
    assert_int_equal(payload_bytes, CAIRN_PAYLOAD_MAX_BYTES);
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "n0", from, rest - 2), 0);
    assert_int_equal(payload_bytes, CAIRN_PAYLOAD_MAX_BYTES);
}

static void a_null_pointer_is_nothing(void **state)
{
    const uint8_t nothing[16 + 2 + 2 + 1 + 4] = {0};

    (void)state;
    assert_int_equal(cairn_i_eventheader_write(NULL, &named, "gs0n3z0y2r0", 0ull, 0ull, 0ull, 9ull,
                                               0ull, 0ull, 9ull, 0ull, 9ull),
                     0);
    assert_int_equal(payload_bytes, sizeof(named) + sizeof(nothing));
    assert_memory_equal(data_of(&named), nothing, sizeof(nothing));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(metadata_of_any_length_is_copied_and_no_more, forget),
        cmocka_unit_test_setup(an_activitys_ids_are_copied_and_no_more, forget),
        cmocka_unit_test_setup(units_of_any_number_are_copied_and_no_more, forget),
        cmocka_unit_test_setup(what_is_too_large_is_not_written, forget),
        cmocka_unit_test_setup(a_null_pointer_is_nothing, forget),
    };

    return cmocka_run_group_tests(tests, make_areas, NULL);
}
