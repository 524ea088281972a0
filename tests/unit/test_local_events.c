/* SPDX-License-Identifier: MIT */
/* What the kernel's user_events has, in the registry: persistence, several formats, deletion, lines
 * of dynamic_events, and the session of many holders. */
#include "engine_test.h"
#include "engine/event_entry.h"
#include "engine/registry_text.h"

#include <cairn/schema.h>

static char printed[4096];

static void append(void *arg, const char *text, size_t size_bytes)
{
    size_t used = strlen(printed);

    (void)arg;
    assert_true(used + size_bytes < sizeof(printed));
    memcpy(printed + used, text, size_bytes);
    printed[used + size_bytes] = 0;
}

static int command(const char *line)
{
    int error = cairn_engine_registry_lock(&recorder);

    assert_int_equal(error, 0);
    error = cairn_registry_command(&recorder, line);
    cairn_engine_registry_unlock(&recorder);
    return error;
}

static const char *commands(void)
{
    *printed = 0;
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    cairn_registry_print_commands(&recorder, append, NULL);
    cairn_engine_registry_unlock(&recorder);
    return printed;
}

static const char *status(void)
{
    *printed = 0;
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    cairn_registry_print_status(&recorder, append, NULL);
    cairn_engine_registry_unlock(&recorder);
    return printed;
}

static int engine_register(struct cairn_tracepoint *tp, const char *text, uint32_t flags)
{
    cairn_engine_lock_state lock_state;
    int error;

    cairn_engine_lock(&lock_state);
    error = cairn_engine_register(tp, text, flags);
    cairn_engine_unlock(&lock_state);
    return error;
}

static void engine_unregister(struct cairn_tracepoint *tp)
{
    cairn_engine_lock_state lock_state;

    cairn_engine_lock(&lock_state);
    cairn_engine_unregister(tp);
    cairn_engine_unlock(&lock_state);
}

static int engine_delete(const char *name)
{
    cairn_engine_lock_state lock_state;
    int error;

    cairn_engine_lock(&lock_state);
    error = cairn_engine_delete(name);
    cairn_engine_unlock(&lock_state);
    return error;
}

static void a_persistent_event_stays_until_it_is_deleted(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(engine_register(&tp, "stays u32 a", CAIRN_ENTRY_PERSIST), 0);
    assert_int_equal(engine_delete("stays"), EBUSY);
    engine_unregister(&tp);
    assert_string_equal(commands(), "u:stays u32 a\n");
    assert_int_equal(engine_register(&tp, "stays u64 a", 0), EADDRINUSE);
    assert_int_equal(engine_delete("stays"), 0);
    assert_int_equal(engine_delete("stays"), ENOENT);
    assert_string_equal(commands(), "");
}

/* A slot that held a persistent event gives the next one in it no longer life than its own. */
static void an_entry_that_is_used_again_does_not_persist(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(command("u:first u32 a"), 0);
    assert_int_equal(command("-:first"), 0);
    assert_int_equal(engine_register(&tp, "second u32 a", 0), 0);
    engine_unregister(&tp);
    assert_string_equal(commands(), "");
}

static void formats_of_one_name_are_found_by_their_fields(void **state)
{
    struct cairn_tracepoint tps[4] = {CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT,
                                      CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT};

    (void)state;
    assert_int_equal(engine_register(&tps[0], "many u32 a", CAIRN_ENTRY_MULTI), 0);
    assert_int_equal(engine_register(&tps[1], "many u64 a", CAIRN_ENTRY_MULTI), 0);
    assert_int_equal(engine_register(&tps[2], "many u64 a", CAIRN_ENTRY_MULTI), 0);
    assert_int_equal(engine_register(&tps[3], "many u8 a", 0), 0);
    assert_ptr_equal(tps[1].local, tps[2].local);
    assert_ptr_not_equal(tps[0].local, tps[1].local);
    assert_ptr_not_equal(tps[0].local, tps[3].local);
    assert_string_equal(commands(), "u:many u32 a\nu:many u64 a\nu:many u8 a\n");
    assert_int_equal(engine_delete("many"), EBUSY);
    for (size_t i = 0; i < 4; i++)
        engine_unregister(&tps[i]);
    assert_string_equal(commands(), "");
}

