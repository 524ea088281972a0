/* SPDX-License-Identifier: MIT */
/* Test of text lines: one for each event, in three styles. */
#include "tracing/value_text.h"
#include "tracing_test.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

static int pipe_fds[2];
static char read_text[1 << 16];

/* Creates a subscriber that writes lines into a pipe. */
static struct cairn_subscriber *set(struct cairn_stderr_options options, const char *filter)
{
    struct cairn_subscriber *own;
    struct cairn_layer *layer;

    assert_int_equal(pipe2(pipe_fds, O_NONBLOCK), 0);
    options.size = sizeof(options);
    options.fd = pipe_fds[1];
    assert_int_equal(cairn_stderr_layer_create(&options, &layer), 0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, layer, directives(filter)), 0);
    assert_int_equal(cairn_subscriber_set_global(own), 0);
    return own;
}

/* Destroys it, and returns what it has written. */
static const char *unset(struct cairn_subscriber *own)
{
    ssize_t length = read(pipe_fds[0], read_text, sizeof(read_text) - 1);

    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    read_text[length > 0 ? length : 0] = '\0';
    return read_text;
}

static void trace(void)
{
    CAIRN_SCOPE(INFO, "outer", kv("a", 1), kv("late", cairn_empty()));
    CAIRN_SCOPE(INFO, "inner", kv("t", "x\"y"));
    CAIRN_WARN((kv("b", 2), target("net")), "two\nlines \x1b[31m \xff \xc2\x9b é");
}

static void a_full_line_has_the_enclosing_spans(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_HUMAN}, "info");
    const char *text;

    (void)state;
    trace();
    text = unset(own);
    assert_int_equal(text[10], 'T');
    assert_int_equal(text[26], 'Z');
    assert_string_equal(text + 27, "  WARN outer{a=1}:inner{t=\"x\\\"y\"}: net: "
                                   "two\\nlines \\x1b[31m \\xff \\xc2\\x9b é b=2\n");
}

static void a_compact_line_has_the_fields_of_spans_at_its_end(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT}, "info");

    (void)state;
    trace();
    assert_string_equal(unset(own) + 12, " W net: two\\nlines \\x1b[31m \\xff \\xc2\\x9b é b=2 "
                                         "t=\"x\\\"y\" a=1\n");
}

static void a_json_line_is_json(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON}, "info");
    const char *text;

    (void)state;
    trace();
    CAIRN_INFO((kv("nan", __builtin_nan("")), kv("big", UINT64_MAX), kv("none", cairn_empty())));
    cairn_tracing_log(LOG_INFO, "old", "logged");
    text = unset(own);
    assert_non_null(
        strstr(text, "\"level\":\"INFO\",\"target\":\"old\",\"message\":\"logged\"}\n"));
    assert_non_null(strstr(text, "\"level\":\"WARN\",\"target\":\"net\",\"file\":"
                                 "\"test_tracing_stderr.c\",\"line\":"));
    assert_non_null(strstr(text, "\"message\":\"two\\nlines \\u001b[31m \\ufffd \\u009b é\","
                                 "\"fields\":{\"b\":2},\"spans\":["
                                 "{\"name\":\"outer\",\"fields\":{\"a\":1}},"
                                 "{\"name\":\"inner\",\"fields\":{\"t\":\"x\\\"y\"}}],"
                                 "\"trace_id\":\""));
    assert_non_null(
        strstr(text, "\"fields\":{\"nan\":\"nan\",\"big\":18446744073709551615,\"none\":null}}\n"));
}

static void a_json_line_has_no_member_twice(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON}, "info");
    const char *text;

    (void)state;
    {
        CAIRN_SCOPE(INFO, "login", kv("name", "ada"), kv("fields", 1), kv("x", cairn_empty()),
                    kv("x", 2));
        CAIRN_INFO((kv("level", 1), kv("a", 2), kv("target", 3), kv("a", "4"), kv("message", 5),
                    kv("a", 6)),
                   "hello");
    }
    text = unset(own);
    assert_non_null(strstr(text,
                           "\"message\":\"hello\",\"fields\":{\"level\":1,\"a\":2,\"target\":3,"
                           "\"a#2\":\"4\",\"message\":5,\"a#3\":6},\"spans\":["
                           "{\"name\":\"login\",\"fields\":{\"name\":\"ada\",\"fields\":1,"
                           "\"x#2\":2}}],\"trace_id\":\""));
}

