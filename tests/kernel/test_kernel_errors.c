/* SPDX-License-Identifier: MIT */
/*
 * The table of docs/errors.md: what the kernel itself says of each mistake, and what cairn's two
 * backends say. On a machine without user_events the local engine's column only is checked.
 */
#include "guest.h"

#include "local/session.h"
#include "tracing_dir.h"
#include "local/kernel_abi.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* An event as one of the three sees it. */
struct entry {
    struct cairn_tracepoint tp;
    char command[640];
    uint32_t word;  /* what the kernel itself sets a bit of */
    uint32_t index; /* that the kernel gave */
};

/* One who is asked: a column of the table. Functions return 0 or an errno code. */
struct side {
    const char *column;
    int (*add)(struct entry *e, uint32_t flags);
    int (*remove)(struct entry *e);
    int (*write)(struct entry *e, const struct iovec *parts, int count);
    int (*delete)(const char *name);
    void (*listen)(const char *name, bool on);
};

static struct cairn_local recorder = {.lock_fd = -1};

/* ---- the kernel itself ---- */

static int kernel_fd = -1;

static int add_to_kernel(struct entry *e, uint32_t flags)
{
    struct cairn_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(e->word),
        .flags = (uint16_t)flags,
        .enable_addr = (uintptr_t)&e->word,
        .name_args = (uintptr_t)e->command,
    };

    if (ioctl(kernel_fd, CAIRN_USER_EVENTS_REG, &reg) < 0)
        return errno;
    e->index = reg.write_index;
    return 0;
}

static int remove_from_kernel(struct entry *e)
{
    struct cairn_user_unreg unreg = {.size = sizeof(unreg), .disable_addr = (uintptr_t)&e->word};

    return ioctl(kernel_fd, CAIRN_USER_EVENTS_UNREG, &unreg) < 0 ? errno : 0;
}

static int write_to_kernel(struct entry *e, const struct iovec *parts, int count)
{
    struct iovec all[128] = {{&e->index, sizeof(e->index)}};

    memcpy(all + 1, parts, (size_t)count * sizeof(*parts));
    return writev(kernel_fd, all, count + 1) < 0 ? errno : 0;
}

static int delete_from_kernel(const char *name)
{
    return ioctl(kernel_fd, CAIRN_USER_EVENTS_DEL, name) < 0 ? errno : 0;
}

/* ---- cairn ---- */

static int add_with(struct entry *e, uint32_t flags, uint32_t backends)
{
    const struct cairn_user_event_options options = {flags, backends};

    return cairn_user_event_register_with(&e->tp, e->command, &options);
}

static int add_to_backend(struct entry *e, uint32_t flags)
{
    return add_with(e, flags, CAIRN_BACKEND_KERNEL);
}

static int add_to_engine(struct entry *e, uint32_t flags)
{
    return add_with(e, flags, CAIRN_BACKEND_LOCAL);
}

static int remove_entry_of_cairn(struct entry *e)
{
    return cairn_user_event_unregister(&e->tp);
}

static int write_to_cairn(struct entry *e, const struct iovec *parts, int count)
{
    return cairn_user_event_write(&e->tp, parts, count);
}

static int delete_from_backend(const char *name)
{
    return cairn_user_event_delete(name, CAIRN_BACKEND_KERNEL);
}

static int delete_from_engine(const char *name)
{
    return cairn_user_event_delete(name, CAIRN_BACKEND_LOCAL);
}

static void listen_to_engine(const char *name, bool on)
{
    const struct cairn_session_request request = {&name, 1, CAIRN_STATUS_RECORDER, 128 << 10, 8};
    static struct cairn_local_session session;

    if (on)
        assert_int_equal(cairn_session_begin(&recorder, &request, &session), 0);
    else
        cairn_session_end(&recorder, &session);
}

static const struct side sides[] = {
    {"the kernel", add_to_kernel, remove_from_kernel, write_to_kernel, delete_from_kernel,
     guest_enable},
    {"kernel backend", add_to_backend, remove_entry_of_cairn, write_to_cairn, delete_from_backend,
     guest_enable},
    {"local engine", add_to_engine, remove_entry_of_cairn, write_to_cairn, delete_from_engine,
     listen_to_engine},
};
#define SIDES (sizeof(sides) / sizeof(*sides))

