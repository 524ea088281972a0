/* SPDX-License-Identifier: MIT */
/* Names for the numbers of EventHeader. */
#include "export/names.h"

#include <cairn/eventheader_abi.h>
#include <stddef.h>

static const char *const levels[] = {
    [CAIRN_LEVEL_CRITICAL_ERROR] = "critical_error",
    [CAIRN_LEVEL_ERROR] = "error",
    [CAIRN_LEVEL_WARNING] = "warning",
    [CAIRN_LEVEL_INFORMATION] = "information",
    [CAIRN_LEVEL_VERBOSE] = "verbose",
};

static const char *const opcodes[] = {
    [CAIRN_OPCODE_INFO] = "info",
    [CAIRN_OPCODE_ACTIVITY_START] = "activity_start",
    [CAIRN_OPCODE_ACTIVITY_STOP] = "activity_stop",
    [CAIRN_OPCODE_COLLECTION_START] = "collection_start",
    [CAIRN_OPCODE_COLLECTION_STOP] = "collection_stop",
    [CAIRN_OPCODE_EXTENSION] = "extension",
    [CAIRN_OPCODE_REPLY] = "reply",
    [CAIRN_OPCODE_RESUME] = "resume",
    [CAIRN_OPCODE_SUSPEND] = "suspend",
    [CAIRN_OPCODE_SEND] = "send",
};

const char *export_level_name(uint8_t level)
{
    return level < sizeof(levels) / sizeof(levels[0]) ? levels[level] : NULL;
}

const char *export_opcode_name(uint8_t opcode)
{
    if (opcode == CAIRN_OPCODE_RECEIVE)
        return "receive";
    return opcode < sizeof(opcodes) / sizeof(opcodes[0]) ? opcodes[opcode] : NULL;
}
