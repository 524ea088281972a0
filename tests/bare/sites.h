/* SPDX-License-Identifier: MIT */
/* Comparison of the code of sites. */
#ifndef SITES_H
#define SITES_H

#include <cairn/kernel/static_key.h>

/* True if a key has sites, and all of them contain the no-op, or their jump. (Compilers may copy
 * sites: the number is theirs.) */
bool bare_sites_hold(const struct cairn_static_key *key, bool jump);

/* Prints the bytes of a key's first site. */
void bare_show_site(const struct cairn_static_key *key);

#endif
