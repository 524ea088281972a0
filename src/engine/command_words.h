/* SPDX-License-Identifier: MIT */
/*
 * The words of a command text. By them the kernel compares a command with an event that is
 * registered. It splits the command at white space of any kind, and joins the words by one space;
 * the fields of the event are as it shows them. So "unsigned  int a ;" is refused if no event has
 * the name, and matches an event that was registered with "unsigned int a".
 */
#ifndef ENGINE_COMMAND_WORDS_H
#define ENGINE_COMMAND_WORDS_H

#include <cairn/schema.h>
#include <stdbool.h>

/* Enough for the words of each command, and for the fields of each. */
#define ENGINE_WORDS_MAX_BYTES (2 * CAIRN_COMMAND_MAX_BYTES)

/*
 * Writes the words of a text with one space between any two. `splits`: a semicolon ends a word, as
 * it does in a command, but not in a line of dynamic_events that deletes. A text that is too long
 * is truncated, and then equals the fields of no event.
 */
void engine_command_join_words(const char *text, bool splits, char words[ENGINE_WORDS_MAX_BYTES]);

/* Writes the fields of a command as the kernel shows them: "type name; struct tag name size". */
void engine_command_write_fields(const struct cairn_schema *schema,
                                 char fields[ENGINE_WORDS_MAX_BYTES]);

/* Compares joined words with the fields of a command. One semicolon after the last field is
 * accepted. */
bool engine_command_words_match(const char *words, const struct cairn_schema *schema);

/*
 * Checks a command before its name is looked up: its length, its name and its flags. Returns 0;
 * EINVAL the name or the flags are invalid; E2BIG.
 */
int engine_command_check_head(const char *command);

/* Returns the text after the name and the flags; "" if there is none. */
const char *engine_command_arguments(const char *command);

/*
 * The schema of a command that was registered: as cairn_schema_parse_command, but also of a command
 * that is valid by its words only. The schema's names may point into `buffer`.
 */
int engine_command_parse_taken(const char *command, char buffer[ENGINE_WORDS_MAX_BYTES],
                               struct cairn_field fields[CAIRN_FIELDS_MAX],
                               struct cairn_schema *ret_schema);

#endif
