/* SPDX-License-Identifier: MIT */
/* Test of the printers' output: to memory, to a file, and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void memory_grows_and_keeps_its_contents(void **state)
{
    enum { BYTES = 1000003 };
    struct export_print_output out;

    (void)state;
    assert_int_equal(export_output_open(&out, -1), 0);
    for (int n = 0; n < BYTES; n++)
        export_output_byte(&out, (char)(n % 251));
    assert_int_equal(out.at - out.begin, BYTES);
    for (int n = 0; n < BYTES; n++)
        assert_int_equal((unsigned char)out.begin[n], n % 251);
    assert_int_equal(export_output_flush(&out), 0);
    export_output_close(&out);
}

static void a_file_gets_everything_in_order(void **state)
{
    char path[] = "/tmp/cairn-test-XXXXXX";
    char line[16];
    struct export_print_output out;
    int fd = mkstemp(path);
    FILE *file;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(export_output_open(&out, fd), 0);
    for (int n = 0; n < 100000; n++) {
        snprintf(line, sizeof(line), "%d\n", n);
        export_output_string(&out, line);
    }
    assert_int_equal(export_output_flush(&out), 0);
    export_output_close(&out);
    file = fopen(path, "r");
    for (int n = 0; n < 100000; n++) {
        assert_non_null(fgets(line, sizeof(line), file));
        assert_int_equal(atoi(line), n);
    }
    assert_null(fgets(line, sizeof(line), file));
    fclose(file);
    close(fd);
    unlink(path);
}

static void padded_text_has_the_requested_length(void **state)
{
    char text[5000 + EXPORT_OUTPUT_PADDING_BYTES];
    const size_t lengths[] = {0, 1, 15, 16, 17, 4079, 4080, 4081, 5000};
    size_t sum = 0;
    struct export_print_output out;

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_int_equal(export_output_open(&out, -1), 0);
    for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++) {
        export_output_padded(&out, text, lengths[n]);
        sum += lengths[n];
        assert_int_equal(out.at - out.begin, sum);
    }
    for (size_t n = 0; n < sum; n++)
        assert_int_equal(out.begin[n], 'x');
    export_output_close(&out);
}

static void the_error_of_a_full_disk_is_kept(void **state)
{
    int fd = open("/dev/full", O_WRONLY);
    struct export_print_output out;

    (void)state;
    if (fd < 0)
        skip();
    assert_int_equal(export_output_open(&out, fd), 0);
    export_output_string(&out, "something");
    assert_int_equal(export_output_flush(&out), ENOSPC);
    for (int n = 0; n < 1000000; n++) /* more than the buffer holds */
        export_output_byte(&out, 'x');
    assert_int_equal(export_output_flush(&out), ENOSPC);
    export_output_close(&out);
    close(fd);
}

static void a_closed_pipe_is_an_error(void **state)
{
    int fds[2];
    struct export_print_output out;

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    assert_int_equal(export_output_open(&out, fds[1]), 0);
    export_output_string(&out, "something");
    assert_int_equal(export_output_flush(&out), EPIPE);
    export_output_close(&out);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_and_keeps_its_contents),
        cmocka_unit_test(a_file_gets_everything_in_order),
        cmocka_unit_test(padded_text_has_the_requested_length),
        cmocka_unit_test(the_error_of_a_full_disk_is_kept),
        cmocka_unit_test(a_closed_pipe_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
