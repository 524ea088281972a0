/* SPDX-License-Identifier: MIT */
/* A program that runs lists of cases on one side and prints the codes. usage: kernel_codes SIDE
 * LIST... */
#include "codes.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void codes_check(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "kernel_codes: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Name of the current list: event names are the same for all sides. */
static const char *list_name = "";
static int name_count;

const char *codes_new_name(void)
{
    static char name[40];

    (void)snprintf(name, sizeof(name), "codes_%s_%d", list_name, name_count++);
    return name;
}

void codes_prepare(struct codes_event *e, const char *command)
{
    static const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;

    *e = (struct codes_event){.tp = unregistered, .index = CODES_NO_INDEX};
    (void)snprintf(e->command, sizeof(e->command), "%s", command);
}

/* ---- random numbers, the same in each run ---- */

static uint32_t seed_now;

void codes_seed(uint32_t seed)
{
    seed_now = seed;
}

/* xorshift32 */
uint32_t codes_random(uint32_t below)
{
    seed_now ^= seed_now << 13;
    seed_now ^= seed_now >> 17;
    seed_now ^= seed_now << 5;
    return (uint32_t)((uint64_t)seed_now * below >> 32);
}

/* ---- lines ---- */

const char *codes_name(int error)
{
    return error ? strerrorname_np(error) : "0";
}

static void print_escaped(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f || *text == '\\')
            printf("\\x%02x", (unsigned char)*text);
        else
            (void)putchar(*text);
    }
}

static bool has_controls(const char *text)
{
    while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
        text++;
    return *text != 0;
}

static bool has_tabs(const char *text)
{
    return strpbrk(text, "\t\n") != NULL;
}

/* Prints the rows that apply to commands like this one. */
static void print_rows(const char *command)
{
    static const struct {
        const char *pattern;
        const char *row;
    } rows[] = {
        {" *", "a command without a name"},
        {"", "a command without a name"},
        {":*", "a command without a name"},
        {"* *[_t]*  *", "a type that ends in a space"},
        {"* * ;*", "a field whose name is empty"},
        {"* * ", "a field whose name is empty"},
        {"* struct *[0-9]*", "fields of 2 GiB and more"},
    };
    size_t length = strcspn(command, " ");

    if (memchr(command, ':', length))
        printf("a flag in the command;");
    if (length >= 256)
        printf("a name of 256 bytes or more;");
    if (has_controls(command))
        printf("a control character in a name or a type;");
    if (has_tabs(command))
        printf("a tab or a line break after a name;");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (!fnmatch(rows[i].pattern, command, 0))
            printf("%s;", rows[i].row);
    }
}

static void say(const char *group, const char *what, const char *code)
{
    printf("%s: ", group);
    print_escaped(what);
    printf("\t%s\t", code);
}

void codes_say(const char *group, const char *what, const char *code, const char *row)
{
    say(group, what, code);
    printf("%s\n", row ? row : "");
}

void codes_say_of(const char *group, const char *what, const char *code, const char *command)
{
    say(group, what, code);
    print_rows(command);
    (void)putchar('\n');
}

/* ---- memory ---- */

static char *map(void *at, size_t pages, int protection)
{
    void *memory = mmap(at, pages << 12, protection,
                        MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

    codes_check(memory != MAP_FAILED, "memory");
    return memory;
}

const struct codes_memory *codes_memory(void)
{
    static struct codes_memory memory;

    if (!memory.page) {
        memory.page = map(NULL, 4, PROT_READ | PROT_WRITE);
        memory.read_only = map(NULL, 1, PROT_READ);
        memory.gone = memory.page + (3 << 12);
        memory.edge = memory.gone;
        codes_check(!mprotect(memory.gone, 1 << 12, PROT_NONE), "mprotect");
        memory.kernel = (char *)(uintptr_t)0xffff800000000000u;
    }
    return &memory;
}

/* ---- */

static const struct {
    const char *name;
    void (*run)(const struct codes_side *side);
    bool is_raw;
} lists[] = {
    {"mistakes", codes_mistakes, false}, {"commands", codes_commands, false},
    {"writes", codes_writes, false},     {"lines", codes_lines, false},
    {"deletes", codes_deletes, false},   {"structs", codes_structs, true},
    {"files", codes_files, true},
};

static void run(const struct codes_side *side, const char *name)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        if (strcmp(lists[i].name, name) != 0 || (lists[i].is_raw && !side->is_raw))
            continue;
        list_name = lists[i].name;
        name_count = 0;
        lists[i].run(side);
    }
}

int main(int argc, char **argv)
{
    const struct codes_side *side = argc > 2 ? codes_side_open(argv[1]) : NULL;

    if (!side)
        return 2;
    for (int i = 2; i < argc; i++)
        run(side, argv[i]);
    codes_side_close();
    return fflush(stdout) ? 1 : 0;
}
