/* SPDX-License-Identifier: MIT */
/* Test of the layer of EventHeader events: each is byte for byte the same as one of the builder. */
#include "engine_test.h"
#include "engine/status.h"
#include "tracing_test.h"
#include "user_events/kernel.h"
#include "user_events/kernel_limit.h"

#include <cairn/eventheader_dynamic.h>

#define PROVIDER "Tracing_Test"

/* Another provider with the same name has the same tracepoints. */
static struct cairn_dynamic_provider *provider;
static struct cairn_builder *b;
static struct engine_session session;
static struct cairn_layer *layer;

static int set_up_layer(void **state)
{
    const struct cairn_eventheader_options options = {.size = sizeof(options), .name = PROVIDER};

    return set_up(state) || cairn_dynamic_provider_create(PROVIDER, NULL, &provider) ||
           cairn_builder_create(&b) || cairn_eventheader_layer_create(&options, &layer) ||
           cairn_subscriber_create(&subscriber) || cairn_subscriber_add(subscriber, layer, NULL) ||
           cairn_subscriber_set_global(subscriber);
}

static int tear_down_layer(void **state)
{
    cairn_builder_destroy(b);
    return cairn_subscriber_set_global(NULL) || cairn_subscriber_destroy(subscriber) ||
           cairn_dynamic_provider_destroy(provider) || tear_down(state);
}

static int listen(void **state)
{
    (void)state;
    session = begin(PROVIDER "_*");
    return 0;
}

static int stop_listening(void **state)
{
    (void)state;
    end(&session);
    return 0;
}

/* Checks that the last record is what the builder contains. */
static void assert_written(uint8_t level, uint64_t keyword, const struct cairn_guid *activity,
                           const struct cairn_guid *related)
{
    static uint8_t payload[CAIRN_RECORD_MAX_BYTES];
    uint32_t bytes;
    uint32_t records = read_session(&session).records;
    struct cairn_event_set *set;

    bytes = last_payload_bytes;
    memcpy(payload, last_payload, bytes);
    assert_int_equal(cairn_event_set_register(provider, level, keyword, &set), 0);
    assert_int_equal(cairn_builder_write(b, set, activity, related), 0);
    assert_int_equal(read_session(&session).records, records + 1);
    assert_int_equal(bytes, last_payload_bytes);
    assert_memory_equal(payload, last_payload, bytes);
}

static void write_all_types(void)
{
    const struct cairn_guid guid = {{1, 2, 3}};
    const struct timespec time = {-1, 999999999};
    const bool yes = true;

    CAIRN_WARN((kv("i", -1), kv("u", 2u), kv("b", yes), kv("f", 0.5), kv("s", "text"),
                kv("c", (char)'c'), kv("p", (void *)16), kv("e", cairn_errno(2)), kv("t", time),
                kv("y", cairn_bytes("\x01\x02", 2)), kv("g", &guid), kv("n", cairn_empty()),
                name("Named"), tag(7), keyword(0x20), keyword(0x3)),
               "hello %d", 1);
    cairn_builder_begin(b, "Named", 7);
    cairn_builder_str8(b, "message", "hello 1");
    cairn_builder_i64(b, "i", -1);
    cairn_builder_u64(b, "u", 2);
    cairn_builder_bool8(b, "b", true);
    cairn_builder_f64(b, "f", 0.5);
    cairn_builder_str8(b, "s", "text");
    cairn_builder_value(b, "c", CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_STRING8, 0, "c");
    cairn_builder_pointer(b, "p", (void *)16);
    cairn_builder_errno_code(b, "e", 2);
    cairn_builder_time64(b, "t", -1);
    cairn_builder_binary(b, "y", "\x01\x02", 2);
    cairn_builder_guid(b, "g", &guid);
    cairn_builder_null(b, "n", CAIRN_FORMAT_UNSIGNED_INT, 0);
    assert_written(CAIRN_LEVEL_WARNING, 0x23, NULL, NULL);
}

/* The second event uses what was cached for the first. */
static void an_event_is_written_with_all_types(void **state)
{
    (void)state;
    write_all_types();
    write_all_types();
}

