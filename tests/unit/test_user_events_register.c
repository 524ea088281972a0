/* SPDX-License-Identifier: MIT */
/* Test of registration with two backends, of which one or both fail. The test replaces the
 * kernel's. */
#include "engine_test.h"

#include "user_events/kernel.h"

static int kernel_answer;
static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

int __wrap_user_events_kernel_register(struct cairn_tracepoint *tracepoint, const char *command,
                                       uint16_t flags);
int __wrap_user_events_kernel_unregister(struct cairn_tracepoint *tracepoint);

int __wrap_user_events_kernel_register(struct cairn_tracepoint *tracepoint, const char *command,
                                       uint16_t flags)
{
    (void)command;
    (void)flags;
    if (!kernel_answer)
        tracepoint->kernel_index = 7;
    return kernel_answer;
}

int __wrap_user_events_kernel_unregister(struct cairn_tracepoint *tracepoint)
{
    tracepoint->kernel_index = -1;
    return 0;
}

static int set_up_both(void **state)
{
    return set_up(state) || setenv("CAIRN_BACKEND", "both", 1);
}

/* Registers while the registry is full, or not; then unregisters what was registered. */
static int try(bool registry_is_full, int kernel)
{
    uint32_t first_unused = recorder.registry->first_unused;
    uint32_t first_free = recorder.registry->first_free;
    int error;

    kernel_answer = kernel;
    if (registry_is_full) {
        recorder.registry->first_unused = ENGINE_EVENT_MAX;
        recorder.registry->first_free = 0;
    }
    error = cairn_tracepoint_register(&tp, "two_backends u32 a");
    if (registry_is_full) {
        recorder.registry->first_unused = first_unused;
        recorder.registry->first_free = first_free;
    }
    assert_int_equal(cairn_tracepoint_unregister(&tp), error ? ENOENT : 0);
    assert_ptr_equal(tp.enabled, cairn_i_never_enabled);
    return error;
}

static void zeros_are_an_unregistered_tracepoint(void **state)
{
    struct cairn_tracepoint zeros = {0};

    (void)state;
    assert_int_equal(cairn_tracepoint_write_bytes(&zeros, "", 1), EINVAL);
    assert_int_equal(cairn_tracepoint_status(&zeros), 0);
    assert_int_equal(cairn_tracepoint_unregister(&zeros), ENOENT);
    assert_int_equal(cairn_tracepoint_register(&zeros, "zeros u32 a"), EINVAL);
    /* It can be used, but is not registered. */
    assert_false(cairn_tracepoint_is_enabled(&zeros));
    assert_int_equal(cairn_tracepoint_write_bytes(&zeros, "", 1), EBADF);
    assert_int_equal(cairn_tracepoint_unregister(&zeros), ENOENT);
    kernel_answer = 0;
    assert_int_equal(cairn_tracepoint_register(&zeros, "zeros u32 a"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&zeros), 0);
}

static void one_backend_that_accepts_the_tracepoint_is_enough(void **state)
{
    (void)state;
    assert_int_equal(try(true, 0), 0);
    assert_int_equal(try(true, 0), 0);
    assert_int_equal(try(false, 0), 0);
    assert_int_equal(try(false, ENOSPC), 0);
    assert_int_equal(try(false, EADDRINUSE), 0);
    assert_int_equal(try(false, ENODEV), 0);
}

static void the_failure_of_all_backends_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(try(true, EADDRINUSE), ENOSPC);
    assert_int_equal(try(true, ENODEV), ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_are_an_unregistered_tracepoint),
        cmocka_unit_test(one_backend_that_accepts_the_tracepoint_is_enough),
        cmocka_unit_test(the_failure_of_all_backends_is_an_error),
    };

    return cmocka_run_group_tests(tests, set_up_both, tear_down);
}
