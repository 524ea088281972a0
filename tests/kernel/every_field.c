/* SPDX-License-Identifier: MIT */
#include "every_field.h"

#include "guest.h"

#include <cairn/typed_tracepoint.h>
#include <cairn/user_events.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fields {
    uint8_t a;
    int8_t b;
    uint16_t c;
    int16_t d;
    uint32_t e;
    int32_t f;
    uint64_t g;
    int64_t h;
    int i;
    unsigned int j;
    short k;
    unsigned short l;
    unsigned char m;
    char n;
    char o[6];
    unsigned char p[3];
    int32_t q[2];
    uint32_t r, s, t;
    char data[5], rel[4];
    uint16_t numbers[2];
} __attribute__((packed));

#define AT(member) (CAIRN_COMMON_BYTES + (uint32_t)offsetof(struct fields, member))

#define SIZE_OF(member) ((uint32_t)sizeof(((struct fields *)0)->member) << 16)

/* The places of dynamic fields, and what is in them. */
#define DYNAMIC                                                                      \
    .r = SIZE_OF(data) | AT(data), .s = SIZE_OF(rel) | (AT(rel) - AT(s) - 4),        \
    .t = SIZE_OF(numbers) | (AT(numbers) - AT(t) - 4), .data = "data", .rel = "rel", \
    .numbers = {13, 65535}

static const struct fields small = {
    .a = 1,
    .b = INT8_MIN,
    .c = 2,
    .d = INT16_MIN,
    .e = 3,
    .f = INT32_MIN,
    .g = 4,
    .h = INT64_MIN,
    .i = -1,
    .j = 5,
    .k = -2,
    .l = 6,
    .m = 7,
    .n = 'x',
    .o = "fixed",
    .p = {8, 9, 10},
    .q = {11, -12},
    DYNAMIC,
};

static const struct fields large = {
    .a = UINT8_MAX,
    .b = INT8_MAX,
    .c = UINT16_MAX,
    .d = INT16_MAX,
    .e = UINT32_MAX,
    .f = INT32_MAX,
    .g = UINT64_MAX,
    .h = INT64_MAX,
    .i = INT_MAX,
    .j = UINT_MAX,
    .k = SHRT_MAX,
    .l = USHRT_MAX,
    .m = UCHAR_MAX,
    .n = '~',
    .o = "FIXED",
    .p = {254, 255},
    .q = {-1, 1 << 30},
    DYNAMIC,
};

/* clang-format off */
CAIRN_TRACEPOINT(typed, TP_SYSTEM(cairn),
    TP_PROTO(const struct fields *from), TP_ARGS(from),
    TP_STRUCT__entry(
        __field(uint8_t, a) __field(int8_t, b) __field(uint16_t, c) __field(int16_t, d)
        __field(uint32_t, e) __field(int32_t, f) __field(uint64_t, g) __field(int64_t, h)
        __array(char, o, 6) __array(unsigned char, p, 3)
        __string(r, from->data) __rel_string(s, from->rel) __rel_dynamic_array(uint16_t, t, 2)
    ),
    TP_fast_assign(
        __entry->a = from->a; __entry->b = from->b; __entry->c = from->c; __entry->d = from->d;
        __entry->e = from->e; __entry->f = from->f; __entry->g = from->g; __entry->h = from->h;
        memcpy(__entry->o, from->o, sizeof(from->o));
        memcpy(__entry->p, from->p, sizeof(from->p));
        __assign_str(r);
        __assign_rel_str(s);
        memcpy(__get_rel_dynamic_array(t), from->numbers, sizeof(from->numbers));
    ),
    TP_printk("a=%u", __entry->a));
/* clang-format on */

static char writer[PATH_MAX + 16];

static int write_fields(void)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct iovec parts[] = {{(void *)&small, sizeof(small)}, {(void *)&large, sizeof(large)}};
    int error = cairn_tracepoint_register(&tp, EVERY_FIELD_COMMAND);

    for (int i = 0; !error && i < 2; i++)
        error = cairn_tracepoint_write(&tp, &parts[i], 1);
    trace_typed(&small);
    trace_typed(&large);
    if (!error)
        puts("all were written");
    return error;
}

void every_field_main(int argc, char **argv)
{
    char self[PATH_MAX] = "";

    if (argc == 2 && !strcmp(argv[1], "--every-field"))
        exit(write_fields());
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 ||
        setenv("CAIRN_BACKEND", "kernel", 1))
        exit(1);
    (void)snprintf(writer, sizeof(writer), "%s --every-field", self);
}

int every_field_register(void **state)
{
    static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    return cairn_tracepoint_register(&tp, EVERY_FIELD_COMMAND);
}

const char *every_field_output_of(const char *format)
{
    return guest_output_of(format, writer, writer, writer);
}
