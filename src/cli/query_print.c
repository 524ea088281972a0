/* SPDX-License-Identifier: MIT */
/* Rows as a table, as CSV and as JSON. */
#include "cli/query_print.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a table that are read before the first is printed: the widths of the columns are theirs.
 */
#define TABLE_ROWS  1000u
#define TABLE_WIDTH 60u /* of a column, at most; longer texts are printed whole */

struct cli_query_table {
    size_t columns;
    size_t rows; /* that are stored, with the names as the first one */
    char **cells;
    bool *is_number; /* of each column: right-justified */
    unsigned *widths;
    bool is_flowing; /* widths are known: rows are printed as they come */
};

static const char *const names[] = {"table", "csv", "json", "jsonl"};

bool cli_query_find_format(const char *name, enum cli_query_format *ret_format)
{
    for (int n = 0; n < CLI_QUERY_PARQUET; n++) {
        if (!strcmp(name, names[n])) {
            *ret_format = (enum cli_query_format)n;
            return true;
        }
    }
    return false;
}

/* ---- values ---- */

/* The shortest digits that are the same number. Space: 32 bytes. */
static void put_real(char *to, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(to, 32, "%.*g", digits, value);
        if (strtod(to, NULL) == value)
            break;
    }
    if (isfinite(value) && !strpbrk(to, ".e"))
        (void)strcat(to, ".0"); /* a real number stays one */
}

static void print_hex(FILE *to, const struct cairn_query_value *value)
{
    for (size_t n = 0; n < value->size_bytes; n++)
        (void)fprintf(to, "%02x", (unsigned char)value->text[n]);
}

static void print_csv_text(FILE *to, const char *text, size_t size_bytes)
{
    bool quote = !size_bytes || memchr(text, ',', size_bytes) || memchr(text, '"', size_bytes) ||
                 memchr(text, '\n', size_bytes) || memchr(text, '\r', size_bytes);

    if (quote)
        (void)fputc('"', to);
    for (size_t n = 0; n < size_bytes; n++) {
        if (text[n] == '"')
            (void)fputc('"', to);
        (void)fputc(text[n], to);
    }
    if (quote)
        (void)fputc('"', to);
}

static void print_json_text(FILE *to, const char *text, size_t size_bytes)
{
    (void)fputc('"', to);
    for (size_t n = 0; n < size_bytes; n++) {
        unsigned char c = (unsigned char)text[n];

        if (c == '"' || c == '\\')
            (void)fprintf(to, "\\%c", c);
        else if (c == '\n')
            (void)fputs("\\n", to);
        else if (c < 0x20)
            (void)fprintf(to, "\\u%04x", c);
        else
            (void)fputc(c, to);
    }
    (void)fputc('"', to);
}

static void print_number(FILE *to, const struct cairn_query_value *value, bool json)
{
    char digits[40];

    if (value->kind == CAIRN_QUERY_INTEGER) {
        (void)fprintf(to, "%" PRId64, value->integer);
        return;
    }
    put_real(digits, value->real);
    if (json && !isfinite(value->real)) /* no number of JSON */
        print_json_text(to, digits, strlen(digits));
    else
        (void)fputs(digits, to);
}

static void print_csv(FILE *to, const struct cairn_query_value *value)
{
    switch (value->kind) {
    case CAIRN_QUERY_INTEGER:
    case CAIRN_QUERY_REAL:
        print_number(to, value, false);
        break;
    case CAIRN_QUERY_TEXT:
        print_csv_text(to, value->text, value->size_bytes);
        break;
    case CAIRN_QUERY_BLOB:
        print_hex(to, value);
        break;
    default: /* nothing, while an empty text has quotes */
        break;
    }
}

static void print_json(FILE *to, const struct cairn_query_value *value)
{
    switch (value->kind) {
    case CAIRN_QUERY_INTEGER:
    case CAIRN_QUERY_REAL:
        print_number(to, value, true);
        break;
    case CAIRN_QUERY_TEXT:
        print_json_text(to, value->text, value->size_bytes);
        break;
    case CAIRN_QUERY_BLOB:
        (void)fputc('"', to);
        print_hex(to, value);
        (void)fputc('"', to);
        break;
    default:
        (void)fputs("null", to);
        break;
    }
}

