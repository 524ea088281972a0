/* SPDX-License-Identifier: MIT */
/* Test of static keys: sites of this program are patched while they run, and their bytes are
 * compared. */
#define CAIRN_STATIC_KEYS
#include <cairn/kernel/static_key.h>

#include "kernel/static_key_batch.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#define SITE_BYTES 5

static const uint8_t nop[SITE_BYTES] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

static struct cairn_static_key red;
static struct cairn_static_key green;
static struct cairn_static_key siteless = CAIRN_STATIC_KEY_INIT;
static struct cairn_static_keys keys;

/* ---- sites ---- */

__attribute__((noinline)) static bool red_first(void)
{
    return cairn_static_branch(&red);
}

__attribute__((noinline)) static bool red_second(void)
{
    return cairn_static_branch(&red);
}

__attribute__((noinline)) static unsigned both(void)
{
    unsigned seen = 0;

    if (cairn_static_branch(&red))
        seen |= 1u;
    if (cairn_static_branch(&green))
        seen |= 2u;
    return seen;
}

static unsigned red_sites_seen(void)
{
    return (unsigned)red_first() + red_second() + (both() & 1u);
}

static uint8_t *code_of(const struct cairn_static_branch *site)
{
    return (uint8_t *)&site->code + site->code;
}

static bool belongs_to(const struct cairn_static_branch *site, const struct cairn_static_key *key)
{
    return (const uint8_t *)&site->key + site->key == (const uint8_t *)key;
}

static const struct cairn_static_branch *site_of(const struct cairn_static_key *key)
{
    for (const struct cairn_static_branch *s = __start_cairn_static_branches;
         s != __stop_cairn_static_branches; s++) {
        if (belongs_to(s, key))
            return s;
    }
    fail_msg("a key without sites");
    return NULL;
}

static bool holds_nop(const struct cairn_static_branch *site)
{
    return memcmp(code_of(site), nop, SITE_BYTES) == 0;
}

static bool holds_jump(const struct cairn_static_branch *site)
{
    const uint8_t *code = code_of(site);
    int32_t operand;

    memcpy(&operand, code + 1, sizeof(operand));
    return code[0] == 0xe9 &&
           code + SITE_BYTES + operand == (const uint8_t *)&site->target + site->target;
}

/* Number of sites of a key; fails if one does not contain the expected code. */
static unsigned assert_sites(const struct cairn_static_key *key, bool enabled)
{
    unsigned count = 0;

    for (const struct cairn_static_branch *s = __start_cairn_static_branches;
         s != __stop_cairn_static_branches; s++) {
        if (!belongs_to(s, key))
            continue;
        assert_true(enabled ? holds_jump(s) : holds_nop(s));
        count++;
    }
    return count;
}

/* ---- the host ---- */

static struct {
    void (*on_sync)(void); /* called while sites are patched */
    unsigned writes;
    unsigned syncs;
    unsigned traps;
    unsigned fail_from; /* number of the first call of write_text that fails; 0: none fails */
    unsigned fail_count;
} host;

/* ThreadSanitizer does not track writes to code, which it takes for constant. */
__attribute__((no_sanitize("thread"))) static void copy_to_text(uint8_t *to, const uint8_t *from,
                                                                size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++)
        ((volatile uint8_t *)to)[i] = from[i];
}

static int write_text(void *at, const void *bytes, size_t size_bytes)
{
    host.writes++;
    if (host.fail_from && host.writes - host.fail_from < host.fail_count)
        return EIO;
    copy_to_text(at, bytes, size_bytes);
    return 0;
}

static void sync_cores(void)
{
    host.syncs++;
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
    if (host.on_sync)
        host.on_sync();
}

static const struct cairn_static_key_host hooks = {write_text, sync_cores};

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *ip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uintptr_t next = cairn_static_keys_trap(&keys, (uintptr_t)*ip);

    (void)signal, (void)info;
    if (!next)
        abort();
    *ip = (greg_t)next;
    __atomic_fetch_add(&host.traps, 1, __ATOMIC_RELAXED);
}

