/* SPDX-License-Identifier: MIT */
/*
 * Test of filters on the fields of EventHeader events: random filters choose the same of random
 * events in the writer, when they are applied to a recording, and by an evaluation of the test's
 * own.
 */
#include "session/internal.h"
#include "session_test.h"
#include "trace_file/eventheader.h"

#include <arpa/inet.h>
#include <cairn/decode.h>
#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <cairn/select.h>
#include <fnmatch.h>
#include <inttypes.h>

#define EVENTS      96u
#define SHAPES      24u
#define FIELDS_MAX  7u
#define ELEMENTS    3u
#define FILTERS     60u
#define TEXT_BYTES  48u
#define FILTER_SIZE 400u

static struct cairn_dynamic_provider *provider;
static struct cairn_event_set *set;
static struct cairn_builder *builder;

static uint32_t next_random(uint32_t below)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % below;
}

/* ---- events, as the test knows them ---- */

struct type {
    uint8_t encoding;
    uint8_t format;
    bool is_text;
    bool is_signed;
};

/* Each encoding and format that a type of docs/eventheader.md has. */
static const struct type types[] = {
    {CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_DEFAULT, false, false},
    {CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_HEX_INT, false, false},
    {CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_SIGNED_INT, false, true},
    {CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_BOOLEAN, false, false},
    {CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_STRING8, true, false},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_DEFAULT, false, false},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_UNSIGNED_INT, false, false},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_HEX_INT, false, false},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_SIGNED_INT, false, true},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_PORT, false, false},
    {CAIRN_ENCODING_VALUE16, CAIRN_FORMAT_STRING_UTF, true, false},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_DEFAULT, false, false},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_UNSIGNED_INT, false, false},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_HEX_INT, false, false},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_SIGNED_INT, false, true},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_BOOLEAN, false, false},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_PID, false, true},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_ERRNO, false, true},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_TIME, false, true},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_FLOAT, false, true},
    {CAIRN_ENCODING_VALUE32, CAIRN_FORMAT_IP_ADDRESS, true, false},
    {CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_DEFAULT, false, false},
    {CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_HEX_INT, false, false},
    {CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_SIGNED_INT, false, true},
    {CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_TIME, false, true},
    {CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_FLOAT, false, true},
    {CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_IP_ADDRESS, true, false},
    {CAIRN_ENCODING_VALUE128, CAIRN_FORMAT_UUID, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR8, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR8, CAIRN_FORMAT_STRING8, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR8, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR8, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR16, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR16, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR16, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR32, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR32, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_ZSTRING_CHAR32, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_STRING8, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR8, CAIRN_FORMAT_HEX_BYTES, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR16, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR16, CAIRN_FORMAT_STRING_UTF, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR16, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR16, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR32, CAIRN_FORMAT_DEFAULT, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR32, CAIRN_FORMAT_STRING_JSON, true, false},
    {CAIRN_ENCODING_STRING_LENGTH16_CHAR32, CAIRN_FORMAT_STRING_XML, true, false},
    {CAIRN_ENCODING_BINARY_LENGTH16_CHAR8, CAIRN_FORMAT_DEFAULT, true, false},
};
#define TYPES (sizeof(types) / sizeof(*types))

struct field {
    const struct type *type;
    bool is_array;
    bool is_fixed;  /* an array whose length is in the metadata */
    bool is_member; /* of the struct S */
    bool is_inner;  /* of the struct T in it */
};

struct shape {
    struct field fields[FIELDS_MAX];
    uint32_t field_count;
};

struct value {
    int64_t number;
    char text[TEXT_BYTES];
    uint8_t bytes[64]; /* as they are written: */
    uint32_t units;    /* how many there are */
};

struct event {
    const struct shape *shape;
    uint32_t counts[FIELDS_MAX];
    struct value values[FIELDS_MAX][ELEMENTS];
};

static struct shape shapes[SHAPES];
static struct event events[EVENTS];

static uint32_t unit_of(uint8_t encoding)
{
    static const uint8_t units[] = {0, 0, 1, 2, 4, 8, 16, 1, 2, 4, 1, 2, 4, 1};

    return units[encoding];
}

