/* SPDX-License-Identifier: MIT */
/* A library that traces: it links libcairn, independently of its program. */
#include <cairn/eventheader.h>

CAIRN_PROVIDER(provider, "Libraries_Traces");

__attribute__((visibility("default"))) int traces_begin(void);
__attribute__((visibility("default"))) int traces_work(uint32_t n);

int traces_begin(void)
{
    return cairn_provider_register(&provider);
}

int traces_work(uint32_t n)
{
    return CAIRN_WRITE_EVENT(provider, "Work", u32("number", n));
}
