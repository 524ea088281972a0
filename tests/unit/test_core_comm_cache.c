/* SPDX-License-Identifier: MIT */
/* Test of the cache of task names: it is bounded, and never shows a torn name while others
 * write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cairn/kernel/comm_cache.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static _Alignas(8) char memory[65536];

static struct cairn_comm_cache new_cache(uint32_t names)
{
    struct cairn_comm_cache cache;

    memset(memory, 0xa5, sizeof(memory));
    assert_true(cairn_comm_cache_memory_bytes(names) <= sizeof(memory));
    assert_int_equal(cairn_comm_cache_init(&cache, memory, cairn_comm_cache_memory_bytes(names)),
                     0);
    return cache;
}

static void push(struct cairn_comm_cache *cache, uint32_t tid, const char *name)
{
    char comm[CAIRN_COMM_BYTES] = "";

    memcpy(comm, name, strnlen(name, sizeof(comm)));
    cairn_comm_cache_push(cache, tid, comm);
}

/* The name of a thread, or "?" if it is unknown. */
static const char *found(const struct cairn_comm_cache *cache, uint32_t tid)
{
    static char comm[CAIRN_COMM_BYTES];
    int err = cairn_comm_cache_find(cache, tid, comm);

    assert_true(err == 0 || err == ENOENT);
    return err ? "?" : comm;
}

static void a_name_is_found_by_its_thread(void **state)
{
    struct cairn_comm_cache cache = new_cache(128);

    (void)state;
    assert_string_equal(found(&cache, 1), "?");
    push(&cache, 1, "init");
    push(&cache, 4194304, "kworker/0:1");
    push(&cache, UINT32_MAX, "odd");
    assert_string_equal(found(&cache, 1), "init");
    assert_string_equal(found(&cache, 4194304), "kworker/0:1");
    assert_string_equal(found(&cache, UINT32_MAX), "odd");
    assert_string_equal(found(&cache, 2), "?");
}

static void a_thread_may_change_its_name(void **state)
{
    struct cairn_comm_cache cache = new_cache(128);

    (void)state;
    push(&cache, 7, "bash");
    push(&cache, 7, "a longer name!!");
    assert_string_equal(found(&cache, 7), "a longer name!!");
    push(&cache, 7, "ls");
    assert_string_equal(found(&cache, 7), "ls");
}

static void thread_0_has_no_name(void **state)
{
    struct cairn_comm_cache cache = new_cache(4);

    (void)state;
    push(&cache, 0, "swapper/0");
    assert_string_equal(found(&cache, 0), "?");
}

static void a_name_without_a_nul_is_truncated(void **state)
{
    struct cairn_comm_cache cache = new_cache(1);

    (void)state;
    push(&cache, 3, "0123456789abcdef");
    assert_string_equal(found(&cache, 3), "0123456789abcde");
}

static void a_full_bucket_drops_its_oldest_name(void **state)
{
    struct cairn_comm_cache cache = new_cache(4); /* one bucket */
    char name[16];

    (void)state;
    for (uint32_t tid = 1; tid <= 40; tid++) {
        snprintf(name, sizeof(name), "task %u", tid);
        push(&cache, tid, name);
        assert_string_equal(found(&cache, tid), name);
        if (tid > 4)
            assert_string_equal(found(&cache, tid - 4), "?");
        if (tid > 3)
            assert_string_not_equal(found(&cache, tid - 3), "?");
    }
}

static void the_cache_holds_as_many_names_as_requested(void **state)
{
    struct cairn_comm_cache cache = new_cache(128);
    uint32_t known = 0;
    char name[16];

    (void)state;
    for (uint32_t tid = 1000; tid < 1128; tid++) {
        snprintf(name, sizeof(name), "%u", tid);
        push(&cache, tid, name);
    }
    for (uint32_t tid = 1000; tid < 1128; tid++) {
        snprintf(name, sizeof(name), "%u", tid);
        known += strcmp(found(&cache, tid), name) == 0;
    }
    assert_true(known >= 120); /* few neighbouring ids share a bucket */
}

static void invalid_sizes_are_refused(void **state)
{
    struct cairn_comm_cache cache = {.bucket_count = 77};

    (void)state;
    assert_int_equal(cairn_comm_cache_memory_bytes(1), 4 * sizeof(struct cairn_comm_entry));
    assert_int_equal(cairn_comm_cache_memory_bytes(5), 8 * sizeof(struct cairn_comm_entry));
    assert_true(cairn_comm_cache_memory_bytes(UINT32_MAX) > 1ull << 32);
    assert_int_equal(cairn_comm_cache_init(&cache, memory, cairn_comm_cache_memory_bytes(1) - 1),
                     EINVAL);
    assert_int_equal(cairn_comm_cache_init(&cache, memory + 4, 4096), EINVAL);
    assert_int_equal(cairn_comm_cache_init(&cache, NULL, 4096), EINVAL);
    assert_int_equal(cache.bucket_count, 77);
}

