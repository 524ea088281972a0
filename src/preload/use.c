/* SPDX-License-Identifier: MIT */
#include "preload/use.h"
#include "local/dynamic_fields.h"
#include "local/engine.h"
#include "preload/memory.h"

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

int cairn_use_take(const char *command, uint32_t flags, struct cairn_use **ret_use)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_use *use = new_use();
    struct cairn_schema schema;
    int error = use ? 0 : ENOMEM;

    if (!error) {
        (void)snprintf(use->command, sizeof(use->command), "%s", command);
        use->tracepoint = (struct cairn_tracepoint)CAIRN_TRACEPOINT_INIT;
        error = cairn_schema_parse_command(use->command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
        if (!error)
            error = cairn_engine_register(&use->tracepoint, use->command, flags);
        if (error)
            free_use(use);
    }
    if (error)
        return error == ENOSPC ? EMFILE : error;
    use->fixed_bytes = schema.fixed_size_bytes - CAIRN_COMMON_BYTES;
    cairn_dynamic_fields_note(&use->tracepoint, &schema);
    use->tracepoint.registered = true;
    use->tracepoint.command = use->command;
    cairn_engine_list(&use->tracepoint);
    *ret_use = use;
    return 0;
}

void cairn_use_release(struct cairn_use *use)
{
    cairn_engine_unlist(&use->tracepoint);
    __atomic_store_n(&use->tracepoint.enabled, cairn_i_never_enabled, __ATOMIC_RELAXED);
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
