/* SPDX-License-Identifier: MIT */
/* Test of reading cairn's recordings with perf script, if perf is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "perf_recording.h"

static char path[] = "/tmp/cairn-test-XXXXXX";

static int make_file(void **state)
{
    int fd = mkstemp(path);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void skip_without_perf(void)
{
    if (system("perf script -h >/dev/null 2>&1; test $? -ne 127") != 0)
        skip();
}

/* A recording with rounds, and with a tracepoint that was added late. */
static void record(enum cairn_perf_mode mode, bool finished)
{
    int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct cairn_perf_writer *writer = NULL;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100);
    cairn_perf_writer_comm(writer, 4000, 4001, "server", 0);
    write_open(writer, 100, 2000000);
    write_open(writer, 100, 1000000);
    cairn_perf_writer_round(writer);
    cairn_perf_writer_lost(writer, 100, 3, 2500000);
    add_tracepoint(writer, "late", "conn_close", 1702, FORMAT_CLOSE, 200);
    write_close(writer, 200, 3000000);
    if (finished)
        assert_int_equal(cairn_perf_writer_finish(writer), 0);
    else
        assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    close(fd);
}

/* Output of perf, without runs of blanks, in the caller's buffer. */
static void perf_script(const char *options, char *text, size_t size)
{
    char command[256];
    size_t length = 0;
    FILE *perf;
    int c;

    snprintf(command, sizeof(command), "perf script -i %s %s 2>/dev/null", path, options);
    perf = popen(command, "r");
    assert_non_null(perf);
    while ((c = fgetc(perf)) != EOF && length < size - 1) {
        if (c == ' ' && (!length || text[length - 1] == ' ' || text[length - 1] == '\n'))
            continue;
        text[length++] = (char)c;
    }
    text[length] = '\0';
    assert_int_equal(pclose(perf), 0);
}

#define EARLY                                                                    \
    "server 4001 [001] 0.001000: user_events:conn_open: port=80 peer=10.0.0.1\n" \
    "server 4001 [001] 0.002000: user_events:conn_open: port=80 peer=10.0.0.1\n"

static void perf_reads_a_file(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, true);
    perf_script("", text, sizeof(text));
    assert_string_equal(text, EARLY "server 4001 [001] 0.003000: late:conn_close: result=-7\n");
}

static void perf_reads_a_stream(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_PIPE, true);
    perf_script("", text, sizeof(text));
    assert_memory_equal(text, EARLY, strlen(EARLY));
    assert_non_null(strstr(text, "late:conn_close"));
    assert_non_null(strstr(text, "a6 06 00 00")); /* the raw bytes, dumped */
}

static void perf_reads_an_unfinished_file(void **state)
{
    char text[4096];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, false);
    perf_script("", text, sizeof(text));
    assert_memory_equal(text, EARLY, strlen(EARLY));
    assert_non_null(strstr(text, "late:conn_close"));
}

static void perf_reads_the_header(void **state)
{
    char text[16384];

    (void)state;
    skip_without_perf();
    record(CAIRN_PERF_FILE, true);
    perf_script("--header-only", text, sizeof(text));
    assert_non_null(strstr(text, "# perf version : cairn " CAIRN_VERSION "\n"));
    assert_non_null(strstr(text, "# clockid: monotonic (1)\n"));
    assert_non_null(strstr(text, "name = late:conn_close"));
}

/* ---- names that perf's parser does not accept ---- */

#define ODD_EVENTS   120
#define ODD_FIELDS   4
#define ODD_PAYLOAD  (ODD_FIELDS * 24)
#define COMMAND_SIZE 1024 /* more than user_events accepts: it checks the length itself */

struct odd_event {
    char command[COMMAND_SIZE];
    char name[CAIRN_NAME_MAX_BYTES];
    char format[CAIRN_FORMAT_MAX_BYTES];
    char last_field[64];
};

static struct odd_event odd_events[ODD_EVENTS];