static void put(uint8_t *to, uint64_t value, uint32_t size_bytes)
{
    memcpy(to, &value, size_bytes);
}

static void make_number(struct value *v, const struct type *type)
{
    float single;
    double number;
    uint32_t size = unit_of(type->encoding);

    v->number = (int64_t)next_random(10) - (type->is_signed ? 3 : 0);
    if (type->format == CAIRN_FORMAT_BOOLEAN)
        v->number &= 1;
    put(v->bytes, (uint64_t)v->number, size);
    if (type->format == CAIRN_FORMAT_PORT)
        put(v->bytes, htons((uint16_t)v->number), size);
    if (type->format != CAIRN_FORMAT_FLOAT)
        return;
    number = (double)v->number + (v->number < 0 ? -0.25 : 0.25);
    single = (float)number;
    if (size == sizeof(single))
        memcpy(v->bytes, &single, sizeof(single));
    else
        memcpy(v->bytes, &number, sizeof(number));
}

/* Up to four letters; the last of the alphabet is no ASCII. */
static void make_letters(struct value *v, const struct type *type)
{
    uint32_t unit = unit_of(type->encoding);
    uint32_t count = type->encoding <= CAIRN_ENCODING_VALUE128 ? 1 : next_random(5);
    bool is_utf8 = unit == 1 && type->format != CAIRN_FORMAT_STRING8;

    v->units = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t letter = next_random(3);

        strcat(v->text, letter == 0 ? "a" : letter == 1 ? "b" : "\xc3\xa9");
        if (letter == 2 && is_utf8)
            put(v->bytes + v->units++, 0xc3, 1);
        put(v->bytes + (size_t)v->units++ * unit,
            letter == 0   ? 'a'
            : letter == 1 ? 'b'
            : is_utf8     ? 0xa9
                          : 0xe9,
            unit);
    }
}

static void make_bytes(struct value *v, uint32_t count, bool is_text, bool is_uuid)
{
    v->units = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";

        v->bytes[i] = (uint8_t)(next_random(3) * 0x5b);
        if (is_text)
            snprintf(v->text + strlen(v->text), 8, "%s%02x",
                     is_uuid ? dash
                     : i     ? " "
                             : "",
                     v->bytes[i]);
    }
}

static void make_value(struct value *v, const struct type *type)
{
    *v = (struct value){.units = 1};
    if (!type->is_text) {
        make_number(v, type);
    } else if (type->format == CAIRN_FORMAT_IP_ADDRESS) {
        make_bytes(v, unit_of(type->encoding), false, false);
        inet_ntop(v->units == 4 ? AF_INET : AF_INET6, v->bytes, v->text, sizeof(v->text));
    } else if (type->format == CAIRN_FORMAT_UUID) {
        make_bytes(v, 16, true, true);
    } else if (type->encoding == CAIRN_ENCODING_BINARY_LENGTH16_CHAR8 ||
               type->format == CAIRN_FORMAT_HEX_BYTES) {
        make_bytes(v, next_random(4), true, false);
    } else {
        make_letters(v, type);
    }
}

static bool has_fixed_size(const struct type *type)
{
    return type->encoding <= CAIRN_ENCODING_VALUE128;
}

static void make_events(void)
{
    uint32_t next_type = next_random(TYPES);

    for (uint32_t s = 0; s < SHAPES; s++) {
        shapes[s].field_count = 2 + next_random(FIELDS_MAX - 1);
        for (uint32_t f = 0; f < shapes[s].field_count; f++) {
            struct field *field = &shapes[s].fields[f];

            field->type = &types[next_type++ % TYPES]; /* each one occurs */
            field->is_array = !next_random(3);
            field->is_fixed = field->is_array && has_fixed_size(field->type) && next_random(2);
            field->is_member = f + 2 >= shapes[s].field_count;
            field->is_inner = s % 2 && f + 1 == shapes[s].field_count;
        }
    }
    for (uint32_t e = 0; e < EVENTS; e++) {
        struct event *event = &events[e];

        event->shape = &shapes[next_random(SHAPES)];
        for (uint32_t f = 0; f < event->shape->field_count; f++) {
            const struct field *field = &event->shape->fields[f];

            event->counts[f] = field->is_fixed   ? 2
                               : field->is_array ? next_random(ELEMENTS + 1)
                                                 : 1;
            for (uint32_t i = 0; i < event->counts[f]; i++)
                make_value(&event->values[f][i], field->type);
        }
    }
}

