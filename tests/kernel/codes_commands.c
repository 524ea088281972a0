/* SPDX-License-Identifier: MIT */
/* Cases with commands, valid and invalid, for new names and for names in use. */
#include "codes.h"

#include <cairn/user_events.h>
#include <stdio.h>
#include <string.h>

#define NEW_COMMANDS 1500
#define FAMILIES     60
#define VARIANTS     30

static const char *const types[] = {
    "u8",
    "s8",
    "u16",
    "s16",
    "u32",
    "s32",
    "u64",
    "s64",
    "int",
    "unsigned int",
    "short",
    "unsigned short",
    "char",
    "unsigned char",
    "char[4]",
    "unsigned char[16]",
    "char[1024]",
    "__data_loc char[]",
    "__rel_loc char[]",
    "__data_loc unsigned char[]",
    "__rel_loc u32[]",
    "struct peer",
};

static const char *const odd_types[] = {
    "long",
    "unsigned long",
    "unsigned",
    "u33",
    "float",
    "bool",
    "signed int",
    "int*",
    "char[",
    "char[]",
    "char[0]",
    "char[1025]",
    "char[0x10]",
    "char[010]",
    "char[+4]",
    "char[-1]",
    "char[4]x",
    "char[4",
    "char[99999999]",
    "char[ 4]",
    "unsigned char[",
    "unsigned  int",
    "__data_loc",
    "__rel_loc",
    "__data_loc ",
    "__data_loc long",
    "struct",
    "struct ",
    "struct  peer",
    "u32[4]",
    "",
    "CHAR",
    "char [4]",
    "unsigned u32",
    "__data_loc __data_loc u8[]",
    "0",
};

static const char *const names[] = {"a", "b", "count", "a_rather_long_name_of_a_field", "c"};

static const char *const odd_names[] = {
    "",         "a b", "a[4]",  "common_pid", "1",   "*p", "a-b",   "a:b", "a,b",
    "\xc3\xa9", "\"",  "\240a", "a\t",        "a\n", "%s", "a\x7f", "a/b", "u32",
};

static const char *const sizes[] = {"4", "16",  "04",  "+4",         "0x4",        "0", "-1",
                                    "",  "4 4", "4\n", "2147483647", "4294967296", "x", "1000000"};

static const char *const separators[] = {";",   "; ",  ";  ", " ;",  " ; ",   ";;",
                                         "; ;", ";\t", "\t;", ";\n", "\xa0;", " "};

static const char *const tails[] = {"", "", "", ";", "; ", " ", " ;", ";;", "\t", "\n"};

static bool is_odd(uint32_t percent)
{
    return codes_random(100) < percent;
}

static void append(char *text, const char *more)
{
    strncat(text, more, 600 - strlen(text));
}

static void append_field(char *text, uint32_t percent)
{
    const char *type = is_odd(percent) ? CODES_PICK(odd_types) : CODES_PICK(types);

    append(text, type);
    append(text, is_odd(percent / 2) ? "  " : " ");
    append(text, is_odd(percent) ? CODES_PICK(odd_names) : CODES_PICK(names));
    if (!strncmp(type, "struct", 6) != is_odd(percent / 2)) {
        append(text, " ");
        append(text, is_odd(percent * 2) ? CODES_PICK(sizes) : "24");
    }
}

/* Makes the text after the name, including the space. */
static void make_fields(char *text, uint32_t percent)
{
    uint32_t count = codes_random(5);

    *text = 0;
    if (count || is_odd(30))
        append(text, is_odd(percent / 2) ? "  " : " ");
    for (uint32_t i = 0; i < count; i++) {
        append_field(text, percent);
        if (i + 1 < count)
            append(text, is_odd(percent) ? CODES_PICK(separators) : "; ");
    }
    if (is_odd(percent))
        append(text, CODES_PICK(tails));
}

/* ---- new names ---- */

/* Registers the same again if it is accepted: not every event is found by the command that created
 * it. */
static void try_new(const struct codes_side *side, const char *fields)
{
    struct codes_event e, again;
    char command[640];
    int error, second = 0;

    (void)snprintf(command, sizeof(command), "%s%s", codes_new_name(), fields);
    codes_prepare(&e, command);
    codes_prepare(&again, command);
    error = side->add(&e, 0);
    codes_say_of("new", command, codes_name(error), command);
    if (!error)
        second = side->add(&again, 0);
    codes_say_of("again", command, error ? CODES_NOT_TRIED : codes_name(second), command);
    if (!error && !second)
        codes_check(!side->remove(&again), "unregistering");
    if (!error)
        codes_check(!side->remove(&e), "unregistering");
}

