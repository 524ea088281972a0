/* SPDX-License-Identifier: MIT */
/* Features: facts about the machine, the recording program and the events. */
#include "perf_data/file.h"

#include <errno.h>

#define FEATURES_IN_FLAGS 256u

/* A string: its length, a NUL and padding included, then its bytes. NULL: damaged or no memory. */
static const char *take_string(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t size_bytes = core_cursor_u32(c);
    const char *text = core_cursor_take(c, size_bytes);
    const char *copy;

    if (!text)
        return NULL;
    copy = perf_data_arena_text(&file->arena, text, strnlen(text, size_bytes));
    if (!copy)
        core_cursor_fail(c, ENOMEM);
    return copy;
}

static void take_cmdline(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t count = core_cursor_u32(c);
    const char **args;

    if (count > c->left / 4) { /* each has a length of 4 bytes */
        core_cursor_fail(c, EBADMSG);
        return;
    }
    args = perf_data_arena_alloc(&file->arena, count * sizeof(*args));
    if (!args) {
        core_cursor_fail(c, ENOMEM);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        args[i] = take_string(file, c);
    if (!c->error) {
        file->host.args = args;
        file->host.arg_count = count;
    }
}

static void take_clock_data(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t version = core_cursor_u32(c);
    struct cairn_perf_clock clock = file->clock;

    clock.clockid = (int32_t)core_cursor_u32(c);
    clock.wall_clock_ns = core_cursor_u64(c);
    clock.time_ns = core_cursor_u64(c);
    clock.wall_clock_known = true;
    if (!c->error && version == 1)
        file->clock = clock;
}

/* Finds the attr of an event description: by its first id, or by its index. */
static struct perf_data_attr *described_attr(struct cairn_perf_file *file, uint32_t index,
                                             const uint8_t *ids, uint32_t id_count)
{
    if (id_count)
        return perf_data_attr_of_id(file, core_load64(ids, file->swap));
    return index < file->attr_count ? file->attrs[index] : NULL;
}

/* Names for the attrs. The attrs and their ids were read before. */
static void take_event_desc(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t count = core_cursor_u32(c);
    uint32_t attr_bytes = core_cursor_u32(c);

    for (uint32_t i = 0; i < count && !c->error; i++) {
        struct perf_data_attr *attr;
        const uint8_t *ids;
        const char *name;
        uint32_t id_count;
        uint32_t name_bytes;

        core_cursor_take(c, attr_bytes);
        id_count = core_cursor_u32(c);
        name_bytes = core_cursor_u32(c);
        name = core_cursor_take(c, name_bytes);
        ids = core_cursor_take(c, 8 * (size_t)id_count);
        attr = c->error ? NULL : described_attr(file, i, ids, id_count);
        if (attr && perf_data_attr_set_name(file, attr, name, strnlen(name, name_bytes)))
            core_cursor_fail(c, ENOMEM);
    }
}

/* The features whose value is a text. */
static const char **text_of(struct cairn_perf_host *host, uint64_t number)
{
    switch (number) {
    case CAIRN_PERF_FEATURE_HOSTNAME:
        return &host->hostname;
    case CAIRN_PERF_FEATURE_OSRELEASE:
        return &host->osrelease;
    case CAIRN_PERF_FEATURE_VERSION:
        return &host->version;
    case CAIRN_PERF_FEATURE_ARCH:
        return &host->arch;
    case CAIRN_PERF_FEATURE_CPUDESC:
        return &host->cpudesc;
    case CAIRN_PERF_FEATURE_CPUID:
        return &host->cpuid;
    default:
        return NULL;
    }
}

static void take_text(struct cairn_perf_file *file, struct core_cursor *c, const char **text)
{
    const char *taken = take_string(file, c);

    if (taken)
        *text = taken;
}

int perf_data_feature_apply(struct cairn_perf_file *file, uint64_t number,
                            const struct perf_data_feature *feature)
{
    struct core_cursor c = core_cursor(feature->data, feature->size_bytes, file->swap);
    const char **text = text_of(&file->host, number);

    if (number >= CAIRN_PERF_FEATURE_COUNT)
        return 0;
    file->features[number] = *feature;
    if (text)
        take_text(file, &c, text);
    switch (number) {
    case CAIRN_PERF_FEATURE_TRACING_DATA:
        return perf_data_tracing_data_read(file, feature);
    case CAIRN_PERF_FEATURE_NRCPUS:
        file->host.cpus_available = core_cursor_u32(&c);
        file->host.cpus_online = core_cursor_u32(&c);
        break;
    case CAIRN_PERF_FEATURE_TOTAL_MEM:
        file->host.total_mem_kib = core_cursor_u64(&c);
        break;
    case CAIRN_PERF_FEATURE_CMDLINE:
        take_cmdline(file, &c);
        break;
    case CAIRN_PERF_FEATURE_EVENT_DESC:
        take_event_desc(file, &c);
        break;
    case CAIRN_PERF_FEATURE_CLOCKID:
        file->clock.resolution_ns = core_cursor_u64(&c);
        break;
    case CAIRN_PERF_FEATURE_CLOCK_DATA:
        take_clock_data(file, &c);
        break;
    default: /* the others are for cairn_perf_file_feature */
        break;
    }
    return c.error;
}

/* One feature by its entry in the table. Damage is recorded. Returns 0; ENOMEM. */
static int read_section(struct cairn_perf_file *file, uint64_t number, struct core_cursor *table)
{
    uint64_t file_bytes = file->source.map_bytes;
    uint64_t entry_at = file_bytes - table->left;
    struct perf_data_feature feature = {.offset = core_cursor_u64(table)};
    uint64_t size_bytes = core_cursor_u64(table);
    int err;

    if (table->error || feature.offset > file_bytes || size_bytes > file_bytes - feature.offset) {
        perf_data_file_fail(file, EBADMSG, entry_at, "a feature is not in the file");
        return 0;
    }
    feature.data = file->source.map + feature.offset;
    feature.size_bytes = (size_t)size_bytes;
    err = perf_data_feature_apply(file, number, &feature);
    if (err != EBADMSG)
        return err;
    perf_data_file_fail(file, err, feature.offset, "a feature is invalid");
    return 0;
}

int perf_data_features_read(struct cairn_perf_file *file, const uint64_t flags[4], uint64_t table)
{
    uint64_t file_bytes = file->source.map_bytes;
    struct core_cursor c;

    if (table >= file_bytes) {
        if (flags[0] | flags[1] | flags[2] | flags[3])
            perf_data_file_fail(file, EBADMSG, file_bytes, "the file is cut short");
        return 0;
    }
    c = core_cursor(file->source.map + table, (size_t)(file_bytes - table), file->swap);
    for (uint32_t i = 0; i < FEATURES_IN_FLAGS && !c.error; i++) {
        int err = 0;

        if (flags[i / 64] >> (i % 64) & 1)
            err = read_section(file, i, &c);
        if (err)
            return err;
    }
    for (uint32_t i = 0; i < file->attr_count; i++) { /* names came after the formats */
        int err = perf_data_format_link(file, file->attrs[i]);

        if (err)
            return err;
    }
    return 0;
}
