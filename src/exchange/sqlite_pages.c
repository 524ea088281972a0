/* SPDX-License-Identifier: MIT */
/* Writes tables of SQLite as pages. */
#include "exchange/sqlite_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES EXCHANGE_SQLITE_PAGE_BYTES

/* Kinds of pages, and the sizes of their heads. */
#define LEAF           0x0d
#define INNER          0x05
#define LEAF_HEAD      8u
#define INNER_HEAD     12u
#define POINTER_BYTES  2u /* of a cell, after the head */
#define NUMBER_BYTES   4u /* of a page */
#define VARINT_BYTES   9u
#define HEADER_COUNT   28 /* the position of the number of pages in the file */
#define PAYLOAD_MAX    INT32_MAX
#define PAGE_COUNT_MAX 0xfffffffdu

/* The page with the bytes that SQLite locks: it is not used. */
#define LOCKED_PAGE (0x40000000u / PAGE_BYTES + 1)

/* Payload of a row that is in its page: the format's formulas. */
#define LOCAL_MAX   (PAGE_BYTES - 35)
#define LOCAL_MIN   ((PAGE_BYTES - 12) * 32 / 255 - 23)
#define CHAIN_BYTES (PAGE_BYTES - NUMBER_BYTES)

/* ---- numbers ---- */

static uint8_t *put_big(uint8_t *to, uint64_t value, unsigned size_bytes)
{
    for (unsigned n = 0; n < size_bytes; n++)
        to[n] = (uint8_t)(value >> (8 * (size_bytes - 1 - n)));
    return to + size_bytes;
}

/* Seven bits in each byte, the highest first; numbers here have less than 57 bits. */
static uint8_t *put_varint(uint8_t *to, uint64_t value)
{
    unsigned count = 1;

    while (value >> (7 * count) && count < VARINT_BYTES - 1)
        count++;
    for (unsigned n = count; n--;)
        *to++ = (uint8_t)((value >> (7 * n) & 0x7f) | (n ? 0x80 : 0));
    return to;
}

/* ---- rows ---- */

void exchange_sqlite_put_null(struct exchange_sqlite_row *row)
{
    row->types[row->count++] = 0;
}

void exchange_sqlite_put_number(struct exchange_sqlite_row *row, int64_t number)
{
    static const uint8_t sizes[] = {1, 2, 3, 4, 6, 8};
    uint64_t positive = number < 0 ? ~(uint64_t)number : (uint64_t)number;
    unsigned n = 0;
    uint8_t *to;

    if (number == 0 || number == 1) {
        row->types[row->count++] = 8 + (uint64_t)number;
        return;
    }
    while (n < sizeof(sizes) - 1 && positive >> (8 * sizes[n] - 1))
        n++;
    row->types[row->count++] = n + 1;
    to = (uint8_t *)export_output_reserve(&row->body, 8);
    row->body.at = (char *)put_big(to, (uint64_t)number, sizes[n]);
}

void exchange_sqlite_put_text(struct exchange_sqlite_row *row, const char *text, size_t size_bytes)
{
    row->types[row->count++] = 13 + 2 * (uint64_t)size_bytes;
    export_output_bytes(&row->body, text, size_bytes);
}

/* Writes the types before the values. Returns their size. */
static uint32_t make_head(const struct exchange_sqlite_row *row,
                          uint8_t head[(EXCHANGE_SQLITE_COLUMNS_MAX + 1) * VARINT_BYTES])
{
    uint8_t *to = head + 2; /* its size is less than 2^14 */
    uint32_t size_bytes;

    for (uint32_t n = 0; n < row->count; n++)
        to = put_varint(to, row->types[n]);
    size_bytes = (uint32_t)(to - head);
    if (size_bytes - 1 < 0x80) {
        memmove(head + 1, head + 2, size_bytes - 2);
        size_bytes--;
    }
    (void)put_varint(head, size_bytes);
    return size_bytes;
}

/* ---- pages ---- */

static int write_page(const struct exchange_sqlite_file *file, uint32_t number, const uint8_t *page)
{
    size_t done = 0;

    while (done < PAGE_BYTES) {
        ssize_t n = pwrite(file->fd, page + done, PAGE_BYTES - done,
                           (off_t)(number - 1) * PAGE_BYTES + (off_t)done);

        if (n < 0 && errno != EINTR)
            return errno;
        done += n < 0 ? 0 : (size_t)n;
    }
    return 0;
}

static uint32_t number_after(uint32_t number)
{
    return number + 1 == LOCKED_PAGE ? number + 2 : number + 1;
}

static int take_number(struct exchange_sqlite_file *file, uint32_t *ret_number)
{
    if (file->page_count >= PAGE_COUNT_MAX)
        return EFBIG;
    file->page_count = number_after(file->page_count);
    *ret_number = file->page_count;
    return 0;
}

