/* SPDX-License-Identifier: MIT */
/*
 * The format to which a test records: perf.data, or a trace file if CAIRN_TEST_TRACE is set in the
 * environment. A trace file is converted, so that one test checks both.
 */
#ifndef TESTS_SESSION_FORMAT_H
#define TESTS_SESSION_FORMAT_H

#include <cairn/convert.h>
#include <cairn/session.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static inline bool records_trace(void)
{
    return getenv("CAIRN_TEST_TRACE") != NULL;
}

static inline void set_format(struct cairn_session_options *options)
{
    options->format = records_trace() ? CAIRN_SESSION_TRACE : CAIRN_SESSION_PERF;
}

/* Makes a finished recording at `path` a perf.data file. */
static inline void make_perf(const char *path)
{
    struct cairn_convert_report report;
    char trace[160];
    int fd;

    if (!records_trace())
        return;
    (void)snprintf(trace, sizeof(trace), "%s.cairn", path);
    assert_int_equal(rename(path, trace), 0);
    fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(cairn_convert_to_perf(trace, fd, NULL, &report), 0);
    assert_int_equal(report.unreadable, 0);
    close(fd);
    assert_int_equal(unlink(trace), 0);
}

#endif
