/* SPDX-License-Identifier: MIT */
/* A user's program, in C and in C++, which check_install.py builds against an installed cairn. */
#include <cairn/eventheader.h>

CAIRN_PROVIDER(provider, "Install_Check");

/* A program's function that has the name of an internal one: each calls its own. */
#ifdef __cplusplus
extern "C"
#endif
    void
    engine_lock(void *unused)
{
    (void)unused;
    __builtin_abort();
}

int main(void)
{
    int error = cairn_provider_register(&provider);

    for (unsigned int i = 0; i < 5 && !error; i++)
        CAIRN_WRITE_EVENT(provider, "Counted", u32("number", i), str8("text", "installed"));
    cairn_provider_unregister(&provider);
    return error;
}
