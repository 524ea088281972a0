/* SPDX-License-Identifier: MIT */
/* Actions with the public functions of user_events, EventHeader and the facade. */
#include "actions.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <cairn/tracing.h>
#include <cairn/user_events.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <uchar.h>
#include <unistd.h>

/* ---- user_events ---- */

static void register_and_write(void)
{
    struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;
    const uint32_t number = 7;
    const struct iovec part = {(void *)(uintptr_t)&number, sizeof(number)};
    const struct cairn_tracepoint_options options = {.size = sizeof(options), .flags = 0};

    TRY(cairn_tracepoint_register(&tracepoint, "matrix_plain u32 number"));
    TRY(cairn_tracepoint_status(&tracepoint));
    TRY(cairn_tracepoint_write(&tracepoint, &part, 1));
    TRY(cairn_tracepoint_write_bytes(&tracepoint, &number, sizeof(number)));
    TRY(cairn_tracepoint_unregister(&tracepoint));
    TRY(cairn_tracepoint_register_with(&tracepoint, "matrix_with u32 number", &options));
    TRY(cairn_tracepoint_write(&tracepoint, &part, 1));
    TRY(cairn_tracepoint_unregister(&tracepoint));
}

static void register_a_schema_and_delete(void)
{
    struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[4];
    struct cairn_schema schema;
    static const char text[] = "matrix_schema u32 number";

    TRY(cairn_schema_parse_command(text, fields, 4, &schema, NULL));
    TRY(cairn_schema_write_command(&schema, command, sizeof(command), NULL));
    TRY(cairn_tracepoint_register_schema(&tracepoint, &schema, command, NULL));
    TRY(cairn_tracepoint_unregister(&tracepoint));
    TRY(cairn_user_event_delete("matrix_schema", 0));
}

/* ---- EventHeader ---- */

CAIRN_PROVIDER(macros, "Matrix_Macros");

static void write_by_macros(void)
{
    static const uint32_t numbers[] = {1, 2};
    static const char16_t text[] = u"text";
    struct cairn_guid id;

    TRY(cairn_provider_on_capture_state(&macros, NULL, NULL));
    TRY(cairn_provider_register(&macros));
    cairn_activity_id_generate(&id);
    TRY(CAIRN_WRITE_EVENT(macros, "None"));
    TRY(CAIRN_WRITE_EVENT(macros, "One", level(ERROR), u32("a", 1)));
    TRY(CAIRN_WRITE_EVENT(macros, "Two", level(ERROR), u32("a", 1), str8("b", "b")));
    TRY(CAIRN_WRITE_EVENT(macros, "Three", u32("a", 1), str8("b", "b"), str8("c", "c")));
    TRY(CAIRN_WRITE_EVENT(macros, "More", activity_id(&id), str8("a", "a"), str8("b", "b"),
                          str8("c", "c"), str8("d", "d"), str8("e", "e")));
    TRY(CAIRN_WRITE_EVENT(macros, "Counted", u32_slice("a", numbers, 2), str16("b", text)));
    TRY(cairn_provider_unregister(&macros));
}

static void fill(struct cairn_builder *builder)
{
    static const uint32_t numbers[] = {1, 2};
    static const struct cairn_event_text texts[] = {{"a", 1}, {"b", 1}};
    const uint8_t value32 = CAIRN_ENCODING_VALUE32;
    const uint8_t text8 = CAIRN_ENCODING_STRING_LENGTH16_CHAR8;

    cairn_builder_begin(builder, "Built", 1);
    cairn_builder_id_version(builder, 1, 1);
    cairn_builder_opcode(builder, CAIRN_OPCODE_INFO);
    cairn_builder_value(builder, "value", value32, CAIRN_FORMAT_DEFAULT, 0, numbers);
    cairn_builder_values(builder, "values", value32, CAIRN_FORMAT_DEFAULT, 0, numbers, 2);
    cairn_builder_fixed_values(builder, "fixed", value32, CAIRN_FORMAT_DEFAULT, 0, numbers, 2);
    cairn_builder_text(builder, "text", text8, CAIRN_FORMAT_DEFAULT, 0, "t", 1);
    cairn_builder_texts(builder, "texts", text8, CAIRN_FORMAT_DEFAULT, 0, texts, 2);
    cairn_builder_null(builder, "null", CAIRN_FORMAT_DEFAULT, 0);
    cairn_builder_struct_begin(builder, "struct", 0);
    cairn_builder_value(builder, "in it", value32, CAIRN_FORMAT_DEFAULT, 0, numbers);
    cairn_builder_struct_end(builder);
    cairn_builder_structs_begin(builder, "structs", 0, 2);
    cairn_builder_value(builder, "in it", value32, CAIRN_FORMAT_DEFAULT, 0, numbers);
    cairn_builder_structs_next(builder);
    cairn_builder_value(builder, "in it", value32, CAIRN_FORMAT_DEFAULT, 0, numbers);
    cairn_builder_struct_end(builder);
    cairn_builder_raw_definition(builder, "raw", value32, CAIRN_FORMAT_DEFAULT, 0, 0);
    cairn_builder_raw_data(builder, numbers, sizeof(numbers[0]));
}