/* Makes the pages of all sites writable for the whole test. */
static int set_up(void **state)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};

    (void)state;
    for (const struct cairn_static_branch *s = __start_cairn_static_branches;
         s != __stop_cairn_static_branches; s++) {
        uint8_t *start = code_of(s) - (uintptr_t)code_of(s) % page;

        if (mprotect(start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC))
            return -1;
        copy_to_text(code_of(s), code_of(s), 1); /* the write makes the page a private copy */
    }
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0)) {
        print_message("skipped: the kernel has no membarrier that synchronizes cores\n");
        exit(77);
    }
    return sigaction(SIGTRAP, &action, NULL);
}

static int begin(void **state)
{
    (void)state;
    memset(&host, 0, sizeof(host));
    return cairn_static_keys_init(&keys, &hooks, __start_cairn_static_branches,
                                  __stop_cairn_static_branches);
}

static int end(void **state)
{
    (void)state;
    return red.count || green.count;
}

/* ---- tests ---- */

static void sites_are_no_ops_until_their_key_is_enabled(void **state)
{
    (void)state;
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(assert_sites(&green, false), 1);
    assert_int_equal(red_sites_seen(), 0);

    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_true(cairn_static_key_is_enabled(&red));
    assert_int_equal(assert_sites(&red, true), 3);
    assert_int_equal(assert_sites(&green, false), 1);
    assert_int_equal(red_sites_seen(), 3);
    assert_int_equal(both(), 1);

    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_false(cairn_static_key_is_enabled(&red));
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(red_sites_seen(), 0);
}

static void all_sites_of_a_key_are_patched_with_three_synchronizations(void **state)
{
    (void)state;
    host.syncs = host.writes = 0;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(host.syncs, 3);
    assert_int_equal(host.writes, 9);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_int_equal(host.syncs, 6);
}

static void keys_changed_together_are_patched_with_three_synchronizations(void **state)
{
    (void)state;
    for (int on = 1; on >= 0; on--) {
        host.syncs = 0;
        assert_int_equal(kernel_static_key_queue(&keys, &red, on), 0);
        assert_int_equal(kernel_static_key_queue(&keys, &green, on), 0);
        assert_true(kernel_static_keys_patch(&keys));
        assert_int_equal(kernel_static_key_finish(&keys, &red, on, true), 0);
        assert_int_equal(kernel_static_key_finish(&keys, &green, on, true), 0);
        assert_int_equal(host.syncs, 3);
        assert_int_equal(both(), on ? 3 : 0);
    }
}

static void of_several_keys_only_the_one_that_fails_is_undone(void **state)
{
    (void)state;
    host.writes = 0;
    host.fail_from = 1; /* the first byte of the first site */
    host.fail_count = 1;
    assert_int_equal(kernel_static_key_queue(&keys, &red, true), 0);
    assert_int_equal(kernel_static_key_queue(&keys, &green, true), 0);
    assert_true(kernel_static_keys_patch(&keys));
    assert_int_equal(kernel_static_key_finish(&keys, &red, true, true), EIO);
    assert_int_equal(kernel_static_key_finish(&keys, &green, true, true), 0);
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(assert_sites(&green, true), 1);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
}

static void a_key_stays_enabled_until_it_was_disabled_as_often_as_enabled(void **state)
{
    (void)state;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_int_equal(assert_sites(&red, true), 3);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), EINVAL);
    assert_int_equal(red.count, 0);
}

static void an_overflow_of_the_count_is_an_error(void **state)
{
    (void)state;
    siteless.count = UINT32_MAX;
    assert_int_equal(cairn_static_keys_enable(&keys, &siteless), E2BIG);
    assert_int_equal(siteless.count, UINT32_MAX);
    siteless.count = 0;
}

