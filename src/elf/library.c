/* SPDX-License-Identifier: MIT */
/* Loading of libdw and libelf. */
#include "elf/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

const struct elf_library *elf_library;

static struct elf_library library;

#define NAME(name) #name,
static const char *const names[] = {ELF_LIBRARY_FUNCTIONS(NAME)};
#undef NAME

/* libdw needs libelf, so one handle finds the functions of both. */
static void load(void)
{
    void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
        void *function = handle ? dlsym(handle, names[n]) : NULL;

        if (!function)
            return;
        /* The members are in the order of the names, and each has the size of a pointer. */
        memcpy((char *)&library + n * sizeof(function), &function, sizeof(function));
    }
    library.files = (Dwfl_Callbacks){
        .find_elf = library.dwfl_build_id_find_elf,
        .find_debuginfo = library.dwfl_standard_find_debuginfo,
        .section_address = library.dwfl_offline_section_address,
    };
    elf_library = &library;
}

bool elf_library_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, load);
    return elf_library != NULL;
}