static void write_by_builder(void)
{
    struct cairn_dynamic_provider *provider = NULL;
    struct cairn_builder *builder = NULL;
    struct cairn_event_set *set = NULL;
    struct cairn_guid id;
    char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES];

    cairn_guid_from_name("Matrix_Dynamic", &id);
    TRY(cairn_dynamic_provider_command("Matrix_Dynamic", "group", NULL, 2, 1, command));
    if (cairn_dynamic_provider_create("Matrix_Dynamic", NULL, &provider))
        abort();
    TRY(cairn_event_set_register(provider, 2, 1, &set));
    set = cairn_event_set_find(provider, 2, 1);
    if (!cairn_builder_create(&builder) && set) {
        fill(builder);
        if (!cairn_builder_error(builder))
            TRY(cairn_builder_write(builder, set, &id, NULL));
        TRY(cairn_builder_reason(builder));
    }
    cairn_builder_destroy(builder);
    TRY(cairn_dynamic_provider_destroy(provider));
    if (!cairn_dynamic_provider_create_with("Matrix_Dynamic", "group", NULL, &provider))
        TRY(cairn_dynamic_provider_destroy(provider));
}

/* ---- the facade ---- */

static int nowhere;

static __attribute__((constructor)) void open_nowhere(void)
{
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

/* write(2) is one. */
static void reach_cancellation_point(void)
{
    TRY(write(nowhere, "", 0) < 0);
}

int spans_begun;
int spans_over;

struct noting {
    struct cairn_layer layer; /* must be the first member */
    char kept;
    bool is_own; /* for one thread: exists from the begin of a span to its end */
};

static void on_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    TRY(cairn_layer_span(layer, event->span));
    reach_cancellation_point();
}

static void on_new(struct cairn_layer *layer, struct cairn_span *span)
{
    TRY(cairn_layer_keep(layer, span, &((struct noting *)layer)->kept));
    if (((struct noting *)layer)->is_own)
        __atomic_fetch_add(&spans_begun, 1, __ATOMIC_RELAXED);
}

static void on_close(struct cairn_layer *layer, struct cairn_span *span)
{
    if (cairn_layer_kept(layer, span) != &((struct noting *)layer)->kept)
        abort();
    if (((struct noting *)layer)->is_own)
        __atomic_fetch_add(&spans_over, 1, __ATOMIC_RELAXED);
}

static void destroy(struct cairn_layer *layer)
{
    reach_cancellation_point();
    free(layer);
}

static struct cairn_layer *make_layer(bool is_own)
{
    struct noting *noting = calloc(1, sizeof(*noting));

    if (!noting)
        abort();
    noting->is_own = is_own;
    noting->layer = (struct cairn_layer){
        .event = on_event, .span_new = on_new, .span_close = on_close, .destroy = destroy};
    return &noting->layer;
}

static struct cairn_directives *parse(const char *text)
{
    struct cairn_directives *directives = NULL;

    TRY(cairn_directives_parse(text, &directives, NULL));
    return directives;
}

static void on_warning(void *arg, const struct cairn_directives_warning *warning)
{
    (void)arg, (void)warning;
}

static void parse_directives(void)
{
    struct cairn_directives *directives = parse("info");

    TRY(cairn_directives_check(directives, on_warning, NULL));
    cairn_directives_destroy(directives);
    directives = NULL;
    TRY(cairn_directives_parse_lossy("info,[[", &directives, on_warning, NULL));
    cairn_directives_destroy(directives);
}

static void trace_in_spans(void)
{
    const char *const names[] = {"number"};
    const struct cairn_tracing_value values[] = {cairn_i_value_signed(2)};
    char text[CAIRN_TRACEPARENT_BYTES];
    struct cairn_trace_context context;
    uint8_t parent_id[8];
    CAIRN_SCOPE_AS(around, INFO, "matrix", kv("number", 1));
    struct cairn_span *span = CAIRN_SPAN(INFO, "matrix_inner", kv("number", 1));

    cairn_span_enter(span);
    CAIRN_INFO((kv("number", 1)), "%s", "message");
    CAIRN_INFO((kv("number", 1)));
    CAIRN_RECORD(around, "number", 3);
    cairn_span_record(span, names, values, 1);
    cairn_span_follows_from(span, around);
    if (cairn_span_context(span, &context)) {
        cairn_trace_context_format(&context, text);
        TRY(cairn_trace_context_parse(text, &context));
    }
    TRY(cairn_span_parent_id(span, parent_id));
    TRY(cairn_span_parent(span));
    TRY(cairn_span_id(span));
    TRY(cairn_span_begin_ns(span));
    TRY(cairn_span_is_inherited(span));
    if (span) {
        TRY(cairn_span_callsite(span));
        TRY(cairn_span_value(span, 0));
    }
    cairn_span_close(cairn_span_hold(cairn_span_current()));
    cairn_span_exit(span);
    cairn_span_close(span);
}

