/* SPDX-License-Identifier: MIT */
/* Replacements of the core's functions for the tests of CAIRN_TRACEPOINT. */
#include "trace_event_fake.h"

#include <errno.h>

struct fake fake;

void fake_reset(uint32_t todo)
{
    free(fake.raw);
    memset(&fake, 0, sizeof(fake));
    fake.todo = todo;
}

/* Never returns the record here: fake_reserve then checks the announced size. */
void *fake_enter(struct cairn_trace_event *event, struct cairn_trace_write *ret_write,
                 uint32_t record_bytes)
{
    memset(ret_write, 0, sizeof(*ret_write));
    ret_write->event = event;
    ret_write->todo = fake.todo;
    fake.event = event;
    fake.entered++;
    fake.record_bytes = record_bytes;
    return NULL;
}

struct cairn_trace_callback *const *fake_typed(const struct cairn_trace_write *write,
                                               uint32_t *ret_count)
{
    static struct cairn_trace_callback *callbacks[FAKE_CALLBACKS];

    assert_int_equal(write->todo, fake.todo);
    for (uint32_t i = 0; i < fake.callback_count; i++)
        callbacks[i] = &fake.callbacks[i];
    *ret_count = fake.callback_count;
    return callbacks;
}

void *fake_reserve(struct cairn_trace_write *write, uint32_t raw_bytes)
{
    const struct cairn_trace_common common = {write->event->id, 1, 2, 3};

    free(fake.raw);
    fake.raw = NULL;
    if (fake.record_bytes != UINT32_MAX)
        assert_int_equal(fake.record_bytes, raw_bytes);
    if (raw_bytes > FAKE_RAW_MAX_BYTES) {
        fake.refused++;
        return NULL;
    }
    fake.raw = malloc(raw_bytes);
    assert_non_null(fake.raw);
    memset(fake.raw, 0xee, raw_bytes);
    memcpy(fake.raw, &common, sizeof(common));
    fake.raw_bytes = raw_bytes;
    return fake.raw;
}

void fake_commit(struct cairn_trace_write *write)
{
    assert_ptr_equal(write->event, fake.event);
    fake.committed++;
}

void fake_raw(struct cairn_trace_write *write, const uint64_t *arguments, uint32_t count)
{
    assert_int_equal(count, write->event->event_class->argument_count);
    memcpy(fake.arguments, arguments, count * sizeof(arguments[0]));
    fake.argument_count = count;
}

void fake_leave(struct cairn_trace_write *write)
{
    assert_ptr_equal(write->event, fake.event);
    fake.left++;
}

void fake_finish(struct cairn_trace_write *write)
{
    assert_int_equal(write->todo, CAIRN_TRACE_DO_RECORD);
    fake_commit(write);
    fake_leave(write);
}

int fake_callback_add(struct cairn_trace_event *event, enum cairn_trace_callback_kind kind,
                      void (*function)(void), void *data, int32_t priority)
{
    assert_non_null(event);
    assert_int_equal(kind, CAIRN_TRACE_TYPED);
    assert_true(fake.callback_count < FAKE_CALLBACKS);
    fake.callbacks[fake.callback_count++] =
        (struct cairn_trace_callback){.function = function, .data = data, .priority = priority};
    return 0;
}

int fake_callback_remove(struct cairn_trace_event *event, enum cairn_trace_callback_kind kind,
                         void (*function)(void), void *data)
{
    assert_non_null(event);
    assert_int_equal(kind, CAIRN_TRACE_TYPED);
    for (uint32_t i = 0; i < fake.callback_count; i++) {
        if (fake.callbacks[i].function == function && fake.callbacks[i].data == data) {
            fake.callbacks[i].function = NULL;
            return 0;
        }
    }
    return ENOENT;
}

const char *fake_print(const struct cairn_trace_class *event_class, const void *raw,
                       size_t raw_bytes)
{
    static char line[4096];
    struct cairn_text text = cairn_text(line, sizeof(line) - 1);
    uint8_t *copy = calloc(raw_bytes + CAIRN_TRACE_PRINT_SLACK_BYTES, 1);

    assert_non_null(copy);
    memcpy(copy, raw, raw_bytes);
    event_class->print(&text, copy, raw_bytes);
    free(copy);
    line[cairn_text_length(&text)] = '\0';
    return line;
}
