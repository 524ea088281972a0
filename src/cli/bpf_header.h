/* SPDX-License-Identifier: MIT */
/* A C header for BPF programs, with a struct and the id of each of the kernel's events. */
#ifndef CLI_BPF_HEADER_H
#define CLI_BPF_HEADER_H

#include <stdint.h>
#include <stdio.h>

/* Writes the beginning of the header, before its first event. */
void cli_bpf_header_begin(FILE *header);

/*
 * Adds the event of a registered command text, with the id that the kernel assigned to it.
 *
 * Returns 0 or an error of cairn_schema_parse_command. Errors of writing are left to ferror.
 */
int cli_bpf_header_add(FILE *header, const char *command, uint32_t id);

#endif
