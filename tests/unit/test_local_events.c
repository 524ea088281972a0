/* SPDX-License-Identifier: MIT */
/* Test of the features of user_events in the registry: persistence, several formats, deletion,
 * lines of dynamic_events, and the session with several holders. */
#include "engine_test.h"
#include "engine/event_entry.h"
#include "engine/registry_text.h"

#include <cairn/schema.h>

static struct engine_output printed;

static int command(const char *line)
{
    int error = engine_registry_lock(&recorder);

    assert_int_equal(error, 0);
    error = engine_registry_command(&recorder, line);
    engine_registry_unlock(&recorder);
    return error;
}

static const char *commands(void)
{
    printed.size_bytes = 0;
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_print_commands(&recorder, &printed);
    engine_registry_unlock(&recorder);
    engine_output_write(&printed, "", 1);
    return printed.bytes;
}

static const char *status(void)
{
    printed.size_bytes = 0;
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_print_status(&recorder, &printed);
    engine_registry_unlock(&recorder);
    engine_output_write(&printed, "", 1);
    return printed.bytes;
}

static int register_event(struct cairn_tracepoint *tp, const char *text, uint32_t flags)
{
    engine_lock_state lock_state;
    int error;

    engine_lock(&lock_state);
    error = engine_register(tp, text, flags);
    engine_unlock(&lock_state);
    return error;
}

static void unregister_event(struct cairn_tracepoint *tp)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    engine_unregister(tp);
    engine_unlock(&lock_state);
}

static int delete_event(const char *name)
{
    engine_lock_state lock_state;
    int error;

    engine_lock(&lock_state);
    error = engine_delete(name);
    engine_unlock(&lock_state);
    return error;
}

static void a_persistent_event_stays_until_it_is_deleted(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(register_event(&tp, "stays u32 a", ENGINE_ENTRY_PERSIST), 0);
    assert_int_equal(delete_event("stays"), EBUSY);
    unregister_event(&tp);
    assert_string_equal(commands(), "u:stays u32 a\n");
    assert_int_equal(register_event(&tp, "stays u64 a", 0), EADDRINUSE);
    assert_int_equal(delete_event("stays"), 0);
    assert_int_equal(delete_event("stays"), ENOENT);
    assert_string_equal(commands(), "");
}

/* A slot that had a persistent event does not make the next event in it persistent. */
static void a_reused_entry_does_not_persist(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(command("u:first u32 a"), 0);
    assert_int_equal(command("-:first"), 0);
    assert_int_equal(register_event(&tp, "second u32 a", 0), 0);
    unregister_event(&tp);
    assert_string_equal(commands(), "");
}

static void formats_with_one_name_are_found_by_their_fields(void **state)
{
    struct cairn_tracepoint tps[4] = {CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT,
                                      CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT};

    (void)state;
    assert_int_equal(register_event(&tps[0], "many u32 a", ENGINE_ENTRY_MULTI), 0);
    assert_int_equal(register_event(&tps[1], "many u64 a", ENGINE_ENTRY_MULTI), 0);
    assert_int_equal(register_event(&tps[2], "many u64 a", ENGINE_ENTRY_MULTI), 0);
    assert_int_equal(register_event(&tps[3], "many u8 a", 0), 0);
    assert_ptr_equal(tps[1].local, tps[2].local);
    assert_ptr_not_equal(tps[0].local, tps[1].local);
    assert_ptr_not_equal(tps[0].local, tps[3].local);
    assert_string_equal(commands(), "u:many u32 a\nu:many u64 a\nu:many u8 a\n");
    assert_int_equal(delete_event("many"), EBUSY);
    for (size_t i = 0; i < 4; i++)
        unregister_event(&tps[i]);
    assert_string_equal(commands(), "");
}

/* A session's patterns match the name with its suffix. */
static void one_of_several_formats_is_recorded_by_its_own_name(void **state)
{
    struct engine_session session = begin("many.*");
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(register_event(&tp, "many u32 a", ENGINE_ENTRY_MULTI), 0);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    unregister_event(&tp);
    end(&session);
}