/* ---- mistakes ---- */

/* The kernel keeps an event until the process ends: each has a name of its own. */
static char *new_name(void)
{
    static char name[32];
    static int count;

    (void)snprintf(name, sizeof(name), "cairn_errors_%d", count++);
    return name;
}

static void prepare(struct entry *e, const char *command)
{
    static const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;

    *e = (struct entry){.tp = unregistered, .index = 9999};
    (void)snprintf(e->command, sizeof(e->command), "%s", command);
}

/* "NAME fields" with a new name. */
static void prepare_fields(struct entry *e, const char *fields)
{
    char command[640];

    (void)snprintf(command, sizeof(command), "%s%s", new_name(), fields);
    prepare(e, command);
}

/* Registers what should be refused; takes it back when it is not. */
static int add_and_remove(const struct side *side, struct entry *e, uint32_t flags)
{
    int error = side->add(e, flags);

    if (!error)
        assert_int_equal(side->remove(e), 0);
    return error;
}

static int add_once(const struct side *side, const char *fields, uint32_t flags)
{
    struct entry e;

    prepare_fields(&e, fields);
    return add_and_remove(side, &e, flags);
}

static int no_name(const struct side *side)
{
    struct entry e;

    prepare(&e, "");
    return add_and_remove(side, &e, 0);
}

static int unknown_type(const struct side *side)
{
    return add_once(side, " u33 a", 0);
}

static int field_without_name(const struct side *side)
{
    return add_once(side, " u32", 0);
}

static int struct_without_size(const struct side *side)
{
    return add_once(side, " struct stat buf", 0);
}

static int array_of_no_size(const struct side *side)
{
    return add_once(side, " char[] text", 0);
}

static int unknown_flag_in_command(const struct side *side)
{
    return add_once(side, ":NO_SUCH_FLAG u32 a", 0);
}

static int command_too_long(const struct side *side)
{
    char fields[600];

    memset(fields, 'a', sizeof(fields));
    memcpy(fields, " u32 ", 5);
    fields[500] = '\0';
    return add_once(side, fields, 0);
}

static int name_too_long(const struct side *side)
{
    struct entry e;
    char name[257];

    memset(name, 'a', 256);
    name[256] = '\0';
    prepare(&e, name);
    return add_and_remove(side, &e, 0);
}

static int unknown_flag(const struct side *side)
{
    return add_once(side, " u32 a", 1u << 15);
}

/* Registers one event by `flags` and then its name with other fields, by `other_flags`. */
static int add_two(const struct side *side, uint32_t flags, const char *other_fields,
                   uint32_t other_flags)
{
    struct entry e, other;
    char command[64];
    char name[32];
    int error;

    (void)snprintf(name, sizeof(name), "%s", new_name());
    (void)snprintf(command, sizeof(command), "%s u32 a", name);
    prepare(&e, command);
    (void)snprintf(command, sizeof(command), "%s%s", name, other_fields);
    prepare(&other, command);
    assert_int_equal(side->add(&e, flags), 0);
    error = side->add(&other, other_flags);
    if (!error)
        assert_int_equal(side->remove(&other), 0);
    assert_int_equal(side->remove(&e), 0);
    return error;
}

static int other_fields(const struct side *side)
{
    return add_two(side, 0, " u64 a", 0);
}

static int other_field_name(const struct side *side)
{
    return add_two(side, 0, " u32 b", 0);
}

static int fewer_fields(const struct side *side)
{
    return add_two(side, 0, "", 0);
}

static int same_fields(const struct side *side)
{
    return add_two(side, 0, " u32 a", 0);
}

static int many_formats(const struct side *side)
{
    return add_two(side, CAIRN_USER_EVENT_MULTI_FORMAT, " u64 a", CAIRN_USER_EVENT_MULTI_FORMAT);
}

static int single_after_many(const struct side *side)
{
    return add_two(side, CAIRN_USER_EVENT_MULTI_FORMAT, " u64 a", 0);
}

static int many_after_single(const struct side *side)
{
    return add_two(side, 0, " u64 a", CAIRN_USER_EVENT_MULTI_FORMAT);
}