static void *trace_once(void *arg)
{
    *(pid_t *)arg = gettid();
    CAIRN_INFO("thread");
    return NULL;
}

static void assert_ids(const char *text, const char *message, pid_t pid, pid_t tid)
{
    char end[64];
    char ids[64];
    const char *at;

    (void)snprintf(end, sizeof(end), "\"message\":\"%s\"", message);
    (void)snprintf(ids, sizeof(ids), "\"pid\":%d,\"tid\":%d,\"level\"", pid, tid);
    text = strstr(text, end);
    assert_non_null(text);
    for (at = text; at > read_text && at[-1] != '\n'; at--)
        ;
    assert_true(memmem(at, (size_t)(text - at), ids, strlen(ids)) != NULL);
}

static void a_json_line_has_the_process_and_the_thread(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON}, "info");
    pthread_t thread;
    pid_t tid;
    pid_t child;

    (void)state;
    CAIRN_INFO("main");
    assert_int_equal(pthread_create(&thread, NULL, trace_once, &tid), 0);
    pthread_join(thread, NULL);
    child = fork();
    if (!child) {
        CAIRN_INFO("child");
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)unset(own);
    assert_ids(read_text, "main", getpid(), gettid());
    assert_ids(read_text, "thread", getpid(), tid);
    assert_ids(read_text, "child", child, child);
}

#define CALLER_TRACE "0af7651916cd43dd8448eb211c80319c"
#define CALLER_SPAN  "b7ad6b7169203331"

/* A span of another program's trace, which follows from another span, whose id is returned. */
static const char *trace_related(void)
{
    static char cause_id[17];
    struct cairn_span *cause = CAIRN_SPAN(INFO, "cause");
    struct cairn_trace_context context;

    assert_true(cairn_span_context(cause, &context));
    tracing_hex_text(context.span_id, 8, cause_id);
    assert_int_equal(cairn_trace_context_parse("00-" CALLER_TRACE "-" CALLER_SPAN "-01", &context),
                     0);
    {
        CAIRN_SCOPE_AS(served, INFO, "served", remote(&context));

        cairn_span_follows_from(served, cause);
        CAIRN_INFO("one");
        cairn_span_follows_from(served, cause); /* the second time it is not stored again */
        CAIRN_SCOPE(INFO, "inner");
        CAIRN_INFO("two");
    }
    cairn_span_close(cause);
    return cause_id;
}

/* Checks for a line that contains all of these, in this order. */
static void assert_line(const char *text, const char *first, const char *second, const char *third)
{
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        const char *end = strchr(line, '\n');
        const char *parts[] = {first, second, third};
        const char *at = line;

        for (size_t i = 0; at && i < 3; i++) {
            at = memmem(at, (size_t)(end - at), parts[i], strlen(parts[i]));
            at = at ? at + strlen(parts[i]) : NULL;
        }
        if (at)
            return;
    }
    fail_msg("no line has %s, %s and %s:\n%s", first, second, third, text);
}

static void json_lines_have_remote_parents_and_links(void **state)
{
    char causes[128];
    const char *text;
    const char *cause;

    (void)state;
    for (int span_events = 0; span_events < 2; span_events++) {
        struct cairn_subscriber *own = set(
            (struct cairn_stderr_options){.style = CAIRN_STDERR_JSON, .span_events = span_events},
            "info");

        cause = trace_related();
        text = unset(own);
        (void)snprintf(causes, sizeof(causes), "\",\"span_id\":\"%s\"}]}", cause);
        assert_line(text, "\"message\":\"one\"",
                    "\"parent_span_id\":\"" CALLER_SPAN "\","
                    "\"follows_from\":[{\"trace_id\":\"",
                    causes);
        assert_line(text, "\"message\":\"two\"", "\"trace_id\":\"" CALLER_TRACE "\"",
                    "\"parent_span_id\":\"");
    }
    assert_line(text, "\"message\":\"new\"", "\"name\":\"served\"",
                "\"parent_span_id\":\"" CALLER_SPAN "\"");
    (void)snprintf(causes, sizeof(causes), "\"span_id\":\"%s\"}", cause);
    assert_line(text, "\"message\":\"follows_from\",\"cause\":{\"trace_id\":\"", causes,
                "\"name\":\"served\"");
    assert_line(text, "\"message\":\"close\"", "\"name\":\"served\"", causes);
}

