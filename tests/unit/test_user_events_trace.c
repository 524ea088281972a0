/* SPDX-License-Identifier: MIT */
/* Test of typed tracepoints (cairn/typed_tracepoint.h) in a program: user_events, and callbacks. */
#include "engine_test.h"
#include "engine/status.h"
#include "trace_user.h"
#include "user_events/kernel_limit.h"

#include <cairn/filter.h>
#include <dlfcn.h>
#include <stdlib.h>

CAIRN_TRACEPOINT(sized, TP_SYSTEM(unit), TP_PROTO(const uint8_t *bytes, uint32_t count),
                 TP_ARGS(bytes, count), TP_STRUCT__entry(__dynamic_array(uint8_t, bytes, count)),
                 TP_fast_assign(if (count) memcpy(__get_dynamic_array(bytes), bytes, count);),
                 TP_printk("%u bytes", __get_dynamic_array_len(bytes)));

/* clang-format off */
CAIRN_TRACEPOINT(a_name_that_is_longer_than_the_255_bytes_that_user_events_have_for_the_name_of_an_event_together_with_the_system_that_is_put_in_front_of_it_and_goes_on_and_goes_on_and_goes_on_and_goes_on_and_goes_on_and_goes_on_and_goes_on_and_goes_on_and_goes_on_andx,
    TP_SYSTEM(unit), TP_PROTO(uint32_t n), TP_ARGS(n), TP_STRUCT__entry(__field(uint32_t, n)),
    TP_fast_assign(__entry->n = n;), TP_printk("%u", __entry->n));

static const char *command_of(const struct cairn_trace_event *event)
{
    return recorder.entries[engine_sample_index(event->tracepoint.sample_id)].command;
}

/* ---- registration ---- */

static void tracepoints_are_registered_before_main(void **state)
{
    (void)state;
    assert_string_equal(command_of(&cairn_event_opened),
                        "unit_opened u16 port; s64 wide; __data_loc char[] peer");
    assert_string_equal(command_of(&cairn_event_sized), "unit_sized __data_loc u8[] bytes");
    assert_false(trace_opened_enabled());
}

static void failed_registrations_can_be_queried(void **state)
{
    (void)state;
    assert_int_equal(cairn_trace_events_register(__start_cairn_trace_events,
                                                __stop_cairn_trace_events),
                     E2BIG);
}

static void tracepoints_can_be_unregistered_and_registered_again(void **state)
{
    struct cairn_trace_event *const events[] = {&cairn_event_opened, &cairn_event_opened, NULL};

    (void)state;
    assert_int_equal(cairn_trace_events_unregister(events, events + 3), 0);
    assert_int_equal(cairn_trace_events_unregister(events, events + 3), 0);
    trace_opened(1, "nobody");
    assert_int_equal(cairn_trace_events_register(events, events + 3), 0);
    assert_string_equal(command_of(&cairn_event_opened),
                        "unit_opened u16 port; s64 wide; __data_loc char[] peer");
}

