/* SPDX-License-Identifier: MIT */
/* Sections of a trace.dat of version 7. */
#include "decode/dat_sections.h"

#include "trace_file/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_BYTES       10u
#define SECTION_MAX_BYTES ((size_t)64 << 20) /* decompressed */
#define CHUNK_MAX_BYTES   ((size_t)1 << 20)
#define OPTIONS_MAX       4096u /* sections of options: a damaged file's may form a circle */
#define CPUS_MAX          8192u /* of all buffers */

#define FLAG_PACKED 1u

/* Numbers of options, and of the sections that they refer to. */
enum {
    OPTION_DONE = 0, /* refers to the next section of options */
    OPTION_CPU_STATISTICS = 2,
    OPTION_BUFFER = 3,
    OPTION_HEADER = 16,
    OPTION_FTRACE = 17,
    OPTION_FORMATS = 18,
    OPTION_KALLSYMS = 19,
    OPTION_PRINTK = 20,
    OPTION_CMDLINES = 21,
    OPTION_COUNT,
};

struct dat_reading {
    struct decode_dat_sections *sections;
    const uint8_t *begin;
    size_t size_bytes;
    bool swap;
    bool is_zstd;
    bool has_buffer;                /* perhaps without CPUs: then nothing was recorded */
    uint64_t data_bytes;            /* of the file, that the data of further CPUs may occupy */
    uint64_t next_options;          /* the offset of the next section of options; 0: none */
    uint64_t offsets[OPTION_COUNT]; /* of sections; 0: there is none */
};

static int fail(struct dat_reading *reading, int err, uint64_t offset, const char *text)
{
    reading->sections->error = text;
    reading->sections->error_offset = offset;
    return err;
}

static int fail_short(struct dat_reading *reading, uint64_t offset)
{
    return fail(reading, EBADMSG, offset, "trace.dat is cut short or invalid");
}

/* ---- sections ---- */

struct dat_section {
    uint32_t id;
    bool is_packed;
    struct core_cursor c; /* its contents, as they are stored */
};

static int take_section(struct dat_reading *reading, uint64_t offset,
                        struct dat_section *ret_section)
{
    struct core_cursor c;
    uint64_t size_bytes;
    const void *contents;

    if (offset > reading->size_bytes)
        return fail_short(reading, offset);
    c = core_cursor(reading->begin + offset, reading->size_bytes - (size_t)offset, reading->swap);
    ret_section->id = core_cursor_u16(&c);
    ret_section->is_packed = core_cursor_u16(&c) & FLAG_PACKED;
    core_cursor_u32(&c); /* the description */
    size_bytes = core_cursor_u64(&c);
    contents = size_bytes > c.left ? NULL : core_cursor_take(&c, (size_t)size_bytes);
    if (!contents)
        return fail_short(reading, offset);
    ret_section->c = core_cursor(contents, (size_t)size_bytes, reading->swap);
    return 0;
}

/* Decompresses to the end of `to`. */
static int unpack(struct dat_reading *reading, struct core_cursor c, struct cairn_bytes *to)
{
    uint64_t offset = (uint64_t)(c.at - reading->begin);
    uint32_t packed_bytes = core_cursor_u32(&c);
    uint32_t size_bytes = core_cursor_u32(&c);
    const void *packed = core_cursor_take(&c, packed_bytes);
    size_t at = to->size;
    int err;

    if (!reading->is_zstd)
        return fail(reading, EOPNOTSUPP, offset,
                    "trace.dat is compressed by another method than zstd");
    if (!packed || size_bytes > SECTION_MAX_BYTES)
        return fail_short(reading, offset);
    perf_data_bytes_put_zeros(to, size_bytes);
    if (to->error)
        return ENOMEM;
    err = trace_file_pack_undo(packed, packed_bytes, to->data + at, size_bytes);
    if (err == EOPNOTSUPP)
        return fail(reading, err, offset,
                    "trace.dat is compressed, and this was built without zstd");
    return err ? fail(reading, err, offset, "a compressed section is damaged") : 0;
}

/* Adds a section's contents to the head of the file; zeros if it has no such section. */
static int add_section(struct dat_reading *reading, uint32_t id, size_t empty_bytes)
{
    struct cairn_bytes *head = &reading->sections->head;
    struct dat_section section;
    int err;

    if (!reading->offsets[id]) {
        perf_data_bytes_put_zeros(head, empty_bytes);
        return head->error;
    }
    err = take_section(reading, reading->offsets[id], &section);
    if (err)
        return err;
    if (section.id != id)
        return fail_short(reading, reading->offsets[id]);
    if (section.is_packed)
        return unpack(reading, section.c, head);
    perf_data_bytes_put(head, section.c.at, section.c.left);
    return head->error;
}

