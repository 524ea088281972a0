/* SPDX-License-Identifier: MIT */
/* The place where the systems part: how a provider and a call site are compiled. The vocabulary and
 * its checks are the same. */
#ifndef CAIRN_EVENTHEADER_SYSTEM_H
#define CAIRN_EVENTHEADER_SYSTEM_H

#ifdef _WIN32
#include <cairn/eventheader/etw_call_site.h>
#include <cairn/eventheader/etw_provider.h>
#else
#include <cairn/eventheader/call_site.h>
#include <cairn/eventheader/provider.h>
#endif

#endif
