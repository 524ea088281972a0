/* SPDX-License-Identifier: MIT */
/* Writes a record's text: the pieces of a format, with their conversions. */
#include "decode/print_eval.h"

#include "core/cursor.h"
#include "core/load.h"

#include <errno.h>
#include <string.h>

#define DIGITS_MAX 22u /* of a 64-bit number in base 8 */

__attribute__((noinline)) void decode_print_put_cut(struct decode_print_run *run, const void *text)
{
    run->at = (char *)mempcpy(run->at, text, (size_t)(run->end - run->at));
    run->is_full = true;
}

static char *octal_digits(char *end, uint64_t value)
{
    for (; value; value >>= 3)
        *--end = (char)('0' + (value & 7));
    return end;
}

/* In base 16, two digits at a time. */
static inline char *hex_digits(char *end, uint64_t value, const char *digits)
{
    for (; value >= 16; value >>= 8) {
        *--end = digits[value & 15];
        *--end = digits[value >> 4 & 15];
    }
    if (value)
        *--end = digits[value];
    return end;
}

/* In base 10, two digits for each division. */
static inline char *decimal_digits(char *end, uint64_t value)
{
    for (; value >= 10; value /= 100) {
        unsigned pair = (unsigned)(value % 100);

        *--end = (char)('0' + pair % 10);
        *--end = (char)('0' + pair / 10);
    }
    if (value)
        *--end = (char)('0' + value);
    return end;
}

static char *digits_of(char *end, uint64_t value, unsigned base, bool is_upper)
{
    if (base == 10)
        return decimal_digits(end, value);
    if (base == 8)
        return octal_digits(end, value);
    return hex_digits(end, value, is_upper ? "0123456789ABCDEF" : "0123456789abcdef");
}

static void put_repeated(struct decode_print_run *run, char c, size_t count)
{
    size_t space = (size_t)(run->end - run->at);

    if (count > space) {
        count = space;
        run->is_full = true;
    }
    memset(run->at, c, count);
    run->at += count;
}

void decode_print_put_number(struct decode_print_run *run, uint64_t value, unsigned base,
                             unsigned digits)
{
    char buffer[DIGITS_MAX];
    char *end = buffer + sizeof(buffer);
    char *begin = digits_of(end, value, base, false);
    size_t length = (size_t)(end - begin);

    put_repeated(run, '0', digits > length ? digits - length : 0);
    decode_print_put(run, begin, length);
}

void decode_print_put_hex(struct decode_print_run *run, uint64_t value)
{
    decode_print_put(run, "0x", 2);
    decode_print_put_number(run, value, 16, 1);
}

/* Moves the text that was written since `begin` into a field of a width. */
static void justify(struct decode_print_run *run, char *begin, uint32_t width, bool is_left)
{
    size_t length = (size_t)(run->at - begin);
    char *end;

    if (length >= width)
        return;
    put_repeated(run, ' ', width - length);
    if (is_left)
        return;
    end = run->at;
    memmove(end - length, begin, length);
    memset(begin, ' ', (size_t)(end - begin) - length);
}

struct sizes {
    uint32_t width;
    uint32_t precision;
    bool has_precision;
    bool left;
};

/* A negative width means left; a negative precision none. */
static struct sizes sizes_of(struct decode_print_run *run, const struct decode_print_piece *piece)
{
    struct sizes sizes = {piece->width, piece->precision, piece->has_precision, piece->left};

    if (piece->is_width_argument) {
        int64_t width = (int32_t)decode_print_evaluate(run, piece->width).number;

        sizes.left |= width < 0;
        sizes.width = (uint32_t)(width < 0 ? -width : width);
    }
    if (piece->is_precision_argument) {
        int32_t precision = (int32_t)decode_print_evaluate(run, piece->precision).number;

        sizes.has_precision = precision >= 0;
        sizes.precision = (uint32_t)precision;
    }
    return sizes;
}

static const char *prefix_of(const struct decode_print_piece *piece, uint64_t value,
                             bool is_negative)
{
    switch (piece->conversion) {
    case 'd':
    case 'i':
        return is_negative ? "-" : piece->plus ? "+" : piece->space ? " " : "";
    case 'x':
        return piece->alternate && value ? "0x" : "";
    case 'X':
        return piece->alternate && value ? "0X" : "";
    case 'o':
        return piece->alternate && value ? "0" : "";
    default:
        return "";
    }
}

