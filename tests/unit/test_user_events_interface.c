/* SPDX-License-Identifier: MIT */
/* Test of the public interface of user_events over the local engine: flags, schemas, deletion,
 * status, and checks of payloads. */
#include "engine_test.h"

#include <cairn/schema.h>

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

static const struct cairn_tracepoint_options persisting = {.size = sizeof(persisting),
                                                           .flags = CAIRN_USER_EVENT_PERSIST};
static const struct cairn_tracepoint_options of_many_formats = {
    .size = sizeof(of_many_formats), .flags = CAIRN_USER_EVENT_MULTI_FORMAT};
static const struct cairn_tracepoint_options in_the_kernel = {.size = sizeof(in_the_kernel),
                                                              .backends = CAIRN_BACKEND_KERNEL};

static int set_up_local(void **state)
{
    return set_up(state) || setenv("CAIRN_BACKEND", "local", 1);
}

static bool is_there(const char *name)
{
    uint32_t index;

    assert_int_equal(engine_registry_lock(&recorder), 0);
    index = engine_registry_find(&recorder, name);
    engine_registry_unlock(&recorder);
    return index != 0;
}

static void an_event_that_persists_stays_until_it_is_deleted(void **state)
{
    (void)state;
    assert_int_equal(cairn_tracepoint_register_with(&tp, "persists u32 a", &persisting), 0);
    assert_int_equal(cairn_user_event_delete("persists", 0), EBUSY);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_true(is_there("persists"));
    assert_int_equal(cairn_tracepoint_register(&tp, "persists u64 a"), EADDRINUSE);
    assert_int_equal(cairn_user_event_delete("persists", CAIRN_BACKEND_LOCAL), 0);
    assert_false(is_there("persists"));
    assert_int_equal(cairn_user_event_delete("persists", 0), ENOENT);
}

static void an_event_without_flags_ends_with_its_user(void **state)
{
    (void)state;
    assert_int_equal(cairn_tracepoint_register_with(&tp, "goes u32 a", NULL), 0);
    assert_true(is_there("goes"));
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_false(is_there("goes"));
}

static void formats_with_one_name_are_separate_events(void **state)
{
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint same = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register_with(&tp, "many u32 a", &of_many_formats), 0);
    assert_int_equal(cairn_tracepoint_register_with(&other, "many u64 a", &of_many_formats), 0);
    assert_int_equal(cairn_tracepoint_register_with(&same, "many u32 a", &of_many_formats), 0);
    assert_int_not_equal((uint16_t)tp.sample_id, (uint16_t)other.sample_id);
    assert_int_equal((uint16_t)tp.sample_id, (uint16_t)same.sample_id);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_int_equal(cairn_tracepoint_unregister(&other), 0);
    assert_int_equal(cairn_tracepoint_unregister(&same), 0);
}

static void unknown_flags_and_backends_are_refused(void **state)
{
    const struct cairn_tracepoint_options flags = {.size = sizeof(flags), .flags = 4};
    const struct cairn_tracepoint_options backends = {.size = sizeof(backends), .backends = 4};

    (void)state;
    assert_int_equal(cairn_tracepoint_register_with(&tp, "bits u32 a", &flags), EINVAL);
    assert_int_equal(cairn_tracepoint_register_with(&tp, "bits u32 a", &backends), EINVAL);
    assert_int_equal(cairn_user_event_delete("bits", 4), EINVAL);
    assert_false(tp.registered);
}

/* Tests may have no access to tracefs, or it has no user_events: both results are accepted. */
static void a_backend_that_is_named_must_accept_the_event(void **state)
{
    struct cairn_tracepoint_options both = {.size = sizeof(both),
                                            .backends = CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL};
    int error = cairn_tracepoint_register_with(&tp, "named u32 a", &in_the_kernel);

    (void)state;
    if (!error)
        assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_false(is_there("named"));
    assert_int_equal(cairn_tracepoint_register_with(&tp, "named u32 a", &both), error);
    assert_int_equal(is_there("named"), !error);
    if (!error)
        assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_ptr_equal(tp.enabled, cairn_i_never_enabled);
}

