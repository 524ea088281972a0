/* SPDX-License-Identifier: MIT */
/* Cases for the rows of docs/errors.md that only system calls can cause. */
#include "codes.h"

#include "engine/kernel_abi.h"
#include "tracefs/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- registering ---- */

static uint32_t word;

/* Registers a new name with a changed struct, and unregisters it. */
static struct engine_user_reg new_reg(void)
{
    static char command[64];

    (void)snprintf(command, sizeof(command), "%s u32 a", codes_new_name());
    return (struct engine_user_reg){
        .size = sizeof(struct engine_user_reg),
        .enable_size = 4,
        .enable_addr = (uintptr_t)&word,
        .name_args = (uintptr_t)command,
    };
}

static int do_register(const void *reg)
{
    return ioctl(codes_fd, ENGINE_USER_EVENTS_REG, reg) ? errno : 0;
}

static int do_unregister(const struct engine_user_unreg *unreg)
{
    return ioctl(codes_fd, ENGINE_USER_EVENTS_UNREG, unreg) ? errno : 0;
}

static struct engine_user_unreg new_unreg(void)
{
    return (struct engine_user_unreg){.size = sizeof(struct engine_user_unreg),
                                      .disable_addr = (uintptr_t)&word};
}

static int register_and_back(const void *reg)
{
    struct engine_user_unreg unreg = new_unreg();
    int error = do_register(reg);

    if (!error)
        codes_check(!do_unregister(&unreg), "unregistering");
    return error;
}

static int short_struct(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();

    (void)side;
    reg.size--;
    return register_and_back(&reg);
}

/* Registers with a larger struct, whose last byte is `last`. */
static int register_longer(uint32_t size, uint8_t last)
{
    static uint8_t bytes[8192];
    struct engine_user_reg reg = new_reg();

    reg.size = size;
    memcpy(bytes, &reg, sizeof(reg));
    bytes[sizeof(reg)] = last;
    return register_and_back(bytes);
}

static int struct_of_pages(const struct codes_side *side)
{
    (void)side;
    return register_longer(4097, 0);
}

static int zeros_after_struct(const struct codes_side *side)
{
    (void)side;
    return register_longer(64, 0);
}

static int ones_after_struct(const struct codes_side *side)
{
    (void)side;
    return register_longer(64, 1);
}

static int odd_word_size(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();

    (void)side;
    reg.enable_size = 2;
    return register_and_back(&reg);
}

static int bit_outside(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();

    (void)side;
    reg.enable_bit = 32;
    return register_and_back(&reg);
}

static int register_word(const void *address)
{
    struct engine_user_reg reg = new_reg();

    reg.enable_addr = (uintptr_t)address;
    return register_and_back(&reg);
}

static int odd_word(const struct codes_side *side)
{
    (void)side;
    return register_word((char *)&word + 2);
}

static int word_gone(const struct codes_side *side)
{
    (void)side;
    return register_word(codes_memory()->gone);
}

static int word_read_only(const struct codes_side *side)
{
    (void)side;
    return register_word(codes_memory()->read_only);
}

static int word_of_kernel(const struct codes_side *side)
{
    (void)side;
    return register_word(codes_memory()->kernel);
}

static int struct_gone(const struct codes_side *side)
{
    (void)side;
    return do_register(codes_memory()->gone);
}

static int struct_read_only(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();
    char *page = codes_memory()->page;
    int error;

    (void)side;
    memcpy(page, &reg, sizeof(reg));
    codes_check(!mprotect(page, 4096, PROT_READ), "mprotect");
    error = register_and_back(page);
    codes_check(!mprotect(page, 4096, PROT_READ | PROT_WRITE), "mprotect");
    return error;
}

static int command_gone(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();

    (void)side;
    reg.name_args = (uintptr_t)codes_memory()->gone;
    return register_and_back(&reg);
}

/* The check of the word precedes that of the command. */
static int same_bit_again(const struct codes_side *side)
{
    struct engine_user_reg reg = new_reg();
    struct engine_user_unreg unreg = new_unreg();
    int error;

    (void)side;
    codes_check(!do_register(&reg), "registering");
    reg.name_args = 0;
    error = do_register(&reg);
    codes_check(!do_unregister(&unreg), "unregistering");
    return error;
}

static int register_first(const char *fields)
{
    char command[64];
    struct tracefs_reg_v4 reg = {.size = sizeof(reg), .name_args = (uintptr_t)command};

    (void)snprintf(command, sizeof(command), "%s%s", codes_new_name(), fields);
    return do_register(&reg);
}

static int first_struct(const struct codes_side *side)
{
    (void)side;
    return register_first(" u32 a");
}

static int first_struct_flag(const struct codes_side *side)
{
    (void)side;
    return register_first(":FLAG u32 a");
}

static int first_struct_malformed(const struct codes_side *side)
{
    (void)side;
    return register_first(" u33 a");
}

/* ---- unregistering and deleting ---- */

