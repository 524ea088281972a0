/* SPDX-License-Identifier: MIT */
/* Test of text lines in difficult conditions: hostile bytes, full pipes and closed descriptors,
 * threads and forks. */
#include "tracing_test.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS          4
#define LINES_PER_THREAD 2000
#define FORKS            20
#define LINES_PER_CHILD  50
#define LONG_BYTES       6000

static char all_text[1 << 24];

/* Sets a global subscriber that writes lines to `fd`. */
static struct cairn_subscriber *set(int fd, enum cairn_stderr_style style)
{
    const struct cairn_stderr_options options = {.size = sizeof(options), .fd = fd, .style = style};
    struct cairn_subscriber *own;
    struct cairn_layer *layer;

    assert_true(fd >= 0);
    assert_int_equal(cairn_stderr_layer_create(&options, &layer), 0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, layer, NULL), 0);
    assert_int_equal(cairn_subscriber_set_global(own), 0);
    return own;
}

static void unset(struct cairn_subscriber *own)
{
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
}

static int new_file(void)
{
    return open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Returns the contents of a file. */
static char *read_file(int fd)
{
    ssize_t length = pread(fd, all_text, sizeof(all_text) - 1, 0);

    assert_true(length >= 0 && length < (ssize_t)sizeof(all_text) - 1);
    all_text[length] = '\0';
    return all_text;
}

/* ---- bytes ---- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Random bytes, with many that have a meaning in a line. */
static void fill(char *bytes, size_t count, uint32_t *state)
{
    static const char meant[] = "\n\r\t\x1b\"\\{}=' \x7f\xc2\x9b\xff\xed\xa0\x80\xf4\x90\xe2\x80";

    for (size_t i = 0; i < count; i++) {
        uint32_t number = next_random(state);

        bytes[i] = number & 0x100 ? (char)number : meant[number % (sizeof(meant) - 1)];
    }
}

/* Checks that the text has no control characters, and that the program `judge` accepts it on
 * standard input. */
static void assert_clean(const char *text, size_t lines, const char *judge)
{
    FILE *input;

    for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
        assert_true(*at == '\n' || (*at >= ' ' && *at != 0x7f));
        lines -= *at == '\n';
    }
    assert_int_equal(lines, 0);
    input = popen(judge, "we");
    assert_non_null(input);
    assert_true(fputs(text, input) >= 0);
    assert_int_equal(pclose(input), 0);
}

static void trace_random_bytes(uint32_t *state)
{
    char text[64];
    char letter;

    fill(text, sizeof(text) - 1, state);
    fill(&letter, 1, state);
    text[sizeof(text) - 1] = '\0';
    {
        CAIRN_SCOPE(INFO, "span", kv("text", text));
        CAIRN_INFO((kv("letter", letter), kv("text", cairn_string(text, sizeof(text)))), "%s",
                   text);
        cairn_tracing_log(3, "target\n\x1b[31m\xff\"", "%.*s", 20, text);
    }
}

#define UTF_8_JUDGE "iconv -f UTF-8 -t UTF-16 >/dev/null"
#define JSON_JUDGE                           \
    "python3 -X utf8 -c 'import json, sys\n" \
    "for line in sys.stdin: assert json.loads(line)[\"level\"]'"

static void any_bytes_stay_in_their_line(void **state)
{
    static const char *const judges[] = {UTF_8_JUDGE, UTF_8_JUDGE, JSON_JUDGE};

    (void)state;
    for (int style = CAIRN_STDERR_HUMAN; style <= CAIRN_STDERR_JSON; style++) {
        int fd = new_file();
        struct cairn_subscriber *own = set(fd, (enum cairn_stderr_style)style);
        uint32_t seed = 1;

        for (int i = 0; i < 500; i++)
            trace_random_bytes(&seed);
        unset(own);
        assert_clean(read_file(fd), 1000, judges[style]);
        close(fd);
    }
}

static void a_char_is_printed_as_a_character_or_escaped(void **state)
{
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_COMPACT);

    (void)state;
    CAIRN_INFO(
        (kv("a", (char)'a'), kv("quote", (char)'\''), kv("nul", (char)0), kv("high", (char)0x9b)));
    unset(own);
    assert_non_null(strstr(read_file(fd), " a='a' quote='\\'' nul='\\x00' high='\\x9b'\n"));
    close(fd);
}

