/* SPDX-License-Identifier: MIT */
/* What cairn doctor examines, and how it says what it found. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/cli.h"
#include "engine/registry.h"

#include <sys/types.h>

/* A line about what works, about what does not, and about what fixes that. */
void cli_doctor_print_good(const char *what, const char *text);
void cli_doctor_print_bad(const char *what, const char *text);
void cli_doctor_print_remedy(const char *text);

#define CLI_DOCTOR_NAME_SIZE 64

/* Names, or numbers of those that have none: in `text`, or good until the next call. */
const char *cli_doctor_name_of_user(char text[CLI_DOCTOR_NAME_SIZE]);
const char *cli_doctor_name_of_group(gid_t group, char text[CLI_DOCTOR_NAME_SIZE]);

/* Each backend is examined, and told about. False: it cannot take events. */
bool cli_doctor_examine_local(void);
bool cli_doctor_examine_kernel(void);

/* What the sessions of a tracing directory have lost. */
void cli_doctor_examine_losses(struct cairn_engine_registry *local);

#endif
