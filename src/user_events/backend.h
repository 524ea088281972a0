/* SPDX-License-Identifier: MIT */
/* Which backends a process uses. */
#ifndef USER_EVENTS_BACKEND_H
#define USER_EVENTS_BACKEND_H

#include "core/private_api.h"

#include <stdbool.h>

struct cairn_backends {
    bool local;
    bool kernel;
    bool required; /* named by the user: that one cannot be had is an error */
    bool unknown;  /* CAIRN_BACKEND has a value of no meaning: taken as auto */
};

/* auto, kernel, local, both or none; false, and nothing is set: another name. */
CAIRN_PRIVATE_API bool cairn_backends_named(const char *name, struct cairn_backends *ret_backends);

/* What CAIRN_BACKEND says; `auto` when it says nothing or the program has raised privileges. */
CAIRN_PRIVATE_API struct cairn_backends cairn_backends_chosen(void);

#endif
