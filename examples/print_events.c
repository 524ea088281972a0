/* SPDX-License-Identifier: MIT */
/*
 * Prints the events of a recording, or of running programs, field by field.
 *
 *   print_events trace.cairn
 *   cairn record -o - -- ./program | print_events -
 *   print_events            the events that programs write, until Ctrl-C
 */
#include <cairn/reader.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t must_end;

static void ask_for_end(int signal_number)
{
    (void)signal_number;
    must_end = 1;
}

/* Text and numbers; the bytes of everything else. */
static void print_value(const struct cairn_event *event, const struct cairn_item *item)
{
    uint64_t number = 0;

    if (item->field->encoding == CAIRN_ENCODING_ZSTRING_CHAR8 ||
        item->field->encoding == CAIRN_ENCODING_STRING_LENGTH16_CHAR8) {
        printf("\"%.*s\"", (int)item->size_bytes, (const char *)item->data);
    } else if (item->size_bytes <= sizeof(number) && !event->swap) {
        memcpy(&number, item->data, item->size_bytes);
        printf("%" PRIu64, number);
    } else {
        for (uint32_t n = 0; n < item->size_bytes; n++)
            printf("%02x", item->data[n]);
    }
}

static void print_item(const struct cairn_event *event, const struct cairn_item *item)
{
    static const char brackets[] = " []{}"; /* by enum cairn_item_kind */

    if (!item->is_element && item->kind != CAIRN_ITEM_ARRAY_END &&
        item->kind != CAIRN_ITEM_STRUCT_END)
        printf(" %.*s=", (int)item->field->name.length, item->field->name.text);
    else
        putchar(' ');
    if (item->kind == CAIRN_ITEM_VALUE)
        print_value(event, item);
    else if (item->kind < sizeof(brackets) - 1)
        putchar(brackets[item->kind]);
}

static void print_event(struct cairn_reader *reader, const struct cairn_event *event)
{
    struct cairn_items *items = cairn_reader_items(reader);
    struct cairn_item item;

    printf("%" PRIu64 " cpu %" PRIu32 " pid %" PRIu32 " tid %" PRIu32 " %s %.*s:", event->time_ns,
           event->cpu, event->pid, event->tid, event->comm ? event->comm : "?",
           (int)event->tracepoint->name.length, event->tracepoint->name.text);
    while (cairn_items_next(items, &item))
        print_item(event, &item);
    if (cairn_items_error(items))
        printf(" (%s)", cairn_event_error_text(cairn_items_error(items)));
    putchar('\n');
}

/* Returns ENODATA at the end, or an error. */
static int print_all(struct cairn_reader *reader)
{
    const struct cairn_event *event;
    int error;

    for (;;) {
        error = cairn_reader_next(reader, &event);
        if (!error) {
            print_event(reader, event);
            continue;
        }
        if (error != EAGAIN)
            return error;
        fflush(stdout);
        (void)poll(NULL, 0, (int)cairn_reader_wait_ms(reader));
        if (must_end)
            (void)cairn_reader_stop(reader);
    }
}

static int open_reader(const char *path, struct cairn_reader **ret_reader)
{
    static const char *const patterns[] = {"*"};
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;

    if (path)
        return cairn_reader_open(path, NULL, NULL, ret_reader);
    options.patterns = patterns;
    options.pattern_count = 1;
    return cairn_reader_open_session(&options, ret_reader);
}

static void report(struct cairn_reader *reader, int error)
{
    const struct cairn_reader_position *position = cairn_reader_position(reader);
    const struct cairn_reader_counts *counts = cairn_reader_counts(reader);

    if (error != ENODATA)
        fprintf(stderr, "%s: after event %" PRIu64 ", at byte %" PRIu64 ": %s\n", position->name,
                position->event, cairn_reader_error(reader)->offset, strerror(error));
    fprintf(stderr, "%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " unreadable\n",
            counts->events, counts->lost, counts->unreadable);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = ask_for_end};
    const char *path = argc > 1 ? argv[1] : NULL;
    struct cairn_reader *reader;
    int error = open_reader(path, &reader);

    if (error) {
        fprintf(stderr, "%s: %s\n", path ? path : "live", strerror(error));
        return 1;
    }
    if (!path)
        (void)sigaction(SIGINT, &action, NULL);
    error = print_all(reader);
    report(reader, error);
    cairn_reader_close(reader);
    return error == ENODATA ? 0 : 1;
}
