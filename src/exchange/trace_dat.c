/* SPDX-License-Identifier: MIT */
/*
 * trace.dat, version 6, for trace-cmd and KernelShark. Records of tracepoints are stored as they
 * were recorded, with their descriptions; other events get descriptions of the same form.
 *
 * The file begins with all descriptions and names of threads, so the pages of the CPUs are in a
 * temporary file until the end.
 */
#include "exchange/trace_dat.h"

#include "core/load.h"
#include "decode/reader.h"
#include "exchange/classes.h"
#include "exchange/json.h"
#include "exchange/ring_pages.h"
#include "exchange/text.h"
#include "exchange/threads.h"
#include "export/value_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers below are those of the kernel's own events. */
#define FIRST_ID 1000u

#define CPUS_MAX 8192u

static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n\n"
                                   "\tpadding     : type == 29\n"
                                   "\ttime_extend : type == 30\n"
                                   "\ttime_stamp : type == 31\n"
                                   "\tdata max type_len  == 28\n";

/* The size of its data is EXCHANGE_RING_PAGE_BYTES without the head. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:65520;\tsigned:0;\n";

_Static_assert(EXCHANGE_RING_PAGE_BYTES - EXCHANGE_RING_HEAD_BYTES == 65520,
               "header_page has the size of the data");

struct trace_dat {
    struct exchange_classes recorded; /* data: struct exchange_dat_class */
    struct exchange_classes made;
    const struct exchange_dat_class **list; /* of all, with an id */
    uint32_t class_count;
    struct exchange_threads threads;
    struct exchange_json json;
    struct exchange_spool spool;
    struct exchange_ring *cpus;
    uint32_t cpu_count;
    uint64_t lost;                      /* events so far */
    struct export_print_output record;  /* in memory: of an event */
    struct export_print_output texts;   /* in memory: what its texts are */
    struct export_print_output scratch; /* in memory: a description; the file's head */
};

/* ---- classes ---- */

static int add_class(struct cairn_exporter *exporter, struct trace_dat *dat,
                     const struct cairn_event *event, bool is_raw, struct exchange_class *class)
{
    uint32_t id = FIRST_ID + dat->class_count;
    struct exchange_dat_class *made = exchange_dat_class_create(
        exporter, &dat->scratch, event, is_raw, id <= UINT16_MAX ? (uint16_t)id : 0);
    void *bigger;

    class->data = made;
    if (!made)
        return ENOMEM;
    if (!made->id)
        return 0;
    bigger = realloc((void *)dat->list, (dat->class_count + 1) * sizeof(*dat->list));
    if (!bigger)
        return ENOMEM;
    dat->list = (const struct exchange_dat_class **)bigger;
    dat->list[dat->class_count++] = made;
    return 0;
}

static int find_class(struct cairn_exporter *exporter, struct trace_dat *dat,
                      const struct cairn_event *event, bool is_raw,
                      const struct exchange_dat_class **ret_class)
{
    struct exchange_class *class;
    int err = exchange_classes_of(is_raw ? &dat->recorded : &dat->made,
                                  decode_layout_of(event->type), &class);

    if (!err && !class->data)
        err = add_class(exporter, dat, event, is_raw, class);
    if (!err)
        *ret_class = (const struct exchange_dat_class *)class->data;
    return err;
}

/* ---- records ---- */

static void put_common(struct export_print_output *out, const struct cairn_event *event,
                       uint16_t id, const uint8_t *raw)
{
    int32_t tid = event->has & CAIRN_EVENT_TID ? (int32_t)event->tid : 0;
    char *to = export_output_reserve(out, EXCHANGE_DAT_COMMON_BYTES);

    to = (char *)mempcpy(to, &id, sizeof(id));
    *to++ = raw ? (char)raw[2] : 0;
    *to++ = raw ? (char)raw[3] : 0;
    if (raw && !(event->has & CAIRN_EVENT_TID))
        to = (char *)mempcpy(to, raw + 4, sizeof(tid));
    else
        to = (char *)mempcpy(to, &tid, sizeof(tid));
    out->at = to;
}

/* Adds an integer of `size_bytes` in this machine's order. */
static void put_integer(struct export_print_output *out, uint64_t value, uint32_t size_bytes)
{
    const uint8_t *bytes = (const uint8_t *)&value;

    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        bytes += sizeof(value) - size_bytes;
    export_output_bytes(out, bytes, size_bytes);
}

