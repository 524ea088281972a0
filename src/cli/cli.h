/* SPDX-License-Identifier: MIT */
/* What the verbs of the program share. Each verb is a file of its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses of our own. A recorded command's status goes before CLI_LOST and CLI_NOTHING. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,  /* something did not work; standard error says what */
    CLI_USAGE = 2,   /* the command line makes no sense */
    CLI_LOST = 3,    /* recorded, but something is missing that should be there */
    CLI_NOTHING = 4, /* all is well, but a pattern or a filter selected nothing */
    CLI_CANNOT_RUN = 126,
    CLI_NOT_FOUND = 127,
    CLI_SIGNAL = 128, /* plus the signal's number */
};

struct cli_verb {
    const char *name;
    const char *summary; /* for the list of verbs */
    const char *usage;   /* "record [options] [-- COMMAND [ARG...]]" */
    const char *help;    /* the rest of --help: options, exit statuses, examples */
    int (*run)(const struct cli_verb *verb, int argc, char **argv);
};

extern const struct cli_verb cli_record, cli_live, cli_decode, cli_list, cli_register, cli_run,
    cli_status, cli_events, cli_doctor;

/* "cairn record: MESSAGE" on standard error. */
void cli_error(const struct cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with what an errno code means behind it. */
void cli_errno(const struct cli_verb *verb, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, when it is the tracing directory that cannot be used; of one that another version made,
 * which versions. */
void cli_directory_error(const struct cli_verb *verb, int error, const char *what);

/* Prints a verb's --help. Returns CLI_OK. */
int cli_print_help(const struct cli_verb *verb);

/* Says what is wrong with the option that getopt_long refused. Returns CLI_USAGE. */
int cli_bad_option(const struct cli_verb *verb, int result, char **argv);

/* "64K", "16M", "1G", or plain bytes. False: it is no size. */
bool cli_parse_size(const char *text, size_t *ret_bytes);

/* "2", "0.5": seconds. False: it is no such number, or not above zero. */
bool cli_parse_seconds(const char *text, uint64_t *ret_ns);

/* "s" unless count is one. */
const char *cli_plural(uint64_t count);

/* CLOCK_MONOTONIC in ns. */
uint64_t cli_now_ns(void);

#endif
