/* SPDX-License-Identifier: MIT */
/* Copies of cells, whose texts are one after the other. */
#include "query/batch.h"

#include <errno.h>
#include <stdlib.h>

struct query_batch_cell {
    uint8_t kind; /* enum cairn_query_kind */
    bool lasts;   /* the text is not the batch's */
    uint32_t size_bytes;
    union {
        int64_t integer;
        double real;
        const char *text;
        size_t offset; /* of a text in the batch */
    };
};

struct query_batch *query_batch_create(unsigned columns, bool has_numbers)
{
    struct query_batch *batch = (struct query_batch *)calloc(1, sizeof(*batch));

    if (!batch)
        return NULL;
    batch->columns = columns;
    if (!has_numbers)
        return batch;
    batch->numbers = (struct query_number_array *)calloc(columns, sizeof(*batch->numbers));
    if (!batch->numbers) {
        free(batch);
        return NULL;
    }
    return batch;
}

void query_batches_free(struct query_batch *batch)
{
    while (batch) {
        struct query_batch *next = batch->next;

        for (unsigned n = 0; batch->numbers && n < batch->columns; n++)
            free(batch->numbers[n].all);
        free(batch->numbers);
        free(batch->cells);
        free(batch->texts);
        free(batch);
        batch = next;
    }
}

void query_batch_clear(struct query_batch *batch)
{
    batch->rows = batch->cell_count = batch->text_bytes = 0;
    for (unsigned n = 0; batch->numbers && n < batch->columns; n++)
        batch->numbers[n].count = 0;
}

size_t query_batch_bytes(const struct query_batch *batch)
{
    size_t bytes = batch->cell_count * sizeof(*batch->cells) + batch->text_bytes;

    for (unsigned n = 0; batch->numbers && n < batch->columns; n++)
        bytes += batch->numbers[n].count * sizeof(*batch->numbers[n].all);
    return bytes;
}

/* ---- cells ---- */

/* Makes space for `more` elements. Returns 0, ENOMEM. */
static int grow(void **array, size_t count, size_t more, size_t *space, size_t element_bytes)
{
    size_t wanted = *space ? *space : 1024;
    void *bigger;

    if (count + more <= *space)
        return 0;
    while (wanted < count + more)
        wanted *= 2;
    bigger = realloc(*array, wanted * element_bytes);
    if (!bigger)
        return ENOMEM;
    *array = bigger;
    *space = wanted;
    return 0;
}

static int copy_text(struct query_batch *batch, const struct query_cell *cell,
                     struct query_batch_cell *copy)
{
    int err = grow((void **)&batch->texts, batch->text_bytes, cell->size_bytes + 1,
                   &batch->text_space, 1); /* also of an empty one: its address is not NULL */

    if (err)
        return err;
    copy->offset = batch->text_bytes;
    if (cell->size_bytes)
        memcpy(batch->texts + batch->text_bytes, cell->text, cell->size_bytes);
    batch->text_bytes += cell->size_bytes;
    return 0;
}

int query_batch_add(struct query_batch *batch, unsigned column, const struct query_cell *cell)
{
    struct query_batch_cell *copy;

    if (batch->numbers)
        return query_numbers_add(&batch->numbers[column], cell);
    if (grow((void **)&batch->cells, batch->cell_count, 1, &batch->cell_space,
             sizeof(*batch->cells)))
        return ENOMEM;
    copy = &batch->cells[batch->cell_count++];
    *copy = (struct query_batch_cell){
        .kind = (uint8_t)cell->kind,
        .lasts = cell->lasts,
        .size_bytes = (uint32_t)cell->size_bytes,
    };
    if (cell->kind == CAIRN_QUERY_INTEGER)
        copy->integer = cell->integer;
    else if (cell->kind == CAIRN_QUERY_REAL)
        copy->real = cell->real;
    else if (cell->kind == CAIRN_QUERY_TEXT && !cell->lasts)
        return copy_text(batch, cell, copy);
    else if (cell->kind == CAIRN_QUERY_TEXT)
        copy->text = cell->text;
    return 0;
}

void query_batch_cell(const struct query_batch *batch, size_t row, unsigned column,
                      struct query_cell *cell)
{
    const struct query_batch_cell *copy;

    if (batch->numbers) {
        cell->numbers = &batch->numbers[column];
        return;
    }
    copy = &batch->cells[row * batch->columns + column];
    cell->kind = (enum cairn_query_kind)copy->kind;
    if (copy->kind == CAIRN_QUERY_INTEGER)
        cell->integer = copy->integer;
    else if (copy->kind == CAIRN_QUERY_REAL)
        cell->real = copy->real;
    else if (copy->kind == CAIRN_QUERY_TEXT)
        query_cell_text(cell, copy->lasts ? copy->text : batch->texts + copy->offset,
                        copy->size_bytes, copy->lasts);
}
