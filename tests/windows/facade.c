/* SPDX-License-Identifier: MIT */
/* The facade on Windows: lines on standard error, and events of ETW: spans are activities with a
 * start and a stop. */
#include "etw_imports.h"

#include <cairn/tracing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(int is_true, int line, const char *text)
{
    if (is_true)
        return;
    failures++;
    printf("line %d: %s\n", line, text);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

/* The events that were written, as far as this test looks at them. */
static LONG written;

static int is_new(void)
{
    LONG before = written;

    written = etw_write_count;
    return written == before + 1;
}

/* True if the last event has a text in its metadata: its name, or the name of a field. */
static int has_name(const char *name)
{
    size_t bytes = strlen(name) + 1;

    for (uint32_t at = 0; at + bytes <= etw_last.metadata_bytes; at++) {
        if (!memcmp(etw_last.metadata + at, name, bytes))
            return 1;
    }
    return 0;
}

static int has_data(const void *data, uint32_t bytes)
{
    for (uint32_t at = 0; at + bytes <= etw_last.data_bytes; at++) {
        if (!memcmp(etw_last.data + at, data, bytes))
            return 1;
    }
    return 0;
}

static int set_up(void)
{
    const struct cairn_eventheader_options options = {.size = sizeof(options),
                                                      .name = "Facade_Provider"};
    struct cairn_directives *filter = NULL;
    struct cairn_subscriber *subscriber;
    struct cairn_layer *events;
    struct cairn_layer *lines;
    int error;

    if ((error = cairn_directives_parse("info", &filter, NULL)) ||
        (error = cairn_subscriber_create(&subscriber)) ||
        (error = cairn_stderr_layer_create(NULL, &lines)) ||
        (error = cairn_subscriber_add(subscriber, lines, filter)) ||
        (error = cairn_eventheader_layer_create(&options, &events)) ||
        (error = cairn_subscriber_add(subscriber, events, NULL)))
        return error;
    return cairn_subscriber_set_global(subscriber);
}

static void events_are_written(void)
{
    static const int64_t seven = 7;

    CAIRN_INFO((kv("number", 7), kv("text", "some text")), "a message");
    CHECK(is_new() && etw_last.descriptor.Level == 4 && etw_last.descriptor.Keyword == 1);
    CHECK(etw_last.descriptor.Channel == 11 && etw_last.is_described);
    CHECK(has_name("number") && has_name("text") && has_data(&seven, sizeof(seven)));
    CHECK(has_data("\x09\0some text", 11) && has_data("\x09\0"
                                                      "a message",
                                                      11));
    CHECK(!etw_last.has_activity);
    CAIRN_TRACE((kv("number", 7)), "detail"); /* TRACE is one more than verbose */
    CHECK(is_new() && etw_last.descriptor.Level == 6);
    CAIRN_WARN((keyword(0x10)), "%d of %s", 3, "five");
    CHECK(is_new() && etw_last.descriptor.Level == 3 && etw_last.descriptor.Keyword == 0x10);
    CHECK(has_data("\x09\0"
                   "3 of five",
                   11));
}

/* As bytes of the metadata, whose first two are its size. */
static int has_metadata(const char *bytes, uint32_t count)
{
    for (uint32_t at = 2; at + count <= etw_last.metadata_bytes; at++) {
        if (!memcmp(etw_last.metadata + at, bytes, count))
            return 1;
    }
    return 0;
}
#define HAS_METADATA(text) has_metadata(text, sizeof(text) - 1)

static void events_have_names_keywords_and_tags(void)
{
    CAIRN_INFO((name("Refused"), keyword(0x8000000000000002), tag(0x1234), kv("number", 7)));
    CHECK(is_new() && etw_last.descriptor.Keyword == 0x8000000000000002);
    CHECK(HAS_METADATA("\x80\x80\xa4\x34Refused\0number\0\x9"));
}

static void spans_are_activities(void)
{
    GUID activity;

    {
        CAIRN_SCOPE(INFO, "request", kv("path", "/index"));
        CHECK(is_new() && etw_last.descriptor.Opcode == 1 && etw_last.has_activity);
        CHECK(has_name("request") && has_name("path"));
        activity = etw_last.activity;
        CAIRN_INFO((kv("status", 200)), "answered");
        CHECK(is_new() && etw_last.has_activity && IsEqualGUID(&activity, &etw_last.activity));
        {
            CAIRN_SCOPE(DEBUG, "inner");
            CHECK(is_new() && etw_last.has_related && IsEqualGUID(&activity, &etw_last.related));
        }
        CHECK(is_new() && etw_last.descriptor.Opcode == 2);
    }
    CHECK(is_new() && etw_last.descriptor.Opcode == 2 &&
          IsEqualGUID(&activity, &etw_last.activity));
}

/* ---- events over 64 KiB ---- */

#define LONG_BYTES 70000u

static char long_text[LONG_BYTES + 1];

/* Fills the text with a character of one or more bytes, `begin` bytes after its start. */
static void fill(const char *character, size_t begin)
{
    size_t bytes = strlen(character);

    memset(long_text, '.', LONG_BYTES);
    for (size_t at = begin; at + bytes <= LONG_BYTES; at += bytes)
        memcpy(long_text + at, character, bytes);
}

/* The last event has, at `text`, the text's first bytes, and the number of those that it lacks; and
 * as many as possible. */
static void check_is_truncated(const uint8_t *text, size_t character_bytes, size_t begin)
{
    uint64_t missing;
    uint16_t kept;

    CHECK(is_new() && etw_event_bytes <= UINT16_MAX);
    CHECK(etw_event_bytes > UINT16_MAX - character_bytes && has_name("truncated_bytes"));
    memcpy(&missing, etw_last.data + etw_last.data_bytes - sizeof(missing), sizeof(missing));
    memcpy(&kept, text, sizeof(kept));
    CHECK(kept + missing == LONG_BYTES && !memcmp(text + 2, long_text, kept));
    CHECK((kept - begin) % character_bytes == 0);
}

static void large_events_are_truncated_and_marked(void)
{
    for (size_t begin = 0; begin < 3; begin++) {
        fill("\xe2\x82\xac", begin);
        CAIRN_DEBUG((kv("long", long_text), kv("short", "whole")), "message");
        check_is_truncated(etw_last.data + 2 + sizeof("message") - 1, 3, begin);
        CHECK(has_data("\x05\0whole", 7) && has_data("\x07\0message", 9));
    }
    fill("x", 0);
    {
        CAIRN_SCOPE(DEBUG, "large", kv("long", long_text));
        check_is_truncated(etw_last.data, 1, 0);
        {
            CAIRN_SCOPE(DEBUG, "with_related", kv("long", long_text));
            check_is_truncated(etw_last.data, 1, 0);
        }
        CHECK(is_new());
    }
    CHECK(is_new() && cairn_tracing_lost() == 0);
}

/* A session's buffers may be smaller than an event. */
static void an_event_that_etw_refuses_is_counted(void)
{
    etw_write_result = ERROR_MORE_DATA;
    CAIRN_INFO((kv("number", 1)), "refused");
    CHECK(is_new() && cairn_tracing_lost() == 1);
    CAIRN_DEBUG((kv("long", long_text)), "refused");
    CHECK(is_new() && cairn_tracing_lost() == 2);
    etw_write_result = ERROR_SUCCESS;
    CAIRN_INFO((kv("number", 1)), "accepted");
    CHECK(is_new() && cairn_tracing_lost() == 2);
}

/* ---- the Common Schema ---- */

/* The bytes of a text after its size. */
static int has_text(const char *text)
{
    size_t length = strlen(text);

    for (uint32_t at = 0; at + 2 + length <= etw_last.data_bytes; at++) {
        if (etw_last.data[at] == length && !etw_last.data[at + 1] &&
            !memcmp(etw_last.data + at + 2, text, length))
            return 1;
    }
    return 0;
}

#define STRUCT(fields) "\x98" fields
#define TEXT8          "\x97\x23"            /* COUNTEDANSISTRING, UTF8 */
#define VERSION        "__csver__\0\x86\x11" /* UINT16, SIGNED */

static struct cairn_subscriber *common_schema(void)
{
    static const struct cairn_guid id = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
    static const uint8_t in_memory[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const struct cairn_eventheader_options options = {.size = sizeof(options),
                                                      .name = "Facade_Common",
                                                      .provider_id = &id,
                                                      .common_schema = true};
    struct cairn_subscriber *subscriber = NULL;
    struct cairn_layer *layer = NULL;

    CHECK(!cairn_subscriber_create(&subscriber) &&
          !cairn_eventheader_layer_create(&options, &layer));
    CHECK(!cairn_subscriber_add(subscriber, layer, NULL));
    CHECK(!cairn_subscriber_set_global(subscriber));
    CAIRN_INFO((kv("a", 1)), "registers the provider");
    CHECK(!memcmp(&etw_registered_id, in_memory, sizeof(in_memory)));
    return subscriber;
}

/* Members and types are those of microsoft/tracing-etw, whose texts are str8 of UTF-8. */
static void the_common_schema_is_that_of_tracing_etw(void)
{
    struct cairn_subscriber *subscriber = common_schema();

    etw_control(1, 0, 0, 0);
    CAIRN_INFO((kv("a", 1)), "a message");
    CHECK(is_new() && !etw_last.has_activity && etw_last.descriptor.Opcode == 0);
    CHECK(HAS_METADATA("\0" VERSION "PartA\0" STRUCT("\1") "time\0" TEXT8 "PartB\0" STRUCT(
        "\3") "_typeName\0" TEXT8 "name\0" TEXT8 "eventTime\0" TEXT8
              "PartC\0" STRUCT("\2") "Body\0" TEXT8 "a\0\x9"));
    CHECK(!memcmp(etw_last.data, "\1\4", 2) && has_text("Log") && has_text("a message"));
    {
        CAIRN_SCOPE(WARN, "outer");
        CHECK(!is_new());
        {
            CAIRN_SCOPE(INFO, "inner", kv("b", (bool)true));
            CAIRN_INFO((), "in it");
            CHECK(is_new() && HAS_METADATA("PartA\0" STRUCT("\2") "time\0" TEXT8 "ext_dt\0" STRUCT(
                                  "\2") "traceId\0" TEXT8 "spanId\0" TEXT8 "PartB\0" STRUCT("\3")));
        }
        CHECK(is_new() && etw_last.descriptor.Level == 4);
        CHECK(HAS_METADATA("inner\0" VERSION "PartA\0" STRUCT(
            "\2") "time\0" TEXT8
                  "ext_dt\0" STRUCT("\2") "traceId\0" TEXT8 "spanId\0" TEXT8 "PartB\0" STRUCT(
                      "\4") "_typeName\0" TEXT8 "parentId\0" TEXT8 "name\0" TEXT8
                            "startTime\0" TEXT8 "PartC\0" STRUCT("\1") "b\0\x84\3"));
        CHECK(has_text("Span") && has_text("inner"));
    }
    CHECK(is_new() && etw_last.descriptor.Level == 3);
    CHECK(HAS_METADATA("PartB\0" STRUCT("\3") "_typeName\0" TEXT8 "name\0"));
    CHECK(!cairn_subscriber_set_global(NULL) && !cairn_subscriber_destroy(subscriber));
}

static void sessions_decide(void)
{
    etw_control(1, 3, 0, 0);
    CAIRN_INFO((kv("number", 1)), "not wanted");
    CHECK(!is_new());
    CAIRN_ERROR((kv("number", 1)), "wanted");
    CHECK(is_new());
    etw_control(0, 0, 0, 0);
    CAIRN_ERROR((kv("number", 1)), "disabled");
    CHECK(!is_new());
}

int main(void)
{
    int error = set_up();

    CHECK(!error);
    if (error)
        return EXIT_FAILURE;
    CAIRN_INFO((kv("number", 1)), "before any session");
    CHECK(etw_registered == 1 && !is_new());
    etw_control(1, 0, 0, 0);
    events_are_written();
    events_have_names_keywords_and_tags();
    spans_are_activities();
    large_events_are_truncated_and_marked();
    an_event_that_etw_refuses_is_counted();
    sessions_decide();
    CHECK(cairn_tracing_lost() == 2);
    the_common_schema_is_that_of_tracing_etw();
    printf(failures ? "%d failures\n" : "all as expected\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
