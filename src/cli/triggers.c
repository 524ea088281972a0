/* SPDX-License-Identifier: MIT */
/* Triggers of a recording. */
#include "cli/triggers.h"

#include "cli/collection.h"
#include "cli/record_report.h"

#include <cairn/select.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Their events are few. */
#define BUFFER_BYTES CAIRN_SESSION_BUFFER_MIN_BYTES

/* ---- options ---- */

static bool parse_action(struct cli_trigger *t, const char *word)
{
    static const char exec[] = "exec:";

    if (word && !strcmp(word, "snapshot")) {
        t->action = CLI_TRIGGER_SNAPSHOT;
    } else if (word && !strcmp(word, "stop")) {
        t->action = CLI_TRIGGER_STOP;
    } else if (word && !strncmp(word, exec, strlen(exec)) && word[strlen(exec)]) {
        t->action = CLI_TRIGGER_EXEC;
        t->command = strdup(word + strlen(exec));
    } else {
        return false;
    }
    return true;
}

/* "EVENT" or "EVENT && FILTER". */
static bool split(struct cli_trigger *t, const char *condition)
{
    const char *end = strstr(condition, "&&");
    size_t length = end ? (size_t)(end - condition) : strlen(condition);

    t->filter = end ? end + 2 : NULL;
    while (length && condition[length - 1] == ' ')
        length--;
    while (length && *condition == ' ') {
        condition++;
        length--;
    }
    t->pattern = strndup(condition, length);
    return t->pattern && !cairn_session_pattern_check(t->pattern);
}

static bool is_valid_filter(const struct cli_triggers *triggers, const struct cli_trigger *t)
{
    struct cairn_filter_error problem;

    if (!t->filter)
        return true;
    if (cairn_filter_is_valid(t->filter, &problem))
        return cli_check_possible(triggers->verb, "--on: the filter", t->filter);
    cli_error(triggers->verb, "--on: the filter '%s' is invalid at %" PRIu32 ": %s", t->filter,
              problem.position, problem.reason);
    return false;
}

int cli_triggers_add(struct cli_triggers *triggers, const char *condition, const char *action)
{
    struct cli_trigger *t = &triggers->triggers[triggers->count];

    if (triggers->count == CLI_TRIGGERS_MAX) {
        cli_error(triggers->verb, "too many triggers: at most %u", CLI_TRIGGERS_MAX);
        return CLI_USAGE;
    }
    triggers->count++;
    if (!split(t, condition)) {
        cli_error(triggers->verb, "invalid --on '%s': expected EVENT or 'EVENT && FILTER'",
                  condition);
        return CLI_USAGE;
    }
    if (!parse_action(t, action)) {
        cli_error(triggers->verb,
                  "--on '%s' needs an action after it: snapshot, stop or exec:COMMAND", condition);
        return CLI_USAGE;
    }
    return is_valid_filter(triggers, t) ? CLI_OK : CLI_USAGE;
}

bool cli_triggers_want_snapshots(const struct cli_triggers *triggers)
{
    bool wanted = false;

    for (uint32_t i = 0; i < triggers->count; i++)
        wanted |= triggers->triggers[i].action == CLI_TRIGGER_SNAPSHOT;
    return wanted;
}

/* ---- sessions ---- */

static int on_tracepoint(void *context, const struct cairn_perf_tracepoint *tracepoint)
{
    (void)context;
    (void)tracepoint;
    return 0;
}

static int on_record(void *context, const struct cairn_session_record *record)
{
    struct cli_trigger *t = context;

    (void)record;
    t->seen++;
    return 0;
}

static int begin(struct cli_trigger *t)
{
    struct cairn_session_receiver receiver = {
        .size = sizeof(receiver), .context = t, .tracepoint = on_tracepoint, .record = on_record};
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;
    const char *pattern = t->pattern;

    options.patterns = &pattern;
    options.filters = &t->filter;
    options.pattern_count = 1;
    options.buffer_bytes = BUFFER_BYTES;
    options.receiver = &receiver;
    return cairn_session_create(&options, &t->session);
}

int cli_triggers_begin(struct cli_triggers *triggers)
{
    for (uint32_t i = 0; i < triggers->count; i++) {
        int error = begin(&triggers->triggers[i]);

        if (error) {
            cli_directory_error(triggers->verb, error, "cannot watch for events of --on");
            return CLI_FAILED;
        }
    }
    return CLI_OK;
}

/* ---- actions ---- */

/* One command of a trigger runs at a time. */
static void run_command(struct cli_triggers *triggers, struct cli_trigger *t,
                        const struct cli_command_setting *setting)
{
    static char shell[] = "/bin/sh";
    static char option[] = "-c";
    char *argv[] = {shell, option, t->command, NULL};
    int error;

    if (!cli_command_has_ended(&t->running)) {
        t->skipped++;
        return;
    }
    error = cli_command_start(&t->running, argv, setting);
    if (error)
        cli_errno(triggers->verb, error, "cannot run %s", t->command);
}

/* Several events at once are one occasion. */
static void act(struct cli_triggers *triggers, struct cli_trigger *t,
                const struct cli_command_setting *setting, bool *ret_snapshot, bool *ret_stop)
{
    if (t->seen == t->acted)
        return;
    t->acted = t->seen;
    if (t->action == CLI_TRIGGER_EXEC)
        run_command(triggers, t, setting);
    *ret_snapshot |= t->action == CLI_TRIGGER_SNAPSHOT;
    *ret_stop |= t->action == CLI_TRIGGER_STOP;
}

void cli_triggers_poll(struct cli_triggers *triggers, const struct cli_command_setting *setting,
                       bool *ret_snapshot, bool *ret_stop)
{
    for (uint32_t i = 0; i < triggers->count; i++) {
        struct cli_trigger *t = &triggers->triggers[i];
        uint32_t wait_ms;

        (void)cairn_session_poll(t->session, &wait_ms);
        (void)cli_command_has_ended(&t->running);
        cli_report_filter_problems(triggers->verb, t->session, &t->checked_tracepoints);
        act(triggers, t, setting, ret_snapshot, ret_stop);
    }
}

static void report(const struct cli_triggers *triggers, struct cli_trigger *t)
{
    const char *problem = cairn_session_filter_problem(t->session, 0);

    cli_report_filter_problems(triggers->verb, t->session, &t->checked_tracepoints);
    if (!cairn_session_has_matched(t->session, 0))
        cli_error(triggers->verb, "--on: no tracepoint matched %s", t->pattern);
    else if (problem && !t->seen)
        cli_error(triggers->verb, "the filter of --on could be applied to no event: %s", problem);
    if (t->skipped)
        cli_error(triggers->verb, "%s was skipped %" PRIu64 " time%s: it was still running",
                  t->command, t->skipped, cli_plural(t->skipped));
}

void cli_triggers_end(struct cli_triggers *triggers, const struct cli_command_setting *setting,
                      bool *ret_snapshot)
{
    bool is_stopped = false;

    for (uint32_t i = 0; i < triggers->count; i++) {
        struct cli_trigger *t = &triggers->triggers[i];

        (void)cairn_session_finish(t->session);
        act(triggers, t, setting, ret_snapshot, &is_stopped);
        report(triggers, t);
    }
}

void cli_triggers_free(struct cli_triggers *triggers)
{
    for (uint32_t i = 0; i < triggers->count; i++) {
        cairn_session_destroy(triggers->triggers[i].session);
        free(triggers->triggers[i].pattern);
        free(triggers->triggers[i].command);
    }
    triggers->count = 0;
}