static void a_name_too_long_with_its_suffix_is_refused(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    char text[CAIRN_NAME_MAX_BYTES];

    (void)state;
    memset(text, 'n', sizeof(text));
    text[sizeof(text) - 1] = 0;
    assert_int_equal(register_event(&tp, text, ENGINE_ENTRY_MULTI), E2BIG);
    assert_int_equal(register_event(&tp, text, 0), 0);
    unregister_event(&tp);
}

static void malformed_lines_are_refused(void **state)
{
    static const char *const lines[] = {
        "",  "u",     "u:", "x:name",  "uu:name",        "-name",
        "-", "!name", "!:", "-u:name", "u:a nonsense b",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        assert_int_equal(command(lines[i]), EINVAL);
    assert_int_equal(command("-:other_system/name"), ENOENT);
    assert_int_equal(command("-:user_events/"), ENOENT);
    assert_int_equal(command("!x:name"), ENOENT);
    assert_string_equal(commands(), "");
}

/* As in the kernel: words separated by any white space, with or without semicolons. */
static void an_existing_event_is_found_by_the_words_of_its_fields(void **state)
{
    static const char *const same[] = {
        "words unsigned int a; char[4] b; struct s c 8",
        "words unsigned int a;char[4] b;struct s c 8;",
        "words  unsigned  int\ta;\n char[4]   b; struct  s c 8 ",
        "words unsigned int a; char[4] b;struct s c 8\xa0;",
    };
    static const char *const others[] = {
        "words",
        "words ;",
        "words nonsense",
        "words unsigned int a; char[4] b; struct s c",
        "words unsigned int a; char[4] b; struct s c 08",
        "words unsigned int a; char[0x4] b; struct s c 8",
        "words unsigned int a ; char[4] b; struct s c 8",
        "words unsigned int a;; char[4] b; struct s c 8",
        "words unsigned int a; char[4] b; struct s c 8;;",
        "words unsigned int a; char[4] b; struct s c 8; u8 d",
    };
    struct cairn_tracepoint tps[4] = {CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT,
                                      CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT};
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(register_event(&tps[i], same[i], 0), 0);
        assert_ptr_equal(tps[i].local, tps[0].local);
    }
    assert_int_equal(register_event(&tps[3], same[3], 0), EADDRINUSE);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(register_event(&other, others[i], 0), EADDRINUSE);
    assert_int_equal(register_event(&other, "words: u8 a", 0), EINVAL);
    assert_int_equal(delete_event(same[0]), ENOENT);
    for (size_t i = 0; i < 3; i++)
        unregister_event(&tps[i]);
    assert_int_equal(register_event(&other, same[2], 0), EINVAL);
    assert_string_equal(commands(), "");
}

/* In a line that deletes, the words must be the same text. */
static void a_line_that_deletes_contains_the_words_of_the_fields(void **state)
{
    (void)state;
    assert_int_equal(command("u:two u32 a;u32 b"), 0);
    assert_int_equal(command("!u:two u32 a;u32 b"), ENOENT);
    assert_int_equal(command("!u:two:FLAG u32 a; u32 b"), ENOENT);
    assert_int_equal(command("-:two u32  a; u32 b;"), 0);
    assert_string_equal(commands(), "");
}

static void printed_lines_can_be_parsed(void **state)
{
    static const char line[] = "u:shapes u32 a; char[16] b; unsigned char c; __data_loc char[] d; "
                               "struct peer e 24";

    (void)state;
    assert_int_equal(command(line), 0);
    assert_memory_equal(commands(), line, sizeof(line) - 1);
    assert_int_equal(command(line), 0); /* the event exists */
    assert_int_equal(command("!u:shapes u32 a"), ENOENT);
    assert_int_equal(command("!u:user_events/shapes"), 0);
    assert_string_equal(commands(), "");
}

static void the_status_text_lists_the_users_of_an_event(void **state)
{
    struct engine_session session;

    (void)state;
    assert_int_equal(command("u:test u32 a"), 0);
    assert_string_equal(status(), "1:test\n\nActive: 1\nBusy: 0\nMax: 49152\n");
    session = begin("test");
    assert_string_equal(status(), "1:test # Used by perf\n\nActive: 1\nBusy: 1\nMax: 49152\n");
    assert_int_equal(command("-:test"), EBUSY);
    end(&session);
    assert_int_equal(command("-:test"), 0);
}

