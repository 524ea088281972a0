/* SPDX-License-Identifier: MIT */
/*
 * Static keys for the rest of the core: many keys changed with one round of patching, and keys
 * whose sites nobody would patch. Any context that the host's two functions can do with.
 */
#ifndef KERNEL_STATIC_KEY_BATCH_H
#define KERNEL_STATIC_KEY_BATCH_H

#include <cairn/kernel/static_key.h>

/*
 * Counts a key up or down, and queues it if its sites have to follow.
 * Returns 0; E2BIG, EINVAL: as cairn_static_key_enable, and nothing is queued.
 */
int cairn_i_static_key_queue(struct cairn_static_keys *keys, struct cairn_static_key *key,
                             bool enable);

/* Patches what is queued, in one round. False: somebody else does so, or nothing was queued. */
bool cairn_i_static_keys_patch(struct cairn_static_keys *keys);

/*
 * To be called for each key that was queued, `patched` being what cairn_i_static_keys_patch has
 * returned. Returns 0; or what write_text returned for this key, and its change is undone.
 */
int cairn_i_static_key_finish(struct cairn_static_keys *keys, struct cairn_static_key *key,
                              bool enable, bool patched);

/*
 * Whether from start to stop there is a site of the key that is not among the sites of `keys`:
 * nobody would patch it. Pure.
 */
bool cairn_i_static_key_is_stranded(const struct cairn_static_keys *keys,
                                    const struct cairn_static_key *key,
                                    const struct cairn_static_branch *start,
                                    const struct cairn_static_branch *stop);

#endif
