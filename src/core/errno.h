/* SPDX-License-Identifier: MIT */
/* The errno codes that core returns, for hosts without an errno.h. Values are Linux's. */
#ifndef CORE_ERRNO_H
#define CORE_ERRNO_H

#if __has_include(<errno.h>)
#include <errno.h>
#else
#define ENOENT      2
#define E2BIG       7
#define EBADF       9
#define EAGAIN      11
#define ENOMEM      12
#define EBUSY       16
#define EEXIST      17
#define ENODEV      19
#define EISDIR      21
#define EINVAL      22
#define ENOSPC      28
#define ERANGE      34
#define EBADMSG     74
#define EOVERFLOW   75
#define EOPNOTSUPP  95
#define EINPROGRESS 115
#endif

#endif
