/* SPDX-License-Identifier: MIT */
/* The process that reads CTF: all calls of libbabeltrace2 are in it. */
#ifndef CTF_SERVE_H
#define CTF_SERVE_H

#include "ctf/paths.h"

/* Writes the frames of traces to a pipe. */
void ctf_serve(const struct ctf_paths *paths, int fd);

#endif