/* ---- rows ---- */

static void print_csv_row(FILE *to, const struct cairn_query_row *row)
{
    for (size_t n = 0; n < row->count; n++) {
        if (n)
            (void)fputc(',', to);
        if (row->values)
            print_csv(to, &row->values[n]);
        else
            print_csv_text(to, row->names[n], strlen(row->names[n]));
    }
    (void)fputc('\n', to);
}

static void print_json_row(FILE *to, const struct cairn_query_row *row)
{
    (void)fputc('{', to);
    for (size_t n = 0; n < row->count; n++) {
        if (n)
            (void)fputc(',', to);
        print_json_text(to, row->names[n], strlen(row->names[n]));
        (void)fputc(':', to);
        print_json(to, &row->values[n]);
    }
    (void)fputc('}', to);
}

/* ---- tables ---- */

static void free_table(struct cli_query_table *table)
{
    if (!table)
        return;
    for (size_t n = 0; n < table->rows * table->columns; n++)
        free(table->cells[n]);
    free((void *)table->cells);
    free(table->is_number);
    free(table->widths);
    free(table);
}

static struct cli_query_table *make_table(size_t columns)
{
    struct cli_query_table *table = (struct cli_query_table *)calloc(1, sizeof(*table));

    if (!table)
        return NULL;
    table->columns = columns;
    table->cells = (char **)calloc((TABLE_ROWS + 1) * columns, sizeof(*table->cells));
    table->is_number = (bool *)calloc(columns, sizeof(*table->is_number));
    table->widths = (unsigned *)calloc(columns, sizeof(*table->widths));
    if (table->cells && table->is_number && table->widths)
        return table;
    free_table(table);
    return NULL;
}

/* A character of UTF-8 is one column wide, which is wrong for some scripts. */
static unsigned width_of(const char *text)
{
    unsigned width = 0;

    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

void cli_query_make_printable(char *text)
{
    char *to = text;

    for (; *text; text++) {
        const unsigned char *at = (const unsigned char *)text;
        bool is_c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* U+0080 to U+009F */

        *to++ = (char)(is_c1 || *at < 0x20 || *at == 0x7f ? '?' : *at);
        text += is_c1;
    }
    *to = 0;
}

static char *printable_copy(const char *text, size_t size_bytes)
{
    char *copy = strndup(text, size_bytes);

    if (copy)
        cli_query_make_printable(copy);
    return copy;
}

/* Returns the text of a value, which the caller frees; NULL: no memory. */
static char *text_of(const struct cairn_query_value *value)
{
    char digits[40] = "";

    switch (value->kind) {
    case CAIRN_QUERY_INTEGER:
        (void)snprintf(digits, sizeof(digits), "%" PRId64, value->integer);
        return strdup(digits);
    case CAIRN_QUERY_REAL:
        put_real(digits, value->real);
        return strdup(digits);
    case CAIRN_QUERY_TEXT:
        return printable_copy(value->text, value->size_bytes);
    case CAIRN_QUERY_BLOB:
        return strdup("(blob)");
    default:
        return strdup("");
    }
}

static void print_cell(FILE *to, const struct cli_query_table *table, size_t column,
                       const char *text, bool is_last)
{
    unsigned width = width_of(text);
    unsigned space = table->widths[column] > width ? table->widths[column] - width : 0;

    if (column)
        (void)fputs("  ", to);
    if (table->is_number[column])
        (void)fprintf(to, "%*s%s", (int)space, "", text);
    else if (is_last)
        (void)fputs(text, to);
    else
        (void)fprintf(to, "%s%*s", text, (int)space, "");
}

static void print_rule(FILE *to, const struct cli_query_table *table)
{
    for (size_t column = 0; column < table->columns; column++) {
        if (column)
            (void)fputs("  ", to);
        for (unsigned n = 0; n < table->widths[column]; n++)
            (void)fputc('-', to);
    }
    (void)fputc('\n', to);
}

/* Prints what is stored. */
static void print_stored(FILE *to, struct cli_query_table *table)
{
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t column = 0; column < table->columns; column++) {
            char **cell = &table->cells[row * table->columns + column];

            print_cell(to, table, column, *cell, column + 1 == table->columns);
            free(*cell);
            *cell = NULL;
        }
        (void)fputc('\n', to);
        if (!row)
            print_rule(to, table);
    }
    table->rows = 0;
    table->is_flowing = true;
}

