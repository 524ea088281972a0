/* SPDX-License-Identifier: MIT */
/* The format text of a tracepoint of EventHeader events. */
#ifndef FUZZ_EVENTHEADER_FORMAT_H
#define FUZZ_EVENTHEADER_FORMAT_H

static const char eventheader_format[] =
    "name: P_L5K2a\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\nprint fmt: \"\"\n";

#endif
