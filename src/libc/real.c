/* SPDX-License-Identifier: MIT */
/* Finding functions. */
#include "libc/real.h"

#include <dlfcn.h>
#include <stdlib.h>

void *libc_find(const char *name, const char *version)
{
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

    if (!found)
        found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}