static int store(struct cli_query_table *table, const struct cairn_query_row *row)
{
    char **cells = &table->cells[table->rows * table->columns];

    for (size_t n = 0; n < row->count; n++) {
        const struct cairn_query_value *value = row->values ? &row->values[n] : NULL;
        unsigned width;

        cells[n] = value ? text_of(value) : printable_copy(row->names[n], strlen(row->names[n]));
        if (!cells[n])
            return ENOMEM;
        width = width_of(cells[n]);
        if (width > table->widths[n])
            table->widths[n] = width < TABLE_WIDTH || !value ? width : TABLE_WIDTH;
        if (value && (value->kind == CAIRN_QUERY_INTEGER || value->kind == CAIRN_QUERY_REAL))
            table->is_number[n] = true;
    }
    table->rows++;
    return 0;
}

static int print_flowing(FILE *to, const struct cli_query_table *table,
                         const struct cairn_query_row *row)
{
    for (size_t n = 0; n < row->count; n++) {
        char *text = text_of(&row->values[n]);

        if (!text)
            return ENOMEM;
        print_cell(to, table, n, text, n + 1 == row->count);
        free(text);
    }
    (void)fputc('\n', to);
    return 0;
}

static int print_table_row(struct cli_query_printer *printer, const struct cairn_query_row *row)
{
    int err;

    if (!row->values)
        printer->table = make_table(row->count);
    if (!printer->table)
        return ENOMEM;
    if (printer->table->is_flowing)
        return print_flowing(printer->to, printer->table, row);
    err = store(printer->table, row);
    if (!err && printer->table->rows > TABLE_ROWS)
        print_stored(printer->to, printer->table);
    return err;
}

/* ---- results ---- */

/* A result of another statement begins. */
static int begin(struct cli_query_printer *printer)
{
    int err = cli_query_print_end(printer);

    printer->is_begun = true;
    if (printer->format == CLI_QUERY_JSON)
        (void)fputc('[', printer->to);
    return err;
}

int cli_query_print_row(void *context, const struct cairn_query_row *row)
{
    struct cli_query_printer *printer = (struct cli_query_printer *)context;
    int err = row->values ? 0 : begin(printer);

    if (err)
        return err;
    switch (printer->format) {
    case CLI_QUERY_CSV:
        print_csv_row(printer->to, row);
        break;
    case CLI_QUERY_TABLE:
        err = print_table_row(printer, row);
        break;
    default:
        if (!row->values)
            break;
        if (printer->format == CLI_QUERY_JSON)
            (void)fputs(printer->has_rows ? ",\n " : "", printer->to);
        print_json_row(printer->to, row);
        if (printer->format == CLI_QUERY_JSONL || printer->format == CLI_QUERY_PARQUET)
            (void)fputc('\n', printer->to);
        break;
    }
    printer->has_rows |= row->values != NULL;
    return err ? err : ferror(printer->to) ? EPIPE : 0;
}

int cli_query_print_end(struct cli_query_printer *printer)
{
    if (printer->is_begun && printer->format == CLI_QUERY_JSON)
        (void)fputs("]\n", printer->to);
    if (printer->table && printer->table->rows)
        print_stored(printer->to, printer->table);
    free_table(printer->table);
    printer->table = NULL;
    printer->is_begun = printer->has_rows = false;
    return fflush(printer->to) ? EPIPE : 0;
}
