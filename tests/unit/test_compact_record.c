/* SPDX-License-Identifier: MIT */
/* Test of compact records: reading them, expanding them to samples, and the time of their counter.
 */
#include "core/compact_record.h"
#include "engine/sample.h"
#include "session/ticks.h"

#include <cairn/eventheader_abi.h>
#include <cairn/kernel/pool.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t bytes[4096];
static size_t size;

static void put(const void *from, size_t count)
{
    memcpy(bytes + size, from, count);
    size += count;
}

static void put_u16(uint16_t value)
{
    put(&value, sizeof(value));
}

static void put_u32(uint32_t value)
{
    put(&value, sizeof(value));
}

static void put_u64(uint64_t value)
{
    put(&value, sizeof(value));
}

static void put_head(uint16_t id, uint16_t size_bytes, uint32_t time)
{
    put_u16(id);
    put_u16(size_bytes);
    put_u32(time);
}

static void put_base(uint32_t kind, uint64_t base)
{
    put_head(CORE_RECORD_CONTROL, CORE_CONTROL_BASE_BYTES, 0);
    put_u32(kind);
    put_u64(base);
}

static void put_cpu(uint32_t cpu)
{
    put_head(CORE_RECORD_CONTROL, CORE_CONTROL_CPU_BYTES, 0);
    put_u32(CORE_CONTROL_CPU);
    put_u32(cpu);
}

/* Control records and records of each form. */
static void put_all_forms(void)
{
    size = 0;
    put_base(CORE_CONTROL_BASE, 1000);
    put_cpu(3);
    put_head(8, 9, 5);
    put_u32('x'); /* and padding */
    put_head(CORE_RECORD_LONG, 0, 6);
    put_u32(0x12340);
    put_u32(CORE_RECORD_LONG_BYTES + 4);
    put_u32(42);
    put_base(CORE_CONTROL_BASE_NS, UINT64_C(1) << 40);
    put_head(CORE_RECORD_LONG, 0, 7);
    put_u32(ENGINE_ID_NONE);
    put_u32(CORE_RECORD_LONG_BYTES + 8 + 4);
    put_u64(77);
    put_u32(43);
}

/* Reads all records. Returns the number of events; -1: a record is not valid. */
static int read_all(size_t limit, struct engine_record events[8], struct engine_baseline lines[8])
{
    struct engine_baseline baseline = {0};
    struct engine_record record;
    int count = 0;

    for (size_t at = 0; at < limit; at += record.size_bytes) {
        if (!engine_record_read(&baseline, bytes + at, limit - at, &record))
            return -1;
        assert_true(record.size_bytes % CORE_RECORD_ALIGNMENT == 0 && record.size_bytes);
        if (!record.payload)
            continue;
        assert_true(count < 8);
        events[count] = record;
        lines[count++] = baseline;
    }
    return count;
}

static void records_of_each_form_are_read(void **state)
{
    struct engine_record events[8];
    struct engine_baseline lines[8];

    (void)state;
    put_all_forms();
    assert_int_equal(read_all(size, events, lines), 3);
    assert_int_equal(events[0].id, 8);
    assert_int_equal(events[0].payload_bytes, 1);
    assert_int_equal(*events[0].payload, 'x');
    assert_int_equal(events[0].counter, 1005);
    assert_int_equal(lines[0].cpu, 3);
    assert_int_equal(lines[0].unit, ENGINE_UNIT_TICKS);
    assert_int_equal(events[1].id, 0x12340);
    assert_int_equal(events[1].payload_bytes, 4);
    assert_int_equal(events[1].counter, 1006);
    assert_int_equal(events[2].id, ENGINE_ID_NONE);
    assert_int_equal(events[2].sample_id, 77);
    assert_int_equal(events[2].payload_bytes, 4);
    assert_int_equal(events[2].counter, (UINT64_C(1) << 40) + 7);
    assert_int_equal(lines[2].unit, ENGINE_UNIT_NS);
}

/* A cut between two records is the end; any other is found. */
/* At the beginning. */
static void put_stack(uint16_t size_bytes)
{
    size = 0;
    put_head(CORE_RECORD_CONTROL, size_bytes, 0);
    put_u32(CORE_CONTROL_STACK);
    while (size < size_bytes)
        put_u32(7);
}

