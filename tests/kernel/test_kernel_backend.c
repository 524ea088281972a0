/* SPDX-License-Identifier: MIT */
/* Test of the kernel backend with the kernel: register, be enabled, write, unregister. */
#include "guest.h"

#include "user_events/kernel.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void the_probe_finds_the_kernel_usable(void **state)
{
    struct user_events_kernel_probe probe;

    (void)state;
    assert_int_equal(user_events_kernel_probe(&probe), 0);
    assert_int_equal(probe.reason, USER_EVENTS_KERNEL_USABLE);
    assert_int_equal(probe.error, 0);
    assert_string_equal(probe.directory, TRACING);
}

static void enabling_an_event_makes_its_pointer_lead_to_ones(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_enable u32 a", 0), 0);
    assert_true(tp.kernel_index >= 0);
    assert_false(guest_leads_to_ones(&tp));
    guest_enable("cairn_enable", true);
    assert_true(guest_leads_to_ones(&tp));
    guest_enable("cairn_enable", false);
    assert_false(guest_leads_to_ones(&tp));
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void an_event_that_is_enabled_already_is_enabled_from_the_start(void **state)
{
    struct cairn_tracepoint first = guest_tracepoint(), second = guest_tracepoint();

    (void)state;
    assert_int_equal(user_events_kernel_register(&first, "cairn_already u32 a", 0), 0);
    guest_enable("cairn_already", true);
    assert_int_equal(user_events_kernel_register(&second, "cairn_already u32 a", 0), 0);
    assert_true(guest_leads_to_ones(&second));
    guest_enable("cairn_already", false);
    assert_false(guest_leads_to_ones(&first));
    assert_false(guest_leads_to_ones(&second));
    assert_int_equal(user_events_kernel_unregister(&first), 0);
    assert_int_equal(user_events_kernel_unregister(&second), 0);
}

static void unregistering_clears_the_bit_permanently(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_unregister u32 a", 0), 0);
    guest_enable("cairn_unregister", true);
    assert_true(guest_leads_to_ones(&tp));
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
    assert_int_equal(tp.kernel_index, -1);
    assert_false(guest_leads_to_ones(&tp));
    guest_enable("cairn_unregister", false);
    guest_enable("cairn_unregister", true);
    assert_false(guest_leads_to_ones(&tp));
    guest_enable("cairn_unregister", false);

    assert_int_equal(user_events_kernel_unregister(&tp), ENOENT);
    assert_int_equal(guest_write_parts(&tp, NULL, 0), EBADF);
}

static void the_kernel_describes_the_event_as_the_command_does(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    const char *format;

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_format u32 a;char[4] b", 0), 0);
    format = guest_read(TRACING "/events/user_events/cairn_format/format");
    assert_non_null(strstr(format, "field:u32 a;\toffset:8;\tsize:4;\tsigned:0;"));
    /* The type is not compared: Linux 6.12 prints an array's length from memory that was never
     * written. */
    assert_non_null(strstr(format, ";\toffset:12;\tsize:4;\tsigned:"));
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void a_written_event_has_its_fields(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    uint32_t a = 0x12345678, text_location = sizeof("peer") << 16; /* relative: it follows */
    int16_t b = -2;
    struct iovec parts[] = {
        {&a, sizeof(a)}, {&b, sizeof(b)}, {NULL, 0}, {&text_location, 4}, {"pe", 2}, {"er", 3},
    };
    const char *trace;

    (void)state;
    assert_int_equal(
        user_events_kernel_register(&tp, "eventheader_write u32 a;s16 b;__rel_loc char[] text", 0),
        0);
    guest_write(TRACING "/trace", "");
    guest_enable("eventheader_write", true);
    errno = EDOM;
    assert_int_equal(guest_write_parts(&tp, parts, 6), 0);
    assert_int_equal(errno, EDOM);
    guest_enable("eventheader_write", false);

    trace = guest_read(TRACING "/trace");
    assert_non_null(strstr(trace, ": eventheader_write: a=0x12345678 (305419896) b=0xfffe "));
    assert_non_null(strstr(trace, "text=peer"));
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void events_without_fields_can_be_written(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_empty", 0), 0);
    guest_write(TRACING "/trace", "");
    guest_enable("cairn_empty", true);
    assert_int_equal(guest_write_parts(&tp, NULL, 0), 0);
    guest_enable("cairn_empty", false);
    assert_non_null(strstr(guest_read(TRACING "/trace"), ": cairn_empty:"));
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void writing_a_disabled_event_is_EBADF(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    uint32_t a = 1;
    struct iovec part = {&a, sizeof(a)};

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_nobody u32 a", 0), 0);
    errno = EDOM;
    assert_int_equal(guest_write_parts(&tp, &part, 1), EBADF);
    assert_int_equal(errno, EDOM);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void the_kernel_refuses_invalid_payloads(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    uint32_t location = 4 << 16, too_long = 5 << 16;
    struct iovec good[] = {{&location, 4}, {"abc", 4}};
    struct iovec too_short[] = {{&location, 3}};
    struct iovec no_nul[] = {{&location, 4}, {"abcd", 4}};
    struct iovec outside[] = {{&too_long, 4}, {"abc", 4}};

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_wrong __rel_loc char[] text", 0), 0);
    guest_enable("cairn_wrong", true);
    assert_int_equal(guest_write_parts(&tp, good, 2), 0);
    assert_int_equal(guest_write_parts(&tp, too_short, 1), EINVAL);
    assert_int_equal(guest_write_parts(&tp, no_nul, 2), EFAULT);
    assert_int_equal(guest_write_parts(&tp, outside, 2), EFAULT);
    guest_enable("cairn_wrong", false);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

static void a_name_has_one_list_of_fields(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint(), same = guest_tracepoint(),
                            other = guest_tracepoint();

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_name u32 a", 0), 0);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_name u32 a", 0), EALREADY);
    assert_int_equal(user_events_kernel_register(&same, "cairn_name u32 a", 0), 0);
    assert_int_equal(same.kernel_index, tp.kernel_index);
    assert_int_equal(user_events_kernel_register(&other, "cairn_name u64 a", 0), EADDRINUSE);
    assert_int_equal(other.kernel_index, -1);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
    assert_int_equal(user_events_kernel_unregister(&same), 0);
}

static void commands_that_the_kernel_refuses_are_EINVAL(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    char command[600];

    (void)state;
    assert_int_equal(user_events_kernel_register(&tp, "cairn_invalid u33 a", 0), EINVAL);
    assert_int_equal(user_events_kernel_register(&tp, "cairn_invalid:NO_SUCH_FLAG u32 a", 0),
                     EINVAL);
    snprintf(command, sizeof(command), "cairn_invalid u32 %0520d", 0);
    assert_int_equal(user_events_kernel_register(&tp, command, 0), EINVAL);
    assert_int_equal(tp.kernel_index, -1);
    assert_false(guest_leads_to_ones(&tp));
}

static void a_tracepoint_can_be_registered_again(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    uint32_t a = 77;
    struct iovec part = {&a, sizeof(a)};

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(user_events_kernel_register(&tp, "cairn_again u32 a", 0), 0);
        guest_write(TRACING "/trace", "");
        guest_enable("cairn_again", true);
        assert_int_equal(guest_write_parts(&tp, &part, 1), 0);
        guest_enable("cairn_again", false);
        assert_non_null(strstr(guest_read(TRACING "/trace"), ": cairn_again: a=0x4d "));
        assert_int_equal(user_events_kernel_unregister(&tp), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_probe_finds_the_kernel_usable),
        cmocka_unit_test(enabling_an_event_makes_its_pointer_lead_to_ones),
        cmocka_unit_test(an_event_that_is_enabled_already_is_enabled_from_the_start),
        cmocka_unit_test(unregistering_clears_the_bit_permanently),
        cmocka_unit_test(the_kernel_describes_the_event_as_the_command_does),
        cmocka_unit_test(a_written_event_has_its_fields),
        cmocka_unit_test(events_without_fields_can_be_written),
        cmocka_unit_test(writing_a_disabled_event_is_EBADF),
        cmocka_unit_test(the_kernel_refuses_invalid_payloads),
        cmocka_unit_test(a_name_has_one_list_of_fields),
        cmocka_unit_test(commands_that_the_kernel_refuses_are_EINVAL),
        cmocka_unit_test(a_tracepoint_can_be_registered_again),
    };

    return cmocka_run_group_tests(tests, guest_map_halves, NULL);
}
