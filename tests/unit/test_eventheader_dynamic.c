/* SPDX-License-Identifier: MIT */
/*
 * Test of providers and events that are created at run time: results and errors. tests/golden
 * checks the bytes of events.
 */
#include "engine_test.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <malloc.h>
#include <stdlib.h>

CAIRN_PROVIDER(grouped, "Grouped", group_name("mygroup2"));
CAIRN_PROVIDER(with_options, "Grouped", options("A1GHx"));
CAIRN_PROVIDER(with_all, "Grouped", options("A1bFZ9"), group_name("g"));
CAIRN_PROVIDER(bad_options, "Grouped", group_name("g"), options("BxA"));

/* CAIRN_PROVIDER refuses this group at compile time. */
static struct cairn_provider bad_group = {.name = "Grouped", .group = "MyGroup", .options = ""};

struct fixture {
    struct cairn_dynamic_provider *provider;
    struct cairn_event_set *set;
    struct cairn_builder *b;
};

static int make(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    *state = f;
    return cairn_dynamic_provider_create("Dyn", NULL, &f->provider) ||
           cairn_event_set_register(f->provider, CAIRN_LEVEL_WARNING, 0x23, &f->set) ||
           cairn_builder_create(&f->b);
}

static int unmake(void **state)
{
    struct fixture *f = *state;

    cairn_builder_destroy(f->b);
    assert_int_equal(cairn_dynamic_provider_destroy(f->provider), 0);
    free(f);
    return 0;
}

static bool is_in_registry(const char *name)
{
    size_t length = strlen(name);

    for (uint32_t i = 1; i < engine_registry_end(&recorder); i++) {
        if (recorder.entries[i].generation && recorder.entries[i].command[length] == ' ' &&
            !strncmp(recorder.entries[i].command, name, length))
            return true;
    }
    return false;
}

/* ---- providers ---- */

static void a_provider_needs_a_valid_name(void **state)
{
    struct cairn_dynamic_provider *provider = NULL;
    char name[300];

    (void)state;
    assert_int_equal(cairn_dynamic_provider_create("", NULL, &provider), EINVAL);
    assert_int_equal(cairn_dynamic_provider_create("a b", NULL, &provider), EINVAL);
    assert_int_equal(cairn_dynamic_provider_create("a:b", NULL, &provider), EINVAL);
    assert_int_equal(cairn_dynamic_provider_create("a", "Upper", &provider), EINVAL);
    assert_int_equal(cairn_dynamic_provider_create("a", "under_score", &provider), EINVAL);
    memset(name, 'a', sizeof(name));
    name[235] = 0;
    assert_int_equal(cairn_dynamic_provider_create(name, NULL, &provider), E2BIG);
    name[233] = 0;
    assert_int_equal(cairn_dynamic_provider_create(name, "g", &provider), E2BIG);
    assert_null(provider);
    name[233] = 'a';
    name[234] = 0;
    assert_int_equal(cairn_dynamic_provider_create(name, "", &provider), 0);
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
    assert_int_equal(cairn_dynamic_provider_destroy(NULL), 0);
}

static void the_longest_name_can_be_registered(void **state)
{
    struct cairn_dynamic_provider *provider;
    struct cairn_event_set *set;
    char name[234];

    (void)state;
    memset(name, 'a', sizeof(name));
    name[sizeof(name) - 1] = 0;
    assert_int_equal(cairn_dynamic_provider_create(name, NULL, &provider), 0);
    assert_int_equal(cairn_event_set_register(provider, 255, UINT64_MAX, &set), 0);
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
}

static void a_level_and_keyword_have_one_event_set(void **state)
{
    struct fixture *f = *state;
    struct cairn_event_set *again = NULL;
    struct cairn_event_set *other = NULL;

    assert_null(cairn_event_set_find(f->provider, CAIRN_LEVEL_ERROR, 0x23));
    assert_int_equal(cairn_event_set_register(f->provider, CAIRN_LEVEL_WARNING, 0x23, &again), 0);
    assert_ptr_equal(again, f->set);
    assert_int_equal(cairn_event_set_register(f->provider, CAIRN_LEVEL_ERROR, 0x23, &other), 0);
    assert_ptr_not_equal(other, f->set);
    assert_ptr_equal(cairn_event_set_find(f->provider, CAIRN_LEVEL_ERROR, 0x23), other);
    assert_int_equal(cairn_event_set_register(f->provider, 0, 1, &other), EINVAL);
}

