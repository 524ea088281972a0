/* SPDX-License-Identifier: MIT */
/* The text of sites, read back. */
#ifndef SITES_H
#define SITES_H

#include <cairn/kernel/static_key.h>

/* Whether a key has sites, and all of them hold the no-op, or their jump. (Compilers may make
 * copies of sites: how many there are is theirs.) */
bool bare_sites_hold(const struct cairn_static_key *key, bool jump);

/* Prints the bytes of a key's first site. */
void bare_show_site(const struct cairn_static_key *key);

#endif
