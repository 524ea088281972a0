/* SPDX-License-Identifier: MIT */
/* The choice of backends: by name, or by CAIRN_BACKEND. */
#include "user_events/backend.h"

#include <stdlib.h>
#include <string.h>

bool cairn_backends_named(const char *name, struct cairn_backends *ret_backends)
{
    static const struct {
        const char *name;
        struct cairn_backends backends;
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

struct cairn_backends cairn_backends_chosen(void)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    struct cairn_backends chosen;

    if (value && *value && cairn_backends_named(value, &chosen))
        return chosen;
    (void)cairn_backends_named("auto", &chosen);
    chosen.unknown = value && *value;
    return chosen;
}
