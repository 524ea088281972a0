/* SPDX-License-Identifier: MIT */
/* Marks a function or an object as part of a library's interface; everything else is hidden. */
#ifndef CAIRN_API_H
#define CAIRN_API_H

#include <cairn/deprecated.h>

#ifndef _WIN32
#define CAIRN_API __attribute__((visibility("default")))
#elif defined(CAIRN_I_DLL) /* the DLL itself */
#define CAIRN_API __attribute__((dllexport))
#else
#define CAIRN_API
#endif

#endif
