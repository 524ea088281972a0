/* SPDX-License-Identifier: MIT */
/* A trace header in the style of Linux. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM compile_linux

#if !defined(_TRACE_COMPILE_LINUX_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_COMPILE_LINUX_H

#include <linux/tracepoint.h>

/* clang-format off */
enum { LINUX_LOW, LINUX_HIGH };
enum { nr_cpumask_bits = 65 };
extern const unsigned long linux_cpus[65 / 8 / sizeof(long) + 1];
TRACE_DEFINE_ENUM(LINUX_LOW);
TRACE_DEFINE_ENUM(LINUX_HIGH);

#define show_level(level)			\
	__print_symbolic(level,			\
		{ LINUX_LOW,	"low"	},	\
		{ LINUX_HIGH,	"high"	})

TRACE_EVENT(linux_level,

	TP_PROTO(int level, const char *who),

	TP_ARGS(level, who),

	TP_STRUCT__entry(
		__field(	int,	level		)
		__string(	who,	who		)
	),

	TP_fast_assign(
		__entry->level	= level;
		__assign_str(who);
	),

	TP_printk("level=%s who=%s", show_level(__entry->level), __get_str(who))
);

DECLARE_EVENT_CLASS(linux_template,

	TP_PROTO(int level),

	TP_ARGS(level),

	TP_STRUCT__entry(
		__field(	int,	level	)
	),

	TP_fast_assign(
		__entry->level = level;
	),

	TP_printk("%d", __entry->level)
);

DEFINE_EVENT(linux_template, linux_simple,
	TP_PROTO(int level),
	TP_ARGS(level)
);

DEFINE_EVENT_CONDITION(linux_template, linux_condition,
	TP_PROTO(int level),
	TP_ARGS(level),
	TP_CONDITION(level)
);

DEFINE_EVENT_PRINT(linux_template, linux_print,
	TP_PROTO(int level),
	TP_ARGS(level),
	TP_printk("[%d]", __entry->level)
);

TRACE_EVENT_CONDITION(linux_whole_condition,

	TP_PROTO(int level),

	TP_ARGS(level),

	TP_CONDITION(level > 1),

	TP_STRUCT__entry(
		__field(	int,	level	)
	),

	TP_fast_assign(
		__entry->level = level;
	),

	TP_printk("%d", __entry->level)
);

/* Parts that are macros, commas in a macro's arguments, and the record as `entry`. */
#define linux_proto TP_PROTO(int first, int second)
#define linux_args TP_ARGS(first, second)
#define linux_fields(...) TP_STRUCT__entry(__field(int, sum) __VA_ARGS__)
#define linux_assign(...) TP_fast_assign(entry->sum = first + second; __VA_ARGS__)
#define LINUX_DEFINE(name, proto, args) DEFINE_EVENT(linux_pair, name, PARAMS(proto), PARAMS(args))

DECLARE_EVENT_CLASS(linux_pair, linux_proto, linux_args,
	linux_fields(__cpumask(cpus)),
	linux_assign(__assign_cpumask(cpus, linux_cpus);),
	TP_printk("sum=%d cpus=%s", __entry->sum, __get_cpumask(cpus))
);

LINUX_DEFINE(linux_from_macros, TP_PROTO(int first, int second), TP_ARGS(first, second));

DECLARE_TRACE(linux_bare, TP_PROTO(int *value), TP_ARGS(value));

/* Disabled by a configuration. */
DECLARE_EVENT_CLASS_NOP(linux_none,
	TP_PROTO(int level), TP_ARGS(level), TP_STRUCT__entry(), TP_fast_assign(), TP_printk("")
);
DEFINE_EVENT_NOP(linux_none, linux_left_out, TP_PROTO(int level), TP_ARGS(level));
TRACE_EVENT_NOP(linux_left_out_too,
	TP_PROTO(int level), TP_ARGS(level), TP_STRUCT__entry(), TP_fast_assign(), TP_printk("")
);
TRACE_EVENT(linux_text,
	TP_PROTO(int level), TP_ARGS(level), TP_STRUCT__entry(), TP_fast_assign((void)level;), TP_printk("text")
);
TRACE_EVENT_FLAGS(linux_simple, 1)
TRACE_EVENT_PERF_PERM(linux_simple, 0)

#undef TRACE_SYSTEM
#define TRACE_SYSTEM compile-linux
TRACE_EVENT(linux_hyphen,
	TP_PROTO(int level), TP_ARGS(level),
	TP_STRUCT__entry(__rel_cpumask(cpus)),
	TP_fast_assign(__assign_rel_cpumask(cpus, linux_cpus); (void)__perf_count(level);),
	TP_printk("%s", __get_rel_cpumask(cpus))
);
/* clang-format on */

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#include <trace/define_trace.h>
