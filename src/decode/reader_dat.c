/* SPDX-License-Identifier: MIT */
/*
 * A reader's events from a trace.dat of trace-cmd. Version 6: tracing data as in perf.data, the
 * number of CPUs, options, and for each CPU the position of its ring buffer's pages; options lead
 * to the same of instances. Version 7 has this in sections.
 */
#include "core/cursor.h"
#include "decode/dat_sections.h"
#include "decode/reader.h"
#include "decode/ring_page.h"
#include "perf_data/tracing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC        "\027\010\104tracing"
#define MAGIC_BYTES  10u
#define SECTION_NAME 10u   /* "options  \0", "flyrecord\0" */
#define CPUS_MAX     8192u /* of all buffers */

#define OPTION_CPU_STATISTICS 2u
#define OPTION_BUFFER         3u

#define CHUNK_COUNT_BYTES 4u

struct cpu {
    uint32_t number;
    const uint8_t *at; /* the next page */
    const uint8_t *end;
    const uint8_t *kept; /* pages of the file before this address were given back */
    struct decode_ring_format format;
    struct decode_dat_chunks chunks; /* of compressed pages, after these */
    struct decode_ring_page page;
    struct decode_ring_event event; /* the next one */
    bool has_event;
    bool has_unknown_lost; /* before some page an unknown number of events was lost */
    uint64_t overwritten;  /* events, as the file says; 0: unknown */
    uint64_t lost_at_least;
    uint64_t lost; /* of the reader's number of lost events */
};

struct decode_reader_dat {
    struct cairn_perf_file *file;   /* has the formats and the names of threads */
    struct perf_data_source source; /* of version 7; otherwise it is the file's */
    struct perf_data_block_pool pool;
    struct decode_dat_sections sections; /* of version 7; of version 6 the losses */
    struct perf_data_tracing_rest bytes;
    struct cpu *current;           /* whose event was returned last */
    struct cairn_perf_error error; /* the first */
    struct decode_ring_format format;
    struct cpu *cpus;
    uint32_t cpu_count;
    uint64_t left_bytes;   /* of version 6: that the data of further CPUs may occupy */
    uint32_t *tracepoints; /* the decoder's number of each format, plus 1 */
    uint64_t lost;
    uint64_t unreadable;
};

/* ---- opening ---- */

bool decode_reader_is_dat(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    const uint8_t *magic;

    return !perf_data_source_peek(source, pool, MAGIC_BYTES, &magic) &&
           !memcmp(magic, MAGIC, MAGIC_BYTES);
}

static int fail(struct decode_reader_dat *dat, int err, const uint8_t *at, const char *text)
{
    if (!dat->error.code)
        dat->error = (struct cairn_perf_error){err, (uint64_t)(at - dat->bytes.begin), text};
    return err;
}

static bool is_section(const char *name, const char *expected)
{
    return name && !memcmp(name, expected, SECTION_NAME);
}

/* Takes an option. False: there are no more, up to the one of number 0. */
static bool next_option(struct core_cursor *c, uint32_t *ret_id, struct core_cursor *ret_option)
{
    uint32_t size_bytes;
    const void *data;

    *ret_id = core_cursor_u16(c);
    if (!*ret_id || c->error)
        return false;
    size_bytes = core_cursor_u32(c);
    data = core_cursor_take(c, size_bytes);
    if (!data)
        return false;
    *ret_option = core_cursor(data, size_bytes, c->swap);
    return true;
}

/* Takes the options up to their end, except for those that lead to buffers. */
static int take_options(struct decode_reader_dat *dat, struct core_cursor *c)
{
    struct core_cursor option;
    uint32_t id;
    int err = 0;

    while (!err && next_option(c, &id, &option)) {
        if (id == OPTION_CPU_STATISTICS)
            err = decode_dat_losses_take(&dat->sections.losses, option);
    }
    return err;
}

static int take_cpu(struct decode_reader_dat *dat, struct core_cursor *c, uint64_t buffer,
                    uint32_t number)
{
    const struct perf_data_tracing_rest *bytes = &dat->bytes;
    struct cpu *cpu = &dat->cpus[dat->cpu_count++];
    uint64_t offset = core_cursor_u64(c);
    uint64_t size_bytes = core_cursor_u64(c);

    if (c->error || offset > bytes->size_bytes || size_bytes > bytes->size_bytes - offset ||
        size_bytes > dat->left_bytes) /* the CPUs before occupy the rest */
        return fail(dat, EBADMSG, c->at, "the data of a CPU are cut short");
    dat->left_bytes -= size_bytes;
    cpu->number = number;
    cpu->overwritten = decode_dat_losses_of(&dat->sections.losses, buffer, number);
    cpu->format = dat->format;
    cpu->at = cpu->kept = bytes->begin + offset;
    cpu->end = cpu->at + size_bytes / dat->format.page_bytes * dat->format.page_bytes;
    return 0;
}