/* Ends a text of `texts`, and adds its place, which counts from the end of the fields. Texts end
 * with a NUL. Too many texts are cut. */
static void put_place(struct cairn_exporter *exporter, struct trace_dat *dat, size_t begin)
{
    struct export_print_output *texts = &dat->texts;
    size_t limit = EXCHANGE_RING_EVENT_MAX - UINT16_MAX / 4;
    size_t size_bytes;

    if ((size_t)(texts->at - texts->begin) > limit && !texts->error) {
        texts->at = texts->begin + (begin < limit ? limit : begin);
        while ((size_t)(texts->at - texts->begin) > begin && ((uint8_t)*texts->at & 0xc0) == 0x80)
            texts->at--; /* a character is whole */
        exchange_note(exporter, CAIRN_EXPORTER_TEXTS_CUT);
    }
    export_output_byte(texts, 0);
    size_bytes = texts->error ? 1 : (size_t)(texts->at - texts->begin) - begin;
    put_integer(&dat->record, size_bytes << 16 | (begin & UINT16_MAX), 4);
}

static size_t begin_text(const struct trace_dat *dat)
{
    return (size_t)(dat->texts.at - dat->texts.begin);
}

static void put_id(struct cairn_exporter *exporter, struct trace_dat *dat, const uint8_t *id)
{
    size_t begin = begin_text(dat);

    if (id)
        dat->texts.at = export_put_uuid(export_output_reserve(&dat->texts, 40), id);
    put_place(exporter, dat, begin);
}

static void put_eventheader(struct cairn_exporter *exporter, struct trace_dat *dat,
                            const struct cairn_event *event)
{
    put_integer(&dat->record, event->type->level, 1);
    put_integer(&dat->record, event->type->opcode, 1);
    put_integer(&dat->record, event->type->keyword, 8);
    put_id(exporter, dat, event->activity_id);
    put_id(exporter, dat, event->related_id);
}

/* `item`: NULL if the event ended before the field. */
static void put_field(struct cairn_exporter *exporter, struct trace_dat *dat,
                      const struct decode_layout_field *field, const struct cairn_item *item,
                      bool swap)
{
    uint32_t size_bytes = exchange_dat_store_bytes(field);
    size_t begin = begin_text(dat);
    uint64_t number = 0;

    switch (exchange_dat_store_of(field)) {
    case EXCHANGE_DAT_TEXT:
        if (item && item->kind == CAIRN_ITEM_VALUE)
            exchange_put_value(exporter, &dat->texts, exchange_value_of(item),
                               (struct decode_value_data){item->data, item->size_bytes, swap});
        else if (item)
            exchange_json_rest(&dat->json, &dat->texts, item);
        put_place(exporter, dat, begin);
        return;
    case EXCHANGE_DAT_PORT:
        number = item ? (uint64_t)item->data[0] << 8 | item->data[1] : 0;
        break;
    case EXCHANGE_DAT_SIGNED:
        number = item ? (uint64_t)core_load_signed(item->data, item->size_bytes, swap) : 0;
        break;
    default:
        number = item ? core_load_unsigned(item->data, item->size_bytes, swap) : 0;
    }
    put_integer(&dat->record, number, size_bytes);
}

static void put_fields(struct cairn_exporter *exporter, struct trace_dat *dat,
                       const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct cairn_items *items = exchange_json_begin(&dat->json, event);
    struct cairn_item item;

    for (uint32_t n = 0; n < layout->field_count; n = exchange_dat_next(layout, n)) {
        const struct decode_layout_field *field = &layout->fields[n];
        bool has_item =
            field->kind != DECODE_LAYOUT_BROKEN && items && cairn_items_next(items, &item);

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        put_field(exporter, dat, field, has_item ? &item : NULL, event->swap);
    }
    if (!items)
        export_output_fail(&dat->record, ENOMEM);
    else if (cairn_items_error(items) || event->error)
        exchange_note_damage(exporter);
}

