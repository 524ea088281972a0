/* SPDX-License-Identifier: MIT */
/* Test of CAIRN_TRACEPOINT: the records that tracepoints write, their consumers, and their text. */
#include "trace_event_points.h"

#include <errno.h>

static const u32 two_words[] = {1, 0xffffffff};

static void hit_every_type(void)
{
    trace_every_type(-1, 1ULL << 40, "who", two_words, 2);
}

/* Sets all keys as if each tracepoint were enabled. */
static int switch_on(void **state)
{
    (void)state;
    fake_reset(CAIRN_TRACE_DO_RECORD);
    for (struct cairn_trace_event *const *event = __start_cairn_trace_events;
         event < __stop_cairn_trace_events; event++)
        (*event)->key.count = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fake_reset(0);
    return 0;
}

static void a_disabled_tracepoint_does_nothing(void **state)
{
    (void)state;
    cairn_event_task_begin.key.count = 0;
    assert_false(trace_task_begin_enabled());
    trace_task_begin(1);
    assert_int_equal(fake.entered, 0);
    cairn_event_task_begin.key.count = 1;
    assert_true(trace_task_begin_enabled());
    trace_task_begin(1);
    assert_int_equal(fake.entered, 1);
}

static void the_record_has_the_values_at_the_offsets_of_the_schema(void **state)
{
    struct cairn_i_entry_every_type *entry;

    (void)state;
    hit_every_type();
    assert_int_equal(fake.committed, 1);
    assert_int_equal(fake.left, 1);
    assert_ptr_equal(fake.event, &cairn_event_every_type);

    entry = (void *)fake.raw;
    assert_int_equal(entry->ent.pid, 3);
    assert_int_equal(entry->b8, -1);
    assert_int_equal(entry->a64, 1ULL << 40);
    assert_int_equal(entry->point.y, -2);
    for (uint32_t i = 0; i < cairn_class_every_type.schema.field_count; i++) {
        const struct cairn_field *field = &cairn_class_every_type.schema.fields[i];

        if (field->name.length == 3 && !memcmp(field->name.text, "pid", 3)) {
            int32_t pid;

            memcpy(&pid, fake.raw + field->offset, sizeof(pid));
            assert_int_equal(pid, 321);
        }
    }
}

static void dynamic_fields_follow_one_another_without_gaps(void **state)
{
    const struct cairn_i_entry_every_type *entry;
    uint32_t fixed = cairn_class_every_type.schema.fixed_size_bytes;
    uint32_t rel_at = offsetof(struct cairn_i_entry_every_type, __rel_loc_rel_who) + 4;

    (void)state;
    hit_every_type();
    entry = (const void *)fake.raw;
    assert_int_equal(entry->__data_loc_who, 4 << 16 | fixed);
    assert_int_equal(entry->__data_loc_list, 8 << 16 | (fixed + 4));
    assert_int_equal(entry->__rel_loc_rel_who, 4 << 16 | (fixed + 12 - rel_at));
    assert_memory_equal(fake.raw + fixed, "who", 4);
    assert_memory_equal(fake.raw + fixed + 4, two_words, 8);
    assert_memory_equal(fake.raw + fixed + 12, "who", 4);
    assert_int_equal(entry->__data_loc_bits >> 16, 2 * sizeof(long));
    assert_int_equal(fake.raw_bytes, fixed + 4 + 8 + 4 + 8 + 2 * sizeof(long));
}

static void the_text_is_that_of_printk(void **state)
{
    (void)state;
    hit_every_type();
    assert_string_equal(
        fake_print(&cairn_class_every_type, fake.raw, fake.raw_bytes),
        "a8=200 b8=-1 who=who rel=who list={0x1,0xffffffff} mac=ab ab ab ab ab ab colour=green "
        "flags=HIGH|MIDDLE|0x4a60 bits=00000000,00000001,00000000,00000005 rel_y=8");
}

static void hit_texts(const char *text, size_t length, ...)
{
    va_list list;

    va_start(list, length);
    trace_texts(text, length, &list);
    va_end(list);
}

static void strings_of_all_kinds_are_recorded(void **state)
{
    (void)state;
    hit_texts("abcdef", 3, "x", 7);
    assert_string_equal(fake_print(&cairn_class_texts, fake.raw, fake.raw_bytes),
                        "abc|x-7|abcdef|abc");
    hit_texts("", 0, "", 0);
    assert_string_equal(fake_print(&cairn_class_texts, fake.raw, fake.raw_bytes), "|-0||");
}

