/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#include "tracefs/content.h"
#include "engine/engine.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"
#include "tracefs/filter_files.h"
#include "tracefs/output.h"
#include "tracefs/text_session.h"

#include <cairn/schema.h>
#include <errno.h>
#include <string.h>

static void sink(void *arg, const char *text, size_t size_bytes)
{
    cairn_output_write(arg, text, size_bytes);
}

/* ---- under the registry's lock ---- */

/* The state of several events, as the kernel prints it: all off, all on, or mixed. */
static void print_enabled(const struct cairn_place *place, struct cairn_output *output)
{
    const struct cairn_engine_registry *local = &cairn_i_engine.local;
    uint32_t seen = 0;

    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        bool is_multi = local->entries[i].flags & CAIRN_ENTRY_MULTI;

        if (local->entries[i].generation && (place->system == CAIRN_SYSTEM_BOTH ||
                                             is_multi == (place->system == CAIRN_SYSTEM_MULTI)))
            seen |= local->status[i] & CAIRN_STATUS_TEXT ? 2 : 1;
    }
    cairn_output_print(output, "%c\n", "?01X"[seen]);
}

static void print_format(const struct cairn_place *place, struct cairn_output *output)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char command[CAIRN_COMMAND_MAX_BYTES];
    char text[CAIRN_FORMAT_MAX_BYTES];
    struct cairn_schema schema;
    size_t length;

    memcpy(command, cairn_i_engine.local.entries[place->index].command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    if (!cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL) &&
        !cairn_schema_write_format(&schema, CAIRN_TYPE_BASE + place->index, text, sizeof(text),
                                   &length))
        cairn_output_write(output, text, length);
}

static uint64_t shared_sessions(void)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        const struct cairn_session_slot *slot = &cairn_i_engine.local.slots[i];

        if (slot->generation && slot->flags & CAIRN_SESSION_SHARED)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

static void print_of_registry(const struct cairn_place *place, struct cairn_output *output)
{
    const struct cairn_engine_registry *local = &cairn_i_engine.local;

    switch (place->kind) {
    case CAIRN_PLACE_STATUS:
        cairn_registry_print_status(local, sink, output);
        break;
    case CAIRN_PLACE_DYNAMIC:
        cairn_registry_print_commands(local, sink, output);
        break;
    case CAIRN_PLACE_EVENTS:
        cairn_registry_print_names(local, UINT64_MAX, sink, output);
        break;
    case CAIRN_PLACE_SET:
        cairn_registry_print_names(local, shared_sessions(), sink, output);
        break;
    case CAIRN_PLACE_ENABLE_ALL:
        print_enabled(place, output);
        break;
    case CAIRN_PLACE_ENABLE:
        cairn_output_print(output, "%d\n",
                           (local->entries[place->index].sessions & shared_sessions()) != 0);
        break;
    case CAIRN_PLACE_FORMAT:
        print_format(place, output);
        break;
    default: /* CAIRN_PLACE_ID */
        cairn_output_print(output, "%u\n", CAIRN_TYPE_BASE + place->index);
        break;
    }
}

static bool is_of_event(uint32_t kind)
{
    return kind == CAIRN_PLACE_ENABLE || kind == CAIRN_PLACE_FORMAT || kind == CAIRN_PLACE_ID;
}

static int print_registry(const struct cairn_place *place, struct cairn_output *output)
{
    struct cairn_engine_registry *local = &cairn_i_engine.local;
    int error = cairn_engine_registry_lock(local);

    if (error)
        return error;
    cairn_registry_sweep(local);
    if (is_of_event(place->kind) && local->entries[place->index].generation != place->generation)
        error = ENODEV;
    else
        print_of_registry(place, output);
    cairn_engine_registry_unlock(local);
    return error;
}

/* ---- */

int cairn_content_renew(const struct cairn_place *place, int fd)
{
    struct cairn_output output = {.fd = fd};
    int error = 0;

    switch (place->kind) {
    case CAIRN_PLACE_TRACE:
        error = cairn_text_session_print(&output);
        break;
    case CAIRN_PLACE_FILTER:
    case CAIRN_PLACE_FILTER_ALL:
    case CAIRN_PLACE_ERRORS:
        error = cairn_filter_files_print(place, &output);
        break;
    case CAIRN_PLACE_ON:
        cairn_output_print(&output, "%d\n", cairn_text_session_is_on());
        break;
    default:
        error = print_registry(place, &output);
        break;
    }
    return error ? error : cairn_output_finish(&output);
}
