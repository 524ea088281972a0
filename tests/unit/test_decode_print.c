/* SPDX-License-Identifier: MIT */
/* Test of printing whole events and documents in each style, and of the state that the decoder
 * keeps between events. */
#include "decode_test.h"

#include "decode/layout_cache.h"

#include <inttypes.h>

#define PLAIN_FORMAT                                   \
    "name: tick\nID: 7\n" COMMON_FIELDS "\tfield:u32 " \
    "n;\toffset:8;\tsize:4;\tsigned:0;\n" PRINT_FMT

static const struct cairn_event sample = {
    .has = CAIRN_EVENT_TIME | CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID,
    .cpu = 3,
    .pid = 100,
    .tid = 101,
    .time_ns = 17284993652999,
    .wall_ns = 1711586712640913120,
    .comm = "bash",
};

static struct bytes plain_record(uint32_t n)
{
    struct bytes record = {0};

    put_common(&record);
    put_number(&record, n, 4);
    return record;
}

static void assert_plain(enum cairn_style style, const struct cairn_event *facts,
                         const char *expected)
{
    struct bytes record = plain_record(5);
    struct printed printed = print_one(style, PLAIN_FORMAT, record.data, record.size, facts, false);

    assert_string_equal(printed.text, expected);
    free(printed.text);
}

static void json_has_the_members_of_perf_decode(void **state)
{
    (void)state;
    assert_plain(
        CAIRN_STYLE_JSON, &sample,
        "\n {\"n\":\"sys:tick\",\"n\":5,\"meta\":{\"time\":\"2024-03-28T00:45:12.640913120Z\","
        "\"cpu\":3,\"pid\":100,\"tid\":101}}");
}

static void jsonl_is_one_object_per_line(void **state)
{
    (void)state;
    assert_plain(
        CAIRN_STYLE_JSONL, &sample,
        "{\"time\":\"2024-03-28T00:45:12.640913120Z\",\"time_ns\":1711586712640913120,\"cpu\":3,"
        "\"pid\":100,\"tid\":101,"
        "\"provider\":\"sys\",\"event\":\"tick\",\"comm\":\"bash\",\"fields\":{\"n\":5}}\n");
}

static void text_has_the_format_of_trace_pipe(void **state)
{
    struct cairn_event facts = sample;

    (void)state;
    assert_plain(CAIRN_STYLE_TEXT, &facts,
                 "            bash-101     [003] 17284.993653: tick: n=5\n");
    facts.comm = NULL;
    facts.tid = 12345678;
    facts.cpu = 1234;
    facts.time_ns = 1000;
    assert_plain(CAIRN_STYLE_TEXT, &facts,
                 "           <...>-12345678 [1234]     0.000001: tick: n=5\n");
    facts.comm = "a name of more bytes";
    assert_plain(CAIRN_STYLE_TEXT, &facts,
                 "a name of more bytes-12345678 [1234]     0.000001: tick: n=5\n");
}

static void without_a_wall_clock_time_the_time_stamp_is_printed(void **state)
{
    struct cairn_event facts = sample;

    (void)state;
    facts.has = CAIRN_EVENT_TIME;
    facts.comm = NULL;
    assert_plain(CAIRN_STYLE_JSON, &facts,
                 "\n {\"n\":\"sys:tick\",\"n\":5,\"meta\":{\"time\":17284.993652999}}");
    assert_plain(CAIRN_STYLE_JSONL, &facts,
                 "{\"clock\":\"17284.993652999\",\"time_ns\":17284993652999,\"provider\":\"sys\","
                 "\"event\":\"tick\","
                 "\"fields\":{\"n\":5}}\n");
}

static void a_sample_may_be_without_any_data(void **state)
{
    (void)state;
    assert_plain(CAIRN_STYLE_JSON, NULL, "\n {\"n\":\"sys:tick\",\"n\":5,\"meta\":{}}");
    assert_plain(CAIRN_STYLE_JSONL, NULL,
                 "{\"provider\":\"sys\",\"event\":\"tick\",\"fields\":{\"n\":5}}\n");
    assert_plain(CAIRN_STYLE_TEXT, NULL, "tick: n=5\n");
}

