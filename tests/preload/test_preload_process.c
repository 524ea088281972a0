/* SPDX-License-Identifier: MIT */
/* Test of descriptors and enable bits in copies, children and executed programs. */
#include "by_book.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

static const char *own_path;

static void copies_of_a_descriptor_are_the_same_file(void **state)
{
    int copies[] = {dup(data), fcntl(data, F_DUPFD_CLOEXEC, 50), dup2(data, 60),
                    dup3(data, 61, O_CLOEXEC)};

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(fcntl(copies[0], F_GETFL) & O_ACCMODE, O_RDWR);
    close(data);
    for (size_t i = 0; i < 4; i++) {
        assert_true(copies[i] > 0);
        assert_int_equal(write_number(copies[i], index_of, 1), 0);
        close(copies[i]);
    }
    assert_int_equal(write_number(data, index_of, 1), EBADF);
    assert_int_equal(traced("by_book: a="), 4);
    data = open_data();
}

/* A descriptor that was closed without the C library, and whose number belongs to another file. */
static void a_reused_number_belongs_to_the_other_file(void **state)
{
    char path[] = "/tmp/cairn-test-XXXXXX";
    int copy = dup(data);
    int other = mkstemp(path);
    struct stat st;

    (void)state;
    (void)syscall(SYS_close, copy);
    assert_int_equal(syscall(SYS_dup2, other, copy), copy);
    assert_int_equal(write(copy, "text", 4), 4);
    assert_int_equal(fstat(other, &st), 0);
    assert_int_equal(st.st_size, 4);
    (void)unlink(path);
    close(copy);
    close(other);
    assert_int_equal(write_number(data, index_of, 1),
                     EBADF); /* of a disabled event: the descriptor is still tracefs's */
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
}

/* A program may expect the lowest number that is free. What serves it opens files when listeners
 * change. */
static void no_number_is_taken_meanwhile(void **state)
{
    int lowest = dup(STDIN_FILENO);

    (void)state;
    close(lowest);
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(enable("by_book", i % 2 == 0), 0);
        (void)write_number(data, index_of, i);
        for (uint32_t j = 0; j < 50; j++) {
            int fd = dup(STDIN_FILENO);

            assert_int_equal(fd, lowest);
            close(fd);
        }
    }
}

static void a_child_writes_with_inherited_descriptors(void **state)
{
    pid_t pid;

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    pid = fork();
    if (pid == 0)
        _exit(write_number(data, index_of, 5) || word != 1);
    assert_int_equal(status_of(pid), 0);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* bypasses the C library */
    if (pid == 0)
        _exit(write_number(data, index_of, 5));
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(traced("by_book: a=0x5 (5)"), 2);
}

/* An open file has one table of events, in all processes that have it. */
static void a_parent_can_write_events_that_its_child_registered(void **state)
{
    uint32_t other_word = 0;
    uint32_t second = 0;
    int ends[2];
    char go;
    pid_t pid;

    (void)state;
    skip_by_library();
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        int error = reg(data, "by_child u32 a", &other_word, &second) || second != 1;

        _exit(error || write(ends[1], "x", 1) != 1 || enable("by_child", true) ? 1 : 0);
    }
    assert_int_equal(read(ends[0], &go, 1), 1);
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(write_number(data, 1, 6), 0);
    assert_int_equal(traced("by_child: a=0x6 (6)"), 1);
    assert_int_equal(enable("by_child", false), 0);
    close(ends[0]);
    close(ends[1]);
}

#define CHILDREN 4u
#define OF_EACH  200u

/* Registers event `number` of a child and returns its write index. */
static int reg_of_child(uint32_t child, uint32_t number, uint32_t *index)
{
    static uint32_t words[CHILDREN][OF_EACH];
    char command[48];

    (void)snprintf(command, sizeof(command), "of_%u_%u u32 a", child, number);
    return reg_word(data, command, &words[child][number], 4, 0, 0, index);
}