static int same_tracepoint(const struct side *side)
{
    struct entry e;
    int error;

    prepare_fields(&e, " u32 a");
    assert_int_equal(side->add(&e, 0), 0);
    error = side->add(&e, 0);
    assert_int_equal(side->remove(&e), 0);
    return error;
}

static void set_capable(bool capable)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t perfmon = CAP_TO_MASK(CAP_PERFMON), admin = CAP_TO_MASK(CAP_SYS_ADMIN);
    struct __user_cap_data_struct data[2];

    assert_int_equal(syscall(SYS_capget, &header, data), 0);
    data[0].effective = capable ? data[0].permitted : data[0].effective & ~admin;
    data[1].effective = capable ? data[1].permitted : data[1].effective & ~perfmon;
    assert_int_equal(syscall(SYS_capset, &header, data), 0);
}

static int persists_without_right(const struct side *side)
{
    struct entry e;
    int error;

    prepare_fields(&e, " u32 a");
    set_capable(false);
    error = side->add(&e, CAIRN_USER_EVENT_PERSIST);
    set_capable(true);
    if (!error)
        assert_int_equal(side->remove(&e), 0);
    (void)side->delete (e.command);
    return error;
}

/* Writes bytes to an event of these fields, listened to or not. */
static int write_one(const struct side *side, const char *fields, bool listened,
                     const void *payload, size_t bytes)
{
    const struct iovec part = {(void *)(uintptr_t)payload, bytes};
    struct entry e;
    char name[32];
    int error;

    prepare_fields(&e, fields);
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(e.command, " "), e.command);
    assert_int_equal(side->add(&e, 0), 0);
    if (listened)
        side->listen(name, true);
    error = side->write(&e, &part, 1);
    if (listened)
        side->listen(name, false);
    assert_int_equal(side->remove(&e), 0);
    return error;
}

static int no_mistake(const struct side *side)
{
    return write_one(side, " u32 a; __rel_loc char[] t", true, "1234\0\0\2\0a", 10);
}

static int nobody_listens(const struct side *side)
{
    return write_one(side, " u32 a", false, "1234", 4);
}

static int short_payload(const struct side *side)
{
    return write_one(side, " u32 a", true, "123", 3);
}

static int short_payload_for_nobody(const struct side *side)
{
    return write_one(side, " u32 a", false, "123", 3);
}

static int leads_out(const struct side *side)
{
    return write_one(side, " __rel_loc u8[] a", true, "\0\0\3\0ab", 6);
}

static int data_leads_out(const struct side *side)
{
    return write_one(side, " __data_loc u8[] a", true, "\14\0\3\0ab", 6);
}

static int no_nul(const struct side *side)
{
    return write_one(side, " __rel_loc char[] a", true, "\0\0\2\0ab", 6);
}

static char zeros[65477];

static int more_than_perf_takes(const struct side *side)
{
    return write_one(side, " u32 a", true, zeros, 8185);
}

static int more_than_a_record(const struct side *side)
{
    return write_one(side, " u32 a", true, zeros, sizeof(zeros));
}

static int many_parts(const struct side *side)
{
    struct iovec parts[65];
    struct entry e;
    int error;

    for (int i = 0; i < 65; i++)
        parts[i] = (struct iovec){zeros, 1};
    prepare_fields(&e, "");
    assert_int_equal(side->add(&e, 0), 0);
    side->listen(e.command, true);
    error = side->write(&e, parts, 65);
    side->listen(e.command, false);
    assert_int_equal(side->remove(&e), 0);
    return error;
}

static int write_unregistered(const struct side *side)
{
    const struct iovec part = {zeros, 4};
    struct entry e;

    prepare_fields(&e, " u32 a");
    return side->write(&e, &part, 1);
}

static int unregister_unregistered(const struct side *side)
{
    struct entry e;

    prepare_fields(&e, " u32 a");
    return side->remove(&e);
}

static int delete_nothing(const struct side *side)
{
    return side->delete (new_name());
}

static int delete_used(const struct side *side)
{
    struct entry e;
    int error;

    prepare_fields(&e, "");
    assert_int_equal(side->add(&e, 0), 0);
    error = side->delete (e.command);
    assert_int_equal(side->remove(&e), 0);
    return error;
}

