/* SPDX-License-Identifier: MIT */
/* Rules of sessions: names and filters of the events that they want. */
#include "engine/rules.h"
#include "core/glob.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

static bool has_colon(struct cairn_slice pattern)
{
    return core_slice_find(pattern, ':') < pattern.length;
}

/* True if the part before the colon, and the part after it, match. */
static bool match_both(struct cairn_slice pattern, struct cairn_slice before,
                       struct cairn_slice after)
{
    uint32_t colon = core_slice_find(pattern, ':');

    return core_glob_match_slice(core_slice_first(pattern, colon), before) &&
           core_glob_match_slice(core_slice_after(pattern, colon + 1), after);
}

bool engine_rule_names(struct cairn_slice pattern, const struct engine_event_name *name)
{
    if (!has_colon(pattern))
        return core_glob_match_slice(pattern, name->tracepoint);
    return (name->provider.length && match_both(pattern, name->provider, name->event)) ||
           match_both(pattern, name->system, name->tracepoint);
}

bool engine_rule_names_tracepoint(struct cairn_slice pattern, const struct engine_event_name *name)
{
    uint32_t colon = core_slice_find(pattern, ':');

    return engine_rule_names(pattern, name) ||
           (colon < pattern.length && name->provider.length &&
            core_glob_match_slice(core_slice_first(pattern, colon), name->provider));
}

bool engine_rule_is_whole(struct cairn_slice pattern)
{
    uint32_t colon = core_slice_find(pattern, ':');

    return colon == pattern.length || core_slice_starts(pattern, "user_events:") ||
           core_slice_starts(pattern, "user_events_multi:") ||
           core_slice_is(core_slice_after(pattern, colon + 1), "*");
}

static bool take_hex(struct cairn_slice *text, uint64_t *ret_value)
{
    uint32_t at = 0;
    uint64_t value = 0;

    for (; at < text->length && at < 16; at++) {
        char c = text->text[at];

        if (core_is_digit(c))
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    *text = core_slice_after(*text, at);
    *ret_value = value;
    return at > 0;
}

bool engine_rule_split_tracepoint(struct cairn_slice name, struct cairn_slice *ret_provider,
                                  uint64_t *ret_keyword)
{
    const char *last = name.length ? memrchr(name.text, '_', name.length) : NULL;
    struct cairn_slice rest;
    uint64_t level;

    if (!last)
        return false;
    rest = core_slice_after(name, (uint32_t)(last - name.text) + 1);
    if (!core_slice_take(&rest, "L") || !take_hex(&rest, &level) || !core_slice_take(&rest, "K") ||
        !take_hex(&rest, ret_keyword))
        return false;
    *ret_provider = (struct cairn_slice){name.text, (uint32_t)(last - name.text)};
    return true;
}

void engine_rule_glob(const char *pattern, char *glob)
{
    static const char *const systems[] = {"user_events:", "user_events_multi:"};
    const char *colon = strchr(pattern, ':');

    for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
        if (!strncmp(pattern, systems[i], strlen(systems[i]))) {
            strcpy(glob, pattern + strlen(systems[i]));
            return;
        }
    }
    if (!colon) {
        strcpy(glob, pattern);
        return;
    }
    strcpy(mempcpy(glob, pattern, (size_t)(colon - pattern)), "_L*K*");
}

/* ---- in a slot ---- */

/* Adds text to the area. False: there is no space; the last two bytes stay zero. */
static bool put(char *area, size_t *at, const char *text, size_t length)
{
    if (length > ENGINE_SESSION_PATTERNS - 2 - *at)
        return false;
    if (length) /* no filter is no text */
        memcpy(area + *at, text, length);
    *at += length;
    return true;
}

static bool put_rule(char *area, size_t *at, const struct engine_rule *rule)
{
    static const char mark[] = {ENGINE_RULE_MARK};
    static const char separator[] = {ENGINE_RULE_SEPARATOR};
    char numbers[24];

    (void)snprintf(numbers, sizeof(numbers), "%" PRIu32 ",%" PRIu32, rule->every, rule->rate);
    return put(area, at, mark, 1) && put(area, at, rule->pattern.text, rule->pattern.length) &&
           put(area, at, separator, 1) && put(area, at, rule->filter.text, rule->filter.length) &&
           put(area, at, separator, 1) && put(area, at, numbers, strlen(numbers) + 1);
}

