/* SPDX-License-Identifier: MIT */
#include "eventheader/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "_L" and two digits, "K" and sixteen, a NUL. */
#define SUFFIX_MAX_BYTES 22u

static bool is_name_character(char c)
{
    return (unsigned char)c > ' ' && c != ':' && c != ';' && c != '\x7f';
}

static bool is_group_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool consists_of(const char *text, bool (*is_good)(char c))
{
    while (*text && is_good(*text))
        text++;
    return !*text;
}

int cairn_provider_name_check(const char *name, const char *group)
{
    bool has_group = group && *group;

    if (!*name || !consists_of(name, is_name_character) ||
        (has_group && !consists_of(group, is_group_character)))
        return EINVAL;
    if (strlen(name) + (has_group ? 1 + strlen(group) : 0) + SUFFIX_MAX_BYTES >
        CAIRN_EVENTHEADER_NAME_MAX_BYTES)
        return E2BIG;
    return 0;
}

void cairn_provider_command(const struct cairn_provider_name *name, uint32_t level,
                            uint64_t keyword, char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES])
{
    (void)snprintf(command, CAIRN_PROVIDER_COMMAND_MAX_BYTES,
                   "%s_L%" PRIx32 "K%" PRIx64 "%s%s " CAIRN_EVENTHEADER_FIELDS, name->name, level,
                   keyword, *name->group ? "G" : "", name->group);
}