/* Without a message, from the third event on: by the entry that the call site remembers. */
static void write_values_alone(const char *text)
{
    const struct cairn_guid guid = {{1, 2, 3}};
    const struct timespec time = {1, 5};
    const bool yes = true;

    CAIRN_INFO((name("V"), kv("i", -1), kv("s", text), kv("u", 2u), kv("b", yes), kv("f", 0.5),
                kv("c", (char)'c'), kv("p", (void *)16), kv("e", cairn_errno(2)), kv("t", time),
                kv("y", cairn_bytes(text, strlen(text) / 2)), kv("g", &guid),
                kv("n", cairn_empty()), kv("l", 3)));
    cairn_builder_begin(b, "V", 0);
    cairn_builder_i64(b, "i", -1);
    cairn_builder_str8(b, "s", text);
    cairn_builder_u64(b, "u", 2);
    cairn_builder_bool8(b, "b", true);
    cairn_builder_f64(b, "f", 0.5);
    cairn_builder_value(b, "c", CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_STRING8, 0, "c");
    cairn_builder_pointer(b, "p", (void *)16);
    cairn_builder_errno_code(b, "e", 2);
    cairn_builder_time64(b, "t", 1);
    cairn_builder_binary(b, "y", text, (uint16_t)(strlen(text) / 2));
    cairn_builder_guid(b, "g", &guid);
    cairn_builder_null(b, "n", CAIRN_FORMAT_UNSIGNED_INT, 0);
    cairn_builder_i64(b, "l", 3);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, NULL, NULL);
}

static void values_alone_are_written_with_texts_of_any_length(void **state)
{
    static const uint16_t lengths[] = {0, 1, 3, 4, 8, 15, 16, 17, 64, 65, 255, 256, 257, 5000};
    static char text[5001];

    (void)state;
    for (int i = 0; i < 3; i++)
        for (size_t j = 0; j < sizeof(lengths) / sizeof(lengths[0]); j++) {
            memset(text, 'a' + i, lengths[j]);
            text[lengths[j]] = '\0';
            write_values_alone(text);
        }
}

static void levels_are_eventheaders_and_trace_is_6(void **state)
{
    (void)state;
#define ONE(macro, level)             \
    macro((name("L"), kv("a", "x"))); \
    cairn_builder_begin(b, "L", 0);   \
    cairn_builder_str8(b, "a", "x");  \
    assert_written(level, 1, NULL, NULL);
    ONE(CAIRN_ERROR, CAIRN_LEVEL_ERROR)
    ONE(CAIRN_WARN, CAIRN_LEVEL_WARNING)
    ONE(CAIRN_INFO, CAIRN_LEVEL_INFORMATION)
    ONE(CAIRN_DEBUG, CAIRN_LEVEL_VERBOSE)
    ONE(CAIRN_TRACE, CAIRN_LEVEL_VERBOSE + 1)
}

static void hex(const uint8_t *bytes, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++)
        (void)sprintf(text + 2 * i, "%02x", bytes[i]);
}

static struct cairn_guid activity_of(const struct cairn_span *span)
{
    struct cairn_trace_context context;
    struct cairn_guid guid;

    assert_true(cairn_span_context(span, &context));
    memcpy(guid.bytes, context.trace_id + 8, 8);
    memcpy(guid.bytes + 8, context.span_id, 8);
    return guid;
}

static void add_hex(const char *name, const uint8_t *bytes, size_t count)
{
    char text[33];

    hex(bytes, count, text);
    cairn_builder_str8(b, name, text);
}

static void add_ids(const struct cairn_span *span)
{
    struct cairn_trace_context context;

    assert_true(cairn_span_context(span, &context));
    add_hex("trace_id", context.trace_id, 16);
    add_hex("span_id", context.span_id, 8);
}

static void trace_two_spans(void)
{
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer", kv("a", 1));
    struct cairn_guid outer_id = activity_of(outer);
    struct cairn_span *inner;
    struct cairn_guid inner_id;
    uint8_t parent_id[8];

    cairn_builder_begin(b, "outer", 0);
    cairn_builder_opcode(b, CAIRN_OPCODE_ACTIVITY_START);
    cairn_builder_i64(b, "a", 1);
    add_ids(outer);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, &outer_id, NULL);

    inner = CAIRN_SPAN(INFO, "inner", kv("late", cairn_empty()), parent(outer), keyword(4));
    inner_id = activity_of(inner);
    cairn_builder_begin(b, "inner", 0);
    cairn_builder_opcode(b, CAIRN_OPCODE_ACTIVITY_START);
    cairn_builder_null(b, "late", CAIRN_FORMAT_UNSIGNED_INT, 0);
    add_ids(inner);
    assert_true(cairn_span_parent_id(inner, parent_id));
    add_hex("parent_span_id", parent_id, 8);
    assert_written(CAIRN_LEVEL_INFORMATION, 4, &inner_id, &outer_id);

    {
        CAIRN_IN_SPAN(inner);
        CAIRN_DEBUG((name("E")), "in it");
    }
    cairn_builder_begin(b, "E", 0);
    cairn_builder_str8(b, "message", "in it");
    add_ids(inner);
    assert_written(CAIRN_LEVEL_VERBOSE, 1, &inner_id, &outer_id);

    CAIRN_RECORD(inner, "late", "known");
    cairn_span_close(inner);
    (void)read_session(&session);
    assert_int_equal(last_payload[offsetof(struct cairn_eventheader, opcode)],
                     CAIRN_OPCODE_ACTIVITY_STOP);
    assert_non_null(memmem(last_payload, last_payload_bytes, "known", 5));
    assert_non_null(memmem(last_payload, last_payload_bytes, "duration_ns", 12));
    assert_non_null(memmem(last_payload, last_payload_bytes, inner_id.bytes, 16));
    cairn_span_close(outer);
}