/* The subscriber may become another thread's global one at any time: a call that fails with EBUSY
 * is repeated. */
static void destroy_subscriber(struct cairn_subscriber *subscriber)
{
    while (cairn_subscriber_destroy(subscriber) == EBUSY)
        TRY(cairn_subscriber_set_global(NULL));
}

static void change_subscribers(void)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *subscriber;
    struct cairn_layer *layer = make_layer(false);

    if (cairn_subscriber_create(&subscriber))
        abort();
    if (cairn_subscriber_add(subscriber, layer, parse("debug"))) {
        cairn_layer_destroy(layer);
        layer = NULL;
    }
    TRY(cairn_subscriber_set_global(subscriber));
    trace_in_spans();
    if (layer)
        TRY(cairn_subscriber_reload(subscriber, layer, parse("info")));
    TRY(cairn_subscriber_enter(&scope, subscriber));
    trace_in_spans();
    TRY(cairn_subscriber_leave(&scope));
    if (layer)
        TRY(cairn_subscriber_remove(subscriber, layer));
    TRY(cairn_subscriber_set_global(NULL));
    destroy_subscriber(subscriber);
}

static void add(struct cairn_subscriber *subscriber, struct cairn_layer *layer)
{
    if (cairn_subscriber_add(subscriber, layer, NULL))
        cairn_layer_destroy(layer);
}

static void use_the_librarys_layers(void)
{
    const struct cairn_stderr_options to_nowhere = {
        .size = sizeof(to_nowhere), .fd = nowhere, .span_events = true};
    const struct cairn_eventheader_options provider = {.size = sizeof(provider),
                                                       .name = "Matrix_Layer"};
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *subscriber;
    struct cairn_layer *layer;
    struct cairn_guid id;

    if (cairn_subscriber_create(&subscriber))
        abort();
    if (!cairn_stderr_layer_create(&to_nowhere, &layer))
        add(subscriber, layer);
    if (!cairn_eventheader_layer_create(&provider, &layer)) {
        cairn_eventheader_layer_id(layer, &id);
        add(subscriber, layer);
    }
    add(subscriber, make_layer(true));
    TRY(cairn_subscriber_enter(&scope, subscriber));
    trace_in_spans();
    TRY(cairn_subscriber_leave(&scope));
    destroy_subscriber(subscriber);
}

static void log_with(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    cairn_tracing_vlog(LOG_INFO, "matrix_v", format, arguments);
    va_end(arguments);
}

/* Each target is new. The library copies the text. */
static void log_as_a_logger(void)
{
    static uint32_t number;
    char target[32];

    (void)snprintf(target, sizeof(target), "matrix%u",
                   __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED) % 4096);
    cairn_tracing_log(LOG_INFO, target, "%s", "message");
    log_with("%s", "message");
    TRY(cairn_tracing_lost());
}

static void init(void)
{
    TRY(cairn_tracing_init());
    TRY(cairn_tracing_subscriber());
    TRY(cairn_tracing_reload("error", NULL));
    cairn_tracing_log(LOG_DEBUG, "matrix_init", "nobody wants this");
    TRY(cairn_subscriber_set_global(NULL));
}

/* As a source with call sites does when it is loaded and unloaded. */
static void load_call_sites(void)
{
    struct cairn_i_tracing_object none = {NULL, NULL};

    cairn_i_tracing_load(&none);
    trace_in_spans();
    cairn_i_tracing_unload(&none);
}

#define ACTION(function)                     \
    {                                        \
        .name = #function, .run = (function) \
    }

const struct action actions[] = {
    {"call_back", call_back},   {"register_typed", register_typed},
    ACTION(register_and_write), ACTION(register_a_schema_and_delete),
    ACTION(write_by_macros),    ACTION(write_by_builder),
    ACTION(parse_directives),   ACTION(trace_in_spans),
    ACTION(change_subscribers), ACTION(use_the_librarys_layers),
    ACTION(log_as_a_logger),    ACTION(init),
    ACTION(load_call_sites),
};
const size_t action_count = sizeof(actions) / sizeof(actions[0]);
