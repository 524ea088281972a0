/* SPDX-License-Identifier: MIT */
/* Asks recorders. */
#include "cli/asking.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A snapshot is written before the answer comes. */
#define TIMEOUT_MS 60000u

static void report_failure(const struct cli_verb *verb, const char *name, int error)
{
    if (error == ENOENT)
        cli_error(verb, "there is no recorder of the name %s (cairn session list)", name);
    else if (error == EINVAL)
        cli_error(verb, "invalid name: %s", name);
    else if (error == ETIMEDOUT)
        cli_error(verb, "%s does not answer", name);
    else
        cli_directory_error(verb, error, "cannot ask the recorder");
}

bool cli_ask_recorder(const struct cli_verb *verb, const char *name, const char *request,
                      struct cli_answer *ret_answer)
{
    static const char refusal[] = "error ";
    char *text = ret_answer->text;
    int error = cairn_recorder_ask(name, request, TIMEOUT_MS, text, sizeof(ret_answer->text));

    if (error) {
        report_failure(verb, name, error);
        return false;
    }
    if (!strncmp(text, "ok\n", 3))
        return true;
    if (!strncmp(text, refusal, strlen(refusal)))
        text += strlen(refusal);
    text[strcspn(text, "\n")] = 0;
    cli_error(verb, "%s: %s", name, text);
    return false;
}

const char *cli_answer_value(const struct cli_answer *answer, const char *word, char *value,
                             size_t value_bytes)
{
    size_t word_length = strlen(word);

    *value = 0;
    for (const char *line = answer->text; *line;) {
        size_t length = strcspn(line, "\n");

        if (length > word_length && !strncmp(line, word, word_length) && line[word_length] == ' ') {
            size_t size = length - word_length - 1;

            if (size >= value_bytes)
                size = value_bytes - 1;
            memcpy(value, line + word_length + 1, size);
            value[size] = 0;
            break;
        }
        line += length + (line[length] != 0);
    }
    return value;
}

bool cli_take_snapshot(const struct cli_verb *verb, const char *name)
{
    struct cli_answer answer;
    char file[sizeof(answer.text)];

    if (!cli_ask_recorder(verb, name, "snapshot", &answer))
        return false;
    puts(cli_answer_value(&answer, "file", file, sizeof(file)));
    return true;
}
