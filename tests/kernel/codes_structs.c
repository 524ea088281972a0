/* SPDX-License-Identifier: MIT */
/* Cases with the structs of DIAG_IOCSREG and DIAG_IOCSUNREG, with any contents and at any
 * address. */
#include "codes.h"

#include "engine/kernel_abi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define REGISTRATIONS   1500
#define UNREGISTRATIONS 500

/* ---- registering ---- */

static const uint32_t sizes[] = {28, 28, 28, 28, 28, 28,   28,   28,        0,
                                 4,  27, 29, 32, 64, 4096, 4097, UINT32_MAX};
static const uint8_t bits[] = {0, 0, 1, 31, 32, 63, 64, 255};
static const uint8_t word_sizes[] = {4, 4, 4, 4, 8, 8, 8, 0, 1, 2, 16, 255};
static const uint16_t flags[] = {0, 0, 0, 0, 0, 0, 2, 4, 8, 0x8000, 6};
static const uint8_t last_bytes[] = {0, 0, 0, 0, 1, 0x80};

static const char *const words[] = {
    "a word",      "a word",  "a word", "a word",  "a word",          "one byte on",
    "two on",      "four on", "NULL",   "nothing", "only to be read", "the end of what is there",
    "the kernel's"};
static const char *const texts[] = {
    "new",          "new",          "new",       "in use",          "in use, other fields",
    "nothing",      "NULL",         "malformed", "without its end", "of 511 bytes",
    "of 512 bytes", "the kernel's", "flagged"};
static const char *const places[] = {"there",           "there",       "there",   "there", "there",
                                     "there",           "NULL",        "nothing", "half",  "odd",
                                     "only to be read", "the kernel's"};

static struct codes_event in_use;
static uint64_t word[2]; /* the last is for structs that are registered twice */

static uint64_t word_at(uint32_t which)
{
    const struct codes_memory *memory = codes_memory();

    switch (which) {
    case 5:
        return (uintptr_t)word + 1;
    case 6:
        return (uintptr_t)word + 2;
    case 7:
        return (uintptr_t)word + 4;
    case 8:
        return 0;
    case 9:
        return (uintptr_t)memory->gone;
    case 10:
        return (uintptr_t)memory->read_only;
    case 11:
        return (uintptr_t)memory->edge - 8;
    case 12:
        return (uintptr_t)memory->kernel;
    default:
        return (uintptr_t)word;
    }
}

/* The address of a command, in memory of kind `which`. */
static uint64_t text_at(uint32_t which)
{
    const struct codes_memory *memory = codes_memory();
    static char text[600];

    (void)snprintf(text, sizeof(text), "%s%s", codes_new_name(), which == 7 ? " u32" : " u32 a");
    if (which == 9 || which == 10) {
        memset(text + strlen(text), 'a', sizeof(text) - strlen(text));
        text[which == 9 ? 511 : 512] = 0;
        return (uintptr_t)text;
    }
    switch (which) {
    case 3:
        return (uintptr_t)in_use.command;
    case 4:
        return (uintptr_t) "codes_in_use u64 a";
    case 5:
        return (uintptr_t)memory->gone;
    case 6:
        return 0;
    case 8:
        memset(memory->edge - 10, 'a', 10);
        return (uintptr_t)memory->edge - 10;
    case 11:
        return (uintptr_t)memory->kernel;
    case 12:
        return (uintptr_t) "codes_flagged:FLAG u32 a";
    default:
        return (uintptr_t)text;
    }
}

/* Copies a struct to memory of kind `which`, at most a page. */
static void *put(uint32_t which, const void *from, size_t size)
{
    const struct codes_memory *memory = codes_memory();
    char *to = memory->page;

    switch (places[which][0]) {
    case 'N':
        return NULL;
    case 'n':
        return memory->gone;
    case 't':
        if (places[which][4] == 'k')
            return memory->kernel;
        break;
    case 'h':
        to = memory->edge - 20;
        memcpy(to, from, 20);
        return to;
    case 'o':
        if (places[which][1] == 'd')
            to++;
        else
            return memory->read_only;
        break;
    default:
        break;
    }
    memcpy(to, from, size);
    return to;
}

static void remove_word(uint64_t address, uint8_t bit)
{
    struct engine_user_unreg unreg = {
        .size = sizeof(unreg), .disable_bit = bit, .disable_addr = address};

    codes_check(!ioctl(codes_fd, ENGINE_USER_EVENTS_UNREG, &unreg), "unregistering");
}