static void numbers_that_json_lacks_are_strings(void **state)
{
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_JSON);

    (void)state;
    CAIRN_INFO((kv("n", (double)NAN), kv("i", (double)INFINITY), kv("m", -(double)INFINITY),
                kv("least", 5e-324), kv("most", 1.7976931348623157e308), kv("zero", -0.0)));
    unset(own);
    assert_non_null(strstr(read_file(fd), "\"fields\":{\"n\":\"nan\",\"i\":\"inf\",\"m\":\"-inf\","
                                          "\"least\":4.94065645841247e-324,"
                                          "\"most\":1.7976931348623157e+308,\"zero\":-0}}\n"));
    close(fd);
}

static void times_outside_the_calendar_are_numbers(void **state)
{
    const struct timespec first = {INT64_MIN / 1000000000 - 1, 145224192};
    const struct timespec last = {INT64_MAX / 1000000000, 854775807};
    const struct timespec before = {-1, 999999999};
    const struct timespec leap = {951782400, 0};
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_COMPACT);

    (void)state;
    CAIRN_INFO((kv("first", first), kv("before", before), kv("leap", leap), kv("last", last)));
    unset(own);
    assert_non_null(strstr(read_file(fd), " first=1677-09-21T00:12:43.145224192Z"
                                          " before=1969-12-31T23:59:59.999999999Z"
                                          " leap=2000-02-29T00:00:00.000000000Z"
                                          " last=2262-04-11T23:47:16.854775807Z\n"));
    close(fd);
}

static void times_out_of_range_are_the_first_and_the_last(void **state)
{
    const struct timespec early = {-9300000000, 0};
    const struct timespec just_late = {9223372036, 854775808};
    const struct timespec late = {9300000000, 0};
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_COMPACT);

    (void)state;
    CAIRN_INFO((kv("early", early), kv("just_late", just_late), kv("late", late)));
    unset(own);
    assert_non_null(strstr(read_file(fd), " early=1677-09-21T00:12:43.145224192Z"
                                          " just_late=2262-04-11T23:47:16.854775807Z"
                                          " late=2262-04-11T23:47:16.854775807Z\n"));
    close(fd);
}

static void an_unknown_style_is_refused(void **state)
{
    struct cairn_stderr_options options = {
        .size = sizeof(options), .fd = 1, .style = (enum cairn_stderr_style)3};
    struct cairn_layer *layer = NULL;

    (void)state;
    assert_int_equal(cairn_stderr_layer_create(&options, &layer), EINVAL);
    options.style = (enum cairn_stderr_style) - 1;
    assert_int_equal(cairn_stderr_layer_create(&options, &layer), EINVAL);
    assert_null(layer);
}

/* ---- descriptors that accept nothing ---- */

static void assert_line_is_counted(int fd)
{
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_HUMAN);
    uint64_t before = cairn_tracing_lost();

    errno = 77;
    CAIRN_ERROR("into nothing");
    assert_int_equal(errno, 77);
    assert_int_equal(cairn_tracing_lost(), before + 1);
    unset(own);
}

static void a_line_that_cannot_be_written_is_counted(void **state)
{
    int fds[2];
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

    (void)state;
    assert_line_is_counted(fd);
    close(fd);
    assert_line_is_counted(fd);
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    (void)signal(SIGPIPE, SIG_IGN);
    assert_line_is_counted(fds[1]);
    (void)signal(SIGPIPE, SIG_DFL);
    close(fds[1]);
}

/* Reads what is in a pipe now, and appends it to what was read before. */
static void drain(int fd)
{
    size_t length = strlen(all_text);
    ssize_t more;

    while ((more = read(fd, all_text + length, sizeof(all_text) - 1 - length)) > 0)
        length += (size_t)more;
    all_text[length] = '\0';
}

/* Writes lines of which the pipe accepts a part; the pipe is emptied from time to time. */
static uint64_t trace_into(int reader, int count)
{
    static char text[LONG_BYTES + 1];
    uint64_t before = cairn_tracing_lost();

    memset(text, 'x', LONG_BYTES);
    all_text[0] = '\0';
    for (int i = 0; i < count; i++) {
        CAIRN_INFO("begin %.*s end", LONG_BYTES - i % 7 * 400, text);
        if (i % 10 == 9)
            drain(reader);
    }
    drain(reader);
    return cairn_tracing_lost() - before;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;

    while ((text = strstr(text, what))) {
        text += strlen(what);
        count++;
    }
    return count;
}

