/* SPDX-License-Identifier: MIT */
/* Reading a pool, for readers that free chunks on conditions of their own. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include <cairn/kernel/pool.h>

/* As cairn_pool_take, but the chunk is not freed. */
uint32_t core_pool_copy(struct cairn_pool_reader *reader, uint32_t chunk, void *to);

#endif
