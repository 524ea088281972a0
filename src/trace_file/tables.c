/* SPDX-License-Identifier: MIT */
/* Reads the tables of blocks: host, strings of kernels, processes, names, ids and losses. */
#include "trace_file/tables.h"

#include "trace_file/entry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_of(uint32_t process, uint32_t number)
{
    return (uint64_t)process << 32 | number;
}

/* ---- host ---- */

static const char *copy(struct trace_file_tables *tables, const char *text, size_t length)
{
    return perf_data_arena_text(&tables->arena, text, length);
}

static int add_arg(struct trace_file_tables *tables, const char *text)
{
    int err = perf_data_array_grow((void ***)&tables->args, tables->host.arg_count);

    if (err)
        return err;
    tables->args[tables->host.arg_count++] = text;
    tables->host.args = tables->args;
    return 0;
}

static int apply_fact(struct trace_file_tables *tables, const char *key, const char *text)
{
    struct cairn_perf_host *host = &tables->host;
    const struct {
        const char *key;
        const char **text;
        uint32_t *number;
    } facts[] = {
        {"hostname", &host->hostname, NULL},
        {"osrelease", &host->osrelease, NULL},
        {"version", &host->version, NULL},
        {"arch", &host->arch, NULL},
        {"cpudesc", &host->cpudesc, NULL},
        {"cpuid", &host->cpuid, NULL},
        {"cpus_available", NULL, &host->cpus_available},
        {"cpus_online", NULL, &host->cpus_online},
    };

    if (!strcmp(key, "arg"))
        return add_arg(tables, text);
    if (!strcmp(key, "total_mem_kib"))
        host->total_mem_kib = strtoull(text, NULL, 10);
    for (size_t n = 0; n < sizeof(facts) / sizeof(*facts); n++) {
        if (strcmp(key, facts[n].key) != 0)
            continue;
        if (facts[n].text)
            *facts[n].text = text;
        if (facts[n].number)
            *facts[n].number = (uint32_t)strtoul(text, NULL, 10);
    }
    return 0;
}

int trace_file_tables_host(struct trace_file_tables *tables, struct core_cursor c)
{
    while (c.left) {
        size_t key_length;
        size_t length;
        const char *key = core_cursor_string(&c, &key_length);
        const char *text = core_cursor_string(&c, &length);
        int err;

        if (c.error)
            return c.error;
        text = copy(tables, text, length);
        err = text ? apply_fact(tables, key, text) : ENOMEM;
        if (err)
            return err;
    }
    return 0;
}

/* ---- strings of kernels ---- */

/* More are damage: they would take memory. */
#define KERNEL_STRING_ENTRIES_MAX 64u

static bool has_text(struct cairn_slice all, const char *text, uint32_t length)
{
    return all.length && memmem(all.text, all.length, text, length) != NULL;
}

/* Recorders that follow one another, and merged recordings of a machine, have the same strings. */
static int add_kernel_strings(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    struct cairn_slice *all = &tables->kernel_strings;
    uint32_t domain = core_cursor_u32(&entry);
    uint32_t length = core_cursor_u32(&entry);
    const char *text = (const char *)core_cursor_take(&entry, length);
    char *longer;
    char *end;

    (void)domain;
    if (entry.error)
        return entry.error;
    if (tables->kernel_string_entries++ >= KERNEL_STRING_ENTRIES_MAX || !length ||
        length > TRACE_FILE_KERNEL_STRINGS_MAX_BYTES - all->length || has_text(*all, text, length))
        return 0;
    longer = (char *)perf_data_arena_alloc(&tables->arena, (size_t)all->length + length + 1);
    if (!longer)
        return ENOMEM;
    end = all->length ? (char *)mempcpy(longer, all->text, all->length) : longer;
    end = (char *)mempcpy(end, text, length);
    if (end[-1] != '\n' && end - longer < TRACE_FILE_KERNEL_STRINGS_MAX_BYTES)
        *end++ = '\n';
    *all = (struct cairn_slice){longer, (uint32_t)(end - longer)};
    return 0;
}

int trace_file_tables_kernel_strings(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add_kernel_strings, tables);
}

/* ---- processes ---- */

