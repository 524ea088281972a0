/* SPDX-License-Identifier: MIT */
/*
 * Test of registering many call sites and many providers: the number of system calls, and that each
 * is registered as if it were the only one.
 */
#include "engine_test.h"
#include "provider_many.h"

#include <cairn/eventheader_dynamic.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* ---- 1,000 call sites of 8 keywords, and 100 providers of one call site ---- */

CAIRN_PROVIDER(many_places, "EhMany");

#define PLACE(n)                                                            \
    static __attribute__((used, noinline)) bool place_##n(void)             \
    {                                                                       \
        return CAIRN_PROVIDER_ENABLED(many_places, WARNING, 1u << (n) % 8); \
    }
#define PLACE_ADDRESS(n) place_##n,

MANY_1000(PLACE, 1)
MANY_100(MANY_PROVIDER, 1)

enum { PLACES = 1000, PROVIDERS = 100 };

static bool (*const places[PLACES])(void) = {MANY_1000(PLACE_ADDRESS, 1)};
static struct cairn_provider *const providers[PROVIDERS] = {MANY_100(MANY_PROVIDER_ADDRESS, 1)};

/* ---- system calls, counted by ptrace for each phase of a child; getppid begins a phase ---- */

enum { PHASES = 4, NO_TRACING = 77 };

static void next_phase(void)
{
    (void)syscall(SYS_getppid);
}

static void note_call(pid_t child, unsigned calls[PHASES])
{
    static unsigned phase;
    struct __ptrace_syscall_info info;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY)
        return;
    if (info.entry.nr == SYS_getppid)
        phase++;
    else if (phase < PHASES)
        calls[phase]++;
    if (info.entry.nr == SYS_exit_group)
        phase = 0;
}