static void the_name_of_a_thread_is_made_valid_utf8(void **state)
{
    struct cairn_event facts = sample;

    (void)state;
    facts.has = CAIRN_EVENT_TID;
    facts.comm = "\xff\"\n";
    assert_plain(CAIRN_STYLE_JSONL, &facts,
                 "{\"pid\":100,\"tid\":101,\"provider\":\"sys\",\"event\":\"tick\","
                 "\"comm\":\"\xef\xbf\xbd\\\"\\n\",\"fields\":{\"n\":5}}\n");
}

static void the_thread_of_an_event_may_have_ended(void **state)
{
    struct cairn_event facts = sample;

    (void)state;
    facts.has = CAIRN_EVENT_TID;
    facts.comm = NULL;
    facts.pid = facts.tid = UINT32_MAX;
    assert_plain(
        CAIRN_STYLE_JSON, &facts,
        "\n {\"n\":\"sys:tick\",\"n\":5,\"meta\":{\"pid\":4294967295,\"tid\":4294967295}}");
    assert_plain(CAIRN_STYLE_JSONL, &facts,
                 "{\"pid\":-1,\"tid\":-1,\"provider\":\"sys\",\"event\":\"tick\","
                 "\"fields\":{\"n\":5}}\n");
}

struct world {
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
};

static void open_world(struct world *world, enum cairn_style style)
{
    assert_int_equal(cairn_decoder_create(&world->decoder), 0);
    assert_int_equal(cairn_printer_create(style, -1, &world->printer), 0);
}

static void print_record(const struct world *world, uint32_t tracepoint, const struct bytes *record)
{
    struct cairn_event event = {0};

    assert_int_equal(
        cairn_decoder_event(world->decoder, tracepoint, record->data, record->size, &event), 0);
    assert_int_equal(cairn_printer_event(world->printer, &event), CAIRN_EVENT_WHOLE);
}

/* Ends the document and frees everything. */
static void assert_document(struct world *world, const char *expected)
{
    char *text;

    assert_int_equal(cairn_printer_finish(world->printer), 0);
    text = take_text(world->printer);
    assert_string_equal(text, expected);
    free(text);
    cairn_printer_destroy(world->printer);
    cairn_decoder_destroy(world->decoder);
}

/* Data that are cached between events must not be printed for another event. */
static void each_event_has_its_own_time_cpu_and_thread(void **state)
{
    static const struct cairn_event events[] = {
        {.cpu = 1, .pid = 2, .tid = 3, .wall_ns = 1700000000999999999},
        {.cpu = 1, .pid = 2, .tid = 3, .wall_ns = 1700000001000000000},
        {.cpu = 4, .pid = 2, .tid = 3, .wall_ns = 1700000001000000001},
        {.cpu = 4, .pid = 5, .tid = 3, .wall_ns = 1700000000000000000},
        {.cpu = 4, .pid = 5, .tid = 19, .wall_ns = 0},
        {.cpu = 1, .pid = 2, .tid = 3, .wall_ns = 1700000000000000000},
    };
    static const char *const times[] = {
        "2023-11-14T22:13:20.999999999Z", "2023-11-14T22:13:21.000000000Z",
        "2023-11-14T22:13:21.000000001Z", "2023-11-14T22:13:20.000000000Z",
        "1970-01-01T00:00:00.000000000Z", "2023-11-14T22:13:20.000000000Z",
    };
    struct bytes record = plain_record(5);
    struct world world;
    uint32_t tick;
    char expected[2048] = "";

    (void)state;
    open_world(&world, CAIRN_STYLE_JSONL);
    tick = add_tracepoint(world.decoder, PLAIN_FORMAT, false);
    for (size_t n = 0; n < sizeof(events) / sizeof(events[0]); n++) {
        struct cairn_event event = events[n];

        event.has = CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID;
        assert_int_equal(cairn_decoder_event(world.decoder, tick, record.data, record.size, &event),
                         0);
        cairn_printer_event(world.printer, &event);
        snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
                 "{\"time\":\"%s\",\"time_ns\":%" PRIu64
                 ",\"cpu\":%u,\"pid\":%u,\"tid\":%u,\"provider\":\"sys\","
                 "\"event\":\"tick\",\"fields\":{\"n\":5}}\n",
                 times[n], event.wall_ns, event.cpu, event.pid, event.tid);
    }
    assert_document(&world, expected);
}