/* The rest of an entry: a text with NULs at its end, or nothing. */
static const char *container_of(struct trace_file_tables *tables, struct core_cursor *entry)
{
    size_t bytes = strnlen((const char *)entry->at, entry->left);
    char *text = bytes ? (char *)perf_data_arena_alloc(&tables->arena, bytes + 1) : NULL;

    if (!text)
        return NULL;
    memcpy(text, entry->at, bytes);
    text[bytes] = '\0';
    return text;
}

static int add_process(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    struct trace_file_process *process;
    int err = perf_data_array_grow((void ***)&tables->processes, tables->process_count);

    if (err)
        return err;
    process = (struct trace_file_process *)perf_data_arena_alloc(&tables->arena, sizeof(*process));
    if (!process)
        return ENOMEM;
    process->number = core_cursor_u32(&entry);
    process->pid = core_cursor_u32(&entry);
    process->domain = core_cursor_u32(&entry);
    if (entry.error)
        return entry.error;
    process->container = container_of(tables, &entry);
    tables->processes[tables->process_count] = process;
    return perf_data_map_set(&tables->process_of, process->number, tables->process_count++);
}

int trace_file_tables_processes(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add_process, tables);
}

const struct trace_file_process *trace_file_tables_process(const struct trace_file_tables *tables,
                                                           uint32_t number)
{
    uint32_t index = perf_data_map_get(&tables->process_of, number);

    return index == PERF_DATA_MAP_NONE ? NULL : tables->processes[index];
}

/* ---- names of threads ---- */

/* A name of the table: first, so that it can be converted to this. */
struct numbered_name {
    struct trace_file_name name;
    uint32_t number; /* in the order of the file */
};

static int by_time(const void *a, const void *b)
{
    const struct numbered_name *x = *(const struct numbered_name *const *)a;
    const struct numbered_name *y = *(const struct numbered_name *const *)b;

    if (x->name.time_ns != y->name.time_ns)
        return x->name.time_ns < y->name.time_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Names are nearly in the order of time, but a file may have them in any. */
static void sort_names(struct trace_file_tables *tables)
{
    qsort((void *)(tables->names + tables->name_next), tables->name_count - tables->name_next,
          sizeof(struct trace_file_name *), by_time);
    tables->names_are_unsorted = false;
}

static int add_name(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    struct numbered_name *numbered;
    struct trace_file_name *name;
    int err = perf_data_array_grow((void ***)&tables->names, tables->name_count);
    const char *text;

    if (err)
        return err;
    numbered = (struct numbered_name *)perf_data_arena_alloc(&tables->arena, sizeof(*numbered));
    if (!numbered)
        return ENOMEM;
    numbered->number = tables->name_count;
    name = &numbered->name;
    name->process = core_cursor_u32(&entry);
    name->tid = core_cursor_u32(&entry);
    name->time_ns = core_cursor_u64(&entry);
    if (entry.error)
        return entry.error;
    text = (const char *)entry.at;
    name->text = copy(tables, text, strnlen(text, entry.left));
    if (!name->text)
        return ENOMEM;
    if (tables->name_count > tables->name_next &&
        tables->names[tables->name_count - 1]->time_ns > name->time_ns)
        tables->names_are_unsorted = true;
    tables->names[tables->name_count++] = name;
    return 0;
}

int trace_file_tables_names(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add_name, tables);
}

const char *trace_file_tables_find_name(struct trace_file_tables *tables, uint32_t process,
                                        uint32_t tid, uint64_t time_ns)
{
    struct trace_file_recent_name *recent = &tables->recent_name;
    uint32_t index;

    if (tables->names_are_unsorted)
        sort_names(tables);
    for (; tables->name_next < tables->name_count; tables->name_next++) {
        const struct trace_file_name *name = tables->names[tables->name_next];

        if (name->time_ns > time_ns ||
            perf_data_map_set(&tables->name_of, key_of(name->process, name->tid),
                              tables->name_next))
            break;
    }
    index = perf_data_map_get(&tables->name_of, key_of(process, tid));
    *recent = (struct trace_file_recent_name){
        .until_ns = tables->name_next < tables->name_count
                        ? tables->names[tables->name_next]->time_ns
                        : UINT64_MAX,
        .name_count = tables->name_count,
        .process = process,
        .tid = tid,
        .text = index == PERF_DATA_MAP_NONE ? NULL : tables->names[index]->text,
    };
    return recent->text;
}

