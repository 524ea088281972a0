/* SPDX-License-Identifier: MIT */
/* What perf script makes of recordings, where there is a perf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>

#include "perf_recording.h"

static char path[] = "/tmp/cairn-test-XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void skip_without_perf(void)
{
    if (system("perf script -h >/dev/null 2>&1; test $? -ne 127") != 0)
        skip();
}

/* A recording with rounds, and with a tracepoint that came late. */
static void record(enum cairn_perf_mode mode, bool finished)
{
    int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct cairn_perf_writer *writer = NULL;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100);
    cairn_perf_writer_comm(writer, 4000, 4001, "server", 0);
    write_open(writer, 100, 2000000);
    write_open(writer, 100, 1000000);
    cairn_perf_writer_round(writer);
    cairn_perf_writer_lost(writer, 100, 3, 2500000);
    add_tracepoint(writer, "late", "conn_close", 1702, FORMAT_CLOSE, 200);
    write_close(writer, 200, 3000000);
    if (finished)
        assert_int_equal(cairn_perf_writer_finish(writer), 0);
    else
        assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    close(fd);
}

/* What perf prints, without runs of blanks; the caller's buffer. */
static void perf_script(const char *options, char *text, size_t size)
{
    char command[256];
    size_t length = 0;
    FILE *perf;
    int c;

    snprintf(command, sizeof(command), "perf script -i %s %s 2>/dev/null", path, options);
    perf = popen(command, "r");
    assert_non_null(perf);
    while ((c = fgetc(perf)) != EOF && length < size - 1) {
        if (c == ' ' && (!length || text[length - 1] == ' ' || text[length - 1] == '\n'))
            continue;
        text[length++] = (char)c;
    }
    text[length] = '\0';
    assert_int_equal(pclose(perf), 0);
}

#define EARLY                                                                    \
    "server 4001 [001] 0.001000: user_events:conn_open: port=80 peer=10.0.0.1\n" \
    "server 4001 [001] 0.002000: user_events:conn_open: port=80 peer=10.0.0.1\n"

static void perf_reads_a_file(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, true);
    perf_script("", text, sizeof(text));
    assert_string_equal(text, EARLY "server 4001 [001] 0.003000: late:conn_close: result=-7\n");
}

static void perf_reads_a_stream(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_PIPE, true);
    perf_script("", text, sizeof(text));
    assert_memory_equal(text, EARLY, strlen(EARLY));
    assert_non_null(strstr(text, "late:conn_close"));
    assert_non_null(strstr(text, "a6 06 00 00")); /* the raw bytes, dumped */
}

static void perf_reads_an_unfinished_file(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, false);
    perf_script("", text, sizeof(text));
    assert_memory_equal(text, EARLY, strlen(EARLY));
    assert_non_null(strstr(text, "late:conn_close"));
}

static void perf_reads_the_header(void **state)
{
    char text[16384];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, true);
    perf_script("--header-only", text, sizeof(text));
    assert_non_null(strstr(text, "# perf version : cairn " CAIRN_VERSION "\n"));
    assert_non_null(strstr(text, "# clockid: monotonic (1)\n"));
    assert_non_null(strstr(text, "name = late:conn_close"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_reads_a_file),
        cmocka_unit_test(perf_reads_a_stream),
        cmocka_unit_test(perf_reads_an_unfinished_file),
        cmocka_unit_test(perf_reads_the_header),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
