/* SPDX-License-Identifier: MIT */
/* Cases for the rows of docs/errors.md, in order. */
#include "codes.h"

#include <cairn/user_events.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void add_it(const struct codes_side *side, struct codes_event *e, uint32_t flags)
{
    codes_check(!side->add(e, flags), e->command);
}

static void remove_it(const struct codes_side *side, struct codes_event *e)
{
    codes_check(!side->remove(e), "unregistering");
}

/* Prepares "NAME fields" with a new name. */
static void prepare_fields(struct codes_event *e, const char *fields)
{
    char command[640];

    (void)snprintf(command, sizeof(command), "%s%s", codes_new_name(), fields);
    codes_prepare(e, command);
}

/* Registers an event that should be refused; unregisters it if it was accepted. */
static int add_and_remove(const struct codes_side *side, struct codes_event *e, uint32_t flags)
{
    int error = side->add(e, flags);

    if (!error)
        remove_it(side, e);
    return error;
}

static int add_once(const struct codes_side *side, const char *fields, uint32_t flags)
{
    struct codes_event e;

    prepare_fields(&e, fields);
    return add_and_remove(side, &e, flags);
}

static int no_name(const struct codes_side *side)
{
    struct codes_event e;

    codes_prepare(&e, "");
    return add_and_remove(side, &e, 0);
}

static int unknown_type(const struct codes_side *side)
{
    return add_once(side, " u33 a", 0);
}

static int field_without_name(const struct codes_side *side)
{
    return add_once(side, " u32", 0);
}

static int struct_without_size(const struct codes_side *side)
{
    return add_once(side, " struct stat buf", 0);
}

static int array_of_no_size(const struct codes_side *side)
{
    return add_once(side, " char[] text", 0);
}

static int unknown_flag_in_command(const struct codes_side *side)
{
    return add_once(side, ":NO_SUCH_FLAG u32 a", 0);
}

static int command_too_long(const struct codes_side *side)
{
    char fields[600];

    memset(fields, 'a', sizeof(fields));
    memcpy(fields, " u32 ", 5);
    fields[500] = '\0';
    return add_once(side, fields, 0);
}

static int name_too_long(const struct codes_side *side)
{
    struct codes_event e;
    char name[257];

    memset(name, 'a', 256);
    name[256] = '\0';
    codes_prepare(&e, name);
    return add_and_remove(side, &e, 0);
}

static int unknown_flag(const struct codes_side *side)
{
    return add_once(side, " u32 a", 1u << 15);
}

/* Registers one event with `flags`, and then its name with other fields and with `other_flags`. */
static int add_two(const struct codes_side *side, uint32_t flags, const char *other_fields,
                   uint32_t other_flags)
{
    struct codes_event e, other;
    char command[64];
    char name[32];
    int error;

    (void)snprintf(name, sizeof(name), "%s", codes_new_name());
    (void)snprintf(command, sizeof(command), "%s u32 a", name);
    codes_prepare(&e, command);
    (void)snprintf(command, sizeof(command), "%s%s", name, other_fields);
    codes_prepare(&other, command);
    add_it(side, &e, flags);
    error = side->add(&other, other_flags);
    if (!error)
        remove_it(side, &other);
    remove_it(side, &e);
    return error;
}

static int other_fields(const struct codes_side *side)
{
    return add_two(side, 0, " u64 a", 0);
}

static int other_field_name(const struct codes_side *side)
{
    return add_two(side, 0, " u32 b", 0);
}

static int fewer_fields(const struct codes_side *side)
{
    return add_two(side, 0, "", 0);
}

static int same_fields(const struct codes_side *side)
{
    return add_two(side, 0, " u32 a", 0);
}

static int many_formats(const struct codes_side *side)
{
    return add_two(side, CAIRN_USER_EVENT_MULTI_FORMAT, " u64 a", CAIRN_USER_EVENT_MULTI_FORMAT);
}

static int single_after_many(const struct codes_side *side)
{
    return add_two(side, CAIRN_USER_EVENT_MULTI_FORMAT, " u64 a", 0);
}

static int many_after_single(const struct codes_side *side)
{
    return add_two(side, 0, " u64 a", CAIRN_USER_EVENT_MULTI_FORMAT);
}

/* The name of a format has a suffix. */
static int long_format(const struct codes_side *side)
{
    struct codes_event e;
    char fields[600] = " u32 ";

    memset(fields + 5, 'a', sizeof(fields) - 5);
    fields[sizeof(fields) - 1] = '\0';
    prepare_fields(&e, fields);
    e.command[511] = '\0';
    return add_and_remove(side, &e, CAIRN_USER_EVENT_MULTI_FORMAT);
}

static int same_tracepoint(const struct codes_side *side)
{
    struct codes_event e;
    int error;

    prepare_fields(&e, " u32 a");
    add_it(side, &e, 0);
    error = side->add(&e, 0);
    remove_it(side, &e);
    return error;
}

