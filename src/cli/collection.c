/* SPDX-License-Identifier: MIT */
/* A session of a verb: its options, its command, its loop and its end. */
#include "cli/collection.h"

#include "cli/missing.h"
#include "cli/stuck.h"

#include <cairn/select.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t cli_collection_elapsed_ns(const struct cli_collection *c)
{
    return cli_now_ns() - c->start_ns;
}

bool cli_collection_open(struct cli_collection *c, const struct cli_verb *verb, int argc)
{
    *c = (struct cli_collection){.verb = verb};
    c->patterns = calloc((size_t)argc + 1, sizeof(*c->patterns));
    c->filters = calloc((size_t)argc + 1, sizeof(*c->filters));
    if (c->patterns && c->filters)
        return true;
    cli_errno(verb, ENOMEM, "cannot start");
    return false;
}

void cli_collection_close(struct cli_collection *c)
{
    cairn_session_destroy(c->recorder);
    cairn_reader_close(c->reader);
    free((void *)c->patterns);
    free((void *)c->filters);
    for (size_t i = 0; i < c->added_count; i++)
        free(c->added[i]);
    free(c->added);
}

/* ---- options ---- */

/* Accepts the system's name before an event's, as perf writes it. */
static const char *without_system(const char *pattern)
{
    static const char *const systems[] = {"user_events:", "user_events_multi:"};

    for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
        if (!strncmp(pattern, systems[i], strlen(systems[i])))
            return pattern + strlen(systems[i]);
    }
    return pattern;
}

int cli_collection_add_pattern(struct cli_collection *c, const char *pattern)
{
    pattern = without_system(pattern);
    if (cairn_session_pattern_check(pattern)) {
        cli_error(c->verb,
                  "invalid -e %s: expected NAME, NAME/every=N/, NAME/rate=N/ (events per second "
                  "and thread), or NAME/stack/",
                  pattern);
        return CLI_USAGE;
    }
    c->patterns[c->pattern_count++] = pattern;
    return CLI_OK;
}

static bool wants_stack(const char *pattern)
{
    static const char word[] = "stack";
    size_t length = strlen(pattern);
    const char *slash =
        length && pattern[length - 1] == '/' ? memrchr(pattern, '/', length - 1) : NULL;

    for (const char *at = slash; at && at[1]; at = strpbrk(at + 1, ",/")) {
        size_t word_bytes = strcspn(at + 1, ",/");

        if (word_bytes == strlen(word) && !strncmp(at + 1, word, word_bytes))
            return true;
    }
    return false;
}

bool cli_collection_wants_stacks(const struct cli_collection *c)
{
    for (size_t n = 0; n < c->pattern_count; n++) {
        if (wants_stack(c->patterns[n]))
            return true;
    }
    return false;
}

bool cli_check_possible(const struct cli_verb *verb, const char *option, const char *filter)
{
    if (cairn_filter_is_possible(filter))
        return true;
    cli_error(verb, "%s '%s' can select no event: it contradicts itself", option, filter);
    return false;
}

/* Reports a filter that is invalid for any fields. Other errors depend on the tracepoint. */
bool cli_collection_check_filter(const struct cli_verb *verb, const char *filter)
{
    struct cairn_filter_error problem;

    if (cairn_filter_is_valid(filter, &problem))
        return cli_check_possible(verb, "--filter", filter);
    cli_error(verb, "--filter '%s' is invalid at %" PRIu32 ": %s", filter, problem.position,
              problem.reason);
    return false;
}

int cli_collection_add_filter(struct cli_collection *c, const char *filter)
{
    if (!c->pattern_count)
        c->patterns[c->pattern_count++] = "*";
    if (c->filters[c->pattern_count - 1]) {
        cli_error(c->verb, "each -e takes one --filter; combine two with && or ||");
        return CLI_USAGE;
    }
    if (!cli_collection_check_filter(c->verb, filter))
        return CLI_USAGE;
    c->filters[c->pattern_count - 1] = filter;
    return CLI_OK;
}

int cli_collection_set_duration(struct cli_collection *c, const char *text)
{
    if (cli_parse_seconds(text, &c->duration_ns))
        return CLI_OK;
    cli_error(c->verb, "invalid --duration %s: expected seconds, more than 0 and less than 1e9",
              text);
    return CLI_USAGE;
}

int cli_collection_parse_buffer(const struct cli_verb *verb, const char *text, size_t *ret_bytes)
{
    if (cli_parse_size(text, ret_bytes) && *ret_bytes >= CAIRN_SESSION_BUFFER_MIN_BYTES &&
        *ret_bytes <= CAIRN_SESSION_BUFFER_MAX_BYTES)
        return CLI_OK;
    cli_error(verb, "invalid --buffer-size %s: expected 512K to 512M", text);
    return CLI_USAGE;
}

