/* SPDX-License-Identifier: MIT */
#include "preload/next.h"

#include <dlfcn.h>

struct cairn_next cairn_i_next;

void cairn_next_find(void) // NOLINT(*-function-size): as long as the list
{
    struct cairn_next found;

#define CAIRN_NEXT_FIND(type, name, arguments) \
    found.name = (type(*) arguments)dlsym(RTLD_NEXT, #name);
    CAIRN_NEXT_FUNCTIONS(CAIRN_NEXT_FIND)
#undef CAIRN_NEXT_FIND
#define CAIRN_NEXT_KEEP(type, name, arguments) \
    __atomic_store_n(&cairn_i_next.name, found.name, __ATOMIC_RELEASE);
    CAIRN_NEXT_FUNCTIONS(CAIRN_NEXT_KEEP)
#undef CAIRN_NEXT_KEEP
}
