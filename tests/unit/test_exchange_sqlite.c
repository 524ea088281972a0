/* SPDX-License-Identifier: MIT */
/* Tables that are written as pages: SQLite reads the rows. */
#include "exchange/sqlite_pages.h"

#include <cairn/exchange.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS        100
#define LOCKED_BYTE 0x40000000u

struct database {
    char path[64];
    struct exchange_sqlite_file file;
    struct exchange_sqlite_table table;
    struct exchange_sqlite_row row;
};

/* Creates a table of two columns in the second page. */
static void create(struct database *database)
{
    sqlite3 *sqlite;

    *database = (struct database){.path = "/tmp/cairn-sqlite-XXXXXX", .table.root = 2};
    database->file.fd = mkstemp(database->path);
    assert_true(database->file.fd >= 0);
    assert_int_equal(sqlite3_open(database->path, &sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sqlite,
                                  "PRAGMA page_size = 32768;"
                                  "CREATE TABLE t (id INTEGER PRIMARY KEY, value)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
    database->file.page_count = 2;
    assert_int_equal(export_output_open(&database->row.body, -1), 0);
}

static void finish(struct database *database)
{
    assert_int_equal(exchange_sqlite_finish_table(&database->file, &database->table), 0);
    assert_int_equal(exchange_sqlite_finish_file(&database->file), 0);
    exchange_sqlite_free_table(&database->table);
    export_output_close(&database->row.body);
}

static void begin_row(struct database *database)
{
    exchange_sqlite_row_begin(&database->row);
    exchange_sqlite_put_null(&database->row);
}

static void add_row(struct database *database)
{
    assert_int_equal(exchange_sqlite_add(&database->file, &database->table, &database->row), 0);
}

static void add_number(struct database *database, int64_t number)
{
    begin_row(database);
    exchange_sqlite_put_number(&database->row, number);
    add_row(database);
}

/* Compares the only value of a query, as text. */
static void expect(const struct database *database, const char *query, const char *wanted)
{
    sqlite3 *sqlite;
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_open(database->path, &sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(sqlite, query, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(statement, 0), wanted);
    assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
    assert_int_equal(sqlite3_close(sqlite), SQLITE_OK);
}

static void remove_database(const struct database *database)
{
    close(database->file.fd);
    unlink(database->path);
}

static void numbers_of_all_sizes_are_read(void **unused)
{
    struct database database;
    char wanted[32];

    (void)unused;
    create(&database);
    for (unsigned bit = 0; bit < 64; bit++) {
        add_number(&database, (int64_t)((UINT64_C(1) << bit) - 1));
        add_number(&database, (int64_t)(UINT64_C(1) << bit));
        add_number(&database, (int64_t)(~UINT64_C(0) << bit));
    }
    finish(&database);
    expect(&database, "PRAGMA integrity_check", "ok");
    for (unsigned bit = 0; bit < 64; bit++) {
        char query[64];

        (void)snprintf(query, sizeof(query), "SELECT value FROM t WHERE id = %u", 3 * bit + 2);
        (void)snprintf(wanted, sizeof(wanted), "%lld", (long long)(UINT64_C(1) << bit));
        expect(&database, query, wanted);
    }
    remove_database(&database);
}

static void an_empty_table_is_valid(void **unused)
{
    struct database database;

    (void)unused;
    create(&database);
    finish(&database);
    expect(&database, "PRAGMA integrity_check", "ok");
    expect(&database, "SELECT count(*) FROM t", "0");
    remove_database(&database);
}

/* Texts of all lengths around those that need pages of their own. */
static void long_texts_are_in_pages_of_their_own(void **unused)
{
    static char text[200000];
    struct database database;
    char wanted[32];
    uint64_t sum = 0;

    (void)unused;
    memset(text, 'x', sizeof(text));
    create(&database);
    for (size_t n = 0; n < ROWS; n++) {
        size_t length = n % 4 == 0 ? 32700 + n : n * 1999;

        begin_row(&database);
        exchange_sqlite_put_text(&database.row, text, length);
        add_row(&database);
        sum += length;
    }
    finish(&database);
    (void)snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)sum);
    expect(&database, "PRAGMA integrity_check", "ok");
    expect(&database, "SELECT sum(length(value)) FROM t", wanted);
    remove_database(&database);
}

static void the_page_that_sqlite_locks_is_left_out(void **unused)
{
    static char text[70000];
    struct database database;
    char wanted[32];

    (void)unused;
    memset(text, 'y', sizeof(text));
    create(&database);
    database.file.page_count = LOCKED_BYTE / EXCHANGE_SQLITE_PAGE_BYTES - ROWS;
    for (int n = 0; n < ROWS; n++) {
        begin_row(&database);
        exchange_sqlite_put_text(&database.row, text, sizeof(text));
        add_row(&database);
    }
    finish(&database);
    (void)snprintf(wanted, sizeof(wanted), "%zu", ROWS * sizeof(text));
    expect(&database, "SELECT sum(length(value)) FROM t", wanted);
    remove_database(&database);
}

/* It is reserved for SQLite's own. */
static void a_provider_of_any_name_is_exported(void **unused)
{
    static const char text[] =
        "name: Event\nID: 7\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
        "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
        "\nprint fmt: \"\"\n";
    static const uint8_t record[12] = {7};
    const struct cairn_decoder_format format = {
        .system = {"SQLite_stats", 12}, .text = {text, sizeof(text) - 1}, .long_size_bytes = 8};
    struct database database = {.path = "/tmp/cairn-sqlite-XXXXXX"};
    struct cairn_exporter_options options = CAIRN_EXPORTER_OPTIONS_INIT;
    struct cairn_exporter *exporter;
    struct cairn_decoder *decoder;
    struct cairn_event event = {0};
    uint32_t tracepoint;

    (void)unused;
    database.file.fd = mkstemp(database.path);
    options.format = CAIRN_EXCHANGE_SQLITE;
    options.path = database.path;
    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_decoder_add(decoder, &format, &tracepoint), 0);
    assert_int_equal(cairn_decoder_event(decoder, tracepoint, record, sizeof(record), &event), 0);
    assert_int_equal(cairn_exporter_create(&options, &exporter), 0);
    assert_int_equal(cairn_exporter_event(exporter, NULL, &event), 0);
    assert_int_equal(cairn_exporter_finish(exporter, NULL), 0);
    cairn_exporter_destroy(exporter);
    cairn_decoder_destroy(decoder);
    expect(&database, "SELECT provider || count(*) FROM events", "SQLite_stats1");
    remove_database(&database);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_is_valid),
        cmocka_unit_test(numbers_of_all_sizes_are_read),
        cmocka_unit_test(long_texts_are_in_pages_of_their_own),
        cmocka_unit_test(the_page_that_sqlite_locks_is_left_out),
        cmocka_unit_test(a_provider_of_any_name_is_exported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
