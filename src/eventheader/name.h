/* SPDX-License-Identifier: MIT */
/* The names of a provider's tracepoints. */
#ifndef EVENTHEADER_NAME_H
#define EVENTHEADER_NAME_H

#include <cairn/eventheader_abi.h>
#include <stdint.h>

/* What the names of a provider's tracepoints are made of. NULL and "" are none. */
struct cairn_provider_name {
    const char *name;
    const char *group;   /* the value of option G */
    const char *options; /* others: "AoneZtwo" */
};

/* Room for a command text, its NUL included. */
#define CAIRN_PROVIDER_COMMAND_MAX_BYTES \
    (CAIRN_EVENTHEADER_NAME_MAX_BYTES + sizeof(CAIRN_EVENTHEADER_FIELDS))

/*
 * Whether tracepoints can have names made of these.
 *
 * Returns 0; EINVAL characters that will not do, or options that are not in the order of their
 * letters, or one that is there twice; E2BIG too long.
 */
int cairn_provider_name_check(const struct cairn_provider_name *name);

/* "NAME_LlevelKkeyword[OPTIONS] fields", the group in its place among the options: the command text
 * of a level and keyword. */
void cairn_provider_command(const struct cairn_provider_name *name, uint32_t level,
                            uint64_t keyword, char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES]);

#endif
