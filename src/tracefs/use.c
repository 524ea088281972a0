/* SPDX-License-Identifier: MIT */
/* Uses of events: references that keep an event registered. */
#include "tracefs/use.h"
#include "core/atomic.h"
#include "engine/command_words.h"
#include "engine/dynamic_fields.h"
#include "engine/engine.h"
#include "tracefs/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define USES_AT_ONCE 64

static struct tracefs_use *free_uses;

static struct tracefs_use *new_use(void)
{
    struct tracefs_use *use = free_uses;

    if (!use) {
        use = tracefs_memory_take(USES_AT_ONCE * sizeof(*use));
        for (uint32_t i = 0; use && i + 1 < USES_AT_ONCE; i++)
            use[i].next = &use[i + 1];
    }
    if (use)
        free_uses = use->next;
    return use;
}

static void free_use(struct tracefs_use *use)
{
    use->next = free_uses;
    free_uses = use;
}

/* The command as the kernel prints it, from which the event can be registered again.
 */
static void copy_command(struct tracefs_use *use, const char *command,
                         const struct cairn_schema *schema)
{
    char words[ENGINE_WORDS_MAX_BYTES];
    int length;

    engine_command_write_fields(schema, words);
    length = snprintf(use->command, sizeof(use->command), "%.*s%s%s", (int)strcspn(command, " "),
                      command, *words ? " " : "", words);
    if (length >= (int)sizeof(use->command)) /* it had no spaces after its semicolons */
        (void)snprintf(use->command, sizeof(use->command), "%s", command);
}

/* The event is registered already. */
static void begin(struct tracefs_use *use)
{
    use->tracepoint.registered = true;
    use->tracepoint.command = use->command;
    engine_list(&use->tracepoint);
}

/* Notes what a payload must be like. */
static int note_fields(struct tracefs_use *use, const char *command)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char space[ENGINE_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    int error = engine_command_parse_taken(command, space, fields, &schema);

    if (error)
        return error;
    copy_command(use, command, &schema);
    use->fixed_bytes = schema.fixed_size_bytes - CAIRN_COMMON_BYTES;
    engine_dynamic_fields_note(&use->tracepoint, &schema);
    return 0;
}

static int take(struct tracefs_use *use, const char *command, uint32_t flags)
{
    int error = engine_register(&use->tracepoint, command, flags);

    if (!error)
        error = note_fields(use, command);
    if (error)
        return error == ENOSPC ? EMFILE : error;
    begin(use);
    return 0;
}

int tracefs_use_take(const char *command, uint32_t flags, struct tracefs_use **ret_use)
{
    struct tracefs_use *use = new_use();
    int error;

    if (!use)
        return ENOMEM;
    use->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    error = take(use, command, flags);
    if (error)
        free_use(use);
    else
        *ret_use = use;
    return error;
}

int tracefs_use_take_again(const struct tracefs_use *other, struct tracefs_use **ret_use)
{
    struct tracefs_use *use = new_use();
    int error;

    if (!use)
        return ENOMEM;
    use->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    error = engine_register_again(&use->tracepoint, &other->tracepoint);
    if (error) {
        free_use(use);
        return error == ENOSPC ? EMFILE : error;
    }
    memcpy(use->command, other->command, sizeof(use->command));
    begin(use);
    *ret_use = use;
    return 0;
}

/* The command is in memory that other processes may change. */
static int adopt(struct tracefs_use *use, uint32_t index, uint64_t sample_id)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    int error = engine_adopt(&use->tracepoint, index, sample_id);

    if (error)
        return error;
    memcpy(command, engine_self.local.entries[index].command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    use->tracepoint.command = use->command; /* by which many dynamic fields are checked */
    return note_fields(use, command);
}

int tracefs_use_adopt(uint32_t index, uint64_t sample_id, struct tracefs_use **ret_use)
{
    struct tracefs_use *use = new_use();
    int error;

    if (!use)
        return ENOMEM;
    use->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    error = adopt(use, index, sample_id);
    if (error)
        free_use(use);
    else
        *ret_use = use;
    return error;
}

void tracefs_use_disown(struct tracefs_use *use)
{
    core_store_relaxed(&use->tracepoint.enabled, cairn_i_never_enabled);
    core_store_relaxed(&use->tracepoint.local, NULL);
    free_use(use);
}

void tracefs_use_release(struct tracefs_use *use)
{
    engine_unlist(&use->tracepoint);
    core_store_relaxed(&use->tracepoint.enabled, cairn_i_never_enabled);
    engine_unregister(&use->tracepoint);
    free_use(use);
}

bool tracefs_use_is_same(const struct tracefs_use *a, const struct tracefs_use *b)
{
    return a->tracepoint.local && a->tracepoint.local == b->tracepoint.local &&
           a->tracepoint.sample_id == b->tracepoint.sample_id;
}

uint32_t tracefs_use_index(const struct tracefs_use *use)
{
    const struct engine_event_entry *entry = use->tracepoint.local;

    return entry ? (uint32_t)(entry - engine_self.local.entries) : 0;
}
