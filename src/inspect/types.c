/* SPDX-License-Identifier: MIT */
/* Types of EventHeader events that living processes have written: from the tables of descriptors in
 * their pool files. Tables are copied before they are read. */
#include "inspect/types.h"
#include "engine/descriptors.h"
#include "engine/directory.h"
#include "engine/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cairn_slice slice_of(const char *text)
{
    return (struct cairn_slice){text, (uint32_t)strlen(text)};
}

static bool is_wanted(const struct inspect_types *types, const struct cairn_inspected_type *type)
{
    const struct engine_event_name name = {
        .system = CORE_SLICE("user_events"),
        .tracepoint = slice_of(type->tracepoint),
        .provider = slice_of(type->provider),
        .event = slice_of(type->name),
    };

    for (size_t i = 0; i < types->pattern_count; i++) {
        if (engine_rule_names(slice_of(types->patterns[i]), &name))
            return true;
    }
    return !types->pattern_count;
}

/* The texts of a type, each NUL-terminated, in one memory. NULL: no memory. */
static char *make_texts(struct cairn_slice provider, struct cairn_slice tracepoint,
                        const uint8_t *metadata, size_t metadata_bytes, const char *file,
                        uint32_t file_bytes)
{
    char *texts = NULL;
    size_t size;
    FILE *to = open_memstream(&texts, &size);

    if (!to)
        return NULL;
    fprintf(to, "%.*s%c%.*s%c", (int)provider.length, provider.text, 0, (int)tracepoint.length,
            tracepoint.text, 0);
    fprintf(to, "%.*s%c", (int)strcspn((const char *)metadata, ";"), (const char *)metadata, 0);
    inspect_type_print_fields(to, metadata, metadata_bytes);
    fprintf(to, "%c%.*s%c", 0, (int)file_bytes, file, 0);
    if (fclose(to)) {
        free(texts);
        return NULL;
    }
    return texts;
}

static const char *after(const char *text)
{
    return text + strlen(text) + 1;
}

static int append(struct inspect_types *types, const struct cairn_inspected_type *type)
{
    void *more = reallocarray(types->types, (size_t)types->count + 1, sizeof(*types->types));

    if (!more)
        return ENOMEM;
    types->types = more;
    types->types[types->count++] = *type;
    return 0;
}

/* The name of the event that a descriptor is of, from its registry entry; "": it has ended. */
static struct cairn_slice tracepoint_of(const struct engine_registry *local, uint64_t sample_id,
                                        char command[CAIRN_COMMAND_MAX_BYTES])
{
    uint32_t index = engine_sample_index(sample_id);

    *command = 0;
    if (index < engine_registry_end(local) &&
        local->entries[index].generation == engine_sample_generation(sample_id))
        memcpy(command, local->entries[index].command, CAIRN_COMMAND_MAX_BYTES - 1);
    command[CAIRN_COMMAND_MAX_BYTES - 1] = 0;
    return (struct cairn_slice){command, engine_command_name_length(command)};
}

static int add(struct inspect_types *types, const struct engine_registry *local,
               const struct engine_descriptor *d)
{
    const uint8_t *metadata = d->texts + ENGINE_EXTENSION_BYTES;
    size_t bytes = (size_t)d->metadata_bytes - ENGINE_EXTENSION_BYTES;
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_slice tracepoint = tracepoint_of(local, d->sample_id, command);
    struct cairn_inspected_type type = {.level = d->header[7], .line = d->line, .call_sites = 1};
    struct cairn_slice provider;
    char *texts;
    int error = 0;

    if (d->kind != ENGINE_DESCRIPTOR_EVENTHEADER || d->metadata_bytes <= ENGINE_EXTENSION_BYTES ||
        !memchr(metadata, 0, bytes) ||
        !engine_rule_split_tracepoint(tracepoint, &provider, &type.keyword))
        return 0;
    texts = make_texts(provider, tracepoint, metadata, bytes,
                       (const char *)d->texts + d->metadata_bytes, d->file_bytes);
    if (!texts)
        return ENOMEM;
    type.provider = texts;
    type.tracepoint = after(type.provider);
    type.name = after(type.tracepoint);
    type.fields = after(type.name);
    type.file = after(type.fields);
    if (is_wanted(types, &type))
        error = append(types, &type);
    if (error || !is_wanted(types, &type))
        free(texts);
    return error;
}

