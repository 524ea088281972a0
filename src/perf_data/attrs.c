/* SPDX-License-Identifier: MIT */
/* Attrs: the events of a file, the positions of their records' fields, and their ids. / */
#include "perf_data/file.h"

#include <cairn/tracepoint.h>

#include <errno.h>

#define NO_TEXT ((struct cairn_slice){"", 0})

static void load_attr(struct perf_data_attr *attr, const uint8_t *from, size_t size_bytes,
                      bool swap)
{
    struct cairn_perf_attr *p = &attr->public;

    p->type = core_load32(from, swap);
    p->config = core_load64(from + 8, swap);
    p->sample_type = core_load64(from + 24, swap);
    p->read_format = core_load64(from + 32, swap);
    p->flags = perf_data_attr_load_flags(from + 40, swap);
    if (size_bytes >= 96)
        p->clockid = (int32_t)core_load32(from + 92, swap);
    p->name = "";
    p->system = NO_TEXT;
    p->format = NO_TEXT;
    attr->layout = perf_data_sample_layout_of(p->sample_type, p->flags);
}

/* Ids identify attrs only if all attrs have them at the same position. The time is read before its
 * attr is known, where that is possible. */
static void share_layout(struct cairn_perf_file *file, const struct perf_data_sample_layout *l)
{
    if (!file->attr_count)
        file->shared = *l;
    if (file->shared.id_at != l->id_at)
        file->shared.id_at = 0;
    if (file->shared.tail_id != l->tail_id)
        file->shared.tail_id = 0;
    if (file->shared.time_at != l->time_at)
        file->shared.time_at = 0;
}

static int load_ids(struct cairn_perf_file *file, struct perf_data_attr *attr, const uint8_t *from,
                    size_t count)
{
    uint64_t *ids = perf_data_arena_alloc(&file->arena, count * sizeof(*ids));

    if (!ids)
        return ENOMEM;
    for (size_t i = 0; i < count; i++) {
        ids[i] = core_load64(from + 8 * i, file->swap);
        if (perf_data_map_get(&file->attr_of_id, ids[i]) == PERF_DATA_MAP_NONE) {
            int err = perf_data_map_set(&file->attr_of_id, ids[i], attr->public.index);

            if (err)
                return err;
        }
    }
    attr->public.ids = ids;
    attr->public.id_count = (uint32_t)count;
    return 0;
}

int perf_data_attr_add(struct cairn_perf_file *file, const uint8_t *attr, size_t size_bytes,
                       const uint8_t *ids, size_t id_count)
{
    struct perf_data_attr *added;
    int err;

    if (size_bytes < PERF_DATA_ATTR_MIN_BYTES)
        return EBADMSG;
    if (file->attr_count == PERF_DATA_MAP_NONE || id_count > UINT32_MAX)
        return ENOMEM;
    added = perf_data_arena_alloc(&file->arena, sizeof(*added));
    err = added ? perf_data_array_grow((void ***)&file->attrs, file->attr_count) : ENOMEM;
    if (err)
        return err;
    *added = (struct perf_data_attr){.public.index = file->attr_count};
    load_attr(added, attr, size_bytes, file->swap);
    err = load_ids(file, added, ids, id_count);
    if (err)
        return err;
    share_layout(file, &added->layout);
    file->attrs[file->attr_count++] = added;
    if (file->clock.clockid < 0 && added->public.flags & PERF_DATA_ATTR_USE_CLOCKID)
        file->clock.clockid = added->public.clockid;
    return perf_data_format_link(file, added);
}

int perf_data_attr_set_name(struct cairn_perf_file *file, struct perf_data_attr *attr,
                            const char *name, size_t length)
{
    const char *copy = perf_data_arena_text(&file->arena, name, length);
    const char *colon;

    if (!copy)
        return ENOMEM;
    attr->public.name = copy;
    colon = strchr(copy, ':');
    if (attr->public.type == CAIRN_PERF_TYPE_TRACEPOINT && colon)
        attr->public.system = (struct cairn_slice){copy, (uint32_t)(colon - copy)};
    return 0;
}

struct perf_data_attr *perf_data_attr_of_id(struct cairn_perf_file *file, uint64_t id)
{
    struct perf_data_recent_id *recent = &file->recent_ids[id % PERF_DATA_RECENT_IDS];
    uint32_t index;

    if (cairn_likely(recent->attr && recent->id == id))
        return recent->attr;
    index = perf_data_map_get(&file->attr_of_id, id);
    if (index == PERF_DATA_MAP_NONE)
        return NULL;
    *recent = (struct perf_data_recent_id){id, file->attrs[index]};
    return recent->attr;
}

struct perf_data_attr *perf_data_attr_of_record(struct cairn_perf_file *file, uint32_t type,
                                                const uint8_t *data, size_t size_bytes)
{
    struct perf_data_attr *first = file->attr_count ? file->attrs[0] : NULL;
    size_t at;
    uint64_t id;

    if (file->attr_count < 2)
        return first;
    if (type == CAIRN_PERF_RECORD_SAMPLE) {
        at = file->shared.id_at;
        if (!at || at + 8 > size_bytes)
            return NULL;
    } else if (!(first->public.flags & PERF_DATA_ATTR_SAMPLE_ID_ALL)) {
        return first;
    } else {
        if (!file->shared.tail_id ||
            size_bytes < (size_t)file->shared.tail_id + PERF_DATA_RECORD_HEADER_BYTES)
            return NULL;
        at = size_bytes - file->shared.tail_id;
    }
    id = core_load64(data + at, file->swap);
    return id ? perf_data_attr_of_id(file, id)
              : first; /* records that perf synthesizes have id 0 */
}