/* ---- ids of processes ---- */

static int add_id(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    uint32_t process = core_cursor_u32(&entry);
    uint32_t own_number = core_cursor_u32(&entry);
    uint32_t number = core_cursor_u32(&entry);

    if (entry.error || number == PERF_DATA_MAP_NONE)
        return EBADMSG;
    return perf_data_map_set(&tables->id_of, key_of(process, own_number), number);
}

int trace_file_tables_ids(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add_id, tables);
}

uint32_t trace_file_tables_number(const struct trace_file_tables *tables, uint32_t process,
                                  uint32_t own_number)
{
    uint32_t number = perf_data_map_get(&tables->id_of, key_of(process, own_number));

    return number == PERF_DATA_MAP_NONE ? 0 : number;
}

/* ---- losses ---- */

static uint32_t number_of(uint64_t count)
{
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Each entry is the total since the beginning of the recording: the last one is valid. */
static int apply_loss(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    struct cairn_perf_missing *missing = &tables->missing;
    uint32_t kind = core_cursor_u32(&entry);
    uint32_t cause = core_cursor_u32(&entry);
    uint64_t count = core_cursor_u64(&entry);

    if (entry.error || count > TRACE_FILE_LOST_MAX)
        return EBADMSG;
    if (cause >= CAIRN_LOSS_CAUSES)
        cause = CAIRN_LOSS_OTHER;
    switch (kind) {
    case TRACE_FILE_LOST_EVENTS:
        missing->lost[cause] = count;
        break;
    case TRACE_FILE_LOST_PROCESSES:
        missing->processes[cause] = count;
        break;
    case TRACE_FILE_LOST_RECORDS:
        missing->damaged = count;
        break;
    case TRACE_FILE_LOST_DIRECTORY:
        missing->directory_gone = count != 0;
        break;
    case TRACE_FILE_LOST_KERNEL:
        missing->kernel_gap = count != 0;
        break;
    case TRACE_FILE_LOST_SILENCES:
        missing->silences = number_of(count);
        break;
    case TRACE_FILE_LOST_CPUS:
        missing->changed_cpus = number_of(count);
        break;
    case TRACE_FILE_LOST_LEFT_OUT:
        missing->directories_left_out = number_of(count);
        break;
    default: /* a later version's */
        break;
    }
    return 0;
}

int trace_file_tables_losses(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, apply_loss, tables);
}

int trace_file_tables_apply(struct trace_file_tables *tables, uint32_t type, struct core_cursor c)
{
    switch (type) {
    case TRACE_FILE_HOST:
        return trace_file_tables_host(tables, c);
    case TRACE_FILE_CLOCKS:
        return trace_file_clocks_add(&tables->clocks, c);
    case TRACE_FILE_PROCESSES:
        return trace_file_tables_processes(tables, c);
    case TRACE_FILE_NAMES:
        return trace_file_tables_names(tables, c);
    case TRACE_FILE_DESCRIPTORS:
        return trace_file_tables_descriptors(tables, c);
    case TRACE_FILE_IDS:
        return trace_file_tables_ids(tables, c);
    case TRACE_FILE_PERF_ATTRS:
        return trace_file_tables_perf_attrs(tables, c);
    case TRACE_FILE_LOSSES:
        return trace_file_tables_losses(tables, c);
    case TRACE_FILE_KERNEL_STRINGS:
        return trace_file_tables_kernel_strings(tables, c);
    default: /* the index, the end, or a later version's */
        return 0;
    }
}

void trace_file_tables_free(struct trace_file_tables *tables)
{
    trace_file_clocks_free(&tables->clocks);
    perf_data_map_free(&tables->descriptor_of);
    perf_data_map_free(&tables->process_of);
    perf_data_map_free(&tables->perf_attr_of_id);
    perf_data_map_free(&tables->id_of);
    perf_data_map_free(&tables->name_of);
    perf_data_arena_free(&tables->arena);
    free(tables->descriptors);
    free(tables->processes);
    free(tables->perf_attrs);
    free(tables->names);
    free(tables->args);
    *tables = (struct trace_file_tables){0};
}
