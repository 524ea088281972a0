/* SPDX-License-Identifier: MIT */
/* Talking to people: errors, help, numbers. */
#include "cli/cli.h"
#include "engine/registry.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    struct cairn_engine_registry local = {.lock_fd = -1};

    if (error == EPROTONOSUPPORT && cairn_engine_registry_open(&local) == EPROTONOSUPPORT)
        cli_error(verb,
                  "%s was made by another version of cairn: its layout is %" PRIu32
                  ", ours %u (cairn doctor tells more)",
                  local.directory.path, local.found_version, CAIRN_REGISTRY_VERSION);
    else if (error == EBADMSG && cairn_engine_registry_open(&local) == EBADMSG)
        cli_error(verb, "%s has a damaged registry (cairn doctor tells more)",
                  local.directory.path);
    else
        cli_errno(verb, error, "%s (cairn doctor tells more)", what);
    cairn_engine_registry_close(&local);
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

/* K, M and G, alone or before B or iB: all of them mean powers of 1024. */
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

const char *cli_number(uint64_t number, char text[CLI_NUMBER_SIZE])
{
    char *at = text + CLI_NUMBER_SIZE;
    int digits = 0;

    *--at = 0;
    do {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    return memmove(text, at, (size_t)(text + CLI_NUMBER_SIZE - at));
}

const char *cli_bytes(uint64_t bytes, char text[CLI_NUMBER_SIZE])
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1000 && unit < sizeof(units) / sizeof(*units) - 1) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(text, CLI_NUMBER_SIZE, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}

const char *cli_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}
