/* SPDX-License-Identifier: MIT */
/* Standard output as a stream of the C library. */
#ifndef PRELOAD_STREAM_H
#define PRELOAD_STREAM_H

#include <stdbool.h>

/* Its descriptor is, or was, that of an emulated file. */
void preload_stream_hold(bool is_served);

#endif