static bool put_stack(char *area, size_t *at, struct cairn_slice pattern)
{
    static const char mark[] = {ENGINE_RULE_STACK};

    return put(area, at, mark, 1) && put(area, at, pattern.text, pattern.length) &&
           put(area, at, "", 1);
}

/* All of them or none: a program that has a part of them only would leave out events. */
static bool put_rules(char *area, size_t begin, const struct engine_rule *rules, uint32_t count)
{
    size_t at = begin;
    bool fits = true;

    for (uint32_t i = 0; i < count && fits; i++)
        fits = put_rule(area, &at, &rules[i]);
    for (uint32_t i = 0; i < count && fits; i++)
        fits = !rules[i].with_stack || put_stack(area, &at, rules[i].pattern);
    if (!fits)
        memset(area + begin, 0, ENGINE_SESSION_PATTERNS - begin);
    return fits;
}

/* A recorder cannot sample instead of programs: it does not know what they have left out; and it
 * has no stacks. */
static bool any_needs_programs(const struct engine_rule *rules, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (rules[i].every || rules[i].rate || rules[i].with_stack)
            return true;
    }
    return false;
}

int engine_rules_put(const char *const *patterns, const struct engine_rule *rules, uint32_t count,
                     char area[ENGINE_SESSION_PATTERNS])
{
    size_t at = 0;

    memset(area, 0, ENGINE_SESSION_PATTERNS);
    for (uint32_t i = 0; i < count; i++) {
        if (!put(area, &at, patterns[i], strlen(patterns[i]) + 1))
            return E2BIG;
    }
    if (!rules)
        return 0;
    if (at < ENGINE_SESSION_PATTERNS - 2 && put_rules(area, at + 1, rules, count))
        return 0;
    return any_needs_programs(rules, count) ? E2BIG : 0;
}

/* The position after the empty pattern. */
static size_t rules_at(const char *area)
{
    size_t at = 0;

    while (at < ENGINE_SESSION_PATTERNS && area[at])
        at += strnlen(area + at, ENGINE_SESSION_PATTERNS - at) + 1;
    return at + 1;
}

bool engine_rules_exist(const char area[ENGINE_SESSION_PATTERNS])
{
    size_t at = rules_at(area);

    return at < ENGINE_SESSION_PATTERNS && area[at] == ENGINE_RULE_MARK;
}

bool engine_rules_next(const char area[ENGINE_SESSION_PATTERNS], size_t *at,
                       struct engine_rule *ret_rule)
{
    size_t begin = *at ? *at : rules_at(area);
    struct cairn_slice rule;

    if (begin >= ENGINE_SESSION_PATTERNS || area[begin] != ENGINE_RULE_MARK)
        return false;
    begin++;
    rule = (struct cairn_slice){area + begin,
                                (uint32_t)strnlen(area + begin, ENGINE_SESSION_PATTERNS - begin)};
    *at = begin + rule.length + 1;
    *ret_rule =
        (struct engine_rule){.pattern = core_slice_take_until(&rule, ENGINE_RULE_SEPARATOR)};
    ret_rule->filter = core_slice_take_until(&rule, ENGINE_RULE_SEPARATOR);
    return core_slice_number(core_slice_take_until(&rule, ','), 10, &ret_rule->every) &&
           core_slice_number(rule, 10, &ret_rule->rate);
}

bool engine_rules_next_stack(const char area[ENGINE_SESSION_PATTERNS], size_t *at,
                             struct cairn_slice *ret_pattern)
{
    size_t begin = *at ? *at : rules_at(area);
    size_t length;

    while (begin < ENGINE_SESSION_PATTERNS && area[begin] == ENGINE_RULE_MARK)
        begin += strnlen(area + begin, ENGINE_SESSION_PATTERNS - begin) + 1;
    if (begin >= ENGINE_SESSION_PATTERNS || area[begin] != ENGINE_RULE_STACK)
        return false;
    begin++;
    length = strnlen(area + begin, ENGINE_SESSION_PATTERNS - begin);
    *ret_pattern = (struct cairn_slice){area + begin, (uint32_t)length};
    *at = begin + length + 1;
    return true;
}
