/* SPDX-License-Identifier: MIT */
/* The backends that a program uses, and whether the kernel's takes its events. */
#include "user_events/backend.h"
#include "user_events/kernel.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint32_t mask_of(struct user_events_choice choice)
{
    return choice.backends | (choice.required ? CAIRN_BACKEND_REQUIRED : 0);
}

int cairn_backend_parse(const char *name, uint32_t *ret_backends)
{
    struct user_events_choice choice;

    if (!user_events_choice_named(name, &choice))
        return EINVAL;
    *ret_backends = mask_of(choice);
    return 0;
}

uint32_t cairn_backend_chosen(void)
{
    return mask_of(user_events_choice_of_user());
}

int cairn_backend_probe_kernel(char *tracefs, size_t size_bytes)
{
    struct user_events_kernel_probe probe;
    int error = user_events_kernel_probe(&probe);

    if (error)
        return error;
    if (tracefs && strlen(probe.directory) >= size_bytes)
        return ERANGE;
    if (tracefs)
        memcpy(tracefs, probe.directory, strlen(probe.directory) + 1);
    return probe.error;
}