static void a_plugin_registers_its_tracepoints_when_it_is_loaded(void **state)
{
    struct engine_session session = begin("unit_plugged");

    (void)state;
    for (uint32_t i = 1; i <= 3; i++) {
        void *plugin = dlopen(CAIRN_TEST_TRACE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
        void (*write_event)(uint32_t);

        assert_non_null(plugin);
        write_event = (void (*)(uint32_t))dlsym(plugin, "plugin_write");
        assert_non_null(write_event);
        write_event(i);
        assert_int_equal(dlclose(plugin), 0);
    }
    assert_int_equal(read_session(&session).records, 3);
    end(&session);
}

/* ---- recording ---- */

static void an_event_is_recorded_with_its_fields_at_their_offsets(void **state)
{
    struct engine_session session = begin("unit_opened");
    int64_t wide;
    uint32_t location;

    (void)state;
    assert_true(trace_opened_enabled());
    trace_opened(443, "somebody");
    assert_int_equal(read_session(&session).records, 1);
    assert_int_equal(*(const uint16_t *)last_payload, 443);
    memcpy(&wide, last_payload + 2, sizeof(wide));
    assert_int_equal(wide, -443);
    memcpy(&location, last_payload + 10, sizeof(location));
    assert_int_equal(location >> 16, sizeof("somebody"));
    assert_string_equal((const char *)last_payload + (location & 0xffff) - CAIRN_COMMON_BYTES,
                        "somebody");
    end(&session);
}

static void sources_that_share_a_header_share_its_tracepoints(void **state)
{
    struct engine_session session = begin("unit_opened");

    (void)state;
    open_elsewhere(1);
    trace_opened(2, "here");
    assert_int_equal(read_session(&session).records, 2);
    assert_int_equal(*(const uint16_t *)last_payload, 2);
    end(&session);
}

static void the_largest_event_is_recorded_and_a_larger_one_is_counted(void **state)
{
    const uint32_t largest = CAIRN_PAYLOAD_MAX_BYTES - 4; /* minus the field's location */
    struct engine_session session = begin("unit_sized");
    uint8_t *bytes = calloc(1, 100000);
    struct found found;

    (void)state;
    trace_sized(bytes, largest);
    assert_int_equal(read_session(&session).records, 1);
    trace_sized(bytes, largest + 1);
    trace_sized(bytes, largest + 20);
    trace_sized(bytes, 100000);
    trace_sized(bytes, UINT32_MAX);
    trace_sized(NULL, 0);
    found = read_session(&session);
    assert_int_equal(found.records, 1 + 1);
    assert_int_equal(lost_early(&session), 4);
    end(&session);
    free(bytes);
}

/* ---- the kernel's limit is lower ---- */

int __wrap_user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                                    size_t payload_bytes);

static unsigned kernel_writes;

/* Replaces the kernel. */
int __wrap_user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                                    size_t payload_bytes)
{
    (void)tp, (void)record;
    assert_in_range(payload_bytes, 0, user_events_kernel_payload_max_bytes());
    kernel_writes++;
    return 0;
}

static void an_event_that_is_too_large_for_the_kernel_is_counted(void **state)
{
    struct cairn_tracepoint *tp = &cairn_event_sized.tracepoint;
    const uint32_t largest = user_events_kernel_payload_max_bytes() - 4;
    struct engine_session session = begin("unit_sized");
    const uint64_t lost = cairn_trace_events_lost();
    const unsigned char *enabled = tp->enabled;
    uint8_t *bytes = calloc(1, 100000);
    uintptr_t offset;

    (void)state;
    trace_sized(bytes, largest + 1);
    assert_int_equal(cairn_trace_events_lost(), lost);
    offset = (uintptr_t)tp->enabled - (uintptr_t)engine_status;
    engine_status_arm_kernel((uint32_t)(offset & (ENGINE_STATUS_PART_BYTES - 1)));
    tp->enabled = engine_status + (offset | ENGINE_STATUS_PART_BYTES);
    trace_sized(bytes, largest);
    assert_int_equal(cairn_trace_events_lost(), lost);
    assert_int_equal(kernel_writes, 1);
    trace_sized(bytes, largest + 1);
    assert_int_equal(cairn_trace_events_lost(), lost + 1);
    trace_sized(bytes, CAIRN_PAYLOAD_MAX_BYTES);
    trace_sized(bytes, 100000);
    assert_int_equal(cairn_trace_events_lost(), lost + 3);
    assert_int_equal(kernel_writes, 1);
    tp->enabled = enabled;
    end(&session);
    free(bytes);
}

static void a_forked_child_writes_its_own_events(void **state)
{
    struct engine_session session = begin("unit_opened");
    pid_t child = fork();

    (void)state;
    if (child == 0) {
        trace_opened(7, "child");
        _exit(0);
    }
    wait_for(child);
    assert_int_equal(read_session(&session).records, 1);
    assert_int_equal(last_record.pid, child);
    end(&session);
}

