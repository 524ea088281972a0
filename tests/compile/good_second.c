/* SPDX-License-Identifier: MIT */
/* The second of two files with places of one provider. */
#include "good.h"

int write_second_file(void)
{
    int failed = write_static_inline(1) != 0;

    failed += CAIRN_WRITE_EVENT(compile_provider, "SecondFile", level(ERROR)) != 0;
#ifdef __cplusplus
    failed += write_cpp_inline(1) != 0;
    failed += write_template(1) != 0;
#endif
    return failed;
}
