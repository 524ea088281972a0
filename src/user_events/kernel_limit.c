/* SPDX-License-Identifier: MIT */
/*
 * The largest payload that the kernel accepts. perf copies an event's raw data into a buffer of
 * PERF_MAX_TRACE_SIZE bytes. The kernel does not export this number, but it does export the type of
 * the buffer: the array perf_trace_t, in the description of its types that a kernel with BTF has in
 * sysfs, readable by every user.
 */
#include "user_events/kernel_limit.h"
#include "core/atomic.h"

#include <cairn/record.h>
#include <cairn/schema.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES ((size_t)256 << 20)

struct types {
    const uint8_t *at; /* the types, followed by the names */
    uint32_t type_bytes;
    const char *names;
    uint32_t name_bytes;
};

/* Size of the data after a type's head; UINT32_MAX for an unknown kind. */
static uint32_t more_bytes(const struct btf_type *type)
{
    uint32_t count = BTF_INFO_VLEN(type->info);

    switch (BTF_INFO_KIND(type->info)) {
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
        return sizeof(uint32_t);
    case BTF_KIND_ARRAY:
        return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        return count * (uint32_t)sizeof(struct btf_member);
    case BTF_KIND_ENUM:
        return count * (uint32_t)sizeof(struct btf_enum);
    case BTF_KIND_FUNC_PROTO:
        return count * (uint32_t)sizeof(struct btf_param);
    case BTF_KIND_DATASEC:
        return count * (uint32_t)sizeof(struct btf_var_secinfo);
    case BTF_KIND_ENUM64:
        return count * (uint32_t)(3 * sizeof(uint32_t));
    case BTF_KIND_PTR:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPE_TAG:
        return 0;
    default:
        return UINT32_MAX;
    }
}

/* Finds the type with a number, counted from 1; or, for number 0, the typedef of a name. If it is
 * an array, its description is copied to *ret_array. */
static bool find_type(const struct types *types, uint32_t number, uint32_t name,
                      struct btf_type *ret_type, struct btf_array *ret_array)
{
    uint32_t at = 0;

    for (uint32_t i = 1; types->type_bytes - at >= sizeof(*ret_type); i++) {
        uint32_t more;

        memcpy(ret_type, types->at + at, sizeof(*ret_type));
        at += (uint32_t)sizeof(*ret_type);
        more = more_bytes(ret_type);
        if (more > types->type_bytes - at)
            return false;
        if (BTF_INFO_KIND(ret_type->info) == BTF_KIND_ARRAY)
            memcpy(ret_array, types->at + at, sizeof(*ret_array));
        if (number
                ? i == number
                : ret_type->name_off == name && BTF_INFO_KIND(ret_type->info) == BTF_KIND_TYPEDEF)
            return true;
        at += more;
    }
    return false;
}

/* Offset of a name among the names; 0: it is not there. */
static uint32_t find_name(const struct types *types, const char *name, size_t size_bytes)
{
    const char *found = memmem(types->names, types->name_bytes, name, size_bytes);

    return found ? (uint32_t)(found - types->names) + 1 : 0;
}

/* Size of perf_trace_t; 0: there is no such type, or it is no array of integers. */
static uint64_t size_of_buffer(const struct types *types)
{
    static const char name[] = "\0perf_trace_t";
    uint32_t at = find_name(types, name, sizeof(name));
    struct btf_array array = {0};
    struct btf_type type;

    if (!at || !find_type(types, 0, at, &type, &array) ||
        !find_type(types, type.type, 0, &type, &array) ||
        BTF_INFO_KIND(type.info) != BTF_KIND_ARRAY)
        return 0;
    at = array.nelems;
    if (!find_type(types, array.type, 0, &type, &array) || BTF_INFO_KIND(type.info) != BTF_KIND_INT)
        return 0;
    return (uint64_t)at * type.size;
}

static int parse(const uint8_t *bytes, size_t size_bytes, uint32_t *ret_payload_bytes)
{
    struct btf_header header;
    struct types types;
    uint64_t size;

    if (size_bytes < sizeof(header))
        return EBADMSG;
    memcpy(&header, bytes, sizeof(header));
    if (header.magic != BTF_MAGIC || header.hdr_len > size_bytes)
        return EBADMSG;
    bytes += header.hdr_len;
    size_bytes -= header.hdr_len;
    if (header.type_off > size_bytes || header.type_len > size_bytes - header.type_off ||
        header.str_off > size_bytes || header.str_len > size_bytes - header.str_off)
        return EBADMSG;
    types = (struct types){bytes + header.type_off, header.type_len,
                           (const char *)bytes + header.str_off, header.str_len};
    size = size_of_buffer(&types);
    if (size <= CAIRN_COMMON_BYTES || size > CAIRN_RECORD_MAX_BYTES)
        return EBADMSG;
    *ret_payload_bytes = (uint32_t)size - CAIRN_COMMON_BYTES;
    return 0;
}

static int read_all(int fd, uint8_t *to, size_t size_bytes)
{
    size_t at = 0;

    while (at < size_bytes) {
        ssize_t part = read(fd, to + at, size_bytes - at);

        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return part < 0 ? errno : EBADMSG;
        at += (size_t)part;
    }
    return 0;
}

/* The file has several MiB, for a short time: not from the program's heap. */
static int read_file(int fd, uint32_t *ret_payload_bytes)
{
    struct stat st;
    uint8_t *bytes;
    int error;

    if (fstat(fd, &st))
        return errno;
    if (st.st_size <= 0 || (size_t)st.st_size > FILE_MAX_BYTES)
        return EBADMSG;
    bytes = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (bytes == MAP_FAILED)
        return errno;
    error = read_all(fd, bytes, (size_t)st.st_size);
    if (!error)
        error = parse(bytes, (size_t)st.st_size, ret_payload_bytes);
    (void)munmap(bytes, (size_t)st.st_size);
    return error;
}

int user_events_kernel_limit_read(const char *path, uint32_t *ret_payload_bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error;

    if (fd < 0)
        return errno;
    error = read_file(fd, ret_payload_bytes);
    close(fd);
    return error;
}

static uint32_t found = ENGINE_KERNEL_PAYLOAD_MAX_BYTES;

uint32_t user_events_kernel_payload_max_bytes(void)
{
    return core_load_relaxed(&found);
}

/* Two threads may read at the same time: they get the same result. */
void user_events_kernel_limit_look(void)
{
    static bool looked;
    uint32_t bytes = 0;

    if (core_exchange_relaxed(&looked, true) ||
        user_events_kernel_limit_read("/sys/kernel/btf/vmlinux", &bytes) ||
        bytes < ENGINE_KERNEL_PAYLOAD_MAX_BYTES)
        return;
    core_store_relaxed(&found, bytes);
}
