/* SPDX-License-Identifier: MIT */
/* Texts of a damaged event's errors. */
#include <cairn/decode.h>

const char *cairn_event_error_text(enum cairn_event_error error)
{
    switch (error) {
    case CAIRN_EVENT_WHOLE:
        return "no error";
    case CAIRN_EVENT_CUT_SHORT:
        return "the data ends before its fields do";
    case CAIRN_EVENT_BAD_METADATA:
        return "the metadata is invalid";
    case CAIRN_EVENT_BAD_HEADER:
        return "the event's header is invalid";
    }
    return "unknown error";
}
