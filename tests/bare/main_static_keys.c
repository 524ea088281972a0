/* SPDX-License-Identifier: MIT */
/*
 * Test of static keys on two CPUs: one CPU changes keys while the other one, and both CPUs' timers,
 * run the sites. The bytes of the code are compared.
 */
#include "bare.h"

#include "sites.h"

#include "core/errno.h"

#define ROUNDS_MIN 20u
#define ROUNDS     200u
#define HOST_ERROR 5 /* returned by the host in one test */
#define TICK_US    150u
#define MAX_NS     3000000000u /* a slow machine runs fewer rounds */

static struct cairn_static_key first_key = CAIRN_STATIC_KEY_INIT;
static struct cairn_static_key second_key = CAIRN_STATIC_KEY_INIT;
static struct cairn_static_keys keys;

/* ---- sites ---- */

__attribute__((noinline)) static bool first_site(void)
{
    return cairn_static_branch(&first_key);
}

__attribute__((noinline)) static bool second_site(void)
{
    return cairn_static_branch(&second_key);
}

/* Two sites of the first key, and one of the other key between them. */
__attribute__((noinline)) static unsigned more_sites(void)
{
    unsigned seen = 0;

    if (cairn_static_branch(&first_key))
        seen |= 1;
    if (cairn_static_branch(&second_key))
        seen |= 4;
    if (cairn_static_branch(&first_key))
        seen |= 2;
    return seen;
}

/* Number of the first key's three sites that jump. */
static unsigned jumping(void)
{
    unsigned seen = more_sites();

    return first_site() + (seen & 1) + (seen >> 1 & 1);
}

/* ---- the host ---- */

static unsigned failing_writes;
static void (*sync_hook)(void);

static int write_text(void *at, const void *bytes, size_t size_bytes)
{
    if (failing_writes) {
        failing_writes--;
        return HOST_ERROR;
    }
    return bare_write_text(at, bytes, size_bytes);
}

static void sync_cores(void)
{
    bare_sync_cores();
    if (sync_hook)
        sync_hook();
}

static const struct cairn_static_key_host host = {write_text, sync_cores};

#if defined(__x86_64__)
static unsigned traps;

static uintptr_t on_breakpoint(uintptr_t ip)
{
    __atomic_fetch_add(&traps, 1, __ATOMIC_RELAXED);
    return cairn_static_keys_trap(&keys, ip);
}
#endif

/* ---- checks ---- */

static void check_at_rest(void)
{
    bare_show_site(&first_key);
    bare_check(bare_sites_hold(&first_key, false), "sites are no-ops at first");
    bare_check_equal(jumping(), 0, "disabled sites do not jump");
    bare_check_equal((uint64_t)cairn_static_keys_enable(&keys, &first_key), 0, "enable");
    bare_show_site(&first_key);
    bare_check(bare_sites_hold(&first_key, true), "sites of an enabled key are jumps");
    bare_check(bare_sites_hold(&second_key, false), "sites of the other key are still no-ops");
    bare_check_equal(jumping(), 3, "enabled sites jump");
    bare_check_equal(more_sites(), 3, "the other key's site does not");
    bare_check_equal((uint64_t)cairn_static_keys_disable(&keys, &first_key), 0, "disable");
    bare_check(bare_sites_hold(&first_key, false), "sites are no-ops again");
    bare_check_equal(jumping(), 0, "disabled sites do not jump again");
}

static void check_errors(void)
{
    failing_writes = 1;
    bare_check_equal((uint64_t)cairn_static_keys_enable(&keys, &first_key), HOST_ERROR,
                     "an error of the host is returned");
    bare_check(bare_sites_hold(&first_key, false), "the code is unchanged after the error");
    bare_check_equal(cairn_static_key_is_enabled(&first_key), false, "the key is unchanged, too");
    bare_check_equal((uint64_t)cairn_static_keys_disable(&keys, &first_key), EINVAL,
                     "a key that is not enabled cannot be disabled");
}

#if defined(__x86_64__)
static unsigned seen_in_sync;

static void run_in_sync(void)
{
    seen_in_sync = seen_in_sync * 4 + jumping();
}

static void check_traps(void)
{
    unsigned before = traps;

    sync_hook = run_in_sync;
    cairn_static_keys_enable(&keys, &first_key);
    bare_check_equal(seen_in_sync, 3 * 16 + 3 * 4 + 3,
                     "a CPU that traps continues at the jump's target");
    seen_in_sync = 0;
    cairn_static_keys_disable(&keys, &first_key);
    bare_check_equal(seen_in_sync, 0, "a CPU that traps continues after the no-op");
    bare_check_equal(traps - before, 12, "sites trap in two of three steps");
    sync_hook = NULL;
}
#endif

