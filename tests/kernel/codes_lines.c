/* SPDX-License-Identifier: MIT */
/* Cases with lines of dynamic_events, and names to delete. */
#include "codes.h"

#include "engine/kernel_abi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINES 600

static const char *const prefixes[] = {
    "u:", "u:", "u: ", "u:\t", "-:", "-:", "-:", "!u:", "!u:", "!x:", "!:",
    "!",  "-",  "-u:", " u:",  "U:", "u",  ":",  "",    " -:", "- :", "!u: "};
static const char *const systems[] = {
    "", "", "", "", "", "user_events/", "user_events_multi/", "other/", "/", "user_events:"};
static const char *const events[] = {"codes_fields",      "codes_fields", "codes_plain",
                                     "codes_busy",        "codes_new",    "",
                                     "codes_fields:FLAG", "codes_none"};
static const char *const fields[] = {"",
                                     "",
                                     " u32 a; char[4] b",
                                     " u32 a; char[4] b",
                                     " u32 a;char[4] b",
                                     "  u32\ta;  char[4]  b ;",
                                     " u32 a; char[4] b;",
                                     " u32 a",
                                     " nonsense",
                                     " ",
                                     " ;",
                                     " # a comment",
                                     " u32 a; char[4] b # a comment",
                                     "#",
                                     "\tu32 a; char[4] b"};
static const char *const ends[] = {"\n", "\n", "", "\n\n", "\n \n", "\n#\n"};

static struct codes_event busy;

/* Restores the state before each case: deleted events exist again, created ones are removed. */
static void begin(const struct codes_side *side)
{
    static const char lines[] = "u:codes_fields u32 a; char[4] b\nu:codes_plain\n";

    codes_check(!side->line(lines, sizeof(lines) - 1), "lines");
    (void)side->delete ("codes_new");
    (void)side->delete ("codes_none");
}

/* The kernel deletes an event that has fields only by a line with the fields. */
static const char *row_of(const char *prefix, const char *rest)
{
    bool deletes = *prefix && (*prefix == '-' || *prefix == '!' || prefix[1] == '-');

    rest += strspn(rest, " ");
    return deletes && (!*rest || *rest == '#') ? "a line that deletes by the name alone" : NULL;
}

static void try_line(const struct codes_side *side, const char *text, size_t size, const char *row)
{
    begin(side);
    codes_say("line", text, codes_name(side->line(text, size)), row);
}

static void try_random(const struct codes_side *side)
{
    const char *prefix = CODES_PICK(prefixes);
    const char *system = CODES_PICK(systems);
    const char *event = CODES_PICK(events);
    const char *rest = CODES_PICK(fields);
    const char *end = CODES_PICK(ends);
    char text[512];

    /* Creating an event without a name, or in another system, is a case of its own; other lists
     * have the flags. */
    if (prefix[0] == 'u' && strpbrk(system, "/:"))
        system = "";
    if (*system && !*event) /* the case of a command without a name has created one */
        event = "codes_none";
    if (prefix[0] == 'u' && (!*event || strchr(event, ':')))
        event = "codes_fields";
    (void)snprintf(text, sizeof(text), "%s%s%s%s%s", prefix, system, event, rest, end);
    try_line(side, text, strlen(text), row_of(prefix, rest));
}

/* In several lines, the first one that fails ends the write. */
static void try_several(const struct codes_side *side)
{
    static const char *const texts[] = {
        "u:codes_new u32 a\nu:codes_none\n",
        "u:codes_new u32 a\nu:codes_new\n",
        "u:codes_new nonsense\nu:codes_none\n",
        "u:codes_new\n-:codes_new\n-:codes_new\n",
        "# nothing\n\n   \nu:codes_new\n",
        "\n",
        " ",
        "-:codes_plain\n-:codes_busy\n",
        "-:codes_busy\n-:codes_none\n",
        "x\n\n",
    };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        try_line(side, texts[i], strlen(texts[i]), NULL);
}

static void try_long(const struct codes_side *side)
{
    static const uint32_t lengths[] = {4000, 4093, 4094, 4095, 4096, 4097, 6000};
    static char text[20000];

    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        (void)snprintf(text, sizeof(text), "u:codes_new u32 a%*s#", (int)lengths[i] - 18, "");
        begin(side);
        (void)snprintf(text + 10000, 64, "a line of %u bytes", lengths[i]);
        codes_say("long line", text + 10000, codes_name(side->line(text, lengths[i])), NULL);
    }
    /* Short lines, more than are processed at a time. */
    *text = 0;
    for (size_t i = 0; i < 300; i++)
        strcat(text, "u:codes_fields u32 a; char[4] b\n");
    begin(side);
    codes_say("long line", "many lines", codes_name(side->line(text, strlen(text))), NULL);
}

void codes_lines(const struct codes_side *side)
{
    codes_seed(99);
    codes_prepare(&busy, "codes_busy");
    codes_check(!side->add(&busy, 0), "registering");
    for (uint32_t i = 0; i < LINES; i++)
        try_random(side);
    try_several(side);
    /* cairn's own interface has no file, and accepts lines of any length. */
    if (side->line_is_file)
        try_long(side);
    if (side->line_is_file) {
        static const char nul[] = "u:codes_new u32 a\0u:codes_none\n";

        begin(side);
        codes_say("line", "with a NUL", codes_name(side->line(nul, sizeof(nul) - 1)), NULL);
        codes_say("line", "with a NUL at its end", codes_name(side->line("u:codes_new\0", 12)),
                  NULL);
    }
    begin(side);
    codes_check(!side->line("!u:codes_fields u32 a; char[4] b\n-:codes_plain\n", 47), "deleting");
    codes_check(!side->remove(&busy), "unregistering");
}

/* ---- names ---- */

void codes_deletes(const struct codes_side *side)
{
    static const char *const names[] = {
        "codes_fields",
        "codes_plain",
        "codes_busy",
        "codes_none",
        " ",
        ":",
        "codes_fields u32 a; char[4] b",
        "codes_plain ",
        "codes_plain:",
        " codes_plain",
        "codes_busy u32 a",
        "codes_busy:FLAG",
        "user_events/codes_plain",
        "codes_plai",
        "codes_plain\n",
        "u:codes_plain",
    };
    char text[600];

    codes_prepare(&busy, "codes_busy");
    codes_check(!side->add(&busy, 0), "registering");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        begin(side);
        codes_say("delete", names[i], codes_name(side->delete (names[i])), NULL);
    }
    for (size_t i = 509; i < 515; i++) {
        memset(text, 'a', i);
        text[i] = 0;
        codes_say("delete", text, codes_name(side->delete (text)), NULL);
    }
    begin(side);
    (void)side->delete ("codes_plain");
    (void)side->delete ("codes_fields");
    codes_check(!side->remove(&busy), "unregistering");
}