static void spans_start_and_stop_activities(void **state)
{
    (void)state;
    trace_two_spans();
    trace_two_spans();
}

static void fields_may_change_their_types(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        struct cairn_span *span = CAIRN_SPAN(INFO, "s", kv("a", cairn_empty()), kv("b", 1));
        const uint8_t opcode_at = offsetof(struct cairn_eventheader, opcode);

        if (i % 3 == 1)
            CAIRN_RECORD(span, "a", i);
        if (i % 3 == 2)
            CAIRN_RECORD(span, "a", "a text");
        if (i % 2)
            CAIRN_RECORD(span, "b", 0.5);
        cairn_span_close(span);
        (void)read_session(&session);
        assert_int_equal(last_payload[opcode_at], CAIRN_OPCODE_ACTIVITY_STOP);
        assert_int_equal(i % 3 == 2, memmem(last_payload, last_payload_bytes, "a text", 6) != NULL);
    }
}

/* ---- larger than a record ---- */

static char long_text[200001];

/* The end of a text of 200,000 letters Q, which no name contains. */
static const char *text_of(size_t bytes)
{
    memset(long_text, 'Q', sizeof(long_text) - 1);
    return long_text + sizeof(long_text) - 1 - bytes;
}

/* Number of occurrences of a letter in the last record. */
static uint32_t letters(char letter)
{
    uint32_t count = 0;

    (void)read_session(&session);
    for (uint32_t i = 0; i < last_payload_bytes; i++)
        count += last_payload[i] == (uint8_t)letter;
    return count;
}

/* Checks that the event contains as much of the text as fits. */
static void write_cut_event(size_t bytes)
{
    size_t written;

    CAIRN_INFO((name("L"), kv("text", text_of(bytes)), kv("last", 7)), "%s", "short");
    written = letters('Q');
    assert_int_equal(last_payload_bytes, CAIRN_PAYLOAD_MAX_BYTES);
    cairn_builder_begin(b, "L", 0);
    cairn_builder_str8(b, "message", "short");
    cairn_builder_text(b, "text", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT, 0,
                       long_text, written);
    cairn_builder_i64(b, "last", 7);
    cairn_builder_u64(b, "truncated_bytes", bytes - written);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, NULL, NULL);
}

static void an_event_that_is_too_large_is_truncated_and_marked(void **state)
{
    uint64_t before = cairn_tracing_lost();

    (void)state;
    write_cut_event(65450); /* the text alone would fit */
    write_cut_event(65536);
    write_cut_event(200000);
    CAIRN_INFO((name("L"), kv("text", text_of(100))), "%s", "short");
    assert_int_equal(letters('Q'), 100);
    assert_null(memmem(last_payload, last_payload_bytes, "truncated", 9));
    CAIRN_INFO((name("L")), "%s", text_of(70000)); /* a message is truncated, too */
    assert_true(letters('Q') > 65000);
    assert_non_null(memmem(last_payload, last_payload_bytes, "truncated_bytes", 16));
    assert_int_equal(cairn_tracing_lost(), before);
}

static void the_longest_values_are_truncated_first(void **state)
{
    static char other[50000];

    (void)state;
    memset(other, 'Z', sizeof(other));
    CAIRN_INFO((name("L"), kv("a", text_of(20000)), kv("b", cairn_bytes(other, 50000)),
                kv("c", cairn_string(other, 0))));
    assert_int_equal(letters('Q'), 20000);
    assert_in_range(letters('Z'), 45000, 45476);
    assert_int_equal(last_payload_bytes, CAIRN_PAYLOAD_MAX_BYTES);
    CAIRN_INFO((name("L"), kv("a", text_of(60000)), kv("b", cairn_bytes(other, 50000))));
    assert_in_range(letters('Q'), 32000, 32738);
    assert_in_range(letters('Z'), 32000, 32738);
}

/* The length that precedes a text. */
static uint32_t length_of_text(const char *begin, size_t bytes)
{
    const uint8_t *text;
    uint16_t length;

    (void)read_session(&session);
    text = memmem(last_payload, last_payload_bytes, begin, bytes);
    assert_non_null(text);
    memcpy(&length, text - sizeof(length), sizeof(length));
    return length;
}

