/* SPDX-License-Identifier: MIT */
/* Marks a function or an object as part of a library's interface; everything else is hidden. */
#ifndef CAIRN_API_H
#define CAIRN_API_H

#include <cairn/deprecated.h>

#define CAIRN_API __attribute__((visibility("default")))

#endif