static uint64_t seed = 88172645463325252u;

static unsigned random_below(unsigned end)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % end;
}

/* Printable bytes that user_events accepts, except those that end a name; without its last byte a
 * name would be one that libtraceevent treats specially. */
static void put_odd_name(char *to, size_t size, const char *not_these)
{
    static const char *const known[] = {
        "STA_PR_FMT",
        "LOCAL_PR_FMT",
        "VIF_PR_FMT",
        "field",
        "my-event",
        "a.b",
        "NAME.3",
        "123",
        "%s%n",
        "\"",
        "\\",
        "'",
        "_x2d",
        "a_x2db",
        "signed",
        "REC",
        "__attribute__",
        "My-Company.Net_L5K1",
        "\xc3\xa4",
    };
    size_t length = random_below((unsigned)size - 1) + 1;

    if (random_below(3) == 0) {
        snprintf(to, size, "%s", known[random_below(sizeof(known) / sizeof(*known))]);
        return;
    }
    for (size_t i = 0; i < length;) {
        char c = (char)random_below(256);

        if ((unsigned char)c > ' ' && c != 0x7f && !strchr(not_these, c))
            to[i++] = c;
    }
    to[length] = '\0';
}

static void put_odd_field(char *to, size_t size, char *name, size_t name_size)
{
    char tag[12];

    put_odd_name(name, name_size, " ;");
    put_odd_name(tag, sizeof(tag), " ;");
    switch (random_below(5)) {
    case 0:
        snprintf(to, size, "u32 %s", name);
        break;
    case 1:
        snprintf(to, size, "struct %s %s 20", tag, name);
        break;
    case 2:
        snprintf(to, size, "__data_loc %s[] %s", tag, name);
        break;
    case 3:
        snprintf(to, size, "__rel_loc %s[] %s", tag, name);
        break;
    default:
        snprintf(to, size, "char[4] %s", name);
        break;
    }
}

static void make_odd_event(struct odd_event *event, uint32_t id)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    char text[ODD_FIELDS][128];

    do {
        put_odd_name(event->name, random_below(20) ? 24 : 200, " :");
        for (int i = 0; i < ODD_FIELDS; i++)
            put_odd_field(text[i], sizeof(text[i]), event->last_field, 20);
        snprintf(event->command, sizeof(event->command), "%s %s; %s; %s; %s", event->name, text[0],
                 text[1], text[2], text[3]);
    } while (cairn_schema_parse_command(event->command, fields, CAIRN_FIELDS_MAX, &schema, NULL) !=
             0);
    assert_int_equal(
        cairn_schema_write_format(&schema, id, event->format, sizeof(event->format), NULL), 0);
}

static void record_odd_events(enum cairn_perf_mode mode, bool late)
{
    static const uint8_t payload[ODD_PAYLOAD];
    int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
    struct cairn_perf_writer *writer = NULL;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100);
    if (late)
        write_open(writer, 100, 1);
    for (uint32_t i = 0; i < ODD_EVENTS; i++) {
        struct odd_event *event = &odd_events[i];

        make_odd_event(event, 2000 + i);
        assert_int_equal(
            add_tracepoint(writer, "user_events", event->name, 2000 + i, event->format, 1000 + i),
            0);
    }
    for (uint32_t i = 0; i < ODD_EVENTS; i++)
        write_event(writer, 1000 + i, (uint16_t)(2000 + i), i + 2, payload, sizeof(payload));
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    close(fd);
}

