/* SPDX-License-Identifier: MIT */
/*
 * The tracing facade: events and spans with fields, for layers that a program chooses when it
 * starts.
 *
 *   int main(void)
 *   {
 *       (void)cairn_tracing_init();         // to standard error, configured by CAIRN_LOG
 *       CAIRN_SCOPE(INFO, "main");
 *       CAIRN_INFO((kv("answer", 42)), "hello from %s", "cairn");
 *   }
 *
 * Libraries only emit events and spans. Programs set a subscriber: cairn_tracing_init, or layers of
 * their choice (cairn/tracing/layer.h, cairn/tracing/layers.h). docs/tracing.md is an introduction.
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_H
#define CAIRN_TRACING_H

#include <cairn/tracing/event.h>
#include <cairn/tracing/layer.h>
#include <cairn/tracing/layers.h>
#include <cairn/tracing/span.h>
#ifdef __cplusplus
#include <cairn/tracing/span.hpp>
#endif

#endif
