/* SPDX-License-Identifier: MIT */
/*
 * Marks an internal function that libcairn-collect takes from libcairn: a process has one engine,
 * whatever libraries it links. Its symbol is libcairn_NAME, since NAME alone could be a function of
 * the program's. libcairn.map.in gives these symbols the version of the build: the dynamic linker
 * refuses a pair of libraries that were not built together. It is not part of the public interface,
 * and may change with any commit.
 */
#ifndef CORE_PRIVATE_API_H
#define CORE_PRIVATE_API_H

#define CORE_PRIVATE_API(name) __asm__("libcairn_" #name) __attribute__((visibility("default")))

#endif
