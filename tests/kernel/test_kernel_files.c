/* SPDX-License-Identifier: MIT */
/*
 * Test of the control files, ftrace's and the core's: both have the same events, the same bytes are
 * written to the same files, both accept them or refuse them with the same code, and then the files
 * have the same text. The input is random, and examples of what people write.
 */
#include "guest.h"

#include "core_host.h"
#include "user_events/kernel.h"

#include <cairn/typed_tracepoint.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTANCE  TRACING "/instances/cairn_files"
#define SYSTEM    "user_events"
#define DIRECTORY "events/" SYSTEM "/"
#define EXPEDITED "/sys/kernel/rcu_expedited"

#define SEED       0x5eed0002u
#define WRITES     1500u
#define TEXT_MAX   400u
#define EVENTS     2u
#define TEXT_BYTES 16384u

/* An event that both sides have. */
struct both {
    const char *name;
    const char *command;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_trace_class event_class;
    struct cairn_trace_event event;
    struct cairn_tracepoint tracepoint;
};

static struct both both[EVENTS] = {
    {.name = "files_a", .command = "files_a u32 number; __data_loc char[] text"},
    {.name = "files_b", .command = "files_b u32 number; s16 other"},
};
static struct cairn_trace_event *section[EVENTS];
static struct core_host core = {.host = CORE_HOST_INIT};
static uint32_t mistakes;
static uint64_t random_state = SEED;

/* ---- the two sides ---- */

static void write_number(const char *path, const char *number)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(write(fd, number, strlen(number)) > 0);
    close(fd);
}

static int set_up(void **state)
{
    if (guest_map_halves(state))
        return -1;
    write_number(EXPEDITED, "1");
    for (uint32_t i = 0; i < EVENTS; i++) {
        struct both *b = &both[i];

        b->tracepoint = guest_tracepoint();
        assert_int_equal(user_events_kernel_register(&b->tracepoint, b->command, 0), 0);
        assert_int_equal(cairn_schema_parse_command(b->command, b->fields, CAIRN_FIELDS_MAX,
                                                    &b->event_class.schema, NULL),
                         0);
        b->event.name = b->name;
        b->event.system = SYSTEM;
        b->event.event_class = &b->event_class;
        section[i] = &b->event;
    }
    assert_int_equal(mkdir(INSTANCE, 0700), 0);
    return core_host_open(&core, 2, 64 << 10, CAIRN_TRACE_OVERWRITE, section, section + EVENTS);
}

static int tear_down(void **state)
{
    (void)state;
    core_host_close(&core, section, section + EVENTS);
    assert_int_equal(rmdir(INSTANCE), 0);
    for (uint32_t i = 0; i < EVENTS; i++)
        assert_int_equal(user_events_kernel_unregister(&both[i].tracepoint), 0);
    write_number(EXPEDITED, "0");
    return 0;
}

static int open_kernels(const char *path, int flags)
{
    char whole[256];
    int fd;

    snprintf(whole, sizeof(whole), INSTANCE "/%s", path);
    fd = open(whole, flags | O_CLOEXEC);
    if (fd < 0)
        fail_msg("%s: %s", whole, strerror(errno));
    return fd;
}