static void full_lines_have_remote_parents_and_links(void **state)
{
    char cause_id[64];

    (void)state;
    for (int style = CAIRN_STDERR_HUMAN; style <= CAIRN_STDERR_COMPACT; style++) {
        struct cairn_subscriber *own =
            set((struct cairn_stderr_options){.style = (enum cairn_stderr_style)style,
                                              .span_events = true},
                "info");
        const char *text;

        (void)snprintf(cause_id, sizeof(cause_id), " span_id=%s", trace_related());
        text = unset(own);
        assert_line(text, " new", " trace_id=" CALLER_TRACE, " parent_span_id=" CALLER_SPAN);
        assert_line(text, " follows_from", " cause=cause trace_id=", cause_id);
    }
}

static void a_span_stores_128_links_and_counts_the_others(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON, .span_events = true},
            "info,quiet=off");
    struct cairn_span *span;
    uint64_t before = cairn_tracing_lost();
    const char *last;

    (void)state;
    (void)fcntl(pipe_fds[1], F_SETPIPE_SZ, 1 << 20);
    span = CAIRN_SPAN(INFO, "batch");
    for (int i = 0; i < 130; i++) {
        struct cairn_span *cause = CAIRN_SPAN(INFO, "request");

        cairn_span_follows_from(span, cause);
        cairn_span_close(cause);
        while (read(pipe_fds[0], read_text, sizeof(read_text)) > 0)
            ;
    }
    assert_int_equal(cairn_tracing_lost(), before + 2);
    CAIRN_INFO((parent(span)), "an event");
    assert_non_null(strstr(unset(own), "}],\"follows_from_left_out\":122}\n"));
    own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON, .span_events = true}, "info");
    cairn_span_close(span); /* its subscriber no longer exists: no line */
    last = strstr(unset(own), "follows_from");
    assert_null(last);
}

static void trace_deep(int depth)
{
    CAIRN_SCOPE(INFO, "deep", kv("depth", depth));

    if (depth)
        trace_deep(depth - 1);
    else
        CAIRN_INFO("at the bottom");
}

static void a_line_reports_that_outer_spans_were_omitted(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON}, "info");

    (void)state;
    trace_deep(64);
    assert_non_null(strstr(unset(own), "{\"name\":\"deep\",\"fields\":{\"depth\":0}}],"
                                       "\"spans_left_out\":true,\"trace_id\""));
    assert_non_null(strstr(read_text, "\"spans\":[{\"name\":\"deep\",\"fields\":{\"depth\":63}}"));
    own = set((struct cairn_stderr_options){.style = CAIRN_STDERR_HUMAN}, "info");
    trace_deep(64);
    assert_non_null(strstr(unset(own), " INFO ...:deep{depth=63}:deep{depth=62}:"));
    own = set((struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT}, "info");
    trace_deep(64);
    assert_non_null(strstr(unset(own), " depth=63 ...\n"));
    own = set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON}, "info");
    trace_deep(63);
    assert_null(strstr(unset(own), "left_out"));
}