static void a_stack_has_whole_addresses_and_a_limit(void **state)
{
    struct engine_baseline baseline = {0};
    struct engine_record record;

    (void)state;
    for (uint16_t stack_bytes = CORE_CONTROL_STACK_HEAD;
         stack_bytes <= CORE_CONTROL_STACK_MAX_BYTES + 8; stack_bytes++) {
        bool is_valid = stack_bytes >= CORE_CONTROL_CPU_BYTES &&
                        stack_bytes <= CORE_CONTROL_STACK_MAX_BYTES &&
                        (stack_bytes - CORE_CONTROL_STACK_HEAD) % 8 == 0;

        put_stack(stack_bytes);
        assert_int_equal(engine_record_read(&baseline, bytes, size, &record), is_valid);
        assert_true(!is_valid || (record.is_stack && !record.payload));
    }
    assert_int_equal(baseline.unit, ENGINE_UNIT_NONE);
}

static void a_chunk_may_be_cut_at_any_byte(void **state)
{
    struct engine_record events[8];
    struct engine_baseline lines[8];
    int whole = 0;

    (void)state;
    put_all_forms();
    for (size_t limit = 0; limit < size; limit++) {
        whole += read_all(limit, events, lines) >= 0;
    }
    assert_int_equal(whole, 6); /* before each record */
}

static void a_record_without_a_base_is_not_valid(void **state)
{
    struct engine_baseline baseline = {0};
    struct engine_record record;

    (void)state;
    size = 0;
    put_head(8, 12, 5);
    put_u32(1);
    assert_false(engine_record_read(&baseline, bytes, size, &record));
    baseline.unit = ENGINE_UNIT_NS;
    assert_true(engine_record_read(&baseline, bytes, size, &record));
}

static void any_flipped_bit_is_harmless(void **state)
{
    struct engine_record events[8];
    struct engine_baseline lines[8];

    (void)state;
    put_all_forms();
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(read_all(size, events, lines) <= 6);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(read_all(size, events, lines), 3);
}

/* ---- samples ---- */

/* The metadata of event "E" with a u32 field "f", after its extension's head. */
static const uint8_t metadata[] = {5, 0, 1, 0, 'E', 0, 'f', 0, CAIRN_ENCODING_VALUE32};
static const uint8_t header[8] = {CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION,
                                  0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  CAIRN_LEVEL_ERROR};

static struct engine_descriptor *make_descriptor(uint16_t kind)
{
    struct engine_descriptor *descriptor = calloc(1, 2 * ENGINE_DESCRIPTOR_UNIT);

    assert_non_null(descriptor);
    descriptor->size_bytes = 2 * ENGINE_DESCRIPTOR_UNIT;
    descriptor->kind = kind;
    descriptor->sample_id = UINT64_C(9) << 16 | 0x4001;
    memcpy(descriptor->header, header, sizeof(header));
    memcpy(descriptor->texts, metadata, sizeof(metadata));
    descriptor->metadata_bytes = sizeof(metadata);
    return descriptor;
}

static uint8_t sample[CAIRN_RECORD_MAX_BYTES];

/* Returns the size of the payload of the sample, without its padding. */
static uint32_t expand(uint32_t id, const struct engine_descriptor *descriptor, uint32_t payload)
{
    static uint8_t zeros[CAIRN_RECORD_MAX_BYTES];
    const struct engine_sample_origin origin = {.time_ns = 5, .cpu = 6, .pid = 7, .tid = 8};
    const struct engine_record record = {
        .id = id, .sample_id = 77, .payload = zeros, .payload_bytes = payload};
    uint32_t bytes_of_sample = engine_sample_expand(&record, descriptor, &origin, sample);

    if (!bytes_of_sample)
        return 0;
    assert_int_equal(cairn_record_check(sample, bytes_of_sample), bytes_of_sample);
    return bytes_of_sample - (uint32_t)sizeof(struct cairn_record_head);
}

static uint32_t padded(uint32_t payload)
{
    return cairn_record_size(payload) - (uint32_t)sizeof(struct cairn_record_head);
}

static void a_tracepoints_record_is_expanded(void **state)
{
    struct engine_descriptor *descriptor = make_descriptor(ENGINE_DESCRIPTOR_TRACEPOINT);
    struct cairn_record_head head;

    (void)state;
    assert_int_equal(expand(8, descriptor, 5), padded(5));
    memcpy(&head, sample, sizeof(head));
    assert_int_equal(head.id, descriptor->sample_id);
    assert_int_equal(head.common_type, 0x4001);
    assert_int_equal(head.time_ns, 5);
    assert_int_equal(head.cpu, 6);
    assert_int_equal(head.pid, 7);
    assert_int_equal(head.tid, 8);
    assert_int_equal(head.common_pid, 8);
    assert_int_equal(expand(9, descriptor, 16), 0); /* it has no activity */
    assert_int_equal(expand(ENGINE_ID_NONE, NULL, 5), padded(5));
    memcpy(&head, sample, sizeof(head));
    assert_int_equal(head.id, 77);
    free(descriptor);
}

