/* SPDX-License-Identifier: MIT */
/*
 * The output of cairn record: a stream or a file. A file is written under a temporary name, in the
 * directory of the one that it replaces, until the recording has begun; the old one is then kept as
 * FILE.old.
 */
#ifndef CLI_RECORD_OUTPUT_H
#define CLI_RECORD_OUTPUT_H

#include "cli/cli.h"

#include <cairn/perf_data.h>

struct cli_record_output {
    const struct cli_verb *verb;
    const char *path; /* as the user named it, or "-" */
    int fd;           /* or -1 */
    enum cairn_perf_mode mode;
    bool is_standard_output; /* by any name: nothing else may write to it */
    char *target;            /* the file to replace, without symbolic links; NULL: none */
    char *temporary;         /* its name until cli_record_output_keep; or NULL */
    char *moved;             /* the name that somebody else gave it, or NULL */
    bool is_lost;            /* somebody has removed it, or a part of it */
};

/* The name of the output in messages. */
const char *cli_record_output_name(const struct cli_record_output *output);

/* Opens a stream, or checks that the file can be written. Reports errors. Returns an exit status.
 */
int cli_record_output_open(struct cli_record_output *output);

/* Creates the file, if the output is one. The signals that end the program must be blocked, so that
 * they do not leave the temporary file. */
int cli_record_output_create(struct cli_record_output *output);

/* Replaces the old file, after the recording has begun. If that fails, the file keeps its temporary
 * name, which is reported. */
void cli_record_output_keep(struct cli_record_output *output);

/*
 * Looks at the file after the end of the recording, of which `bytes` were written. If somebody has
 * moved it, reports that, and output->path is its new path. False: somebody has removed it or cut
 * it short, which was reported.
 */
bool cli_record_output_check(struct cli_record_output *output, uint64_t bytes);

/*
 * Writes the file to the disk (fsync) and closes it. Removes a file that was not kept. False: a
 * part of the file may be missing, which was reported.
 */
bool cli_record_output_close(struct cli_record_output *output);

#endif