/* A session's patterns are matched against the name with its suffix. */
static void a_format_of_several_is_recorded_by_its_own_name(void **state)
{
    struct cairn_engine_session session = begin("many.*");
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(engine_register(&tp, "many u32 a", CAIRN_ENTRY_MULTI), 0);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    engine_unregister(&tp);
    end(&session);
}

static void a_name_that_grows_too_long_is_refused(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    char text[CAIRN_NAME_MAX_BYTES];

    (void)state;
    memset(text, 'n', sizeof(text));
    text[sizeof(text) - 1] = 0;
    assert_int_equal(engine_register(&tp, text, CAIRN_ENTRY_MULTI), E2BIG);
    assert_int_equal(engine_register(&tp, text, 0), 0);
    engine_unregister(&tp);
}

static void lines_of_no_sense_are_refused(void **state)
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

/* As the kernel does it: words with any white space between them, semicolons with or without. */
static void an_event_that_is_there_is_found_by_the_words_of_its_fields(void **state)
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
        assert_int_equal(engine_register(&tps[i], same[i], 0), 0);
        assert_ptr_equal(tps[i].local, tps[0].local);
    }
    assert_int_equal(engine_register(&tps[3], same[3], 0), EADDRINUSE);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(engine_register(&other, others[i], 0), EADDRINUSE);
    assert_int_equal(engine_register(&other, "words: u8 a", 0), EINVAL);
    assert_int_equal(engine_delete(same[0]), ENOENT);
    for (size_t i = 0; i < 3; i++)
        engine_unregister(&tps[i]);
    assert_int_equal(engine_register(&other, same[2], 0), EINVAL);
    assert_string_equal(commands(), "");
}

/* A line that deletes has its words as they stand. */
static void a_line_that_deletes_names_the_words_of_the_fields(void **state)
{
    (void)state;
    assert_int_equal(command("u:two u32 a;u32 b"), 0);
    assert_int_equal(command("!u:two u32 a;u32 b"), ENOENT);
    assert_int_equal(command("!u:two:FLAG u32 a; u32 b"), ENOENT);
    assert_int_equal(command("-:two u32  a; u32 b;"), 0);
    assert_string_equal(commands(), "");
}

static void lines_are_printed_as_they_can_be_read_again(void **state)
{
    static const char line[] = "u:shapes u32 a; char[16] b; unsigned char c; __data_loc char[] d; "
                               "struct peer e 24";

    (void)state;
    assert_int_equal(command(line), 0);
    assert_memory_equal(commands(), line, sizeof(line) - 1);
    assert_int_equal(command(line), 0); /* it is there */
    assert_int_equal(command("!u:shapes u32 a"), ENOENT);
    assert_int_equal(command("!u:user_events/shapes"), 0);
    assert_string_equal(commands(), "");
}

static void the_status_text_tells_who_uses_an_event(void **state)
{
    struct cairn_engine_session session;

    (void)state;
    assert_int_equal(command("u:test u32 a"), 0);
    assert_string_equal(status(), "1:test\n\nActive: 1\nBusy: 0\nMax: 49152\n");
    session = begin("test");
    assert_string_equal(status(), "1:test # Used by perf\n\nActive: 1\nBusy: 1\nMax: 49152\n");
    assert_int_equal(command("-:test"), EBUSY);
    end(&session);
    assert_int_equal(command("-:test"), 0);
}

/* ---- the session of many holders ---- */

static struct cairn_engine_session share(void)
{
    const struct cairn_session_request request = {NULL, 0, CAIRN_STATUS_TEXT, 128 << 10, 8, 0};
    struct cairn_engine_session session;

