/* SPDX-License-Identifier: MIT */
/* A trace header as those of Linux are. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM compile_linux

#if !defined(_TRACE_COMPILE_LINUX_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_COMPILE_LINUX_H

#include <linux/tracepoint.h>

/* clang-format off */
enum { LINUX_LOW, LINUX_HIGH };
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
/* clang-format on */

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#include <trace/define_trace.h>