static void set_capable(bool capable)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const uint32_t perfmon = CAP_TO_MASK(CAP_PERFMON), admin = CAP_TO_MASK(CAP_SYS_ADMIN);
    struct __user_cap_data_struct data[2];

    codes_check(!syscall(SYS_capget, &header, data), "capabilities");
    data[0].effective = capable ? data[0].permitted : data[0].effective & ~admin;
    data[1].effective = capable ? data[1].permitted : data[1].effective & ~perfmon;
    codes_check(!syscall(SYS_capset, &header, data), "capabilities");
}

static int persists_without_right(const struct codes_side *side)
{
    struct codes_event e;
    int error;

    prepare_fields(&e, " u32 a");
    set_capable(false);
    error = side->add(&e, CAIRN_USER_EVENT_PERSIST);
    set_capable(true);
    if (!error)
        remove_it(side, &e);
    *strchr(e.command, ' ') = '\0';
    (void)side->delete (e.command);
    return error;
}

/* Writes bytes to an event with these fields, enabled or not. */
static int write_one(const struct codes_side *side, const char *fields, bool listened,
                     const void *payload, size_t bytes)
{
    const struct iovec part = {(void *)(uintptr_t)payload, bytes};
    struct codes_event e;
    char name[32];
    int error;

    prepare_fields(&e, fields);
    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(e.command, " "), e.command);
    add_it(side, &e, 0);
    if (listened)
        side->listen(name, true);
    error = side->write(&e, &part, 1);
    if (listened)
        side->listen(name, false);
    remove_it(side, &e);
    return error;
}

static int no_mistake(const struct codes_side *side)
{
    return write_one(side, " u32 a; __rel_loc char[] t", true, "1234\0\0\2\0a", 10);
}

static int write_while_disabled(const struct codes_side *side)
{
    return write_one(side, " u32 a", false, "1234", 4);
}

static int short_payload(const struct codes_side *side)
{
    return write_one(side, " u32 a", true, "123", 3);
}

static int short_payload_while_disabled(const struct codes_side *side)
{
    return write_one(side, " u32 a", false, "123", 3);
}

static int leads_out(const struct codes_side *side)
{
    return write_one(side, " __rel_loc u8[] a", true, "\0\0\3\0ab", 6);
}

static int data_leads_out(const struct codes_side *side)
{
    return write_one(side, " __data_loc u8[] a", true, "\14\0\3\0ab", 6);
}

static int no_nul(const struct codes_side *side)
{
    return write_one(side, " __rel_loc char[] a", true, "\0\0\2\0ab", 6);
}

static char zeros[65477];

static int more_than_perf_takes(const struct codes_side *side)
{
    return write_one(side, " u32 a", true, zeros, 8185);
}

static int more_than_a_record(const struct codes_side *side)
{
    return write_one(side, " u32 a", true, zeros, sizeof(zeros));
}

static int many_parts(const struct codes_side *side)
{
    struct iovec parts[65];
    struct codes_event e;
    int error;

    for (int i = 0; i < 65; i++)
        parts[i] = (struct iovec){zeros, 1};
    prepare_fields(&e, "");
    add_it(side, &e, 0);
    side->listen(e.command, true);
    error = side->write(&e, parts, 65);
    side->listen(e.command, false);
    remove_it(side, &e);
    return error;
}

static int write_unregistered(const struct codes_side *side)
{
    const struct iovec part = {zeros, 4};
    struct codes_event e;

    prepare_fields(&e, " u32 a");
    e.index = 9999;
    return side->write(&e, &part, 1);
}

static int unregister_unregistered(const struct codes_side *side)
{
    struct codes_event e;

    prepare_fields(&e, " u32 a");
    return side->remove(&e);
}

static int delete_nothing(const struct codes_side *side)
{
    return side->delete (codes_new_name());
}

static int delete_used(const struct codes_side *side)
{
    struct codes_event e;
    int error;

    prepare_fields(&e, "");
    add_it(side, &e, 0);
    error = side->delete (e.command);
    remove_it(side, &e);
    return error;
}

static int malformed_in_use(const struct codes_side *side)
{
    return add_two(side, 0, " u32", 0);
}

static int other_space(const struct codes_side *side)
{
    return add_two(side, 0, "  u32\t a;", 0);
}

static int other_digits(const struct codes_side *side)
{
    struct codes_event e, other;
    int error;

    prepare_fields(&e, " struct s a 8");
    codes_prepare(&other, e.command);
    strcpy(strrchr(other.command, ' '), " 08");
    add_it(side, &e, 0);
    error = add_and_remove(side, &other, 0);
    remove_it(side, &e);
    return error;
}

static int control_character(const struct codes_side *side)
{
    return add_once(side, " u32 a\x7f", 0);
}

static int tab_after_a_name(const struct codes_side *side)
{
    return add_once(side, " u32 a\t", 0);
}

static int type_ends_in_space(const struct codes_side *side)
{
    return add_once(side, " struct  a 4", 0);
}

static int empty_field_name(const struct codes_side *side)
{
    return add_once(side, " u32 ", 0);
}

