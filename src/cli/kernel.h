/* SPDX-License-Identifier: MIT */
/* The options of cairn record for events of the kernel. */
#ifndef CLI_KERNEL_H
#define CLI_KERNEL_H

#include "cli/cli.h"

#include <cairn/session.h>

struct cli_kernel {
    const struct cli_verb *verb;
    const char **patterns;
    const char **filters; /* of each pattern, or NULL */
    size_t pattern_count;
    const char **functions;
    size_t function_count;
    const char **static_probes;
    size_t static_probe_count;
    int32_t *pids;
    size_t pid_count;
    bool is_all;     /* -a */
    bool has_target; /* -p or -u was given */
    size_t ring_bytes;
    bool with_stacks; /* -g, --call-graph */
    uint32_t stack_bytes;
    bool has_command;
    bool with_maps; /* of files that processes map: for stacks of programs' events */
    char problem[512];
    struct cairn_session_kernel_options options;
};

/* Allocates memory for as many patterns as argc words can have. False: no memory; a message was
 * printed. */
bool cli_kernel_open(struct cli_kernel *kernel, const struct cli_verb *verb, int argc);

void cli_kernel_close(struct cli_kernel *kernel);

/* Apply options. They return an exit status. */
int cli_kernel_add_pattern(struct cli_kernel *kernel, const char *pattern);
int cli_kernel_add_preset(struct cli_kernel *kernel, const char *name);
int cli_kernel_add_filter(struct cli_kernel *kernel, const char *filter);
int cli_kernel_add_pids(struct cli_kernel *kernel, const char *text);
int cli_kernel_add_user(struct cli_kernel *kernel, const char *user);
int cli_kernel_set_stacks(struct cli_kernel *kernel, const char *text);
int cli_kernel_set_buffer(struct cli_kernel *kernel, const char *text);

/* True if events of the kernel are to be recorded. */
bool cli_kernel_is_wanted(const struct cli_kernel *kernel);

/* Checks that the options fit together. Returns an exit status. */
int cli_kernel_check(const struct cli_kernel *kernel, bool has_command);

/* The options of the session; NULL: no event of the kernel is wanted. */
const struct cairn_session_kernel_options *cli_kernel_options(struct cli_kernel *kernel);

/* Says what a recording lacks that was asked for the scheduler's events of some processes only. */
void cli_kernel_advise(const struct cli_kernel *kernel);

/* True if the kernel refused a filter for all that it is for: a tracepoint that a pattern names, or
 * all tracepoints. */
bool cli_kernel_has_useless_filter(const struct cli_kernel *kernel,
                                   const struct cairn_session *session);

/* Reports filters that the kernel refused. False: there are some. */
bool cli_kernel_report_filters(const struct cli_kernel *kernel,
                               const struct cairn_session *session);

#endif
