/* SPDX-License-Identifier: MIT */
/*
 * Rotation of cairn record's file: when it is large or old enough, it gets a number in its name,
 * and another file of the first name continues. The oldest ones are removed where there are too
 * many, or all together are too large.
 */
#ifndef CLI_ROTATION_H
#define CLI_ROTATION_H

#include "cli/record_output.h"

#include <cairn/session.h>

/* A file that is complete. */
struct cli_rotated {
    uint32_t number; /* in its name */
    uint64_t bytes;
};

struct cli_rotation {
    const struct cli_verb *verb;
    struct cli_record_output *output;
    int old_fd;         /* of a file that the session has left or will leave next; -1 */
    bool has_begun;     /* before, the file does not have its name */
    bool is_incomplete; /* a part of a former file may not be on the disk */
    uint64_t bytes;     /* of a file; 0: any */
    uint64_t ns;        /* from its first event on; 0: any */
    uint32_t keep;      /* files besides the one that is written; 0: all */
    uint64_t limit;     /* bytes of all files; 0: any */
    struct cli_rotated *files;
    uint32_t file_count;
    uint64_t file_bytes; /* of all of them */
    uint32_t next;       /* number */
    uint64_t began_ns;   /* when the file that is written was begun */
    uint32_t removed;    /* files so far */
};

/* Apply the options --rotate, --keep and --limit. Return an exit status. */
int cli_rotation_set(struct cli_rotation *rotation, const char *text);
int cli_rotation_set_keep(struct cli_rotation *rotation, const char *text);
int cli_rotation_set_limit(struct cli_rotation *rotation, const char *text);

/* Checks the options together, and that the output is a file that can have another name; sets those
 * of the session. Returns an exit status. */
int cli_rotation_check(struct cli_rotation *rotation, struct cli_record_output *output,
                       struct cairn_session_options *options);

/* A file that is there already is one of an earlier recording, which may have been killed: gives it
 * a number, before the new one has its name. Without rotation only if the session resumes that
 * recording. */
void cli_rotation_prepare(struct cli_rotation *rotation, bool is_resumed);

/* Begins, after the file has its name: finds files of earlier recordings, which count too. */
void cli_rotation_begin(struct cli_rotation *rotation);

/* Rotates if it is time to. */
void cli_rotation_poll(struct cli_rotation *rotation, struct cairn_session *session);

/* Closes the file before the last one, and removes old ones. Returns false if a part of an earlier
 * file may be missing, which was reported. */
bool cli_rotation_end(struct cli_rotation *rotation);

/* Prints where the other files are. */
void cli_rotation_report(const struct cli_rotation *rotation);

void cli_rotation_free(struct cli_rotation *rotation);

#endif