static void a_text_is_not_truncated_within_a_character(void **state)
{
    static char wide[80000];

    (void)state;
    for (size_t i = 0; i < sizeof(wide); i += 4)
        memcpy(wide + i, "\xf0\x9f\x98\x80", 4);
    for (size_t i = 0; i < 4; i++) { /* one byte less of space each time */
        uint32_t length;

        CAIRN_INFO((name("L"), kv("text", cairn_string(wide, sizeof(wide))),
                    kv("filler", cairn_string("123", i))));
        length = length_of_text("\xf0\x9f\x98\x80", 4);
        assert_in_range(length, 65300, 65476);
        assert_int_equal(length % 4, 0);
    }
    /* Text that is not UTF-8 is truncated at any byte. */
    memset(wide, 0x80, sizeof(wide));
    CAIRN_INFO((name("L"), kv("text", cairn_string(wide, sizeof(wide)))));
    assert_in_range(length_of_text("\x80\x80\x80", 3), 65300, 65476);
    assert_int_equal(last_payload_bytes, CAIRN_PAYLOAD_MAX_BYTES);
}

/* ---- the kernel's limit is lower ---- */

int __wrap_user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                                    size_t payload_bytes);

static unsigned kernel_writes;
static uint8_t kernel_payload[CAIRN_RECORD_MAX_BYTES];
static size_t kernel_payload_bytes;

/* Replaces the kernel, with the limit of this machine's. */
int __wrap_user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                                    size_t payload_bytes)
{
    (void)tp;
    if (payload_bytes > user_events_kernel_payload_max_bytes())
        return E2BIG;
    kernel_writes++;
    kernel_payload_bytes = payload_bytes;
    memcpy(kernel_payload, record + USER_EVENTS_KERNEL_HEAD_BYTES, payload_bytes);
    return 0;
}

/* The tracepoint to which the layer writes INFO. */
static const struct cairn_tracepoint *info_tracepoint;

static void keep_tracepoint(struct cairn_layer *made, const struct cairn_tracing_event *event)
{
    (void)made;
    info_tracepoint = layer->interest(layer, event->site);
}

static void find_tracepoint(void)
{
    struct cairn_layer looks = {.event = keep_tracepoint};

    assert_int_equal(cairn_subscriber_add(subscriber, &looks, NULL), 0);
    CAIRN_INFO((name("L")));
    assert_int_equal(cairn_subscriber_remove(subscriber, &looks), 0);
    assert_non_null(info_tracepoint);
}

/* The kernel enables an event by a bit of the pointer. */
static void let_kernel_listen(bool on)
{
    uintptr_t *pointer = (uintptr_t *)(uintptr_t)&info_tracepoint->enabled;
    uintptr_t offset = *pointer - (uintptr_t)engine_status;

    engine_status_arm_kernel((uint32_t)(offset & (ENGINE_STATUS_PART_BYTES - 1)));
    if (on)
        *pointer |= ENGINE_STATUS_PART_BYTES;
    else
        *pointer &= ~ENGINE_STATUS_PART_BYTES;
}

static void check_kernel(size_t bytes)
{
    const uint32_t limit = user_events_kernel_payload_max_bytes();
    uint32_t records = read_session(&session).records;
    unsigned writes = kernel_writes;

    CAIRN_INFO((name("L"), kv("text", text_of(bytes))));
    assert_int_equal(kernel_writes, writes + 1);
    assert_true(kernel_payload_bytes == limit || bytes < limit);
    assert_int_equal(memmem(kernel_payload, kernel_payload_bytes, "truncated_bytes", 16) != NULL,
                     bytes >= limit);
    /* The local engine accepts more, and gets the event once. */
    assert_int_equal(read_session(&session).records, records + 1);
    assert_int_equal(memmem(last_payload, last_payload_bytes, "truncated_bytes", 16) != NULL,
                     bytes > CAIRN_PAYLOAD_MAX_BYTES);
    assert_true(letters('Q') == bytes || bytes > CAIRN_PAYLOAD_MAX_BYTES);
}

static void each_backend_gets_as_much_as_it_accepts(void **state)
{
    uint64_t before = cairn_tracing_lost();

    (void)state;
    find_tracepoint();
    let_kernel_listen(true);
    check_kernel(100);
    check_kernel(user_events_kernel_payload_max_bytes() + 1000);
    check_kernel(user_events_kernel_payload_max_bytes() + 1000); /* uses what was cached for the
                                                                  * first event */
    check_kernel(70000);
    let_kernel_listen(false);
    assert_int_equal(cairn_tracing_lost(), before);
}

/* In the Common Schema the trace id, of 32 digits, follows the time: the structs between them have
 * no data of their own. */