/* ---- writing ---- */

static void add_texts(const char *name, const struct field *field, const struct event *event,
                      uint32_t f)
{
    struct cairn_event_text texts[ELEMENTS];

    for (uint32_t i = 0; i < event->counts[f]; i++)
        texts[i] = (struct cairn_event_text){event->values[f][i].bytes, event->values[f][i].units};
    if (field->is_array)
        cairn_builder_texts(builder, name, field->type->encoding, field->type->format, 0, texts,
                            event->counts[f]);
    else
        cairn_builder_text(builder, name, field->type->encoding, field->type->format, 0,
                           texts[0].units, texts[0].count);
}

static void add_values(const char *name, const struct field *field, const struct event *event,
                       uint32_t f)
{
    uint8_t bytes[16 * ELEMENTS] = {0};
    uint32_t unit = unit_of(field->type->encoding);
    const struct type *type = field->type;

    for (uint32_t i = 0; i < event->counts[f]; i++)
        memcpy(bytes + (size_t)i * unit, event->values[f][i].bytes, unit);
    if (field->is_fixed)
        cairn_builder_fixed_values(builder, name, type->encoding, type->format, 0, bytes,
                                   event->counts[f]);
    else if (field->is_array)
        cairn_builder_values(builder, name, type->encoding, type->format, 0, bytes,
                             event->counts[f]);
    else
        cairn_builder_value(builder, name, type->encoding, type->format, 0, bytes);
}

static void write_event(uint32_t number)
{
    const struct event *event = &events[number];
    const struct shape *shape = event->shape;

    cairn_builder_begin(builder, "Event", 0);
    cairn_builder_value(builder, "Number", CAIRN_ENCODING_VALUE32, 0, 0, &number);
    for (uint32_t f = 0; f < shape->field_count; f++) {
        char name[16];

        if (shape->fields[f].is_member && (!f || !shape->fields[f - 1].is_member))
            cairn_builder_struct_begin(builder, "S", 0);
        if (shape->fields[f].is_inner)
            cairn_builder_struct_begin(builder, "T", 0);
        snprintf(name, sizeof(name), "f%u", f);
        if (has_fixed_size(shape->fields[f].type))
            add_values(name, &shape->fields[f], event, f);
        else
            add_texts(name, &shape->fields[f], event, f);
    }
    if (shape->fields[shape->field_count - 1].is_inner)
        cairn_builder_struct_end(builder);
    if (shape->fields[shape->field_count - 1].is_member)
        cairn_builder_struct_end(builder);
    assert_int_equal(cairn_builder_write(builder, set, NULL, NULL), 0);
}

/* ---- filters, and an evaluation of them ---- */

struct term {
    uint32_t field;
    uint32_t index;
    bool is_element;
    bool is_member;
    bool is_inner;
    bool is_text;
    uint32_t op;
    int64_t number;
    char text[TEXT_BYTES + 4];
};

struct filter {
    struct term terms[3];
    bool is_or[2];
    bool last_in_parentheses; /* a X (b Y c); otherwise && goes before || */
    char text[FILTER_SIZE];
};

static const char *const number_ops[] = {"==", "!=", "<", "<=", ">", ">=", "&"};
static const char *const text_ops[] = {"==", "!=", "~"};

static void make_pattern(struct term *t, const struct value *sample)
{
    static const char *const patterns[] = {"a*", "*b", "*a*", "b", "*\xc3\xa9*", "?b*", "*", "a*b"};

    if (t->op < 2 || !next_random(3))
        snprintf(t->text, sizeof(t->text), "%s", sample->text);
    else
        snprintf(t->text, sizeof(t->text), "%s", patterns[next_random(8)]);
}

