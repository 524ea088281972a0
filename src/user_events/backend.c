/* SPDX-License-Identifier: MIT */
/* The choice of backends: by name, or by CAIRN_BACKEND. */
#include "user_events/backend.h"

#include <stdlib.h>
#include <string.h>

bool user_events_backends_named(const char *name, struct user_events_backends *ret_backends)
{
    static const struct {
        const char *name;
        struct user_events_backends backends;
    } choices[] = {
        {"auto", {.local = true, .kernel = true}},
        {"kernel", {.kernel = true, .required = true}},
        {"local", {.local = true, .required = true}},
        {"both", {.local = true, .kernel = true, .required = true}},
        {"none", {.required = true}},
    };

    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        if (strcmp(name, choices[i].name) != 0)
            continue;
        *ret_backends = choices[i].backends;
        return true;
    }
    return false;
}

struct user_events_backends user_events_backends_chosen(void)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    struct user_events_backends chosen;

    if (value && *value && user_events_backends_named(value, &chosen))
        return chosen;
    (void)user_events_backends_named("auto", &chosen);
    chosen.unknown = value && *value;
    return chosen;
}
