/* SPDX-License-Identifier: MIT */
/*
 * The words of a command text: by them the kernel tells whether an event that is there has the
 * fields that somebody asks for. It splits what is asked for at white space of any kind, and puts
 * one space between the words; and it has the fields of the event as it shows them. So
 * "unsigned  int a ;" is refused where there is no event of the name, and another event's where
 * there is one with "unsigned int a".
 */
#ifndef ENGINE_COMMAND_WORDS_H
#define ENGINE_COMMAND_WORDS_H

#include <cairn/schema.h>
#include <stdbool.h>

/* Enough for the words of each command, and for the fields of each. */
#define CAIRN_WORDS_MAX_BYTES (2 * CAIRN_COMMAND_MAX_BYTES)

/*
 * Writes the words of a text with one space between any two. `splits`: a semicolon ends a word, as
 * it does in a command, but not in a line of dynamic_events that deletes. What is too long is cut
 * off, and then the fields of no event.
 */
void cairn_command_join_words(const char *text, bool splits, char words[CAIRN_WORDS_MAX_BYTES]);

/* Writes the fields of a command as the kernel shows them: "type name; struct tag name size". */
void cairn_command_write_fields(const struct cairn_schema *schema,
                                char fields[CAIRN_WORDS_MAX_BYTES]);

/* Whether joined words are the fields of a command. One semicolon behind the last field is let
 * through. */
bool cairn_command_words_match(const char *words, const struct cairn_schema *schema);

/*
 * What is said of a command before anybody looks for its name: that it is too long, or that its
 * name or its flags make no sense. Returns 0; EINVAL; E2BIG.
 */
int cairn_command_check_head(const char *command);

/* What is behind the name and the flags; "" when nothing is. */
const char *cairn_command_arguments(const char *command);

/*
 * The schema of a command that somebody has taken: as cairn_schema_parse_command, but also of one
 * that makes sense by its words only. `room` may be what the schema's names point into.
 */
int cairn_command_parse_taken(const char *command, char room[CAIRN_WORDS_MAX_BYTES],
                              struct cairn_field fields[CAIRN_FIELDS_MAX],
                              struct cairn_schema *ret_schema);

#endif