/* Takes the positions of the data of a buffer's CPUs. */
static int take_buffer(struct decode_reader_dat *dat, struct core_cursor *c, uint64_t buffer,
                       uint32_t count)
{
    struct cpu *cpus;
    int err = 0;

    if (count > CPUS_MAX - dat->cpu_count)
        return fail(dat, EBADMSG, c->at, "trace.dat is cut short or invalid");
    cpus = (struct cpu *)calloc(dat->cpu_count + count + 1u, sizeof(*cpus));
    if (!cpus)
        return ENOMEM;
    if (dat->cpu_count)
        memcpy(cpus, dat->cpus, dat->cpu_count * sizeof(*cpus));
    free(dat->cpus);
    dat->cpus = cpus;
    for (uint32_t n = 0; n < count && !err; n++)
        err = take_cpu(dat, c, buffer, n);
    return err;
}

/* The buffer of an instance: the option has the position of a section like the file's last one. */
static int take_instance(struct decode_reader_dat *dat, struct core_cursor option, uint32_t count)
{
    const struct perf_data_tracing_rest *bytes = &dat->bytes;
    const uint8_t *at = option.at;
    uint64_t offset = core_cursor_u64(&option);
    uint64_t buffer = decode_dat_buffer_of((const char *)option.at,
                                           strnlen((const char *)option.at, option.left));
    struct core_cursor c;

    if (option.error || offset > bytes->size_bytes)
        return fail(dat, EBADMSG, at, "trace.dat is cut short or invalid");
    c = core_cursor(bytes->begin + offset, bytes->size_bytes - (size_t)offset, bytes->swap);
    if (!is_section((const char *)core_cursor_take(&c, SECTION_NAME), "flyrecord"))
        return fail(dat, EBADMSG, bytes->begin + offset, "trace.dat is cut short or invalid");
    return take_buffer(dat, &c, buffer, count);
}

/* Takes the buffers of instances, which options lead to. */
static int take_instances(struct decode_reader_dat *dat, struct core_cursor options, uint32_t count)
{
    struct core_cursor option;
    uint32_t id;
    int err = 0;

    while (!err && next_option(&options, &id, &option)) {
        if (id == OPTION_BUFFER)
            err = take_instance(dat, option, count);
    }
    return err;
}

static int take_cpus(struct decode_reader_dat *dat, struct core_cursor *c)
{
    uint32_t count = core_cursor_u32(c);
    const char *name = (const char *)core_cursor_take(c, SECTION_NAME);
    struct core_cursor options = core_cursor(c->at, 0, c->swap);
    int err = 0;

    if (is_section(name, "options  ")) {
        options = *c;
        err = take_options(dat, c);
        name = (const char *)core_cursor_take(c, SECTION_NAME);
    }
    if (err)
        return err;
    if (is_section(name, "latency  "))
        return fail(dat, EOPNOTSUPP, c->at, "a trace.dat of a latency tracer has text, not events");
    if (!is_section(name, "flyrecord"))
        return fail(dat, EBADMSG, c->at, "trace.dat is cut short or invalid");
    dat->left_bytes = dat->bytes.size_bytes;
    err = take_buffer(dat, c, 0, count);
    return err ? err : take_instances(dat, options, count);
}

static void set_format(struct decode_reader_dat *dat)
{
    const struct cairn_perf_tracing *tracing = cairn_perf_file_tracing(dat->file);

    dat->format = (struct decode_ring_format){
        .page_bytes = tracing->page_size_bytes,
        .long_bytes = tracing->long_size_bytes,
        .swap = dat->bytes.swap,
        .is_big_endian = dat->bytes.swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
    };
}

static int read_head(struct decode_reader_dat *dat)
{
    struct core_cursor c = core_cursor(dat->bytes.begin + dat->bytes.offset,
                                       dat->bytes.size_bytes - dat->bytes.offset, dat->bytes.swap);

    set_format(dat);
    if (dat->format.page_bytes < 64 || dat->format.page_bytes > 1u << 20)
        return fail(dat, EBADMSG, c.at, "the size of pages is invalid");
    return take_cpus(dat, &c);
}