static void spans_have_optional_lines_of_their_own(void **state)
{
    struct cairn_subscriber *own = set(
        (struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT, .span_events = true}, "info");
    const char *text;

    (void)state;
    cairn_span_close(CAIRN_SPAN(INFO, "s", kv("a", 1)));
    text = unset(own);
    assert_non_null(strstr(text, "test_tracing_stderr: new a=1\n"));
    text = strstr(text, "test_tracing_stderr: close duration_ns=");
    assert_non_null(text);
    text += strlen("test_tracing_stderr: close duration_ns=");
    assert_string_equal(text + strspn(text, "0123456789"), " a=1\n");
    own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_JSON, .span_events = true}, "info");
    cairn_span_close(CAIRN_SPAN(INFO, "s", kv("a", 1)));
    text = unset(own);
    assert_non_null(
        strstr(text, "\"message\":\"new\",\"spans\":[{\"name\":\"s\",\"fields\":{\"a\":1}}]"));
    assert_non_null(strstr(text, "\"message\":\"close\",\"duration_ns\":"));
}

static void colours_are_for_terminals_or_on_request(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT,
                                          .colours = CAIRN_COLOURS_ALWAYS},
            "info");

    (void)state;
    CAIRN_ERROR("e");
    assert_non_null(strstr(unset(own), "\x1b[31mE\x1b[0m "));
    own = set((struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT}, "info");
    CAIRN_ERROR("e");
    assert_null(strchr(unset(own), '\x1b'));
}

/* Output of a new layer with automatic colours on a terminal, with these environment variables. */
static const char *on_terminal(const char *no_color, const char *term)
{
    struct cairn_subscriber_scope scope;
    struct cairn_subscriber *own;
    struct cairn_layer *layer;
    int here = posix_openpt(O_RDWR | O_NOCTTY);
    int there;
    ssize_t length;

    assert_true(here >= 0 && !grantpt(here) && !unlockpt(here));
    there = open(ptsname(here), O_RDWR | O_NOCTTY);
    assert_true(there >= 0);
    (void)(no_color ? setenv("NO_COLOR", no_color, 1) : unsetenv("NO_COLOR"));
    (void)setenv("TERM", term, 1);
    assert_int_equal(cairn_stderr_layer_create(
                         &(struct cairn_stderr_options){.size = sizeof(struct cairn_stderr_options),
                                                        .fd = there,
                                                        .style = CAIRN_STDERR_COMPACT},
                         &layer),
                     0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, layer, NULL), 0);
    assert_int_equal(cairn_subscriber_enter(&scope, own), 0);
    CAIRN_ERROR("e");
    assert_int_equal(cairn_subscriber_leave(&scope), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    length = read(here, read_text, sizeof(read_text) - 1);
    read_text[length > 0 ? length : 0] = '\0';
    close(there);
    close(here);
    return read_text;
}

static void a_terminal_has_colours_unless_the_environment_disables_them(void **state)
{
    (void)state;
    assert_non_null(strstr(on_terminal(NULL, "xterm"), "\x1b[31mE\x1b[0m "));
    assert_non_null(strchr(on_terminal("", "xterm"), '\x1b'));
    assert_null(strchr(on_terminal("1", "xterm"), '\x1b'));
    assert_non_null(strstr(read_text, " E test_tracing_stderr: e"));
    assert_null(strchr(on_terminal(NULL, "dumb"), '\x1b'));
    (void)unsetenv("NO_COLOR");
}

#define LINES       100
#define LINE_LENGTH 900

static void *write_lines(void *arg)
{
    char text[LINE_LENGTH + 1] = "";

    memset(text, *(const char *)arg, LINE_LENGTH);
    for (int i = 0; i < LINES; i++)
        CAIRN_INFO("%s", text);
    return NULL;
}