/* ---- options ---- */

static int add_cpu(struct dat_reading *reading, struct core_cursor *c, uint32_t page_bytes,
                   uint64_t buffer, bool is_packed)
{
    struct decode_dat_sections *sections = reading->sections;
    struct decode_dat_cpu cpu = {
        .number = core_cursor_u32(c),
        .page_bytes = page_bytes,
        .buffer = buffer,
        .is_packed = is_packed,
    };

    cpu.offset = core_cursor_u64(c);
    cpu.size_bytes = core_cursor_u64(c);
    if (c->error || cpu.offset > reading->size_bytes ||
        cpu.size_bytes > reading->size_bytes - cpu.offset ||
        cpu.size_bytes > reading->data_bytes) /* the CPUs before occupy the rest */
        return fail(reading, EBADMSG, cpu.offset, "the data of a CPU are cut short");
    if (sections->cpu_count == CPUS_MAX)
        return fail_short(reading, (uint64_t)(c->at - reading->begin));
    if (!sections->cpus)
        sections->cpus = (struct decode_dat_cpu *)calloc(CPUS_MAX, sizeof(*sections->cpus));
    if (!sections->cpus)
        return ENOMEM;
    reading->data_bytes -= cpu.size_bytes;
    sections->cpus[sections->cpu_count++] = cpu;
    return 0;
}

/* A buffer of events: of the file, or of one of its instances. */
static int take_buffer(struct dat_reading *reading, struct core_cursor c)
{
    uint64_t offset = core_cursor_u64(&c);
    struct dat_section section;
    uint32_t page_bytes;
    uint32_t count;
    const char *name;
    uint64_t buffer;
    size_t length;
    int err;

    name = core_cursor_string(&c, &length);
    buffer = name ? decode_dat_buffer_of(name, length) : 0;
    core_cursor_string(&c, &length); /* clock */
    page_bytes = core_cursor_u32(&c);
    count = core_cursor_u32(&c);
    if (c.error || page_bytes < 64 || page_bytes > 1u << 20)
        return fail_short(reading, offset);
    reading->has_buffer = true;
    err = take_section(reading, offset, &section);
    if (!err && section.is_packed && !reading->is_zstd)
        err = fail(reading, EOPNOTSUPP, offset,
                   "trace.dat is compressed by another method than zstd");
    while (!err && count--)
        err = add_cpu(reading, &c, page_bytes, buffer, section.is_packed);
    return err;
}

static int take_option(struct dat_reading *reading, uint32_t id, struct core_cursor c)
{
    if (id == OPTION_BUFFER)
        return take_buffer(reading, c);
    if (id == OPTION_CPU_STATISTICS)
        return decode_dat_losses_take(&reading->sections->losses, c);
    if (id == OPTION_DONE)
        reading->next_options = core_cursor_u64(&c);
    else if (id < OPTION_COUNT && c.left == sizeof(uint64_t))
        reading->offsets[id] = core_cursor_u64(&c);
    return 0;
}

/* Takes the options of a section, which lead to others. */
static int take_options(struct dat_reading *reading)
{
    struct cairn_bytes plain = {0};
    struct dat_section section;
    int err = take_section(reading, reading->next_options, &section);

    reading->next_options = 0;
    if (!err && section.is_packed) {
        err = unpack(reading, section.c, &plain);
        section.c = core_cursor(plain.data, plain.size, reading->swap);
    }
    while (!err && section.c.left) {
        uint32_t id = core_cursor_u16(&section.c);
        uint32_t size_bytes = core_cursor_u32(&section.c);
        const void *data = core_cursor_take(&section.c, size_bytes);

        err = data ? take_option(reading, id, core_cursor(data, size_bytes, reading->swap)) : 0;
    }
    if (!err && section.c.error)
        err = fail_short(reading, 0);
    perf_data_bytes_free(&plain);
    return err;
}

/* ---- the file ---- */