static bool is_leaf(const struct exchange_sqlite_table *table,
                    const struct exchange_sqlite_level *level)
{
    return level == table->levels;
}

static int begin_page(struct exchange_sqlite_level *level)
{
    if (!level->page)
        level->page = (uint8_t *)malloc(PAGE_BYTES);
    if (!level->page)
        return ENOMEM;
    memset(level->page, 0, PAGE_BYTES);
    level->cell_count = 0;
    level->content = PAGE_BYTES;
    return 0;
}

/* Completes the head of a page, and writes it. */
static int end_page(const struct exchange_sqlite_file *file,
                    const struct exchange_sqlite_table *table,
                    const struct exchange_sqlite_level *level, uint32_t number)
{
    uint8_t *page = level->page;

    page[0] = is_leaf(table, level) ? LEAF : INNER;
    put_big(page + 3, level->cell_count, 2);
    put_big(page + 5, level->content, 2);
    if (!is_leaf(table, level))
        put_big(page + 8, level->child, NUMBER_BYTES);
    return write_page(file, number, page);
}

static bool has_space(const struct exchange_sqlite_table *table,
                      const struct exchange_sqlite_level *level, uint32_t size_bytes)
{
    uint32_t head = is_leaf(table, level) ? LEAF_HEAD : INNER_HEAD;

    return head + (level->cell_count + 1) * POINTER_BYTES + size_bytes <= level->content;
}

/* Returns the place of a cell. There is space. */
static uint8_t *add_cell(const struct exchange_sqlite_table *table,
                         struct exchange_sqlite_level *level, uint32_t size_bytes)
{
    uint32_t head = is_leaf(table, level) ? LEAF_HEAD : INNER_HEAD;

    level->content -= size_bytes;
    put_big(level->page + head + level->cell_count++ * POINTER_BYTES, level->content, 2);
    return level->page + level->content;
}

/* ---- inner pages ---- */

#define INNER_CELL_MAX (NUMBER_BYTES + VARINT_BYTES)

/* Makes a cell of the child that has none. */
static void add_child_cell(const struct exchange_sqlite_table *table,
                           struct exchange_sqlite_level *level)
{
    uint8_t cell[INNER_CELL_MAX];
    uint8_t *end = put_varint(put_big(cell, level->child, NUMBER_BYTES), (uint64_t)level->child_id);

    level->cell_child = level->child;
    level->cell_id = level->child_id;
    level->cell_bytes = (uint32_t)(end - cell);
    memcpy(add_cell(table, level, level->cell_bytes), cell, level->cell_bytes);
}

static int add_child(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table,
                     uint32_t depth, uint32_t child, int64_t child_id);

/* Ends a full page with the child of its last cell, so that the next page has a cell. */
static int next_inner(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table,
                      uint32_t depth)
{
    struct exchange_sqlite_level *level = &table->levels[depth];
    uint32_t child = level->child;
    int64_t child_id = level->child_id;
    uint32_t number;
    int err = take_number(file, &number);

    level->cell_count--;
    level->content += level->cell_bytes;
    level->child = level->cell_child;
    if (!err)
        err = end_page(file, table, level, number);
    if (!err)
        err = add_child(file, table, depth + 1, number, level->cell_id);
    if (!err)
        err = begin_page(level);
    if (err)
        return err;
    level->child = child;
    level->child_id = child_id;
    add_child_cell(table, level);
    return 0;
}

/* Adds a page to the level above. */
static int add_child(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table,
                     uint32_t depth, uint32_t child, int64_t child_id)
{
    struct exchange_sqlite_level *level = &table->levels[depth];
    int err = 0;

    if (depth == EXCHANGE_SQLITE_LEVELS_MAX)
        return EFBIG;
    if (!level->page)
        err = begin_page(level);
    else if (!has_space(table, level, INNER_CELL_MAX))
        err = next_inner(file, table, depth);
    else
        add_child_cell(table, level);
    level->child = child;
    level->child_id = child_id;
    return err;
}

/* ---- rows in pages ---- */

static uint32_t local_bytes(uint64_t payload_bytes)
{
    uint32_t local;

    if (payload_bytes <= LOCAL_MAX)
        return (uint32_t)payload_bytes;
    local = (uint32_t)(LOCAL_MIN + (payload_bytes - LOCAL_MIN) % CHAIN_BYTES);
    return local <= LOCAL_MAX ? local : LOCAL_MIN;
}

/* A payload in two parts: the head of a row, its values. */
struct payload {
    const uint8_t *head;
    uint32_t head_bytes;
    const char *body;
    uint64_t size_bytes; /* of both */
};

