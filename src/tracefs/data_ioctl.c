/* SPDX-License-Identifier: MIT */
/* The requests of ioctl: registering in each of the three layouts, unregistering, deleting. */
#include "tracefs/data.h"
#include "core/options.h"
#include "engine/engine.h"
#include "tracefs/abi.h"
#include "tracefs/enabler.h"
#include "tracefs/program.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define ADDRESS_BITS  56 /* bits of a program's addresses, at most */
#define PAGE_BYTES    ((uint64_t)4096)
#define REG_MAX_BYTES 4096 /* a page: the largest struct of a later version */

/* ---- the program's memory ---- */

/* Reads a text with its NUL, page by page: it may end just before memory that is not mapped.
 * Returns 0; EFAULT; EINVAL it is longer. */
static int read_text(const struct tracefs_program *program, char *to, size_t size_bytes,
                     uint64_t from)
{
    size_t at = 0;

    while (at < size_bytes) {
        size_t part = (size_t)(PAGE_BYTES - (from + at) % PAGE_BYTES);

        if (part > size_bytes - at)
            part = size_bytes - at;
        if (tracefs_memory_read(program, to + at, from + at, part))
            return EFAULT;
        if (memchr(to + at, 0, part))
            return 0;
        at += part;
    }
    return EINVAL;
}

/* Reads the size that a struct of the program begins with. */
static int read_size(const struct tracefs_program *program, uint64_t from, size_t least,
                     uint32_t *ret_size)
{
    if (tracefs_memory_read(program, ret_size, from, sizeof(*ret_size)))
        return EFAULT;
    if (*ret_size > REG_MAX_BYTES)
        return E2BIG;
    return *ret_size < least ? EINVAL : 0;
}

/* Reads a struct of the program, perhaps of a later version: its known part; the rest must be
 * zeros. */
static int read_struct(const struct tracefs_program *program, void *to, size_t size_bytes,
                       uint64_t from, uint32_t its_size)
{
    uint8_t bytes[REG_MAX_BYTES];

    if (tracefs_memory_read(program, bytes, from, its_size))
        return EFAULT;
    memcpy(to, bytes, size_bytes);
    return core_options_are_zero(bytes + size_bytes, its_size - size_bytes) ? 0 : E2BIG;
}

/* ---- DIAG_IOCSREG ---- */

static int read_reg(const struct tracefs_program *program, uint64_t from, uint32_t size,
                    struct engine_user_reg *reg)
{
    int error = read_struct(program, reg, sizeof(*reg), from, size);

    if (error)
        return error;
    if (reg->flags & ~TRACEFS_REG_FLAGS || (reg->enable_size != 4 && reg->enable_size != 8) ||
        reg->enable_addr % reg->enable_size || reg->enable_bit >= reg->enable_size * 8)
        return EINVAL;
    /* No address space of a program contains it; addresses below that are not mapped are reported
     * later. */
    return reg->enable_addr >> ADDRESS_BITS ? EFAULT : 0;
}

/* Under the engine's lock. The current interface has no flags in the text; the first design had. */
static int register_name(const struct tracefs_data_caller *caller, uint64_t name, uint32_t flags,
                         bool may_have_flags, bool as_event, uint32_t *ret_index)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct tracefs_reference *reference;
    int error = read_text(caller->program, command, sizeof(command), name);

    if (error)
        return error;
    if (!may_have_flags && memchr(command, ':', strcspn(command, " ")))
        return EINVAL;
    error = tracefs_reference_take(command, flags, &reference);
    return error ? error : tracefs_data_add(caller->data, reference, as_event, ret_index);
}

