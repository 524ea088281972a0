/* SPDX-License-Identifier: MIT */
/* The backends that a process uses. */
#ifndef USER_EVENTS_BACKEND_H
#define USER_EVENTS_BACKEND_H

#include "core/private_api.h"

#include <stdbool.h>

struct user_events_backends {
    bool local;
    bool kernel;
    bool required; /* named by the user: a failure of it is an error */
    bool unknown;  /* CAIRN_BACKEND has an invalid value: used as auto */
};

/* Accepts auto, kernel, local, both and none. False for other names; nothing is set then. */
bool user_events_backends_named(const char *name, struct user_events_backends *ret_backends)
    CORE_PRIVATE_API(user_events_backends_named);

/* The choice of CAIRN_BACKEND; `auto` if it is not set or the program runs with raised privileges.
 */
struct user_events_backends user_events_backends_chosen(void)
    CORE_PRIVATE_API(user_events_backends_chosen);

#endif