static void a_key_without_sites_has_a_count(void **state)
{
    (void)state;
    host.syncs = 0;
    assert_int_equal(cairn_static_keys_enable(&keys, &siteless), 0);
    assert_true(cairn_static_key_is_enabled(&siteless));
    assert_int_equal(cairn_static_keys_disable(&keys, &siteless), 0);
    assert_int_equal(host.syncs, 0);
}

static unsigned seen_at[6];

static void run_into_sites(void)
{
    seen_at[host.syncs - 1] = red_sites_seen();
}

static void a_thread_that_traps_at_a_site_continues_at_its_new_target(void **state)
{
    static const unsigned expected[6] = {3, 3, 3, 0, 0, 0};

    (void)state;
    host.syncs = 0;
    host.on_sync = run_into_sites;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(host.traps, 6);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_int_equal(host.traps, 12);
    assert_memory_equal(seen_at, expected, sizeof(expected));
}

static void a_breakpoint_that_is_not_a_site_is_not_handled(void **state)
{
    uintptr_t site = (uintptr_t)code_of(site_of(&red));

    (void)state;
    assert_int_equal(cairn_static_keys_trap(&keys, site + 1), site + SITE_BYTES);
    assert_int_equal(cairn_static_keys_trap(&keys, site), 0);
    assert_int_equal(cairn_static_keys_trap(&keys, site + 2), 0);
    assert_int_equal(cairn_static_keys_trap(&keys, 0), 0);
}

static void enable_green_once(void)
{
    host.on_sync = NULL;
    assert_int_equal(cairn_static_keys_enable(&keys, &green), 0);
    assert_int_equal(assert_sites(&green, false), 1); /* pending: the caller does not wait */
}

static void changes_during_patching_are_done_before_the_patcher_returns(void **state)
{
    (void)state;
    host.on_sync = enable_green_once;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(assert_sites(&red, true), 3);
    assert_int_equal(assert_sites(&green, true), 1);
    assert_int_equal(both(), 3);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
}

static void disable_red_once(void)
{
    host.on_sync = NULL;
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
}

static void a_key_may_be_disabled_while_it_is_being_enabled(void **state)
{
    (void)state;
    host.on_sync = disable_red_once;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(red_sites_seen(), 0);
}

static void a_failed_write_restores_all_sites(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 9; n++) {
        host.writes = 0;
        host.fail_from = n;
        host.fail_count = 1;
        assert_int_equal(cairn_static_keys_enable(&keys, &red), EIO);
        assert_int_equal(red.count, 0);
        assert_int_equal(assert_sites(&red, false), 3);
        assert_int_equal(red_sites_seen(), 0);

        host.fail_from = 0;
        assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
        assert_int_equal(assert_sites(&red, true), 3);

        host.writes = 0;
        host.fail_from = n;
        assert_int_equal(cairn_static_keys_disable(&keys, &red), EIO);
        assert_int_equal(red.count, 1);
        assert_int_equal(assert_sites(&red, true), 3);
        assert_int_equal(red_sites_seen(), 3);
        host.fail_from = 0;
        assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
    }
}

static void sites_that_cannot_be_restored_still_run(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 9; n++) {
        host.writes = 0;
        host.fail_from = n;
        host.fail_count = UINT32_MAX;
        assert_int_equal(cairn_static_keys_enable(&keys, &red), EIO);
        assert_int_equal(red.count, 0);
        assert_in_range(red_sites_seen(), 0, 3);
        /* Sites whose new first byte was not written trap, and continue as the key says. */
        if (n <= 7)
            assert_int_equal(red_sites_seen(), 0);

        host.fail_from = 0;
        assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
        assert_int_equal(assert_sites(&red, true), 3);
        assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
        assert_int_equal(assert_sites(&red, false), 3);
    }
}

static void enable_green_whose_write_fails(void)
{
    host.on_sync = NULL;
    assert_int_equal(cairn_static_keys_enable(&keys, &green), 0);
    host.writes = 0;
    host.fail_from = 7; /* the first write of the second round */
    host.fail_count = 1;
}

