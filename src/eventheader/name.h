/* SPDX-License-Identifier: MIT */
/* The names of a provider's tracepoints. */
#ifndef EVENTHEADER_NAME_H
#define EVENTHEADER_NAME_H

#include <cairn/eventheader_dynamic.h>
#include <stdint.h>

/* The parts of a tracepoint's name. NULL and "" mean absent. */
struct eventheader_provider_name {
    const char *name;
    const char *group;   /* the value of option G */
    const char *options; /* other options: "AoneZtwo" */
};

/*
 * Checks the parts of a name.
 *
 * Returns 0; EINVAL invalid characters, or options that are repeated or not in the order of their
 * letters; E2BIG too long.
 */
int eventheader_provider_name_check(const struct eventheader_provider_name *name);

/* Writes the command text for a level and keyword: "NAME_LlevelKkeyword[OPTIONS] fields", with the
 * group at its position among the options. */
void eventheader_provider_command(const struct eventheader_provider_name *name, uint32_t level,
                                  uint64_t keyword, char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES]);

#endif