/* Tries to unregister while bit 0 of the word is registered. */
static int unregister_by(const struct engine_user_unreg *unreg)
{
    struct engine_user_reg reg = new_reg();
    struct engine_user_unreg right = new_unreg();
    int error;

    codes_check(!do_register(&reg), "registering");
    error = do_unregister(unreg);
    if (error)
        codes_check(!do_unregister(&right), "unregistering");
    return error;
}

static int unregister_short(const struct codes_side *side)
{
    struct engine_user_unreg unreg = new_unreg();

    (void)side;
    unreg.size--;
    return unregister_by(&unreg);
}

static int unregister_reserved(const struct codes_side *side)
{
    struct engine_user_unreg unreg = new_unreg();

    (void)side;
    unreg.reserved2 = 1;
    return unregister_by(&unreg);
}

static int unregister_other_bit(const struct codes_side *side)
{
    struct engine_user_unreg unreg = new_unreg();

    (void)side;
    unreg.disable_bit = 1;
    return unregister_by(&unreg);
}

static int unregister_gone(const struct codes_side *side)
{
    (void)side;
    return unregister_by((void *)codes_memory()->gone);
}

static int delete_gone(const struct codes_side *side)
{
    return side->delete (codes_memory()->gone);
}

/* ---- writing ---- */

/* Writes to "u32 a", which is enabled if `listened`. */
static int write_parts(const struct codes_side *side, bool listened, const void *payload,
                       const int32_t *index, int parts)
{
    struct iovec all[1025] = {{NULL, 0}};
    struct codes_event e;
    char command[64], name[32];
    int error;

    (void)snprintf(name, sizeof(name), "%s", codes_new_name());
    (void)snprintf(command, sizeof(command), "%s u32 a", name);
    codes_prepare(&e, command);
    codes_check(!side->add(&e, 0), "registering");
    if (listened)
        side->listen(name, true);
    all[0] = (struct iovec){index ? (void *)(uintptr_t)index : &e.index, 4};
    all[1] = (struct iovec){(void *)(uintptr_t)payload, 4};
    error = writev(codes_fd, all, parts) < 0 ? errno : 0;
    if (listened)
        side->listen(name, false);
    codes_check(!side->remove(&e), "unregistering");
    return error;
}

static const int32_t below_zero = -1, never_given = 1000000;

static int index_below_zero(const struct codes_side *side)
{
    return write_parts(side, true, "1234", &below_zero, 2);
}

static int index_never_given(const struct codes_side *side)
{
    return write_parts(side, true, "1234", &never_given, 2);
}

static int payload_gone(const struct codes_side *side)
{
    return write_parts(side, true, codes_memory()->gone, NULL, 2);
}

static int unmapped_payload_while_disabled(const struct codes_side *side)
{
    return write_parts(side, false, codes_memory()->gone, NULL, 2);
}

static int too_many_parts(const struct codes_side *side)
{
    return write_parts(side, true, "1234", NULL, 1025);
}

static int no_parts(const struct codes_side *side)
{
    return write_parts(side, true, "1234", NULL, 0);
}

static int errno_of(ssize_t result)
{
    return result < 0 ? errno : 0;
}

static int parts_gone(const struct codes_side *side)
{
    (void)side;
    return errno_of(writev(codes_fd, (struct iovec *)codes_memory()->gone, 1));
}

static int nothing_written(const struct codes_side *side)
{
    (void)side;
    return errno_of(write(codes_fd, "", 0));
}

static int less_than_an_index(const struct codes_side *side)
{
    (void)side;
    return errno_of(write(codes_fd, "\0\0", 3));
}

static int write_at_a_place(const struct codes_side *side)
{
    (void)side;
    return errno_of(pwrite(codes_fd, "\0\0\0", 4, 1));
}

/* ---- files ---- */

static int open_as(const char *name, int flags, int *ret_fd)
{
    char path[128];

    (void)snprintf(path, sizeof(path), TRACING "/%s", name);
    *ret_fd = open(path, flags | O_CLOEXEC, 0600);
    return *ret_fd < 0 ? errno : 0;
}

static int open_data(int flags)
{
    int fd;
    int error = open_as("user_events_data", flags, &fd);

    close(fd);
    return error;
}

static int open_exclusively(const struct codes_side *side)
{
    (void)side;
    return open_data(O_RDWR | O_CREAT | O_EXCL);
}

static int open_as_directory(const struct codes_side *side)
{
    (void)side;
    return open_data(O_RDONLY | O_DIRECTORY);
}

static int read_data(int flags)
{
    char byte;
    int fd;
    int error;

    codes_check(!open_as("user_events_data", flags, &fd), "opening");
    error = errno_of(read(fd, &byte, 1));
    close(fd);
    return error;
}

static int read_it(const struct codes_side *side)
{
    (void)side;
    return read_data(O_RDWR);
}

static int read_write_only(const struct codes_side *side)
{
    (void)side;
    return read_data(O_WRONLY);
}

