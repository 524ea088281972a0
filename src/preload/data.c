/* SPDX-License-Identifier: MIT */
#include "preload/data.h"
#include "local/dynamic_fields.h"
#include "local/emit.h"
#include "local/engine.h"
#include "local/sweep.h"
#include "preload/abi.h"
#include "preload/bits.h"
#include "preload/enabler.h"
#include "preload/follow.h"
#include "preload/memory.h"
#include "preload/next.h"
#include "preload/text_session.h"
#include "preload/use.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_MAX_BYTES (sizeof(int32_t) + CAIRN_PAYLOAD_MAX_BYTES)
#define SMALL_MAX_BYTES 1024 /* most events: they are copied once */
#define ADDRESS_BITS    56   /* of a program's addresses, at most */
#define REG_MAX_BYTES   4096 /* a page: a struct of a later day may be so long */

/* What the status page is to the program. */
enum status_layout {
    LAYOUT_UNKNOWN = 0,
    LAYOUT_BYTES,
    LAYOUT_BITS,
};

struct cairn_data {
    uint32_t count;
    struct cairn_use *uses[CAIRN_EVENT_MAX]; /* by write index; NULL: it could not be had */
    uint32_t
        by_event[CAIRN_EVENT_MAX]; /* a write index, where it may be, of the event of a number */
};

/* A line of the memory file. */
struct line {
    uint32_t flags; /* of enum cairn_entry_flag */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* ---- what was registered through an opening ---- */

/* Pairs with the acquire in use_of. */
static void put_use(struct cairn_data *data, struct cairn_use *use)
{
    uint32_t index = data->count;

    data->uses[index] = use;
    if (use)
        data->by_event[cairn_use_index(use)] = index;
    __atomic_store_n(&data->count, index + 1, __ATOMIC_RELEASE);
}

static bool find_index(const struct cairn_data *data, const struct cairn_use *use,
                       uint32_t *ret_index)
{
    uint32_t index = data->by_event[cairn_use_index(use)];

    if (index >= data->count || !data->uses[index] || !cairn_use_is_same(data->uses[index], use))
        return false;
    *ret_index = index;
    return true;
}

/* Takes over what others, who have the same opening, have registered meanwhile. */
static void read_lines(struct cairn_data *data, int fd)
{
    struct line line;

    while (data->count < CAIRN_EVENT_MAX &&
           pread(fd, &line, sizeof(line), (off_t)(data->count * sizeof(line))) ==
               (ssize_t)sizeof(line)) {
        struct cairn_use *use = NULL;

        line.command[sizeof(line.command) - 1] = 0;
        (void)cairn_use_take(line.command, line.flags, &use);
        put_use(data, use);
    }
}

int cairn_data_take(struct cairn_data **data, int fd)
{
    if (!*data)
        *data = cairn_memory_take(sizeof(**data));
    if (!*data)
        return ENOMEM;
    (*data)->count = 0;
    read_lines(*data, fd);
    return 0;
}

void cairn_data_release(struct cairn_data *data)
{
    uint32_t count = data->count;

    __atomic_store_n(&data->count, 0, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < count; i++) {
        if (data->uses[i])
            cairn_use_release(data->uses[i]);
    }
}

/* An opening of the lines to append to: the program's own cannot be written to. It has a lock, as
 * other processes may append lines to the same file. */
static int open_lines(int fd, int *ret_writer)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char link[32];
    int writer;

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    writer = open(link, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (writer < 0)
        return errno;
    if (fcntl(writer, F_OFD_SETLKW, &lock)) {
        int error = errno;

        close(writer);
        return error;
    }
    *ret_writer = writer;
    return 0;
}

static int append_line(int writer, const char *command, uint32_t flags)
{
    struct line line = {.flags = flags};

    (void)snprintf(line.command, sizeof(line.command), "%s", command);
    return write(writer, &line, sizeof(line)) == (ssize_t)sizeof(line) ? 0 : ENOMEM;
}

/* The write index of a use, which is the opening's afterwards, or given back. */
static int add_use(struct cairn_data *data, int fd, struct cairn_use *use, uint32_t flags,
                   uint32_t *ret_index)
{
    int writer = -1;
    int error = open_lines(fd, &writer);
    bool is_known;

    if (!error)
        read_lines(data, fd);
    is_known = !error && find_index(data, use, ret_index);
    if (!error && !is_known)
        error = data->count == CAIRN_EVENT_MAX ? EMFILE : append_line(writer, use->command, flags);
    if (error || is_known) {
        cairn_use_release(use);
    } else {
        *ret_index = data->count;
        put_use(data, use);
    }
    if (writer >= 0)
        close(writer);
    return error;
}

/* ---- DIAG_IOCSREG ---- */

/* A struct of the program's, of a later day perhaps: what we know of it; the rest must be zeros. */
static int read_struct(void *to, size_t size_bytes, uint64_t from, uint32_t its_size)
{
    uint8_t rest[REG_MAX_BYTES];
    int error = cairn_memory_read(to, from, its_size < size_bytes ? its_size : size_bytes);

    if (error || its_size <= size_bytes)
        return error;
    if (cairn_memory_read(rest, from + size_bytes, its_size - size_bytes))
        return EFAULT;
    for (size_t i = 0; i < its_size - size_bytes; i++) {
        if (rest[i])
            return E2BIG;
    }
    return 0;
}

static int read_reg(uint64_t from, uint32_t size, struct cairn_user_reg *reg)
{
    int error = read_struct(reg, sizeof(*reg), from, size);

    if (error)
        return error;
    if (reg->flags & ~CAIRN_REG_FLAGS || (reg->enable_size != 4 && reg->enable_size != 8) ||
        reg->enable_addr % reg->enable_size || reg->enable_bit >= reg->enable_size * 8)
        return EINVAL;
    /* What no processor has for programs; of the rest it is told later what is not there. */
    return reg->enable_addr >> ADDRESS_BITS ? EFAULT : 0;
}

/* Under the engine's lock. Today's kernel knows no flags in the text; the first design did. */
static int register_name(struct cairn_data *data, int fd, uint64_t name, uint32_t flags,
                         bool may_have_flags, uint32_t *ret_index)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_use *use;
    int error = cairn_memory_read_text(command, sizeof(command), name);