static void a_null_string_is_printed_as_null(void **state)
{
    (void)state;
    hit_texts(NULL, 100, "x", 7);
    assert_string_equal(fake_print(&cairn_class_texts, fake.raw, fake.raw_bytes),
                        "(null)|x-7|(null)|(null)");
    hit_texts(NULL, 2, "x", 7);
    assert_string_equal(fake_print(&cairn_class_texts, fake.raw, fake.raw_bytes),
                        "(n|x-7|(null)|(n");
}

static void a_formatted_string_is_truncated_as_in_linux(void **state)
{
    char *text = malloc(2001);
    const struct cairn_i_entry_texts *entry;

    (void)state;
    assert_non_null(text);
    memset(text, 't', 2000);
    text[2000] = '\0';
    hit_texts("a", 1, text, 7);
    entry = (const void *)fake.raw;
    assert_in_range(entry->__data_loc_all >> 16, 1, 512);
    assert_int_equal(fake.committed, 1);
    free(text);
}

static void an_event_too_large_for_a_record_is_refused(void **state)
{
    static const size_t counts[] = {16360, 16384, SIZE_MAX / 4 + 2, SIZE_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        fake_reset(CAIRN_TRACE_DO_RECORD);
        trace_every_type(0, 0, "", two_words, counts[i]);
        assert_int_equal(fake.refused, 1);
        assert_int_equal(fake.committed, 0);
        assert_int_equal(fake.left, 1);
    }
}

static void a_string_of_64_kib_is_refused(void **state)
{
    char *text = malloc(0x10001);

    (void)state;
    assert_non_null(text);
    memset(text, 't', 0x10000);
    text[0x10000] = '\0';
    trace_with_condition(text, 1, (struct point){0, 0});
    assert_int_equal(fake.refused, 1);
    assert_int_equal(cairn_trace_dynamic_text_bytes(text), 0x10000);
    text[3] = '\0';
    assert_int_equal(cairn_trace_dynamic_text_bytes(text), 4);
    trace_with_condition(text, 1, (struct point){0, 0});
    assert_int_equal(fake.committed, 1);
    free(text);
}

static void an_event_may_have_no_arguments_and_fields(void **state)
{
    (void)state;
    fake_reset(CAIRN_TRACE_DO_RECORD | CAIRN_TRACE_DO_RAW);
    trace_no_fields();
    assert_int_equal(fake.raw_bytes, CAIRN_COMMON_BYTES);
    assert_int_equal(fake.argument_count, 0);
    assert_string_equal(fake_print(&cairn_class_no_fields, fake.raw, fake.raw_bytes), "nothing");
}

static void arguments_keep_their_values_for_raw_callbacks(void **state)
{
    float real = 1.5F;
    uint32_t real_bits;

    (void)state;
    fake_reset(CAIRN_TRACE_DO_RAW);
    hit_every_type();
    assert_int_equal(fake.argument_count, 5);
    assert_int_equal(fake.arguments[0], UINT64_MAX);
    assert_int_equal(fake.arguments[1], 1ULL << 40);
    assert_int_equal(fake.arguments[3], (uintptr_t)two_words);
    assert_int_equal(fake.arguments[4], 2);
    assert_int_equal(fake.committed, 0);
    assert_null(fake.raw);

    memcpy(&real_bits, &real, sizeof(real));
    trace_with_condition("", real, (struct point){'p', 4});
    assert_int_equal(fake.arguments[1], real_bits);
    assert_int_equal(fake.arguments[2] >> 32, 4);
    assert_int_equal(fake.arguments[2] & 0xff, 'p');
}

static void an_argument_of_any_type_keeps_its_value(void **state)
{
    const signed char small = -1;
    const char letter = -2;
    const short two = -3;
    const bool flag = true;
    const struct point large[2] = {{0, 0}, {0, 0}};

    (void)state;
    assert_int_equal(CAIRN_I_TRACE_EXTENDS(char), (char)-1 < 0);
    assert_int_equal(cairn_i_argument_bits(&small, 1, CAIRN_I_TRACE_EXTENDS(signed char)),
                     (uint64_t)-1);
    assert_int_equal(cairn_i_argument_bits(&letter, 1, CAIRN_I_TRACE_EXTENDS(char)),
                     (uint64_t)(int64_t)letter);
    assert_int_equal(cairn_i_argument_bits(&two, 2, CAIRN_I_TRACE_EXTENDS(short)), (uint64_t)-3);
    assert_int_equal(cairn_i_argument_bits(&two, 2, CAIRN_I_TRACE_EXTENDS(unsigned short)), 0xfffd);
    assert_int_equal(cairn_i_argument_bits(&flag, 1, CAIRN_I_TRACE_EXTENDS(bool)), 1);
    assert_int_equal(cairn_i_argument_bits(large, sizeof(large), false), (uintptr_t)large);
}

