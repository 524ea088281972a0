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

struct export
{
    struct database database;
    struct cairn_decoder *decoder;
    struct cairn_exporter *exporter;
};

static void begin_export(struct export *e)
{
    struct cairn_exporter_options options = CAIRN_EXPORTER_OPTIONS_INIT;

    *e = (struct export){.database.path = "/tmp/cairn-sqlite-XXXXXX"};
    e->database.file.fd = mkstemp(e->database.path);
    options.format = CAIRN_EXCHANGE_SQLITE;
    options.path = e->database.path;
    assert_int_equal(cairn_decoder_create(&e->decoder), 0);
    assert_int_equal(cairn_exporter_create(&options, &e->exporter), 0);
}

/* Exports an event of two fields, with the values 1 and 2. */
static void export_event(struct export *e, const char *system, const char *name, const char *first,
                         const char *second)
{
    static const uint8_t record[16] = {[0] = 7, [8] = 1, [12] = 2};
    struct cairn_event event = {0};
    struct cairn_decoder_format format = {.long_size_bytes = 8};
    uint32_t tracepoint;
    char text[512];

    (void)snprintf(text, sizeof(text),
                   "name: %s\nID: 7\nformat:\n"
                   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
                   "\tfield:u32 %s;\toffset:8;\tsize:4;\tsigned:0;\n"
                   "\tfield:u32 %s;\toffset:12;\tsize:4;\tsigned:0;\n"
                   "\nprint fmt: \"\"\n",
                   name, first, second);
    format.text = (struct cairn_slice){text, (uint32_t)strlen(text)};
    format.system = (struct cairn_slice){system, (uint32_t)strlen(system)};
    assert_int_equal(cairn_decoder_add(e->decoder, &format, &tracepoint), 0);
    assert_int_equal(cairn_decoder_event(e->decoder, tracepoint, record, sizeof(record), &event),
                     0);
    assert_int_equal(cairn_exporter_event(e->exporter, NULL, &event), 0);
}

static void end_export(struct export *e)
{
    assert_int_equal(cairn_exporter_finish(e->exporter, NULL), 0);
    cairn_exporter_destroy(e->exporter);
    cairn_decoder_destroy(e->decoder);
}

/* It is reserved for SQLite's own. */
static void a_provider_of_any_name_is_exported(void **unused)
{
    struct export e;

    (void)unused;
    begin_export(&e);
    export_event(&e, "SQLite_stats", "Event", "a", "b");
    end_export(&e);
    expect(&e.database, "SELECT provider || count(*) FROM events", "SQLite_stats1");
    remove_database(&e.database);
}

static void names_that_differ_in_case_have_a_view_each(void **unused)
{
    struct export e;

    (void)unused;
    begin_export(&e);
    for (int n = 0; n < 2; n++) { /* two kinds of each name */
        export_event(&e, "s", "same", n ? "a" : "b", "c");
        export_event(&e, "s", "Same", n ? "a" : "b", "c");
        export_event(&e, "s", "SAME", n ? "a" : "b", "c");
        export_event(&e, "s", "same_2", n ? "a" : "b", "c");
    }
    end_export(&e);
    expect(&e.database, "SELECT count(*) FROM \"s:SAME\"", "2");
    expect(&e.database, "SELECT count(*) FROM sqlite_master WHERE type = 'view'", "4");
    expect(&e.database, "SELECT count(*) || sum(b) FROM \"s:same_4\"", "21");
    expect(&e.database,
           "SELECT group_concat(name) FROM (SELECT name FROM sqlite_master WHERE type = 'view'"
           " ORDER BY name)",
           "s:SAME,s:Same_3,s:same_2,s:same_4");
    remove_database(&e.database);
}

static void an_event_named_as_a_table_has_a_view(void **unused)
{
    struct export e;

    (void)unused;
    begin_export(&e);
    export_event(&e, "", "Events", "a", "b");
    end_export(&e);
    expect(&e.database, "SELECT a + b FROM events_2", "3");
    remove_database(&e.database);
}

/* A path of JSON names the first. */
static void of_fields_with_the_same_name_the_first_is_a_column(void **unused)
{
    struct export e;

    (void)unused;
    begin_export(&e);
    export_event(&e, "s", "twice", "a", "a");
    export_event(&e, "s", "other", "a", "A");
    end_export(&e);
    expect(&e.database, "SELECT a FROM \"s:twice\"", "1");
    expect(&e.database, "SELECT count(*) FROM pragma_table_info('s:twice')", "9");
    expect(&e.database, "SELECT count(*) FROM pragma_table_info('s:other')", "10");
    expect(&e.database, "SELECT \"A:1\" FROM \"s:other\"", "2");
    remove_database(&e.database);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_is_valid),
        cmocka_unit_test(numbers_of_all_sizes_are_read),
        cmocka_unit_test(long_texts_are_in_pages_of_their_own),
        cmocka_unit_test(the_page_that_sqlite_locks_is_left_out),
        cmocka_unit_test(a_provider_of_any_name_is_exported),
        cmocka_unit_test(names_that_differ_in_case_have_a_view_each),
        cmocka_unit_test(an_event_named_as_a_table_has_a_view),
        cmocka_unit_test(of_fields_with_the_same_name_the_first_is_a_column),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