static void assert_cut(bool common_schema)
{
    assert_true(letters('Q') > 64000);
    assert_non_null(memmem(last_payload, last_payload_bytes, "truncated_bytes", 16));
    if (common_schema)
        assert_non_null(memmem(last_payload, last_payload_bytes, "+00:00\x20", 8));
}

/* The limits for spans, and for the Common Schema. */
static void check_cut_span(bool common_schema)
{
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = PROVIDER, .common_schema = common_schema};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own;
    struct cairn_layer *made;
    struct cairn_span *span;
    uint64_t before = cairn_tracing_lost();

    assert_int_equal(cairn_eventheader_layer_create(&options, &made), 0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, made, NULL), 0);
    assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
    span = CAIRN_SPAN(INFO, "s", kv("text", text_of(70000)), kv("b", 1));
    CAIRN_INFO((parent(span), name("L"), kv("text", text_of(70000))));
    assert_cut(common_schema);
    cairn_span_close(span);
    assert_cut(common_schema);
    assert_int_equal(cairn_tracing_lost(), before);
    assert_int_equal(cairn_subscriber_leave(&scope), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
}

static void spans_and_events_of_the_common_schema_are_truncated_too(void **state)
{
    (void)state;
    check_cut_span(false);
    check_cut_span(true);
}

/* ---- links ---- */

static void a_span_that_follows_from_another_writes_an_event_related_to_it(void **state)
{
    struct cairn_span *cause = CAIRN_SPAN(INFO, "cause");
    struct cairn_span *span = CAIRN_SPAN(INFO, "effect", tag(3));
    struct cairn_guid span_id = activity_of(span);
    struct cairn_guid cause_id = activity_of(cause);
    struct cairn_trace_context context;

    (void)state;
    cairn_span_follows_from(span, cause);
    cairn_builder_begin(b, "follows_from", 3);
    cairn_builder_str8(b, "span", "effect");
    add_ids(span);
    assert_true(cairn_span_context(cause, &context));
    add_hex("follows_from_trace_id", context.trace_id, 16);
    add_hex("follows_from_span_id", context.span_id, 8);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, &span_id, &cause_id);
    cairn_span_close(span);
    cairn_span_close(cause);
}

/* ---- keywords ---- */

#define KEYWORDS 300

static void many_keywords_have_separate_events(void **state)
{
    static const char *const no_fields[] = {NULL};
    static const struct cairn_i_relation relation;
    static struct cairn_callsite sites[KEYWORDS];
    uint32_t records = read_session(&session).records;

    (void)state;
    for (uint32_t i = 0; i < KEYWORDS; i++) {
        sites[i] =
            (struct cairn_callsite){.gate = &cairn_i_gate_new,
                                    .name = "K",
                                    .target = "keywords",
                                    .file = "",
                                    .fields = no_fields,
                                    .keyword = 0x1000 + i / 2,
                                    .level = i % 2 ? CAIRN_TRACING_INFO : CAIRN_TRACING_DEBUG,
                                    .kind = CAIRN_CALLSITE_EVENT,
                                    .version = CAIRN_I_CALLSITE_VERSION};
        assert_true(cairn_i_callsite_on(&sites[i]));
    }
    for (uint32_t i = 0; i < KEYWORDS; i++) {
        cairn_i_event(&sites[i], NULL, &relation);
        cairn_builder_begin(b, "K", 0);
        assert_written(i % 2 ? CAIRN_LEVEL_INFORMATION : CAIRN_LEVEL_VERBOSE, 0x1000 + i / 2, NULL,
                       NULL);
    }
    assert_int_equal(read_session(&session).records, records + 2 * KEYWORDS);
}

static void entering_again_writes_nothing(void **state)
{
    struct cairn_span *span = CAIRN_SPAN(INFO, "s");
    uint32_t before = read_session(&session).records;

    (void)state;
    for (int i = 0; i < 3; i++) {
        CAIRN_IN_SPAN(span);
    }
    assert_int_equal(read_session(&session).records, before);
    cairn_span_close(span);
    assert_int_equal(read_session(&session).records, before + 1);
}

static void nothing_is_evaluated_for_disabled_events(void **state)
{
    int evaluated = 0;

    (void)state;
    CAIRN_INFO((kv("a", ++evaluated)));
    assert_null(CAIRN_SPAN(INFO, "s", kv("a", ++evaluated)));
    assert_int_equal(evaluated, 0);
    session = begin(PROVIDER "_*");
    CAIRN_INFO((kv("a", ++evaluated)));
    assert_int_equal(evaluated, 1);
    end(&session);
}

