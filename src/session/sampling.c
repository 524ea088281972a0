/* SPDX-License-Identifier: MIT */
/* Patterns that sample: "NAME/every=100/", "NAME/rate=1000/", "NAME/every=10,rate=100/". */
#include "core/slice.h"
#include "session/rules.h"

#include <errno.h>
#include <string.h>

static bool take_number(struct cairn_slice word, const char *name, uint32_t *ret_number)
{
    return core_slice_take(&word, name) && core_slice_number(word, 10, ret_number) && *ret_number;
}

int session_parse_sampling(const char *pattern, size_t *ret_length, uint32_t *ret_every,
                           uint32_t *ret_rate)
{
    struct cairn_slice words = core_slice_of(pattern);
    const char *begin;

    *ret_length = words.length;
    *ret_every = 0;
    *ret_rate = 0;
    if (!words.length || words.text[words.length - 1] != '/')
        return 0;
    words.length--;
    begin = words.length ? memrchr(words.text, '/', words.length) : NULL;
    if (!begin || begin == pattern)
        return EINVAL;
    *ret_length = (size_t)(begin - pattern);
    words = core_slice_after(words, (uint32_t)*ret_length + 1);
    do {
        struct cairn_slice word = core_slice_take_until(&words, ',');

        if (!take_number(word, "every=", ret_every) && !take_number(word, "rate=", ret_rate))
            return EINVAL;
    } while (words.length);
    return 0;
}

int cairn_session_pattern_check(const char *pattern)
{
    uint32_t every;
    uint32_t rate;
    size_t length;
    int error = session_parse_sampling(pattern, &length, &every, &rate);

    return error || !length ? EINVAL : 0;
}