static int read_table(struct inspect_types *types, const struct engine_registry *local,
                      struct engine_descriptor_table *table, size_t table_bytes)
{
    uint32_t units = (uint32_t)(table_bytes / ENGINE_DESCRIPTOR_UNIT);
    uint32_t unit = ENGINE_TABLE_HEAD_UNITS;
    int error = 0;

    if (table->backed_units > units) /* what was read is what there is */
        table->backed_units = units;
    units = table->used_units < table->backed_units ? table->used_units : table->backed_units;
    while (unit < units && !error) {
        struct engine_descriptor *descriptor;
        uint32_t step = 1;

        error = engine_descriptor_copy(table, unit * ENGINE_ID_VARIANTS, &descriptor);
        if (!error) {
            step = descriptor->size_bytes / ENGINE_DESCRIPTOR_UNIT;
            error = add(types, local, descriptor);
            free(descriptor);
        } else if (error != ENOMEM) {
            error = 0; /* it is not complete */
        }
        unit += step;
    }
    return error;
}

static int read_file(struct inspect_types *types, const struct engine_registry *local, int fd)
{
    struct engine_descriptor_table *table = malloc(ENGINE_TABLE_BYTES);
    struct engine_pool_file file;
    ssize_t size;
    int error = 0;

    if (!table)
        return ENOMEM;
    if (pread(fd, &file, sizeof(file), 0) == (ssize_t)sizeof(file) &&
        file.magic == ENGINE_POOL_FILE_MAGIC && file.version == ENGINE_REGISTRY_VERSION) {
        size = pread(fd, table, ENGINE_TABLE_BYTES, ENGINE_PAGE_BYTES);
        if (size >= (ssize_t)sizeof(*table))
            error = read_table(types, local, table, (size_t)size);
    }
    free(table);
    return error;
}

/* ---- all of them ---- */

static int by_name(const void *a, const void *b)
{
    const struct cairn_inspected_type *x = a;
    const struct cairn_inspected_type *y = b;
    int order = strcmp(x->tracepoint, y->tracepoint);

    order = order ? order : strcmp(x->name, y->name);
    return order ? order : strcmp(x->fields, y->fields);
}

/* Several call sites, and several processes, may write events of one type. */
static void merge(struct inspect_types *types)
{
    uint32_t kept = 0;

    if (types->count)
        qsort(types->types, types->count, sizeof(*types->types), by_name);
    for (uint32_t i = 0; i < types->count; i++) {
        struct cairn_inspected_type *last = kept ? &types->types[kept - 1] : NULL;

        if (last && !by_name(last, &types->types[i])) {
            last->call_sites++;
            free((void *)(uintptr_t)types->types[i].provider);
        } else {
            types->types[kept++] = types->types[i];
        }
    }
    types->count = kept;
}

int inspect_types_read(struct inspect_types *types, const struct engine_registry *local)
{
    DIR *pools = engine_directory_list(&local->directory, "pools");
    const char *name;
    uint32_t count = 0;
    int error = 0;

    while (pools && !error && (name = engine_directory_next(&local->directory, pools, &count))) {
        int fd = openat(dirfd(pools), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

        if (fd < 0)
            continue;
        error = read_file(types, local, fd);
        close(fd);
    }
    if (pools)
        closedir(pools);
    merge(types);
    return error;
}

void inspect_types_free(struct inspect_types *types)
{
    for (uint32_t i = 0; i < types->count; i++)
        free((void *)(uintptr_t)types->types[i].provider);
    free(types->types);
    *types = (struct inspect_types){0};
}