static void a_provider_needs_a_name_that_perf_accepts(void **state)
{
    struct cairn_eventheader_options options = {.size = sizeof(options), .name = "a-b"};
    struct cairn_layer *none = NULL;
    char name[300];

    (void)state;
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), EINVAL);
    options.name = "";
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), EINVAL);
    options.name = NULL;
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), EINVAL);
    options.name = "ab";
    options.group = "Upper";
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), EINVAL);
    memset(name, 'a', sizeof(name));
    name[234] = '\0';
    options.name = name;
    options.group = NULL;
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), E2BIG);
    name[230] = '\0';
    options.group = "abcd";
    assert_int_equal(cairn_eventheader_layer_create(&options, &none), E2BIG);
    assert_null(none);
}

static void a_providers_id_is_derived_from_its_name(void **state)
{
    const struct cairn_guid given = {{9}};
    struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = "Other", .provider_id = &given};
    struct cairn_layer *other;
    struct cairn_guid id;
    struct cairn_guid expected;

    (void)state;
    cairn_guid_from_name("MyProvider", &expected); /* as in other libraries */
    assert_memory_equal(&expected,
                        "\xb3\x86\x4c\x38\x42\x73\x58\xc5\x54\x5b\x8b\x36\x08\x34\x34\x71", 16);
    cairn_guid_from_name(PROVIDER, &expected);
    cairn_eventheader_layer_id(layer, &id);
    assert_memory_equal(&id, &expected, sizeof(id));
    assert_int_equal(cairn_eventheader_layer_create(&options, &other), 0);
    cairn_eventheader_layer_id(other, &id);
    assert_memory_equal(&id, &given, sizeof(id));
    cairn_layer_destroy(other);
}

/* Enters a subscriber of the thread's own that has a layer with these options. */
static struct cairn_subscriber *enter_with(struct cairn_subscriber_scope *scope,
                                           const struct cairn_eventheader_options *options,
                                           const char *filter)
{
    struct cairn_directives *parsed = filter ? directives(filter) : NULL;
    struct cairn_subscriber *own;
    struct cairn_layer *made;

    assert_int_equal(cairn_eventheader_layer_create(options, &made), 0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, made, parsed), 0);
    assert_int_equal(cairn_subscriber_enter(scope, own), 0);
    return own;
}

static void leave(struct cairn_subscriber_scope *scope, struct cairn_subscriber *own)
{
    assert_int_equal(cairn_subscriber_leave(scope), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
}

/* A session for one tracepoint gets the events that have its keyword and group and pass the
 * filter. */
static void layers_have_names_groups_keywords_and_filters_of_their_own(void **state)
{
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = "Tracing_Own", .group = "grp", .default_keyword = 0x10};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = enter_with(&scope, &options, "wanted");

    (void)state;
    session = begin("Tracing_Own_L4K10Ggrp");
    CAIRN_INFO((target("wanted"), name("a")));
    CAIRN_INFO((target("wanted"), name("b"), keyword(0x20)));
    CAIRN_WARN((target("wanted"), name("c")));
    CAIRN_INFO((target("unwanted"), name("d")));
    assert_int_equal(read_session(&session).records, 1);
    assert_non_null(memmem(last_payload, last_payload_bytes, "a", 2));
    end(&session);
    leave(&scope, own);
}

/* Otherwise each record would contain the metadata. */
static void each_of_two_layers_has_descriptors_of_its_own(void **state)
{
    struct cairn_eventheader_options options = {.size = sizeof(options), .name = PROVIDER "_One"};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = enter_with(&scope, &options, NULL);
    struct cairn_layer *second;
    struct found before = {0};
    struct found found;

    (void)state;
    options.name = PROVIDER "_Two";
    assert_int_equal(cairn_eventheader_layer_create(&options, &second), 0);
    assert_int_equal(cairn_subscriber_add(own, second, NULL), 0);
    for (int i = 0; i < 10; i++) {
        CAIRN_INFO((name("L"), kv("i", i), kv("text", "x")));
        if (i == 1)
            before = read_session(&session);
    }
    found = read_session(&session);
    assert_int_equal(found.records, before.records + 2 * 8);
    assert_in_range(found.bytes - before.bytes, 1, 2 * 8 * 24);
    cairn_builder_begin(b, "L", 0);
    cairn_builder_i64(b, "i", 9);
    cairn_builder_str8(b, "text", "x");
    assert_written(CAIRN_LEVEL_INFORMATION, 1, NULL, NULL);
    leave(&scope, own);
}

/* Checks the id in the last record of the span, as text. */
static void assert_parent(bool common_schema, struct cairn_span *span, const uint8_t span_id[8])
{
    const char *member = common_schema ? "parentId" : "parent_span_id";
    char digits[17];

    if (common_schema) /* written when the span ends */
        cairn_span_close(span);
    (void)read_session(&session);
    hex(span_id, 8, digits);
    assert_non_null(memmem(last_payload, last_payload_bytes, member, strlen(member) + 1));
    assert_non_null(memmem(last_payload, last_payload_bytes, digits, 16));
    if (!common_schema)
        cairn_span_close(span);
}

