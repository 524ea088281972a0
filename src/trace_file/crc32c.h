/* SPDX-License-Identifier: MIT */
/* CRC-32C (Castagnoli; RFC 3720, appendix B.4): the checksum of blocks. */
#ifndef TRACE_FILE_CRC32C_H
#define TRACE_FILE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of the bytes. */
uint32_t trace_file_crc32c(const void *data, size_t size_bytes);

/* The checksum of bytes, of which `crc` is that of those before; 0: there are none. */
uint32_t trace_file_crc32c_more(uint32_t crc, const void *data, size_t size_bytes);

#endif
