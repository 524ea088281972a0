/* SPDX-License-Identifier: MIT */
/* A provider that several files of test_eventheader_provider share. */
#ifndef TESTS_EVENTHEADER_OTHER_H
#define TESTS_EVENTHEADER_OTHER_H

#include <cairn/eventheader.h>

CAIRN_PROVIDER_DECLARE(shared_provider);

/* Both sources include this header, and the program has one provider. */
CAIRN_PROVIDER_INLINE(header_provider, "EhHeader", group_name("all"));

/* Has a call site of its own in each source that calls it. */
static inline int write_inline(uint32_t number)
{
    return CAIRN_WRITE_EVENT(shared_provider, "Inline", u32("Number", number));
}

int write_from_other_file(uint32_t number);
int write_inline_from_other_file(uint32_t number);

struct cairn_provider *header_provider_of_other_file(void);
int write_to_header_provider_from_other_file(void);

#endif