/* Returns the exit status of the body, which is 0 if it succeeded. */
static int count_calls(int (*body)(void), unsigned calls[PHASES])
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
            _exit(NO_TRACING);
        (void)raise(SIGSTOP);
        _exit(body());
    }
    memset(calls, 0, PHASES * sizeof(*calls));
    assert_int_equal(waitpid(child, &status, 0), child);
    while (WIFSTOPPED(status)) {
        int number = WSTOPSIG(status);

        if (number == SIGSTOP)
            (void)ptrace(PTRACE_SETOPTIONS, child, NULL,
                         (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
        if (number == (SIGTRAP | 0x80))
            note_call(child, calls);
        (void)ptrace(PTRACE_SYSCALL, child, NULL,
                     (long)(number == SIGSTOP || number & 0x80 || number == SIGTRAP ? 0 : number));
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void count_or_skip(int (*body)(void), unsigned calls[PHASES])
{
    int status = count_calls(body, calls);

    if (status == NO_TRACING)
        skip();
    assert_int_equal(status, 0);
}

static int register_places(void)
{
    int error;

    (void)setenv("CAIRN_BACKEND", "auto", 1);
    next_phase();
    error = cairn_provider_register(&many_places);
    next_phase();
    error = error ? error : cairn_provider_unregister(&many_places);
    next_phase();
    return error;
}

/* The first registration opens the directory; more calls are needed if it contains many files of
 * other processes. */
static void a_thousand_call_sites_take_few_system_calls(void **state)
{
    unsigned calls[PHASES];

    (void)state;
    count_or_skip(register_places, calls);
    assert_in_range(calls[1], 1, 250);
    assert_in_range(calls[2], 1, 50);
}

static int register_providers(void)
{
    int error = cairn_provider_register(providers[0]);

    next_phase();
    for (int i = 1; i < PROVIDERS; i++)
        error = error ? error : cairn_provider_register(providers[i]);
    next_phase();
    for (int i = 1; i < PROVIDERS; i++)
        error = error ? error : cairn_provider_unregister(providers[i]);
    next_phase();
    return error;
}

/* Signals are blocked and unblocked; the lock's file is opened, locked, unlocked and closed; the
 * reference count is given memory. */
static void each_provider_takes_few_system_calls(void **state)
{
    unsigned calls[PHASES];

    (void)state;
    count_or_skip(register_providers, calls);
    assert_in_range(calls[1], PROVIDERS, 7 * PROVIDERS);
    assert_in_range(calls[2], PROVIDERS, 7 * PROVIDERS);
}

static int register_places_without_the_lock(void)
{
    int error = cairn_provider_register(providers[0]);

    if (!error)
        error = engine_registry_lock(&recorder);
    if (error)
        return error;
    next_phase();
    error = cairn_provider_register(&many_places);
    next_phase();
    engine_registry_unlock(&recorder);
    if (error) /* they are registered later */
        return error;
    error = cairn_provider_unregister(&many_places);
    return error ? error : cairn_provider_unregister(providers[0]);
}

/* Two seconds of attempts, two calls each; not for each call site. */
static void a_lock_held_by_another_process_is_waited_for_once(void **state)
{
    unsigned calls[PHASES];

    (void)state;
    count_or_skip(register_places_without_the_lock, calls);
    assert_in_range(calls[1], 2000, 6000);
}

/* ---- each as if it were the only one ---- */

static void assert_enabled(unsigned keywords)
{
    for (int i = 0; i < PLACES; i++)
        assert_int_equal(places[i](), keywords >> (1000 + i) % 8 & 1);
}

static void call_sites_are_enabled_by_their_keywords(void **state)
{
    struct engine_session before = begin("EhMany_L3K20");
    struct engine_session session;

    (void)state;
    assert_int_equal(cairn_provider_register(&many_places), 0);
    assert_int_equal(cairn_provider_register(&many_places), EALREADY);
    assert_enabled(0x20);
    session = begin("EhMany_L3K1");
    assert_enabled(0x21);
    end(&before);
    assert_enabled(1);
    assert_int_equal(cairn_provider_unregister(&many_places), 0);
    assert_enabled(0);
    assert_int_equal(cairn_provider_unregister(&many_places), ENOENT);
    assert_int_equal(cairn_provider_register(&many_places), 0);
    assert_enabled(1);
    assert_int_equal(cairn_provider_unregister(&many_places), 0);
    end(&session);
}

static void providers_do_not_share_call_sites(void **state)
{
    struct engine_session session = begin("Many_*_L3K1");

    (void)state;
    for (int i = 0; i < PROVIDERS; i += 2)
        assert_int_equal(cairn_provider_register(providers[i]), 0);
    assert_true(many_is_enabled_100());
    assert_false(many_is_enabled_101());
    assert_true(many_is_enabled_198());
    assert_false(many_is_enabled_199());
    assert_enabled(0);
    for (int i = 0; i < PROVIDERS; i += 2)
        assert_int_equal(cairn_provider_unregister(providers[i]), 0);
    assert_false(many_is_enabled_100());
    end(&session);
}

static void children_have_call_sites_of_their_own(void **state)
{
    struct engine_session session = begin("EhMany_L3K2");
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(cairn_provider_register(&many_places), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int error = cairn_provider_unregister(&many_places);

        if (!error)
            error = cairn_provider_register(&many_places);
        error = error || !places[1]() || places[2]();
        _exit(error || cairn_provider_unregister(&many_places));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_enabled(2);
    assert_int_equal(cairn_provider_unregister(&many_places), 0);
    end(&session);
}

static void a_name_in_use_is_refused_and_the_others_are_registered(void **state)
{
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&other, "EhMany_L3K4 u32 Number"), 0);
    assert_int_equal(cairn_provider_register(&many_places), EADDRINUSE);
    session = begin("EhMany_*");
    assert_enabled(0xfb);
    assert_int_equal(cairn_provider_unregister(&many_places), 0);
    assert_int_equal(cairn_tracepoint_unregister(&other), 0);
    end(&session);
}

static void events_of_other_processes_are_shared(void **state)
{
    struct cairn_tracepoint same = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_provider_register(&many_places), 0);
    assert_int_equal(cairn_tracepoint_register(&same, "EhMany_L3K8 " CAIRN_EVENTHEADER_FIELDS), 0);
    assert_int_equal(same.fixed_bytes, sizeof(struct cairn_eventheader));
    assert_int_equal(same.dynamic_count, 0);
    assert_int_equal(cairn_provider_unregister(&many_places), 0);
    assert_int_equal(cairn_tracepoint_unregister(&same), 0);
}

/* Keywords with one bit each, and keywords with several. */
static void many_event_sets_can_be_found(void **state)
{
    struct cairn_dynamic_provider *provider;
    struct cairn_event_set *sets[1000];
    struct cairn_event_set *again;

    (void)state;
    assert_int_equal(cairn_dynamic_provider_create("EhManySets", NULL, &provider), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t keyword = i < 256 ? UINT64_C(1) << i % 64 : i;

        assert_null(cairn_event_set_find(provider, (uint8_t)(1 + i / 64), keyword));
        assert_int_equal(
            cairn_event_set_register(provider, (uint8_t)(1 + i / 64), keyword, &sets[i]), 0);
    }
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t keyword = i < 256 ? UINT64_C(1) << i % 64 : i;

        assert_int_equal(sets[i]->tracepoint.fixed_bytes, sizeof(struct cairn_eventheader));
        assert_int_equal(cairn_event_set_register(provider, (uint8_t)(1 + i / 64), keyword, &again),
                         0);
        assert_ptr_equal(again, sets[i]);
    }
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_call_sites_take_few_system_calls),
        cmocka_unit_test(each_provider_takes_few_system_calls),
        cmocka_unit_test(a_lock_held_by_another_process_is_waited_for_once),
        cmocka_unit_test(call_sites_are_enabled_by_their_keywords),
        cmocka_unit_test(providers_do_not_share_call_sites),
        cmocka_unit_test(a_name_in_use_is_refused_and_the_others_are_registered),
        cmocka_unit_test(children_have_call_sites_of_their_own),
        cmocka_unit_test(events_of_other_processes_are_shared),
        cmocka_unit_test(many_event_sets_can_be_found),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
