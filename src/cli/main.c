/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
    puts("cairn " CAIRN_VERSION);
    return 0;
}
