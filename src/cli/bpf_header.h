/* SPDX-License-Identifier: MIT */
/* What a BPF program must know of the kernel's events: a C header with a struct and an id of each.
 */
#ifndef CLI_BPF_HEADER_H
#define CLI_BPF_HEADER_H

#include <stdint.h>
#include <stdio.h>

/* What stands above them all. */
void cli_bpf_header_begin(FILE *header);

/*
 * An event of this command, which has been registered, and the id that the kernel gave it.
 *
 * Returns 0 or what cairn_schema_parse_command does. Whether it was written, ferror tells.
 */
int cli_bpf_header_add(FILE *header, const char *command, uint32_t id);

#endif
