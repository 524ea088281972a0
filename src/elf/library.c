/* SPDX-License-Identifier: MIT */
/* Loading of libdw and libelf. */
#include "elf/library.h"

#include "os/library.h"

#include <pthread.h>

const struct elf_library *elf_library;

static struct elf_library library;

#define NAME(name) #name,
static const char *const names[] = {ELF_LIBRARY_FUNCTIONS(NAME)};
#undef NAME

/* It needs libelf, whose functions are found with its own. */
static const char *const files[] = {"libdw.so.1", NULL};

static void load(void)
{
    if (!os_library_load(files, names, sizeof(names) / sizeof(*names), &library))
        return;
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