static void children_that_register_concurrently_get_separate_indexes(void **state)
{
    uint32_t(*indexes)[OF_EACH] = mmap(NULL, CHILDREN * sizeof(*indexes), PROT_READ | PROT_WRITE,
                                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t children[CHILDREN];

    (void)state;
    skip_by_library();
    assert_true(indexes != MAP_FAILED);
    for (uint32_t c = 0; c < CHILDREN; c++) {
        children[c] = fork();
        for (uint32_t i = 0; children[c] == 0 && i < OF_EACH; i++) {
            if (reg_of_child(c, i, &indexes[c][i]))
                _exit(1);
        }
        if (children[c] == 0)
            _exit(0);
    }
    for (uint32_t c = 0; c < CHILDREN; c++)
        assert_int_equal(status_of(children[c]), 0);
    for (uint32_t n = 0; n < CHILDREN * OF_EACH; n++) {
        uint32_t index;

        assert_int_equal(reg_of_child(n / OF_EACH, n % OF_EACH, &index), 0);
        assert_int_equal(index, indexes[n / OF_EACH][n % OF_EACH]);
    }
    munmap(indexes, CHILDREN * sizeof(*indexes));
}

static void an_executed_program_writes_with_inherited_descriptors(void **state)
{
    pid_t pid;

    (void)state;
    skip_by_library();
    assert_int_equal(enable("by_book", true), 0);
    pid = fork();
    if (pid == 0) {
        (void)dup2(data, 9);
        (void)execl(own_path, own_path, "write-9", NULL);
        _exit(99);
    }
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(traced("by_book: a=0x309 (777)"), 1);
}

/* ---- passing descriptors ---- */

static int spawn(const posix_spawn_file_actions_t *actions, const char *what)
{
    char *const arguments[] = {(char *)(uintptr_t)own_path, (char *)(uintptr_t)what, NULL};
    pid_t pid;

    assert_int_equal(posix_spawn(&pid, own_path, actions, NULL, arguments, environ), 0);
    return status_of(pid);
}

static void posix_spawn_actions_open_files_in_the_child(void **state)
{
    posix_spawn_file_actions_t actions;

    (void)state;
    skip_by_library();
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(
        posix_spawn_file_actions_addopen(&actions, 9, TRACING "user_events_data", O_RDWR, 0), 0);
    assert_int_equal(spawn(&actions, "register-9"), 0);
    assert_int_equal(spawn(&actions, "register-9"), 0); /* the actions can be reused */
    assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
    assert_int_equal(traced("by_book: a=0x309 (777)"), 2);

    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 9, EVENT "by_book/enable",
                                                      O_WRONLY | O_TRUNC, 0),
                     0);
    assert_int_equal(spawn(&actions, "disable-9"), 0);
    assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
    assert_true(becomes(&word, 0));

    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_addchdir_np(&actions, EVENT "by_book"), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&actions, 9, TRACING "nothing", O_RDWR, 0),
                     0);
    assert_int_equal(posix_spawn(&(pid_t){0}, own_path, &actions, NULL,
                                 (char *const[]){(char *)(uintptr_t)own_path, NULL}, environ),
                     ENOENT);
    assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
}

static void posix_spawn_actions_copy_descriptors(void **state)
{
    posix_spawn_file_actions_t actions;

    (void)state;
    skip_by_library();
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, data, 9), 0);
    assert_int_equal(spawn(&actions, "write-9"), 0);
    assert_int_equal(posix_spawn_file_actions_destroy(&actions), 0);
    assert_int_equal(traced("by_book: a=0x309 (777)"), 1);
}

/* A child of posix_spawn shares the program's memory until it executes another. While it does, bits
 * change, and children are looked for; tear_down waits until the event is gone. */
static void executed_children_keep_no_words(void **state)
{
    char *const arguments[] = {(char *)(uintptr_t) "true", NULL};
    pid_t pids[8];

    (void)state;
    for (uint32_t round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++) {
            assert_int_equal(posix_spawn(&pids[i], "/bin/true", NULL, NULL, arguments, environ), 0);
            assert_int_equal(enable("by_book", i % 2 == 0), 0);
        }
        for (size_t i = 0; i < sizeof(pids) / sizeof(*pids); i++)
            assert_int_equal(status_of(pids[i]), 0);
    }
}

/* Space for one descriptor in a message of one byte. */
union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static bool send_descriptor(int socket, int fd)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union control control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(fd));
    memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    return sendmsg(socket, &message, 0) == 1;
}

static int receive_descriptor(int socket, bool many)
{
    char byte = 0;
    struct iovec part = {&byte, 1};
    union control control = {.bytes = {0}};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part,
                                          .msg_iovlen = 1,
                                          .msg_control = &control,
                                          .msg_controllen = sizeof(control)}};
    int fd;

    if (many ? recvmmsg(socket, &message, 1, 0, NULL) != 1
             : recvmsg(socket, &message.msg_hdr, 0) != 1)
        return -1;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message.msg_hdr)), sizeof(fd));
    return fd;
}

static int write_with_received_descriptor(int socket)
{
    for (uint32_t i = 0; i < 2; i++) {
        int fd = receive_descriptor(socket, i == 1);

        if (fd < 0 || write_number(fd, 0, 40 + i) || close(fd))
            return 1;
    }
    return 0;
}

