/* SPDX-License-Identifier: MIT */
/* The options that choose the format of an output: --format and --compress. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "cli/cli.h"

/* All zeros: the name of the output determines the format; not compressed. */
struct cli_format {
    const char *name; /* "cairn", "perf"; NULL: by the name of the output */
    bool is_perf;     /* the default, if the output's name ends neither in .cairn nor in .data */
    int level;        /* of zstd; 0: none; CAIRN_SESSION_COMPRESS_AUTO */
};

/* Parse an option's argument; `text` of a level may be NULL. Return an exit status. */
int cli_format_set(const struct cli_verb *verb, const char *text, struct cli_format *format);
int cli_format_set_level(const struct cli_verb *verb, const char *text, bool may_be_auto,
                         struct cli_format *format);

/* True for a trace file. */
bool cli_format_is_trace(const char *path, const struct cli_format *format);

/* Reports an error if a level is set for an output that cannot be compressed. Returns an exit
 * status. */
int cli_format_check(const struct cli_verb *verb, const char *path,
                     const struct cli_format *format);

#endif
