/* SPDX-License-Identifier: MIT */
/* The backends, and which of them a process uses. */
#ifndef USER_EVENTS_BACKEND_H
#define USER_EVENTS_BACKEND_H

#include "core/private_api.h"

#include <cairn/user_events.h>
#include <stdbool.h>

/* All backends that there are. */
#define USER_EVENTS_BACKENDS (CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL)

struct user_events_choice {
    uint32_t backends; /* of enum cairn_backend */
    bool required;     /* the user named them: a failure of one is an error */
    bool unknown;      /* CAIRN_BACKEND has an invalid value: used as auto */
};

/* Accepts auto, kernel, local, both and none. False for other names; nothing is set then. */
bool user_events_choice_named(const char *name, struct user_events_choice *ret_choice)
    CORE_PRIVATE_API(user_events_choice_named);

/* The choice of CAIRN_BACKEND; `auto` if it is not set or the program runs with raised privileges.
 */
struct user_events_choice user_events_choice_of_user(void)
    CORE_PRIVATE_API(user_events_choice_of_user);

#endif