/* ---- the session with several holders ---- */

static struct engine_session share(void)
{
    struct engine_session session;

    assert_int_equal(engine_session_share(&recorder, &session), 0);
    return session;
}

static void sweep(void)
{
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_sweep(&recorder);
    engine_registry_unlock(&recorder);
}

static void share_and_wait(void)
{
    (void)share();
    (void)pause();
}

static void a_shared_session_lives_while_a_process_holds_it(void **state)
{
    pid_t holder = run_child(share_and_wait);
    struct engine_session session = {0};
    struct engine_session again;

    (void)state;
    while (!files_in("sessions"))
        (void)usleep(1000);
    session = share();
    (void)kill(holder, SIGKILL);
    wait_for(holder);
    sweep();
    assert_int_equal(recorder.slots[session.slot].generation, session.generation);
    again = share();
    assert_int_equal(again.generation, session.generation);
    close(again.liveness_fd);
    close(session.liveness_fd);
    /* Its first holder is dead, and no process has its file open. */
    sweep();
    assert_int_equal(recorder.slots[session.slot].generation, 0);
}

static void selected_events_are_enabled_for_text_readers(void **state)
{
    struct engine_session session = share();
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint32_t index;

    (void)state;
    assert_int_equal(register_event(&tp, "chosen u32 a", 0), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp)); /* the session has no patterns */
    index = engine_registry_find(&recorder, "chosen");
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_session_choose(&recorder, session.slot, index, true);
    engine_registry_unlock(&recorder);
    assert_int_equal(recorder.status[index], ENGINE_STATUS_TEXT);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    unregister_event(&tp);
    assert_int_equal(engine_registry_find(&recorder, "chosen"), index); /* found while it is
                                                                         * enabled */
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_session_choose(&recorder, session.slot, index, false);
    engine_registry_unlock(&recorder);
    assert_int_equal(engine_registry_find(&recorder, "chosen"), 0);
    engine_session_end(&recorder, &session);
}

static uint32_t add_numbered(uint32_t number)
{
    char text[32];
    uint32_t index = 0;

    (void)snprintf(text, sizeof(text), "numbered_%u", number);
    assert_int_equal(engine_registry_add(&recorder, text, ENGINE_ENTRY_PERSIST, &index), 0);
    return index;
}

/* A program of the first version maps one page, and reads the byte of its event. */
static void indexes_of_the_first_page_are_assigned_first(void **state)
{
    enum { AT_FIRST = 5000, LATER = 4500, PAGE = 4096 };
    uint32_t end;

    (void)state;
    assert_int_equal(engine_registry_lock(&recorder), 0);
    for (uint32_t i = 0; i < AT_FIRST; i++)
        (void)add_numbered(i);
    end = engine_registry_end(&recorder);
    assert_true(end > PAGE);
    for (uint32_t i = 1; i < end; i++)
        (void)engine_registry_delete(&recorder, i);
    for (uint32_t i = 0; i < LATER; i++) {
        if (i == LATER / 2)
            engine_registry_recover(&recorder);
        assert_true((add_numbered(i) < PAGE) == (i < PAGE - 1));
    }
    assert_int_equal(engine_registry_end(&recorder), end);
    for (uint32_t i = 1; i < end; i++)
        (void)engine_registry_delete(&recorder, i);
    engine_registry_unlock(&recorder);
}

/* ---- a directory of an older version ---- */

static int open_old(uint32_t version, uint32_t *found)
{
    struct engine_registry local = {.lock_fd = -1};
    int error;

    recorder.registry->version = version;
    error = engine_registry_open(&local);
    *found = local.found_version;
    engine_registry_close(&local);
    recorder.registry->version = ENGINE_REGISTRY_VERSION;
    return error;
}

static void open_as_another_process(void)
{
    uint32_t found;

    _exit(open_old(ENGINE_REGISTRY_VERSION - 1, &found));
}

