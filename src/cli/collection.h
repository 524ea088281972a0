/* SPDX-License-Identifier: MIT */
/*
 * The common part of the verbs that have a session: which events they collect, for how long, and
 * the command that they run.
 */
#ifndef CLI_COLLECTION_H
#define CLI_COLLECTION_H

#include "cli/cli.h"
#include "cli/signals.h"

#include <cairn/reader.h>
#include <cairn/session.h>

struct cli_collection {
    const struct cli_verb *verb;
    const char **patterns;
    const char **filters; /* of each pattern, or NULL */
    size_t pattern_count;
    uint64_t reported_filters; /* of the first 64, those of which a problem was printed */
    char **added;              /* memory of patterns that were added later */
    size_t added_count;
    bool is_all;                         /* no pattern was given: the only one is "*" */
    bool is_quiet_without_events;        /* no program need match: other events are recorded, too */
    uint64_t duration_ns;                /* 0: no end */
    char **command_argv;                 /* NULL: none */
    struct cairn_session *recorder;      /* collects to a file, */
    struct cairn_reader *reader;         /* or to the verb: one of them is NULL */
    const struct cairn_session *session; /* of either */
    struct cli_command command;
    bool is_stopped; /* it is to end now */
    struct cli_signals signals;
    struct rlimit descriptors; /* the original RLIMIT_NOFILE, for the command */
    uint64_t start_ns;
};

/* Allocates memory for as many patterns as argc words can have. False: no memory; a message was
 * printed. */
bool cli_collection_open(struct cli_collection *c, const struct cli_verb *verb, int argc);

/* Destroys the session too. */
void cli_collection_close(struct cli_collection *c);

/* True if a pattern asks for the stacks of its events (NAME/stack/). */
bool cli_collection_wants_stacks(const struct cli_collection *c);

/* Apply the options -e, --filter and --duration. They return an exit status. */
int cli_collection_add_pattern(struct cli_collection *c, const char *pattern);
int cli_collection_add_filter(struct cli_collection *c, const char *filter);
int cli_collection_set_duration(struct cli_collection *c, const char *text);

/* True if a filter is valid for some fields; otherwise the problem was reported. */
bool cli_collection_check_filter(const struct cli_verb *verb, const char *filter);

/* True if a valid filter can select an event; otherwise the problem was reported, as one of an
 * option. */
bool cli_check_possible(const struct cli_verb *verb, const char *option, const char *filter);

/* Parses the value of --buffer-size. Returns an exit status. */
int cli_collection_parse_buffer(const struct cli_verb *verb, const char *text, size_t *ret_bytes);

/* The options of a verb, as getopt_long takes them. `apply` gets each but -h, which prints help,
 * and returns an exit status. */
struct cli_collection_options {
    const char *letters;
    const struct option *options;
    int (*apply)(void *context, int option, char **argv);
    void *context;
};

/*
 * Parses the options of a verb, up to the first that is invalid. Without -e all events are
 * collected; the words after the options are the command.
 *
 * ret_help  true if the user asks for help: nothing else counts then
 *
 * Returns an exit status.
 */
int cli_collection_parse(struct cli_collection *c, const struct cli_collection_options *how,
                         int argc, char **argv, bool *ret_help);

/* Blocks the signals that end the verb, and raises the limit of descriptors, of which each pool
 * needs one. */
void cli_collection_prepare(struct cli_collection *c);

/* Begins a session to a file, after cli_collection_prepare; sets the events in its options. Returns
 * an exit status. */
int cli_collection_begin(struct cli_collection *c, struct cairn_session_options *options);

/* The same for a session whose events the verb reads. */
int cli_collection_begin_reading(struct cli_collection *c, size_t buffer_bytes);

/* Adds a pattern to a session that collects to a file, with a filter or NULL; removes one. Return
 * 0, or what the functions of the session return. */
int cli_collection_add_later(struct cli_collection *c, const char *pattern, const char *filter);
int cli_collection_remove_later(struct cli_collection *c, const char *pattern);

/* Starts the command, if there is one. With output_to_error its standard output is our standard
 * error. Returns an exit status. */
int cli_collection_start_command(struct cli_collection *c, bool output_to_error);

/* Attributes for commands that the verb runs. */
struct cli_command_setting cli_collection_setting(const struct cli_collection *c);

/* Time since the session began. */
uint64_t cli_collection_elapsed_ns(const struct cli_collection *c);

/* Polls until the end, and calls `each` after each poll; for a reader, `each` polls by reading the
 * events. Returns the first error of `each`, or of writing. */
int cli_collection_run(struct cli_collection *c, int (*each)(void *context), void *context);

/* Ends the session; `error` is the result of cli_collection_run. Returns the first error, and
 * reports it as an error of writing `output`, unless that is NULL. */
int cli_collection_end(struct cli_collection *c, int error, const char *output);

/* The exit status of the verb; `error` is the result of cli_collection_end. */
int cli_collection_exit_status(const struct cli_collection *c, int error);

#endif