/* Parents that one layer has not taken, but another has. */
static void check_parents(bool common_schema)
{
    static struct cairn_layer all;
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = PROVIDER, .common_schema = common_schema};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = enter_with(&scope, &options, "info");
    struct cairn_trace_context context;
    struct cairn_trace_context caller;

    assert_int_equal(cairn_subscriber_add(own, &all, NULL), 0);
    {
        CAIRN_SCOPE(INFO, "outer");
        assert_true(cairn_span_context(cairn_span_current(), &context));
        caller = context;
        caller.span_id[0] ^= 1; /* a span of another program, in the same trace */
        {
            CAIRN_SCOPE(DEBUG, "left_out");
            assert_parent(common_schema, CAIRN_SPAN(INFO, "inner"), context.span_id);
            assert_parent(common_schema, CAIRN_SPAN(INFO, "called", remote(&caller)),
                          caller.span_id);
        }
        {
            CAIRN_SCOPE(DEBUG, "left_out", remote(&caller));
            assert_parent(common_schema, CAIRN_SPAN(INFO, "inner"), caller.span_id);
        }
    }
    leave(&scope, own);
}

static void a_spans_parent_is_the_nearest_ancestor_in_the_layer(void **state)
{
    (void)state;
    check_parents(false);
    check_parents(true);
}

/* ---- Common Schema ---- */

static struct cairn_subscriber *begin_common_schema(struct cairn_subscriber_scope *scope)
{
    const struct cairn_eventheader_options options = {
        .size = sizeof(options), .name = PROVIDER, .common_schema = true};

    return enter_with(scope, &options, NULL);
}

/* The n-th text with a length of 16 bits that begins like a time of this century. */
static void time_in_payload(int n, char text[40])
{
    const uint8_t *at = last_payload;

    for (; n; n--) {
        at = memmem(at + 1, last_payload_bytes - (size_t)(at + 1 - last_payload),
                    "\x23\0"
                    "20",
                    4);
        assert_non_null(at);
    }
    memcpy(text, at + 2, 35);
    text[35] = '\0';
}

static void an_event_of_the_common_schema_has_three_parts(void **state)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = begin_common_schema(&scope);
    char time[40];

    (void)state;
    CAIRN_INFO((name("Ev"), kv("a", 1)), "text");
    (void)read_session(&session);
    time_in_payload(1, time);
    cairn_builder_begin(b, "Ev", 0);
    cairn_builder_i32(b, "__csver__", 0x0401);
    cairn_builder_struct_begin(b, "PartA", 0);
    cairn_builder_str8(b, "time", time);
    cairn_builder_struct_end(b);
    cairn_builder_struct_begin(b, "PartB", 0);
    cairn_builder_str8(b, "_typeName", "Log");
    cairn_builder_str8(b, "name", "Ev");
    cairn_builder_str8(b, "eventTime", time);
    cairn_builder_struct_end(b);
    cairn_builder_struct_begin(b, "PartC", 0);
    cairn_builder_str8(b, "Body", "text");
    cairn_builder_i64(b, "a", 1);
    cairn_builder_struct_end(b);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, NULL, NULL);
    leave(&scope, own);
}

static void a_field_that_is_a_message_is_the_body(void **state)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = begin_common_schema(&scope);

    (void)state;
    CAIRN_INFO((name("Ev"), kv("message", "text")));
    (void)read_session(&session);
    assert_non_null(memmem(last_payload, last_payload_bytes, "Body", 5));
    assert_null(memmem(last_payload, last_payload_bytes, "message", 8));
    CAIRN_INFO((name("Ev"), kv("message", "a field")), "a message"); /* has a field of this name
                                                                      * already */
    (void)read_session(&session);
    assert_non_null(memmem(last_payload, last_payload_bytes, "Body", 5));
    assert_non_null(memmem(last_payload, last_payload_bytes, "message", 8));
    leave(&scope, own);
}