static uint64_t limit(uint64_t value, const struct decode_print_piece *piece, bool *ret_is_negative)
{
    unsigned unused_bits = 64 - 8u * piece->size_bytes;

    *ret_is_negative = false;
    value <<= unused_bits;
    if (piece->conversion != 'd' && piece->conversion != 'i')
        return value >> unused_bits;
    value = (uint64_t)((int64_t)value >> unused_bits);
    *ret_is_negative = (int64_t)value < 0;
    return *ret_is_negative ? -value : value;
}

static void put_integer(struct decode_print_run *run, const struct decode_print_piece *piece,
                        struct sizes sizes, uint64_t value)
{
    unsigned base = piece->conversion == 'o' ? 8 : (piece->conversion | 0x20) == 'x' ? 16 : 10;
    char buffer[DIGITS_MAX];
    bool is_negative;
    uint64_t magnitude = limit(value, piece, &is_negative);
    char *begin = digits_of(buffer + DIGITS_MAX, magnitude, base, piece->conversion == 'X');
    size_t length = (size_t)(buffer + DIGITS_MAX - begin);
    const char *prefix = prefix_of(piece, magnitude, is_negative);
    size_t prefix_length = strlen(prefix);
    size_t digits = sizes.has_precision ? sizes.precision : 1;
    char *start = run->at;

    if (piece->zero && !sizes.left && !sizes.has_precision && sizes.width > prefix_length)
        digits = sizes.width - prefix_length;
    for (; *prefix; prefix++)
        decode_print_put_char(run, *prefix);
    put_repeated(run, '0', digits > length ? digits - length : 0);
    decode_print_put(run, begin, length);
    justify(run, start, sizes.width, sizes.left);
}

/* The number of an argument; bytes beyond those of its type are its sign's. */
static inline uint64_t plain_number(struct decode_print_run *run,
                                    const struct decode_print_piece *piece)
{
    const struct decode_print_record *record = run->record;
    struct decode_print_fixed fixed = piece->fixed;
    const uint8_t *data = record->raw + fixed.offset;

    if (!fixed.bytes)
        return decode_print_evaluate(run, piece->argument).number;
    if ((uint64_t)fixed.offset + fixed.bytes > record->raw_bytes) {
        run->is_cut = true;
        return 0;
    }
    return fixed.is_unsigned ? core_load_unsigned(data, fixed.bytes, record->swap)
                             : (uint64_t)core_load_signed(data, fixed.bytes, record->swap);
}

static void put_plain_number(struct decode_print_run *run, const struct decode_print_piece *piece)
{
    char buffer[DIGITS_MAX];
    char *end = buffer + DIGITS_MAX;
    char *begin;
    char *filled = end - piece->zero_digits;
    bool is_negative;
    uint64_t magnitude = limit(plain_number(run, piece), piece, &is_negative);

    memset(buffer, '0', sizeof(buffer)); /* for the digits that are filled */
    begin = piece->conversion == 'x' ? hex_digits(end, magnitude, "0123456789abcdef")
                                     : decimal_digits(end, magnitude);
    begin = begin < filled ? begin : filled;
    if (is_negative)
        *--begin = '-';
    decode_print_put(run, begin, (size_t)(end - begin));
}

/* A pointer to a string of the kernel. */
static void put_kernel_string(struct decode_print_run *run, uint64_t address)
{
    const struct decode_print_record *record = run->record;
    struct cairn_slice string;

    if (record->string && record->string(record->kernel, address, &string))
        decode_print_put(run, string.text, string.length);
    else
        decode_print_put_hex(run, address);
}

static void put_value_string(struct decode_print_run *run, struct decode_print_value value)
{
    if (value.data)
        decode_print_put(run, value.data, strnlen((const char *)value.data, value.bytes));
    else if (value.number)
        put_kernel_string(run, value.number);
    else
        decode_print_put(run, "(null)", 6);
}

