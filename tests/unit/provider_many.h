/* SPDX-License-Identifier: MIT */
/* Many providers and many call sites, by the preprocessor: MANY_1000(m, 1) is m(1000) to
 * m(1999). */
#ifndef TESTS_PROVIDER_MANY_H
#define TESTS_PROVIDER_MANY_H

#include <cairn/eventheader.h>

#define MANY_10(m, n) \
    m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define MANY_100(m, n) \
    MANY_10(m, n##0)   \
    MANY_10(m, n##1)   \
    MANY_10(m, n##2)   \
    MANY_10(m, n##3)   \
    MANY_10(m, n##4)   \
    MANY_10(m, n##5) MANY_10(m, n##6) MANY_10(m, n##7) MANY_10(m, n##8) MANY_10(m, n##9)
#define MANY_1000(m, n) \
    MANY_100(m, n##0)   \
    MANY_100(m, n##1)   \
    MANY_100(m, n##2)   \
    MANY_100(m, n##3)   \
    MANY_100(m, n##4)   \
    MANY_100(m, n##5) MANY_100(m, n##6) MANY_100(m, n##7) MANY_100(m, n##8) MANY_100(m, n##9)
#define MANY_10000(m, n) \
    MANY_1000(m, n##0)   \
    MANY_1000(m, n##1)   \
    MANY_1000(m, n##2)   \
    MANY_1000(m, n##3)   \
    MANY_1000(m, n##4)   \
    MANY_1000(m, n##5) MANY_1000(m, n##6) MANY_1000(m, n##7) MANY_1000(m, n##8) MANY_1000(m, n##9)

/* A provider with one call site. */
#define MANY_PROVIDER(n)                                                  \
    CAIRN_PROVIDER(many_provider_##n, "Many_" #n);                        \
    static __attribute__((used, noinline)) bool many_is_enabled_##n(void) \
    {                                                                     \
        return CAIRN_PROVIDER_ENABLED(many_provider_##n, WARNING, 1);     \
    }
#define MANY_PROVIDER_ADDRESS(n) &many_provider_##n,

#endif