static int write_as(const char *name, int flags)
{
    int fd;
    int error;

    codes_check(!open_as(name, flags, &fd), "opening");
    error = errno_of(write(fd, "\0\0\0", 4));
    close(fd);
    return error;
}

static int write_read_only(const struct codes_side *side)
{
    (void)side;
    return write_as("user_events_data", O_RDONLY);
}

static int write_status(const struct codes_side *side)
{
    (void)side;
    return write_as("user_events_status", O_RDWR);
}

static int seek(const struct codes_side *side)
{
    (void)side;
    return errno_of(lseek(codes_fd, 0, SEEK_CUR));
}

static int map(int fd)
{
    void *memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

    return memory == MAP_FAILED ? errno : 0;
}

static int map_data(const struct codes_side *side)
{
    (void)side;
    return map(codes_fd);
}

static int map_status(const struct codes_side *side)
{
    int fd;
    int error;

    (void)side;
    codes_check(!open_as("user_events_status", O_RDONLY, &fd), "opening");
    error = map(fd);
    close(fd);
    return error;
}

static int reopen_stream(const struct codes_side *side)
{
    FILE *file = fopen("/dev/null", "w");
    int error;

    (void)side;
    codes_check(file != NULL, "/dev/null");
    file = freopen(TRACING "/user_events_data", "w", file);
    error = file ? 0 : errno;
    if (file)
        fclose(file);
    return error;
}

static int unknown_ioctl(const struct codes_side *side)
{
    (void)side;
    return ioctl(codes_fd, _IOW('*', 77, char *), 0) ? errno : 0;
}

static int truncate_used(const struct codes_side *side)
{
    struct codes_event e;
    int fd, error;

    codes_prepare(&e, "codes_used");
    codes_check(!side->add(&e, 0), "registering");
    error = open_as("dynamic_events", O_WRONLY | O_TRUNC, &fd);
    close(fd);
    codes_check(!side->remove(&e), "unregistering");
    return error;
}

static int nul_in_line(const struct codes_side *side)
{
    return side->line("u:codes_nul\0", 12);
}

static int line_too_long(const struct codes_side *side)
{
    char line[5000];

    memset(line, ' ', sizeof(line));
    return side->line(line, sizeof(line));
}

static const struct codes_mistake mistakes[] = {
    {"a struct that is too short", short_struct},
    {"a struct of more than a page", struct_of_pages},
    {"zeros after the struct", zeros_after_struct},
    {"something else after the struct", ones_after_struct},
    {"a word of neither 4 nor 8 bytes", odd_word_size},
    {"a bit that the word has not", bit_outside},
    {"a word at an odd address", odd_word},
    {"a word that is not there", word_gone},
    {"a word that is only to be read", word_read_only},
    {"a word where only the kernel has memory", word_of_kernel},
    {"the same bit of the same word again", same_bit_again},
    {"a struct that is not there", struct_gone},
    {"a struct that is only to be read", struct_read_only},
    {"a command that is not there", command_gone},
    {"the first design's struct", first_struct},
    {"the same with a flag in the command", first_struct_flag},
    {"the same with a type that is not known", first_struct_malformed},
    {"unregistering by a struct that is too short", unregister_short},
    {"unregistering with reserved bits", unregister_reserved},
    {"unregistering another bit", unregister_other_bit},
    {"unregistering by a struct that is not there", unregister_gone},
    {"deleting by a name that is not there", delete_gone},
    {"writing with an index below zero", index_below_zero},
    {"writing with an index that was not given", index_never_given},
    {"writing nothing by `write`", nothing_written},
    {"writing less than an index", less_than_an_index},
    {"writing no parts by `writev`", no_parts},
    {"writing more than 1024 parts", too_many_parts},
    {"writing parts that are not there", parts_gone},
    {"writing a payload that is not there", payload_gone},
    {"the same, and nobody is listening", unmapped_payload_while_disabled},
    {"writing at another place than 0 by `pwrite`", write_at_a_place},
    {"writing to an opening that is for reading", write_read_only},
    {"writing to `user_events_status`", write_status},
    {"reading from `user_events_data`", read_it},
    {"reading from an opening that is for writing", read_write_only},
    {"seeking in `user_events_data`", seek},
    {"mapping `user_events_data`", map_data},
    {"mapping the status page", map_status},
    {"an `ioctl` that is not known", unknown_ioctl},
    {"opening with `O_CREAT` and `O_EXCL`", open_exclusively},
    {"opening with `O_DIRECTORY`", open_as_directory},
    {"reopening a stream as `user_events_data`", reopen_stream},
    {"emptying `dynamic_events` by `O_TRUNC` while an event is in use", truncate_used},
    {"lines with a NUL in them", nul_in_line},
    {"a line of more than 4,094 bytes", line_too_long},
};

void codes_raw_mistakes(const struct codes_side *side)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
        codes_say("mistake", mistakes[i].name, codes_name(mistakes[i].make(side)),
                  mistakes[i].name);
}