static void the_text_lists_all_names(void **state)
{
    struct cairn_comm_cache cache = new_cache(4);
    char text_memory[256] = "";
    struct cairn_text text = cairn_text(text_memory, sizeof(text_memory) - 1);

    (void)state;
    cairn_comm_cache_text(&cache, &text);
    assert_int_equal(cairn_text_length(&text), 0);
    push(&cache, 12, "twelve");
    push(&cache, 4000000, "a name of blanks");
    cairn_comm_cache_text(&cache, &text);
    assert_string_equal(text_memory, "12 twelve\n4000000 a name of blank\n");

    text = cairn_text(text_memory, 12);
    cairn_comm_cache_text(&cache, &text); /* whole lines */
    assert_true(text.full);
    assert_int_equal(cairn_text_length(&text), 10);
}

/* Names that repeat one letter: a torn one would contain two letters. */
static void push_letters(struct cairn_comm_cache *cache, uint32_t tid, uint32_t turn)
{
    char comm[CAIRN_COMM_BYTES];

    memset(comm, 'a' + (int)(turn % 26), sizeof(comm));
    cairn_comm_cache_push(cache, tid, comm);
}

static bool check_letters(const struct cairn_comm_cache *cache, uint32_t tid)
{
    char comm[CAIRN_COMM_BYTES];

    if (cairn_comm_cache_find(cache, tid, comm))
        return false;
    for (uint32_t i = 1; i < CAIRN_COMM_BYTES - 1; i++) {
        if (comm[i] != comm[0])
            abort();
    }
    return comm[0] >= 'a' && comm[0] <= 'z' && !comm[CAIRN_COMM_BYTES - 1];
}

static struct cairn_comm_cache shared;
static uint32_t done;

static void *write_names(void *first_tid)
{
    for (uint32_t i = 0; i < 300000; i++)
        push_letters(&shared, (uint32_t)(uintptr_t)first_tid + i % 3, i);
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void *read_names(void *ret_found)
{
    uint32_t found_count = 0;

    /* The last names stay, for a reader that begins late. */
    while (__atomic_load_n(&done, __ATOMIC_RELAXED) < 2 || !found_count) {
        for (uint32_t tid = 1; tid <= 8; tid++)
            found_count += check_letters(&shared, tid);
    }
    *(uint32_t *)ret_found = found_count;
    return NULL;
}

/* Six threads have their names in one bucket of four entries: each entry is overwritten all the
 * time. */
static void a_name_is_never_torn(void **state)
{
    pthread_t writers[2], readers[2];
    uint32_t found_counts[2] = {0};

    (void)state;
    shared = new_cache(4);
    done = 0;
    for (uintptr_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, write_names, (void *)(1 + 4 * i)), 0);
        assert_int_equal(pthread_create(&readers[i], NULL, read_names, &found_counts[i]), 0);
    }
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(writers[i], NULL), 0);
        assert_int_equal(pthread_join(readers[i], NULL), 0);
        assert_true(found_counts[i] > 0);
    }
}

static volatile sig_atomic_t interrupts;

static void interrupt(int signal)
{
    (void)signal;
    push_letters(&shared, 2, (uint32_t)interrupts);
    check_letters(&shared, 1);
    interrupts++;
}

/* An interrupt like an NMI: at any instruction of the writer, for which it must not wait. */
static void an_interrupt_may_push_and_look_up_while_an_entry_is_written(void **state)
{
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};

    (void)state;
    shared = new_cache(1);
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (uint32_t i = 0; interrupts < 200; i++) {
        push_letters(&shared, 1 + i % 2, i);
        check_letters(&shared, 2);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    push_letters(&shared, 1, 0);
    assert_true(check_letters(&shared, 1)); /* no entry is half written */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_found_by_its_thread),
        cmocka_unit_test(a_thread_may_change_its_name),
        cmocka_unit_test(thread_0_has_no_name),
        cmocka_unit_test(a_name_without_a_nul_is_truncated),
        cmocka_unit_test(a_full_bucket_drops_its_oldest_name),
        cmocka_unit_test(the_cache_holds_as_many_names_as_requested),
        cmocka_unit_test(invalid_sizes_are_refused),
        cmocka_unit_test(the_text_lists_all_names),
        cmocka_unit_test(a_name_is_never_torn),
        cmocka_unit_test(an_interrupt_may_push_and_look_up_while_an_entry_is_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