/* ---- one CPU changes keys, all run the sites ---- */

enum { UNSTABLE, OFF, ON, DONE };

static uint32_t phase;
static uint32_t wrong;
static uint32_t ran[BARE_CPUS][2]; /* counts of runs in timers and on the second CPU, with the key
                                    * disabled and enabled */
static uint32_t ticks[BARE_CPUS];

static void set_phase(uint32_t to)
{
    __atomic_store_n(&phase, to, __ATOMIC_SEQ_CST);
}

/* If the key did not change meanwhile, all its sites must agree. */
static uint32_t run_sites(void)
{
    uint32_t before = __atomic_load_n(&phase, __ATOMIC_SEQ_CST);
    unsigned seen = jumping();
    uint32_t after = __atomic_load_n(&phase, __ATOMIC_SEQ_CST);

    if (before == after && ((before == ON && seen != 3) || (before == OFF && seen != 0)))
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    if (seen == 0 || seen == 3)
        __atomic_fetch_add(&ran[bare_cpu()][seen / 3], 1, __ATOMIC_RELAXED);
    return before;
}

static void tick(void)
{
    ticks[bare_cpu()]++;
    run_sites();
}

static void run_until_done(void)
{
    bare_timer(TICK_US);
    while (run_sites() != DONE)
        ;
    bare_timer(0);
}

static void check_under_fire(void)
{
    uint64_t start = bare_now_ns();
    uint32_t errors = 0;
    uint32_t rounds = 0;

    set_phase(OFF);
    bare_timer_hook = tick;
    bare_second_begin(run_until_done);
    bare_timer(TICK_US);
    for (; rounds < ROUNDS_MIN || (rounds < ROUNDS && bare_now_ns() - start < MAX_NS); rounds++) {
        set_phase(UNSTABLE);
        errors += cairn_static_keys_enable(&keys, &first_key) != 0;
        set_phase(ON);
        errors += jumping() != 3;
        set_phase(UNSTABLE);
        errors += cairn_static_keys_disable(&keys, &first_key) != 0;
        set_phase(OFF);
        errors += jumping() != 0;
    }
    set_phase(DONE);
    bare_second_wait();
    bare_timer(0);
    bare_timer_hook = NULL;
    bare_check_equal(errors, 0,
                     "while the other CPU and timers run the sites, each change is effective when "
                     "it returns");
    bare_check_equal(wrong, 0, "each change is effective on all CPUs");
    bare_check(ran[1][0] && ran[1][1], "the other CPU has run disabled and enabled sites");
    bare_check(ticks[0] && ticks[1], "timers came on both CPUs");
    bare_check(bare_sites_hold(&first_key, false), "sites are no-ops in the end");
}

/* ---- all CPUs and timers change keys ---- */

static uint32_t toggles[BARE_CPUS];
static uint32_t toggle_errors;

static void toggle(struct cairn_static_key *key)
{
    if (cairn_static_keys_enable(&keys, key) || cairn_static_keys_disable(&keys, key))
        __atomic_fetch_add(&toggle_errors, 1, __ATOMIC_RELAXED);
}

static void toggling_tick(void)
{
    toggles[bare_cpu()]++;
    toggle(&second_key);
}

static void toggle_for_a_while(void)
{
    uint64_t start = bare_now_ns();

    bare_timer(TICK_US);
    do {
        toggle(&first_key);
        jumping();
        second_site();
    } while (bare_now_ns() - start < 200000000u);
    bare_timer(0);
}

static void check_all_change(void)
{
    cairn_static_keys_enable(&keys, &second_key);
    bare_timer_hook = toggling_tick;
    bare_second_begin(toggle_for_a_while);
    toggle_for_a_while();
    bare_second_wait();
    bare_timer_hook = NULL;
    bare_check(toggles[0] && toggles[1], "timers change keys while CPUs change keys");
    bare_check_equal(toggle_errors, 0, "changes by timers return no error");
    bare_check(bare_sites_hold(&first_key, false), "a key that is disabled in the end has no-ops");
    bare_check(bare_sites_hold(&second_key, true), "a key that is enabled in the end has jumps");
    bare_check(second_site(), "its site jumps");
}

void bare_main(void)
{
    int err;

#if defined(__x86_64__)
    bare_breakpoint_hook = on_breakpoint;
#endif
    err = cairn_static_keys_init(&keys, &host, __start_cairn_static_branches,
                                 __stop_cairn_static_branches);
    bare_check_equal((uint64_t)err, 0, "static keys are initialized");
    if (err)
        return;
    check_at_rest();
    check_errors();
#if defined(__x86_64__)
    check_traps();
#endif
    check_under_fire();
    check_all_change();
}
