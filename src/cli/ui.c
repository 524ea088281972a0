/* SPDX-License-Identifier: MIT */
/* The user interface that verbs share: errors, help, and numbers as text and from text. */
#include "cli/cli.h"

#include <cairn/inspect.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_error(const struct cli_verb *verb, const char *format, va_list arguments)
{
    fprintf(stderr, "cairn %s: ", verb->name);
    vfprintf(stderr, format, arguments);
}

void cli_error(const struct cli_verb *verb, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_error(verb, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

void cli_errno(const struct cli_verb *verb, int error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_error(verb, format, arguments);
    va_end(arguments);
    fprintf(stderr, ": %s\n", strerror(error));
}

void cli_directory_error(const struct cli_verb *verb, int error, const char *what)
{
    char text[PATH_MAX + 128];

    if (cairn_directory_explain(error, text, sizeof(text)))
        cli_error(verb, "%s: %s (run cairn doctor)", what, strerror(error));
    else
        cli_error(verb, "%s (run cairn doctor)", text);
}

int cli_print_help(const struct cli_verb *verb)
{
    printf("usage: cairn %s\n\n%s", verb->usage, verb->help);
    return CLI_OK;
}

int cli_bad_option(const struct cli_verb *verb, int result, char **argv)
{
    const char *word = argv[optind - 1];

    if (result == ':')
        cli_error(verb, "option %s needs a value", word);
    else if (optopt && word[0] == '-' && word[1] != '-')
        cli_error(verb, "no such option: -%c", optopt);
    else
        cli_error(verb, "no such option: %s", word);
    fprintf(stderr, "Try: cairn %s --help\n", verb->name);
    return CLI_USAGE;
}

/* Parses K, M or G, alone or before B or iB: all are powers of 1024. */
static bool parse_unit(const char *text, unsigned int *ret_shift)
{
    static const char units[] = "kmg";
    int letter = tolower((unsigned char)*text);
    const char *unit = letter ? strchr(units, letter) : NULL;
    const char *rest = text + 1;

    if (!unit || (*rest && strcasecmp(rest, "B") != 0 && strcasecmp(rest, "iB") != 0))
        return false;
    *ret_shift = 10 * (unsigned int)(unit - units + 1);
    return true;
}

bool cli_parse_size(const char *text, size_t *ret_bytes)
{
    unsigned long long number;
    unsigned int shift = 0;
    char *end;

    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno || end == text || !isdigit((unsigned char)*text))
        return false;
    if (*end && !parse_unit(end, &shift))
        return false;
    if (number > SIZE_MAX >> shift)
        return false;
    *ret_bytes = (size_t)number << shift;
    return true;
}

bool cli_parse_seconds(const char *text, uint64_t *ret_ns)
{
    char *end;
    double seconds = strtod(text, &end);

    if (end == text || (*end && strcmp(end, "s") != 0) || !(seconds > 0 && seconds < 1e9))
        return false;
    *ret_ns = (uint64_t)(seconds * 1e9);
    return true;
}

const char *cli_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

uint64_t cli_now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool cli_parse_age(const char *text, uint64_t *ret_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}};
    char *end;
    double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (end == text || strcmp(end, units[i].unit) != 0 || !(value > 0) ||
            value * units[i].ns > 1e18)
            continue;
        *ret_ns = (uint64_t)(value * units[i].ns);
        return true;
    }
    return false;
}
