/* SPDX-License-Identifier: MIT */
/* Test of providers, and of the results of writing events; tests/golden checks the events'
 * bytes. */
#include "engine_test.h"
#include "eventheader_other.h"

#include <dlfcn.h>

CAIRN_PROVIDER(shared_provider, "EhShared");
CAIRN_PROVIDER(second_provider, "EhSecond");

static int register_shared(void **state)
{
    return set_up(state) || cairn_provider_register(&shared_provider);
}

static int unregister_shared(void **state)
{
    return cairn_provider_unregister(&shared_provider) || tear_down(state);
}

static uint32_t records_of(const struct engine_session *session)
{
    return read_session(session).records;
}

/* ---- values ---- */

static int evaluated;

static uint32_t next_number(void)
{
    return (uint32_t)++evaluated;
}

static int write_numbers(void)
{
    return CAIRN_WRITE_EVENT(shared_provider, "Numbers", u32("A", next_number()),
                             struct("S", u32("B", next_number()), u32("C", next_number())),
                             binary("D", next_number() == 4 ? "four" : "", next_number() - 1));
}

static void values_are_evaluated_once_and_in_order_if_the_event_is_enabled(void **state)
{
    const uint8_t data[] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 'f', 'o', 'u', 'r'};
    struct engine_session session;
    uint8_t *found;

    (void)state;
    evaluated = 0;
    assert_int_equal(write_numbers(), EBADF);
    assert_int_equal(evaluated, 0);
    session = begin("EhShared_*");
    assert_int_equal(write_numbers(), 0);
    assert_int_equal(evaluated, 5);
    assert_int_equal(records_of(&session), 1);
    found = memmem(last_payload, last_payload_bytes, data, sizeof(data));
    assert_non_null(found);
    end(&session);
    assert_int_equal(write_numbers(), EBADF);
    assert_int_equal(evaluated, 5);
}

/* At the end of a chunk, writing finds in the middle of an event that it does not fit. */
static void strings_of_any_length_are_recorded_whole(void **state)
{
    static char text[CAIRN_RECORD_MAX_BYTES];
    struct engine_session session = begin("EhShared_*");

    (void)state;
    for (uint32_t length = 0; length < 65000; length += 1 + length / 20) {
        memset(text, 'a' + (char)(length % 26), length);
        text[length] = 0;
        for (uint32_t i = 0; i < 15; i++) {
            uint16_t metadata_bytes;
            const uint8_t *data;

            assert_int_equal(
                CAIRN_WRITE_EVENT(shared_provider, "Text", u32("I", i), str8("T", text)), 0);
            assert_true(records_of(&session) > 0);
            memcpy(&metadata_bytes, last_payload + 8, sizeof(metadata_bytes));
            data = last_payload + 12 + metadata_bytes;
            assert_memory_equal(data, &i, sizeof(i));
            assert_memory_equal(data + 4, &length, 2);
            assert_memory_equal(data + 6, text, length);
        }
    }
    assert_int_equal(read_session(&session).lost, 0);
    memset(text, 'x', sizeof(text) - 1);
    assert_int_equal(CAIRN_WRITE_EVENT(shared_provider, "Text", u32("I", 1), str8("T", text)),
                     E2BIG);
    end(&session);
}

static int write_text(const char *text)
{
    return CAIRN_WRITE_EVENT(shared_provider, "Text", str8("T", text));
}

static void an_event_that_fits_into_a_small_chunk_is_recorded(void **state)
{
    static const char *const pattern = "EhShared_*";
    const struct engine_session_request request = {
        .patterns = &pattern,
        .pattern_count = 1,
        .status_bit = ENGINE_STATUS_RECORDER,
        .chunk_bytes = 8192,
        .chunk_count = 4,
    };
    struct engine_session session;
    char text[9001];

    (void)state;
    assert_int_equal(engine_session_begin(&recorder, &request, &session), 0);
    memset(text, 'x', sizeof(text));
    text[5000] = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(write_text(text), 0);
    assert_int_equal(records_of(&session), 4);
    text[5000] = 'x';
    text[9000] = 0;
    assert_int_equal(write_text(text), ENOSPC);
    text[200] = 0;
    assert_int_equal(write_text(text), 0);
    assert_int_equal(read_session(&session).lost, 1);
    end(&session);
}

