/* SPDX-License-Identifier: MIT */
/* Parses the words of the command line that name events: command texts, levels, providers. */
#include "cli/event_word.h"

#include <cairn/eventheader_dynamic.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_event_command(const char *word)
{
    static const char *const prefixes[] = {"user_events:", "u:user_events/", "u:"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
        size_t length = strlen(prefixes[i]);

        if (!strncmp(word, prefixes[i], length))
            return word + length + strspn(word + length, " \t");
    }
    return word;
}

/* ---- numbers ---- */

bool cli_parse_number(const char *text, uint64_t max, uint64_t *ret_number)
{
    char *end;

    errno = 0;
    *ret_number = strtoull(text, &end, 0);
    return !errno && isdigit((unsigned char)*text) && !*end && *ret_number <= max;
}

bool cli_parse_level(const char *text, uint64_t *ret_level)
{
    static const struct {
        const char *name;
        uint8_t level;
    } names[] = {
        {"critical_error", CAIRN_LEVEL_CRITICAL_ERROR},
        {"critical", CAIRN_LEVEL_CRITICAL_ERROR},
        {"error", CAIRN_LEVEL_ERROR},
        {"warning", CAIRN_LEVEL_WARNING},
        {"information", CAIRN_LEVEL_INFORMATION},
        {"info", CAIRN_LEVEL_INFORMATION},
        {"verbose", CAIRN_LEVEL_VERBOSE},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcasecmp(text, names[i].name)) {
            *ret_level = names[i].level;
            return true;
        }
    }
    return cli_parse_number(text, UINT8_MAX, ret_level) && *ret_level;
}

/* ---- providers ---- */

/* Options begin with a capital letter, which a group cannot. */
int cli_provider_command(const char *provider, uint64_t level, uint64_t keyword, char **ret_command)
{
    char *text = strdup(provider);
    char *command = malloc(CAIRN_PROVIDER_COMMAND_MAX_BYTES);
    int error = ENOMEM;

    if (text && command) {
        char *rest = text;
        const char *name = strsep(&rest, ":");
        const char *group = rest && !isupper((unsigned char)*rest) ? strsep(&rest, ":") : NULL;

        error = cairn_dynamic_provider_command(name, group, rest, (uint8_t)level, keyword, command);
    }
    free(text);
    if (error)
        free(command);
    else
        *ret_command = command;
    return error;
}

/* ---- providers in place of command texts ---- */

static void report_provider(const struct cli_verb *verb, const char *word, const char *provider,
                            const char *level, const char *keyword)
{
    cli_error(verb, "%s names the tracepoint of a provider. To register it: --provider %s %s %s",
              word, provider, level, keyword);
}

/* Reports PROVIDER:LEVEL:KEYWORD, or a part of it. No flag of a command text looks like a level. */
static bool is_provider_with_colons(const struct cli_verb *verb, const char *command)
{
    char provider[CAIRN_EVENTHEADER_NAME_MAX_BYTES + 1];
    const char *last = strrchr(command, ':');
    const char *level;
    char level_text[16];
    uint64_t number;

    if (!last || strlen(command) >= sizeof(provider))
        return false;
    (void)snprintf(provider, sizeof(provider), "%.*s", (int)(last - command), command);
    level = strrchr(provider, ':');
    if (!level) {
        if (!cli_parse_level(last + 1, &number))
            return false;
        report_provider(verb, command, provider, last + 1, "KEYWORD");
        return true;
    }
    (void)snprintf(level_text, sizeof(level_text), "%s", level + 1);
    provider[level - provider] = 0;
    if (cli_parse_level(level_text, &number) && cli_parse_number(last + 1, UINT64_MAX, &number))
        report_provider(verb, command, provider, level_text, last + 1);
    else
        report_provider(verb, command, "PROVIDER[:GROUP][:OPTIONS]", "LEVEL", "KEYWORD");
    return true;
}

/*
 * Parses a mark and the hexadecimal number after it, in lower case: capital letters begin options.
 * Returns the text after the number, or NULL.
 */
static const char *skip_number(const char *text, const char *mark, uint64_t *ret_number)
{
    static const char digits[] = "0123456789abcdef";
    const char *begin = text + strlen(mark);
    const char *end = begin;

    if (strncmp(text, mark, strlen(mark)) != 0)
        return NULL;
    for (*ret_number = 0; *end && strchr(digits, *end); end++)
        *ret_number = *ret_number << 4 | (uint64_t)(strchr(digits, *end) - digits);
    return end > begin && end <= begin + 16 ? end : NULL;
}

/* Reports a name in tracefs: PROVIDER_LlevelKkeyword[OPTIONS]. */
static bool is_tracefs_name(const struct cli_verb *verb, const char *command)
{
    char provider[CAIRN_EVENTHEADER_NAME_MAX_BYTES + 32];
    const char *mark = NULL;
    const char *end;
    char level_text[32];
    char keyword_text[32];
    uint64_t level, keyword;

    for (const char *p = command; (p = strstr(p, "_L")); p++)
        mark = p;
    end = mark ? skip_number(mark, "_L", &level) : NULL;
    end = end ? skip_number(end, "K", &keyword) : NULL;
    if (!end || (*end && !isupper((unsigned char)*end)))
        return false;
    (void)snprintf(provider, sizeof(provider), "%.*s%s", (int)(mark - command), command,
                   *end ? "[:GROUP][:OPTIONS]" : "");
    (void)snprintf(level_text, sizeof(level_text), "%" PRIu64, level);
    (void)snprintf(keyword_text, sizeof(keyword_text), "0x%" PRIx64, keyword);
    report_provider(verb, command, provider, level_text, keyword_text);
    return true;
}

bool cli_event_is_of_provider(const struct cli_verb *verb, const char *command)
{
    return !strchr(command, ' ') &&
           (is_provider_with_colons(verb, command) || is_tracefs_name(verb, command));
}