/* ---- documents ---- */

static void a_json_document_contains_recordings(void **state)
{
    struct bytes record = plain_record(5);
    struct world world;
    uint32_t tick;

    (void)state;
    open_world(&world, CAIRN_STYLE_JSON);
    tick = add_tracepoint(world.decoder, PLAIN_FORMAT, false);
    cairn_printer_begin(world.printer, "a\"\xff.data");
    print_record(&world, tick, &record);
    print_record(&world, tick, &record);
    cairn_printer_begin(world.printer, "empty");
    assert_document(&world,
                    "{\n\"a\\\"\xc3\xbf.data\": [\n {\"n\":\"sys:tick\",\"n\":5,\"meta\":{}},\n"
                    " {\"n\":\"sys:tick\",\"n\":5,\"meta\":{}} ],\n\"empty\": [ ]\n}\n");
}

static void without_a_recording_the_document_is_empty(void **state)
{
    struct world world;

    (void)state;
    open_world(&world, CAIRN_STYLE_JSON);
    assert_document(&world, "");
}

static void lines_need_no_document(void **state)
{
    struct bytes record = plain_record(5);
    struct world world;

    (void)state;
    open_world(&world, CAIRN_STYLE_TEXT);
    cairn_printer_begin(world.printer, "a.data");
    print_record(&world, add_tracepoint(world.decoder, PLAIN_FORMAT, false), &record);
    cairn_printer_begin(world.printer, "b.data");
    assert_document(&world, "tick: n=5\n");
}

/* ---- layouts are found by content ---- */

static struct bytes make_event(const char *fields, size_t fields_size, const char *data,
                               size_t data_size)
{
    struct bytes metadata = {0};
    struct bytes payload = {0};
    struct bytes event = {0};

    put_bytes(&metadata, fields, fields_size);
    put_bytes(&payload, data, data_size);
    put_event(&event, &metadata, &payload);
    return event;
}

static void events_with_one_name_and_two_layouts_are_distinguished(void **state)
{
    struct bytes a = make_event("f\0\x02", 3, "\1", 1);
    struct bytes b = make_event("f\0\x07", 3, "x\0", 2);
    struct world world;
    uint32_t tracepoint;

    (void)state;
    open_world(&world, CAIRN_STYLE_TEXT);
    tracepoint = add_tracepoint(world.decoder, EVENTHEADER_FORMAT, false);
    print_record(&world, tracepoint, &a);
    print_record(&world, tracepoint, &b);
    b.data[8 + 6] = CAIRN_OPCODE_RECEIVE;
    print_record(&world, tracepoint, &b);
    print_record(&world, tracepoint, &a);
    assert_document(&world, "P:E: f=1 (level=verbose keyword=0x2A)\n"
                            "P:E: f=x (level=verbose keyword=0x2A)\n"
                            "P:E: f=x (level=verbose keyword=0x2A opcode=receive)\n"
                            "P:E: f=1 (level=verbose keyword=0x2A)\n");
}

static void the_same_metadata_of_two_tracepoints_is_distinguished(void **state)
{
    struct bytes event = make_event("f\0\x02", 3, "\1", 1);
    struct world world;
    char other[] = EVENTHEADER_FORMAT;

    (void)state;
    other[strlen("name: ")] = 'Q';
    open_world(&world, CAIRN_STYLE_TEXT);
    print_record(&world, add_tracepoint(world.decoder, EVENTHEADER_FORMAT, false), &event);
    print_record(&world, add_tracepoint(world.decoder, other, false), &event);
    assert_document(&world, "P:E: f=1 (level=verbose keyword=0x2A)\n"
                            "Q:E: f=1 (level=verbose keyword=0x2A)\n");
}

static struct trace_file_eventheader parts_of(const struct bytes *event)
{
    struct trace_file_eventheader parts;

    assert_int_equal(trace_file_eventheader_parse(event->data + 8, event->size - 8, &parts), 0);
    return parts;
}

