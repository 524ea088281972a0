/* SPDX-License-Identifier: MIT */
/*
 * Decodes the golden events to items and encodes these with the builder: the bytes must be the
 * same. So must those of the events in CAIRN_INTERCEPTOR_DATA, a file of other implementations: for
 * each a little-endian u32 size, which includes itself, the tracepoint's name, a NUL, the event.
 */
#include "engine_test.h"
#include "golden.h"

#include "decode/layout.h"

#include <cairn/decode.h>
#include <cairn/eventheader_dynamic.h>
#include <stdlib.h>

#define COMMON_BYTES  8u
#define ELEMENTS_MAX  65535u
#define NAME_MAX_SIZE 1024u

/* The level is in the name. */
static const char format[] =
    "name: X_L%xK1\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

static struct cairn_dynamic_provider *provider;
static struct cairn_builder *b;
static struct cairn_decoder *decoder;
static struct cairn_items *items;
static uint8_t raw[COMMON_BYTES + CAIRN_RECORD_MAX_BYTES];
static struct cairn_event_text texts[ELEMENTS_MAX];

/* The decoder's number for a tracepoint of this level. */
static uint32_t tracepoint_of(uint8_t level)
{
    char text[sizeof(format) + 1];
    struct cairn_decoder_format tracepoint = {.system = {"user_events", 11}, .long_size_bytes = 8};
    uint32_t number;

    tracepoint.text.text = text;
    tracepoint.text.length = (uint32_t)snprintf(text, sizeof(text), format, level);
    assert_int_equal(cairn_decoder_add(decoder, &tracepoint, &number), 0);
    return number;
}

static const char *name_of(const struct cairn_item_field *field)
{
    static char name[NAME_MAX_SIZE];

    assert_true(field->name.length < sizeof(name));
    memcpy(name, field->name.text, field->name.length);
    name[field->name.length] = '\0';
    return name;
}

static uint32_t unit_bytes(uint8_t encoding)
{
    switch (encoding) {
    case CAIRN_ENCODING_ZSTRING_CHAR16:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR16:
        return 2;
    case CAIRN_ENCODING_ZSTRING_CHAR32:
    case CAIRN_ENCODING_STRING_LENGTH16_CHAR32:
        return 4;
    default:
        return 1;
    }
}

static void add_value(const struct cairn_item *item)
{
    const struct cairn_item_field *f = item->field;

    if (f->encoding <= CAIRN_ENCODING_VALUE128)
        cairn_builder_value(b, name_of(f), f->encoding, f->format, f->tag, item->data);
    else
        cairn_builder_text(b, name_of(f), f->encoding, f->format, f->tag, item->data,
                           item->size_bytes / unit_bytes(f->encoding));
}

/* Adds the elements of an array, which are not structs, up to its end. */
static void add_array(const struct cairn_item *begin)
{
    const struct cairn_item_field *f = begin->field;
    bool is_constant = decode_layout_field_of(f)->array == DECODE_LAYOUT_CONSTANT;
    const uint8_t *first = NULL;
    struct cairn_item item;
    uint32_t count = 0;

    while (cairn_items_next(items, &item) && item.kind == CAIRN_ITEM_VALUE) {
        first = first ? first : item.data;
        texts[count++] =
            (struct cairn_event_text){item.data, item.size_bytes / unit_bytes(f->encoding)};
    }
    assert_int_equal(count, begin->count);
    if (f->encoding > CAIRN_ENCODING_VALUE128)
        cairn_builder_texts(b, name_of(f), f->encoding, f->format, f->tag, texts, count);
    else if (is_constant)
        cairn_builder_fixed_values(b, name_of(f), f->encoding, f->format, f->tag, first, count);
    else
        cairn_builder_values(b, name_of(f), f->encoding, f->format, f->tag, first, count);
}

/* False for a struct with a larger number of fields than there are, as in events of other
 * implementations. */
static bool has_true_count(const struct cairn_event *event, const struct cairn_item_field *item)
{
    const struct decode_layout_field *fields = decode_layout_of(event->type)->fields;
    uint32_t end = decode_layout_field_of(item)->end;
    uint32_t members = 0;
    uint32_t at = (uint32_t)(decode_layout_field_of(item) - fields) + 1;

    for (; at < end; at = fields[at].kind == DECODE_LAYOUT_STRUCT ? fields[at].end : at + 1)
        members++;
    return members == item->format;
}

