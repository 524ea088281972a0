/* SPDX-License-Identifier: MIT */
/* The options that choose the format of an output. */
#include "cli/format.h"

#include <cairn/session.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LEVEL 3
#define MAX_LEVEL     19

int cli_format_set(const struct cli_verb *verb, const char *text, struct cli_format *format)
{
    if (strcmp(text, "cairn") != 0 && strcmp(text, "perf") != 0) {
        cli_error(verb, "no such format: %s; there are cairn and perf", text);
        return CLI_USAGE;
    }
    format->name = text;
    return CLI_OK;
}

int cli_format_set_level(const struct cli_verb *verb, const char *text, bool may_be_auto,
                         struct cli_format *format)
{
    char *end;
    long level = text ? strtol(text, &end, 10) : DEFAULT_LEVEL;

    if (text && may_be_auto && !strcmp(text, "auto")) {
        format->level = CAIRN_SESSION_COMPRESS_AUTO;
        return CLI_OK;
    }
    if (text && (!*text || *end || level < 1 || level > MAX_LEVEL)) {
        cli_error(verb, "a level of compression is a number from 1 to %d%s: %s", MAX_LEVEL,
                  may_be_auto ? ", or auto" : "", text);
        return CLI_USAGE;
    }
    format->level = (int)level;
    return CLI_OK;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    return length >= end_length && !strcmp(text + length - end_length, end);
}

bool cli_format_is_trace(const char *path, const struct cli_format *format)
{
    if (format->name)
        return !strcmp(format->name, "cairn");
    return ends_in(path, ".cairn") || (!ends_in(path, ".data") && !format->is_perf);
}

int cli_format_check(const struct cli_verb *verb, const char *path, const struct cli_format *format)
{
    if (!format->level || cli_format_is_trace(path, format))
        return CLI_OK;
    cli_error(verb, "perf.data is written without compression: %s", path);
    return CLI_USAGE;
}
