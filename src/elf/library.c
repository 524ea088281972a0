/* SPDX-License-Identifier: MIT */
/* Loading of libdw and libelf. */
#include "elf/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

const struct elf_library *elf_library;

static struct elf_library library;

/* libdw needs libelf, so one handle finds the functions of both. */
static void load(void)
{
    void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        return;
#define FIND(name)                                                         \
    library.name = (__typeof__(library.name))(void *)dlsym(handle, #name); \
    if (!library.name)                                                     \
        return;
    ELF_LIBRARY_FUNCTIONS(FIND)
#undef FIND
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
