/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder: cairn record --flight keeps the latest events in memory. A snapshot of them is
 * a file with a number in its name; FILE itself is written at the end of the recording.
 */
#ifndef CLI_FLIGHT_H
#define CLI_FLIGHT_H

#include "cli/record_output.h"

#include <cairn/session.h>

struct cli_flight {
    const struct cli_verb *verb;
    bool is_wanted;
    bool quiet;
    uint64_t bytes;
    uint64_t ns;
    struct cli_record_output *output;
    uint32_t next;   /* number of the next snapshot; 0: to be found */
    uint64_t events; /* of the last file that was written */
};

/* Applies the option --flight: "64M", "30s", "30s,256M", or NULL. Returns an exit status. */
int cli_flight_set(struct cli_flight *flight, const char *text);

/* Checks that the output is a trace file; sets the session's options. Returns an exit status. */
int cli_flight_check(struct cli_flight *flight, struct cli_record_output *output,
                     struct cairn_session_options *options);

/*
 * Writes a snapshot: the file has its name when it is complete.
 *
 * path      of the file; NULL: the next number
 * ret_path  allocated; NULL on failure
 *
 * Returns 0 or an errno code; nothing is printed.
 */
int cli_flight_snapshot(struct cli_flight *flight, struct cairn_session *session, const char *path,
                        char **ret_path);

/* The same with a number, and prints what was written, or the error. */
void cli_flight_take(struct cli_flight *flight, struct cairn_session *session);

/* Writes FILE, after the session has ended. False: it could not be written, which was reported. */
bool cli_flight_end(struct cli_flight *flight, struct cairn_session *session);

/* Prints what it contains. */
void cli_flight_report(const struct cli_flight *flight);

#endif
