/* SPDX-License-Identifier: MIT */
/* Strings for the arguments of a printf, as by Linux's __print_flags() and related macros. */
#include "core/load.h"
#include "core/text.h"

/* Begins a string in the free memory of `to`, where the printf will write. */
static struct cairn_text begin(const struct cairn_text *to)
{
    return (struct cairn_text){.begin = to->at, .at = to->at, .left = to->left, .full = to->full};
}

/* Moves the string to the end of the free memory, which shrinks by it. */
static const char *finish(struct cairn_text *to, struct cairn_text *string)
{
    size_t size_bytes;

    core_text_fill(string, '\0', 1);
    if (string->full) {
        to->full = true;
        return "";
    }
    size_bytes = cairn_text_length(string);
    to->left -= size_bytes;
    __builtin_memmove(to->at + to->left, string->begin, size_bytes);
    return to->at + to->left;
}

const char *cairn_text_flags(struct cairn_text *to, const char *delimiter, uint64_t flags,
                             const struct cairn_text_name *names)
{
    struct cairn_text string = begin(to);
    const char *between = "";

    if (!delimiter)
        delimiter = "";
    for (; names->name && flags; names++) {
        if ((flags & names->value) != names->value)
            continue;
        flags &= ~names->value;
        cairn_text_printf(&string, "%s%s", between, names->name);
        between = delimiter;
    }
    if (flags)
        cairn_text_printf(&string, "%s0x%llx", between, (unsigned long long)flags);
    return finish(to, &string);
}

const char *cairn_text_symbolic(struct cairn_text *to, uint64_t value,
                                const struct cairn_text_name *names)
{
    struct cairn_text string = begin(to);

    while (names->name && names->value != value)
        names++;
    /* As in Linux, an empty name is ignored. */
    if (names->name && names->name[0])
        cairn_text_printf(&string, "%s", names->name);
    else
        cairn_text_printf(&string, "0x%llx", (unsigned long long)value);
    return finish(to, &string);
}

const char *cairn_text_hex(struct cairn_text *to, const void *bytes, size_t size_bytes,
                           char separator)
{
    struct cairn_text string = begin(to);

    if (bytes)
        core_text_add_hex(&string, (const uint8_t *)bytes, size_bytes, separator);
    return finish(to, &string);
}

const char *cairn_text_array(struct cairn_text *to, const void *elements, size_t count,
                             size_t element_size_bytes)
{
    struct cairn_text string = begin(to);
    const uint8_t *element = (const uint8_t *)elements;

    core_text_fill(&string, '{', 1);
    for (size_t i = 0; element && i < count && !string.full; i++) {
        cairn_text_printf(
            &string, "%s0x%llx", i ? "," : "",
            (unsigned long long)core_load_unsigned(element, (uint32_t)element_size_bytes, false));
        element += element_size_bytes;
    }
    core_text_fill(&string, '}', 1);
    return finish(to, &string);
}

/* 32 bits of a bitmap, from a byte that is a multiple of 4. */
static uint32_t group_at(const uint8_t *mask, size_t size_bytes, size_t at)
{
    size_t count = size_bytes - at < 4 ? size_bytes - at : 4;
    uint32_t group = 0;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    if (sizeof(long) == 8) /* the halves of a long have changed places */
        at ^= 4;
#endif
    __builtin_memcpy(&group, mask + at, count);
    return group;
}

const char *cairn_text_bitmask(struct cairn_text *to, const void *mask, size_t size_bytes)
{
    struct cairn_text string = begin(to);
    size_t at = (size_bytes + 3) & ~(size_t)3;
    int digits = size_bytes % 4 ? (int)(size_bytes % 4) * 2 : 8; /* of the highest group */

    while (mask && at && !string.full) {
        at -= 4;
        cairn_text_printf(&string, "%0*x%s", digits,
                          group_at((const uint8_t *)mask, size_bytes, at), at ? "," : "");
        digits = 8;
    }
    return finish(to, &string);
}
