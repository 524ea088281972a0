/* SPDX-License-Identifier: MIT */
/* Lists of probes, and the arguments of static ones. */
#include "perf_events/probes.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int perf_events_add_probe(struct perf_events_probes *probes, const char *name, uint64_t offset,
                          struct perf_events_probe **ret_probe)
{
    struct perf_events_probe *bigger =
        realloc(probes->probes, (probes->count + 1) * sizeof(*probes->probes));
    struct perf_events_probe probe = {.name = strdup(name), .offset = offset};

    if (bigger)
        probes->probes = bigger;
    if (!bigger || !probe.name) {
        free(probe.name);
        return ENOMEM;
    }
    for (char *at = probe.name; *at; at++) {
        if (!isalnum((unsigned char)*at))
            *at = '_';
    }
    if (isdigit((unsigned char)probe.name[0]))
        probe.name[0] = '_';
    probes->probes[probes->count] = probe;
    *ret_probe = &probes->probes[probes->count++];
    return 0;
}

void perf_events_free_probes(struct perf_events_probes *probes)
{
    for (uint32_t n = 0; n < probes->count; n++) {
        free(probes->probes[n].name);
        perf_data_bytes_free(&probes->probes[n].fetch);
    }
    free(probes->probes);
    *probes = (struct perf_events_probes){0};
}

/* ---- arguments of static probes ---- */

#define REGISTER_BYTES 8u

/* "%edi" to "%di", as the kernel names registers whatever part of one is read. False: it has no
 * such register. */
static bool parse_register(const char **at, char ret_name[REGISTER_BYTES])
{
    static const char *const names[][4] = {
        {"rax", "eax", "ax", "al"},      {"rbx", "ebx", "bx", "bl"},
        {"rcx", "ecx", "cx", "cl"},      {"rdx", "edx", "dx", "dl"},
        {"rsi", "esi", "si", "sil"},     {"rdi", "edi", "di", "dil"},
        {"rbp", "ebp", "bp", "bpl"},     {"rsp", "esp", "sp", "spl"},
        {"r8", "r8d", "r8w", "r8b"},     {"r9", "r9d", "r9w", "r9b"},
        {"r10", "r10d", "r10w", "r10b"}, {"r11", "r11d", "r11w", "r11b"},
        {"r12", "r12d", "r12w", "r12b"}, {"r13", "r13d", "r13w", "r13b"},
        {"r14", "r14d", "r14w", "r14b"}, {"r15", "r15d", "r15w", "r15b"},
    };
    char word[REGISTER_BYTES];
    size_t length = 0;

    if (**at != '%')
        return false;
    while (isalnum((unsigned char)(*at)[1 + length]) && length < sizeof(word) - 1) {
        word[length] = (*at)[1 + length];
        length++;
    }
    word[length] = '\0';
    *at += 1 + length;
    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
        for (size_t part = 0; part < 4; part++) {
            if (strcmp(word, names[n][part]) != 0)
                continue;
            (void)snprintf(ret_name, REGISTER_BYTES, "%s", names[n][n < 8 ? 2 : 0]);
            return true;
        }
    }
    return false;
}

/* The kernel's type of a size, which is negative for signed numbers. NULL: another, or no number.
 */
static const char *type_of_size(long size)
{
    switch (size) {
    case 1:
        return "u8";
    case -1:
        return "s8";
    case 2:
        return "u16";
    case -2:
        return "s16";
    case 4:
        return "u32";
    case -4:
        return "s32";
    case 8:
        return "u64";
    case -8:
        return "s64";
    default:
        return NULL;
    }
}

/* Writes where the value is: "%di", "+8(%bp)", "\5". False: the kernel cannot fetch that. */
static bool location_of(const char *at, char *to, size_t size)
{
    char name[REGISTER_BYTES];
    char *end;
    long offset;

    if (*at == '$') {
        offset = strtol(at + 1, &end, 10);
        return end != at + 1 && !*end && snprintf(to, size, "\\%ld", offset) > 0;
    }
    if (*at == '%')
        return parse_register(&at, name) && !*at && snprintf(to, size, "%%%s", name) > 0;
    offset = strtol(at, &end, 10);
    if (*end != '(')
        return false;
    at = end + 1;
    return parse_register(&at, name) && !strcmp(at, ")") &&
           snprintf(to, size, "%+ld(%%%s)", offset, name) > 0;
}

unsigned perf_events_put_static_argument(struct cairn_bytes *fetch, unsigned number,
                                         const char *text, size_t length)
{
    char word[64];
    char location[64];
    char argument[160];
    const char *type;
    char *end;
    int bytes;

    number++;
    if (length >= sizeof(word))
        return number;
    memcpy(word, text, length);
    word[length] = '\0';
    type = type_of_size(strtol(word, &end, 10));
    if (!type || *end != '@' || !location_of(end + 1, location, sizeof(location)))
        return number;
    bytes = snprintf(argument, sizeof(argument), " arg%u=%s:%s", number, location, type);
    perf_data_bytes_put(fetch, argument, (size_t)bytes);
    return number;
}