    if (error)
        return error;
    if (!may_have_flags && memchr(command, ':', strcspn(command, " ")))
        return EINVAL;
    error = cairn_use_take(command, flags, &use);
    return error ? error : add_use(data, fd, use, flags, ret_index);
}

static int register_today(struct cairn_data *data, int fd, uint64_t argument, uint32_t size)
{
    struct cairn_enabler_request request;
    struct cairn_use *use;
    struct cairn_user_reg reg;
    uint32_t index;
    int error = read_reg(argument, size, &reg);

    if (error)
        return error;
    request = (struct cairn_enabler_request){reg.enable_addr, reg.enable_size, reg.enable_bit};
    if (cairn_enabler_is_there(request.address, request.bit))
        return EADDRINUSE;
    error = register_name(data, fd, reg.name_args, reg.flags, false, &index);
    if (!error)
        error = cairn_use_take_again(data->uses[index], &use);
    if (error)
        return error;
    /* What the kernel says of a word that is not there: the event stays the opening's. */
    if (cairn_enabler_add(&request, use))
        return ENOMEM;
    cairn_follow_start();
    /* Nor does the kernel say that the index could not be told. */
    (void)cairn_memory_write(argument + offsetof(struct cairn_user_reg, write_index), &index,
                             sizeof(index));
    return 0;
}

/* Registers a name for a program that looks at the page. One of bytes cannot be one of bits too: no
 * kernel has both. */
static int register_for_page(struct cairn_data *data, int fd, uint64_t name,
                             enum status_layout wanted, uint32_t *ret_index)
{
    static enum status_layout layout;
    int error = layout == wanted || layout == LAYOUT_UNKNOWN ? 0 : EINVAL;

    if (!error)
        error = register_name(data, fd, name, 0, true, ret_index);
    if (!error && wanted == LAYOUT_BITS)
        error = cairn_bits_begin();
    if (!error)
        layout = wanted;
    return error;
}