static void lines_of_several_threads_do_not_mix(void **state)
{
    FILE *file = tmpfile();
    struct cairn_subscriber *own;
    struct cairn_layer *layer;
    char letters[] = "abcd";
    pthread_t threads[4];
    char *line = NULL;
    size_t capacity = 0;
    int lines = 0;

    (void)state;
    assert_non_null(file);
    assert_int_equal(cairn_stderr_layer_create(
                         &(struct cairn_stderr_options){.size = sizeof(struct cairn_stderr_options),
                                                        .fd = fileno(file)},
                         &layer),
                     0);
    assert_int_equal(cairn_subscriber_create(&own), 0);
    assert_int_equal(cairn_subscriber_add(own, layer, NULL), 0);
    assert_int_equal(cairn_subscriber_set_global(own), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, &letters[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    rewind(file);
    for (ssize_t length; (length = getline(&line, &capacity, file)) > 0; lines++) {
        const char *text = line + length - 1 - LINE_LENGTH;

        assert_int_equal(length, 28 + strlen(" INFO test_tracing_stderr: \n") + LINE_LENGTH);
        assert_int_equal(strspn(text, (char[]){*text, '\0'}), LINE_LENGTH);
    }
    assert_int_equal(lines, 4 * LINES);
    free(line);
    (void)fclose(file);
}

#define LONG_LENGTH 20000u /* a pipe accepts a part of it at a time */
#define LONG_LINES  50

static void *write_long_lines(void *arg)
{
    char text[LONG_LENGTH + 1] = "";

    memset(text, *(const char *)arg, LONG_LENGTH);
    for (int i = 0; i < LONG_LINES; i++) {
        CAIRN_INFO("%s", text);
        CAIRN_INFO("short");
    }
    return NULL;
}

/* Checks that each line has a message of one letter, and nothing else after its target. */
static void assert_whole_line(const char *line)
{
    const char *text = strstr(line, ": ");

    assert_non_null(text);
    text += 2;
    if (strcmp(text, "short\n") != 0) {
        assert_int_equal(strlen(text), LONG_LENGTH + 1);
        assert_int_equal(strspn(text, (char[]){*text, '\0'}), LONG_LENGTH);
    }
}

static void long_lines_do_not_mix_in_a_pipe(void **state)
{
    struct cairn_subscriber *own = set((struct cairn_stderr_options){0}, "info");
    FILE *file = fdopen(dup(pipe_fds[0]), "r");
    char letters[] = "abcd";
    pthread_t threads[4];
    char *line = NULL;
    size_t capacity = 0;

    (void)state;
    assert_non_null(file);
    assert_int_equal(fcntl(pipe_fds[0], F_SETFL, 0), 0);
    assert_int_equal(fcntl(pipe_fds[1], F_SETFL, 0), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_long_lines, &letters[i]), 0);
    for (int i = 0; i < 4 * 2 * LONG_LINES; i++) {
        assert_true(getline(&line, &capacity, file) > 0);
        assert_whole_line(line);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    free(line);
    (void)fclose(file);
    assert_int_equal(fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK), 0);
    (void)unset(own);
}

static void *write_for_ever(void *arg)
{
    (void)arg;
    for (;;) {
        CAIRN_INFO("a line");
        pthread_testcancel();
    }
    return NULL;
}

/* Returns when the pipe is full, and the thread is blocked in write(2). */
static pthread_t begin_to_write_for_ever(void)
{
    struct pollfd writable = {.fd = pipe_fds[1], .events = POLLOUT};
    pthread_t thread;

    assert_int_equal(fcntl(pipe_fds[1], F_SETFL, 0), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_for_ever, NULL), 0);
    while (poll(&writable, 1, 0))
        (void)sched_yield();
    return thread;
}

static void end_writing(pthread_t thread)
{
    void *result;

    assert_int_equal(pthread_cancel(thread), 0);
    while (pthread_tryjoin_np(thread, &result)) {
        (void)read(pipe_fds[0], read_text, sizeof(read_text));
        (void)sched_yield();
    }
    assert_true(result == PTHREAD_CANCELED);
}

static void a_thread_that_is_cancelled_finishes_its_line(void **state)
{
    struct cairn_subscriber *own = set((struct cairn_stderr_options){0}, "info");

    (void)state;
    end_writing(begin_to_write_for_ever());
    (void)unset(own); /* would block until the thread ends */
}