static void a_group_is_at_the_end_of_tracepoint_names(void **state)
{
    struct cairn_dynamic_provider *provider;
    struct cairn_event_set *set;

    (void)state;
    assert_int_equal(cairn_dynamic_provider_create("Dyn", "mygroup", &provider), 0);
    assert_int_equal(cairn_event_set_register(provider, 5, 0x1f, &set), 0);
    assert_true(is_in_registry("Dyn_L5K1fGmygroup"));
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
    assert_false(is_in_registry("Dyn_L5K1fGmygroup"));
}

static void a_provider_of_macros_has_a_group_too(void **state)
{
    struct engine_session session = begin("*Gmygroup2");

    (void)state;
    assert_int_equal(cairn_provider_register(&grouped), 0);
    assert_true(is_in_registry("Grouped_L3K1Gmygroup2"));
    assert_int_equal(CAIRN_WRITE_EVENT(grouped, "E", level(WARNING)), 0);
    assert_int_equal(read_session(&session).records, 1);
    assert_int_equal(cairn_provider_unregister(&grouped), 0);
    assert_int_equal(cairn_provider_register(&bad_group), EINVAL);
    assert_int_equal(cairn_provider_unregister(&bad_group), ENOENT);
    end(&session);
}

static void options_and_group_are_sorted_by_letter(void **state)
{
    static const struct {
        const char *group, *options, *end;
    } names[] = {
        {NULL, "", ""},          {NULL, "A", "A"},   {"g", "Zx", "GgZx"},
        {"g", "A1", "A1Gg"},     {"", "GgH", "GgH"}, {"g1", "A0bFHZzz", "A0bFGg1HZzz"},
        {"h", "AgHg", "AgGhHg"},
    };
    struct cairn_dynamic_provider *provider;
    struct cairn_event_set *set;
    char name[64];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        assert_int_equal(
            cairn_dynamic_provider_create_with("Dyn", names[i].group, names[i].options, &provider),
            0);
        assert_int_equal(cairn_event_set_register(provider, 4, 0xab, &set), 0);
        (void)snprintf(name, sizeof(name), "Dyn_L4Kab%s", names[i].end);
        assert_true(is_in_registry(name));
        assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
    }
}

static void invalid_options_are_refused(void **state)
{
    static const char *const bad[] = {"a",  "1",   "aB", "BA",    "AA", "A_",
                                      "A-", "AxG", "G",  "A\xe4", " "};
    struct cairn_dynamic_provider *provider = NULL;
    char options[300];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(cairn_dynamic_provider_create_with("Dyn", "g", bad[i], &provider), EINVAL);
    memset(options, 'x', sizeof(options));
    options[0] = 'A';
    options[230] = 0;
    assert_int_equal(cairn_dynamic_provider_create_with("Dyn", "g", options, &provider), E2BIG);
    assert_null(provider);
    options[229] = 0;
    assert_int_equal(cairn_dynamic_provider_create_with("Dyn", "g", options, &provider), 0);
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
}

static void a_provider_of_macros_has_options_too(void **state)
{
    struct engine_session session = begin("*_L3K1A1*");

    (void)state;
    assert_int_equal(cairn_provider_register(&with_options), 0);
    assert_true(is_in_registry("Grouped_L3K1A1GHx"));
    assert_int_equal(cairn_provider_register(&with_all), 0);
    assert_true(is_in_registry("Grouped_L3K1A1bFGgZ9"));
    assert_int_equal(CAIRN_WRITE_EVENT(with_options, "E", level(WARNING)), 0);
    assert_int_equal(CAIRN_WRITE_EVENT(with_all, "E", level(WARNING)), 0);
    assert_int_equal(read_session(&session).records, 2);
    assert_int_equal(cairn_provider_unregister(&with_all), 0);
    assert_int_equal(cairn_provider_unregister(&with_options), 0);
    assert_int_equal(cairn_provider_register(&bad_options), EINVAL);
    end(&session);
}

