/* SPDX-License-Identifier: MIT */
/* A provider that several files of test_eventheader_provider share. */
#ifndef TESTS_EVENTHEADER_OTHER_H
#define TESTS_EVENTHEADER_OTHER_H

#include <cairn/eventheader.h>

CAIRN_PROVIDER_DECLARE(shared_provider);

/* Has a place in each file that calls it. */
static inline int write_inline(uint32_t number)
{
    return CAIRN_WRITE_EVENT(shared_provider, "Inline", u32("Number", number));
}

int write_from_other_file(uint32_t number);
int write_inline_from_other_file(uint32_t number);

#endif