/* The positions of texts count from the record's beginning: adds the size of all fields. */
static void move_places(struct trace_dat *dat, const struct decode_layout *layout)
{
    uint32_t size_bytes = (uint32_t)(dat->record.at - dat->record.begin);
    char *at = dat->record.begin + EXCHANGE_DAT_COMMON_BYTES;
    uint32_t place;

    for (uint32_t n = 0; n < layout->field_count; n = exchange_dat_next(layout, n)) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        if (exchange_dat_store_of(field) == EXCHANGE_DAT_TEXT) {
            memcpy(&place, at, sizeof(place));
            place += size_bytes;
            memcpy(at, &place, sizeof(place));
        }
        at += exchange_dat_store_bytes(field);
    }
    for (int n = 0; layout->type.is_eventheader && n < 2; n++) { /* activity, related_activity */
        at = dat->record.begin + size_bytes - 4 - 4 * n;
        memcpy(&place, at, sizeof(place));
        place += size_bytes;
        memcpy(at, &place, sizeof(place));
    }
}

static void make_record(struct cairn_exporter *exporter, struct trace_dat *dat,
                        const struct cairn_event *event, uint16_t id)
{
    struct export_print_output *record = &dat->record;

    put_common(record, event, id, NULL);
    dat->texts.at = dat->texts.begin;
    put_fields(exporter, dat, event);
    if (event->type->is_eventheader)
        put_eventheader(exporter, dat, event);
    if (record->error || dat->texts.error)
        return;
    move_places(dat, decode_layout_of(event->type));
    export_output_bytes(record, dat->texts.begin, (size_t)(dat->texts.at - dat->texts.begin));
}

/* ---- events ---- */

static int find_cpu(struct cairn_exporter *exporter, struct trace_dat *dat,
                    const struct cairn_event *event, struct exchange_ring **ret_ring)
{
    bool has_cpu = event->has & CAIRN_EVENT_CPU && event->cpu < CPUS_MAX;
    uint32_t cpu = has_cpu ? event->cpu : 0;
    void *bigger;

    if (!has_cpu)
        exchange_note(exporter, CAIRN_EXPORTER_NO_CPU);
    if (cpu >= dat->cpu_count) {
        bigger = realloc(dat->cpus, (cpu + 1) * sizeof(*dat->cpus));
        if (!bigger)
            return ENOMEM;
        dat->cpus = (struct exchange_ring *)bigger;
        memset(dat->cpus + dat->cpu_count, 0, (cpu + 1 - dat->cpu_count) * sizeof(*dat->cpus));
        dat->cpu_count = cpu + 1;
    }
    *ret_ring = &dat->cpus[cpu];
    return 0;
}

static int add_record(struct cairn_exporter *exporter, struct trace_dat *dat,
                      const struct cairn_event *event)
{
    size_t size_bytes = (size_t)(dat->record.at - dat->record.begin);
    uint64_t lost = exchange_lost(exporter);
    struct exchange_ring *ring = NULL;
    int err;

    if (size_bytes > EXCHANGE_RING_EVENT_MAX) {
        exchange_note(exporter, CAIRN_EXPORTER_TOO_LARGE);
        return 0;
    }
    err = find_cpu(exporter, dat, event, &ring);
    if (!err && lost > dat->lost) {
        err = exchange_ring_lose(&dat->spool, ring, lost - dat->lost);
        dat->lost = lost;
    }
    if (err)
        return err;
    return exchange_ring_add(&dat->spool, ring, exporter->last_ns, dat->record.begin,
                             (uint32_t)size_bytes);
}

static int note_thread(struct trace_dat *dat, const struct cairn_event *event)
{
    struct exchange_thread *thread;

    return event->has & CAIRN_EVENT_TID ? exchange_threads_of(&dat->threads, event, &thread) : 0;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct trace_dat *dat = (struct trace_dat *)exporter->state;
    bool is_raw = exchange_dat_is_raw(event);
    const struct exchange_dat_class *class = NULL;
    int err = find_class(exporter, dat, event, is_raw, &class);

    (void)exchange_time_of(exporter, event);
    if (!err)
        err = note_thread(dat, event);
    if (err)
        return err;
    if (!class->id) {
        exchange_note(exporter, CAIRN_EXPORTER_TOO_LARGE);
        return 0;
    }
    dat->record.at = dat->record.begin;
    if (is_raw) {
        put_common(&dat->record, event, class->id, event->raw);
        export_output_bytes(&dat->record, event->raw + EXCHANGE_DAT_COMMON_BYTES,
                            event->raw_bytes - EXCHANGE_DAT_COMMON_BYTES);
        if (event->error)
            exchange_note_damage(exporter);
    } else {
        make_record(exporter, dat, event, class->id);
    }
    if (dat->record.error || dat->texts.error)
        return ENOMEM;
    return add_record(exporter, dat, event);
}

/* ---- the file ---- */

