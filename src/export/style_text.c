/* SPDX-License-Identifier: MIT */
/* Text of any bytes as a style prints it, for programs. */
#include "cairn/export.h"

#include "export/utf.h"

#include <errno.h>
#include <stdlib.h>

int cairn_style_text(enum cairn_style style, const void *text, size_t size_bytes, char **ret_text)
{
    struct export_print_output out;
    char *copy;
    int err;

    if ((unsigned)style >= CAIRN_STYLE_COUNT)
        return EINVAL;
    err = export_output_open(&out, -1);
    if (!err) {
        export_print_utf8(&out, style, text, size_bytes);
        err = out.error;
    }
    copy = err ? NULL : strndup(out.begin, (size_t)(out.at - out.begin));
    export_output_close(&out);
    if (!copy)
        return ENOMEM;
    *ret_text = copy;
    return 0;
}