static void add_definitions(const struct decode_layout_field *fields, uint32_t at, uint32_t end);

/* Returns the index of the field after its last member. */
static uint32_t add_struct_definition(const struct decode_layout_field *fields,
                                      const struct decode_layout_field *f)
{
    if (f->array == DECODE_LAYOUT_COUNTED)
        cairn_builder_structs_begin(b, name_of(&f->item), f->item.tag, 0);
    else
        cairn_builder_struct_begin(b, name_of(&f->item), f->item.tag);
    add_definitions(fields, (uint32_t)(f - fields) + 1, f->end);
    cairn_builder_struct_end(b);
    return f->end;
}

/* Adds the definitions of fields from the layout: an empty array of structs has them, but no items.
 */
static void add_definitions(const struct decode_layout_field *fields, uint32_t at, uint32_t end)
{
    static const uint8_t zeros[16];

    while (at < end) {
        const struct decode_layout_field *f = &fields[at++];
        struct cairn_item item = {.field = &f->item, .data = zeros};

        if (f->kind == DECODE_LAYOUT_VALUE && f->array == DECODE_LAYOUT_SINGLE)
            add_value(&item);
        else if (f->kind == DECODE_LAYOUT_VALUE)
            cairn_builder_raw_definition(b, name_of(&f->item),
                                         f->item.encoding | CAIRN_ENCODING_VARRAY, f->item.format,
                                         f->item.tag, 0);
        else
            at = add_struct_definition(fields, f);
    }
}

static void begin_structs(const struct cairn_event *event, const struct cairn_item *begin)
{
    const struct decode_layout_field *f = decode_layout_field_of(begin->field);
    const struct decode_layout *layout = decode_layout_of(event->type);

    cairn_builder_structs_begin(b, name_of(&f->item), f->item.tag, begin->count);
    if (!begin->count)
        add_definitions(layout->fields, (uint32_t)(f - layout->fields) + 1, f->end);
}

/* Adds the definition of a struct with a false number of fields; its end is ignored. */
static void add_false_struct(const struct cairn_item *item)
{
    if (item->kind == CAIRN_ITEM_STRUCT_BEGIN)
        cairn_builder_raw_definition(b, name_of(item->field), CAIRN_ENCODING_STRUCT,
                                     item->field->format, item->field->tag, 0);
}

static bool is_of_structs(const struct cairn_item *item)
{
    return item->field->encoding == CAIRN_ENCODING_STRUCT;
}

/* Adds all items. The item before a struct shows whether the struct is the first of its array. */
static void add_items(const struct cairn_event *event)
{
    enum cairn_item_kind before = CAIRN_ITEM_VALUE;
    struct cairn_item item;

    cairn_items_begin(items, event);
    for (; cairn_items_next(items, &item); before = item.kind) {
        if (item.kind == CAIRN_ITEM_VALUE)
            add_value(&item);
        else if (item.kind == CAIRN_ITEM_ARRAY_BEGIN && is_of_structs(&item))
            begin_structs(event, &item);
        else if (item.kind == CAIRN_ITEM_ARRAY_BEGIN)
            add_array(&item);
        else if (is_of_structs(&item) && !item.field->is_array &&
                 !has_true_count(event, item.field))
            add_false_struct(&item);
        else if (item.kind == CAIRN_ITEM_STRUCT_BEGIN && !item.is_element)
            cairn_builder_struct_begin(b, name_of(item.field), item.field->tag);
        else if (item.kind == CAIRN_ITEM_STRUCT_BEGIN && before == CAIRN_ITEM_STRUCT_END)
            cairn_builder_structs_next(b);
        else if (item.kind == CAIRN_ITEM_ARRAY_END ||
                 (item.kind == CAIRN_ITEM_STRUCT_END && !item.is_element))
            cairn_builder_struct_end(b);
        if (item.kind == CAIRN_ITEM_ARRAY_BEGIN && !is_of_structs(&item))
            item.kind = CAIRN_ITEM_ARRAY_END;
    }
    assert_int_equal(cairn_items_error(items), CAIRN_EVENT_WHOLE);
}

/* The event's name with its attributes: the beginning of the metadata, which is the last extension.
 */
