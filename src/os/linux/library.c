/* SPDX-License-Identifier: MIT */
/* Shared libraries, by the dynamic linker. */
#include "os/library.h"

#include <dlfcn.h>
#include <string.h>

bool os_library_load(const char *const *files, const char *const *names, size_t count,
                     void *ret_functions)
{
    void *handle = NULL;

    while (!handle && *files)
        handle = dlopen(*files++, RTLD_NOW | RTLD_LOCAL);
    for (size_t n = 0; n < count; n++) {
        void *function = handle ? dlsym(handle, names[n]) : NULL;

        if (!function)
            return false;
        memcpy((char *)ret_functions + n * sizeof(function), &function, sizeof(function));
    }
    return true;
}
