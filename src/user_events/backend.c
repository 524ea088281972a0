/* SPDX-License-Identifier: MIT */
#include "user_events/backend.h"

#include <stdlib.h>
#include <string.h>

struct cairn_backends cairn_backends_chosen(void)
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
    const char *value = secure_getenv("CAIRN_BACKEND");
    struct cairn_backends chosen = choices[0].backends;

    if (!value || !*value)
        return chosen;
    for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
        if (!strcmp(value, choices[i].name))
            return choices[i].backends;
    }
    chosen.unknown = true;
    return chosen;
}