static void put_u32(struct export_print_output *out, uint32_t number)
{
    put_integer(out, number, 4);
}

static void put_sized(struct export_print_output *out, const char *text, size_t size_bytes)
{
    put_integer(out, size_bytes, 8);
    export_output_bytes(out, text, size_bytes);
}

static int compare_classes(const void *a, const void *b)
{
    const struct exchange_dat_class *one = *(const struct exchange_dat_class *const *)a;
    const struct exchange_dat_class *two = *(const struct exchange_dat_class *const *)b;
    size_t length = one->system_bytes < two->system_bytes ? one->system_bytes : two->system_bytes;
    int order = memcmp(one->texts, two->texts, length);

    if (!order)
        order = (one->system_bytes > two->system_bytes) - (one->system_bytes < two->system_bytes);
    return order ? order : (one->id > two->id) - (one->id < two->id);
}

static bool is_same_system(const struct exchange_dat_class *one,
                           const struct exchange_dat_class *two)
{
    return one->system_bytes == two->system_bytes &&
           !memcmp(one->texts, two->texts, one->system_bytes);
}

/* Descriptions by their systems. */
static void put_descriptions(struct trace_dat *dat, struct export_print_output *out)
{
    uint32_t systems = 0;

    if (dat->class_count)
        qsort((void *)dat->list, dat->class_count, sizeof(*dat->list), compare_classes);
    for (uint32_t n = 0; n < dat->class_count; n++)
        systems += !n || !is_same_system(dat->list[n - 1], dat->list[n]);
    put_u32(out, systems);
    for (uint32_t n = 0; n < dat->class_count;) {
        const struct exchange_dat_class *first = dat->list[n];
        uint32_t end = n;

        while (end < dat->class_count && is_same_system(first, dat->list[end]))
            end++;
        export_output_bytes(out, first->texts, first->system_bytes);
        export_output_byte(out, 0);
        put_u32(out, end - n);
        for (; n < end; n++)
            put_sized(out, dat->list[n]->texts + dat->list[n]->system_bytes,
                      dat->list[n]->text_bytes);
    }
}

/* "PID NAME" lines; a name has no spaces at its end, and no ends of lines. */
static void put_threads(struct cairn_exporter *exporter, struct trace_dat *dat,
                        struct export_print_output *out)
{
    struct export_print_output *lines = &dat->texts;

    lines->at = lines->begin;
    for (uint32_t n = 0; n < dat->threads.slot_count; n++) {
        const struct exchange_thread *thread = dat->threads.slots[n];
        size_t begin;

        if (!thread || !*thread->comm)
            continue;
        exchange_json_number(lines, thread->tid);
        export_output_byte(lines, ' ');
        begin = (size_t)(lines->at - lines->begin);
        exchange_put_text(exporter, lines,
                          (struct cairn_slice){thread->comm, (uint32_t)strlen(thread->comm)});
        if (!lines->error)
            (void)exchange_fold_name(lines->begin + begin,
                                     (size_t)(lines->at - lines->begin) - begin);
        export_output_byte(lines, '\n');
    }
    put_sized(out, lines->begin, (size_t)(lines->at - lines->begin));
    export_output_fail(out, lines->error);
}

/* Adds the strings of a recording's kernel. Several recordings of one have the same. */
static void add_strings(struct export_print_output *lines, struct cairn_slice text)
{
    size_t used = (size_t)(lines->at - lines->begin);

    if (!text.length || used + text.length >= UINT32_MAX ||
        memmem(lines->begin, used, text.text, text.length))
        return;
    export_output_bytes(lines, text.text, text.length);
    if (text.text[text.length - 1] != '\n')
        export_output_byte(lines, '\n');
}

/* The kernel's constant strings: recorded events have pointers to them. */
static void put_strings(const struct cairn_exporter *exporter, struct trace_dat *dat,
                        struct export_print_output *out)
{
    const struct cairn_reader *reader = exporter->reader;
    struct export_print_output *lines = &dat->texts;
    size_t count = reader ? decode_reader_source_count(reader) : 0;

    lines->at = lines->begin;
    for (size_t n = 0; n < count; n++)
        add_strings(lines, decode_kernel_strings_text(
                               decode_kernel_of(decode_reader_source_at(reader, n)->decoder)));
    put_u32(out, (uint32_t)(lines->at - lines->begin));
    export_output_bytes(out, lines->begin, (size_t)(lines->at - lines->begin));
    export_output_fail(out, lines->error);
}

