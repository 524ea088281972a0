/* SPDX-License-Identifier: MIT */
/* Shared libraries that are loaded when they are needed. */
#ifndef OS_LIBRARY_H
#define OS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Loads the first of some shared libraries that is installed, and finds functions in it, and in
 * those that it needs. It stays loaded.
 *
 * files          names of the library, up to NULL
 * names          of the functions
 * ret_functions  a struct of as many pointers to functions, in their order
 *
 * False: none is installed, or it lacks a function.
 */
bool os_library_load(const char *const *files, const char *const *names, size_t count,
                     void *ret_functions);

#endif