static const struct mistake {
    const char *name; /* in the table */
    int (*make)(const struct side *side);
} mistakes[] = {
    {"none: registered, listened to, written", no_mistake},
    {"a command without a name", no_name},
    {"a type that is not known", unknown_type},
    {"a field without a name", field_without_name},
    {"a `struct` without a size", struct_without_size},
    {"an array without a size", array_of_no_size},
    {"a flag in the command that is not known", unknown_flag_in_command},
    {"a command of 512 bytes or more", command_too_long},
    {"a name of 256 bytes or more", name_too_long},
    {"a flag of registering that is not known", unknown_flag},
    {"a name in use, with the same fields", same_fields},
    {"a name in use, with another type", other_fields},
    {"a name in use, with another field's name", other_field_name},
    {"a name in use, without fields", fewer_fields},
    {"several formats of a name, all of them registered so", many_formats},
    {"a single format beside several", single_after_many},
    {"several formats beside a single one", many_after_single},
    {"a tracepoint that is registered", same_tracepoint},
    {"an event that is to persist, without `CAP_PERFMON`", persists_without_right},
    {"a write that nobody listens to", nobody_listens},
    {"a payload shorter than the fields", short_payload},
    {"the same, and nobody listens", short_payload_for_nobody},
    {"a `__rel_loc` field that leads out of the payload", leads_out},
    {"a `__data_loc` field that leads out of the payload", data_leads_out},
    {"dynamic text without a NUL", no_nul},
    {"a payload of 8,185 bytes or more", more_than_perf_takes},
    {"a payload of 65,477 bytes or more", more_than_a_record},
    {"a payload in more than 64 parts", many_parts},
    {"a write to what is not registered", write_unregistered},
    {"unregistering what is not registered", unregister_unregistered},
    {"deleting what is not there", delete_nothing},
    {"deleting what is in use", delete_used},
};

/* ---- the table ---- */

static const char *name_of(int error)
{
    return error ? strerrorname_np(error) : "0";
}

/* A cell of a row of the page, without its spaces and quotes. */
static bool cell_is(const char *row, size_t column, const char *text)
{
    size_t length = strlen(text);

    for (size_t i = 0; i <= column && row; i++)
        row = strchr(row + (i > 0), '|');
    if (!row)
        return false;
    row += 1 + strspn(row + 1, " ");
    if (column)
        row += *row == '`';
    return !strncmp(row, text, length) && strchr("`( |", row[length]);
}

/* The row of a mistake, or NULL. */
static const char *row_of(const char *page, const char *mistake)
{
    for (const char *row = page; row; row = strchr(row, '\n')) {
        row += *row == '\n';
        if (*row == '|' && cell_is(row, 0, mistake))
            return row;
    }
    return NULL;
}

/* Rows of the table, which is the last of the page. */
static size_t count_rows(const char *page)
{
    const char *row = row_of(page, "mistake");
    size_t rows = 0;

    assert_non_null(row);
    row = strchr(strchr(row, '\n') + 1, '\n'); /* behind the line of dashes */
    for (; row && row[1] == '|'; row = strchr(row + 1, '\n'))
        rows++;
    return rows;
}

static bool has_kernel;

/* All of them are looked at, and then said. */
static void every_code_is_that_of_the_table(void **state)
{
    const char *page = guest_read(ERRORS_PAGE);
    int wrong = 0;

    (void)state;
    assert_int_equal(count_rows(page), sizeof(mistakes) / sizeof(*mistakes));
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        const char *row = row_of(page, mistakes[i].name);

        for (size_t j = has_kernel ? 0 : SIDES - 1; j < SIDES; j++) {
            const char *code = name_of(mistakes[i].make(&sides[j]));

            if (row && cell_is(row, 1 + j, code))
                continue;
            print_message("# %s: %s: %s%s\n", mistakes[i].name, sides[j].column, code,
                          row ? "" : " (not in the table)");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
    (void)state;
    kernel_fd = open(TRACING "/user_events_data", O_RDWR | O_CLOEXEC);
    has_kernel = kernel_fd >= 0;
    return tracing_dir_make() || cairn_local_open(&recorder);
}

static int tear_down(void **state)
{
    (void)state;
    cairn_local_close(&recorder);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_that_of_the_table),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
