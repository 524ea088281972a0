/* SPDX-License-Identifier: MIT */
/* Converts samples of tracepoints to records of a trace file. */
#include "trace_file/samples.h"

#include "perf_data/hash.h"
#include "core/load.h"
#include "trace_file/eventheader.h"
#include "trace_file/expand.h"

#include <cairn/schema.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_BYTES 8u
#define FIELDS_MAX   32u /* an EventHeader tracepoint has fewer */

struct trace_file_call_site {
    struct cairn_bytes prefix; /* EventHeader and extensions, with zeros for the activity's ids */
    uint32_t tracepoint;
    uint32_t number;
    uint32_t flags;
};

struct trace_file_found_process {
    uint32_t domain;
    uint32_t pid;
    uint32_t number;
    char container[]; /* "": it is in none */
};

int trace_file_samples_begin(struct trace_file_samples *samples, int fd, int level)
{
    int err;

    *samples = (struct trace_file_samples){0};
    err = trace_file_writer_begin(&samples->writer, fd, level);
    trace_file_pieces_begin(&samples->pieces, &samples->writer, &samples->tables);
    return err;
}

void trace_file_samples_free(struct trace_file_samples *samples)
{
    for (uint32_t n = 0; n < samples->site_count; n++) {
        perf_data_bytes_free(&samples->sites[n]->prefix);
        free(samples->sites[n]);
    }
    for (uint32_t n = 0; n < samples->descriptor_count; n++) {
        perf_data_bytes_free(samples->descriptors[n]);
        free(samples->descriptors[n]);
    }
    for (uint32_t n = 0; n < samples->found_count; n++)
        free(samples->processes[n]);
    trace_file_pieces_free(&samples->pieces);
    trace_file_tables_writer_free(&samples->tables);
    trace_file_writer_free(&samples->writer);
    perf_data_map_free(&samples->site_of);
    perf_data_map_free(&samples->descriptor_of);
    perf_data_map_free(&samples->process_of);
    perf_data_map_free(&samples->name_of);
    perf_data_bytes_free(&samples->prefix);
    free(samples->sites);
    free(samples->descriptors);
    free(samples->processes);
    free(samples->names);
    *samples = (struct trace_file_samples){0};
}

/* ---- descriptors ---- */

static int add_descriptor(struct trace_file_samples *samples, uint64_t hash,
                          const struct cairn_bytes *bytes)
{
    struct cairn_bytes *copy = (struct cairn_bytes *)calloc(1, sizeof(*copy));
    uint32_t count = samples->descriptor_count;
    int err = copy ? perf_data_array_grow((void ***)&samples->descriptors, count) : ENOMEM;

    if (!err)
        err = perf_data_map_set(&samples->descriptor_of, hash, count + 1);
    if (!err) {
        perf_data_bytes_put(copy, bytes->data, bytes->size);
        err = copy->error;
    }
    if (err) {
        free(copy);
        return err;
    }
    samples->descriptors[count] = copy;
    samples->descriptor_count++;
    return 0;
}

/* Equal descriptors have equal bytes, apart from the number. */
int trace_file_samples_descriptor(struct trace_file_samples *samples,
                                  const struct trace_file_descriptor *descriptor,
                                  uint32_t *ret_number)
{
    struct trace_file_descriptor own = *descriptor;
    struct trace_file_tables_writer bytes = {0};
    const struct cairn_bytes *known;
    uint64_t hash;
    uint32_t number;
    int err;

    own.number = 0;
    trace_file_put_descriptor(&bytes, &own);
    err = bytes.descriptors.error;
    hash = err ? 0 : perf_data_hash(bytes.descriptors.data, bytes.descriptors.size, 0);
    number = perf_data_map_get(&samples->descriptor_of, hash);
    known = number == PERF_DATA_MAP_NONE ? NULL : samples->descriptors[number - 1];
    if (!err && (!known || known->size != bytes.descriptors.size ||
                 memcmp(known->data, bytes.descriptors.data, known->size) != 0)) {
        err = add_descriptor(samples, hash, &bytes.descriptors);
        own.number = number = samples->descriptor_count;
        if (!err)
            trace_file_put_descriptor(&samples->tables, &own);
    }
    trace_file_tables_writer_free(&bytes);
    if (!err)
        *ret_number = number;
    return err;
}