int cli_collection_parse(struct cli_collection *c, const struct cli_collection_options *how,
                         int argc, char **argv, bool *ret_help)
{
    int status = CLI_OK;
    int option;

    optind = 1;
    while (!status && (option = getopt_long(argc, argv, how->letters, how->options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = how->apply(how->context, option, argv);
    }
    if (optind < argc)
        c->command_argv = argv + optind;
    c->is_all = !c->pattern_count;
    if (c->is_all)
        c->patterns[c->pattern_count++] = "*";
    return status;
}

/* ---- the session ---- */

static int create_session(struct cli_collection *c, struct cairn_session_options *options)
{
    int error;

    options->patterns = c->patterns;
    options->filters = c->filters;
    options->pattern_count = c->pattern_count;
    error = cairn_session_create(options, &c->recorder);
    if (!error)
        c->session = c->recorder;
    return error;
}

static int create_reader(struct cli_collection *c, size_t buffer_bytes)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    int error;

    options.patterns = c->patterns;
    options.filters = c->filters;
    options.pattern_count = c->pattern_count;
    options.buffer_bytes = buffer_bytes;
    error = cairn_reader_open_session(&options, &c->reader);
    if (!error)
        c->session = cairn_reader_session(c->reader);
    return error;
}

/* Returns an exit status. */
static int note_begin(struct cli_collection *c, int error)
{
    c->start_ns = cli_now_ns();
    if (!error)
        return CLI_OK;
    if (error == E2BIG)
        cli_error(c->verb, "the patterns are too long: use fewer or shorter ones");
    else
        cli_directory_error(c->verb, error, "cannot begin a session");
    return CLI_FAILED;
}

void cli_collection_prepare(struct cli_collection *c)
{
    struct rlimit raised;

    cli_signals_block(&c->signals);
    if (getrlimit(RLIMIT_NOFILE, &c->descriptors))
        return;
    raised = (struct rlimit){c->descriptors.rlim_max, c->descriptors.rlim_max};
    (void)setrlimit(RLIMIT_NOFILE, &raised);
}

int cli_collection_begin(struct cli_collection *c, struct cairn_session_options *options)
{
    int error;

    options->wait = cli_wait_for_reader;
    options->wait_context = c;
    error = create_session(c, options);
    if (!error || !options->kernel || !options->kernel->problem[0])
        return note_begin(c, error);
    cli_error(c->verb, "cannot record events of the kernel: %s", options->kernel->problem);
    return CLI_FAILED;
}

int cli_collection_begin_reading(struct cli_collection *c, size_t buffer_bytes)
{
    return note_begin(c, create_reader(c, buffer_bytes));
}

/* Memory for one pattern more, and for copies of it and of its filter. Returns 0 or ENOMEM. */
static int reserve_pattern(struct cli_collection *c)
{
    size_t count = c->pattern_count + 1;
    void *patterns = reallocarray((void *)c->patterns, count, sizeof(*c->patterns));
    void *filters;
    void *added;

    c->patterns = patterns ? patterns : (void *)c->patterns;
    filters = reallocarray((void *)c->filters, count, sizeof(*c->filters));
    c->filters = filters ? filters : (void *)c->filters;
    added = reallocarray(c->added, c->added_count + 2, sizeof(*c->added));
    c->added = added ? added : c->added;
    return patterns && filters && added ? 0 : ENOMEM;
}

/* After reserve_pattern. NULL: no memory. */
static char *copy_added(struct cli_collection *c, const char *text)
{
    char *copy = strdup(text);

    if (copy)
        c->added[c->added_count++] = copy;
    return copy;
}

int cli_collection_add_later(struct cli_collection *c, const char *pattern, const char *filter)
{
    int error = reserve_pattern(c);
    char *copy = error ? NULL : copy_added(c, without_system(pattern));
    char *filter_copy = copy && filter ? copy_added(c, filter) : NULL;

    if (!copy || (filter && !filter_copy))
        return ENOMEM;
    error = cairn_session_pattern_add(c->recorder, copy, filter_copy);
    if (error)
        return error;
    c->patterns[c->pattern_count] = copy;
    c->filters[c->pattern_count++] = filter_copy;
    return 0;
}

int cli_collection_remove_later(struct cli_collection *c, const char *pattern)
{
    size_t at = 0;
    int error;

    pattern = without_system(pattern);
    error = cairn_session_pattern_remove(c->recorder, pattern);
    if (error)
        return error;
    while (strcmp(c->patterns[at], pattern) != 0)
        at++;
    c->pattern_count--;
    memmove(c->patterns + at, c->patterns + at + 1, (c->pattern_count - at) * sizeof(*c->patterns));
    memmove(c->filters + at, c->filters + at + 1, (c->pattern_count - at) * sizeof(*c->filters));
    return 0;
}

struct cli_command_setting cli_collection_setting(const struct cli_collection *c)
{
    return (struct cli_command_setting){
        .signals = &c->signals.before,
        .descriptors = &c->descriptors,
    };
}

int cli_collection_start_command(struct cli_collection *c, bool output_to_error)
{
    struct cli_command_setting setting = cli_collection_setting(c);

    setting.output_to_error = output_to_error;
    if (!c->command_argv)
        return CLI_OK;
    return cli_command_run(c->verb, &c->command, c->command_argv, &setting);
}

static bool is_over(struct cli_collection *c)
{
    if (c->is_stopped)
        return true;
    if (c->command_argv && cli_command_has_ended(&c->command))
        return true;
    return c->duration_ns && cli_collection_elapsed_ns(c) >= c->duration_ns;
}

/* Without a descriptor to wait for, the session is polled often. */
static void prepare_wait(struct cli_collection *c)
{
    int error = c->recorder ? cairn_session_wait_fd(c->recorder, &c->signals.wait_fd)
                            : cairn_reader_wait_fd(c->reader, &c->signals.wait_fd);

    if (error)
        c->signals.wait_fd = 0;
}

/* A time limit is not missed by more than a poll. */
static uint32_t limit_wait(const struct cli_collection *c, uint32_t wait_ms)
{
    uint64_t elapsed_ns = cli_collection_elapsed_ns(c);
    uint64_t left_ms;

    if (!c->duration_ns || elapsed_ns >= c->duration_ns)
        return wait_ms;
    left_ms = (c->duration_ns - elapsed_ns) / 1000000 + 1;
    return left_ms < wait_ms ? (uint32_t)left_ms : wait_ms;
}

int cli_collection_run(struct cli_collection *c, int (*each)(void *context), void *context)
{
    uint32_t wait_ms = 0;
    int error = 0;

    prepare_wait(c);

    do {
        int each_error;

        if (c->recorder)
            error = cairn_session_poll(c->recorder, &wait_ms);
        each_error = each(context);
        if (!error)
            error = each_error;
        if (c->reader)
            wait_ms = cairn_reader_wait_ms(c->reader);
    } while (!error && !is_over(c) &&
             cli_signals_wait(&c->signals, &c->command, limit_wait(c, wait_ms)));
    return error;
}

/* The command continues when tracing has failed: waits for its end. A session that writes to an
 * output counts the events that are not stored meanwhile. */
static void wait_for_command(struct cli_collection *c, bool is_counting)
{
    uint32_t wait_ms = 1000;

    while (c->command_argv && !c->signals.end_requests && !cli_command_has_ended(&c->command) &&
           cli_signals_wait(&c->signals, &c->command, wait_ms)) {
        if (is_counting)
            (void)cairn_session_poll(c->recorder, &wait_ms);
    }
}

static void report_error(const struct cli_collection *c, int error, const char *output)
{
    if (output && error == ETIMEDOUT)
        cli_error(c->verb, "cannot write %s: its reader does not read; the stream is truncated",
                  output);
    else if (output && error == EBADMSG)
        cli_error(c->verb,
                  "files of the tracing directory were truncated or overwritten: %s ends here",
                  output);
    else if (output)
        cli_errno(c->verb, error, "cannot write %s", output);
}

static int finish(struct cli_collection *c)
{
    return c->reader ? cairn_reader_stop(c->reader) : cairn_session_finish(c->recorder);
}

/* A session that still counts is finished after the command. */
static void end_failed(struct cli_collection *c, bool is_counting)
{
    if (!is_counting)
        (void)finish(c);
    wait_for_command(c, is_counting);
    if (c->command_argv)
        cli_command_stop(&c->command);
    if (is_counting)
        (void)finish(c);
}

int cli_collection_end(struct cli_collection *c, int error, const char *output)
{
    if (error) {
        report_error(c, error, output);
        end_failed(c, c->recorder && output);
        return error;
    }
    if (c->command_argv)
        cli_command_stop(&c->command);
    error = finish(c);
    if (error)
        report_error(c, error, output);
    return error;
}

int cli_collection_exit_status(const struct cli_collection *c, int error)
{
    struct cairn_session_counts counts = *cairn_session_counts(c->session);
    int status = c->command_argv ? cli_command_exit_status(&c->command) : CLI_OK;

    if (error)
        return CLI_FAILED;
    if (status)
        return status;
    if (cli_is_anything_missing(&counts))
        return CLI_LOST;
    for (size_t i = 0; i < c->pattern_count && !c->is_quiet_without_events; i++) {
        if (!cairn_session_has_selected(c->session, i))
            return CLI_NOTHING;
    }
    return CLI_OK;
}