static void a_name_has_the_same_id_as_in_etw(void **state)
{
    struct cairn_guid id;
    struct cairn_guid other;

    (void)state;
    /* From the documentation of Microsoft's TraceLogging. */
    cairn_guid_from_name("MyProvider", &id);
    assert_memory_equal(id.bytes,
                        "\xb3\x86\x4c\x38\x42\x73\x58\xc5\x54\x5b\x8b\x36\x08\x34\x34\x71", 16);
    cairn_guid_from_name("mypROVIDER", &other);
    assert_memory_equal(id.bytes, other.bytes, 16);
    cairn_guid_from_name("", &other);
    assert_memory_not_equal(id.bytes, other.bytes, 16);
    /* Not UTF-8, and a truncated character. */
    cairn_guid_from_name("\xff\xc3", &other);
    cairn_guid_from_name("a\xf0\x9f", &other);
    assert_int_equal(other.bytes[6] >> 4, 5);
}

/* ---- writing ---- */

static void writing_a_disabled_event_is_EBADF(void **state)
{
    struct fixture *f = *state;

    cairn_builder_begin(f->b, "E", 0);
    assert_false(cairn_event_set_is_enabled(f->set));
    assert_int_equal(cairn_builder_write(f->b, f->set, NULL, NULL), EBADF);
}

static int write_it(struct fixture *f)
{
    struct engine_session session = begin("Dyn_*");
    int error = cairn_builder_write(f->b, f->set, NULL, NULL);

    assert_int_equal(read_session(&session).records, error ? 0 : 1);
    end(&session);
    return error;
}

static void a_builder_can_be_reused(void **state)
{
    struct fixture *f = *state;
    struct engine_session session = begin("Dyn_*");
    size_t before = 0;

    for (int i = 0; i < 100; i++) {
        cairn_builder_begin(f->b, "E", 0);
        cairn_builder_u32(f->b, "A", 1);
        cairn_builder_str8(f->b, "B", "some text that makes the event a little longer");
        assert_int_equal(cairn_builder_write(f->b, f->set, NULL, NULL), 0);
        if (i == 0)
            before = mallinfo2().uordblks;
    }
    assert_int_equal(mallinfo2().uordblks, before);
    assert_int_equal(read_session(&session).records, 100);
    end(&session);
}

static void an_event_that_was_not_begun_cannot_be_written(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(write_it(f), EINVAL);
    assert_string_equal(cairn_builder_reason(f->b), "no event has begun");
}

/* Each of these functions makes one mistake. */
static void too_many_fields(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, "S", 0);
    for (int i = 0; i < 128; i++)
        cairn_builder_u8(b, "A", 1);
    cairn_builder_struct_end(b);
}

static void too_deep(struct cairn_builder *b)
{
    for (unsigned i = 0; i <= CAIRN_BUILDER_DEPTH_MAX; i++)
        cairn_builder_struct_begin(b, "S", 0);
}

static void too_long_an_array(struct cairn_builder *b)
{
    cairn_builder_values(b, "A", CAIRN_ENCODING_VALUE8, 0, 0, "", 65536);
}

static void too_long_a_text(struct cairn_builder *b)
{
    static char text[70000];

    memset(text, 'x', sizeof(text));
    cairn_builder_text(b, "A", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, 0, 0, text, 65536);
}

static void too_large_an_event(struct cairn_builder *b)
{
    static const char bytes[40000];

    cairn_builder_binary(b, "A", bytes, sizeof(bytes));
    cairn_builder_binary(b, "B", bytes, sizeof(bytes));
}

static void too_many_names(struct cairn_builder *b)
{
    char name[1000];

    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = 0;
    for (int i = 0; i < 33; i++)
        cairn_builder_u8(b, name, 1);
}

static void a_struct_without_an_end(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, "S", 0);
    cairn_builder_u8(b, "A", 1);
}