static void make_term(struct term *t, const struct event *of)
{
    const struct field *field;

    t->field = next_random(of->shape->field_count);
    field = &of->shape->fields[t->field];
    t->is_element = field->is_array;
    t->is_member = field->is_member;
    t->is_inner = field->is_inner;
    t->is_text = field->type->is_text;
    t->index = next_random(ELEMENTS);
    t->op = next_random(t->is_text ? 3 : 7);
    t->number = (int64_t)next_random(10) - (field->type->is_signed ? 3 : 0);
    make_pattern(t, &of->values[t->field][of->counts[t->field] ? 0 : 1]);
}

static void print_term(char *to, const struct term *t)
{
    const char *in = t->is_inner ? "S.T." : t->is_member ? "S." : "";
    char name[32];

    if (t->is_element)
        snprintf(name, sizeof(name), "%sf%u[%u]", in, t->field, t->index);
    else
        snprintf(name, sizeof(name), "%sf%u", in, t->field);
    if (t->is_text)
        sprintf(to, "%s %s \"%s\"", name, text_ops[t->op], t->text);
    else
        sprintf(to, "%s %s %" PRId64, name, number_ops[t->op], t->number);
}

static void make_filter(struct filter *f)
{
    const struct event *of = &events[next_random(EVENTS)];
    char terms[3][100];

    for (uint32_t i = 0; i < 3; i++) {
        make_term(&f->terms[i], of);
        print_term(terms[i], &f->terms[i]);
    }
    f->is_or[0] = next_random(2);
    f->is_or[1] = next_random(2);
    f->last_in_parentheses = next_random(2);
    snprintf(f->text, sizeof(f->text),
             f->last_in_parentheses ? "%s %s (%s %s %s)" : "%s %s %s %s %s", terms[0],
             f->is_or[0] ? "||" : "&&", terms[1], f->is_or[1] ? "||" : "&&", terms[2]);
}

/* Sets *ret_is_valid: a filter that names a field that the type lacks, or compares one as what it
 * is not, selects nothing, and neither does one that names an element that the event lacks. */
static bool is_term_true(const struct term *t, const struct event *event, bool *ret_is_valid)
{
    const struct field *field = &event->shape->fields[t->field];
    const struct value *v = &event->values[t->field][t->is_element ? t->index : 0];

    if (t->field >= event->shape->field_count || field->is_array != t->is_element ||
        field->is_member != t->is_member || field->is_inner != t->is_inner ||
        field->type->is_text != t->is_text ||
        (t->is_element && t->index >= event->counts[t->field]) ||
        (!t->is_text && t->number < 0 && !field->type->is_signed)) {
        *ret_is_valid = false;
        return false;
    }
    if (t->is_text)
        return t->op == 2 ? !fnmatch(t->text, v->text, 0)
                          : !strcmp(t->text, v->text) == (t->op == 0);
    switch (t->op) {
    case 0:
        return v->number == t->number;
    case 1:
        return v->number != t->number;
    case 2:
        return v->number < t->number;
    case 3:
        return v->number <= t->number;
    case 4:
        return v->number > t->number;
    case 5:
        return v->number >= t->number;
    default:
        return v->number & t->number;
    }
}

static bool combine(bool is_or, bool a, bool b)
{
    return is_or ? a || b : a && b;
}

static bool is_chosen(const struct filter *f, const struct event *event)
{
    bool is_valid = true;
    bool t[3];

    for (uint32_t i = 0; i < 3; i++)
        t[i] = is_term_true(&f->terms[i], event, &is_valid);
    if (!is_valid)
        return false;
    if (f->last_in_parentheses || (f->is_or[0] && !f->is_or[1]))
        return combine(f->is_or[0], t[0], combine(f->is_or[1], t[1], t[2]));
    return combine(f->is_or[1], combine(f->is_or[0], t[0], t[1]), t[2]);
}

/* ---- comparing ---- */

