/* SPDX-License-Identifier: MIT */
/*
 * The rules of a session, and what they choose of the events of a tracepoint. Programs apply the
 * rules before they commit an event, as far as they can; the session applies them again to what
 * they keep.
 */
#ifndef SESSION_RULES_H
#define SESSION_RULES_H

#include "engine/rules.h"
#include "session/internal.h"

/* A pattern and its filter: copies. */
struct session_rule {
    char *given;   /* the whole pattern */
    char *pattern; /* without its words */
    char *glob;    /* of tracepoints that it may name */
    char *filter;  /* NULL: none */
    char *marked;  /* after condition_mark_names */
    struct engine_rule shared;
    bool chose;       /* an event */
    bool was_applied; /* the filter is valid for some type of events */
    char *problem;    /* why it is not for the first where it is not; or NULL */
};

/* Splits a pattern that has words: *ret_length is that of the rest, and *ret_rule has what they
 * say. Returns 0; EINVAL. */
int session_parse_words(const char *pattern, size_t *ret_length, struct engine_rule *ret_rule);

/* Keeps patterns and filters, and fills their part of the request. Returns 0; EINVAL a pattern
 * has words that are not known; ENOMEM. */
int session_copy_rules(struct cairn_session *session, const struct cairn_session_options *options);
void session_free_rules(struct cairn_session *session);

/* Fills the rules' part of the request. Its pointers refer to the rules. */
void session_fill_request(struct cairn_session *session);

/* The same as session_copy_rules for one, which is zeros before; to be freed in any case. */
int session_copy_rule(struct session_rule *rule, const char *pattern, const char *filter);
void session_free_rule(struct session_rule *rule);

/* True if it has no filter, and takes all events of the tracepoints that it names. */
bool session_rule_takes_all(const struct session_rule *rule);

/* Sets the names of a tracepoint, which refer to it. */
void session_name_tracepoint(struct session_tracepoint *tp);

/* Data that EventHeader events of one type have in common. */
struct session_type {
    const uint8_t *header; /* NULL: a typed tracepoint */
    const uint8_t *metadata;
    size_t metadata_bytes;
};

/* The name of EventHeader events of a type, in its metadata. */
struct cairn_slice session_event_name(const struct session_type *type);

/* The rules that name events of one type. */
struct session_choice;

/* Finds, or makes, the choice for a type; NULL: no memory. */
struct session_choice *session_choice_of(struct cairn_session *session,
                                         struct session_tracepoint *tp,
                                         const struct session_type *type);

/* True if one of the rules takes all events of the type; it is taken to have chosen one. */
bool session_choice_takes_all(struct cairn_session *session, const struct session_choice *choice);

#endif