static void an_end_without_a_struct(struct cairn_builder *b)
{
    cairn_builder_struct_end(b);
}

static void a_struct_of_nothing(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, "S", 0);
    cairn_builder_struct_end(b);
}

static void a_text_as_a_value(struct cairn_builder *b)
{
    cairn_builder_value(b, "A", CAIRN_ENCODING_ZSTRING_CHAR8, 0, 0, "");
}

static void a_value_as_a_text(struct cairn_builder *b)
{
    cairn_builder_text(b, "A", CAIRN_ENCODING_VALUE8, 0, 0, "", 1);
}

static void no_encoding_at_all(struct cairn_builder *b)
{
    cairn_builder_values(b, "A", CAIRN_ENCODING_MAX, 0, 0, "", 1);
}

static void a_format_with_the_flag_of_a_tag(struct cairn_builder *b)
{
    const uint8_t value = 7;

    cairn_builder_value(b, "A", CAIRN_ENCODING_VALUE8, 0x83, 0, &value);
    cairn_builder_u8(b, "B", 8);
}

static void a_format_of_an_array_with_that_flag(struct cairn_builder *b)
{
    cairn_builder_values(b, "A", CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_CHAIN, 1, "", 1);
}

static void a_format_of_a_text_with_that_flag(struct cairn_builder *b)
{
    cairn_builder_text(b, "A", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, 0xff, 0, "", 1);
}

static void an_encoding_with_the_flag_of_a_format(struct cairn_builder *b)
{
    cairn_builder_value(b, "A", CAIRN_ENCODING_VALUE8 | CAIRN_ENCODING_CHAIN, 0, 0, "");
}

static void a_raw_encoding_with_the_flag_of_a_format(struct cairn_builder *b)
{
    cairn_builder_raw_definition(b, "A", CAIRN_ENCODING_VALUE8 | CAIRN_ENCODING_CHAIN, 3, 0, 0);
}

static void a_raw_encoding_of_both_kinds_of_arrays(struct cairn_builder *b)
{
    cairn_builder_raw_definition(
        b, "A", CAIRN_ENCODING_VALUE8 | CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY, 0, 0, 1);
}

static void a_raw_encoding_that_is_none(struct cairn_builder *b)
{
    cairn_builder_raw_definition(b, "A", CAIRN_ENCODING_MAX, 0, 0, 0);
}

static void a_raw_format_with_the_flag_of_a_tag(struct cairn_builder *b)
{
    cairn_builder_raw_definition(b, "A", CAIRN_ENCODING_VALUE8, 0x83, 0, 0);
}

static void a_raw_array_of_no_length(struct cairn_builder *b)
{
    cairn_builder_raw_definition(b, "A", CAIRN_ENCODING_VALUE8 | CAIRN_ENCODING_CARRAY, 0, 0, 0);
}

static void a_raw_struct_in_a_struct(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, "S", 0);
    cairn_builder_raw_definition(b, "T", CAIRN_ENCODING_STRUCT, 1, 0, 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_struct_end(b);
}

static void a_field_without_a_name(struct cairn_builder *b)
{
    cairn_builder_u8(b, NULL, 1);
}

static void a_struct_without_a_name(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, NULL, 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_struct_end(b);
}

static void an_event_without_a_name(struct cairn_builder *b)
{
    cairn_builder_begin(b, NULL, 0);
}

static void texts_from_nowhere(struct cairn_builder *b)
{
    cairn_builder_texts(b, "A", CAIRN_ENCODING_ZSTRING_CHAR8, 0, 0, NULL, 1);
}

static void a_constant_length_of_nothing(struct cairn_builder *b)
{
    cairn_builder_fixed_values(b, "A", CAIRN_ENCODING_VALUE8, 0, 0, "", 0);
}

static void begin_two(struct cairn_builder *b)
{
    cairn_builder_structs_begin(b, "S", 0, 2);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_u8(b, "B", 1);
}

static void fewer_elements_than_said(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_struct_end(b);
}

static void more_elements_than_said(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_structs_next(b);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_u8(b, "B", 1);
    cairn_builder_structs_next(b);
}