static void a_child_does_not_wait_for_its_parents_threads(void **state)
{
    struct cairn_subscriber *own = set((struct cairn_stderr_options){0}, "info");
    pthread_t thread = begin_to_write_for_ever();
    int status;
    pid_t child = fork();

    (void)state;
    if (!child) {
        (void)fcntl(pipe_fds[1], F_SETFL, O_NONBLOCK);
        CAIRN_INFO("from the child"); /* omitted if the pipe is full */
        _exit(0);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    end_writing(thread);
    (void)unset(own);
}

static void a_line_keeps_errno(void **state)
{
    struct cairn_subscriber *own =
        set((struct cairn_stderr_options){.style = CAIRN_STDERR_COMPACT}, "info");

    (void)state;
    close(pipe_fds[1]);
    errno = 77;
    CAIRN_ERROR("into nothing");
    assert_int_equal(errno, 77);
    assert_int_equal(cairn_subscriber_set_global(NULL), 0);
    assert_int_equal(cairn_subscriber_destroy(own), 0);
    close(pipe_fds[0]);
}

static void do_nothing(void)
{
}

static void (*after_init)(void) = do_nothing;

/* Runs init in a child, because its effects last until the process ends. */
static const char *init_with(const char *log, const char *style, int expected)
{
    ssize_t length;
    int status;
    pid_t pid;

    assert_int_equal(pipe(pipe_fds), 0);
    pid = fork();
    if (!pid) {
        (void)dup2(pipe_fds[1], STDERR_FILENO);
        (void)(log ? setenv("CAIRN_LOG", log, 1) : unsetenv("CAIRN_LOG"));
        (void)setenv("CAIRN_LOG_STYLE", style, 1);
        status = cairn_tracing_init();
        CAIRN_ERROR("e");
        CAIRN_INFO("i");
        after_init();
        _exit(status);
    }
    close(pipe_fds[1]);
    length = read(pipe_fds[0], read_text, sizeof(read_text) - 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), expected);
    for (ssize_t more = 1; length >= 0 && more > 0; length += more)
        more = read(pipe_fds[0], read_text + length, sizeof(read_text) - 1 - (size_t)length);
    close(pipe_fds[0]);
    read_text[length > 0 ? length : 0] = '\0';
    return read_text;
}

static void the_environment_selects_filter_and_style(void **state)
{
    (void)state;
    assert_non_null(strstr(init_with("info", "compact", 0), " E test_tracing_stderr: e\n"));
    assert_non_null(strstr(read_text, " I test_tracing_stderr: i\n"));
}

static void without_directives_errors_are_shown(void **state)
{
    (void)state;
    assert_non_null(strstr(init_with(NULL, "human", 0), " ERROR test_tracing_stderr: e\n"));
    assert_null(strstr(read_text, "INFO"));
    assert_int_equal(init_with(NULL, "json", 0)[0], '{');
    assert_non_null(strstr(init_with(" ,", "human", 0), " ERROR test_tracing_stderr: e\n"));
    assert_null(strstr(init_with("", "human", 0), "INFO"));
    assert_non_null(strstr(read_text, " ERROR test_tracing_stderr: e\n"));
    assert_string_equal(init_with("off", "human", 0), "");
}

static void invalid_directives_in_the_environment_are_reported_and_the_others_apply(void **state)
{
    (void)state;
    assert_non_null(strstr(init_with("info,net=loud,test_tracing=debug", "human", EINVAL),
                           "cairn: CAIRN_LOG: \"net=loud\" at byte 9 is ignored: a level is off"));
    assert_non_null(strstr(read_text, "  INFO test_tracing_stderr: i\n"));
    assert_non_null(strstr(init_with("a]\x1b[2J", "human", EINVAL),
                           "cairn: CAIRN_LOG: \"a]\\x1b[2J\" at byte 1 is ignored: "));
    assert_non_null(strstr(read_text, " ERROR test_tracing_stderr: e\n"));
    assert_null(strstr(read_text, "INFO"));
}

static void directives_that_match_nothing_are_reported_and_applied(void **state)
{
    (void)state;
    assert_non_null(
        strstr(init_with("inof", "human", 0),
               "cairn: CAIRN_LOG: \"inof\" at byte 0 matches nothing: no target known"));
    assert_null(strstr(read_text, "ERROR"));
    assert_non_null(strstr(init_with("error,info debug", "human", 0),
                           "cairn: CAIRN_LOG: \"info debug\" at byte 6 matches nothing: "));
    assert_non_null(strstr(read_text, " ERROR test_tracing_stderr: e\n"));
    assert_null(strstr(init_with("test_tracing=info,[outer]", "human", 0), "cairn:"));
}