static void note_number(const struct cairn_perf_sample *sample, void *arg)
{
    bool *seen = arg;
    struct trace_file_eventheader parts;
    uint32_t number;

    assert_int_equal(trace_file_eventheader_parse(sample->raw + CAIRN_COMMON_BYTES,
                                                  sample->raw_size_bytes - CAIRN_COMMON_BYTES,
                                                  &parts),
                     0);
    memcpy(&number, parts.data, sizeof(number));
    assert_in_range(number, 0, EVENTS - 1);
    assert_false(seen[number]);
    seen[number] = true;
}

static uint64_t filtered_by_writers(const struct cairn_session *session)
{
    uint64_t filtered = 0;

    for (const struct session_pool *pool = session->directories->pools; pool; pool = pool->next)
        filtered += pool->reader.filtered;
    return filtered;
}

static void record_filtered(const char *pattern, const char *filter, bool seen[EVENTS],
                            uint64_t *ret_by_writers)
{
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;
    struct recording r = {0};

    options.patterns = &pattern;
    options.filters = &filter;
    options.pattern_count = 1;
    (void)snprintf(r.path, sizeof(r.path), "%s/output.perf.data", tracing_dir);
    r.fd = open(r.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    options.fd = r.fd;
    set_format(&options);
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    poll_recording(&r);
    for (uint32_t e = 0; e < EVENTS; e++)
        write_event(e);
    poll_recording(&r);
    *ret_by_writers = filtered_by_writers(r.session);
    memset(seen, 0, EVENTS * sizeof(*seen));
    end_recording(&r, note_number, seen);
}

/* Compares, and returns how many events were chosen. */
static uint32_t compare(const struct filter *filter, const bool seen[EVENTS], const char *by)
{
    uint32_t chosen = 0;

    for (uint32_t e = 0; e < EVENTS; e++) {
        bool expected = is_chosen(filter, &events[e]);

        if (seen[e] != expected)
            fail_msg("%s: event %u is %schosen by %s", filter->text, e, seen[e] ? "" : "not ", by);
        chosen += expected;
    }
    return chosen;
}

static void writers_choose_what_the_test_chooses(void **state)
{
    uint64_t filtered = 0;
    uint32_t chosen = 0;

    (void)state;
    for (uint32_t i = 0; i < FILTERS; i++) {
        bool seen[EVENTS];
        struct filter filter;
        uint64_t by_writers;

        make_filter(&filter);
        record_filtered("Rules_Test:*", filter.text, seen, &by_writers);
        chosen += compare(&filter, seen, "the writer");
        filtered += by_writers;
    }
    assert_in_range(chosen, FILTERS, FILTERS * EVENTS / 2);
    /* The rest are events that a builder did not have before: their records have no descriptor. */
    assert_in_range(filtered, FILTERS * EVENTS / 8, FILTERS * EVENTS);
}

/* ---- applied to a recording ---- */

struct selecting {
    struct cairn_decoder *decoder;
    struct cairn_selection *selection;
    uint32_t tracepoint;
    bool seen[EVENTS];
};

static void select_event(const struct cairn_perf_sample *sample, void *arg)
{
    struct selecting *s = arg;
    struct cairn_event event = {.comm = "test", .tid = sample->tid};
    bool is_selected;

    assert_int_equal(
        cairn_decoder_event(s->decoder, s->tracepoint, sample->raw, sample->raw_size_bytes, &event),
        0);
    assert_int_equal(cairn_selection_match(s->selection, &event, &is_selected), 0);
    if (is_selected)
        note_number(sample, s->seen);
}

static const char format[] =
    "name: Rules_Test_L4K1\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

/* All events are recorded once, and each filter is applied to them. */
struct kept {
    struct cairn_perf_sample samples[EVENTS];
    uint8_t raw[EVENTS][2048];
    uint32_t count;
};

static void keep_sample(const struct cairn_perf_sample *sample, void *arg)
{
    struct kept *kept = arg;

    assert_in_range(sample->raw_size_bytes, 0, sizeof(kept->raw[0]));
    memcpy(kept->raw[kept->count], sample->raw, sample->raw_size_bytes);
    kept->samples[kept->count] = *sample;
    kept->samples[kept->count].raw = kept->raw[kept->count];
    kept->count++;
}

static void recordings_are_filtered_alike(void **state)
{
    const struct cairn_decoder_format description = {.text = {format, sizeof(format) - 1},
                                                     .long_size_bytes = 8};
    struct recording r = begin_recording("Rules_Test_*", 0);
    struct selecting s = {0};
    static struct kept kept;

    (void)state;
    for (uint32_t e = 0; e < EVENTS; e++)
        write_event(e);
    end_recording(&r, keep_sample, &kept);
    assert_int_equal(kept.count, EVENTS);
    assert_int_equal(cairn_decoder_create(&s.decoder), 0);
    assert_int_equal(cairn_decoder_add(s.decoder, &description, &s.tracepoint), 0);
    for (uint32_t i = 0; i < 20 * FILTERS; i++) {
        struct cairn_selection_options options = CAIRN_SELECTION_OPTIONS_INIT;
        struct filter filter;

        make_filter(&filter);
        options.filter = filter.text;
        memset(s.seen, 0, sizeof(s.seen));
        if (!cairn_selection_create(&options, NULL, &s.selection)) {
            for (uint32_t e = 0; e < EVENTS; e++)
                select_event(&kept.samples[e], &s);
            cairn_selection_destroy(s.selection);
        } /* otherwise it compares a field with a number, and with a text: it is valid for no event
           */
        (void)compare(&filter, s.seen, "a selection");
    }
    cairn_decoder_destroy(s.decoder);
}

/* ---- by call sites ---- */

CAIRN_PROVIDER(sites, "Rules_Sites");

static void write_from_sites(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        CAIRN_WRITE_EVENT(sites, "Small", level(INFORMATION), keyword(1), u32("Number", i),
                          str8("Name", i % 2 ? "odd" : "even"));
        CAIRN_WRITE_EVENT(sites, "Other", level(INFORMATION), keyword(1), u32("Number", i));
    }
}