static void an_element_with_another_name(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_structs_next(b);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_u8(b, "C", 1);
}

static void an_element_with_another_type(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_structs_next(b);
    cairn_builder_u16(b, "A", 1);
}

static void an_element_with_fewer_fields(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_structs_next(b);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_struct_end(b);
}

static void an_element_with_more_fields(struct cairn_builder *b)
{
    begin_two(b);
    cairn_builder_structs_next(b);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_u8(b, "B", 1);
    cairn_builder_u8(b, "C", 1);
    cairn_builder_struct_end(b);
}

static void a_next_one_outside_of_arrays(struct cairn_builder *b)
{
    cairn_builder_struct_begin(b, "S", 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_structs_next(b);
}

static void an_element_whose_struct_takes_a_field_of_its_neighbour(struct cairn_builder *b)
{
    cairn_builder_structs_begin(b, "S", 0, 2);
    cairn_builder_struct_begin(b, "T", 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_struct_end(b);
    cairn_builder_u8(b, "B", 1);
    cairn_builder_structs_next(b);
    cairn_builder_struct_begin(b, "T", 0);
    cairn_builder_u8(b, "A", 1);
    cairn_builder_u8(b, "B", 1);
    cairn_builder_struct_end(b);
}

static void each_mistake_has_an_error_code_and_a_reason(void **state)
{
    static const struct {
        void (*make_it)(struct cairn_builder *b);
        int error;
        const char *reason;
    } mistakes[] = {
        {too_many_fields, E2BIG, "a struct has at most 127 fields"},
        {too_deep, E2BIG, "structs are nested at most 8 deep"},
        {too_long_an_array, E2BIG, "an array or a text has at most 65535 units"},
        {too_long_a_text, E2BIG, "an array or a text has at most 65535 units"},
        {too_large_an_event, E2BIG, "an event has at most 65476 bytes"},
        {too_many_names, E2BIG, "the names of an event have less than 32 KiB in all"},
        {a_struct_without_an_end, EINVAL, "a struct has no end"},
        {an_end_without_a_struct, EINVAL, "no struct has begun"},
        {a_struct_of_nothing, EINVAL, "a struct has at least one field"},
        {a_text_as_a_value, EINVAL, "the encoding is not that of a value of fixed size"},
        {a_value_as_a_text, EINVAL, "the encoding is not that of a text or of bytes"},
        {no_encoding_at_all, EINVAL, "the encoding is not that of a value of fixed size"},
        {a_format_with_the_flag_of_a_tag, EINVAL, "a format is at most 0x7f"},
        {a_format_of_an_array_with_that_flag, EINVAL, "a format is at most 0x7f"},
        {a_format_of_a_text_with_that_flag, EINVAL, "a format is at most 0x7f"},
        {an_encoding_with_the_flag_of_a_format, EINVAL,
         "the encoding is not that of a value of fixed size"},
        {a_raw_encoding_with_the_flag_of_a_format, EINVAL,
         "the encoding is invalid, or has invalid flags"},
        {a_raw_encoding_of_both_kinds_of_arrays, EINVAL,
         "the encoding is invalid, or has invalid flags"},
        {a_raw_encoding_that_is_none, EINVAL, "the encoding is invalid, or has invalid flags"},
        {a_raw_format_with_the_flag_of_a_tag, EINVAL, "a format is at most 0x7f"},
        {a_raw_array_of_no_length, EINVAL, "an array of constant length has 1 to 65535 values"},
        {a_raw_struct_in_a_struct, EINVAL, "a raw struct cannot be in another struct"},
        {a_field_without_a_name, EINVAL, "an event, a struct and a field need a name"},
        {a_struct_without_a_name, EINVAL, "an event, a struct and a field need a name"},
        {an_event_without_a_name, EINVAL, "an event, a struct and a field need a name"},
        {texts_from_nowhere, EINVAL, "the array of texts is NULL"},
        {a_constant_length_of_nothing, EINVAL, "an array of constant length has 1 to 65535 values"},
        {fewer_elements_than_said, EINVAL, "an array of structs has fewer elements than declared"},
        {more_elements_than_said, EINVAL, "there is no further struct in this array"},
        {an_element_with_another_name, EINVAL, "the structs of an array have the same fields"},
        {an_element_with_another_type, EINVAL, "the structs of an array have the same fields"},
        {an_element_with_fewer_fields, EINVAL, "the structs of an array have the same fields"},
        {an_element_with_more_fields, EINVAL, "the structs of an array have the same fields"},
        {a_next_one_outside_of_arrays, EINVAL, "there is no further struct in this array"},
        {an_element_whose_struct_takes_a_field_of_its_neighbour, EINVAL,
         "the structs of an array have the same fields"},
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        cairn_builder_begin(f->b, "E", 0);
        mistakes[i].make_it(f->b);
        assert_int_equal(write_it(f), mistakes[i].error);
        assert_int_equal(cairn_builder_error(f->b), mistakes[i].error);
        assert_string_equal(cairn_builder_reason(f->b), mistakes[i].reason);
    }
    cairn_builder_begin(f->b, "E", 0);
    assert_int_equal(cairn_builder_error(f->b), 0);
    assert_string_equal(cairn_builder_reason(f->b), "");
    assert_int_equal(write_it(f), 0);
}

static void objects_that_were_not_created_are_EINVAL(void **state)
{
    static struct cairn_provider zeros;
    static struct cairn_event_set no_set;
    struct cairn_dynamic_provider *provider;
    struct fixture *f = *state;

    assert_int_equal(cairn_provider_register(&zeros), EINVAL);
    assert_int_equal(cairn_provider_unregister(&zeros), ENOENT);
    assert_int_equal(cairn_dynamic_provider_create(NULL, NULL, &provider), EINVAL);
    cairn_builder_begin(f->b, "E", 0);
    assert_int_equal(cairn_builder_write(f->b, &no_set, NULL, NULL), EINVAL);
    assert_int_equal(cairn_builder_write(f->b, NULL, NULL, NULL), EINVAL);
}

static void a_command_text_needs_no_provider(void **state)
{
    char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES];

    (void)state;
    assert_int_equal(cairn_dynamic_provider_command("Dyn", "g", "Aone", 5, 0x1f, command), 0);
    assert_string_equal(command, "Dyn_L5K1fAoneGg " CAIRN_EVENTHEADER_FIELDS);
    assert_int_equal(cairn_dynamic_provider_command("Dyn", NULL, NULL, 1, 0, command), 0);
    assert_string_equal(command, "Dyn_L1K0 " CAIRN_EVENTHEADER_FIELDS);
    assert_int_equal(cairn_dynamic_provider_command("a b", NULL, NULL, 1, 0, command), EINVAL);
    assert_int_equal(cairn_dynamic_provider_command("Dyn", "G", NULL, 1, 0, command), EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_provider_needs_a_valid_name),
        cmocka_unit_test(the_longest_name_can_be_registered),
        cmocka_unit_test_setup_teardown(a_level_and_keyword_have_one_event_set, make, unmake),
        cmocka_unit_test(a_group_is_at_the_end_of_tracepoint_names),
        cmocka_unit_test(a_provider_of_macros_has_a_group_too),
        cmocka_unit_test(options_and_group_are_sorted_by_letter),
        cmocka_unit_test(invalid_options_are_refused),
        cmocka_unit_test(a_provider_of_macros_has_options_too),
        cmocka_unit_test(a_name_has_the_same_id_as_in_etw),
        cmocka_unit_test_setup_teardown(writing_a_disabled_event_is_EBADF, make, unmake),
        cmocka_unit_test_setup_teardown(a_builder_can_be_reused, make, unmake),
        cmocka_unit_test_setup_teardown(an_event_that_was_not_begun_cannot_be_written, make,
                                        unmake),
        cmocka_unit_test_setup_teardown(each_mistake_has_an_error_code_and_a_reason, make, unmake),
        cmocka_unit_test_setup_teardown(objects_that_were_not_created_are_EINVAL, make, unmake),
        cmocka_unit_test(a_command_text_needs_no_provider),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
