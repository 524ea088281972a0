/* SPDX-License-Identifier: MIT */
/* Tracepoints by name. */
#include "decode/named.h"

#include "core/slice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a record: common ones as the kernel has them, and the header. */
static const char format_text[] =
    "name: %s\nID: 1\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n\n"
    "print fmt: \"\"\n";

/* Names depend on providers, levels and keywords. A damaged recording has another one with each
 * event. */
#define TRACEPOINTS_MAX 65536u

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;

    while (*name)
        hash = (hash ^ (uint8_t)*name++) * 0x100000001b3u;
    return hash;
}

static int add_to_decoder(struct cairn_decoder *decoder, const char *system, const char *name,
                          bool big_endian, uint32_t *ret_number)
{
    char text[sizeof(format_text) + CAIRN_EVENTHEADER_NAME_MAX_BYTES];
    struct cairn_decoder_format format = {
        .system = core_slice_of(system),
        .text = {text, 0},
        .long_size_bytes = 8,
        .swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__),
    };
    int length = snprintf(text, sizeof(text), format_text, name);

    if ((size_t)length >= sizeof(text))
        return EBADMSG;
    format.text.length = (uint32_t)length;
    return cairn_decoder_add(decoder, &format, ret_number);
}

/* Makes space for another one, at each power of two. */
static int grow(struct decode_named *named)
{
    uint32_t count = named->count;
    void *bigger;

    if (count & (count - 1) || (count && count < 16))
        return 0;
    bigger =
        realloc(named->tracepoints, (count ? 2 * (size_t)count : 16) * sizeof(*named->tracepoints));
    if (!bigger)
        return ENOMEM;
    named->tracepoints = (struct decode_named_tracepoint *)bigger;
    return 0;
}

/* Adds one that the decoder has. */
static int add(struct decode_named *named, const char *name, uint64_t key, uint32_t number)
{
    int err = grow(named);
    struct decode_named_tracepoint own = {.name = err ? NULL : strdup(name), .number = number};

    if (!own.name)
        return ENOMEM;
    err = perf_data_map_set(&named->index_of, key, named->count);
    if (err) {
        free(own.name);
        return err;
    }
    named->tracepoints[named->count++] = own;
    return 0;
}

/* Names of one hash have the keys after it. */
int decode_named_find(struct decode_named *named, struct cairn_decoder *decoder, const char *system,
                      const char *name, bool big_endian, uint32_t *ret_number)
{
    uint64_t key = hash_of(name);
    uint32_t index;
    int err;

    while ((index = perf_data_map_get(&named->index_of, key)) != PERF_DATA_MAP_NONE) {
        if (!strcmp(named->tracepoints[index].name, name)) {
            *ret_number = named->tracepoints[index].number;
            return 0;
        }
        key++;
    }
    if (named->count == TRACEPOINTS_MAX)
        return E2BIG;
    err = add_to_decoder(decoder, system, name, big_endian, ret_number);
    return err ? err : add(named, name, key, *ret_number);
}

void decode_named_free(struct decode_named *named)
{
    for (uint32_t i = 0; i < named->count; i++)
        free(named->tracepoints[i].name);
    free(named->tracepoints);
    perf_data_map_free(&named->index_of);
}
