/* SPDX-License-Identifier: MIT */
/* The checks of cairn doctor, and the lines that it prints. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include "cli/cli.h"
#include "engine/registry.h"

#include <sys/types.h>

/* Print a line about something that works, something that does not, and its fix. */
void cli_doctor_print_good(const char *what, const char *text);
void cli_doctor_print_bad(const char *what, const char *text);
void cli_doctor_print_remedy(const char *text);

#define CLI_DOCTOR_NAME_SIZE 64

/* Names, or numbers where there is no name: in `text`, or valid until the next call. */
const char *cli_doctor_name_of_user(char text[CLI_DOCTOR_NAME_SIZE]);
const char *cli_doctor_name_of_group(gid_t group, char text[CLI_DOCTOR_NAME_SIZE]);

/* Examine a backend and print the result. False: it cannot take events. */
bool cli_doctor_examine_local(void);
bool cli_doctor_examine_kernel(void);

/* Prints the events that the sessions of a tracing directory have lost. */
void cli_doctor_examine_losses(struct cairn_engine_registry *local);

#endif