static bool is_eventheader(const struct trace_file_descriptor *tracepoint)
{
    struct cairn_field fields[FIELDS_MAX];
    struct cairn_schema schema;

    return tracepoint->format.length &&
           !cairn_schema_parse_format(tracepoint->format.text, tracepoint->format.length,
                                      tracepoint->long_size_bytes, fields, FIELDS_MAX, &schema) &&
           trace_file_eventheader_is_in(&schema) &&
           fields[schema.common_count].offset == COMMON_BYTES;
}

void trace_file_sample_type_set(struct trace_file_sample_type *type,
                                const struct trace_file_descriptor *tracepoint)
{
    *type = (struct trace_file_sample_type){.tracepoint = *tracepoint};
    type->is_eventheader = is_eventheader(tracepoint);
}

/* flags: TRACE_FILE_HAS_COMMON or 0 */
static int find_tracepoint(struct trace_file_samples *samples,
                           const struct trace_file_sample_type *type, uint32_t flags,
                           uint32_t *number)
{
    struct trace_file_descriptor tracepoint = type->tracepoint;

    if (*number)
        return 0;
    tracepoint.flags |= (uint8_t)flags;
    return trace_file_samples_descriptor(samples, &tracepoint, number);
}

int trace_file_samples_tracepoint(struct trace_file_samples *samples,
                                  struct trace_file_sample_type *type, uint32_t *ret_number)
{
    int err = find_tracepoint(samples, type, 0, &type->number);

    *ret_number = type->number;
    return err;
}

/* ---- EventHeader events ---- */

static uint32_t flags_of(const struct trace_file_eventheader *parts)
{
    return (parts->activity_id ? TRACE_FILE_HAS_ACTIVITY : 0) |
           (parts->related_id ? TRACE_FILE_HAS_RELATED : 0);
}

/* The bytes of an event that precede its fields, as trace_file_expand will produce them. */
static bool make_prefix(struct trace_file_samples *samples,
                        const struct trace_file_eventheader *parts)
{
    static const uint8_t no_ids[2 * CAIRN_ACTIVITY_ID_BYTES];
    struct cairn_bytes *prefix = &samples->prefix;
    uint32_t activity_bytes = trace_file_activity_bytes(flags_of(parts));
    struct cairn_slice metadata = {(const char *)parts->metadata, parts->metadata_bytes};
    size_t size = (size_t)(parts->data - parts->bytes);

    if (!parts->metadata)
        return false;
    prefix->size = 0;
    trace_file_put_eventheader(prefix, parts->bytes, metadata, parts->activity_id, activity_bytes);
    if (prefix->error || prefix->size != size || memcmp(prefix->data, parts->bytes, size) != 0)
        return false;
    if (activity_bytes)
        memcpy(prefix->data + (parts->activity_id - parts->bytes), no_ids, activity_bytes);
    return true;
}

static bool is_same(const struct trace_file_call_site *site, uint32_t tracepoint,
                    const struct cairn_bytes *prefix)
{
    return site->tracepoint == tracepoint && site->prefix.size == prefix->size &&
           !memcmp(site->prefix.data, prefix->data, prefix->size);
}

static int add_site(struct trace_file_samples *samples, uint64_t hash,
                    const struct trace_file_sample_type *type,
                    const struct trace_file_eventheader *parts,
                    struct trace_file_call_site **ret_site)
{
    struct trace_file_descriptor of_tracepoint = {.number = type->number};
    struct trace_file_descriptor descriptor = {
        .kind = TRACE_FILE_EVENTHEADER,
        .flags = (uint8_t)(flags_of(parts) | type->tracepoint.flags),
        .tracepoint = &of_tracepoint,
        .metadata = {(const char *)parts->metadata, parts->metadata_bytes},
        .file = {"", 0},
        .function = {"", 0},
    };
    struct trace_file_call_site *site = (struct trace_file_call_site *)calloc(1, sizeof(*site));
    int err = site ? perf_data_array_grow((void ***)&samples->sites, samples->site_count) : ENOMEM;

    if (!err)
        err = perf_data_map_set(&samples->site_of, hash, samples->site_count);
    if (err) {
        free(site);
        return err;
    }
    samples->sites[samples->site_count++] = site;
    memcpy(descriptor.header, parts->bytes, sizeof(descriptor.header));
    site->tracepoint = type->number;
    site->flags = descriptor.flags;
    perf_data_bytes_put(&site->prefix, samples->prefix.data, samples->prefix.size);
    *ret_site = site;
    err = trace_file_samples_descriptor(samples, &descriptor, &site->number);
    return err ? err : site->prefix.error;
}

