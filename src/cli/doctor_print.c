/* SPDX-License-Identifier: MIT */
/* The lines of cairn doctor: their format, and the names of users and groups in them. */
#include "cli/doctor.h"

#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

void cli_doctor_print_good(const char *what, const char *text)
{
    printf("[ok] %-12s %s\n", what, text);
}

void cli_doctor_print_bad(const char *what, const char *text)
{
    printf("[--] %-12s %s\n", what, text);
}

void cli_doctor_print_remedy(const char *text)
{
    printf("     %-12s fix it: %s\n", "", text);
}

const char *cli_doctor_name_of_user(char text[CLI_DOCTOR_NAME_SIZE])
{
    const struct passwd *user = getpwuid(geteuid());

    (void)snprintf(text, CLI_DOCTOR_NAME_SIZE, "%u", geteuid());
    return user ? user->pw_name : text;
}

const char *cli_doctor_name_of_group(gid_t group, char text[CLI_DOCTOR_NAME_SIZE])
{
    const struct group *found = getgrgid(group);

    (void)snprintf(text, CLI_DOCTOR_NAME_SIZE, "%u", group);
    return found ? found->gr_name : text;
}