static void an_error_in_a_change_by_another_caller_is_retried(void **state)
{
    (void)state;
    host.on_sync = enable_green_whose_write_fails;
    assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
    assert_int_equal(assert_sites(&red, true), 3);
    assert_int_equal(assert_sites(&green, false), 1);
    assert_int_equal(green.error, EIO);
    assert_int_equal(cairn_static_keys_enable(&keys, &green), 0);
    assert_int_equal(green.count, 2);
    assert_int_equal(assert_sites(&green, true), 1);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
    assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
}

/* ---- initializing ---- */

static void sites_added_later_take_the_state_of_their_key(void **state)
{
    static struct cairn_static_keys early;

    (void)state;
    assert_int_equal(cairn_static_keys_enable(&early, &green), EINPROGRESS);
    assert_int_equal(assert_sites(&green, false), 1);
    assert_int_equal(begin(NULL), 0);
    assert_int_equal(assert_sites(&green, true), 1);
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
}

static void without_sites_a_host_is_not_needed(void **state)
{
    struct cairn_static_keys none;

    (void)state;
    assert_int_equal(cairn_static_keys_init(&none, NULL, NULL, NULL), 0);
    assert_int_equal(cairn_static_keys_enable(&none, &siteless), 0);
    assert_int_equal(cairn_static_keys_disable(&none, &siteless), 0);
}

static void a_host_that_cannot_patch_is_an_error(void **state)
{
    const struct cairn_static_key_host deaf = {NULL, sync_cores};
    const struct cairn_static_key_host blind = {write_text, NULL};
    const struct cairn_static_branch *start = __start_cairn_static_branches;
    const struct cairn_static_branch *stop = __stop_cairn_static_branches;
    struct cairn_static_keys other;

    (void)state;
    assert_int_equal(cairn_static_keys_init(&other, NULL, start, stop), EOPNOTSUPP);
    assert_int_equal(cairn_static_keys_init(&other, &deaf, start, stop), EOPNOTSUPP);
    assert_int_equal(cairn_static_keys_init(&other, &blind, start, stop), EOPNOTSUPP);
}

/* A site in data, not in code. */
static struct {
    struct cairn_static_branch branch;
    uint8_t text[16];
} made;

static int init_made(const uint8_t *text, int32_t target)
{
    struct cairn_static_keys other;

    memcpy(made.text, text, SITE_BYTES);
    made.branch.code = (int32_t)(made.text - (uint8_t *)&made.branch.code);
    made.branch.target = target;
    made.branch.key = (int32_t)((uint8_t *)&siteless - (uint8_t *)&made.branch.key);
    return cairn_static_keys_init(&other, &hooks, &made.branch, &made.branch + 1);
}

static void bytes_that_are_not_a_site_are_an_error(void **state)
{
    uint8_t text[SITE_BYTES];

    (void)state;
    assert_int_equal(init_made(nop, 64), 0);
    for (size_t i = 0; i < SITE_BYTES; i++) {
        memcpy(text, nop, SITE_BYTES);
        text[i] ^= 0x10;
        assert_int_equal(init_made(text, 64), EBADMSG);
    }
    assert_int_equal(init_made((const uint8_t[SITE_BYTES]){0xe9, 1, 2, 3, 4}, 64), EBADMSG);
}

static void a_section_with_half_a_site_is_an_error(void **state)
{
    const uint8_t *start = (const uint8_t *)__start_cairn_static_branches;
    struct cairn_static_keys other;

    (void)state;
    assert_int_equal(cairn_static_keys_init(&other, &hooks, __start_cairn_static_branches,
                                            (const void *)(start + 8)),
                     EBADMSG);
}

static void a_target_out_of_reach_is_an_error(void **state)
{
    struct cairn_static_keys other;

    (void)state;
    made.branch = (struct cairn_static_branch){.code = INT32_MIN, .target = INT32_MAX};
    assert_int_equal(cairn_static_keys_init(&other, &hooks, &made.branch, &made.branch + 1),
                     ERANGE);
}

