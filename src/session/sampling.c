/* SPDX-License-Identifier: MIT */
/* Words after a pattern: "NAME/every=100/", "NAME/rate=1000/", "NAME/stack/",
 * "NAME/every=10,rate=100,stack/". */
#include "core/slice.h"
#include "session/rules.h"

#include <errno.h>
#include <string.h>

static bool take_number(struct cairn_slice word, const char *name, uint32_t *ret_number)
{
    return core_slice_take(&word, name) && core_slice_number(word, 10, ret_number) && *ret_number;
}

static bool take_word(struct cairn_slice word, struct engine_rule *rule)
{
    if (core_slice_is(word, "stack")) {
        rule->with_stack = true;
        return true;
    }
    return take_number(word, "every=", &rule->every) || take_number(word, "rate=", &rule->rate);
}

int session_parse_words(const char *pattern, size_t *ret_length, struct engine_rule *ret_rule)
{
    struct cairn_slice words = core_slice_of(pattern);
    const char *begin;

    *ret_length = words.length;
    *ret_rule = (struct engine_rule){0};
    if (!words.length || words.text[words.length - 1] != '/')
        return 0;
    words.length--;
    begin = words.length ? memrchr(words.text, '/', words.length) : NULL;
    if (!begin || begin == pattern)
        return EINVAL;
    *ret_length = (size_t)(begin - pattern);
    words = core_slice_after(words, (uint32_t)*ret_length + 1);
    do {
        if (!take_word(core_slice_take_until(&words, ','), ret_rule))
            return EINVAL;
    } while (words.length);
    return 0;
}

int cairn_session_pattern_check(const char *pattern)
{
    struct engine_rule rule;
    size_t length;
    int error = session_parse_words(pattern, &length, &rule);

    return error || !length ? EINVAL : 0;
}