/* ---- version 7 ---- */

static int set_cpu(struct decode_reader_dat *dat, const struct decode_dat_cpu *from)
{
    struct cpu *cpu = &dat->cpus[dat->cpu_count++];
    const uint8_t *data = dat->bytes.begin + from->offset;
    size_t left = dat->bytes.size_bytes - (size_t)from->offset;
    /* The size of compressed data does not count the number of chunks before them. */
    size_t packed_bytes = from->size_bytes ? (size_t)from->size_bytes + CHUNK_COUNT_BYTES : 0;

    cpu->number = from->number;
    cpu->overwritten = decode_dat_losses_of(&dat->sections.losses, from->buffer, from->number);
    cpu->format = dat->format;
    cpu->format.page_bytes = from->page_bytes;
    cpu->at = cpu->end = cpu->kept = data;
    if (!from->is_packed)
        cpu->end += from->size_bytes / from->page_bytes * from->page_bytes;
    else if (decode_dat_chunks_begin(&cpu->chunks, data, packed_bytes < left ? packed_bytes : left,
                                     dat->bytes.swap))
        return fail(dat, EBADMSG, data, "the data of a CPU are cut short");
    return 0;
}

/* The beginning of a file of version 6 is read as such a file. */
static int open_head(struct decode_reader_dat *dat, struct cairn_perf_error *ret_error)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source head = {
        .map = dat->sections.head.data,
        .map_bytes = dat->sections.head.size,
        .end = dat->sections.head.size,
        .fd = -1,
    };
    int err = perf_data_file_open_tracing(&head, &pool, ret_error, &dat->file);

    ret_error->offset = 0; /* that in the head would be wrong */
    if (err)
        return err;
    dat->bytes = (struct perf_data_tracing_rest){
        .begin = dat->source.map,
        .size_bytes = dat->source.map_bytes,
        .swap = perf_data_tracing_rest(dat->file).swap,
        .source = &dat->source,
    };
    set_format(dat);
    return 0;
}

static int open_sections(struct decode_reader_dat *dat, struct perf_data_source *source,
                         struct perf_data_block_pool *pool, struct cairn_perf_error *ret_error)
{
    int err = source->map ? 0 : perf_data_source_spool(source, pool);

    dat->source = *source;
    dat->pool = *pool;
    if (err)
        return err;
    err = decode_dat_sections_read(dat->source.map, dat->source.map_bytes, &dat->sections);
    if (err) {
        ret_error->text = dat->sections.error;
        ret_error->offset = dat->sections.error_offset;
        return err;
    }
    err = open_head(dat, ret_error);
    if (err)
        return err;
    dat->cpus = (struct cpu *)calloc(dat->sections.cpu_count + 1u, sizeof(*dat->cpus));
    if (!dat->cpus)
        return ENOMEM;
    for (uint32_t n = 0; n < dat->sections.cpu_count && !err; n++)
        err = set_cpu(dat, &dat->sections.cpus[n]);
    return err;
}

/* ---- both versions ---- */

static int open_plain(struct decode_reader_dat *dat, struct perf_data_source *source,
                      struct perf_data_block_pool *pool, struct cairn_perf_error *ret_error)
{
    int err = perf_data_file_open_tracing(source, pool, ret_error, &dat->file);

    if (err)
        return err;
    dat->bytes = perf_data_tracing_rest(dat->file);
    return read_head(dat);
}

static int refuse(struct perf_data_source *source, struct perf_data_block_pool *pool,
                  struct cairn_perf_error *ret_error)
{
    *ret_error = (struct cairn_perf_error){
        .offset = MAGIC_BYTES, .text = "only the versions 6 and 7 of trace.dat are read"};
    perf_data_source_close(source, pool);
    perf_data_block_pool_free(pool);
    return EOPNOTSUPP;
}

static int open_file(struct decode_reader_dat *dat, struct perf_data_source *source,
                     struct perf_data_block_pool *pool, struct cairn_perf_error *ret_error)
{
    const uint8_t *magic;
    int err = perf_data_source_peek(source, pool, MAGIC_BYTES + 2, &magic);
    char version = err ? '\0' : (char)magic[MAGIC_BYTES];

    if (err || magic[MAGIC_BYTES + 1] || (version != '6' && version != '7'))
        return refuse(source, pool, ret_error);
    err = version == '7' ? open_sections(dat, source, pool, ret_error)
                         : open_plain(dat, source, pool, ret_error);
    if (err)
        return err;
    dat->tracepoints =
        (uint32_t *)calloc(cairn_perf_file_format_count(dat->file) + 1u, sizeof(uint32_t));
    return dat->tracepoints ? 0 : ENOMEM;
}