static void count_pid(void *data, uint32_t pid)
{
    *(uint32_t *)data += pid;
}

static void double_pid(void *data, uint32_t pid)
{
    *(uint32_t *)data *= 1 + (pid != 0);
}

static void typed_callbacks_get_the_arguments_in_order(void **state)
{
    uint32_t sum = 0;

    (void)state;
    fake_reset(CAIRN_TRACE_DO_TYPED);
    assert_int_equal(register_trace_task_begin(count_pid, &sum), 0);
    assert_int_equal(register_trace_prio_task_begin(double_pid, &sum, -5), 0);
    assert_int_equal(fake.callbacks[0].priority, 10);
    assert_int_equal(fake.callbacks[1].priority, -5);
    trace_task_begin(7);
    assert_int_equal(sum, 14);
    assert_int_equal(fake.committed, 0);

    /* A call of a callback that was unregistered a moment ago. */
    assert_int_equal(unregister_trace_task_begin(count_pid, &sum), 0);
    assert_int_equal(unregister_trace_task_begin(count_pid, &sum), ENOENT);
    trace_task_begin(7);
    assert_int_equal(sum, 28);
}

static void count_call(void *data)
{
    ++*(uint32_t *)data;
}

static void a_typed_callback_may_have_no_arguments(void **state)
{
    uint32_t calls = 0;

    (void)state;
    fake_reset(CAIRN_TRACE_DO_TYPED);
    assert_int_equal(register_trace_no_fields(count_call, &calls), 0);
    trace_no_fields();
    assert_int_equal(calls, 1);
}

static void events_of_a_class_share_everything_but_name_and_system(void **state)
{
    struct cairn_schema schema;

    (void)state;
    trace_task_end(5);
    assert_ptr_equal(fake.event, &cairn_event_task_end);
    assert_string_equal(fake_print(fake.event->event_class, fake.raw, fake.raw_bytes), "pid=5");
    assert_ptr_equal(cairn_event_task_begin.event_class, cairn_event_task_end.event_class);

    cairn_trace_event_schema(&cairn_event_task_end, &schema);
    assert_int_equal(schema.name.length, strlen("task_end"));
    assert_memory_equal(schema.name.text, "task_end", schema.name.length);
    assert_int_equal(schema.system.length, strlen("elsewhere"));
    assert_memory_equal(schema.system.text, "elsewhere", schema.system.length);
    assert_ptr_equal(schema.fields, cairn_class_task.schema.fields);

    trace_task_odd_text(6);
    assert_string_equal(fake_print(fake.event->event_class, fake.raw, fake.raw_bytes), "[6]");
}

static void a_condition_is_evaluated_first(void **state)
{
    (void)state;
    trace_task_even(3);
    assert_int_equal(fake.entered, 0);
    trace_task_even(4);
    assert_int_equal(fake.entered, 1);
    trace_with_condition(NULL, 0, (struct point){0, 0});
    assert_int_equal(fake.entered, 1);
}

static void sources_that_include_a_header_share_its_tracepoints(void **state)
{
    uint32_t entries = 0;

    (void)state;
    assert_ptr_equal(other_event(), &cairn_event_task_begin);
    other_hit(8);
    assert_ptr_equal(fake.event, &cairn_event_task_begin);
    for (struct cairn_trace_event *const *event = __start_cairn_trace_events;
         event < __stop_cairn_trace_events; event++)
        entries += *event == &cairn_event_task_begin;
    assert_int_equal(entries, 2);
}

/* The text of a record filled with `fill`, except for one location. */
static const char *print_with(uint8_t fill, size_t member, uint32_t location, size_t raw_bytes)
{
    uint8_t raw[256];

    assert_true(raw_bytes <= sizeof(raw));
    memset(raw, fill, sizeof(raw));
    memcpy(raw + member, &location, sizeof(location));
    return fake_print(&cairn_class_texts, raw, raw_bytes);
}

static void a_location_outside_the_record_is_printed_as_empty(void **state)
{
    size_t first = offsetof(struct cairn_i_entry_texts, __data_loc_first);
    size_t rel = offsetof(struct cairn_i_entry_texts, __rel_loc_rel_first);

    (void)state;
    /* At the end of the record, and one byte beyond it. */
    assert_string_equal(print_with(0, first, 1 << 16 | 63, 64), "|||");
    assert_string_equal(print_with('x', first, 4 << 16 | 61, 64), "|||");
    assert_string_equal(print_with('x', first, UINT32_MAX, 64), "|||");
    assert_string_equal(print_with('x', rel, 60 << 16 | 8, 64), "|||");
    assert_string_equal(print_with('x', rel, UINT32_MAX, 64), "|||");
    /* Inside the record, but without a NUL. */
    assert_string_equal(print_with('x', first, 8 << 16 | 40, 64), "|||");
}

