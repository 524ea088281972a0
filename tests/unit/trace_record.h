/* SPDX-License-Identifier: MIT */
/* Records and names for tests of text output. */
#ifndef TESTS_UNIT_TRACE_RECORD_H
#define TESTS_UNIT_TRACE_RECORD_H

#include <cairn/record.h>
#include <cairn/kernel/trace_line.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A name, a schema made from a command text, and other data of an event. */
struct test_event {
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    cairn_trace_print *print;
    uint16_t id;
    const char *comm; /* the name of every thread; NULL: unknown */
};

static inline void test_event_init(struct test_event *event, const char *command)
{
    *event = (struct test_event){.id = 1500};
    assert_int_equal(
        cairn_schema_parse_command(command, event->fields, CAIRN_FIELDS_MAX, &event->schema, NULL),
        0);
}

static inline int test_event_find(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    const struct test_event *event = data;

    if (id != event->id)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){event->schema.name, &event->schema, event->print, 0};
    return 0;
}

static inline int test_event_comm(void *data, uint32_t tid, char ret_comm[16])
{
    const struct test_event *event = data;

    (void)tid;
    if (!event->comm)
        return ENOENT;
    snprintf(ret_comm, 16, "%s", event->comm);
    return 0;
}

static inline struct cairn_trace_names test_event_names(struct test_event *event)
{
    return (struct cairn_trace_names){test_event_find, test_event_comm, event};
}

/* Writes a record with this head, whose sizes are filled in. Returns the record's size. */
static inline size_t test_record(void *to, struct cairn_record_head head, const void *payload,
                                 uint32_t payload_bytes)
{
    uint32_t size = cairn_record_size(payload_bytes);

    head.type = CAIRN_RECORD_SAMPLE;
    head.size_bytes = (uint16_t)size;
    head.raw_size_bytes = size - (uint32_t)offsetof(struct cairn_record_head, common_type);
    memset(to, 0, size);
    memcpy(to, &head, sizeof(head));
    if (payload_bytes)
        memcpy((char *)to + sizeof(head), payload, payload_bytes);
    return size;
}

#endif