static int register_v4(struct cairn_data *data, int fd, uint64_t argument)
{
    struct cairn_reg_v4 reg;
    int error = cairn_memory_read(&reg, argument, sizeof(reg));

    if (!error)
        error = register_for_page(data, fd, reg.name_args, LAYOUT_BYTES, &reg.write_index);
    if (error)
        return error;
    reg.status_index = cairn_use_index(data->uses[reg.write_index]);
    return cairn_memory_write(argument, &reg, sizeof(reg));
}

static int register_bits(struct cairn_data *data, int fd, uint64_t argument)
{
    struct cairn_reg_bits reg;
    uint32_t write_index;
    int error = cairn_memory_read(&reg, argument, sizeof(reg));

    if (!error)
        error = register_for_page(data, fd, reg.name_args, LAYOUT_BITS, &write_index);
    if (error)
        return error;
    reg.write_index = write_index;
    reg.status_bit = cairn_use_index(data->uses[write_index]);
    if (reg.status_bit >= CAIRN_BITS_MAX)
        return EMFILE;
    cairn_follow_update();
    cairn_follow_start();
    return cairn_memory_write(argument, &reg, sizeof(reg));
}

static int do_register(struct cairn_data *data, int fd, uint64_t argument)
{
    uint32_t size;

    if (cairn_memory_read(&size, argument, sizeof(size)))
        return EFAULT;
    if (size > REG_MAX_BYTES)
        return E2BIG;
    if (size == sizeof(struct cairn_reg_v4))
        return register_v4(data, fd, argument);
    if (size == sizeof(struct cairn_reg_bits))
        return register_bits(data, fd, argument);
    if (size < sizeof(struct cairn_user_reg))
        return EINVAL;
    return register_today(data, fd, argument, size);
}

/* ---- DIAG_IOCSUNREG, DIAG_IOCSDEL ---- */

static int do_unregister(uint64_t argument)
{
    struct cairn_user_unreg unreg;
    uint32_t size;
    int error;

    if (cairn_memory_read(&size, argument, sizeof(size)))
        return EFAULT;
    if (size > REG_MAX_BYTES)
        return E2BIG;
    if (size < sizeof(unreg))
        return EINVAL;
    error = read_struct(&unreg, sizeof(unreg), argument, size);
    if (error)
        return error;
    if (unreg.reserved || unreg.reserved2)
        return EINVAL;
    return cairn_enabler_remove(unreg.disable_addr, unreg.disable_bit);
}

static int do_delete(uint64_t argument)
{
    char name[CAIRN_COMMAND_MAX_BYTES];
    int error = cairn_memory_read_text(name, sizeof(name), argument);

    return error ? error : cairn_engine_delete(name);
}

/* As a system call tells it. */
static ssize_t tell(int error, size_t size_bytes)
{
    if (error)
        errno = error;
    return error ? -1 : (ssize_t)size_bytes;
}

int cairn_data_ioctl(struct cairn_served *file, int fd, unsigned long request, uint64_t argument)
{
    cairn_engine_guard guard;
    int error;

    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    switch ((uint32_t)request) {
    case CAIRN_USER_EVENTS_REG:
        error = do_register(file->data, fd, argument);
        break;
    case CAIRN_USER_EVENTS_UNREG:
        error = do_unregister(argument);
        break;
    case CAIRN_USER_EVENTS_DEL:
        error = do_delete(argument);
        break;
    default: /* what all files have, or ENOTTY */
        cairn_engine_unlock(&guard);
        return CAIRN_NEXT(ioctl)(fd, request, argument);
    }
    cairn_engine_unlock(&guard);
    return (int)tell(error, 0);
}

/* ---- writing ---- */

/* Another process, with the same opening, may have registered it. */
static struct cairn_use *find_use(struct cairn_data *data, int fd, uint32_t index)
{
    struct cairn_use *use;
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    read_lines(data, fd);
    use = index < data->count ? data->uses[index] : NULL;
    cairn_engine_unlock(&guard);
    return use;
}

static struct cairn_use *use_of(struct cairn_data *data, int fd, uint32_t index)
{
    /* Pairs with the releases where it grows. */
    if (index < __atomic_load_n(&data->count, __ATOMIC_ACQUIRE))
        return data->uses[index];
    return find_use(data, fd, index);
}

