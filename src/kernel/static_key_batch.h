/* SPDX-License-Identifier: MIT */
/*
 * Internal interface of static keys: changing many keys with one round of patching, and finding
 * keys whose sites would not be patched. Any context that the host's two functions can do with.
 */
#ifndef KERNEL_STATIC_KEY_BATCH_H
#define KERNEL_STATIC_KEY_BATCH_H

#include <cairn/kernel/static_key.h>

/*
 * Increments or decrements a key's count, and queues the key if its sites have to be patched.
 * Returns 0; E2BIG, EINVAL: as cairn_static_keys_enable, and nothing is queued.
 */
int kernel_static_key_queue(struct cairn_static_keys *keys, struct cairn_static_key *key,
                            bool enable);

/* Patches the queued keys, in one round. False: another CPU is patching, or nothing was queued. */
bool kernel_static_keys_patch(struct cairn_static_keys *keys);

/*
 * To be called for each key that was queued, `patched` being what kernel_static_keys_patch has
 * returned. Returns 0; or what write_text returned for this key, and its change is undone.
 */
int kernel_static_key_finish(struct cairn_static_keys *keys, struct cairn_static_key *key,
                             bool enable, bool patched);

/*
 * True if the range from start to stop has a site of the key that is not among the sites of `keys`,
 * so that it would not be patched. Pure.
 */
bool kernel_static_key_is_stranded(const struct cairn_static_keys *keys,
                                   const struct cairn_static_key *key,
                                   const struct cairn_static_branch *start,
                                   const struct cairn_static_branch *stop);

#endif