static void an_eventheader_record_gets_its_constant_part(void **state)
{
    struct engine_descriptor *descriptor = make_descriptor(ENGINE_DESCRIPTOR_EVENTHEADER);
    const uint8_t *payload = sample + sizeof(struct cairn_record_head);
    const uint32_t constant = sizeof(header) + sizeof(metadata);
    const uint16_t extension[2] = {32, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN};

    (void)state;
    assert_int_equal(expand(8, descriptor, 4), padded(constant + 4));
    assert_memory_equal(payload, header, sizeof(header));
    assert_memory_equal(payload + sizeof(header), metadata, sizeof(metadata));
    assert_int_equal(expand(8 + ENGINE_ID_ACTIVITY, descriptor, 16 + 4),
                     padded(constant + 4 + 16 + 4));
    assert_int_equal(expand(8 + ENGINE_ID_RELATED, descriptor, 32 + 4),
                     padded(constant + 4 + 32 + 4));
    assert_memory_equal(payload + sizeof(header), extension, sizeof(extension));
    assert_memory_equal(payload + sizeof(header) + 4 + 32, metadata, sizeof(metadata));
    assert_int_equal(expand(8 + ENGINE_ID_ACTIVITY, descriptor, 15), 0); /* too short */
    assert_int_equal(expand(8 + 3, descriptor, 64), 0);                  /* no such variant */
    assert_int_equal(expand(8, descriptor, CAIRN_PAYLOAD_MAX_BYTES - constant),
                     padded(CAIRN_PAYLOAD_MAX_BYTES));
    assert_int_equal(expand(8, descriptor, CAIRN_PAYLOAD_MAX_BYTES - constant + 1), 0);
    free(descriptor);
}

/* ---- time ---- */

static struct session_ticks ticks;

static uint64_t time_at(uint64_t counter)
{
    uint64_t time_ns = 0;

    assert_true(session_ticks_time(&ticks, counter, &time_ns));
    return time_ns;
}

static void add_line(uint64_t counter, uint64_t time_ns, uint64_t mult)
{
    const struct engine_clock_line line = {counter, time_ns, mult};

    session_ticks_add(&ticks, &line);
}

static void a_counter_has_the_time_of_its_line(void **state)
{
    uint64_t unused;

    (void)state;
    ticks.count = 0;
    assert_false(session_ticks_time(&ticks, 1, &unused));
    add_line(0, 9, 9); /* not a line: there was no calibration */
    assert_false(session_ticks_time(&ticks, 1, &unused));
    add_line(1000, 500, UINT64_C(1) << 31); /* half a ns */
    add_line(2000, 1000, UINT64_C(1) << 32);
    assert_int_equal(time_at(1000), 500);
    assert_int_equal(time_at(1999), 999);
    assert_int_equal(time_at(2000), 1000);
    assert_int_equal(time_at(3000), 2000);
    assert_int_equal(time_at(900), 450); /* before the first line: on it */
}

static void time_goes_on_from_line_to_line(void **state)
{
    uint64_t last_ns = 0;

    (void)state;
    ticks.count = 0;
    for (uint64_t n = 0; n < 3 * SESSION_LINES_MAX; n++)
        add_line(1000 + 1000 * n, 5000 + 250 * n, UINT64_C(1) << 30);
    for (uint64_t counter = 1000; counter < 3000 * (uint64_t)SESSION_LINES_MAX; counter += 333) {
        assert_true(time_at(counter) >= last_ns);
        last_ns = time_at(counter);
    }
}

static void a_counter_that_begins_anew_has_new_lines(void **state)
{
    (void)state;
    ticks.count = 0;
    add_line(1000000, 500, UINT64_C(1) << 32);
    add_line(1000, 700, UINT64_C(1) << 32); /* the computer has slept */
    assert_int_equal(time_at(1100), 800);
    assert_int_equal(time_at(1000000), 700 + 999000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_each_form_are_read),
        cmocka_unit_test(a_stack_has_whole_addresses_and_a_limit),
        cmocka_unit_test(a_chunk_may_be_cut_at_any_byte),
        cmocka_unit_test(a_record_without_a_base_is_not_valid),
        cmocka_unit_test(any_flipped_bit_is_harmless),
        cmocka_unit_test(a_tracepoints_record_is_expanded),
        cmocka_unit_test(an_eventheader_record_gets_its_constant_part),
        cmocka_unit_test(a_counter_has_the_time_of_its_line),
        cmocka_unit_test(time_goes_on_from_line_to_line),
        cmocka_unit_test(a_counter_that_begins_anew_has_new_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
