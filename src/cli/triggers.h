/* SPDX-License-Identifier: MIT */
/*
 * Triggers: --on 'EVENT && FILTER' ACTION. Each is a session of its own that gets the events which
 * its pattern and filter select; programs apply the filter.
 */
#ifndef CLI_TRIGGERS_H
#define CLI_TRIGGERS_H

#include "cli/command.h"

#include <cairn/session.h>

#define CLI_TRIGGERS_MAX 8u

enum cli_trigger_action { CLI_TRIGGER_SNAPSHOT, CLI_TRIGGER_STOP, CLI_TRIGGER_EXEC };

struct cli_trigger {
    char *pattern;
    const char *filter; /* or NULL */
    enum cli_trigger_action action;
    char *command; /* of CLI_TRIGGER_EXEC */
    struct cairn_session *session;
    uint64_t seen;                /* events, */
    uint64_t acted;               /* and how many when it last acted */
    struct cli_command running;   /* the command, until it has ended */
    uint64_t skipped;             /* occasions while it ran */
    uint32_t checked_tracepoints; /* number of those whose filters were reported, if invalid */
};

struct cli_triggers {
    const struct cli_verb *verb;
    struct cli_trigger triggers[CLI_TRIGGERS_MAX];
    uint32_t count;
};

/* Applies the option --on; `action` is the word after its argument, or NULL. Returns an exit
 * status. */
int cli_triggers_add(struct cli_triggers *triggers, const char *condition, const char *action);

/* True if one of them takes snapshots. */
bool cli_triggers_want_snapshots(const struct cli_triggers *triggers);

/* Begins their sessions. Returns an exit status. */
int cli_triggers_begin(struct cli_triggers *triggers);

/* Looks for events, and runs commands. Sets what else is to be done. */
void cli_triggers_poll(struct cli_triggers *triggers, const struct cli_command_setting *setting,
                       bool *ret_snapshot, bool *ret_stop);

/* Ends the sessions, acts on their last events as cli_triggers_poll does, and reports triggers that
 * no event could have fired. */
void cli_triggers_end(struct cli_triggers *triggers, const struct cli_command_setting *setting,
                      bool *ret_snapshot);

void cli_triggers_free(struct cli_triggers *triggers);

#endif
