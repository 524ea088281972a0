/* SPDX-License-Identifier: MIT */
/* What the verbs share that have a session: which events, for how long, beside which command. */
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
    uint64_t duration_ns;                /* 0: no end */
    char **command_argv;                 /* NULL: none */
    struct cairn_session *recorder;      /* to a file; or */
    struct cairn_reader *reader;         /* to the verb; one of the two */
    const struct cairn_session *session; /* that of the one or the other */
    struct cli_command command;
    struct cli_signals signals;
    struct rlimit descriptors; /* RLIMIT_NOFILE as it was: for the command */
    uint64_t start_ns;
};

/* Makes room for as many patterns as argc words can name. False: no memory; it has been said. */
bool cli_collection_open(struct cli_collection *c, const struct cli_verb *verb, int argc);

/* Destroys the session too. */
void cli_collection_close(struct cli_collection *c);

/* What the options -e, --filter and --duration say. They return an exit status. */
void cli_collection_add_pattern(struct cli_collection *c, const char *pattern);
int cli_collection_add_filter(struct cli_collection *c, const char *filter);
int cli_collection_set_duration(struct cli_collection *c, const char *text);

/* The same for --buffer-size. */
int cli_collection_parse_buffer(const struct cli_verb *verb, const char *text, size_t *ret_bytes);

/* Without any -e all events are meant; what follows the options is the command. */
void cli_collection_end_options(struct cli_collection *c, int argc, char **argv);

/* From now on signals wait for us, and we may open as many pools as we may at all. */
void cli_collection_prepare(struct cli_collection *c);

/* After that: fills in which events, and begins. Returns an exit status. */
int cli_collection_begin(struct cli_collection *c, struct cairn_session_options *options);

/* The same for events that the verb reads. */
int cli_collection_begin_reading(struct cli_collection *c, size_t buffer_bytes);

/* Starts the command, if there is one; its standard output is our standard error, if wanted.
 * Returns an exit status. */
int cli_collection_start_command(struct cli_collection *c, bool output_to_error);

/* Since it began. */
uint64_t cli_collection_elapsed_ns(const struct cli_collection *c);

/* Polls until the end, and calls `each` after each poll; for a reader, `each` reads the events,
 * which polls. Returns the first failure of `each`, or of writing. */
int cli_collection_run(struct cli_collection *c, int (*each)(void *context), void *context);

/* Ends the session after that. Returns the first failure; it is told, as one of writing `output`,
 * unless that is NULL. */
int cli_collection_end(struct cli_collection *c, int error, const char *output);

/* After it ended so; what goes wrong with the command is told. */
int cli_collection_exit_status(const struct cli_collection *c, int error);

#endif
