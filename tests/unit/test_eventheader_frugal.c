/* SPDX-License-Identifier: MIT */
/*
 * Test of the cost of writing an enabled event through the local engine: no system call, no
 * allocation, and no search for the end of text whose length is given.
 */
#include "engine_test.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <uchar.h>

CAIRN_PROVIDER(frugal_provider, "EhFrugal");

/* ---- counted functions: the library's calls come to these wrappers (meson.build, --wrap) ---- */

static unsigned memory_calls, length_calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
size_t __real_strlen(const char *text);
size_t __real_strnlen(const char *text, size_t limit);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
size_t __wrap_strlen(const char *text);
size_t __wrap_strnlen(const char *text, size_t limit);

void *__wrap_malloc(size_t size)
{
    memory_calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    memory_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    memory_calls++;
    return __real_realloc(memory, size);
}

size_t __wrap_strlen(const char *text)
{
    length_calls++;
    return __real_strlen(text);
}

size_t __wrap_strnlen(const char *text, size_t limit)
{
    length_calls++;
    return __real_strnlen(text, limit);
}

/* ---- events ---- */

static struct cairn_dynamic_provider *provider;
static struct cairn_event_set *set;
static struct cairn_builder *builder;
static char long_text[2001];

static int prepare(void **state)
{
    memset(long_text, 'x', sizeof(long_text) - 1);
    return set_up(state) || cairn_provider_register(&frugal_provider) ||
           cairn_dynamic_provider_create("EhFrugalBuilt", NULL, &provider) ||
           cairn_event_set_register(provider, CAIRN_LEVEL_WARNING, 1, &set) ||
           cairn_builder_create(&builder);
}

static int clean_up(void **state)
{
    cairn_builder_destroy(builder);
    return cairn_dynamic_provider_destroy(provider) ||
           cairn_provider_unregister(&frugal_provider) || tear_down(state);
}

static int write_mixed(uint32_t i)
{
    static const uint64_t numbers[] = {1, 2, 3};

    return CAIRN_WRITE_EVENT(frugal_provider, "Mixed", level(WARNING), keyword(0x23),
                             u32("Number", i), str8("Text", "short"), cstr8("Text", "short"),
                             u64_slice("Numbers", numbers, 3), binary("Bytes", &i, sizeof(i)),
                             struct("Inner", f64("Real", i), bool8("Odd", i % 2)));
}

/* Events with up to three arguments and events with more use different functions. */
static int write_counted(uint32_t i)
{
    static const char16_t wide[] = u"wide";
    int error = CAIRN_WRITE_EVENT(frugal_provider, "Two", str8_n("Text", long_text, i % 2000));

    return error ? error
                 : CAIRN_WRITE_EVENT(frugal_provider, "Counted", u32("Number", i),
                                     str8_n("Text", long_text, 1000), str16_n("Wide", wide, 4),
                                     str8_json_n("Json", "{}", 2), binary("Bytes", long_text, 300),
                                     u8_slice("Slice", (const uint8_t *)long_text, 500),
                                     guid("Id", (const uint8_t *)long_text),
                                     ip_address("Ip", long_text, 4));
}

static int write_built(uint32_t i)
{
    cairn_builder_begin(builder, "Built", 0);
    cairn_builder_u32(builder, "Number", i);
    cairn_builder_str8(builder, "Text", "text");
    cairn_builder_binary(builder, "Bytes", long_text, 100);
    return cairn_builder_write(builder, set, NULL, NULL);
}

/* ---- system calls ---- */

#define EVENT_COUNT 100000

/* After this call any system call but exit kills the process. Returns false if the kernel has no
 * seccomp filters. */
static bool forbid_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum { WELL, FAILED, NO_FILTERS };

/* Runs in a child. Each chunk of the pool gets its memory at its first use: all are used once
 * before system calls are forbidden. */
static _Noreturn void write_without_system_calls(int (*write_one)(uint32_t i), int *pool_is_full)
{
    uint32_t taken = 0;
    int error = 0;

    while (!error)
        error = write_one(0);
    __atomic_store_n(pool_is_full, 1, __ATOMIC_RELEASE);
    if (!forbid_system_calls())
        syscall(SYS_exit_group, NO_FILTERS);
    while (taken < EVENT_COUNT && (!error || error == ENOSPC)) {
        error = write_one(taken);
        taken += !error;
    }
    syscall(SYS_exit_group, taken < EVENT_COUNT ? FAILED : WELL);
    abort();
}