static void a_span_of_the_common_schema_is_one_event_at_its_end(void **state)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = begin_common_schema(&scope);
    uint32_t before = read_session(&session).records;
    struct cairn_span *outer = CAIRN_SPAN(INFO, "outer");
    struct cairn_span *span = CAIRN_SPAN(INFO, "inner", parent(outer), kv("a", 1));
    struct cairn_trace_context context;
    char trace_id[33];
    char span_id[17];
    char parent_id[17];
    char time[40];
    char begin_time[40];

    (void)state;
    assert_int_equal(read_session(&session).records, before);
    assert_true(cairn_span_context(outer, &context));
    hex(context.span_id, 8, parent_id);
    assert_true(cairn_span_context(span, &context));
    hex(context.trace_id, 16, trace_id);
    hex(context.span_id, 8, span_id);
    cairn_span_close(span);
    (void)read_session(&session);
    time_in_payload(1, time);
    time_in_payload(2, begin_time);
    cairn_builder_begin(b, "inner", 0);
    cairn_builder_i32(b, "__csver__", 0x0401);
    cairn_builder_struct_begin(b, "PartA", 0);
    cairn_builder_str8(b, "time", time);
    cairn_builder_struct_begin(b, "ext_dt", 0);
    cairn_builder_str8(b, "traceId", trace_id);
    cairn_builder_str8(b, "spanId", span_id);
    cairn_builder_struct_end(b);
    cairn_builder_struct_end(b);
    cairn_builder_struct_begin(b, "PartB", 0);
    cairn_builder_str8(b, "_typeName", "Span");
    cairn_builder_str8(b, "parentId", parent_id);
    cairn_builder_str8(b, "name", "inner");
    cairn_builder_str8(b, "startTime", begin_time);
    cairn_builder_struct_end(b);
    cairn_builder_struct_begin(b, "PartC", 0);
    cairn_builder_i64(b, "a", 1);
    cairn_builder_struct_end(b);
    assert_written(CAIRN_LEVEL_INFORMATION, 1, NULL, NULL);
    cairn_span_close(outer);
    leave(&scope, own);
}

static void a_span_of_the_common_schema_has_links_to_what_it_follows_from(void **state)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own = begin_common_schema(&scope);
    struct cairn_span *span = CAIRN_SPAN(INFO, "effect");
    struct tracing_line expected = {0};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct cairn_span *cause = CAIRN_SPAN(INFO, "cause");
        struct cairn_trace_context context;
        char trace_id[33];
        char span_id[17];

        assert_true(cairn_span_context(cause, &context));
        hex(context.trace_id, 16, trace_id);
        hex(context.span_id, 8, span_id);
        cairn_span_follows_from(span, cause);
        cairn_span_follows_from(span, cause); /* stored once */
        cairn_span_close(cause);
        tracing_line_printf(&expected, "%c{\"toTraceId\":\"%s\",\"toSpanId\":\"%s\"}",
                            i ? ',' : '[', trace_id, span_id);
    }
    tracing_line_add_char(&expected, ']');
    cairn_span_close(span);
    (void)read_session(&session);
    assert_non_null(memmem(last_payload, last_payload_bytes, "links", 6));
    assert_non_null(memmem(last_payload, last_payload_bytes, expected.text, expected.length));
    tracing_line_free(&expected);
    leave(&scope, own);
}

int main(void)
{
#define LISTENED(test) cmocka_unit_test_setup_teardown(test, listen, stop_listening)
    const struct CMUnitTest tests[] = {
        LISTENED(an_event_is_written_with_all_types),
        LISTENED(values_alone_are_written_with_texts_of_any_length),
        LISTENED(levels_are_eventheaders_and_trace_is_6),
        LISTENED(spans_start_and_stop_activities),
        LISTENED(fields_may_change_their_types),
        LISTENED(an_event_that_is_too_large_is_truncated_and_marked),
        LISTENED(the_longest_values_are_truncated_first),
        LISTENED(a_text_is_not_truncated_within_a_character),
        LISTENED(spans_and_events_of_the_common_schema_are_truncated_too),
        LISTENED(each_backend_gets_as_much_as_it_accepts),
        LISTENED(a_span_that_follows_from_another_writes_an_event_related_to_it),
        LISTENED(many_keywords_have_separate_events),
        LISTENED(entering_again_writes_nothing),
        cmocka_unit_test(nothing_is_evaluated_for_disabled_events),
        cmocka_unit_test(a_provider_needs_a_name_that_perf_accepts),
        cmocka_unit_test(a_providers_id_is_derived_from_its_name),
        cmocka_unit_test(layers_have_names_groups_keywords_and_filters_of_their_own),
        LISTENED(each_of_two_layers_has_descriptors_of_its_own),
        LISTENED(a_spans_parent_is_the_nearest_ancestor_in_the_layer),
        LISTENED(an_event_of_the_common_schema_has_three_parts),
        LISTENED(a_field_that_is_a_message_is_the_body),
        LISTENED(a_span_of_the_common_schema_is_one_event_at_its_end),
        LISTENED(a_span_of_the_common_schema_has_links_to_what_it_follows_from),
    };

    return cmocka_run_group_tests(tests, set_up_layer, tear_down_layer);
}
