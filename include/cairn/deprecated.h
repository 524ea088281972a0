/* SPDX-License-Identifier: MIT */
/*
 * Former names of functions and structs, for programs that were written before they were renamed.
 * Each is a macro for the new name; CHANGELOG.md has the list. Define CAIRN_NO_DEPRECATED to
 * compile without them. Public headers include this one.
 */
#ifndef CAIRN_DEPRECATED_H
#define CAIRN_DEPRECATED_H
#ifndef CAIRN_NO_DEPRECATED

/* cairn/user_events.h */
#define cairn_user_event_options         cairn_tracepoint_options
#define cairn_user_event_register        cairn_tracepoint_register
#define cairn_user_event_register_with   cairn_tracepoint_register_with
#define cairn_user_event_register_schema cairn_tracepoint_register_schema
#define cairn_user_event_unregister      cairn_tracepoint_unregister
#define cairn_user_event_status          cairn_tracepoint_status
#define cairn_user_event_write           cairn_tracepoint_write
#define cairn_user_event_write_bytes     cairn_tracepoint_write_bytes
#define CAIRN_USER_EVENT_OPTIONS_INIT    CAIRN_TRACEPOINT_OPTIONS_INIT
#define cairn_tracepoint_enabled         cairn_tracepoint_is_enabled

/* cairn/eventheader.h, cairn/eventheader_dynamic.h */
#define cairn_activity_id_create    cairn_activity_id_generate
#define cairn_event_builder         cairn_builder
#define cairn_event_builder_create  cairn_builder_create
#define cairn_event_builder_destroy cairn_builder_destroy
#define cairn_event_set_enabled     cairn_event_set_is_enabled

/* cairn/tracing.h */
#define cairn_directives_free cairn_directives_destroy
#define cairn_text_n          cairn_string

/* cairn/typed_tracepoint.h */
#define cairn_tracepoints_register   cairn_trace_events_register
#define cairn_tracepoints_unregister cairn_trace_events_unregister
#define cairn_trace_enter            cairn_trace_write_enter
#define cairn_trace_typed            cairn_trace_write_typed
#define cairn_trace_reserve          cairn_trace_write_reserve
#define cairn_trace_commit           cairn_trace_write_commit
#define cairn_trace_raw              cairn_trace_write_raw
#define cairn_trace_leave            cairn_trace_write_leave
#define cairn_trace_finish           cairn_trace_write_finish

/* cairn/kernel/ */
#define cairn_trace_callback_add         cairn_trace_event_callback_add
#define cairn_trace_callback_remove      cairn_trace_event_callback_remove
#define cairn_trace_filter_set           cairn_trace_event_filter_set
#define cairn_trace_table_bytes          cairn_trace_table_memory_bytes
#define cairn_comm_cache_bytes           cairn_comm_cache_memory_bytes
#define cairn_trace_buffer_reserve       cairn_trace_cpu_reserve
#define cairn_trace_buffer_reserve_slow  cairn_trace_cpu_reserve_slow
#define cairn_trace_buffer_commit        cairn_trace_cpu_commit
#define cairn_trace_buffer_commit_nested cairn_trace_cpu_commit_nested
#define cairn_static_key_enable          cairn_static_keys_enable
#define cairn_static_key_disable         cairn_static_keys_disable
#define cairn_static_key_trap            cairn_static_keys_trap
#define cairn_trace_text_stats           cairn_trace_buffer_write_stats

/* cairn/perf_data.h, cairn/export.h */
#define cairn_perf_file_swapped cairn_perf_file_is_swapped
#define cairn_printer_failed    cairn_printer_has_failed

#endif
#endif