static void try_registration(void)
{
    uint8_t bytes[8192] = {0};
    struct engine_user_reg reg = {.size = CODES_PICK(sizes)};
    uint32_t which_word = codes_random(13), which_text = codes_random(13);
    uint32_t place = codes_random(12);
    uint8_t last = CODES_PICK(last_bytes);
    bool twice = codes_random(4) == 0;
    char what[512];
    void *at;
    int error;

    reg.enable_bit = CODES_PICK(bits);
    reg.enable_size = CODES_PICK(word_sizes);
    reg.flags = CODES_PICK(flags);
    if (codes_random(2)) { /* otherwise almost no struct would be valid */
        reg.enable_bit &= 31;
        reg.enable_size = 4;
        reg.flags = 0;
        reg.size = 28;
    }
    if (texts[which_text][0] == 'o') /* too long for cairn with a suffix to its name */
        reg.flags &= (uint16_t)~2u;
    reg.enable_addr = word_at(which_word);
    reg.name_args = text_at(which_text);
    memcpy(bytes, &reg, sizeof(reg));
    if (reg.size > 28 && reg.size < 8000)
        bytes[reg.size - 1] = last;
    at = put(place, bytes, 8192);
    (void)snprintf(what, sizeof(what),
                   "size %u, bit %u, word of %u, flags %x, at %s, command %s, struct %s%s%s",
                   reg.size, reg.enable_bit, reg.enable_size, reg.flags, words[which_word],
                   texts[which_text], places[place], last && reg.size > 28 ? ", more bytes" : "",
                   twice ? ", twice" : "");
    error = ioctl(codes_fd, ENGINE_USER_EVENTS_REG, at) ? errno : 0;
    codes_say("register", what, codes_name(error), NULL);
    if (twice) {
        int second = error || !ioctl(codes_fd, ENGINE_USER_EVENTS_REG, at) ? 0 : errno;

        codes_say("register again", what, error ? CODES_NOT_TRIED : codes_name(second), NULL);
    }
    if (!error)
        remove_word(reg.enable_addr, reg.enable_bit);
}

/* ---- unregistering ---- */

static void try_unregistration(void)
{
    static const uint32_t unreg_sizes[] = {16, 16, 16, 16, 16, 0, 4, 15, 17, 64, 4096, 4097};
    static const uint8_t reserved[] = {0, 0, 0, 0, 0, 0, 1, 255};
    struct engine_user_unreg unreg = {.size = CODES_PICK(unreg_sizes)};
    uint32_t which_word = codes_random(13), place = codes_random(12);
    uint8_t bytes[8192] = {0};
    char what[512];
    void *at;

    codes_prepare(&in_use, "codes_in_use u32 a");
    unreg.disable_bit = CODES_PICK(bits);
    unreg.reserved = CODES_PICK(reserved);
    unreg.reserved2 = (uint16_t)(CODES_PICK(reserved) << 8);
    unreg.disable_addr = codes_random(2) ? word_at(which_word) : (uintptr_t)&in_use.word;
    if (unreg.disable_addr == (uintptr_t)&in_use.word)
        which_word = 0;
    memcpy(bytes, &unreg, sizeof(unreg));
    at = put(place, bytes, 8192);
    (void)snprintf(what, sizeof(what), "size %u, bit %u, reserved %x %x, at %s%s, struct %s",
                   unreg.size, unreg.disable_bit, unreg.reserved, unreg.reserved2,
                   words[which_word],
                   unreg.disable_addr == (uintptr_t)&in_use.word ? " in use" : "", places[place]);
    codes_say("unregister", what,
              codes_name(ioctl(codes_fd, ENGINE_USER_EVENTS_UNREG, at) ? errno : 0), NULL);
}

void codes_structs(const struct codes_side *side)
{
    codes_seed(777);
    codes_prepare(&in_use, "codes_in_use u32 a");
    codes_check(!side->add(&in_use, 0), "registering");
    for (uint32_t i = 0; i < REGISTRATIONS; i++)
        try_registration();
    for (uint32_t i = 0; i < UNREGISTRATIONS; i++) {
        try_unregistration();
        /* The event may have been removed. */
        (void)side->add(&in_use, 0);
    }
    (void)side->remove(&in_use);
}