int decode_reader_open_dat(const char *name, const struct cairn_reader_options *options,
                           struct perf_data_source *source, struct perf_data_block_pool *pool,
                           struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct decode_reader_dat *dat = (struct decode_reader_dat *)calloc(1, sizeof(*dat));
    struct cairn_perf_error error = {0};
    int err;

    if (!dat) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        return ENOMEM;
    }
    err = open_file(dat, source, pool, &error);
    if (!err)
        err = decode_reader_create(name, options, ret_reader);
    if (!err) {
        (*ret_reader)->dat = dat;
        return 0;
    }
    if (ret_error) {
        *ret_error = dat->error.code ? dat->error : error;
        ret_error->code = err;
    }
    decode_reader_close_dat(dat);
    return err;
}

void decode_reader_close_dat(struct decode_reader_dat *dat)
{
    if (!dat)
        return;
    cairn_perf_file_close(dat->file);
    for (uint32_t n = 0; n < dat->cpu_count; n++)
        decode_dat_chunks_free(&dat->cpus[n].chunks);
    free(dat->cpus);
    free(dat->tracepoints);
    decode_dat_sections_free(&dat->sections);
    if (dat->source.map) {
        perf_data_source_close(&dat->source, &dat->pool);
        perf_data_block_pool_free(&dat->pool);
    }
    free(dat);
}

/* ---- events ---- */

/* Decompresses pages of a CPU. Returns 0; ENODATA there are no more. */
static int next_chunk(struct decode_reader_dat *dat, struct cpu *cpu)
{
    const uint8_t *packed = cpu->chunks.c.at;
    size_t size_bytes = 0;

    while (cpu->at == cpu->end) {
        int err = decode_dat_chunks_next(&cpu->chunks, &cpu->at, &size_bytes);

        if (err && err != ENODATA)
            (void)fail(dat, err, packed, "compressed pages are damaged, or cannot be read");
        cpu->end = cpu->at;
        if (err)
            return ENODATA;
        cpu->end += size_bytes / cpu->format.page_bytes * cpu->format.page_bytes;
    }
    return 0;
}

/* The mapped pages of a CPU that were read are given back in pieces of this size: a large file does
 * not fill memory. */
#define GIVE_BACK_BYTES (256u << 10)

static void give_back(const struct decode_reader_dat *dat, struct cpu *cpu)
{
    const uint8_t *at = cpu->chunks.memory ? cpu->chunks.c.at : cpu->at;

    if (at - cpu->kept < GIVE_BACK_BYTES)
        return;
    perf_data_source_give_back(dat->bytes.source, cpu->kept, (size_t)(at - cpu->kept));
    cpu->kept = at;
}

/*
 * Counts the events that were lost before a page. A page without space for their number only says
 * that there were some: what is not known of other pages is what the kernel counted for the CPU.
 */
static void count_lost(struct decode_reader_dat *dat, struct cpu *cpu)
{
    uint64_t lost;

    if (!cpu->page.has_lost)
        return;
    cpu->lost_at_least += cpu->page.lost ? cpu->page.lost : 1;
    cpu->has_unknown_lost |= !cpu->page.lost;
    lost = cpu->lost_at_least;
    if (cpu->has_unknown_lost && cpu->overwritten > lost)
        lost = cpu->overwritten;
    dat->lost += lost - cpu->lost;
    cpu->lost = lost;
}

/* Begins the next page of a CPU. Returns 0; ENODATA; EBADMSG. */
static int next_page(struct decode_reader_dat *dat, struct cpu *cpu)
{
    int err = next_chunk(dat, cpu);

    if (err)
        return err;
    give_back(dat, cpu);
    err = decode_ring_page_begin(&cpu->page, &cpu->format, cpu->at);
    cpu->at += cpu->format.page_bytes;
    count_lost(dat, cpu);
    return err;
}

/* Returns the position of the page that is read, or of the compressed pages around it. */
static const uint8_t *position_of(const struct cpu *cpu)
{
    return cpu->chunks.memory ? cpu->chunks.c.at : cpu->at - cpu->format.page_bytes;
}