static const char *read_kernels(const char *path)
{
    static char text[TEXT_BYTES];
    int fd = open_kernels(path, O_RDONLY);
    size_t length = 0;
    ssize_t more;

    while ((more = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
        length += (size_t)more;
    assert_true(more == 0);
    text[length] = '\0';
    close(fd);
    return text;
}

/* Writes like a shell: the part that a call did not accept is written by the next call. */
static int write_kernels(const char *path, const char *text, size_t length)
{
    int fd = open_kernels(path, O_WRONLY);
    size_t at = 0;
    int err = 0;

    do {
        ssize_t taken = write(fd, text + at, length - at);

        if (taken < 0)
            err = errno;
        else
            at += (size_t)taken;
    } while (!err && at < length);
    close(fd);
    return err;
}

static const char *read_cores(const char *path)
{
    static char text[TEXT_BYTES];
    size_t length;

    assert_int_equal(cairn_trace_file_read(&core.trace, path, 0, text, sizeof(text) - 1, &length),
                     0);
    text[length] = '\0';
    return text;
}

/* ---- comparison ---- */

static void complain(const char *path, const char *text, size_t length)
{
    mistakes++;
    print_message("# %s, when \"", path);
    for (size_t i = 0; i < length; i++) {
        if (text[i] >= ' ' && text[i] <= '~')
            print_message("%c", text[i]);
        else
            print_message("\\x%02x", (unsigned char)text[i]);
    }
    print_message("\" was written\n");
}

/* Each message of error_log begins with its time. */
static void hide_times(char *text)
{
    for (char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (*line == '[')
            memset(line, '.', strcspn(line, "]"));
    }
}

static void compare(const char *path, const char *wrote_to, const char *text, size_t length)
{
    char kernels[TEXT_BYTES], cores[TEXT_BYTES];

    snprintf(kernels, sizeof(kernels), "%s", read_kernels(path));
    snprintf(cores, sizeof(cores), "%s", read_cores(path));
    if (!strcmp(path, "error_log")) {
        hide_times(kernels);
        hide_times(cores);
    }
    if (!strcmp(kernels, cores))
        return;
    complain(wrote_to, text, length);
    print_message("# %s\n# kernel: %s\n# core: %s\n", path, kernels, cores);
}

static const char *const files[] = {
    DIRECTORY "enable",
    DIRECTORY "files_a/enable",
    DIRECTORY "files_b/enable",
    DIRECTORY "files_a/filter",
    DIRECTORY "files_b/filter",
    DIRECTORY "filter",
    "set_event",
    "tracing_on",
    "options/overwrite",
    "current_tracer",
    "error_log",
};

static void compare_all(const char *wrote_to, const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        compare(files[i], wrote_to, text, length);
}

/* The kernel has other codes for some filters: src/core/README.md lists them. */
static bool is_same_code(const char *path, int kernels, int cores)
{
    if (strstr(path, "filter") && cores == EINVAL)
        return kernels == EINVAL || kernels == EPERM || kernels == ENOENT || kernels == ESRCH;
    return kernels == cores;
}

static void give(const char *path, const char *text, size_t length)
{
    int kernels = write_kernels(path, text, length);
    int cores = cairn_trace_file_write(&core.trace, path, text, length);

    if (!is_same_code(path, kernels, cores)) {
        complain(path, text, length);
        print_message("# kernel: %d, core: %d\n", kernels, cores);
    }
    compare_all(path, text, length);
}

static void give_text(const char *path, const char *text)
{
    give(path, text, strlen(text));
}

/* ---- texts ---- */

static uint32_t choose(uint32_t count)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % count;
}

static const char *const event_words[] = {
    SYSTEM,   "files_a",   "files_b", "files_*", "f*",
    "nosuch", ":",         ":",       ":",       SYSTEM ":",
    "!",      "*:",        "!",       " ",       "\n",
    "\t",     "files_a\n", "\v",      ":*",      SYSTEM "::files_a",
};
static const char *const number_words[] = {
    "0", "1", "0", "1", "2", "", "\n", " ", "+", "-", "x", "0x", "00", "99999999999999999999", "9",
};
static const char *const filter_words[] = {
    "number == 1", "number", " ", "&&",          "||", "other < 0", "text ~ \"a*\"", "0",
    "(",           ")",      "!", "COMM != 'x'", "\n", "==",        "nosuch > 1",
};

/* A NUL is inserted now and then. Returns the length. */
static size_t make_text(const char *const *words, uint32_t count, char text[TEXT_MAX])
{
    uint32_t parts = 1 + choose(6);
    size_t length = 0;

    while (parts-- && length < TEXT_MAX - 64) {
        const char *word = words[choose(count)];

        memcpy(text + length, word, strlen(word));
        length += strlen(word);
        if (!choose(40))
            text[length++] = '\0';
    }
    return length;
}

/* True for a word that selects all events of the kernel, not only those of this test. */
static bool means_all(const char *text, size_t length)
{
    const char *const end = text + length;

    while (text < end) {
        bool other = false, colon = false;

        for (; text < end && *text && !strchr(" \n\t\v", *text); text++) {
            colon |= *text == ':';
            other |= !strchr(":*!", *text);
        }
        if (colon && !other)
            return true;
        text++;
    }
    return false;
}

#define MAKE_TEXT(words, text) make_text(words, sizeof(words) / sizeof((words)[0]), text)

/* ---- tests ---- */

static void files_begin_with_the_same_text(void **state)
{
    (void)state;
    mistakes = 0;
    compare_all("nothing", "", 0);
    assert_int_equal(mistakes, 0);
}

static void set_event_accepts_the_same_words(void **state)
{
    char word[130];

    (void)state;
    mistakes = 0;
    give_text("set_event", "files_a");
    give_text("set_event", "!" SYSTEM ":files_a");
    give_text("set_event", "files_a nosuch files_b");
    give_text("set_event", "!" SYSTEM);
    give_text("set_event", "nosuch:*");
    give_text("set_event", "");
    give_text("set_event", "!");
    give_text("set_event", "*");
    give("set_event", "files_a\0files_b", 15);
    for (size_t length = 125; length < sizeof(word); length++) {
        memset(word, 'x', length);
        memcpy(word, SYSTEM ":", sizeof(SYSTEM));
        give("set_event", word, length);
    }
    for (uint32_t i = 0; i < WRITES; i++) {
        char text[TEXT_MAX];
        size_t length = MAKE_TEXT(event_words, text);

        if (!means_all(text, length))
            give("set_event", text, length);
    }
    assert_int_equal(mistakes, 0);
}

static void enable_and_switches_accept_the_same_numbers(void **state)
{
    static const char *const paths[] = {DIRECTORY "enable", DIRECTORY "files_a/enable",
                                        DIRECTORY "files_b/enable", "tracing_on",
                                        "options/overwrite"};

    (void)state;
    mistakes = 0;
    for (uint32_t i = 0; i < WRITES; i++) {
        char text[TEXT_MAX];
        size_t length = MAKE_TEXT(number_words, text);

        give(paths[choose(sizeof(paths) / sizeof(paths[0]))], text, length);
    }
    assert_int_equal(mistakes, 0);
}

static void filters_produce_the_same_texts(void **state)
{
    static const char *const paths[] = {DIRECTORY "filter", DIRECTORY "files_a/filter",
                                        DIRECTORY "files_b/filter"};
    static char text[5000];

    (void)state;
    mistakes = 0;
    for (uint32_t i = 0; i < WRITES; i++) {
        size_t length = MAKE_TEXT(filter_words, text);

        if (length)
            give(paths[choose(sizeof(paths) / sizeof(paths[0]))], text, length);
    }
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        memset(text, ' ', sizeof(text));
        memcpy(text, "number == 1", 11);
        give(paths[i], text, 4095);
        give(paths[i], text, 4096);
        memcpy(text, "0          ", 11);
        give(paths[i], text, 4096);
        give(paths[i], text, 4095);
    }
    assert_int_equal(mistakes, 0);
}

