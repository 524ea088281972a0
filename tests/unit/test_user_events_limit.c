/* SPDX-License-Identifier: MIT */
/* Test of finding the size of the kernel's largest event in the description of its types (BTF). */
#include "user_events/kernel_limit.h"

#include <errno.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* Names by their offsets: 0 none, 1 "long", 6 "perf_trace_t", 19 "a". */
static const char names[] = "\0long\0perf_trace_t\0a";

#define INFO(kind, count) ((uint32_t)(kind) << 24 | (count))

/* A struct, a 64-bit enum and a function before the types that are searched for, as in a kernel. */
struct file {
    struct btf_header header;
    struct btf_type structure;
    struct btf_member members[2];
    struct btf_type wide;
    uint32_t values[3];
    struct btf_type proto;
    struct btf_param param;
    struct btf_type alias; /* a type with that name that is not a typedef */
    struct btf_type pointer;
    struct btf_type buffer; /* the typedef: type 6 */
    struct btf_type array;
    struct btf_array shape;
    struct btf_type number;
    uint32_t encoding;
    char names[sizeof(names)];
};

static struct file make(uint32_t count, uint32_t size)
{
    struct file file = {
        .header = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(struct btf_header)},
        .structure = {.name_off = 19, .info = INFO(BTF_KIND_STRUCT, 2), .size = 16},
        .wide = {.name_off = 19, .info = INFO(BTF_KIND_ENUM64, 1), .size = 8},
        .proto = {.info = INFO(BTF_KIND_FUNC_PROTO, 1)},
        .alias = {.name_off = 6, .info = INFO(BTF_KIND_FWD, 0)},
        .pointer = {.info = INFO(BTF_KIND_PTR, 0), .type = 6},
        .buffer = {.name_off = 6, .info = INFO(BTF_KIND_TYPEDEF, 0), .type = 7},
        .array = {.info = INFO(BTF_KIND_ARRAY, 0)},
        .shape = {.type = 8, .index_type = 8, .nelems = count},
        .number = {.name_off = 1, .info = INFO(BTF_KIND_INT, 0), .size = size},
    };

    file.header.type_len = offsetof(struct file, names) - sizeof(file.header);
    file.header.str_off = file.header.type_len;
    file.header.str_len = sizeof(names);
    memcpy(file.names, names, sizeof(names));
    return file;
}

/* Calls user_events_kernel_limit_read with a file of these bytes. */
static int read_bytes(const void *bytes, size_t size_bytes, uint32_t *ret_payload_bytes)
{
    char path[] = "/tmp/cairn-test-XXXXXX";
    int fd = mkstemp(path);
    int error;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size_bytes), size_bytes);
    error = user_events_kernel_limit_read(path, ret_payload_bytes);
    close(fd);
    (void)unlink(path);
    return error;
}

static int read_made(const struct file *file, uint32_t *ret_payload_bytes)
{
    return read_bytes(file, sizeof(*file), ret_payload_bytes);
}

static void the_buffers_size_is_read_from_its_type(void **state)
{
    struct file file = make(1024, 8);
    uint32_t bytes = 0;

    (void)state;
    assert_int_equal(read_made(&file, &bytes), 0);
    assert_int_equal(bytes, 8184);
    file = make(512, 4);
    assert_int_equal(read_made(&file, &bytes), 0);
    assert_int_equal(bytes, 2040);
}

static void malformed_types_are_errors(void **state)
{
    struct file files[9];
    uint32_t bytes = 4711;

    (void)state;
    for (size_t i = 0; i < 9; i++)
        files[i] = make(1024, 8);
    files[0].header.magic = 1;
    files[1].header.hdr_len = UINT32_MAX;
    files[2].header.type_off = UINT32_MAX;
    files[3].header.str_len = UINT32_MAX;
    files[4].buffer.type = 1000;                             /* an index beyond the last type */
    files[5].shape.type = 7;                                 /* refers to itself */
    files[6].shape.nelems = UINT32_MAX;                      /* larger than any event */
    files[7].wide.info = INFO(31, 0);                        /* an unknown kind */
    files[8].structure.info = INFO(BTF_KIND_STRUCT, 0xffff); /* members beyond the end */
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(read_made(&files[i], &bytes), EBADMSG);
    assert_int_equal(bytes, 4711);
    assert_int_equal(user_events_kernel_limit_read("/nowhere/to/be/found", &bytes), ENOENT);
}

static void a_truncated_file_is_refused(void **state)
{
    const struct file file = make(1024, 8);
    uint32_t bytes;

    (void)state;
    for (size_t i = 0; i < offsetof(struct file, names) + sizeof(names); i++)
        assert_int_equal(read_bytes(&file, i, &bytes), EBADMSG);
}

static void this_kernel_has_a_type_or_the_usual_limit(void **state)
{
    (void)state;
    assert_int_equal(user_events_kernel_payload_max_bytes(), ENGINE_KERNEL_PAYLOAD_MAX_BYTES);
    user_events_kernel_limit_look();
    assert_in_range(user_events_kernel_payload_max_bytes(), ENGINE_KERNEL_PAYLOAD_MAX_BYTES, 65528);
    assert_int_equal(user_events_kernel_payload_max_bytes() % 8, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_buffers_size_is_read_from_its_type),
        cmocka_unit_test(malformed_types_are_errors),
        cmocka_unit_test(a_truncated_file_is_refused),
        cmocka_unit_test(this_kernel_has_a_type_or_the_usual_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