/* ---- registering ---- */

static int write_second(void)
{
    return CAIRN_WRITE_EVENT(second_provider, "Second");
}

static void a_provider_that_is_not_registered_is_harmless(void **state)
{
    struct engine_session session = begin("*");

    (void)state;
    assert_int_equal(write_second(), EBADF);
    assert_int_equal(cairn_provider_unregister(&second_provider), ENOENT);
    assert_int_equal(write_from_other_file(1), 0); /* another provider is not affected */
    end(&session);
}

static void a_provider_can_be_registered_once_and_again_after_unregistering(void **state)
{
    struct engine_session session = begin("EhSecond_L5K1");

    (void)state;
    for (uint32_t i = 1; i <= 100; i++) {
        assert_int_equal(cairn_provider_register(&second_provider), 0);
        assert_int_equal(cairn_provider_register(&second_provider), EALREADY);
        assert_int_equal(write_second(), 0);
        assert_int_equal(cairn_provider_unregister(&second_provider), 0);
        assert_int_equal(cairn_provider_unregister(&second_provider), ENOENT);
        assert_int_equal(write_second(), EBADF);
    }
    assert_int_equal(records_of(&session), 100);
    end(&session);
}

static void all_files_of_a_program_share_a_provider(void **state)
{
    struct engine_session session = begin("EhShared_*");

    (void)state;
    assert_int_equal(write_inline(1), 0);
    assert_int_equal(write_inline_from_other_file(2), 0);
    assert_int_equal(write_from_other_file(3), 0);
    assert_int_equal(records_of(&session), 3);
    end(&session);
}

static void a_provider_defined_in_a_header_is_shared(void **state)
{
    struct engine_session session = begin("EhHeader_*Gall");

    (void)state;
    assert_ptr_equal(header_provider_of_other_file(), &header_provider);
    assert_int_equal(cairn_provider_register(&header_provider), 0);
    assert_int_equal(CAIRN_WRITE_EVENT(header_provider, "Mine"), 0);
    assert_int_equal(write_to_header_provider_from_other_file(), 0);
    assert_int_equal(records_of(&session), 2);
    assert_int_equal(cairn_provider_unregister(&header_provider), 0);
    assert_int_equal(write_to_header_provider_from_other_file(), EBADF);
    end(&session);
}

