/* SPDX-License-Identifier: MIT */
/* Functions and types that all verbs share. Each verb is a file of its own. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's own exit statuses. A recorded command's status has precedence over CLI_LOST and
 * CLI_NOTHING. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,  /* failure; standard error has the message */
    CLI_USAGE = 2,   /* the command line is invalid */
    CLI_LOST = 3,    /* recorded, but events are missing */
    CLI_NOTHING = 4, /* success, but a pattern, a filter or a time of day selected nothing */
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

/* Prints "cairn record: MESSAGE" to standard error. */
void cli_error(const struct cli_verb *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, followed by the text of an errno code. */
void cli_errno(const struct cli_verb *verb, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The same, if the tracing directory cannot be used: with a hint to cairn doctor. Of a directory
 * that another version of cairn created it prints both versions.
 */
void cli_directory_error(const struct cli_verb *verb, int error, const char *what);

/* Prints a verb's --help. Returns CLI_OK. */
int cli_print_help(const struct cli_verb *verb);

/* Prints why getopt_long refused an option. Returns CLI_USAGE. */
int cli_bad_option(const struct cli_verb *verb, int result, char **argv);

/* Parses "64K", "16M", "1G", or a number of bytes. False: it is not a size. */
bool cli_parse_size(const char *text, size_t *ret_bytes);

/* Parses seconds: "2", "0.5". False: it is not a number, or not greater than zero. */
bool cli_parse_seconds(const char *text, uint64_t *ret_ns);

/* Parses an age: "90s", "10m", "1h". False: it is none. */
bool cli_parse_age(const char *text, uint64_t *ret_ns);

/* "s" unless count is one. */
const char *cli_plural(uint64_t count);

/* CLOCK_MONOTONIC in ns. */
uint64_t cli_now_ns(void);

#endif