static void a_descriptor_received_from_a_socket_is_the_same_file(void **state)
{
    int sockets[2];
    pid_t pid;
    int late;

    (void)state;
    skip_by_library();
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
    pid = fork();
    if (pid == 0)
        _exit(write_with_received_descriptor(sockets[1]));
    late = open_data(); /* the child does not have this one */
    assert_int_equal(reg_word(late, "by_book u32 a", &word, 4, 1, 0, &index_of), 0);
    assert_true(send_descriptor(sockets[0], late));
    assert_true(send_descriptor(sockets[0], late));
    close(late);
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(traced("by_book: a=0x28 (40)"), 1);
    assert_int_equal(traced("by_book: a=0x29 (41)"), 1);
    assert_int_equal(unreg(data, &word, 1), 0);
    close(sockets[0]);
    close(sockets[1]);
}

/* ---- shared memory ---- */

/* In a child that shares memory but not descriptors, closing has no effect on the parent. */
static int close_all(void *nothing)
{
    (void)nothing;
    for (int fd = 3; fd < 100; fd++)
        (void)close(fd);
    return 0;
}

static void a_child_that_shares_memory_closes_its_own_descriptors(void **state)
{
    static char stack[64 << 10] __attribute__((aligned(64)));
    pid_t pid;

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    pid = clone(close_all, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    assert_int_equal(status_of(pid), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
}

/* ---- enable bits ---- */

static void bits_of_both_sizes_are_set_and_cleared(void **state)
{
    uint64_t wide = 0;
    uint32_t high = 2;

    (void)state;
    assert_int_equal(reg_word(data, "by_book u32 a", &wide, 8, 63, 0, NULL), 0);
    assert_int_equal(reg_word(data, "by_book u32 a", &high, 4, 31, 0, NULL), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_true(word == 1 && wide == UINT64_C(1) << 63 && high == 0x80000002);
    assert_int_equal(enable("by_book", false), 0);
    assert_true(word == 0 && wide == 0 && high == 2);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(unreg(data, &wide, 63), 0);
    assert_int_equal(unreg(data, &high, 31), 0);
    assert_true(word == 1 && wide == 0 && high == 2);
}

/* The bit is on a page of its own, which is written after the fork; another process enables the
 * event. */
static void bits_are_updated_in_a_child_and_in_its_parent(void **state)
{
    pid_t child = fork();
    pid_t other;

    (void)state;
    if (child == 0) {
        (void)__atomic_fetch_or(&word, 0, __ATOMIC_RELAXED);
        _exit(!becomes(&word, 1) || !becomes(&word, 0));
    }
    other = fork();
    if (other == 0)
        _exit(enable("by_book", true));
    assert_int_equal(status_of(other), 0);
    assert_true(becomes(&word, 1));
    (void)usleep(100000);
    assert_int_equal(enable("by_book", false), 0);
    assert_int_equal(word, 0);
    assert_int_equal(status_of(child), 0);
}

static void a_child_unregisters_only_itself(void **state)
{
    pid_t child;

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    child = fork();
    if (child == 0)
        _exit(unreg(data, &word, 0) || word != 0);
    assert_int_equal(status_of(child), 0);
    assert_int_equal(word, 1);
}

/* ---- in every kind of process, bits are updated within ten milliseconds ---- */

struct times {
    uint32_t ready;
    uint32_t go;
    uint64_t begun_ns; /* before the write to the file */
    uint64_t seen_ns;  /* when both bits were set */
};

static struct times *times;
static uint64_t wide;

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool waits_for(const uint32_t *flag)
{
    uint64_t end = now_ns() + UINT64_C(100000000000);

    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && now_ns() < end)
        (void)usleep(100);
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* Reads the words, and calls no function that uses descriptors. */
static int watch(void *nothing)
{
    uint64_t end = now_ns() + UINT64_C(100000000000);

    (void)nothing;
    __atomic_store_n(&times->ready, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&word, __ATOMIC_RELAXED) ||
           __atomic_load_n(&wide, __ATOMIC_RELAXED) != UINT64_C(1) << 40) {
        if (now_ns() > end)
            return 1;
        (void)usleep(100);
    }
    times->seen_ns = now_ns();
    return 0;
}

static void *watch_in_thread(void *nothing)
{
    return watch(nothing) ? &word : NULL;
}

enum way { BY_FORK, BY_THREAD, BY_VFORK, BY_CLONE, BY_CLONE_OF_MEMORY, BY_SYSCALL, WAYS };

static bool watches_by_thread(void)
{
    pthread_t thread;
    void *failed;

    assert_int_equal(pthread_create(&thread, NULL, watch_in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, &failed), 0);
    return !failed;
}

static bool watches_by(enum way way)
{
    static char stack[256 << 10] __attribute__((aligned(64)));
    pid_t pid = -1;

    switch (way) {
    case BY_THREAD:
        return watches_by_thread();
    case BY_VFORK:
        pid = clone(watch, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
        break;
    case BY_CLONE:
        pid = clone(watch, stack + sizeof(stack), SIGCHLD, NULL);
        break;
    case BY_CLONE_OF_MEMORY:
        pid = clone(watch, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
        break;
    default:
        pid = way == BY_FORK ? fork() : (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0)
            _exit(watch(NULL));
        break;
    }
    return status_of(pid) == 0;
}

/* Another process enables the event while the watcher reads. Returns the delay. */
static uint64_t delay_of(enum way way)
{
    pid_t other;

    *times = (struct times){0};
    other = fork();
    if (other == 0) {
        bool ready = waits_for(&times->ready);

        times->begun_ns = now_ns();
        _exit(!ready || enable("by_book", true));
    }
    assert_true(watches_by(way));
    assert_int_equal(status_of(other), 0);
    assert_int_equal(enable("by_book", false), 0);
    assert_true(becomes(&word, 0));
    return times->seen_ns - times->begun_ns;
}

/* The machine may be busy: one fast update of many is enough. The guest, which is emulated, is
 * slow, and so is a sanitizer. */
static void bits_are_updated_soon_in_every_kind_of_process(void **state)
{
    const uint64_t limit_ns = getenv("CAIRN") && !IS_SANITIZED ? 10000000 : 1000000000;

    (void)state;
    times = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(times != MAP_FAILED);
    assert_int_equal(reg_word(data, "by_book u32 a", &wide, 8, 40, 0, NULL), 0);
    for (int way = 0; way < WAYS; way++) {
        uint64_t best = UINT64_MAX;

        /* A library in the program learns of children from the C library's fork. */
        if (getenv("CAIRN_TEST_LIBRARY") && (way == BY_CLONE || way == BY_SYSCALL))
            continue;
        for (int i = 0; i < 500 && best >= limit_ns; i++) {
            uint64_t delay = delay_of((enum way)way);

            best = delay < best ? delay : best;
        }
        assert_true(best < limit_ns);
    }
    assert_int_equal(unreg(data, &wide, 40), 0);
    assert_int_equal(munmap(times, 4096), 0);
}

/* A library that was unloaded without unregistering: its bits are in unmapped memory. */
static void a_bit_in_unmapped_memory_is_harmless(void **state)
{
    uint32_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_true(page != MAP_FAILED);
    assert_int_equal(reg(data, "by_book u32 a", page, NULL), 0);
    assert_int_equal(munmap(page, 4096), 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(word, 1);
    assert_int_equal(unreg(data, page, 0), EFAULT);
}

/* ---- threads ---- */

static void *register_and_write(void *arg)
{
    uint32_t mine = 0;
    uint32_t index = 0;

    for (int i = 0; i < 50; i++) {
        int fd = open_data();

        if (fd < 0 || reg(fd, "by_book u32 a", &mine, &index) || write_number(fd, index, 1))
            *(int *)arg += 1;
        (void)unreg(fd, &mine, 0);
        close(fd);
    }
    return NULL;
}

static void threads_may_register_write_and_close_concurrently(void **state)
{
    pthread_t threads[4];
    int failures[4] = {0};

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, register_and_write, &failures[i]), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(failures[i], 0);
    }
    assert_int_equal(traced("by_book: a=0x1 (1)"), 200);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Runs when this program executes itself, with descriptor 9. */
static int work_as(const char *what)
{
    if (!strcmp(what, "disable-9"))
        return write(9, "0", 1) != 1;
    if (!strcmp(what, "register-9"))
        return reg(9, "by_book u32 a", &word, &index_of) || word != 1 ||
               write_number(9, index_of, 777);
    return write_number(9, 0, 777);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        T(copies_of_a_descriptor_are_the_same_file),
        T(a_reused_number_belongs_to_the_other_file),
        T(no_number_is_taken_meanwhile),
        T(a_child_writes_with_inherited_descriptors),
        T(a_parent_can_write_events_that_its_child_registered),
        T(children_that_register_concurrently_get_separate_indexes),
        T(an_executed_program_writes_with_inherited_descriptors),
        T(posix_spawn_actions_open_files_in_the_child),
        T(posix_spawn_actions_copy_descriptors),
        T(executed_children_keep_no_words),
        T(a_descriptor_received_from_a_socket_is_the_same_file),
        T(a_child_that_shares_memory_closes_its_own_descriptors),
        T(bits_of_both_sizes_are_set_and_cleared),
        T(bits_are_updated_in_a_child_and_in_its_parent),
        T(a_child_unregisters_only_itself),
        T(bits_are_updated_soon_in_every_kind_of_process),
        T(a_bit_in_unmapped_memory_is_harmless),
        T(threads_may_register_write_and_close_concurrently),
    };

    own_path = argv[0];
    if (argc > 1)
        return work_as(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