static int take_beginning(struct dat_reading *reading)
{
    struct core_cursor c = core_cursor(reading->begin, reading->size_bytes, false);
    const char *method;
    size_t length;

    core_cursor_take(&c, MAGIC_BYTES);
    core_cursor_string(&c, &length); /* version */
    reading->swap = core_cursor_u8(&c) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    c.swap = reading->swap;
    core_cursor_u8(&c);  /* the size of a long */
    core_cursor_u32(&c); /* the size of a page */
    if (!c.error) {      /* as in version 6, except for the version's number */
        perf_data_bytes_put(&reading->sections->head, reading->begin,
                            (size_t)(c.at - reading->begin));
        if (!reading->sections->head.error)
            reading->sections->head.data[MAGIC_BYTES] = '6';
    }
    method = core_cursor_string(&c, &length);
    reading->is_zstd = method && !strcmp(method, "zstd");
    core_cursor_string(&c, &length); /* its version */
    reading->next_options = core_cursor_u64(&c);
    if (c.error || !reading->next_options)
        return fail_short(reading, (uint64_t)(c.at - reading->begin));
    return reading->sections->head.error;
}

/* The rest of the head of version 6, in its order. */
static int add_sections(struct dat_reading *reading)
{
    static const struct {
        uint32_t id;
        size_t empty_bytes; /* without the section: of its sizes and counts, which are 0 */
    } parts[] = {{OPTION_FTRACE, 4},
                 {OPTION_FORMATS, 4},
                 {OPTION_KALLSYMS, 4},
                 {OPTION_PRINTK, 4},
                 {OPTION_CMDLINES, 8}};
    int err;

    if (!reading->offsets[OPTION_HEADER])
        return fail_short(reading, reading->size_bytes);
    err = add_section(reading, OPTION_HEADER, 0);
    for (size_t n = 0; n < sizeof(parts) / sizeof(*parts) && !err; n++)
        err = add_section(reading, parts[n].id, parts[n].empty_bytes);
    return err;
}

int decode_dat_sections_read(const uint8_t *begin, size_t size_bytes,
                             struct decode_dat_sections *ret_sections)
{
    struct dat_reading reading = {.sections = ret_sections,
                                  .begin = begin,
                                  .size_bytes = size_bytes,
                                  .data_bytes = size_bytes};
    uint32_t left = OPTIONS_MAX;
    int err;

    *ret_sections = (struct decode_dat_sections){0};
    err = take_beginning(&reading);
    while (!err && reading.next_options) {
        if (!left--)
            return fail_short(&reading, reading.next_options);
        err = take_options(&reading);
    }
    if (!err && !reading.has_buffer)
        err = fail(&reading, EOPNOTSUPP, 0, "trace.dat has no buffer of events");
    return err ? err : add_sections(&reading);
}

void decode_dat_sections_free(struct decode_dat_sections *sections)
{
    perf_data_bytes_free(&sections->head);
    free(sections->cpus);
    decode_dat_losses_free(&sections->losses);
    *sections = (struct decode_dat_sections){0};
}

/* ---- chunks ---- */

int decode_dat_chunks_begin(struct decode_dat_chunks *chunks, const void *data, size_t size_bytes,
                            bool swap)
{
    *chunks = (struct decode_dat_chunks){.c = core_cursor(data, size_bytes, swap)};
    if (size_bytes)
        chunks->left = core_cursor_u32(&chunks->c);
    return chunks->c.error;
}

int decode_dat_chunks_next(struct decode_dat_chunks *chunks, const uint8_t **ret_data,
                           size_t *ret_bytes)
{
    uint32_t packed_bytes;
    uint32_t size_bytes;
    const void *packed;
    int err;

    if (!chunks->left)
        return ENODATA;
    chunks->left--;
    packed_bytes = core_cursor_u32(&chunks->c);
    size_bytes = core_cursor_u32(&chunks->c);
    packed = core_cursor_take(&chunks->c, packed_bytes);
    if (!packed || size_bytes > CHUNK_MAX_BYTES) {
        chunks->left = 0;
        return EBADMSG;
    }
    free(chunks->memory);
    chunks->memory = (uint8_t *)malloc(size_bytes ? size_bytes : 1);
    if (!chunks->memory)
        return ENOMEM;
    err = trace_file_pack_undo(packed, packed_bytes, chunks->memory, size_bytes);
    *ret_data = chunks->memory;
    *ret_bytes = size_bytes;
    return err;
}

void decode_dat_chunks_free(struct decode_dat_chunks *chunks)
{
    free(chunks->memory);
    *chunks = (struct decode_dat_chunks){0};
}
