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

/* Marks a function that writes an event: cold for its callers, so that calls are out of line; not
 * in the library itself, where it is hot. Without a procedure linkage table a call is one jump, and
 * is bound when the program starts: a signal handler's first event does not enter the dynamic
 * linker. */
#ifdef CAIRN_I_HOT
#define CAIRN_I_COLD
#else
#if __has_attribute(noplt)
#define CAIRN_I_COLD __attribute__((cold, noplt))
#else
#define CAIRN_I_COLD __attribute__((cold))
#endif
#endif

#endif