/* A line longer than PIPE_BUF, in a pipe of twice that size, is written in part or not at all. */
static void a_partial_line_is_ended_by_the_next(void **state)
{
    enum { COUNT = 200 };
    struct cairn_subscriber *own;
    size_t whole = 0;
    uint64_t lost;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    (void)fcntl(fds[1], F_SETPIPE_SZ, 2 * PIPE_BUF);
    own = set(fds[1], CAIRN_STDERR_COMPACT);
    lost = trace_into(fds[0], COUNT);
    unset(own);
    for (char *line = strtok(all_text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_int_equal(count_of(line, "begin"), 1);
        whole += !strcmp(line + strlen(line) - 4, " end");
    }
    assert_true(lost > 0 && whole > 0);
    assert_int_equal(whole + lost, COUNT);
    close(fds[0]);
    close(fds[1]);
}

/* ---- threads and processes ---- */

static void *trace_lines(void *arg)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

    for (int i = 0; i < LINES_PER_THREAD; i++)
        CAIRN_INFO((kv("thread", (int)(intptr_t)arg), kv("i", i)), "begin %.*s", i % 50, text);
    return NULL;
}

/* Checks the begin and end of each line, and that the lines of each thread are in order. */
static size_t count_whole(char *text, int *next, int threads)
{
    size_t count = 0;

    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), count++) {
        const char *thread_text = strstr(line, " thread=");
        const char *number_text = strstr(line, " i=");
        int thread;

        assert_int_equal(count_of(line, "begin"), 1);
        assert_non_null(thread_text);
        assert_non_null(number_text);
        thread = atoi(thread_text + strlen(" thread="));
        assert_true(thread >= 0 && thread < threads);
        assert_int_equal(atoi(number_text + strlen(" i=")), next[thread]++);
        assert_int_equal(strspn(number_text + 3, "0123456789"), strlen(number_text + 3));
    }
    return count;
}

static void start(pthread_t threads[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, trace_lines, (void *)(intptr_t)i), 0);
}

static void join(const pthread_t threads[THREADS])
{
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void lines_of_threads_do_not_mix(void **state)
{
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_HUMAN);
    uint64_t before = cairn_tracing_lost();
    int next[THREADS] = {0};
    pthread_t threads[THREADS];

    (void)state;
    start(threads);
    join(threads);
    unset(own);
    assert_int_equal(cairn_tracing_lost(), before);
    assert_int_equal(count_whole(read_file(fd), next, THREADS), THREADS * LINES_PER_THREAD);
    close(fd);
}

static void trace_as_child(int number)
{
    (void)alarm(600); /* limit for a lock that a thread of the parent held at the fork */
    for (int i = 0; i < LINES_PER_CHILD; i++)
        CAIRN_INFO((kv("thread", THREADS + number), kv("i", i)), "begin");
    _exit(cairn_tracing_lost() != 0);
}

static void children_write_lines_while_their_parents_threads_do(void **state)
{
    int fd = new_file();
    struct cairn_subscriber *own = set(fd, CAIRN_STDERR_HUMAN);
    int next[THREADS + FORKS] = {0};
    pthread_t threads[THREADS];
    pid_t children[FORKS];
    int status;

    (void)state;
    start(threads);
    for (int i = 0; i < FORKS; i++) {
        children[i] = fork();
        if (!children[i])
            trace_as_child(i);
    }
    join(threads);
    for (int i = 0; i < FORKS; i++) {
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    unset(own);
    assert_int_equal(count_whole(read_file(fd), next, THREADS + FORKS),
                     THREADS * LINES_PER_THREAD + FORKS * LINES_PER_CHILD);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_stay_in_their_line),
        cmocka_unit_test(a_char_is_printed_as_a_character_or_escaped),
        cmocka_unit_test(numbers_that_json_lacks_are_strings),
        cmocka_unit_test(times_out_of_range_are_the_first_and_the_last),
        cmocka_unit_test(times_outside_the_calendar_are_numbers),
        cmocka_unit_test(an_unknown_style_is_refused),
        /* Counts losses, and needs a count of zero at its begin. */
        cmocka_unit_test(children_write_lines_while_their_parents_threads_do),
        cmocka_unit_test(lines_of_threads_do_not_mix),
        cmocka_unit_test(a_line_that_cannot_be_written_is_counted),
        cmocka_unit_test(a_partial_line_is_ended_by_the_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
