/* SPDX-License-Identifier: MIT */
/* The names of a provider's tracepoints. */
#include "eventheader/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "_L" and two digits, "K" and sixteen digits, a NUL. */
#define SUFFIX_MAX_BYTES 22u

static bool is_name_character(char c)
{
    return (unsigned char)c > ' ' && c != ':' && c != ';' && c != '\x7f';
}

static bool is_value_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

static bool consists_of(const char *text, bool (*is_good)(char c))
{
    while (*text && is_good(*text))
        text++;
    return !*text;
}

/* True for a sequence of options: an upper-case letter and its value, in the order of the
 * letters. */
static bool are_options(const char *options, bool has_group)
{
    char last = 0;

    while (*options) {
        if (*options < 'A' || *options > 'Z' || *options <= last || (has_group && *options == 'G'))
            return false;
        last = *options++;
        while (is_value_character(*options))
            options++;
    }
    return true;
}

int eventheader_provider_name_check(const struct eventheader_provider_name *name)
{
    const char *group = text_or_none(name->group);
    const char *options = text_or_none(name->options);

    if (!name->name || !*name->name || !consists_of(name->name, is_name_character) ||
        !consists_of(group, is_value_character) || !are_options(options, *group))
        return EINVAL;
    if (strlen(name->name) + (*group ? 1 + strlen(group) : 0) + strlen(options) + SUFFIX_MAX_BYTES >
        CAIRN_EVENTHEADER_NAME_MAX_BYTES)
        return E2BIG;
    return 0;
}

/* Length of the options that precede the group. */
static int before_group(const char *options)
{
    const char *at = options;

    while (*at && (is_value_character(*at) || *at < 'G'))
        at++;
    return (int)(at - options);
}

void eventheader_provider_command(const struct eventheader_provider_name *name, uint32_t level,
                                  uint64_t keyword, char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES])
{
    const char *group = text_or_none(name->group);
    const char *options = text_or_none(name->options);
    int before = before_group(options);

    (void)snprintf(command, CAIRN_PROVIDER_COMMAND_MAX_BYTES,
                   "%s_L%" PRIx32 "K%" PRIx64 "%.*s%s%s%s " CAIRN_EVENTHEADER_FIELDS, name->name,
                   level, keyword, before, options, *group ? "G" : "", group, options + before);
}

int cairn_dynamic_provider_command(const char *name, const char *group, const char *options,
                                   uint8_t level, uint64_t keyword,
                                   char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES])
{
    const struct eventheader_provider_name parts = {name, group, options};
    int error = eventheader_provider_name_check(&parts);

    if (!error)
        eventheader_provider_command(&parts, level, keyword, command);
    return error;
}
