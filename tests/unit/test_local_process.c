/* SPDX-License-Identifier: MIT */
/* What the engine may not do to the process it lives in, whatever the process does. */
#include "engine_test.h"

static struct cairn_tracepoint own = CAIRN_TRACEPOINT_INIT;

/* Renames a folder of the tracing directory. */
static int rename_folder(const char *from, const char *to)
{
    char old[128];
    char new[128];

    (void)snprintf(old, sizeof(old), "%s/%s", tracing_dir, from);
    (void)snprintf(new, sizeof(new), "%s/%s", tracing_dir, to);
    return rename(old, new);
}

/* ---- errno, cancellation ---- */

static void writing_never_changes_errno(void **state)
{
    struct cairn_local_session session = begin("own");
    uint32_t written = 0;

    (void)state;
    assert_int_equal(cairn_user_event_register(&own, "own u32 a"), 0);
    errno = 77;
    for (int error = 0; !error; written++) { /* the first, new chunks, and one too many */
        error = write_number(&own, written);
        assert_int_equal(errno, 77);
    }
    end(&session);
    session = begin("own"); /* no pool can be made: the folder is not there */
    assert_int_equal(rename_folder("pools", "elsewhere"), 0);
    errno = 77;
    assert_int_equal(write_number(&own, 1), ENOSPC);
    assert_int_equal(errno, 77);
    assert_int_equal(rename_folder("elsewhere", "pools"), 0);
    end(&session);
    cairn_user_event_unregister(&own);
}

/* A cancelled thread that writes its first event must not die of it holding the engine's lock. */
static void *write_cancelled(void *arg)
{
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    (void)pthread_cancel(pthread_self());
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    *(int *)arg = write_number(&own, 1) + 1;
    return NULL;
}

static void a_write_is_no_cancellation_point(void **state)
{
    struct cairn_local_session session = begin("own");
    pthread_t thread;
    int result = 0;

    (void)state;
    assert_int_equal(cairn_user_event_register(&own, "own u32 a"), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_cancelled, &result), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(result, 1);
    assert_int_equal(write_number(&own, 1), 0);
    assert_int_equal(read_session(&session).records, 2);
    end(&session);
    cairn_user_event_unregister(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_never_changes_errno),
        cmocka_unit_test(a_write_is_no_cancellation_point),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