static const char *event_name(const uint8_t *payload)
{
    const uint8_t *at = payload + sizeof(struct cairn_eventheader);
    struct cairn_eventheader_extension extension;

    for (;; at += sizeof(extension) + extension.size_bytes) {
        memcpy(&extension, at, sizeof(extension));
        if ((extension.kind & CAIRN_EXTENSION_KIND_MASK) == CAIRN_EXTENSION_METADATA)
            return (const char *)at + sizeof(extension);
    }
}

/* Encodes an event again, and reads it back into last_payload. */
static void write_again(const uint8_t *payload, uint32_t bytes, uint64_t keyword)
{
    struct engine_session session = begin("Again_*");
    struct cairn_eventheader header;
    struct cairn_event_set *set;
    struct cairn_event event;

    memcpy(&header, payload, sizeof(header));
    memcpy(raw + COMMON_BYTES, payload, bytes);
    assert_int_equal(cairn_decoder_event(decoder, tracepoint_of(header.level), raw,
                                         COMMON_BYTES + bytes, &event),
                     0);
    cairn_builder_begin(b, event_name(payload), header.tag);
    cairn_builder_id_version(b, header.id, header.version);
    cairn_builder_opcode(b, header.opcode);
    add_items(&event);
    assert_string_equal(cairn_builder_reason(b), "");
    assert_int_equal(cairn_event_set_register(provider, header.level, keyword, &set), 0);
    assert_int_equal(cairn_builder_write(b, set, (const struct cairn_guid *)event.activity_id,
                                         (const struct cairn_guid *)event.related_id),
                     0);
    assert_int_equal(read_session(&session).records, 1);
    end(&session);
}

/* False for raw fields, whose data may not match their definition. */
static bool is_rebuilt(const uint8_t *payload)
{
    return strncmp(event_name(payload), "Raw", 3) != 0;
}

static void golden_events_are_encoded_to_the_same_bytes(void **state)
{
    static uint8_t payload[CAIRN_RECORD_MAX_BYTES];
    int rebuilt = 0;

    (void)state;
    for (int i = 0; i < golden_event_count; i++) {
        struct engine_session session = begin("Golden_*");
        uint32_t bytes;

        (void)golden_events[i]();
        bytes = read_session(&session).records ? last_payload_bytes : 0;
        end(&session);
        memcpy(payload, last_payload, bytes);
        if (!bytes || !is_rebuilt(payload))
            continue;
        write_again(payload, bytes, 1);
        assert_int_equal(last_payload_bytes, bytes);
        assert_memory_equal(last_payload, payload, bytes);
        rebuilt++;
    }
    printf("%d of %d events\n", rebuilt, golden_event_count);
    assert_true(rebuilt > 300);
}

static void events_of_others_are_encoded_to_the_same_bytes(void **state)
{
    const char *path = getenv("CAIRN_INTERCEPTOR_DATA");
    FILE *file = path ? fopen(path, "rb") : NULL;
    static uint8_t entry[CAIRN_RECORD_MAX_BYTES];
    uint32_t size;
    int rebuilt = 0;

    (void)state;
    if (!file)
        skip();
    for (; fread(&size, sizeof(size), 1, file); rebuilt++) {
        uint32_t bytes = size - (uint32_t)sizeof(size);
        uint32_t name_size;

        assert_true(bytes < sizeof(entry));
        assert_int_equal(fread(entry, 1, bytes, file), bytes);
        name_size = (uint32_t)strlen((char *)entry) + 1;
        bytes -= name_size;
        write_again(entry + name_size, bytes, 1);
        assert_in_range(last_payload_bytes, bytes, bytes + 7);
        assert_memory_equal(last_payload, entry + name_size, bytes);
    }
    fclose(file);
    printf("%d events\n", rebuilt);
    assert_true(rebuilt > 0);
}

static int make(void **state)
{
    golden_prepare();
    return set_up(state) || cairn_decoder_create(&decoder) || cairn_items_create(&items) ||
           cairn_dynamic_provider_create("Again", NULL, &provider) || cairn_builder_create(&b) ||
           cairn_provider_register(&golden);
}

static int unmake(void **state)
{
    cairn_provider_unregister(&golden);
    cairn_builder_destroy(b);
    (void)cairn_dynamic_provider_destroy(provider);
    cairn_items_destroy(items);
    cairn_decoder_destroy(decoder);
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_events_are_encoded_to_the_same_bytes),
        cmocka_unit_test(events_of_others_are_encoded_to_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, make, unmake);
}
