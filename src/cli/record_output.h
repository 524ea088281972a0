/* SPDX-License-Identifier: MIT */
/*
 * Where cairn record writes to. A file is written beside the one that it replaces until it is sure
 * that there will be a recording; the old one is then kept as FILE.old.
 */
#ifndef CLI_RECORD_OUTPUT_H
#define CLI_RECORD_OUTPUT_H

#include "cli/cli.h"

#include <cairn/perf_data.h>

struct cli_record_output {
    const struct cli_verb *verb;
    const char *path; /* as the user named it; "-" */
    int fd;           /* -1 */
    enum cairn_perf_mode mode;
    bool is_standard_output; /* also by another name: nobody else may write there */
    char *target;            /* the file, symbolic links resolved; NULL: none to be replaced */
    char *temporary;         /* where it is written until cli_record_output_keep; NULL */
};

/* Opens a stream, or finds out whether the file can be written. Returns an exit status; what is
 * wrong has been said. */
int cli_record_output_open(struct cli_record_output *output);

/* Makes the file, if it is to be one: with the signals blocked that end the program. */
int cli_record_output_create(struct cli_record_output *output);

/* There will be a recording: the file replaces the old one. Where it cannot, it stays beside it,
 * and that is said. */
void cli_record_output_keep(struct cli_record_output *output);

/*
 * Sees to it that what was written has reached the disk, and closes. A file that was not kept is
 * removed. False: what was written may not be there, which has been said.
 */
bool cli_record_output_close(struct cli_record_output *output);

#endif
