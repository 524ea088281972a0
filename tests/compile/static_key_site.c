/* SPDX-License-Identifier: MIT */
/* For check_static_key.py: the same function with a site and without one. In C++, inline functions
 * have sites of their own. */
#include <cairn/kernel/static_key.h>

#ifdef __cplusplus
extern "C" {
#define MAYBE_INLINE inline
#else
#define MAYBE_INLINE
#endif

extern struct cairn_static_key site_key __attribute__((visibility("hidden")));
struct cairn_static_key site_key;
void site_slow(unsigned *value) __attribute__((cold));
void site_plain(unsigned *value);
MAYBE_INLINE void site_asking(unsigned *value);
MAYBE_INLINE unsigned site_asking_more(unsigned *value);
unsigned site_use(unsigned *value);

void site_plain(unsigned *value)
{
    *value += 3;
}

MAYBE_INLINE void site_asking(unsigned *value)
{
    *value += 3;
    if (cairn_static_branch(&site_key))
        site_slow(value);
}

/* Several in one function, used as values. */
MAYBE_INLINE unsigned site_asking_more(unsigned *value)
{
    unsigned a;
    unsigned b;

    a = cairn_static_branch(&site_key) ? 1u : 2u;
    b = cairn_static_branch(&site_key);
    while (a && cairn_static_branch(&site_key))
        a -= *value;
    return a + b;
}

unsigned site_use(unsigned *value)
{
    site_asking(value);
    return site_asking_more(value);
}

#ifdef __cplusplus
}
#endif