/* Publishes the calibration as recorders do: a reader of the clock that finds none up to date
 * checks whether recorders live. */
static void *keep_clock(void *is_over)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct engine_clock_publisher publisher = {0};

    while (!__atomic_load_n((int *)is_over, __ATOMIC_ACQUIRE)) {
        engine_clock_publish(&publisher, &recorder.registry->clock);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

/* True if no recorder can publish a calibration: the time stamp counter is unreliable. */
static bool the_clock_cannot_be_calibrated(void)
{
    struct engine_clock_publisher publisher = {0};

    engine_clock_publish(&publisher, &recorder.registry->clock);
    return publisher.usable < 0;
}

/* Records the child's events until it has ended. Returns its exit status. */
static int record_child(int (*write_one)(uint32_t i))
{
    struct engine_session session = begin("EhFrugal*");
    pthread_t keeper;
    int is_over = 0;
    int *pool_is_full =
        mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t records = 0;
    pid_t pid;
    int status;

    assert_true(pool_is_full != MAP_FAILED);
    pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        write_without_system_calls(write_one, pool_is_full);
    assert_int_equal(pthread_create(&keeper, NULL, keep_clock, &is_over), 0);
    while (!waitpid(pid, &status, WNOHANG))
        if (__atomic_load_n(pool_is_full, __ATOMIC_ACQUIRE))
            records += read_session(&session).records;
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    assert_int_equal(pthread_join(keeper, NULL), 0);
    munmap(pool_is_full, sizeof(int));
    end(&session);
    assert_true(status || records >= EVENT_COUNT / 2); /* the session was recording meanwhile */
    return status;
}

/* If reading the clock is a system call, writing makes one, too. */
static bool reading_the_clock_is_a_system_call(void)
{
    pid_t pid = fork();
    int status;

    assert_true(pid >= 0);
    if (!pid) {
        struct timespec now;

        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        if (forbid_system_calls())
            (void)clock_gettime(CLOCK_MONOTONIC, &now);
        syscall(SYS_exit_group, WELL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status != 0;
}

static void writing_makes_no_system_call(void **state)
{
    int (*const writers[])(uint32_t i) = {write_mixed, write_counted, write_built};

    (void)state;
    if (reading_the_clock_is_a_system_call() || the_clock_cannot_be_calibrated())
        skip();
    for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
        int status = record_child(writers[i]);

        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
            skip();
        assert_int_equal(status, 0);
    }
}

static void a_system_call_would_be_detected(void **state)
{
    pid_t pid = fork();
    int status;

    (void)state;
    assert_true(pid >= 0);
    if (!pid) {
        if (!forbid_system_calls())
            syscall(SYS_exit_group, NO_FILTERS);
        (void)getppid();
        syscall(SYS_exit_group, WELL);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
        skip();
    assert_true(WIFSIGNALED(status));
}

/* ---- allocations, and searches for the end of text ---- */

static void writing_allocates_no_memory(void **state)
{
    struct engine_session session = begin("EhFrugal*");

    (void)state;
    assert_int_equal(write_mixed(0) || write_counted(0) || write_built(0), 0);
    memory_calls = 0;
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(write_mixed(i) || write_counted(i) || write_built(i), 0);
    assert_int_equal(memory_calls, 0);
    cairn_builder_destroy(builder);
    assert_int_equal(cairn_builder_create(&builder), 0); /* this call allocates */
    assert_true(memory_calls > 0);
    end(&session);
}

static void the_end_of_counted_fields_is_not_searched(void **state)
{
    struct engine_session session = begin("EhFrugal_*");

    (void)state;
    assert_int_equal(write_counted(0), 0);
    length_calls = 0;
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(write_counted(i), 0);
    assert_int_equal(length_calls, 0);
    /* The end of a long text without a given length is searched for. */
    assert_int_equal(CAIRN_WRITE_EVENT(frugal_provider, "Long", str8("Text", long_text)), 0);
    assert_true(length_calls > 0);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_makes_no_system_call),
        cmocka_unit_test(a_system_call_would_be_detected),
        cmocka_unit_test(writing_allocates_no_memory),
        cmocka_unit_test(the_end_of_counted_fields_is_not_searched),
    };

    return cmocka_run_group_tests(tests, prepare, clean_up);
}
