/* SPDX-License-Identifier: MIT */
/* Test of the kernel backend in programs that fork, exec, drop privileges, close descriptors, and
 * start threads. */
#include "guest.h"

#include "user_events/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint32_t number = 7;
static const struct iovec part = {&number, sizeof(number)};

static int write_number(const struct cairn_tracepoint *tp)
{
    return guest_write_parts(tp, &part, 1);
}

/* ---- fork ---- */

static void follow_in_child(void *context)
{
    struct cairn_tracepoint *tp = context, second = guest_tracepoint();

    assert_false(guest_leads_to_ones(tp));
    guest_enable("cairn_fork", true);
    assert_true(guest_comes_to_lead_to_ones(tp));
    assert_int_equal(write_number(tp), 0);

    assert_int_equal(user_events_kernel_register(&second, "cairn_fork_child u32 a", 0), 0);
    guest_enable("cairn_fork_child", true);
    assert_true(guest_leads_to_ones(&second));
    assert_int_equal(write_number(&second), 0);

    assert_int_equal(user_events_kernel_unregister(tp), 0);
    assert_false(guest_leads_to_ones(tp));
}

static void a_child_of_fork_has_registrations_of_its_own(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    const char *trace;

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_fork u32 a", 0), 0);
    guest_write(TRACING "/trace", "");
    guest_in_child(follow_in_child, &tp);
    trace = guest_read(TRACING "/trace");
    assert_non_null(strstr(trace, ": cairn_fork: a=0x7 "));
    assert_non_null(strstr(trace, ": cairn_fork_child: a=0x7 "));

    /* The child has unregistered its own tracepoint. */
    assert_true(guest_comes_to_lead_to_ones(&tp));
    assert_int_equal(write_number(&tp), 0);
    guest_enable("cairn_fork", false);
    guest_enable("cairn_fork_child", false);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

/* ---- exec ---- */

static void exec_ourselves(void *context)
{
    char fd[16];

    snprintf(fd, sizeof(fd), "%d", *(int *)context);
    execl("/proc/self/exe", "test", "--is-closed", fd, NULL);
    _exit(1);
}

static void an_executed_program_does_not_inherit_the_file(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    int fd;

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_exec u32 a", 0), 0);
    fd = guest_kernel_fd();
    assert_true(fd > STDERR_FILENO);
    guest_in_child(exec_ourselves, &fd);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

/* ---- permissions ---- */

static void be_nobody_in_group(gid_t group)
{
    assert_int_equal(setgroups(0, NULL), 0);
    assert_int_equal(setgid(group), 0);
    assert_int_equal(setuid(65534), 0);
}

static void be_refused(void *context)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    struct user_events_kernel_probe probe;
    enum user_events_kernel_reason *expected = context;

    be_nobody_in_group(4242);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_permission u32 a", 0), EACCES);
    assert_false(guest_leads_to_ones(&tp));
    assert_int_equal(user_events_kernel_probe(&probe), 0);
    assert_int_equal(probe.reason, *expected);
    assert_string_equal(probe.directory, TRACING);
}

static void be_admitted(void *context)
{
    struct cairn_tracepoint *other = context, tp = guest_tracepoint();

    be_nobody_in_group(4242);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_permission u32 a", 0), 0);
    assert_true(guest_leads_to_ones(&tp));
    assert_int_equal(write_number(&tp), 0);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
    assert_int_equal(user_events_kernel_unregister(other), ENOENT);
}

/* Runs before the process registers anything: a child would inherit the open file. */
static void a_group_can_be_given_the_permission(void **state)
{
    enum user_events_kernel_reason reason = USER_EVENTS_KERNEL_NO_ACCESS;
    struct cairn_tracepoint tp = guest_tracepoint();

    (void)state;
    guest_in_child(be_refused, &reason);
    assert_int_equal(chown(TRACING, 0, 4242), 0);
    assert_int_equal(chmod(TRACING, 0710), 0);
    reason = USER_EVENTS_KERNEL_NOT_WRITABLE;
    guest_in_child(be_refused, &reason);
    assert_int_equal(chown(TRACING "/user_events_data", 0, 4242), 0);
    assert_int_equal(chmod(TRACING "/user_events_data", 0660), 0);

    guest_write(TRACING "/dynamic_events", "u:cairn_permission u32 a");
    guest_write(TRACING "/trace", "");
    guest_enable("cairn_permission", true);
    guest_in_child(be_admitted, &tp);
    assert_non_null(strstr(guest_read(TRACING "/trace"), ": cairn_permission: a=0x7 "));
    guest_enable("cairn_permission", false);
}

/* ---- descriptors ---- */

static void a_reused_descriptor_number_is_not_written_to(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint(), later = guest_tracepoint();
    static const char path[] = "/tmp/somebody-elses";
    struct stat stat;
    int fd, ours;

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_closed u32 a", 0), 0);
    guest_enable("cairn_closed", true);
    assert_int_equal(write_number(&tp), 0);

    ours = guest_kernel_fd();
    fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    assert_int_equal(dup2(fd, ours), ours);
    errno = EDOM;
    assert_int_equal(write_number(&tp), EBADF);
    assert_int_equal(errno, EDOM);

    /* The next registration opens the file again; tracepoints with an index of the old file stay
     * silent. */
    guest_write(TRACING "/trace", "");
    assert_int_equal(user_events_kernel_register(&later, "cairn_later u32 a", 0), 0);
    assert_int_equal(later.kernel_index, tp.kernel_index);
    guest_enable("cairn_later", true);
    assert_int_equal(write_number(&tp), EBADF);
    assert_int_equal(write_number(&later), 0);
    assert_null(strstr(guest_read(TRACING "/trace"), ": cairn_closed:"));

    /* They stay silent until they are registered again. */
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_closed u32 a", 0), 0);
    assert_true(guest_leads_to_ones(&tp));
    assert_int_equal(write_number(&tp), 0);

    assert_int_equal(fstat(ours, &stat), 0);
    assert_int_equal(stat.st_size, 0);
    close(ours);
    close(fd);
    unlink(path);
    guest_enable("cairn_closed", false);
    guest_enable("cairn_later", false);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
    assert_int_equal(user_events_kernel_unregister(&later), 0);
}

static void register_without_standard_streams(void *context)
{
    struct cairn_tracepoint tp = guest_tracepoint();

    (void)context;
    for (int fd = 0; fd < 64; fd++)
        close(fd);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_no_streams u32 a", 0), 0);
    assert_true(guest_kernel_fd() > STDERR_FILENO);
}

static void the_file_never_has_the_number_of_a_standard_stream(void **state)
{
    (void)state;
    guest_in_child(register_without_standard_streams, NULL);
}

/* ---- threads ---- */

struct older_thread {
    pthread_t thread;
    pthread_barrier_t registered;
    struct cairn_tracepoint tp;
    int unregister_error;
};

static void *unregister_here(void *context)
{
    struct older_thread *older = context;

    pthread_barrier_wait(&older->registered);
    older->unregister_error = user_events_kernel_unregister(&older->tp);
    return NULL;
}

/* Uses a thread that started before the process's first registration; the kernel distinguishes
 * them. */
static void use_an_older_thread(void *context)
{
    struct older_thread older = {.tp = guest_tracepoint()};

    (void)context;
    pthread_barrier_init(&older.registered, NULL, 2);
    assert_int_equal(pthread_create(&older.thread, NULL, unregister_here, &older), 0);
    assert_int_equal(user_events_kernel_register(&older.tp, "cairn_older u32 a", 0), 0);
    pthread_barrier_wait(&older.registered);
    pthread_join(older.thread, NULL);
    assert_int_equal(older.unregister_error, ENOENT);
    assert_true(older.tp.kernel_index >= 0);
    assert_int_equal(user_events_kernel_unregister(&older.tp), 0);
}

static void a_thread_older_than_the_first_registration_cannot_unregister(void **state)
{
    (void)state;
    guest_in_child(use_an_older_thread, NULL);
}

static void *register_here(void *context)
{
    assert_int_equal(user_events_kernel_register(context, "cairn_gone u32 a", 0), 0);
    return NULL;
}

static void let_the_registering_thread_end(void *context)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    pthread_t thread;

    (void)context;
    assert_int_equal(pthread_create(&thread, NULL, register_here, &tp), 0);
    pthread_join(thread, NULL);
    guest_enable("cairn_gone", true);
    usleep(100000);
    assert_false(guest_leads_to_ones(&tp));
    guest_enable("cairn_gone", false);
}

static void the_kernel_unregisters_events_of_a_thread_when_it_ends(void **state)
{
    (void)state;
    guest_in_child(let_the_registering_thread_end, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_can_be_given_the_permission),
        cmocka_unit_test(a_thread_older_than_the_first_registration_cannot_unregister),
        cmocka_unit_test(the_kernel_unregisters_events_of_a_thread_when_it_ends),
        cmocka_unit_test(the_file_never_has_the_number_of_a_standard_stream),
        cmocka_unit_test(a_reused_descriptor_number_is_not_written_to),
        cmocka_unit_test(a_child_of_fork_has_registrations_of_its_own),
        cmocka_unit_test(an_executed_program_does_not_inherit_the_file),
    };

    if (argc == 3 && strcmp(argv[1], "--is-closed") == 0)
        return fcntl((int)strtol(argv[2], NULL, 10), F_GETFD) != -1 || errno != EBADF;
    return cmocka_run_group_tests(tests, guest_map_halves, NULL);
}