    assert_int_equal(cairn_session_share(&recorder, &request, &session), 0);
    return session;
}

static void sweep(void)
{
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    cairn_registry_sweep(&recorder);
    cairn_engine_registry_unlock(&recorder);
}

static void share_and_wait(void)
{
    (void)share();
    (void)pause();
}

static void a_shared_session_lives_as_long_as_one_holds_it(void **state)
{
    pid_t holder = run_child(share_and_wait);
    struct cairn_engine_session session = {0};
    struct cairn_engine_session again;

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
    /* Its first holder's process is dead, and nobody has its file. */
    sweep();
    assert_int_equal(recorder.slots[session.slot].generation, 0);
}

static void chosen_events_are_enabled_for_text(void **state)
{
    struct cairn_engine_session session = share();
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint32_t index;

    (void)state;
    assert_int_equal(engine_register(&tp, "chosen u32 a", 0), 0);
    assert_false(cairn_tracepoint_is_enabled(&tp)); /* it has no patterns */
    index = cairn_registry_find(&recorder, "chosen");
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    cairn_session_choose(&recorder, session.slot, index, true);
    cairn_engine_registry_unlock(&recorder);
    assert_int_equal(recorder.status[index], CAIRN_STATUS_TEXT);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    engine_unregister(&tp);
    assert_int_equal(cairn_registry_find(&recorder, "chosen"), index); /* somebody listens */
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    cairn_session_choose(&recorder, session.slot, index, false);
    cairn_engine_registry_unlock(&recorder);
    assert_int_equal(cairn_registry_find(&recorder, "chosen"), 0);
    cairn_session_end(&recorder, &session);
}

static uint32_t add_numbered(uint32_t number)
{
    char text[32];
    uint32_t index = 0;

    (void)snprintf(text, sizeof(text), "numbered_%u", number);
    assert_int_equal(cairn_registry_add(&recorder, text, CAIRN_ENTRY_PERSIST, &index), 0);
    return index;
}

/* A program of the first design maps one page, and looks at the byte of its event. */
static void indexes_of_the_first_page_are_given_first(void **state)
{
    enum { AT_FIRST = 5000, LATER = 4500, PAGE = 4096 };
    uint32_t end;

    (void)state;
    assert_int_equal(cairn_engine_registry_lock(&recorder), 0);
    for (uint32_t i = 0; i < AT_FIRST; i++)
        (void)add_numbered(i);
    end = cairn_registry_end(&recorder);
    assert_true(end > PAGE);
    for (uint32_t i = 1; i < end; i++)
        (void)cairn_registry_delete(&recorder, i);
    for (uint32_t i = 0; i < LATER; i++) {
        if (i == LATER / 2)
            cairn_registry_recover(&recorder);
        assert_true((add_numbered(i) < PAGE) == (i < PAGE - 1));
    }
    assert_int_equal(cairn_registry_end(&recorder), end);
    for (uint32_t i = 1; i < end; i++)
        (void)cairn_registry_delete(&recorder, i);
    cairn_engine_registry_unlock(&recorder);
}

/* ---- a directory of an older version ---- */

static int open_old(uint32_t version, uint32_t *found)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    int error;

    recorder.registry->version = version;
    error = cairn_engine_registry_open(&local);
    *found = local.found_version;
    cairn_engine_registry_close(&local);
    recorder.registry->version = CAIRN_REGISTRY_VERSION;
    return error;
}

static void open_as_another_process(void)
{
    uint32_t found;

    _exit(open_old(CAIRN_REGISTRY_VERSION - 1, &found));
}