static void copy_payload(const struct payload *payload, uint64_t from, uint8_t *to, size_t n)
{
    if (from < payload->head_bytes) {
        size_t part = payload->head_bytes - from < n ? payload->head_bytes - (size_t)from : n;

        memcpy(to, payload->head + from, part);
        to += part;
        from += part;
        n -= part;
    }
    if (n)
        memcpy(to, payload->body + (from - payload->head_bytes), n);
}

/* Writes the rest of a payload to pages of its own, one after the other. */
static int write_chain(struct exchange_sqlite_file *file, const struct payload *payload,
                       uint64_t at, uint32_t *ret_first)
{
    uint8_t *page = (uint8_t *)malloc(PAGE_BYTES);
    uint32_t number;
    int err = page ? 0 : ENOMEM;

    for (bool is_first = true; at < payload->size_bytes && !err; is_first = false) {
        uint64_t left = payload->size_bytes - at;
        size_t n = left < CHAIN_BYTES ? (size_t)left : CHAIN_BYTES;

        err = take_number(file, &number);
        if (err)
            break;
        if (is_first)
            *ret_first = number;
        memset(page, 0, PAGE_BYTES);
        put_big(page, left > n ? number_after(number) : 0, NUMBER_BYTES);
        copy_payload(payload, at, page + NUMBER_BYTES, n);
        err = write_page(file, number, page);
        at += n;
    }
    free(page);
    return err;
}

/* Ends a page of rows that is full, and begins the next one. */
static int next_page(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table)
{
    struct exchange_sqlite_level *level = table->levels;
    uint32_t number;
    int err = take_number(file, &number);

    if (!err)
        err = end_page(file, table, level, number);
    if (!err)
        err = add_child(file, table, 1, number, table->last_id);
    return err ? err : begin_page(level);
}

int exchange_sqlite_add(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table,
                        const struct exchange_sqlite_row *row)
{
    uint8_t head[(EXCHANGE_SQLITE_COLUMNS_MAX + 1) * VARINT_BYTES];
    uint8_t sizes[2 * VARINT_BYTES];
    struct payload payload = {head, make_head(row, head), row->body.begin, 0};
    struct exchange_sqlite_level *level = table->levels;
    uint32_t chain = 0;
    uint32_t sizes_bytes;
    uint32_t local;
    uint32_t cell;
    uint8_t *to;
    int err = row->body.error;

    payload.size_bytes = payload.head_bytes + (uint64_t)(row->body.at - row->body.begin);
    if (!err && payload.size_bytes > PAYLOAD_MAX)
        err = EFBIG;
    if (!err && !level->page)
        err = begin_page(level);
    if (err)
        return err;
    local = local_bytes(payload.size_bytes);
    sizes_bytes =
        (uint32_t)(put_varint(put_varint(sizes, payload.size_bytes), (uint64_t)table->last_id + 1) -
                   sizes);
    cell = sizes_bytes + local + (local < payload.size_bytes ? NUMBER_BYTES : 0);
    if (!has_space(table, level, cell))
        err = next_page(file, table);
    if (!err && local < payload.size_bytes)
        err = write_chain(file, &payload, local, &chain);
    if (err)
        return err;
    table->last_id++;
    to = (uint8_t *)mempcpy(add_cell(table, level, cell), sizes, sizes_bytes);
    copy_payload(&payload, 0, to, local);
    if (chain)
        put_big(to + local, chain, NUMBER_BYTES);
    return 0;
}

/* ---- the end ---- */

/* The last page of the uppermost level is the root. */
int exchange_sqlite_finish_table(struct exchange_sqlite_file *file,
                                 struct exchange_sqlite_table *table)
{
    uint32_t depth = 0;
    int err = 0;

    while (!err && table->levels[depth].page) {
        struct exchange_sqlite_level *level = &table->levels[depth];
        bool is_root = depth + 1 == EXCHANGE_SQLITE_LEVELS_MAX || !table->levels[depth + 1].child;
        int64_t id = depth ? level->child_id : table->last_id;
        uint32_t number = table->root;

        if (!is_root)
            err = take_number(file, &number);
        if (!err)
            err = end_page(file, table, level, number);
        if (err || is_root)
            break;
        err = add_child(file, table, ++depth, number, id);
    }
    return err;
}

int exchange_sqlite_finish_file(const struct exchange_sqlite_file *file)
{
    uint8_t count[NUMBER_BYTES];

    put_big(count, file->page_count, sizeof(count));
    return pwrite(file->fd, count, sizeof(count), HEADER_COUNT) == (ssize_t)sizeof(count) ? 0
                                                                                          : errno;
}

void exchange_sqlite_free_table(struct exchange_sqlite_table *table)
{
    for (uint32_t n = 0; n < EXCHANGE_SQLITE_LEVELS_MAX; n++) {
        free(table->levels[n].page);
        table->levels[n].page = NULL;
    }
}