/* ---- callbacks ---- */

static char calls[64];

static void note(const char *what)
{
    assert_true(strlen(calls) + strlen(what) < sizeof(calls));
    strcat(calls, what);
}

static void on_open(void *data, uint16_t port, const char *peer)
{
    assert_int_equal(port, 80);
    assert_string_equal(peer, "p");
    note(data);
}

static void callbacks_are_called_without_a_recorder(void **state)
{
    char a[] = "a";
    char b[] = "b";

    (void)state;
    calls[0] = 0;
    assert_int_equal(register_trace_opened(on_open, a), 0);
    assert_int_equal(register_trace_prio_opened(on_open, b, 20), 0);
    assert_int_equal(register_trace_opened(on_open, a), EEXIST);
    assert_true(trace_opened_enabled());
    trace_opened(80, "p");
    assert_string_equal(calls, "ba");
    assert_int_equal(unregister_trace_opened(on_open, b), 0);
    trace_opened(80, "p");
    assert_string_equal(calls, "baa");
    assert_int_equal(unregister_trace_opened(on_open, a), 0);
    assert_int_equal(unregister_trace_opened(on_open, a), ENOENT);
    assert_false(trace_opened_enabled());
    trace_opened(80, "p");
    assert_string_equal(calls, "baa");
}

static void callbacks_and_a_recorder_both_get_the_event(void **state)
{
    struct engine_session session = begin("unit_opened");
    char a[] = "a";

    (void)state;
    calls[0] = 0;
    assert_int_equal(register_trace_opened(on_open, a), 0);
    trace_opened(80, "p");
    assert_int_equal(read_session(&session).records, 1);
    end(&session);
    assert_true(trace_opened_enabled());
    trace_opened(80, "p");
    assert_string_equal(calls, "aa");
    assert_int_equal(unregister_trace_opened(on_open, a), 0);
    assert_false(trace_opened_enabled());
}

static void outlives_registration(void *data, uint16_t port, const char *peer)
{
    (void)port;
    (void)peer;
    note(data);
}