static void options_and_tracers_have_the_same_names(void **state)
{
    static const char *const options[] = {
        "overwrite",  "nooverwrite",     " overwrite\n",
        "nosuch",     "nonooverwrite",   "overwrite x",
        "",           "norecord-cmd\n",  "no",
        "record-cmd", "\xa0overwrite\v", "noover",
    };
    static const char *const tracers[] = {"nop", "nop\n", " \tnop \xa0", "nosuch", "nop x", "no"};
    char text[110];

    (void)state;
    mistakes = 0;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        give_text("trace_options", options[i]);
    for (size_t i = 0; i < sizeof(tracers) / sizeof(tracers[0]); i++)
        give_text("current_tracer", tracers[i]);
    memset(text, ' ', sizeof(text));
    memcpy(text, "overwrite", 9);
    give("trace_options", text, 63);
    give("trace_options", text, 64);
    memcpy(text, "nop      ", 9);
    text[99] = 'x';
    give("current_tracer", text, sizeof(text));
    text[100] = 'x';
    text[99] = ' ';
    give("current_tracer", text, sizeof(text));
    assert_int_equal(mistakes, 0);
}

static void truncating_has_the_same_effect(void **state)
{
    static const char *const paths[] = {"set_event", "error_log", "trace"};

    (void)state;
    mistakes = 0;
    give_text(DIRECTORY "enable", "1");
    give_text(DIRECTORY "files_b/filter", "number ==");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        close(open_kernels(paths[i], O_WRONLY | O_TRUNC));
        assert_int_equal(cairn_trace_file_truncate(&core.trace, paths[i]), 0);
        compare_all(paths[i], "O_TRUNC", 7);
    }
    assert_int_equal(mistakes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_begin_with_the_same_text),
        cmocka_unit_test(set_event_accepts_the_same_words),
        cmocka_unit_test(enable_and_switches_accept_the_same_numbers),
        cmocka_unit_test(filters_produce_the_same_texts),
        cmocka_unit_test(options_and_tracers_have_the_same_names),
        cmocka_unit_test(truncating_has_the_same_effect),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
