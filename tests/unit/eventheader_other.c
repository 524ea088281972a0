/* SPDX-License-Identifier: MIT */
/* The second source of test_eventheader_provider. */
#include "eventheader_other.h"

int write_from_other_file(uint32_t number)
{
    return CAIRN_WRITE_EVENT(shared_provider, "Other", level(ERROR), u32("Number", number));
}

struct cairn_provider *header_provider_of_other_file(void)
{
    return &header_provider;
}

int write_to_header_provider_from_other_file(void)
{
    return CAIRN_WRITE_EVENT(header_provider, "Other", level(ERROR));
}

int write_inline_from_other_file(uint32_t number)
{
    return write_inline(number);
}