/* ---- threads ---- */

enum { UNSTABLE, STABLE_OFF, STABLE_ON, DONE };

static int phase;

static void *hammer(void *wrong)
{
    int before;

    do {
        unsigned seen;
        int after;

        before = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
        seen = red_sites_seen();
        after = __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
        if (before == after &&
            ((before == STABLE_ON && seen != 3) || (before == STABLE_OFF && seen != 0)))
            __atomic_fetch_add((unsigned *)wrong, 1, __ATOMIC_RELAXED);
    } while (before != DONE);
    return NULL;
}

static void set_phase(int to)
{
    __atomic_store_n(&phase, to, __ATOMIC_SEQ_CST);
}

static void threads_may_run_sites_while_they_are_patched(void **state)
{
    pthread_t threads[3];
    unsigned wrong = 0;

    (void)state;
    set_phase(STABLE_OFF);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &wrong), 0);
    for (unsigned i = 0; i < 5000; i++) {
        set_phase(UNSTABLE);
        assert_int_equal(cairn_static_keys_enable(&keys, &red), 0);
        set_phase(STABLE_ON);
        assert_int_equal(red_sites_seen(), 3);
        set_phase(UNSTABLE);
        assert_int_equal(cairn_static_keys_disable(&keys, &red), 0);
        set_phase(STABLE_OFF);
        assert_int_equal(red_sites_seen(), 0);
    }
    set_phase(DONE);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
}

static void *toggle(void *key)
{
    for (unsigned i = 0; i < 5000; i++) {
        if (cairn_static_keys_enable(&keys, key) || cairn_static_keys_disable(&keys, key))
            return key;
    }
    return NULL;
}

static void threads_may_change_keys_concurrently(void **state)
{
    struct cairn_static_key *of[4] = {&red, &green, &red, &green};
    pthread_t threads[4];
    unsigned wrong = 0;
    pthread_t runner;

    (void)state;
    set_phase(UNSTABLE);
    assert_int_equal(cairn_static_keys_enable(&keys, &green), 0);
    assert_int_equal(pthread_create(&runner, NULL, hammer, &wrong), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, toggle, of[i]), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    set_phase(DONE);
    pthread_join(runner, NULL);
    assert_int_equal(assert_sites(&red, false), 3);
    assert_int_equal(assert_sites(&green, true), 1);
    assert_int_equal(cairn_static_keys_disable(&keys, &green), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sites_are_no_ops_until_their_key_is_enabled),
        TEST(all_sites_of_a_key_are_patched_with_three_synchronizations),
        TEST(keys_changed_together_are_patched_with_three_synchronizations),
        TEST(of_several_keys_only_the_one_that_fails_is_undone),
        TEST(a_key_stays_enabled_until_it_was_disabled_as_often_as_enabled),
        TEST(an_overflow_of_the_count_is_an_error),
        TEST(a_key_without_sites_has_a_count),
        TEST(a_thread_that_traps_at_a_site_continues_at_its_new_target),
        TEST(a_breakpoint_that_is_not_a_site_is_not_handled),
        TEST(changes_during_patching_are_done_before_the_patcher_returns),
        TEST(a_key_may_be_disabled_while_it_is_being_enabled),
        TEST(a_failed_write_restores_all_sites),
        TEST(sites_that_cannot_be_restored_still_run),
        TEST(an_error_in_a_change_by_another_caller_is_retried),
        TEST(sites_added_later_take_the_state_of_their_key),
        TEST(without_sites_a_host_is_not_needed),
        TEST(a_host_that_cannot_patch_is_an_error),
        TEST(bytes_that_are_not_a_site_are_an_error),
        TEST(a_section_with_half_a_site_is_an_error),
        TEST(a_target_out_of_reach_is_an_error),
        TEST(threads_may_run_sites_while_they_are_patched),
        TEST(threads_may_change_keys_concurrently),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