/* Checks that the reader returns the original names and format texts. */
static void expect_true_names(void)
{
    struct cairn_perf_file *file = NULL;
    struct cairn_perf_record record;
    int err;

    assert_int_equal(cairn_perf_file_open(path, NULL, &file), 0);
    while (!(err = cairn_perf_file_next_ordered(file, &record))) {
        const struct cairn_perf_attr *attr = record.attr;
        const struct odd_event *event;

        if (record.type != CAIRN_PERF_RECORD_SAMPLE || attr->config == 1701)
            continue;
        event = &odd_events[attr->config - 2000];
        assert_memory_equal(attr->name, "user_events:", 12);
        assert_string_equal(attr->name + 12, event->name);
        assert_int_equal(attr->format.length, strlen(event->format));
        assert_memory_equal(attr->format.text, event->format, attr->format.length);
    }
    assert_int_equal(err, ENODATA);
    cairn_perf_file_close(file);
}

/* Checks one line for each event, with its original name and with the value of its last field. */
static void expect_perf_to_print_all(void)
{
    static char text[256 << 10];
    char *line = text;

    perf_script("", text, sizeof(text));
    assert_null(strstr(text, "FAILED TO PARSE"));
    for (uint32_t i = 0; i < ODD_EVENTS; i++) {
        char *end = strchr(line, '\n');
        char name[CAIRN_NAME_MAX_BYTES + 16];

        assert_non_null(end);
        *end = '\0';
        snprintf(name, sizeof(name), ": user_events:%s: ", odd_events[i].name);
        if (!strstr(line, name))
            print_message("%s\n%s\n", line, odd_events[i].command);
        assert_non_null(strstr(line, name));
        assert_int_equal(end[-1] == '=' || end[-1] == '0', 1);
        line = end + 1;
    }
    assert_string_equal(line, "");
}

static void perf_reads_events_of_any_name(void **state)
{
    (void)state;
    skip_without_perf();
    for (int round = 0; round < 4; round++) {
        record_odd_events(round & 1 ? CAIRN_PERF_PIPE : CAIRN_PERF_FILE, false);
        expect_true_names();
        expect_perf_to_print_all();
    }
}

/* In a finished file, late tracepoints are like the others. */
static void perf_reads_late_events_of_any_name(void **state)
{
    char text[64];

    (void)state;
    skip_without_perf();
    record_odd_events(CAIRN_PERF_FILE, true);
    expect_true_names();
    perf_script("| grep -c user_events:", text, sizeof(text));
    assert_int_equal(strtol(text, NULL, 10), ODD_EVENTS + 1);
    perf_script("| grep -c FAILED || true", text, sizeof(text));
    assert_int_equal(strtol(text, NULL, 10), 0);
}

/* An event whose format text is invalid. */
static void perf_reads_an_event_without_valid_format(void **state)
{
    static const char *const formats[] = {"", "x", "name: a-b\nID: 9\n", "name: a\nID: x\n"};
    char text[4096];

    (void)state;
    skip_without_perf();
    for (size_t i = 1; i < sizeof(formats) / sizeof(*formats); i++) {
        int fd = open(path, O_RDWR | O_TRUNC | O_CLOEXEC);
        struct cairn_perf_writer *writer = NULL;

        assert_int_equal(cairn_perf_writer_create(fd, CAIRN_PERF_FILE, &writer), 0);
        add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100);
        assert_int_equal(add_tracepoint(writer, "odd", "a-b", 9, formats[i], 101), 0);
        write_open(writer, 100, 2000000);
        write_event(writer, 101, 9, 3000000, "", 0);
        assert_int_equal(cairn_perf_writer_finish(writer), 0);
        cairn_perf_writer_destroy(writer);
        close(fd);
        perf_script("", text, sizeof(text));
        assert_non_null(strstr(text, "user_events:conn_open: port=80 peer=10.0.0.1\n"));
        assert_non_null(strstr(text, "odd:a-b:"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_reads_a_file),
        cmocka_unit_test(perf_reads_a_stream),
        cmocka_unit_test(perf_reads_an_unfinished_file),
        cmocka_unit_test(perf_reads_the_header),
        cmocka_unit_test(perf_reads_events_of_any_name),
        cmocka_unit_test(perf_reads_late_events_of_any_name),
        cmocka_unit_test(perf_reads_an_event_without_valid_format),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