static void a_layout_is_compiled_once(void **state)
{
    const struct cairn_decoder_format format = {.text = slice(EVENTHEADER_FORMAT),
                                                .long_size_bytes = 8};
    struct decode_origin origin;
    struct decode_layout_cache cache;
    const struct decode_layout *first = NULL;

    (void)state;
    assert_int_equal(decode_origin_open(&format, &origin), 0);
    assert_int_equal(decode_layout_cache_open(&cache), 0);
    for (int n = 0; n < 3; n++) {
        struct bytes event = make_event("f\0\x02", 3, "\1", 1);
        struct trace_file_eventheader parts = parts_of(&event);
        const struct decode_layout *layout;

        assert_int_equal(decode_layout_cache_find(&cache, 0, &origin, &parts, &layout), 0);
        if (!first)
            first = layout;
        assert_ptr_equal(layout, first);
        assert_int_equal(cache.layout_count, 1);
    }
    decode_layout_cache_close(&cache);
    decode_origin_close(&origin);
}

/* A recording in which each event has different metadata. */
static void the_cache_has_a_limited_size(void **state)
{
    struct decode_layout of_tracepoint = {0};
    struct decode_origin origin = {.layout = &of_tracepoint};
    struct decode_layout_cache cache;

    (void)state;
    assert_int_equal(decode_layout_cache_open(&cache), 0);
    for (uint32_t n = 0; n < 70000; n++) {
        char fields[16];
        struct bytes event;
        struct trace_file_eventheader parts;
        const struct decode_layout *layout;

        snprintf(fields, sizeof(fields), "%u%c\x02", n, 0);
        event = make_event(fields, strlen(fields) + 2, "\1", 1);
        event.data[15] = 0; /* the level of the tracepoint, which has no name in this test */
        parts = parts_of(&event);
        assert_int_equal(decode_layout_cache_find(&cache, 0, &origin, &parts, &layout), 0);
        assert_int_equal(layout->field_count, 1);
        assert_true(cache.layout_count <= 65536);
    }
    assert_true(cache.layout_count > 4000);
    decode_layout_cache_close(&cache);
}

/* A layout's texts are found by its serial number: the second decoder may have the first one's
 * addresses. */
static void texts_of_a_decoder_that_was_destroyed_are_not_used(void **state)
{
    struct bytes a = make_event("a\0\x02", 3, "\1", 1);
    struct bytes b = make_event("b\0\x02", 3, "\1", 1);
    struct world world;

    (void)state;
    open_world(&world, CAIRN_STYLE_TEXT);
    print_record(&world, add_tracepoint(world.decoder, EVENTHEADER_FORMAT, false), &a);
    cairn_decoder_destroy(world.decoder);
    assert_int_equal(cairn_decoder_create(&world.decoder), 0);
    print_record(&world, add_tracepoint(world.decoder, EVENTHEADER_FORMAT, false), &b);
    assert_document(&world, "P:E: a=1 (level=verbose keyword=0x2A)\n"
                            "P:E: b=1 (level=verbose keyword=0x2A)\n");
}

/* Each event has metadata of its own, and the last has the texts of the first again. */
static void the_texts_do_not_grow_without_end(void **state)
{
    struct world world;
    uint32_t tracepoint;

    (void)state;
    open_world(&world, CAIRN_STYLE_TEXT);
    tracepoint = add_tracepoint(world.decoder, EVENTHEADER_FORMAT, false);
    for (uint32_t n = 0; n <= 66000; n++) {
        char fields[16];
        char expected[64];
        struct bytes event;
        char *text;

        snprintf(fields, sizeof(fields), "%u%c\x02", n % 66000, 0);
        snprintf(expected, sizeof(expected), "P:E: %u=1 (level=verbose keyword=0x2A)\n", n % 66000);
        event = make_event(fields, strlen(fields) + 2, "\1", 1);
        world.printer->out.at = world.printer->out.begin;
        print_record(&world, tracepoint, &event);
        text = take_text(world.printer);
        assert_string_equal(text, expected);
        free(text);
        assert_true(world.printer->cache.slot_count <= 65536);
        assert_true(world.printer->cache.size_bytes <= 65536 * 256);
    }
    assert_true(world.printer->cache.slot_count >= 4096);
    cairn_printer_destroy(world.printer);
    cairn_decoder_destroy(world.decoder);
}

