/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints with the fields of the kernel's own: the `format` text is the kernel's to the byte.
 * And one with fields of every type: the kernel takes its command, and finds each field where it
 * is.
 */
#define CAIRN_KERNEL
#include "guest.h"

#include <cairn/typed_tracepoint.h>
#include <cairn/user_events.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

typedef uint32_t u32;

/* clang-format off */
CAIRN_TRACEPOINT(task_rename, TP_SYSTEM(task),
    TP_PROTO(pid_t pid), TP_ARGS(pid),
    TP_STRUCT__entry(__field(pid_t, pid) __array(char, oldcomm, 16) __array(char, newcomm, 16)
                     __field(short, oom_score_adj)),
    TP_fast_assign(__entry->pid = pid;),
    TP_printk("pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd", __entry->pid, __entry->oldcomm,
              __entry->newcomm, __entry->oom_score_adj));

CAIRN_TRACEPOINT(workqueue_queue_work, TP_SYSTEM(workqueue),
    TP_PROTO(const char *name), TP_ARGS(name),
    TP_STRUCT__entry(__field(void *, work) __field(void *, function) __string(workqueue, name)
                     __field(int, req_cpu) __field(int, cpu)),
    TP_fast_assign(__assign_str(workqueue);),
    TP_printk("work struct=%p function=%ps workqueue=%s req_cpu=%d cpu=%d", __entry->work,
              __entry->function, __get_str(workqueue), __entry->req_cpu, __entry->cpu));

CAIRN_TRACEPOINT(sched_process_exec, TP_SYSTEM(sched),
    TP_PROTO(const char *name), TP_ARGS(name),
    TP_STRUCT__entry(__string(filename, name) __field(pid_t, pid) __field(pid_t, old_pid)),
    TP_fast_assign(__assign_str(filename);),
    TP_printk("filename=%s pid=%d old_pid=%d", __get_str(filename), __entry->pid, __entry->old_pid));

CAIRN_TRACEPOINT(console, TP_SYSTEM(printk),
    TP_PROTO(size_t length), TP_ARGS(length),
    TP_STRUCT__entry(__dynamic_array(char, msg, length)),
    TP_fast_assign(),
    TP_printk("%s", __get_str(msg)));

#define name_of(number, name) { number, #name }
CAIRN_TRACEPOINT(softirq_raise, TP_SYSTEM(irq),
    TP_PROTO(unsigned int number), TP_ARGS(number),
    TP_STRUCT__entry(__field(unsigned int, vec)),
    TP_fast_assign(__entry->vec = number;),
    TP_printk("vec=%u [action=%s]", __entry->vec, __print_symbolic(__entry->vec, name_of(0, HI),
        name_of(1, TIMER), name_of(2, NET_TX), name_of(3, NET_RX), name_of(4, BLOCK), name_of(5, IRQ_POLL),
        name_of(6, TASKLET), name_of(7, SCHED), name_of(8, HRTIMER), name_of(9, RCU))));

CAIRN_TRACEPOINT(cpu_frequency_limits, TP_SYSTEM(power),
    TP_PROTO(u32 low), TP_ARGS(low),
    TP_STRUCT__entry(__field(u32, min_freq) __field(u32, max_freq) __field(u32, cpu_id)),
    TP_fast_assign(__entry->min_freq = low;),
    TP_printk("min=%lu max=%lu cpu_id=%lu", (unsigned long)__entry->min_freq,
              (unsigned long)__entry->max_freq, (unsigned long)__entry->cpu_id));

struct point {
    char x;
    int32_t y;
};

CAIRN_TRACEPOINT(cairn_every_type, TP_SYSTEM(user_events),
    TP_PROTO(const char *text, size_t count), TP_ARGS(text, count),
    TP_STRUCT__entry(
        __field(uint8_t, a) __field(int64_t, b) __field(bool, c) __field(char, d) __field(void *, e)
        __field_struct(struct point, f) __array(char, g, 16) __array(unsigned char, h, 6) __array(u32, i, 3)
        __array(struct point, j, 2) __string(k, text) __dynamic_array(u32, l, count)
        __rel_string(m, text) __rel_dynamic_array(struct point, n, count) __bitmask(o, count)
        __array(char, p, 2000)
    ),
    TP_fast_assign(__assign_str(k); __assign_rel_str(m);),
    TP_printk("%s", __get_str(k)));
/* clang-format on */

/* The number behind "ID: ". */
static uint32_t id_of(const char *format)
{
    unsigned int id = 0;
    const char *at = strstr(format, "\nID: ");

    assert_non_null(at);
    assert_int_equal(sscanf(at, "\nID: %u", &id), 1);
    return id;
}

static void formats_are_the_kernels(void **state)
{
    uint32_t compared = 0;

    (void)state;
    for (struct cairn_trace_event *const *event = __start_cairn_trace_events;
         event < __stop_cairn_trace_events; event++) {
        struct cairn_schema schema;
        char text[CAIRN_FORMAT_MAX_BYTES];
        char path[256];
        const char *wanted;

        if (*event == &cairn_event_cairn_every_type)
            continue;
        snprintf(path, sizeof(path), TRACING "/events/%s/%s/format", (*event)->system,
                 (*event)->name);
        wanted = guest_read(path);
        cairn_trace_event_schema(*event, &schema);
        assert_int_equal(
            cairn_schema_write_format(&schema, id_of(wanted), text, sizeof(text), NULL), 0);
        assert_string_equal(text, wanted);
        compared++;
    }
    assert_int_equal(compared, 6);
}

static void user_events_take_fields_of_every_type(void **state)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    struct cairn_schema kernel;
    const char *format;

    (void)state;
    cairn_trace_event_schema(&cairn_event_cairn_every_type, &schema);
    assert_int_equal(cairn_schema_write_command(&schema, command, sizeof(command), NULL), 0);
    assert_int_equal(setenv("CAIRN_BACKEND", "kernel", 1), 0);
    assert_int_equal(cairn_tracepoint_register(&tp, command), 0);

    format = guest_read(TRACING "/events/user_events/cairn_every_type/format");
    assert_int_equal(cairn_schema_parse_format(format, strlen(format), sizeof(long), fields,
                                               CAIRN_FIELDS_MAX, &kernel),
                     0);
    assert_int_equal(kernel.field_count - kernel.common_count, schema.field_count);
    for (uint32_t i = 0; i < schema.field_count; i++) {
        const struct cairn_field *field = &fields[kernel.common_count + i];

        assert_int_equal(field->offset, schema.fields[i].offset);
        assert_int_equal(field->size_bytes, schema.fields[i].size_bytes);
        assert_int_equal(field->location, schema.fields[i].location);
    }
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_the_kernels),
        cmocka_unit_test(user_events_take_fields_of_every_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
