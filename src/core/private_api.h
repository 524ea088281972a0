/* SPDX-License-Identifier: MIT */
/*
 * Marks an internal function that libcairn-collect takes from libcairn: a process has one engine,
 * whatever libraries it links. libcairn.map.in names the same functions, as of version
 * CAIRN_PRIVATE_VERSION: the dynamic linker refuses a pair of libraries that were not built
 * together. It is not part of the public interface, and may change with any commit.
 */
#ifndef CORE_PRIVATE_API_H
#define CORE_PRIVATE_API_H

#define CAIRN_PRIVATE_API __attribute__((visibility("default")))

#endif