/* ---- items, as a program reads them ---- */

static void items_have_fields_and_bytes(void **state)
{
    struct bytes event = make_event("s\0\xc1\x01"
                                    "v\0\x84\x83\x34\x12",
                                    10, "\1\0\1\2\3\4", 6);
    struct cairn_event decoded = {0};
    struct cairn_items *items;
    struct cairn_item item;
    struct cairn_decoder *decoder;

    (void)state;
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_items_create(&items), 0);
    assert_int_equal(cairn_decoder_event(decoder,
                                         add_tracepoint(decoder, EVENTHEADER_FORMAT, false),
                                         event.data, event.size, &decoded),
                     0);
    cairn_items_begin(items, &decoded);
    assert_true(cairn_items_next(items, &item));
    assert_int_equal(item.kind, CAIRN_ITEM_ARRAY_BEGIN);
    assert_int_equal(item.count, 1);
    assert_true(item.field->is_array && !item.is_element);
    assert_true(cairn_items_next(items, &item));
    assert_int_equal(item.kind, CAIRN_ITEM_STRUCT_BEGIN);
    assert_true(item.is_element);
    assert_true(cairn_items_next(items, &item));
    assert_int_equal(item.kind, CAIRN_ITEM_VALUE);
    assert_int_equal(item.field->encoding, CAIRN_ENCODING_VALUE32);
    assert_int_equal(item.field->format, CAIRN_FORMAT_HEX_INT);
    assert_int_equal(item.field->tag, 0x1234);
    assert_int_equal(item.size_bytes, 4);
    assert_memory_equal(item.data, "\1\2\3\4", 4);
    assert_memory_equal(item.field->name.text, "v", item.field->name.length);
    assert_true(cairn_items_next(items, &item));
    assert_int_equal(item.kind, CAIRN_ITEM_STRUCT_END);
    assert_true(cairn_items_next(items, &item));
    assert_int_equal(item.kind, CAIRN_ITEM_ARRAY_END);
    assert_false(cairn_items_next(items, &item));
    assert_false(cairn_items_next(items, &item));
    assert_int_equal(cairn_items_error(items), CAIRN_EVENT_WHOLE);
    cairn_items_destroy(items);
    cairn_decoder_destroy(decoder);
}

static void wrong_arguments_are_refused(void **state)
{
    struct cairn_printer *printer = NULL;
    struct cairn_decoder *decoder;
    struct cairn_event event;

    (void)state;
    assert_int_equal(cairn_printer_create((enum cairn_style)CAIRN_STYLE_COUNT, -1, &printer),
                     EINVAL);
    assert_null(printer);
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_decoder_event(decoder, 0, "", 0, &event), EINVAL);
    cairn_decoder_destroy(decoder);
    cairn_decoder_destroy(NULL);
    cairn_printer_destroy(NULL);
    cairn_items_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_members_of_perf_decode),
        cmocka_unit_test(jsonl_is_one_object_per_line),
        cmocka_unit_test(text_has_the_format_of_trace_pipe),
        cmocka_unit_test(without_a_wall_clock_time_the_time_stamp_is_printed),
        cmocka_unit_test(a_sample_may_be_without_any_data),
        cmocka_unit_test(the_name_of_a_thread_is_made_valid_utf8),
        cmocka_unit_test(the_thread_of_an_event_may_have_ended),
        cmocka_unit_test(each_event_has_its_own_time_cpu_and_thread),
        cmocka_unit_test(a_json_document_contains_recordings),
        cmocka_unit_test(without_a_recording_the_document_is_empty),
        cmocka_unit_test(lines_need_no_document),
        cmocka_unit_test(events_with_one_name_and_two_layouts_are_distinguished),
        cmocka_unit_test(the_same_metadata_of_two_tracepoints_is_distinguished),
        cmocka_unit_test(a_layout_is_compiled_once),
        cmocka_unit_test(texts_of_a_decoder_that_was_destroyed_are_not_used),
        cmocka_unit_test(the_texts_do_not_grow_without_end),
        cmocka_unit_test(the_cache_has_a_limited_size),
        cmocka_unit_test(items_have_fields_and_bytes),
        cmocka_unit_test(wrong_arguments_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