/* The path of nearly all events: the first event of a thread takes the general one. */
static void events_of_call_sites_are_filtered_before_they_are_committed(void **state)
{
    bool seen[EVENTS];
    uint64_t by_writers;
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;
    const char *pattern = "Rules_Sites:Small";
    const char *filter = "Number >= 10 && Name == \"odd\" && level == 4 && pid != 1";
    struct recording r = {0};

    (void)state;
    assert_int_equal(cairn_provider_register(&sites), 0);
    options.patterns = &pattern;
    options.filters = &filter;
    options.pattern_count = 1;
    (void)snprintf(r.path, sizeof(r.path), "%s/output.perf.data", tracing_dir);
    r.fd = open(r.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    options.fd = r.fd;
    set_format(&options);
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    poll_recording(&r);
    write_from_sites(EVENTS);
    poll_recording(&r);
    by_writers = filtered_by_writers(r.session);
    memset(seen, 0, sizeof(seen));
    end_recording(&r, note_number, seen);
    for (uint32_t i = 0; i < EVENTS; i++)
        assert_int_equal(seen[i], i >= 10 && i % 2);
    assert_int_equal(by_writers, 2 * EVENTS - (EVENTS - 10) / 2);
    assert_int_equal(r.counts.filtered, by_writers);
    assert_int_equal(r.counts.events, (EVENTS - 10) / 2);
    assert_int_equal(r.counts.lost, 0);
    cairn_provider_unregister(&sites);
}

static int set_up(void **state)
{
    (void)state;
    if (tracing_dir_make())
        return -1;
    make_events();
    assert_int_equal(cairn_dynamic_provider_create("Rules_Test", NULL, &provider), 0);
    assert_int_equal(cairn_event_set_register(provider, 4, 1, &set), 0);
    return cairn_builder_create(&builder);
}

static int tear_down(void **state)
{
    (void)state;
    cairn_builder_destroy(builder);
    assert_int_equal(cairn_dynamic_provider_destroy(provider), 0);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_choose_what_the_test_chooses),
        cmocka_unit_test(recordings_are_filtered_alike),
        cmocka_unit_test(events_of_call_sites_are_filtered_before_they_are_committed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