/* Finds or makes the descriptor of the call site. *ret_site is NULL if another has its hash. */
static int find_site(struct trace_file_samples *samples, struct trace_file_sample_type *type,
                     const struct trace_file_eventheader *parts,
                     struct trace_file_call_site **ret_site)
{
    uint64_t hash;
    uint32_t index;
    int err = find_tracepoint(samples, type, 0, &type->number);

    if (err)
        return err;
    hash = perf_data_hash(samples->prefix.data, samples->prefix.size, type->number);
    index = perf_data_map_get(&samples->site_of, hash);
    if (index == PERF_DATA_MAP_NONE)
        return add_site(samples, hash, type, parts, ret_site);
    *ret_site = is_same(samples->sites[index], type->number, &samples->prefix)
                    ? samples->sites[index]
                    : NULL;
    return 0;
}

/* ---- processes and names ---- */

uint32_t trace_file_samples_new_process(struct trace_file_samples *samples, uint32_t domain,
                                        uint32_t pid, const char *container)
{
    const struct trace_file_process process = {
        .number = ++samples->process_count, .pid = pid, .domain = domain, .container = container};

    trace_file_put_process(&samples->tables, &process);
    return process.number;
}

static bool is_process(const struct trace_file_found_process *found, uint32_t domain, uint32_t pid,
                       const char *container)
{
    return found->domain == domain && found->pid == pid && !strcmp(found->container, container);
}

static int add_process(struct trace_file_samples *samples, uint64_t key, uint32_t domain,
                       uint32_t pid, const char *container)
{
    size_t name_bytes = strlen(container) + 1;
    struct trace_file_found_process *found =
        (struct trace_file_found_process *)malloc(sizeof(*found) + name_bytes);
    int err =
        found ? perf_data_array_grow((void ***)&samples->processes, samples->found_count) : ENOMEM;

    err = err ? err : perf_data_map_set(&samples->process_of, key, samples->found_count);
    if (err) {
        free(found);
        return err;
    }
    *found = (struct trace_file_found_process){.domain = domain, .pid = pid};
    memcpy(found->container, container, name_bytes);
    found->number =
        trace_file_samples_new_process(samples, domain, pid, *container ? container : NULL);
    samples->processes[samples->found_count++] = found;
    return 0;
}

/* Finds a process, or adds it. Another one may have the hash: its key is then the next free one. */
static int find_process(struct trace_file_samples *samples, uint32_t domain, uint32_t pid,
                        const char *container, uint32_t *ret_index)
{
    uint64_t key =
        ((uint64_t)domain << 32 | pid) ^
        (*container ? perf_data_hash((const uint8_t *)container, strlen(container), 0) : 0);
    uint32_t index;

    while ((index = perf_data_map_get(&samples->process_of, key)) != PERF_DATA_MAP_NONE &&
           !is_process(samples->processes[index], domain, pid, container))
        key++;
    *ret_index = index == PERF_DATA_MAP_NONE ? samples->found_count : index;
    return index == PERF_DATA_MAP_NONE ? add_process(samples, key, domain, pid, container) : 0;
}

int trace_file_samples_process(struct trace_file_samples *samples, uint32_t domain, uint32_t pid,
                               const char *container, uint32_t *ret_number)
{
    const char *name = container ? container : "";
    uint32_t index;
    int err;

    if (!samples->recent_process || !is_process(samples->recent_process, domain, pid, name)) {
        err = find_process(samples, domain, pid, name, &index);
        if (err)
            return err;
        samples->recent_process = samples->processes[index];
    }
    *ret_number = samples->recent_process->number;
    return 0;
}

static int make_name_space(struct trace_file_samples *samples)
{
    uint32_t count = samples->name_count;
    void *bigger;

    if (count & (count - 1))
        return 0;
    bigger = realloc(samples->names, (count ? 2 * (size_t)count : 1) * sizeof(*samples->names));
    if (!bigger)
        return ENOMEM;
    samples->names = (char(*)[16])bigger;
    return 0;
}

int trace_file_samples_name(struct trace_file_samples *samples, const struct trace_file_name *name)
{
    uint64_t key = (uint64_t)name->process << 32 | name->tid;
    uint32_t index = perf_data_map_get(&samples->name_of, key);
    int err = 0;

    if (index != PERF_DATA_MAP_NONE &&
        !strncmp(samples->names[index], name->text, sizeof(*samples->names)))
        return 0;
    if (index == PERF_DATA_MAP_NONE) {
        index = samples->name_count;
        err = make_name_space(samples);
        err = err ? err : perf_data_map_set(&samples->name_of, key, index);
        if (err)
            return err;
        samples->name_count++;
    }
    strncpy(samples->names[index], name->text, sizeof(*samples->names));
    trace_file_put_name(&samples->tables, name);
    return 0;
}