void decode_print_put_string(struct decode_print_run *run, uint32_t index)
{
    const struct decode_print_node *node = &run->print->nodes[index];

    while (node->op == DECODE_PRINT_CONDITION) {
        struct decode_print_value value = decode_print_evaluate(run, node->child[0]);

        index = node->child[value.data || value.number ? 1 : 2];
        node = &run->print->nodes[index];
    }
    switch (node->op) {
    case DECODE_PRINT_FLAGS:
        decode_print_put_flags(run, node);
        return;
    case DECODE_PRINT_SYMBOLIC:
        decode_print_put_symbolic(run, node);
        return;
    case DECODE_PRINT_SECONDS:
    case DECODE_PRINT_NANOSECONDS:
        decode_print_put_seconds(run, node);
        return;
    default:
        break;
    }
    if (node->op >= DECODE_PRINT_FLAGS)
        decode_print_put_bytes(run, node);
    else
        put_value_string(run, decode_print_evaluate(run, index));
}

static void put_string(struct decode_print_run *run, const struct decode_print_piece *piece,
                       struct sizes sizes)
{
    char *start = run->at;

    decode_print_put_string(run, piece->argument);
    if (sizes.has_precision && (size_t)(run->at - start) > sizes.precision)
        run->at = start + sizes.precision;
    justify(run, start, sizes.width, sizes.left);
}

static void put_conversion(struct decode_print_run *run, const struct decode_print_piece *piece)
{
    struct sizes sizes;
    bool is_dump;
    char *start = run->at;

    if (cairn_likely(piece->is_plain_number)) {
        put_plain_number(run, piece);
        return;
    }
    sizes = sizes_of(run, piece);
    is_dump = piece->extension[0] == 'h'; /* its width is a number of bytes */

    switch (piece->conversion) {
    case 's':
        put_string(run, piece, sizes);
        return;
    case 'c':
        decode_print_put_char(run, (char)decode_print_evaluate(run, piece->argument).number);
        break;
    case 'p':
        decode_print_put_pointer(run, piece, decode_print_evaluate(run, piece->argument),
                                 sizes.width);
        break;
    default:
        if (run->print->nodes[piece->argument].op >= DECODE_PRINT_FLAGS)
            decode_print_put_string(run, piece->argument);
        else
            put_integer(run, piece, sizes, decode_print_evaluate(run, piece->argument).number);
        return;
    }
    justify(run, start, is_dump ? 0 : sizes.width, sizes.left);
}

/* Puts the addresses of a stack, up to the record's end. */
static void put_stack(struct decode_print_run *run)
{
    const struct decode_print *print = run->print;
    const struct decode_print_record *record = run->record;
    struct core_cursor c = core_cursor(record->raw, record->raw_bytes, record->swap);
    uint32_t count;

    core_cursor_take(&c, print->stack.count_offset);
    count = core_cursor_u32(&c);
    c = core_cursor(record->raw, record->raw_bytes, record->swap);
    core_cursor_take(&c, print->stack.offset);
    run->is_cut = c.error;
    for (uint32_t n = 0; n < count && c.left >= print->long_bytes && !run->is_full; n++) {
        const struct decode_print_piece *piece = &print->pieces[n ? 1 : 0];

        decode_print_put(run, piece->before.text, piece->before.length);
        decode_print_put_symbol(run, piece->extension[0],
                                print->long_bytes == 8 ? core_cursor_u64(&c) : core_cursor_u32(&c));
    }
}

static void put_pieces(struct decode_print_run *run)
{
    const struct decode_print *print = run->print;

    for (uint32_t n = 0; n < print->piece_count && !run->is_full && !run->is_cut; n++) {
        const struct decode_print_piece *piece = &print->pieces[n];

        decode_print_put(run, piece->before.text, piece->before.length);
        if (piece->conversion)
            put_conversion(run, piece);
    }
}

int decode_print_text(const struct decode_print *print, const struct decode_print_record *record,
                      char *text, uint32_t *ret_length)
{
    static const char cut_mark[] = DECODE_PRINT_CUT;
    struct decode_print_run run = {
        .print = print,
        .record = record,
        .at = text,
        .end = text + DECODE_PRINT_TEXT_MAX_BYTES - strlen(cut_mark),
    };

    if (cairn_unlikely(print->stack.offset))
        put_stack(&run);
    else
        put_pieces(&run);
    if (run.is_cut)
        return EBADMSG;
    while (run.at > text && run.at[-1] == '\n')
        run.at--;
    if (run.is_full)
        run.at = (char *)mempcpy(run.at, cut_mark, strlen(cut_mark));
    *ret_length = (uint32_t)(run.at - text);
    return 0;
}