/* Reads the next event of a CPU; the rest of a damaged page is left out, and reported. */
static void advance(struct decode_reader_dat *dat, struct cpu *cpu)
{
    int err = cpu->page.format ? decode_ring_page_next(&cpu->page, &cpu->event) : ENODATA;

    while (err) {
        if (err == EBADMSG)
            (void)fail(dat, EBADMSG, position_of(cpu), "a page of the ring buffer is damaged");
        err = next_page(dat, cpu);
        if (err == ENODATA) {
            cpu->has_event = false;
            return;
        }
        if (!err)
            err = decode_ring_page_next(&cpu->page, &cpu->event);
    }
    cpu->has_event = true;
}

/* Finds the CPU with the earliest event. NULL: there is none. */
static struct cpu *first_cpu(struct decode_reader_dat *dat)
{
    struct cpu *first = NULL;

    for (uint32_t n = 0; n < dat->cpu_count; n++) {
        struct cpu *cpu = &dat->cpus[n];

        if (!cpu->page.format)
            advance(dat, cpu);
        if (cpu->has_event && (!first || cpu->event.time_ns < first->event.time_ns))
            first = cpu;
    }
    return first;
}

/* Finds the decoder's number of a tracepoint. Returns 0; ENOENT it is not described; ENOMEM. */
static int find_tracepoint(struct cairn_reader *reader, uint16_t id, uint32_t *ret_number)
{
    struct decode_reader_dat *dat = reader->dat;
    struct cairn_decoder_format format = {.long_size_bytes = dat->format.long_bytes,
                                          .swap = dat->format.swap};
    const struct cairn_perf_tracing *tracing = cairn_perf_file_tracing(dat->file);
    uint32_t index;
    int err = 0;

    if (!perf_data_tracing_find(dat->file, id, &index, &format.system, &format.name, &format.text))
        return ENOENT;
    if (!dat->tracepoints[index]) {
        decode_kernel_note_tables(reader->decoder, tracing->printk, tracing->kallsyms);
        err = cairn_decoder_add(reader->decoder, &format, ret_number);
        if (err == EBADMSG) { /* show its bytes */
            format.text.length = 0;
            err = cairn_decoder_add(reader->decoder, &format, ret_number);
        }
        if (err)
            return err;
        dat->tracepoints[index] = *ret_number + 1;
    }
    *ret_number = dat->tracepoints[index] - 1;
    return 0;
}

/* Thread 0 has the name that the kernel and trace-cmd print. */
static const char *comm_of(const struct decode_reader_dat *dat, uint32_t tid)
{
    return tid ? cairn_perf_file_comm(dat->file, tid) : "<idle>";
}

static int fill_event(struct cairn_reader *reader, const struct cpu *cpu)
{
    const struct decode_ring_event *from = &cpu->event;
    struct cairn_event *event = &reader->event;
    uint32_t number;
    int err;

    if (from->size_bytes < CAIRN_COMMON_BYTES)
        return ENOENT;
    err = find_tracepoint(reader, core_load16(from->data, reader->dat->format.swap), &number);
    if (err)
        return err;
    reader->record = (struct decode_record){
        .tracepoint = number,
        .bytes = from->data,
        .size_bytes = from->size_bytes,
    };
    event->has = CAIRN_EVENT_TIME | CAIRN_EVENT_CPU | CAIRN_EVENT_TID;
    event->cpu = cpu->number;
    event->tid = core_load32(from->data + 4, reader->dat->format.swap); /* common_pid */
    event->pid = event->tid; /* the process is not recorded */
    event->time_ns = from->time_ns;
    event->comm = reader->with_comm ? comm_of(reader->dat, event->tid) : NULL;
    reader->position.offset =
        (uint64_t)((cpu->chunks.memory ? cpu->chunks.c.at : from->data) - reader->dat->bytes.begin);
    return 0;
}

int decode_reader_take_of_dat(struct cairn_reader *reader)
{
    struct decode_reader_dat *dat = reader->dat;
    int err = ENOENT;

    while (err == ENOENT) {
        if (dat->current)
            advance(dat, dat->current); /* only now: its event may be in memory that is reused */
        dat->current = first_cpu(dat);
        if (!dat->current)
            return dat->error.code ? dat->error.code : ENODATA;
        err = fill_event(reader, dat->current);
        dat->unreadable += err == ENOENT;
    }
    return err;
}

/* ---- state ---- */

void decode_reader_count_dat(struct cairn_reader *reader)
{
    reader->counts.unreadable = reader->dat->unreadable;
    reader->counts.lost = reader->dat->lost;
}

const struct cairn_perf_error *decode_reader_error_of_dat(const struct cairn_reader *reader)
{
    return &reader->dat->error;
}