/* ---- events ---- */

/* True if trace_file_expand produces these common fields: the id, zeros, the thread. */
static bool is_common_plain(const struct trace_file_sample_type *type,
                            const struct trace_file_sample *sample)
{
    bool swap = (type->tracepoint.flags & TRACE_FILE_OTHER_ORDER) != 0;

    return sample->raw_bytes >= COMMON_BYTES &&
           core_load16(sample->raw, swap) == (uint16_t)type->tracepoint.id &&
           !core_load16(sample->raw + 2, swap) && core_load32(sample->raw + 4, swap) == sample->tid;
}

static void set_part(struct iovec *part, const uint8_t *at, size_t bytes)
{
    *part = (struct iovec){(void *)(uintptr_t)at, bytes};
}

static int split_verbatim(struct trace_file_samples *samples, struct trace_file_sample_type *type,
                          const struct trace_file_sample *sample, bool is_plain,
                          struct trace_file_split *parts)
{
    uint32_t skipped = is_plain ? COMMON_BYTES : 0;
    uint32_t *number = is_plain ? &type->number : &type->common_number;
    int err = find_tracepoint(samples, type, is_plain ? 0 : TRACE_FILE_HAS_COMMON, number);

    parts->descriptor = *number;
    set_part(&parts->parts[0], sample->raw + skipped, sample->raw_bytes - skipped);
    set_part(&parts->parts[1], sample->raw, 0);
    return err;
}

/* Usually the call site is that of the last event; then the prefix need not be parsed.
 */
static bool is_recent(const struct trace_file_sample_type *type,
                      const struct trace_file_sample *sample)
{
    const struct trace_file_call_site *site = type->recent;

    return site && !(site->flags & TRACE_FILE_HAS_ACTIVITY) &&
           sample->raw_bytes - COMMON_BYTES >= site->prefix.size &&
           !memcmp(site->prefix.data, sample->raw + COMMON_BYTES, site->prefix.size);
}

static void split_recent(const struct trace_file_sample_type *type,
                         const struct trace_file_sample *sample, struct trace_file_split *parts)
{
    size_t skipped = COMMON_BYTES + type->recent->prefix.size;

    parts->descriptor = type->recent->number;
    set_part(&parts->parts[0], sample->raw + skipped, sample->raw_bytes - skipped);
    set_part(&parts->parts[1], sample->raw, 0);
}

int trace_file_samples_split(struct trace_file_samples *samples,
                             struct trace_file_sample_type *type,
                             const struct trace_file_sample *sample,
                             struct trace_file_split *ret_parts)
{
    bool is_plain = is_common_plain(type, sample);
    struct trace_file_eventheader parts;
    struct trace_file_call_site *site = NULL;
    int err = 0;

    if (is_plain && is_recent(type, sample)) {
        split_recent(type, sample, ret_parts);
        return 0;
    }
    if (type->is_eventheader && is_plain &&
        !trace_file_eventheader_parse(sample->raw + COMMON_BYTES, sample->raw_bytes - COMMON_BYTES,
                                      &parts) &&
        make_prefix(samples, &parts))
        err = find_site(samples, type, &parts, &site);
    if (err || !site)
        return err ? err : split_verbatim(samples, type, sample, is_plain, ret_parts);
    type->recent = site;
    ret_parts->descriptor = site->number;
    set_part(&ret_parts->parts[0], parts.activity_id, trace_file_activity_bytes(site->flags));
    set_part(&ret_parts->parts[1], parts.data, parts.data_bytes);
    return 0;
}

int trace_file_samples_add(struct trace_file_samples *samples, struct trace_file_sample_type *type,
                           const struct trace_file_sample *sample)
{
    struct trace_file_origin origin = {
        .tid = sample->tid,
        .cpu = sample->cpu,
        .domain = sample->domain,
        .time_ns = sample->time_ns,
    };
    struct trace_file_split parts;
    int err =
        trace_file_samples_process(samples, sample->machine, sample->pid, NULL, &origin.process);

    err = err ? err : trace_file_samples_split(samples, type, sample, &parts);
    if (err)
        return err;
    origin.descriptor = parts.descriptor;
    return trace_file_pieces_add(&samples->pieces, &origin, parts.parts, TRACE_FILE_PARTS);
}

int trace_file_samples_finish(struct trace_file_samples *samples)
{
    int err = trace_file_pieces_flush(&samples->pieces);
    int finish_err = trace_file_writer_finish(&samples->writer);

    return err ? err : finish_err;
}
