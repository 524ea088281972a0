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

static struct cairn_use *free_uses;

static struct cairn_use *new_use(void)
{
    struct cairn_use *use = free_uses;

    if (!use) {
        use = cairn_memory_take(USES_AT_ONCE * sizeof(*use));
        for (uint32_t i = 0; use && i + 1 < USES_AT_ONCE; i++)
            use[i].next = &use[i + 1];
    }
    if (use)
        free_uses = use->next;
    return use;
}

static void free_use(struct cairn_use *use)
{
    use->next = free_uses;
    free_uses = use;
}

/* The command as the kernel prints it, from which the event can be registered again.
 */
static void copy_command(struct cairn_use *use, const char *command,
                         const struct cairn_schema *schema)
{
    char words[CAIRN_WORDS_MAX_BYTES];
    int length;

    cairn_command_write_fields(schema, words);
    length = snprintf(use->command, sizeof(use->command), "%.*s%s%s", (int)strcspn(command, " "),
                      command, *words ? " " : "", words);
    if (length >= (int)sizeof(use->command)) /* it had no spaces after its semicolons */
        (void)snprintf(use->command, sizeof(use->command), "%s", command);
}

/* The event is registered already. */
static void begin(struct cairn_use *use)
{
    use->tracepoint.registered = true;
    use->tracepoint.command = use->command;
    cairn_engine_list(&use->tracepoint);
}

static int take(struct cairn_use *use, const char *command, uint32_t flags)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char space[CAIRN_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    int error = cairn_engine_register(&use->tracepoint, command, flags);

    if (!error)
        error = cairn_command_parse_taken(command, space, fields, &schema);
    if (error)
        return error == ENOSPC ? EMFILE : error;
    copy_command(use, command, &schema);
    use->fixed_bytes = schema.fixed_size_bytes - CAIRN_COMMON_BYTES;
    cairn_dynamic_fields_note(&use->tracepoint, &schema);
    begin(use);
    return 0;
}

int cairn_use_take(const char *command, uint32_t flags, struct cairn_use **ret_use)
{
    struct cairn_use *use = new_use();
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

int cairn_use_take_again(const struct cairn_use *other, struct cairn_use **ret_use)
{
    struct cairn_use *use = new_use();
    int error;

    if (!use)
        return ENOMEM;
    use->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
    error = cairn_engine_register_again(&use->tracepoint, &other->tracepoint);
    if (error) {
        free_use(use);
        return error == ENOSPC ? EMFILE : error;
    }
    memcpy(use->command, other->command, sizeof(use->command));
    begin(use);
    *ret_use = use;
    return 0;
}

void cairn_use_release(struct cairn_use *use)
{
    cairn_engine_unlist(&use->tracepoint);
    cairn_store_relaxed(&use->tracepoint.enabled, cairn_i_never_enabled);
    cairn_engine_unregister(&use->tracepoint);
    free_use(use);
}

bool cairn_use_is_same(const struct cairn_use *a, const struct cairn_use *b)
{
    return a->tracepoint.local && a->tracepoint.local == b->tracepoint.local &&
           a->tracepoint.sample_id == b->tracepoint.sample_id;
}

uint32_t cairn_use_index(const struct cairn_use *use)
{
    const struct cairn_event_entry *entry = use->tracepoint.local;

    return entry ? (uint32_t)(entry - cairn_i_engine.local.entries) : 0;
}