static int two_gib(const struct codes_side *side)
{
    return add_once(side, " struct s a 2147483647", 0);
}

static int command_as_name(const struct codes_side *side)
{
    struct codes_event e;
    int error;

    prepare_fields(&e, " u32 a");
    add_it(side, &e, 0);
    error = side->delete (e.command);
    remove_it(side, &e);
    return error;
}

static int long_name_to_delete(const struct codes_side *side)
{
    char name[513];

    memset(name, 'a', 512);
    name[512] = '\0';
    return side->delete (name);
}

/* ---- lines of dynamic_events ---- */

/* Applies a line while an event "codes_line u32 a" persists, and deletes the event. */
static int do_line(const struct codes_side *side, const char *line)
{
    static const char made[] = "u:codes_line u32 a", gone[] = "!u:codes_line u32 a";
    int error;

    codes_check(!side->line(made, strlen(made)), made);
    error = side->line(line, strlen(line));
    (void)side->line(gone, strlen(gone));
    return error;
}

static int senseless_line(const struct codes_side *side)
{
    return do_line(side, "x:codes_line");
}

static int deletes_by_fields(const struct codes_side *side)
{
    return do_line(side, "-:codes_line u32  a;");
}

static int deletes_by_name(const struct codes_side *side)
{
    return do_line(side, "-:codes_line");
}

static int deletes_other_fields(const struct codes_side *side)
{
    return do_line(side, "!u:codes_line u64 a");
}

static int deletes_in_other_system(const struct codes_side *side)
{
    return do_line(side, "-:sched/codes_line u32 a");
}

static int deletes_used_by_line(const struct codes_side *side)
{
    char line[700];
    struct codes_event e;
    int error;

    prepare_fields(&e, " u32 a");
    add_it(side, &e, 0);
    (void)snprintf(line, sizeof(line), "!u:%s", e.command);
    error = side->line(line, strlen(line));
    remove_it(side, &e);
    return error;
}

static int adds_other_fields(const struct codes_side *side)
{
    return do_line(side, "u:codes_line u64 a");
}

static int long_command_in_line(const struct codes_side *side)
{
    char line[600] = "u:codes_long u32 ";
    int error;

    memset(line + 17, 'a', 520);
    error = side->line(line, strlen(line));
    line[0] = '-';
    if (!error)
        codes_check(!side->line(line, strlen(line)), "deleting");
    return error;
}

static const struct codes_mistake mistakes[] = {
    {"none: registered, listened to, written", no_mistake},
    {"a command without a name", no_name},
    {"a type that is not known", unknown_type},
    {"a field without a name", field_without_name},
    {"a `struct` without a size", struct_without_size},
    {"an array without a size", array_of_no_size},
    {"a flag in the command", unknown_flag_in_command},
    {"a command of 512 bytes or more", command_too_long},
    {"a name of 256 bytes or more", name_too_long},
    {"a control character in a name or a type", control_character},
    {"a tab or a line break after a name", tab_after_a_name},
    {"a field whose name is empty", empty_field_name},
    {"a type that ends in a space", type_ends_in_space},
    {"fields of 2 GiB and more", two_gib},
    {"a flag of registering that is not known", unknown_flag},
    {"a name in use, with the same fields", same_fields},
    {"a name in use, with the same fields and other white space", other_space},
    {"a name in use, with another type", other_fields},
    {"a name in use, with another field's name", other_field_name},
    {"a name in use, without fields", fewer_fields},
    {"a name in use, with a number of other digits", other_digits},
    {"a name in use, with a malformed field", malformed_in_use},
    {"several formats of a name, all of them registered so", many_formats},
    {"a single format in addition to several", single_after_many},
    {"several formats in addition to a single one", many_after_single},
    {"several formats, by a command of 511 bytes", long_format},
    {"a tracepoint that is registered", same_tracepoint},
    {"an event that is to persist, without `CAP_PERFMON`", persists_without_right},
    {"a write that nobody listens to", write_while_disabled},
    {"a payload shorter than the fields", short_payload},
    {"the same, and nobody listens", short_payload_while_disabled},
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
    {"deleting by a command instead of a name", command_as_name},
    {"deleting by a name of 512 bytes or more", long_name_to_delete},
    {"a malformed line", senseless_line},
    {"a line that adds a name in use, with other fields", adds_other_fields},
    {"a line that adds a command of 512 bytes or more", long_command_in_line},
    {"a line that deletes, with the fields", deletes_by_fields},
    {"a line that deletes by the name alone", deletes_by_name},
    {"a line that deletes, with other fields", deletes_other_fields},
    {"a line that deletes in a system that is not there", deletes_in_other_system},
    {"a line that deletes what is in use", deletes_used_by_line},
};

void codes_mistakes(const struct codes_side *side)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
        codes_say("mistake", mistakes[i].name, codes_name(mistakes[i].make(side)),
                  mistakes[i].name);
    if (side->is_raw)
        codes_raw_mistakes(side);
}