static void an_unknown_style_is_reported(void **state)
{
    (void)state;
    assert_non_null(strstr(init_with("info", "jsno", EINVAL),
                           "cairn: CAIRN_LOG_STYLE: \"jsno\" at byte 0 is unknown: a style is "));
    assert_non_null(strstr(read_text, "  INFO test_tracing_stderr: i\n"));
    assert_null(strstr(init_with("info", "", 0), "cairn:"));
}

/* Prints each difference from the expected status. */
static void expect_status(int expected, int status)
{
    if (status != expected)
        (void)dprintf(STDERR_FILENO, "status %d instead of %d\n", status, expected);
}

static void reload(void)
{
    struct cairn_directives_error why = {0, NULL};
    uint64_t before;

    expect_status(0, cairn_tracing_reload("test_tracing=debug", NULL));
    CAIRN_DEBUG("debugged");
    expect_status(EINVAL, cairn_tracing_reload("off,net=loud", &why));
    expect_status(8, (int)why.at);
    expect_status(EINVAL, cairn_tracing_reload(NULL, NULL));
    CAIRN_DEBUG("still");
    expect_status(0, cairn_tracing_reload("off", NULL));
    CAIRN_ERROR("not wanted");
    expect_status(0, cairn_tracing_init()); /* the second call does nothing */
    CAIRN_ERROR("not wanted");
    before = cairn_tracing_lost();
    expect_status(0, cairn_subscriber_add(cairn_tracing_subscriber(), &notes.layer, NULL));
    CAIRN_ERROR("noted");
    expect_status(0, strcmp(notes.text.text, "test_tracing_stderr: noted\n"));
    expect_status(0, (int)(cairn_tracing_lost() - before));
}

static void the_filter_of_init_can_be_reloaded(void **state)
{
    (void)state;
    assert_int_equal(cairn_tracing_reload("info", NULL), ENOENT);
    assert_null(cairn_tracing_subscriber());
    after_init = reload;
    init_with("info", "compact", 0);
    after_init = do_nothing;
    assert_null(strstr(read_text, "status"));
    assert_non_null(strstr(read_text, " D test_tracing_stderr: debugged\n"));
    assert_non_null(strstr(read_text, " D test_tracing_stderr: still\n"));
    assert_null(strstr(read_text, "not wanted"));
    assert_null(strstr(read_text, "noted"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_line_has_the_enclosing_spans),
        cmocka_unit_test(a_compact_line_has_the_fields_of_spans_at_its_end),
        cmocka_unit_test(a_json_line_is_json),
        cmocka_unit_test(a_json_line_has_no_member_twice),
        cmocka_unit_test(a_json_line_has_the_process_and_the_thread),
        cmocka_unit_test(json_lines_have_remote_parents_and_links),
        cmocka_unit_test(full_lines_have_remote_parents_and_links),
        cmocka_unit_test(a_span_stores_128_links_and_counts_the_others),
        cmocka_unit_test(a_line_reports_that_outer_spans_were_omitted),
        cmocka_unit_test(spans_have_optional_lines_of_their_own),
        cmocka_unit_test(colours_are_for_terminals_or_on_request),
        cmocka_unit_test(a_terminal_has_colours_unless_the_environment_disables_them),
        cmocka_unit_test(lines_of_several_threads_do_not_mix),
        cmocka_unit_test(long_lines_do_not_mix_in_a_pipe),
        cmocka_unit_test(a_thread_that_is_cancelled_finishes_its_line),
        cmocka_unit_test(a_child_does_not_wait_for_its_parents_threads),
        cmocka_unit_test(a_line_keeps_errno),
        cmocka_unit_test(the_environment_selects_filter_and_style),
        cmocka_unit_test(without_directives_errors_are_shown),
        cmocka_unit_test(invalid_directives_in_the_environment_are_reported_and_the_others_apply),
        cmocka_unit_test(directives_that_match_nothing_are_reported_and_applied),
        cmocka_unit_test(an_unknown_style_is_reported),
        cmocka_unit_test(the_filter_of_init_can_be_reloaded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