static void a_plugin_with_a_provider_can_be_loaded_and_unloaded(void **state)
{
    struct engine_session session = begin("EhPlugin_L5K1");

    (void)state;
    for (int i = 0; i < 5; i++) {
        void *plugin = dlopen(CAIRN_TEST_EVENTHEADER_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        int (*write_event)(void);

        assert_non_null(plugin);
        write_event = (int (*)(void))dlsym(plugin, "eventheader_plugin_write");
        assert_non_null(write_event);
        assert_int_equal(write_event(), 0);
        assert_int_equal(dlclose(plugin), 0);
    }
    assert_int_equal(records_of(&session), 5);
    end(&session);
}

/* ---- enabled ---- */

static bool is_error_enabled(void)
{
    return CAIRN_PROVIDER_ENABLED(shared_provider, ERROR, 0x10);
}

static bool is_number_enabled(void)
{
    return CAIRN_PROVIDER_ENABLED(shared_provider, 77, 0x8000000000000000);
}

static void each_level_and_keyword_has_an_enabled_state(void **state)
{
    struct engine_session session;

    (void)state;
    assert_false(is_error_enabled());
    session = begin("EhShared_L2K10");
    assert_true(is_error_enabled());
    assert_false(is_number_enabled());
    assert_int_equal(write_inline(1), EBADF);
    end(&session);
    session = begin("EhShared_L4dK8000000000000000");
    assert_false(is_error_enabled());
    assert_true(is_number_enabled());
    end(&session);
    assert_false(is_number_enabled());
}

/* ---- errno ---- */

static void *write_with_errno(void *arg)
{
    static const uint8_t large[65535];

    (void)arg;
    errno = 77;
    (void)write_inline(1);
    (void)CAIRN_WRITE_EVENT(shared_provider, "Large", raw_data(large, sizeof(large)));
    return (void *)(intptr_t)errno;
}

static void check_errno_in_a_new_thread(void)
{
    pthread_t thread;
    void *found;

    assert_int_equal(pthread_create(&thread, NULL, write_with_errno, NULL), 0);
    assert_int_equal(pthread_join(thread, &found), 0);
    assert_int_equal((intptr_t)found, 77);
}

static void writing_keeps_errno(void **state)
{
    struct engine_session session;
    struct cairn_guid id;

    (void)state;
    check_errno_in_a_new_thread(); /* the event is disabled */
    session = begin("EhShared_*");
    check_errno_in_a_new_thread(); /* a thread's first event */
    while (write_inline(1) == 0)
        ;
    check_errno_in_a_new_thread(); /* no space in the pool */
    end(&session);
    errno = 77;
    cairn_activity_id_generate(&id);
    assert_int_equal(errno, 77);
}

/* ---- activities ---- */

#define ID_COUNT 500

static void *make_ids(void *arg)
{
    struct cairn_guid *ids = arg;

    for (int i = 0; i < ID_COUNT; i++)
        cairn_activity_id_generate(&ids[i]);
    return NULL;
}

static int compare_ids(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct cairn_guid));
}

static void activity_ids_differ_in_threads_and_children(void **state)
{
    enum { GROUPS = 6, ALL = GROUPS * ID_COUNT };
    struct cairn_guid *ids =
        mmap(NULL, ALL * sizeof(*ids), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[2];

    (void)state;
    assert_true(ids != MAP_FAILED);
    make_ids(ids);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_ids, ids + (1 + i) * ID_COUNT), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 3; i < 5; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            make_ids(ids + i * ID_COUNT);
            _exit(0);
        }
        wait_for(pid);
    }
    make_ids(ids + 5 * ID_COUNT);
    qsort(ids, ALL, sizeof(*ids), compare_ids);
    for (int i = 0; i < ALL; i++) {
        assert_int_equal(ids[i].bytes[6] >> 4, 4); /* a random UUID as in RFC 4122 */
        assert_int_equal(ids[i].bytes[8] >> 6, 2);
        assert_true(i == 0 || compare_ids(&ids[i - 1], &ids[i]) != 0);
    }
    munmap(ids, ALL * sizeof(*ids));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_evaluated_once_and_in_order_if_the_event_is_enabled),
        cmocka_unit_test(strings_of_any_length_are_recorded_whole),
        cmocka_unit_test(an_event_that_fits_into_a_small_chunk_is_recorded),
        cmocka_unit_test(a_provider_that_is_not_registered_is_harmless),
        cmocka_unit_test(a_provider_can_be_registered_once_and_again_after_unregistering),
        cmocka_unit_test(all_files_of_a_program_share_a_provider),
        cmocka_unit_test(a_provider_defined_in_a_header_is_shared),
        cmocka_unit_test(a_plugin_with_a_provider_can_be_loaded_and_unloaded),
        cmocka_unit_test(each_level_and_keyword_has_an_enabled_state),
        cmocka_unit_test(writing_keeps_errno),
        cmocka_unit_test(activity_ids_differ_in_threads_and_children),
    };

    return cmocka_run_group_tests(tests, register_shared, unregister_shared);
}