/* ---- names in use ---- */

/* Replaces text after the space that follows the name. */
static void replace(char *text, const char *what, const char *with)
{
    char *at = *text ? strstr(text + 1, what) : NULL;
    char whole[1400];
    size_t length = strlen(text) + strlen(with);

    if (!at || length > 600)
        return;
    (void)snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(at - text), text, with,
                   at + strlen(what));
    memcpy(text, whole, strlen(whole) + 1);
}

static void vary(char *fields)
{
    static const char *const changes[][2] = {
        {" ", "  "},        {" ", "\t"},   {" ", "\n"},       {" ", "\xa0"},   {"; ", ";"},
        {"; ", " ; "},      {";", ";;"},   {"u32", "u64"},    {"a", "b"},      {"[4]", "[0x4]"},
        {"int", "s32"},     {"24", "024"}, {"unsigned ", ""}, {" a", " a 4"},  {"char", "u8"},
        {"; ", " "},        {";", ""},     {"struct", "x"},   {"int", " int"}, {"[]", "[] "},
        {"count", "COUNT"}, {"; ", ";\n"},
    };
    uint32_t count = codes_random(3);

    for (uint32_t i = 0; i <= count; i++) {
        uint32_t which = codes_random(sizeof(changes) / sizeof(*changes) + 3);

        if (which < sizeof(changes) / sizeof(*changes))
            replace(fields, changes[which][0], changes[which][1]);
        else if (which == sizeof(changes) / sizeof(*changes))
            fields[codes_random((uint32_t)strlen(fields) + 1)] = 0;
        else
            append(fields, CODES_PICK(tails));
    }
}

/* Everything that is registered stays registered while its name is tried. */
struct family {
    char name[40];
    char fields[640];
    int error; /* error of the first registration */
    struct codes_event first;
    struct codes_event others[VARIANTS];
    int errors[VARIANTS];
};

static const char *code_of(const struct family *f, uint32_t i)
{
    static char code[32];

    if (f->error)
        return CODES_NOT_TRIED;
    (void)snprintf(code, sizeof(code), "%s%s", codes_name(f->errors[i]),
                   f->errors[i] || f->first.index == CODES_NO_INDEX ? ""
                   : f->others[i].index == f->first.index           ? " the same"
                                                                    : " another");
    return code;
}

static void try_variant(const struct codes_side *side, struct family *f, uint32_t i, uint32_t flags)
{
    char command[640], what[1500];
    uint32_t seed = codes_random(1u << 31) + 1;

    (void)snprintf(command, sizeof(command), "%s", *f->fields || i % 2 ? f->fields : " u32 a");
    vary(command);
    (void)snprintf(what, sizeof(what), "%s", command);
    (void)snprintf(command, sizeof(command), "%s%.590s", f->name, what);
    codes_prepare(&f->others[i], command);
    f->errors[i] = f->error ? 0 : side->add(&f->others[i], flags);
    (void)snprintf(what, sizeof(what), "%s for %s", command, f->first.command);
    codes_say_of(flags ? "format" : "in use", what, code_of(f, i), command);
    codes_seed(seed);
}

static void try_family(const struct codes_side *side, uint32_t percent, uint32_t flags)
{
    static struct family f;
    char command[700];

    make_fields(f.fields, percent);
    (void)snprintf(f.name, sizeof(f.name), "%s", codes_new_name());
    (void)snprintf(command, sizeof(command), "%s%s", f.name, f.fields);
    codes_prepare(&f.first, command);
    f.error = side->add(&f.first, flags);
    codes_say_of("first", command, codes_name(f.error), command);
    for (uint32_t i = 0; i < VARIANTS; i++)
        try_variant(side, &f, i, flags);
    for (uint32_t i = 0; i < VARIANTS && !f.error; i++)
        codes_check(f.errors[i] || !side->remove(&f.others[i]), "unregistering");
    codes_check(f.error || !side->remove(&f.first), "unregistering");
}

void codes_commands(const struct codes_side *side)
{
    char fields[640];

    codes_seed(4711);
    for (uint32_t i = 0; i < NEW_COMMANDS; i++) {
        make_fields(fields, i % 3 ? 12 : 4);
        try_new(side, fields);
    }
    for (uint32_t i = 0; i < FAMILIES; i++)
        try_family(side, i % 4 ? 0 : 12, 0);
    for (uint32_t i = 0; i < FAMILIES / 3; i++)
        try_family(side, 0, CAIRN_USER_EVENT_MULTI_FORMAT);
}