static void a_directory_of_an_older_version_is_made_anew_when_nobody_lives_there(void **state)
{
    struct cairn_engine_session session = begin("nothing");
    uint32_t found;
    int status;

    (void)state;
    /* A recorder lives, and this very process has registered events. */
    assert_int_equal(open_old(CAIRN_REGISTRY_VERSION - 1, &found), EPROTONOSUPPORT);
    assert_int_equal(found, CAIRN_REGISTRY_VERSION - 1);
    end(&session);
    assert_int_equal(open_old(CAIRN_REGISTRY_VERSION - 1, &found), EPROTONOSUPPORT);
    assert_int_equal(files_in("processes") > 0, 1);
    cairn_engine_registry_close(&recorder);
    tracing_dir_remove();
    assert_int_equal(tracing_dir_make(), 0);
    assert_int_equal(cairn_engine_registry_open(&recorder), 0); /* nobody has come here yet */
    assert_int_equal(recorder.backed_end, 0);         /* its entries have no memory yet */
    assert_int_equal(waitpid(run_child(open_as_another_process), &status, 0) > 0, 1);
    assert_int_equal(status, 0);
    cairn_engine_registry_close(&recorder);
    assert_int_equal(cairn_engine_registry_open(&recorder), 0);
    assert_int_equal(recorder.registry->version, CAIRN_REGISTRY_VERSION);
    assert_int_equal(open_old(CAIRN_REGISTRY_VERSION + 1, &found), EPROTONOSUPPORT);
}

/* ---- following ---- */

static void *notify_soon(void *arg)
{
    (void)usleep(20000);
    cairn_registry_notify(&recorder);
    return arg;
}

static void whoever_waits_for_changes_is_woken(void **state)
{
    uint32_t seen = __atomic_load_n(&recorder.registry->changes, __ATOMIC_ACQUIRE);
    uint64_t begun = cairn_os_clock_ns();
    pthread_t thread;

    (void)state;
    cairn_registry_wait(&recorder, seen - 1, 10000); /* has changed already */
    assert_int_equal(pthread_create(&thread, NULL, notify_soon, NULL), 0);
    cairn_registry_wait(&recorder, seen, 10000);
    assert_true(cairn_os_clock_ns() - begun < UINT64_C(5000000000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(recorder.registry->changes, seen + 1);
    cairn_registry_wait(&recorder, seen + 1, 1); /* nobody comes */
}

static void *register_soon(void *tp)
{
    (void)usleep(20000);
    assert_int_equal(cairn_tracepoint_register(tp, "awaited u32 a"), 0);
    return NULL;
}

static void a_registration_wakes_those_who_wait_while_there_is_a_session(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_engine_session session;
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
    begun = cairn_os_clock_ns();
    assert_int_equal(pthread_create(&thread, NULL, register_soon, &tp), 0);
    cairn_registry_wait(&recorder, seen, 10000);
    assert_true(cairn_os_clock_ns() - begun < UINT64_C(5000000000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(cairn_tracepoint_is_enabled(&tp));
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_text_tells_who_uses_an_event),
        cmocka_unit_test(a_persistent_event_stays_until_it_is_deleted),
        cmocka_unit_test(an_entry_that_is_used_again_does_not_persist),
        cmocka_unit_test(formats_of_one_name_are_found_by_their_fields),
        cmocka_unit_test(a_format_of_several_is_recorded_by_its_own_name),
        cmocka_unit_test(a_name_that_grows_too_long_is_refused),
        cmocka_unit_test(lines_of_no_sense_are_refused),
        cmocka_unit_test(an_event_that_is_there_is_found_by_the_words_of_its_fields),
        cmocka_unit_test(a_line_that_deletes_names_the_words_of_the_fields),
        cmocka_unit_test(lines_are_printed_as_they_can_be_read_again),
        cmocka_unit_test(a_shared_session_lives_as_long_as_one_holds_it),
        cmocka_unit_test(chosen_events_are_enabled_for_text),
        cmocka_unit_test(indexes_of_the_first_page_are_given_first),
        cmocka_unit_test(whoever_waits_for_changes_is_woken),
        cmocka_unit_test(a_registration_wakes_those_who_wait_while_there_is_a_session),
        cmocka_unit_test(a_directory_of_an_older_version_is_made_anew_when_nobody_lives_there),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
