/* SPDX-License-Identifier: MIT */
/* A process that starts while somebody holds the tracing directory's lock: it gets in later, and a
 * recorder knows that it could not. */
#include "engine/engine.h"
#include "session/internal.h"
#include "tracing_dir.h"

#include <cairn/session.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static int write_number(struct cairn_tracepoint *tp)
{
    uint32_t number = 1;
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(tp, &part, 1);
}

static struct cairn_session *begin_session(int fd)
{
    const char *pattern = "busy_*";
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1, .fd = fd};
    struct cairn_session *session;

    assert_int_equal(cairn_session_create(&options, &session), 0);
    return session;
}

static int hold_lock(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[96];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/lock", tracing_dir);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &lock), 0);
    return fd;
}

static void a_process_that_came_while_the_lock_was_held_gets_in_later(void **state)
{
    static struct cairn_tracepoint first = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint second = CAIRN_TRACEPOINT_INIT;
    int fd = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    struct cairn_session *session;
    struct cairn_session_counts counts;
    static struct cairn_tracepoint third = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint gone = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint named = CAIRN_TRACEPOINT_INIT;
    static struct cairn_tracepoint flagged = CAIRN_TRACEPOINT_INIT;
    const struct cairn_tracepoint_options local = {.size = sizeof(local),
                                                   .backends = CAIRN_BACKEND_LOCAL};
    const struct cairn_tracepoint_options flags = {.size = sizeof(flags),
                                                   .flags = CAIRN_USER_EVENT_MULTI_FORMAT};
    int lock;

    (void)state;
    assert_int_equal(tracing_dir_make(), 0);
    session = begin_session(fd);
    lock = hold_lock();
    assert_int_equal(cairn_tracepoint_register(&first, "busy_first u32 number"), 0);
    assert_int_equal(cairn_tracepoint_register(&second, "busy_second u32 number"), 0);
    assert_int_equal(cairn_tracepoint_register(&gone, "busy_gone u32 number"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&gone), 0);
    assert_int_equal(cairn_tracepoint_register_with(&named, "busy_named u32 number", &local),
                     EBUSY);
    assert_int_equal(cairn_tracepoint_register_with(&flagged, "busy_flag u32 number", &flags),
                     EBUSY);
    assert_int_equal(write_number(&first), EBADF);
    close(lock);
    /* The next to be registered takes the others along. */
    assert_int_equal(cairn_tracepoint_register(&third, "busy_third u32 number"), 0);
    assert_int_equal(write_number(&first), 0);
    assert_int_equal(write_number(&second), 0);
    assert_int_equal(write_number(&third), 0);
    assert_int_equal(write_number(&gone), EBADF);
    assert_int_equal(write_number(&named), EBADF);

    assert_int_equal(cairn_session_finish(session), 0);
    counts = *cairn_session_counts(session);
    assert_int_equal(counts.events, 3);
    assert_int_equal(counts.tracepoints, 3);
    assert_int_equal(counts.unregistered, 1);
    assert_int_equal(counts.unregistered_error, EBUSY);
    cairn_session_destroy(session);

    /* Who comes later is told of those only that come later still. */
    assert_int_equal(ftruncate(fd, 0), 0);
    session = begin_session(fd);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(cairn_session_counts(session)->unregistered, 0);
    cairn_session_destroy(session);
    cairn_tracepoint_unregister(&first);
    cairn_tracepoint_unregister(&second);
    cairn_tracepoint_unregister(&third);
    close(fd);
    tracing_dir_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_came_while_the_lock_was_held_gets_in_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
