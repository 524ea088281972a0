/* SPDX-License-Identifier: MIT */
/* A shared object whose provider is registered while the object is loaded. */
#include <cairn/eventheader.h>
#include <stdlib.h>

CAIRN_PROVIDER(resident_provider, "EhResident");

__attribute__((visibility("default"))) int eventheader_resident_write(void);

int eventheader_resident_write(void)
{
    return CAIRN_WRITE_EVENT(resident_provider, "FromResident", str8("Text", "resident"));
}

__attribute__((constructor)) static void come(void)
{
    if (cairn_provider_register(&resident_provider))
        abort();
}

__attribute__((destructor)) static void go(void)
{
    if (cairn_provider_unregister(&resident_provider))
        abort();
}
