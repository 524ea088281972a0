/* SPDX-License-Identifier: MIT */
/* The four functions that compilers call implicitly, and the length of a text. */
#include "bare.h"

/* Otherwise the compiler turns each loop into a call of the function that contains it. */
#if defined(__clang__)
#define AS_WRITTEN
#else
#define AS_WRITTEN __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);

AS_WRITTEN void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

AS_WRITTEN void *memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, size);
    while (size--)
        ((uint8_t *)to)[size] = ((const uint8_t *)from)[size];
    return to;
}

AS_WRITTEN void *memset(void *to, int byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)byte;
    return to;
}

AS_WRITTEN int memcmp(const void *a, const void *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        int difference = ((const uint8_t *)a)[i] - ((const uint8_t *)b)[i];

        if (difference)
            return difference;
    }
    return 0;
}

AS_WRITTEN size_t bare_length(const char *text)
{
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}
