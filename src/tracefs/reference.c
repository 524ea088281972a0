/* SPDX-License-Identifier: MIT */
/* Uses of events: references that keep an event registered. */
#include "tracefs/reference.h"
#include "core/atomic.h"
#include "engine/command_words.h"
#include "engine/dynamic_fields.h"
#include "engine/engine.h"
#include "tracefs/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tracefs_reference *free_references;

static struct tracefs_reference *new_reference(void)
{
    struct tracefs_reference *reference = free_references;

    if (reference)
        free_references = reference->next;
    else
        reference = calloc(1, sizeof(*reference));
    if (reference)
        reference->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    return reference;
}

static void free_reference(struct tracefs_reference *reference)
{
    reference->next = free_references;
    free_references = reference;
}

/* The command as the kernel prints it, from which the event can be registered again.
 */
static void copy_command(struct tracefs_reference *reference, const char *command,
                         const struct cairn_schema *schema)
{
    char words[ENGINE_WORDS_MAX_BYTES];
    int length;

    engine_command_write_fields(schema, words);
    length = snprintf(reference->command, sizeof(reference->command), "%.*s%s%s",
                      (int)strcspn(command, " "), command, *words ? " " : "", words);
    if (length >= (int)sizeof(reference->command)) /* it had no spaces after its semicolons */
        (void)snprintf(reference->command, sizeof(reference->command), "%s", command);
}

/* Notes what a payload must be like. */
static int note_fields(struct tracefs_reference *reference, const char *command)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char space[ENGINE_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    int error = engine_command_parse_taken(command, space, fields, &schema);

    if (error)
        return error;
    copy_command(reference, command, &schema);
    reference->fixed_bytes = schema.fixed_size_bytes - CAIRN_COMMON_BYTES;
    engine_dynamic_fields_note(&reference->tracepoint, &schema);
    return 0;
}

/* Passes on a new reference, or frees it if it could not be filled. */
static int finish(struct tracefs_reference *reference, int error,
                  struct tracefs_reference **ret_reference)
{
    if (!error)
        *ret_reference = reference;
    else if (reference)
        free_reference(reference);
    return error == ENOSPC ? EMFILE : error;
}

int tracefs_reference_take(const char *command, uint32_t flags,
                           struct tracefs_reference **ret_reference)
{
    struct tracefs_reference *new = new_reference();
    int error = new ? engine_register(&new->tracepoint, command, flags) : ENOMEM;

    if (!error) {
        error = note_fields(new, command);
        if (error)
            engine_unregister(&new->tracepoint);
    }
    if (!error) {
        new->owners = 1;
        new->tracepoint.registered = true;
        new->tracepoint.command = new->command;
        engine_list(&new->tracepoint);
    }
    return finish(new, error, ret_reference);
}

/* The command is in memory that other processes may change. */
int tracefs_reference_adopt(uint32_t index, uint64_t sample_id,
                            struct tracefs_reference **ret_reference)
{
    struct tracefs_reference *new = new_reference();
    int error = new ? engine_adopt(&new->tracepoint, index, sample_id) : ENOMEM;
    char command[CAIRN_COMMAND_MAX_BYTES];

    if (!error) {
        tracefs_event_command(index, command);
        new->tracepoint.command = new->command; /* by which many dynamic fields are checked */
        error = note_fields(new, command);
    }
    return finish(new, error, ret_reference);
}

void tracefs_reference_disown(struct tracefs_reference *reference)
{
    core_store_relaxed(&reference->tracepoint.enabled, cairn_i_never_enabled);
    core_store_relaxed(&reference->tracepoint.local, NULL);
    free_reference(reference);
}

void tracefs_reference_release(struct tracefs_reference *reference)
{
    if (--reference->owners)
        return;
    engine_unlist(&reference->tracepoint);
    core_store_relaxed(&reference->tracepoint.enabled, cairn_i_never_enabled);
    engine_unregister(&reference->tracepoint);
    free_reference(reference);
}

bool tracefs_reference_is_same(const struct tracefs_reference *a, const struct tracefs_reference *b)
{
    return a->tracepoint.local && a->tracepoint.local == b->tracepoint.local &&
           a->tracepoint.sample_id == b->tracepoint.sample_id;
}

uint32_t tracefs_reference_index(const struct tracefs_reference *reference)
{
    const struct engine_event_entry *entry = reference->tracepoint.local;

    return entry ? (uint32_t)(entry - engine_self.local.entries) : 0;
}
