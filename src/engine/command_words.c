/* SPDX-License-Identifier: MIT */
/* Words of a command text, as the kernel compares them. */
#include "engine/command_words.h"
#include "core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *engine_command_arguments(const char *command)
{
    const char *space = strchr(command, ' ');

    return space ? space + 1 : "";
}

int engine_command_check_head(const char *command)
{
    size_t length = strnlen(command, CAIRN_COMMAND_MAX_BYTES);
    char head[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_schema schema;

    if (length == CAIRN_COMMAND_MAX_BYTES)
        return EINVAL;
    length = strcspn(command, " ");
    memcpy(head, command, length);
    head[length] = 0;
    return cairn_schema_parse_command(head, NULL, 0, &schema, NULL);
}

/* Returns the end of the word that begins here. */
static const char *end_of_word(const char *text, bool splits)
{
    while (*text && !core_is_kernel_space(*text)) {
        if (*text++ == ';' && splits)
            break;
    }
    return text;
}

void engine_command_join_words(const char *text, bool splits, char words[ENGINE_WORDS_MAX_BYTES])
{
    size_t at = 0;

    while (*text && at < ENGINE_WORDS_MAX_BYTES - 1) {
        const char *end = end_of_word(text, splits);
        size_t length = (size_t)(end - text);

        if (!length) { /* white space */
            text++;
            continue;
        }
        if (at)
            words[at++] = ' ';
        if (length > ENGINE_WORDS_MAX_BYTES - 1 - at)
            length = ENGINE_WORDS_MAX_BYTES - 1 - at;
        memcpy(words + at, text, length);
        at += length;
        text = end;
    }
    words[at] = 0;
}

/* The type is shown as it was written, with the text between it and the name. */
void engine_command_write_fields(const struct cairn_schema *schema,
                                 char fields[ENGINE_WORDS_MAX_BYTES])
{
    size_t at = 0;

    fields[0] = 0;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];
        const char *end = field->name.text + field->name.length;
        char size[16] = "";

        if (core_slice_starts(field->type, "struct "))
            (void)snprintf(size, sizeof(size), " %u", field->size_bytes);
        at += (size_t)snprintf(fields + at, ENGINE_WORDS_MAX_BYTES - at, "%s%.*s%s", i ? "; " : "",
                               (int)(end - field->type.text), field->type.text, size);
    }
}

bool engine_command_words_match(const char *words, const struct cairn_schema *schema)
{
    char fields[ENGINE_WORDS_MAX_BYTES];
    size_t length;

    engine_command_write_fields(schema, fields);
    length = strlen(fields);
    if (strncmp(words, fields, length) != 0)
        return false;
    return !words[length] || (length && !strcmp(words + length, ";"));
}

int engine_command_parse_taken(const char *command, char buffer[ENGINE_WORDS_MAX_BYTES],
                               struct cairn_field fields[CAIRN_FIELDS_MAX],
                               struct cairn_schema *ret_schema)
{
    int error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, ret_schema, NULL);
    char words[ENGINE_WORDS_MAX_BYTES];
    int length;

    if (error != EINVAL || strnlen(command, CAIRN_COMMAND_MAX_BYTES) == CAIRN_COMMAND_MAX_BYTES)
        return error;
    engine_command_join_words(engine_command_arguments(command), true, words);
    length = snprintf(buffer, ENGINE_WORDS_MAX_BYTES, "%.*s %s", (int)strcspn(command, " "),
                      command, words);
    if (length >= (int)ENGINE_WORDS_MAX_BYTES ||
        cairn_schema_parse_command(buffer, fields, CAIRN_FIELDS_MAX, ret_schema, NULL))
        return error;
    return 0;
}