static void a_callback_stays_when_a_child_registers_its_tracepoint_again(void **state)
{
    char a[] = "a";
    pid_t child;

    (void)state;
    calls[0] = 0;
    assert_int_equal(register_trace_opened(outlives_registration, a), 0);
    child = fork();
    if (child == 0) {
        trace_opened(1, "");
        if (strcmp(calls, "a") != 0 || unregister_trace_opened(outlives_registration, a) ||
            trace_opened_enabled())
            _exit(1);
        _exit(0);
    }
    {
        int status;

        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    assert_int_equal(unregister_trace_opened(outlives_registration, a), 0);
}

static int removed;

static void takes_itself_away(void *data, uint16_t port, const char *peer)
{
    (void)port;
    (void)peer;
    note("x");
    removed = unregister_trace_opened(takes_itself_away, data);
    trace_opened(1, "from within");
}

static void a_callback_may_unregister_itself_and_hit_the_tracepoint(void **state)
{
    (void)state;
    calls[0] = 0;
    assert_int_equal(register_trace_opened(takes_itself_away, NULL), 0);
    trace_opened(80, "p");
    assert_string_equal(calls, "x");
    assert_int_equal(removed, EINPROGRESS);
    assert_int_equal(cairn_trace_synchronize(cairn_event_opened.trace), 0);
    assert_false(trace_opened_enabled());
}

struct seen {
    uint32_t records;
    uint32_t raws;
    char peer[16];
    uint64_t arguments[2];
};

static void on_record(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    struct seen *seen = data;
    const char *payload = (const char *)(record + 1);
    uint32_t location;

    assert_ptr_equal(event, &cairn_event_opened);
    assert_int_equal(record->tid, gettid());
    assert_int_equal(record->common_type, (uint16_t)cairn_event_opened.tracepoint.sample_id);
    assert_int_equal(cairn_record_check(record, record->size_bytes), record->size_bytes);
    memcpy(&location, payload + 10, sizeof(location));
    (void)snprintf(seen->peer, sizeof(seen->peer), "%s",
                   payload + (location & 0xffff) - CAIRN_COMMON_BYTES);
    seen->records++;
}

static void on_raw(void *data, const struct cairn_trace_event *event, const uint64_t *arguments,
                   uint32_t count)
{
    struct seen *seen = data;

    assert_ptr_equal(event, &cairn_event_opened);
    assert_int_equal(count, 2);
    memcpy(seen->arguments, arguments, sizeof(seen->arguments));
    seen->raws++;
}

static void other_callbacks_get_the_filtered_record_and_the_raw_arguments(void **state)
{
    static const char filter[] = "port > 100 && peer ~ \"w*\"";
    struct seen seen = {0};
    const char *peer = "wanted";

    (void)state;
    assert_int_equal(cairn_trace_event_callback_add(&cairn_event_opened, CAIRN_TRACE_RECORD,
                                              (void (*)(void))on_record, &seen, 0),
                     0);
    assert_int_equal(cairn_trace_event_callback_add(&cairn_event_opened, CAIRN_TRACE_RAW,
                                              (void (*)(void))on_raw, &seen, 0),
                     0);
    assert_int_equal(cairn_trace_event_filter_set(&cairn_event_opened, filter, strlen(filter), NULL), 0);
    trace_opened(99, "wanted");
    trace_opened(101, "other");
    assert_int_equal(seen.records, 0);
    trace_opened(101, peer);
    assert_int_equal(seen.records, 1);
    assert_string_equal(seen.peer, "wanted");
    assert_int_equal(seen.raws, 3);
    assert_int_equal(seen.arguments[0], 101);
    assert_int_equal(seen.arguments[1], (uintptr_t)peer);
    assert_int_equal(cairn_trace_event_filter_set(&cairn_event_opened, "0", 1, NULL), 0);
    assert_int_equal(cairn_trace_event_callback_remove(&cairn_event_opened, CAIRN_TRACE_RECORD,
                                                 (void (*)(void))on_record, &seen),
                     0);
    assert_int_equal(cairn_trace_event_callback_remove(&cairn_event_opened, CAIRN_TRACE_RAW,
                                                 (void (*)(void))on_raw, &seen),
                     0);
    assert_false(trace_opened_enabled());
}

struct slow {
    int entered;
    int leave;
    int left;
};

static void is_slow(void *data, uint16_t port, const char *peer)
{
    struct slow *slow = data;

    (void)port;
    (void)peer;
    __atomic_store_n(&slow->entered, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&slow->leave, __ATOMIC_ACQUIRE))
        sched_yield();
    slow->left = 1;
}

static void *hit(void *arg)
{
    (void)arg;
    trace_opened(1, "");
    return NULL;
}

