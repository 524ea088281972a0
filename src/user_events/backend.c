/* SPDX-License-Identifier: MIT */
/* The choice of backends: by name, or by CAIRN_BACKEND. */
#include "user_events/backend.h"

#include <stdlib.h>
#include <string.h>

bool user_events_choice_named(const char *name, struct user_events_choice *ret_choice)
{
    static const struct {
        const char *name;
        struct user_events_choice choice;
    } choices[] = {
        {"auto", {CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL, .required = false}},
        {"kernel", {CAIRN_BACKEND_KERNEL, .required = true}},
        {"local", {CAIRN_BACKEND_LOCAL, .required = true}},
        {"both", {CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL, .required = true}},
        {"none", {0, .required = true}},
    };

    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        if (strcmp(name, choices[i].name) != 0)
            continue;
        *ret_choice = choices[i].choice;
        return true;
    }
    return false;
}

struct user_events_choice user_events_choice_of_user(void)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    struct user_events_choice choice;

    if (value && *value && user_events_choice_named(value, &choice))
        return choice;
    (void)user_events_choice_named("auto", &choice);
    choice.unknown = value && *value;
    return choice;
}