struct payload {
    const uint8_t *bytes;
    uint32_t size_bytes;
};

/* There is room: the size was asked for. */
static inline uint8_t *copy_payload(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct payload *payload = arg;

    (void)limit;
    memcpy(to, payload->bytes, payload->size_bytes);
    return to + payload->size_bytes;
}

/* The kernel has found that the parts are not more than there can be, nor too large. */
static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    return size;
}

/* What is lost for lack of room is counted, and the program is not told: nor does the kernel. */
static int emit(const struct cairn_use *use, const uint8_t *bytes, uint32_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)bytes, size_bytes};
    struct payload payload = {bytes, size_bytes};
    int error = cairn_dynamic_fields_check(&use->tracepoint, &part, 1, size_bytes);

    if (error)
        return error;
    error = cairn_local_emit(&use->tracepoint, size_bytes, copy_payload, &payload);
    return error == ENOSPC || error == ENOMEM ? 0 : error;
}

/* `bytes` are the first of the program's, as many as were there up to the most that is taken; the
 * checks in the kernel's order. */
static int write_event(struct cairn_served *file, int fd, const uint8_t *bytes, size_t gathered,
                       size_t size_bytes)
{
    const struct cairn_use *use;
    int32_t index;

    if (gathered < sizeof(index))
        return EFAULT;
    memcpy(&index, bytes, sizeof(index));
    if (index < 0)
        return EINVAL;
    use = use_of(file->data, fd, (uint32_t)index);
    if (!use)
        return ENOENT;
    if (size_bytes - sizeof(index) < use->fixed_bytes)
        return EINVAL;
    if (!cairn_tracepoint_enabled(&use->tracepoint))
        return EBADF;
    if (gathered < (size_bytes < WRITE_MAX_BYTES ? size_bytes : WRITE_MAX_BYTES))
        return EFAULT;
    if (size_bytes > WRITE_MAX_BYTES)
        return E2BIG;
    return emit(use, bytes + sizeof(index), (uint32_t)(size_bytes - sizeof(index)));
}

static __attribute__((noinline)) int write_large(struct cairn_served *file, int fd,
                                                 const struct iovec *parts, int count,
                                                 size_t size_bytes)
{
    size_t room = size_bytes < WRITE_MAX_BYTES ? size_bytes : WRITE_MAX_BYTES;
    uint8_t *bytes = __builtin_alloca(room + 64);
    size_t gathered = 0;

    (void)cairn_memory_gather(bytes, room, parts, count, &gathered);
    return write_event(file, fd, bytes, gathered, size_bytes);
}

/* Returns 0 or an errno code. The list of parts is not looked at before the kernel has copied by
 * it: then it is there. */
static int write_parts(struct cairn_served *file, int fd, const struct iovec *parts, int count,
                       size_t *ret_size)
{
    uint8_t bytes[SMALL_MAX_BYTES + 64];
    size_t gathered = 0;
    size_t size;
    int error = cairn_memory_gather(bytes, SMALL_MAX_BYTES, parts, count, &gathered);

    if (error)
        return error;
    size = size_of(parts, count);
    *ret_size = size;
    if (size > SMALL_MAX_BYTES)
        return write_large(file, fd, parts, count, size);
    return size ? write_event(file, fd, bytes, gathered, size) : 0;
}

ssize_t cairn_data_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    int error = cairn_served_is_writable(file) ? 0 : EBADF;

    if (!error && (size_bytes < sizeof(int32_t) || size_bytes > SSIZE_MAX))
        error = EFAULT;
    if (!error)
        error = write_parts(file, fd, &part, 1, &size_bytes);
    return tell(error, size_bytes);
}

ssize_t cairn_data_writev(struct cairn_served *file, int fd, const struct iovec *parts, int count)
{
    size_t size_bytes = 0;
    int error = cairn_served_is_writable(file) ? 0 : EBADF;

    if (!error)
        error = write_parts(file, fd, parts, count, &size_bytes);
    return tell(error, size_bytes);
}
