/* SPDX-License-Identifier: MIT */
/* The data that the BPF program reports for each dish. */
#ifndef DISH_H
#define DISH_H

#include <linux/types.h>

struct dish {
    __u32 table;
    __u32 grams; /* of all ingredients */
    char name[32];
    char program[16];
};

#endif