static void put_head(struct cairn_exporter *exporter, struct trace_dat *dat,
                     struct export_print_output *out)
{
    static const char magic[] = "\027\010\104tracing6";

    export_output_bytes(out, magic, sizeof(magic));
    export_output_byte(out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    export_output_byte(out, 8); /* the size of a long: of the kernel's, whose pages are made here */
    put_u32(out, EXCHANGE_RING_PAGE_BYTES);
    export_output_bytes(out, "header_page", sizeof("header_page"));
    put_sized(out, header_page, sizeof(header_page) - 1);
    export_output_bytes(out, "header_event", sizeof("header_event"));
    put_sized(out, header_event, sizeof(header_event) - 1);
    put_u32(out, 0); /* ftrace's own events */
    put_descriptions(dat, out);
    put_u32(out, 0); /* symbols of the kernel */
    put_strings(exporter, dat, out);
    put_threads(exporter, dat, out);
    put_u32(out, dat->cpu_count);
    export_output_bytes(out, "options  ", sizeof("options  "));
    put_integer(out, 0, 2); /* no more options */
    export_output_bytes(out, "flyrecord", sizeof("flyrecord"));
}

/* The data of each CPU begins at a page. */
static void put_places(const struct trace_dat *dat, struct export_print_output *out)
{
    uint64_t at = (uint64_t)(out->at - out->begin) + 16 * (uint64_t)dat->cpu_count;

    at = (at + EXCHANGE_RING_PAGE_BYTES - 1) / EXCHANGE_RING_PAGE_BYTES * EXCHANGE_RING_PAGE_BYTES;
    for (uint32_t n = 0; n < dat->cpu_count; n++) {
        uint64_t size_bytes = dat->cpus[n].page_count * EXCHANGE_RING_PAGE_BYTES;

        put_integer(out, at, 8);
        put_integer(out, size_bytes, 8);
        at += size_bytes;
    }
    while (!out->error && (size_t)(out->at - out->begin) % EXCHANGE_RING_PAGE_BYTES)
        export_output_byte(out, 0);
}

static int finish(struct cairn_exporter *exporter)
{
    struct trace_dat *dat = (struct trace_dat *)exporter->state;
    struct export_print_output *head = &dat->scratch;
    int err = 0;

    if (!dat->cpu_count) { /* trace-cmd reads no file without a CPU */
        dat->cpus = (struct exchange_ring *)calloc(1, sizeof(*dat->cpus));
        if (!dat->cpus)
            return ENOMEM;
        dat->cpu_count = 1;
    }
    for (uint32_t n = 0; n < dat->cpu_count && !err; n++)
        err = exchange_ring_finish(&dat->spool, &dat->cpus[n]);
    head->at = head->begin;
    put_head(exporter, dat, head);
    put_places(dat, head);
    if (!err)
        err = head->error;
    if (err)
        return err;
    export_output_bytes(&exporter->out, head->begin, (size_t)(head->at - head->begin));
    for (uint32_t n = 0; n < dat->cpu_count && !err; n++)
        err = exchange_stream_copy(&dat->spool, &dat->cpus[n].stream, &exporter->out);
    return err;
}

/* ---- begin and end ---- */

static int begin(struct cairn_exporter *exporter)
{
    struct trace_dat *dat = (struct trace_dat *)calloc(1, sizeof(*dat));
    int err;

    if (!dat)
        return ENOMEM;
    exporter->state = dat;
    err = exchange_spool_open(&dat->spool);
    if (!err)
        err = exchange_json_open(&dat->json);
    if (!err)
        err = export_output_open(&dat->record, -1);
    if (!err)
        err = export_output_open(&dat->texts, -1);
    return err ? err : export_output_open(&dat->scratch, -1);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct trace_dat *dat = (struct trace_dat *)exporter->state;

    if (!dat)
        return;
    for (uint32_t n = 0; n < dat->cpu_count; n++)
        exchange_ring_free(&dat->cpus[n]);
    free(dat->cpus);
    free((void *)dat->list);
    exchange_classes_free(&dat->recorded);
    exchange_classes_free(&dat->made);
    exchange_threads_free(&dat->threads);
    exchange_json_close(&dat->json);
    exchange_spool_close(&dat->spool);
    export_output_close(&dat->record);
    export_output_close(&dat->texts);
    export_output_close(&dat->scratch);
    free(dat);
}

const struct exchange_format exchange_format_trace_dat = {
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