static void locations_have_a_length_and_bytes(void **state)
{
    static const uint8_t raw[16];

    (void)state;
    assert_int_equal(cairn_trace_field_length(raw, 16, 0, 8 << 16 | 8), 8);
    assert_int_equal(cairn_trace_field_length(raw, 16, 0, 8 << 16 | 9), 0);
    assert_int_equal(cairn_trace_field_length(raw, 16, 12, 4 << 16 | 0), 4);
    assert_int_equal(cairn_trace_field_length(raw, 16, 12, 4 << 16 | 1), 0);
    assert_ptr_equal(cairn_trace_field_bytes(raw, 16, 0, 8 << 16 | 8), raw + 8);
    assert_ptr_equal(cairn_trace_field_bytes(raw, 16, 0, 16), raw + 16);
    assert_null(cairn_trace_field_bytes(raw, 16, 0, 17));
    assert_null(cairn_trace_field_bytes(raw, 16, UINT32_MAX, 1 << 16 | 1));
    assert_int_equal(cairn_trace_field_within(raw, 16, raw + 10, 6), 6);
    assert_int_equal(cairn_trace_field_within(raw, 16, raw + 10, 7), 6);
    assert_int_equal(cairn_trace_field_within(raw, 16, raw + 10, SIZE_MAX), 6);
    assert_int_equal(cairn_trace_field_within(raw, 16, &switch_on, 100), 100);
    assert_int_equal(cairn_trace_field_within(raw, 16, NULL, 100), 100);
}

/* A sanitizer finds every read beyond the record. */
static void records_of_any_bytes_print(void **state)
{
    uint32_t fixed = cairn_class_every_type.schema.fixed_size_bytes;
    uint64_t seed = 88172645463325252ULL;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        uint8_t raw[512];
        size_t raw_bytes = fixed + (size_t)round % 64;

        for (size_t i = 0; i < raw_bytes; i++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            /* Small numbers, too: locations that are almost valid. */
            raw[i] = round % 2 ? (uint8_t)seed : (uint8_t)(seed % 3 * (seed >> 8 & 0x7f));
        }
        assert_non_null(fake_print(&cairn_class_every_type, raw, raw_bytes));
    }
}

static void a_char_array_without_a_nul_ends_with_the_record(void **state)
{
    struct cairn_i_entry_task_rename entry;
    const char *text;

    (void)state;
    memset(&entry, 'c', sizeof(entry));
    text = fake_print(&cairn_class_task_rename, &entry, sizeof(entry));
    assert_non_null(strstr(text, "newcomm=cccccccccccccccccc oom_score_adj="));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_disabled_tracepoint_does_nothing, switch_on),
        cmocka_unit_test_setup(the_record_has_the_values_at_the_offsets_of_the_schema, switch_on),
        cmocka_unit_test_setup(dynamic_fields_follow_one_another_without_gaps, switch_on),
        cmocka_unit_test_setup(the_text_is_that_of_printk, switch_on),
        cmocka_unit_test_setup(strings_of_all_kinds_are_recorded, switch_on),
        cmocka_unit_test_setup(a_null_string_is_printed_as_null, switch_on),
        cmocka_unit_test_setup(a_formatted_string_is_truncated_as_in_linux, switch_on),
        cmocka_unit_test_setup(an_event_too_large_for_a_record_is_refused, switch_on),
        cmocka_unit_test_setup(a_string_of_64_kib_is_refused, switch_on),
        cmocka_unit_test_setup(an_event_may_have_no_arguments_and_fields, switch_on),
        cmocka_unit_test_setup(arguments_keep_their_values_for_raw_callbacks, switch_on),
        cmocka_unit_test(an_argument_of_any_type_keeps_its_value),
        cmocka_unit_test_setup(typed_callbacks_get_the_arguments_in_order, switch_on),
        cmocka_unit_test_setup(a_typed_callback_may_have_no_arguments, switch_on),
        cmocka_unit_test_setup(events_of_a_class_share_everything_but_name_and_system, switch_on),
        cmocka_unit_test_setup(a_condition_is_evaluated_first, switch_on),
        cmocka_unit_test_setup(sources_that_include_a_header_share_its_tracepoints, switch_on),
        cmocka_unit_test_setup(a_location_outside_the_record_is_printed_as_empty, switch_on),
        cmocka_unit_test(locations_have_a_length_and_bytes),
        cmocka_unit_test(records_of_any_bytes_print),
        cmocka_unit_test(a_char_array_without_a_nul_ends_with_the_record),
    };

    return cmocka_run_group_tests(tests, NULL, tear_down);
}
