/* SPDX-License-Identifier: MIT */
/* Numbers and names of the C library that systems spell differently. */
#ifndef OS_NUMBER_H
#define OS_NUMBER_H

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* As strtod, with a point in any locale. False: there is no memory. */
static inline int os_number_parse(const char *text, char **ret_end, double *ret_number)
{
#ifdef _WIN32
    _locale_t c_locale = _create_locale(LC_NUMERIC, "C");

    if (!c_locale)
        return 0;
    *ret_number = _strtod_l(text, ret_end, c_locale);
    _free_locale(c_locale);
#else
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

    if (!c_locale)
        return 0;
    *ret_number = strtod_l(text, ret_end, c_locale);
    freelocale(c_locale);
#endif
    return 1;
}

/* "ENOENT"; NULL: an unknown error, or the system does not know names. */
static inline const char *os_error_name(int error)
{
#ifdef _WIN32
    (void)error;
    return NULL;
#else
    return strerrorname_np(error);
#endif
}

/* A variable of the environment. Programs with raised privileges have none. */
static inline const char *os_environment(const char *name)
{
#ifdef _WIN32
    return getenv(name);
#else
    return secure_getenv(name);
#endif
}

#endif