static void *release(void *arg)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct slow *slow = arg;

    (void)nanosleep(&pause, NULL);
    __atomic_store_n(&slow->leave, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void unregistering_waits_for_a_running_callback(void **state)
{
    struct slow slow = {0};
    pthread_t threads[2];

    (void)state;
    assert_int_equal(register_trace_opened(is_slow, &slow), 0);
    assert_int_equal(pthread_create(&threads[0], NULL, hit, NULL), 0);
    while (!__atomic_load_n(&slow.entered, __ATOMIC_ACQUIRE))
        sched_yield();
    assert_int_equal(pthread_create(&threads[1], NULL, release, &slow), 0);
    assert_int_equal(unregister_trace_opened(is_slow, &slow), 0);
    assert_int_equal(slow.left, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void on_plugged(void *data, uint32_t n)
{
    (void)data;
    assert_int_equal(n, 5);
    note("n");
}

static void unloading_a_plugin_unregisters_its_callbacks(void **state)
{
    void *plugin = dlopen(CAIRN_TEST_TRACE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    int (*listen)(void (*)(void *, uint32_t));
    void (*write_event)(uint32_t);

    (void)state;
    calls[0] = 0;
    assert_non_null(plugin);
    listen = (int (*)(void (*)(void *, uint32_t)))dlsym(plugin, "plugin_listen");
    write_event = (void (*)(uint32_t))dlsym(plugin, "plugin_write");
    assert_int_equal(listen(on_plugged), 0);
    write_event(5);
    assert_string_equal(calls, "n");
    assert_int_equal(dlclose(plugin), 0);
}

/* Threads that hit the tracepoint, and one that registers and unregisters callbacks and filters. */
static int stop_hitting;

static void *hit_all_the_time(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&stop_hitting, __ATOMIC_RELAXED))
        trace_opened(101, "w");
    return NULL;
}

static void counts(void *data, uint16_t port, const char *peer)
{
    (void)port;
    (void)peer;
    __atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
}

static void callbacks_may_change_while_events_are_written(void **state)
{
    struct engine_session session = begin("unit_opened");
    pthread_t threads[2];

    (void)state;
    __atomic_store_n(&stop_hitting, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hit_all_the_time, NULL), 0);
    for (int i = 0; i < 300; i++) {
        int *count = calloc(1, sizeof(*count));

        assert_int_equal(register_trace_opened(counts, count), 0);
        assert_int_equal(cairn_trace_event_filter_set(&cairn_event_opened, "port > 1", 8, NULL), 0);
        assert_int_equal(unregister_trace_opened(counts, count), 0);
        free(count); /* no callback may use it any more */
        assert_int_equal(cairn_trace_event_filter_set(&cairn_event_opened, "0", 1, NULL), 0);
    }
    __atomic_store_n(&stop_hitting, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    end(&session);
    assert_false(trace_opened_enabled());
}

/* Tracepoints are registered before main: the directory must exist by then. */
static int set_up_once_more(void **state)
{
    (void)state;
    (void)snprintf(tracing_dir, sizeof(tracing_dir), "%s", getenv("CAIRN_TRACING_DIR"));
    return engine_registry_open(&recorder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracepoints_are_registered_before_main),
        cmocka_unit_test(failed_registrations_can_be_queried),
        cmocka_unit_test(tracepoints_can_be_unregistered_and_registered_again),
        cmocka_unit_test(a_plugin_registers_its_tracepoints_when_it_is_loaded),
        cmocka_unit_test(an_event_is_recorded_with_its_fields_at_their_offsets),
        cmocka_unit_test(sources_that_share_a_header_share_its_tracepoints),
        cmocka_unit_test(the_largest_event_is_recorded_and_a_larger_one_is_counted),
        cmocka_unit_test(an_event_that_is_too_large_for_the_kernel_is_counted),
        cmocka_unit_test(a_forked_child_writes_its_own_events),
        cmocka_unit_test(callbacks_are_called_without_a_recorder),
        cmocka_unit_test(callbacks_and_a_recorder_both_get_the_event),
        cmocka_unit_test(a_callback_stays_when_a_child_registers_its_tracepoint_again),
        cmocka_unit_test(a_callback_may_unregister_itself_and_hit_the_tracepoint),
        cmocka_unit_test(other_callbacks_get_the_filtered_record_and_the_raw_arguments),
        cmocka_unit_test(unregistering_waits_for_a_running_callback),
        cmocka_unit_test(unloading_a_plugin_unregisters_its_callbacks),
        cmocka_unit_test(callbacks_may_change_while_events_are_written),
    };

    if (argc > 1)
        return cmocka_run_group_tests(tests, set_up_once_more, tear_down);
    if (tracing_dir_make())
        return 1;
    (void)execl("/proc/self/exe", argv[0], "again", (char *)NULL);
    return 1;
}