static void status_reports_text_readers_and_recorders(void **state)
{
    const char *pattern = "listened_to";
    const struct engine_session_request text = {
        &pattern, NULL, 1, ENGINE_STATUS_TEXT, 128 << 10, 8, 0, 0, false};
    struct engine_session reader, session;

    (void)state;
    assert_int_equal(cairn_tracepoint_status(&tp), 0);
    assert_int_equal(cairn_tracepoint_register(&tp, "listened_to u32 a"), 0);
    assert_int_equal(cairn_tracepoint_status(&tp), 0);
    session = begin("listened_to");
    assert_int_equal(cairn_tracepoint_status(&tp), CAIRN_LISTENER_RECORDER);
    assert_int_equal(engine_session_begin(&recorder, &text, &reader), 0);
    assert_int_equal(cairn_tracepoint_status(&tp), CAIRN_LISTENER_RECORDER | CAIRN_LISTENER_TEXT);
    end(&session);
    assert_int_equal(cairn_tracepoint_status(&tp), CAIRN_LISTENER_TEXT);
    end(&reader);
    assert_int_equal(cairn_tracepoint_status(&tp), 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

/* ---- schemas ---- */

static void registers_by_schema(const char *text)
{
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;

    assert_int_equal(cairn_schema_parse_command(text, fields, CAIRN_FIELDS_MAX, &schema, NULL), 0);
    assert_int_equal(cairn_tracepoint_register_schema(&tp, &schema, command, NULL), 0);
    /* The same event: another tracepoint's command with these fields finds it. */
    assert_int_equal(cairn_tracepoint_register(&other, text), 0);
    assert_int_equal((uint16_t)other.sample_id, (uint16_t)tp.sample_id);
    assert_int_equal(cairn_tracepoint_unregister(&other), 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

static void a_schema_registers_the_event_of_its_command(void **state)
{
    (void)state;
    registers_by_schema("by_schema");
    registers_by_schema("by_schema u8 a; s16 b; u32 c; s64 d");
    registers_by_schema("by_schema char[20] name; struct stat buf 144; u32 tail");
    registers_by_schema("by_schema u32 a; __rel_loc char[] text; __data_loc u8[] bytes");
}

static void a_schema_with_too_long_a_command_is_E2BIG(void **state)
{
    static char name[CAIRN_NAME_MAX_BYTES + 1];
    struct cairn_schema schema = {.name = {name, CAIRN_NAME_MAX_BYTES}};
    char command[CAIRN_COMMAND_MAX_BYTES];

    (void)state;
    memset(name, 'a', CAIRN_NAME_MAX_BYTES);
    assert_int_equal(cairn_tracepoint_register_schema(&tp, &schema, command, NULL), E2BIG);
}

/* ---- payloads ---- */

/* Writes while the event is enabled; reads the record if the write succeeded. */
static int write_to(const char *command, const void *payload, size_t bytes)
{
    struct engine_session session = begin("payload*");
    int error;

    assert_int_equal(cairn_tracepoint_register(&tp, command), 0);
    error = cairn_tracepoint_write_bytes(&tp, payload, bytes);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    end(&session);
    return error;
}

static int write_text(const char *command, uint32_t location, const char *text, size_t bytes)
{
    char payload[64];

    memcpy(payload, &location, 4);
    memcpy(payload + 4, text, bytes);
    return write_to(command, payload, 4 + bytes);
}

static uint32_t at(uint32_t bytes, uint32_t offset)
{
    return bytes << 16 | offset;
}

static void a_payload_is_at_least_as_long_as_its_fields(void **state)
{
    (void)state;
    assert_int_equal(write_to("payload u32 a; u32 b", "12345678", 8), 0);
    assert_int_equal(write_to("payload u32 a; u32 b", "12345678", 7), EINVAL);
    assert_int_equal(write_to("payload __rel_loc char[] a", "123", 3), EINVAL);
    assert_int_equal(write_to("payload", "", 0), 0);
}

static void a_dynamic_field_stays_within_the_payload(void **state)
{
    (void)state;
    assert_int_equal(write_text("payload __rel_loc u8[] a", at(4, 0), "text", 4), 0);
    assert_int_equal(write_text("payload __rel_loc u8[] a", at(5, 0), "text", 4), EFAULT);
    assert_int_equal(write_text("payload __rel_loc u8[] a", at(4, 1), "text", 4), EFAULT);
    assert_int_equal(write_text("payload __rel_loc u8[] a", at(0, 4), "text", 4), 0);
    assert_int_equal(write_text("payload __rel_loc u8[] a", at(0, 5), "text", 4), EFAULT);
    assert_int_equal(write_text("payload __rel_loc u8[] a", UINT32_MAX, "text", 4), EFAULT);
    assert_int_equal(write_text("payload __data_loc u8[] a", at(4, 12), "text", 4), 0);
    assert_int_equal(write_text("payload __data_loc u8[] a", at(4, 13), "text", 4), EFAULT);
    assert_int_equal(write_text("payload __data_loc u8[] a", UINT32_MAX, "text", 4), EFAULT);
}

static void dynamic_text_ends_with_a_nul(void **state)
{
    (void)state;
    assert_int_equal(write_text("payload __rel_loc char[] a", at(5, 0), "text", 5), 0);
    assert_int_equal(write_text("payload __rel_loc char[] a", at(4, 0), "text", 5), EFAULT);
    assert_int_equal(write_text("payload __rel_loc char[] a", at(1, 4), "text", 5), 0);
    assert_int_equal(write_text("payload __rel_loc unsigned char[] a", at(4, 0), "text", 4),
                     EFAULT);
    assert_int_equal(write_text("payload __data_loc char[] a", at(5, 12), "text", 5), 0);
    assert_int_equal(write_text("payload __data_loc char[] a", at(4, 12), "text", 5), EFAULT);
    assert_int_equal(write_text("payload __data_loc char[] a", at(0, 0), "text", 5), 0);
    assert_int_equal(write_text("payload __data_loc char[] a", at(1, 2), "text", 5), EFAULT);
}

static void every_dynamic_field_is_checked_however_many_they_are(void **state)
{
    char command[CAIRN_COMMAND_MAX_BYTES] = "payload __rel_loc u8[] f0";
    uint32_t payload[12] = {0};

    (void)state;
    for (int fields = 1; fields <= 12; fields++) {
        assert_int_equal(write_to(command, payload, (size_t)fields * 4), 0);
        payload[fields - 1] = at(1, 0);
        assert_int_equal(write_to(command, payload, (size_t)fields * 4), EFAULT);
        payload[fields - 1] = 0;
        (void)snprintf(command + strlen(command), sizeof(command) - strlen(command),
                       "; __rel_loc u8[] f%d", fields);
    }
}

static int write_divided(const char *payload, size_t bytes, size_t i, size_t j)
{
    char *p = (char *)(uintptr_t)payload;
    const struct iovec parts[3] = {{p, i}, {p + i, j - i}, {p + j, bytes - j}};

    return cairn_tracepoint_write(&tp, parts, 3);
}

/* Divides also in the middle of the u32, and before the NUL. */
static void parts_may_be_divided_anywhere(void **state)
{
    static const char good[] = "\1\0\0\0\0\0\6\0abcde";
    static const char bad[] = "\1\0\0\0\0\0\6\0abcdef";
    struct engine_session session = begin("payload*");

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "payload u32 n; __rel_loc char[] a"), 0);
    for (size_t i = 0; i <= sizeof(good); i++) {
        for (size_t j = i; j <= sizeof(good); j++) {
            assert_int_equal(write_divided(good, sizeof(good), i, j), 0);
            assert_int_equal(write_divided(bad, sizeof(good), i, j), EFAULT);
        }
    }
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_that_persists_stays_until_it_is_deleted),
        cmocka_unit_test(an_event_without_flags_ends_with_its_user),
        cmocka_unit_test(formats_with_one_name_are_separate_events),
        cmocka_unit_test(unknown_flags_and_backends_are_refused),
        cmocka_unit_test(a_backend_that_is_named_must_accept_the_event),
        cmocka_unit_test(status_reports_text_readers_and_recorders),
        cmocka_unit_test(a_schema_registers_the_event_of_its_command),
        cmocka_unit_test(a_schema_with_too_long_a_command_is_E2BIG),
        cmocka_unit_test(a_payload_is_at_least_as_long_as_its_fields),
        cmocka_unit_test(a_dynamic_field_stays_within_the_payload),
        cmocka_unit_test(dynamic_text_ends_with_a_nul),
        cmocka_unit_test(every_dynamic_field_is_checked_however_many_they_are),
        cmocka_unit_test(parts_may_be_divided_anywhere),
    };

    return cmocka_run_group_tests(tests, set_up_local, tear_down);
}