static void an_unused_directory_of_an_older_version_is_replaced(void **state)
{
    struct engine_session session = begin("nothing");
    uint32_t found;
    int status;

    (void)state;
    /* A recorder lives, and this process has registered events. */
    assert_int_equal(open_old(ENGINE_REGISTRY_VERSION - 1, &found), EPROTONOSUPPORT);
    assert_int_equal(found, ENGINE_REGISTRY_VERSION - 1);
    end(&session);
    assert_int_equal(open_old(ENGINE_REGISTRY_VERSION - 1, &found), EPROTONOSUPPORT);
    assert_int_equal(files_in("processes") > 0, 1);
    engine_registry_close(&recorder);
    tracing_dir_remove();
    assert_int_equal(tracing_dir_make(), 0);
    assert_int_equal(engine_registry_open(&recorder), 0); /* no process has opened it yet */
    assert_int_equal(recorder.backed_end, 0);             /* its entries have no memory yet */
    assert_int_equal(waitpid(run_child(open_as_another_process), &status, 0) > 0, 1);
    assert_int_equal(status, 0);
    engine_registry_close(&recorder);
    assert_int_equal(engine_registry_open(&recorder), 0);
    assert_int_equal(recorder.registry->version, ENGINE_REGISTRY_VERSION);
    assert_int_equal(open_old(ENGINE_REGISTRY_VERSION + 1, &found), EPROTONOSUPPORT);
}

/* ---- waiting for changes ---- */

static void *notify_soon(void *arg)
{
    (void)usleep(20000);
    engine_registry_notify(&recorder);
    return arg;
}

static void a_process_that_waits_for_changes_is_woken(void **state)
{
    uint32_t seen = __atomic_load_n(&recorder.registry->changes, __ATOMIC_ACQUIRE);
    uint64_t begun = os_clock_ns();
    pthread_t thread;

    (void)state;
    engine_registry_wait(&recorder, seen - 1, 10000); /* the value has changed already */
    assert_int_equal(pthread_create(&thread, NULL, notify_soon, NULL), 0);
    engine_registry_wait(&recorder, seen, 10000);
    assert_true(os_clock_ns() - begun < UINT64_C(5000000000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(recorder.registry->changes, seen + 1);
    engine_registry_wait(&recorder, seen + 1, 1); /* no change comes */
}

static void *register_soon(void *tp)
{
    (void)usleep(20000);
    assert_int_equal(cairn_tracepoint_register(tp, "awaited u32 a"), 0);
    return NULL;
}

static void a_registration_wakes_waiters_while_a_session_exists(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;
    pthread_t thread;
    uint64_t begun;
    uint32_t seen;

    (void)state;
    seen = recorder.registry->changes;
    assert_int_equal(cairn_tracepoint_register(&tp, "awaited u32 a"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    assert_int_equal(recorder.registry->changes, seen + 2);
    session = begin("awaited");
    seen = recorder.registry->changes;
    begun = os_clock_ns();
    assert_int_equal(pthread_create(&thread, NULL, register_soon, &tp), 0);
    engine_registry_wait(&recorder, seen, 10000);
    assert_true(os_clock_ns() - begun < UINT64_C(5000000000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_text_lists_the_users_of_an_event),
        cmocka_unit_test(a_persistent_event_stays_until_it_is_deleted),
        cmocka_unit_test(a_reused_entry_does_not_persist),
        cmocka_unit_test(formats_with_one_name_are_found_by_their_fields),
        cmocka_unit_test(one_of_several_formats_is_recorded_by_its_own_name),
        cmocka_unit_test(a_name_too_long_with_its_suffix_is_refused),
        cmocka_unit_test(malformed_lines_are_refused),
        cmocka_unit_test(an_existing_event_is_found_by_the_words_of_its_fields),
        cmocka_unit_test(a_line_that_deletes_contains_the_words_of_the_fields),
        cmocka_unit_test(printed_lines_can_be_parsed),
        cmocka_unit_test(a_shared_session_lives_while_a_process_holds_it),
        cmocka_unit_test(selected_events_are_enabled_for_text_readers),
        cmocka_unit_test(indexes_of_the_first_page_are_assigned_first),
        cmocka_unit_test(a_process_that_waits_for_changes_is_woken),
        cmocka_unit_test(a_registration_wakes_waiters_while_a_session_exists),
        cmocka_unit_test(an_unused_directory_of_an_older_version_is_replaced),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
