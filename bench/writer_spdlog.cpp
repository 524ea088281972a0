/* SPDX-License-Identifier: MIT */
/*
 * The writer of spdlog, a peer: the fields of writer_tracing.c, to /dev/null, in its default
 * format. Threads share the logger, which collects lines in a buffer of stdio. SPDLOG_LEVEL=warn
 * disables it.
 */
#include "loops.h"

#include <spdlog/cfg/env.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

static spdlog::logger *logger;

static inline void emit_event(uint32_t number, const char *text)
{
    logger->info("number={} text={} half={}", number, text, number / 2);
}

static int open_logger(void)
{
    logger = spdlog::basic_logger_mt("bench", "/dev/null").get();
    spdlog::cfg::load_env_levels();
    return 0;
}

static bool event_enabled(void)
{
    return logger->should_log(spdlog::level::info);
}

static void close_logger(void)
{
    spdlog::shutdown();
}

int main(int argc, char **argv)
{
    static const struct bench_tracer tracer = {
        .open = open_logger,
        .enabled = event_enabled,
        .close = close_logger,
        BENCH_LOOPS,
    };

    return bench_main(&tracer, argc, argv);
}