static int register_today(const struct tracefs_data_caller *caller, uint64_t argument,
                          uint32_t size)
{
    struct tracefs_enabler_request request;
    struct engine_user_reg reg;
    uint32_t index;
    int error = read_reg(caller->program, argument, size, &reg);

    if (error)
        return error;
    request = (struct tracefs_enabler_request){reg.enable_addr, reg.enable_size, reg.enable_bit};
    if (tracefs_enabler_is_there(caller->program, request.address, request.bit))
        return EADDRINUSE;
    error = register_name(caller, reg.name_args, reg.flags, false, false, &index);
    if (error)
        return error;
    /* The kernel's code for a word that is not mapped: the event stays the opening's. */
    if (tracefs_enabler_add(caller->program, &request, caller->data->references[index]))
        return ENOMEM;
    /* The kernel does not report either that the index could not be stored. */
    (void)tracefs_memory_write(caller->program,
                               argument + offsetof(struct engine_user_reg, write_index), &index,
                               sizeof(index));
    return 0;
}

/* In the first design's page a byte has the number of its event. Its document has a program that
 * reads one of the two indexes and uses it as both. */
static int register_v4(const struct tracefs_data_caller *caller, uint64_t argument)
{
    struct tracefs_reg_v4 reg;
    int error = tracefs_memory_read(caller->program, &reg, argument, sizeof(reg));

    if (!error)
        error = register_name(caller, reg.name_args, 0, true, true, &reg.write_index);
    if (error)
        return error;
    reg.status_index = tracefs_reference_index(caller->data->references[reg.write_index]);
    return tracefs_memory_write(caller->program, argument, &reg, sizeof(reg));
}

/* A bit of the same page: one of the event's byte which has no other meaning. */
static int register_bits(const struct tracefs_data_caller *caller, uint64_t argument)
{
    struct tracefs_reg_bits reg;
    uint32_t write_index;
    int error = tracefs_memory_read(caller->program, &reg, argument, sizeof(reg));

    if (!error)
        error = register_name(caller, reg.name_args, ENGINE_ENTRY_BIT, true, false, &write_index);
    if (error)
        return error;
    reg.write_index = write_index;
    reg.status_bit = 8 * tracefs_reference_index(caller->data->references[write_index]) +
                     ENGINE_STATUS_BIT_NUMBER;
    if (reg.status_bit >= TRACEFS_BITS_MAX)
        return EMFILE;
    return tracefs_memory_write(caller->program, argument, &reg, sizeof(reg));
}

static int do_register(const struct tracefs_data_caller *caller, uint64_t argument)
{
    uint32_t size;
    int error = read_size(caller->program, argument, sizeof(struct tracefs_reg_bits), &size);

    if (error)
        return error;
    if (size == sizeof(struct tracefs_reg_v4))
        return register_v4(caller, argument);
    if (size == sizeof(struct tracefs_reg_bits))
        return register_bits(caller, argument);
    if (size < sizeof(struct engine_user_reg))
        return EINVAL;
    return register_today(caller, argument, size);
}

/* ---- DIAG_IOCSUNREG, DIAG_IOCSDEL ---- */

static int do_unregister(const struct tracefs_program *program, uint64_t argument)
{
    struct engine_user_unreg unreg;
    uint32_t size;
    int error = read_size(program, argument, sizeof(unreg), &size);

    if (!error)
        error = read_struct(program, &unreg, sizeof(unreg), argument, size);
    if (error)
        return error;
    if (unreg.reserved || unreg.reserved2)
        return EINVAL;
    return tracefs_enabler_remove(program, unreg.disable_addr, unreg.disable_bit);
}

static int do_delete(const struct tracefs_program *program, uint64_t argument)
{
    char name[CAIRN_COMMAND_MAX_BYTES];
    int error = read_text(program, name, sizeof(name), argument);

    return error ? error : engine_delete(name);
}

int tracefs_data_ioctl(const struct tracefs_data_caller *caller, unsigned long request,
                       uint64_t argument)
{
    engine_check_process();
    switch ((uint32_t)request) {
    case ENGINE_USER_EVENTS_REG:
        return do_register(caller, argument);
    case ENGINE_USER_EVENTS_UNREG:
        return do_unregister(caller->program, argument);
    case ENGINE_USER_EVENTS_DEL:
        return do_delete(caller->program, argument);
    default:
        return ENOTTY;
    }
}
