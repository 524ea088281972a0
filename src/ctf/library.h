/* SPDX-License-Identifier: MIT */
/*
 * libbabeltrace2, loaded when a CTF trace is opened: with GLib it would double the time in which
 * each command starts.
 */
#ifndef CTF_LIBRARY_H
#define CTF_LIBRARY_H

#include <babeltrace2/babeltrace.h>

#define CTF_LIBRARY_FUNCTIONS(FUNCTION)                                      \
    FUNCTION(bt_clock_class_get_frequency)                                   \
    FUNCTION(bt_clock_class_origin_is_unix_epoch)                            \
    FUNCTION(bt_clock_snapshot_borrow_clock_class_const)                     \
    FUNCTION(bt_clock_snapshot_get_ns_from_origin)                           \
    FUNCTION(bt_clock_snapshot_get_value)                                    \
    FUNCTION(bt_component_filter_borrow_input_port_by_index_const)           \
    FUNCTION(bt_component_filter_borrow_output_port_by_index_const)          \
    FUNCTION(bt_component_sink_borrow_input_port_by_index_const)             \
    FUNCTION(bt_component_source_borrow_output_port_by_index_const)          \
    FUNCTION(bt_component_source_get_output_port_count)                      \
    FUNCTION(bt_current_thread_clear_error)                                  \
    FUNCTION(bt_current_thread_take_error)                                   \
    FUNCTION(bt_error_borrow_cause_by_index)                                 \
    FUNCTION(bt_error_cause_get_message)                                     \
    FUNCTION(bt_error_get_cause_count)                                       \
    FUNCTION(bt_error_release)                                               \
    FUNCTION(bt_event_borrow_class_const)                                    \
    FUNCTION(bt_event_borrow_common_context_field_const)                     \
    FUNCTION(bt_event_borrow_packet_const)                                   \
    FUNCTION(bt_event_borrow_payload_field_const)                            \
    FUNCTION(bt_event_borrow_specific_context_field_const)                   \
    FUNCTION(bt_event_borrow_stream_const)                                   \
    FUNCTION(bt_event_class_get_id)                                          \
    FUNCTION(bt_event_class_get_log_level)                                   \
    FUNCTION(bt_event_class_get_name)                                        \
    FUNCTION(bt_field_array_borrow_element_field_by_index_const)             \
    FUNCTION(bt_field_array_get_length)                                      \
    FUNCTION(bt_field_bit_array_get_value_as_integer)                        \
    FUNCTION(bt_field_bool_get_value)                                        \
    FUNCTION(bt_field_borrow_class_const)                                    \
    FUNCTION(bt_field_class_array_borrow_element_field_class_const)          \
    FUNCTION(bt_field_class_bit_array_get_length)                            \
    FUNCTION(bt_field_class_get_type)                                        \
    FUNCTION(bt_field_class_integer_get_field_value_range)                   \
    FUNCTION(bt_field_class_integer_get_preferred_display_base)              \
    FUNCTION(bt_field_class_option_borrow_field_class_const)                 \
    FUNCTION(bt_field_class_structure_borrow_member_by_index_const)          \
    FUNCTION(bt_field_class_structure_borrow_member_by_name_const)           \
    FUNCTION(bt_field_class_structure_get_member_count)                      \
    FUNCTION(bt_field_class_structure_member_borrow_field_class_const)       \
    FUNCTION(bt_field_class_structure_member_get_name)                       \
    FUNCTION(bt_field_class_variant_option_get_name)                         \
    FUNCTION(bt_field_enumeration_signed_get_mapping_labels)                 \
    FUNCTION(bt_field_enumeration_unsigned_get_mapping_labels)               \
    FUNCTION(bt_field_integer_signed_get_value)                              \
    FUNCTION(bt_field_integer_unsigned_get_value)                            \
    FUNCTION(bt_field_option_borrow_field_const)                             \
    FUNCTION(bt_field_real_double_precision_get_value)                       \
    FUNCTION(bt_field_real_single_precision_get_value)                       \
    FUNCTION(bt_field_string_get_length)                                     \
    FUNCTION(bt_field_string_get_value)                                      \
    FUNCTION(bt_field_structure_borrow_member_field_by_index_const)          \
    FUNCTION(bt_field_structure_borrow_member_field_by_name_const)           \
    FUNCTION(bt_field_variant_borrow_selected_option_class_const)            \
    FUNCTION(bt_field_variant_borrow_selected_option_field_const)            \
    FUNCTION(bt_graph_add_filter_component)                                  \
    FUNCTION(bt_graph_add_simple_sink_component)                             \
    FUNCTION(bt_graph_add_source_component)                                  \
    FUNCTION(bt_graph_connect_ports)                                         \
    FUNCTION(bt_graph_create)                                                \
    FUNCTION(bt_graph_put_ref)                                               \
    FUNCTION(bt_graph_run_once)                                              \
    FUNCTION(bt_message_discarded_events_get_count)                          \
    FUNCTION(bt_message_discarded_packets_get_count)                         \
    FUNCTION(bt_message_event_borrow_default_clock_snapshot_const)           \
    FUNCTION(bt_message_event_borrow_event_const)                            \
    FUNCTION(bt_message_event_borrow_stream_class_default_clock_class_const) \
    FUNCTION(bt_message_get_type)                                            \
    FUNCTION(bt_message_iterator_next)                                       \
    FUNCTION(bt_message_put_ref)                                             \
    FUNCTION(bt_packet_borrow_context_field_const)                           \
    FUNCTION(bt_plugin_borrow_filter_component_class_by_name_const)          \
    FUNCTION(bt_plugin_borrow_source_component_class_by_name_const)          \
    FUNCTION(bt_plugin_find)                                                 \
    FUNCTION(bt_plugin_put_ref)                                              \
    FUNCTION(bt_stream_borrow_class_const)                                   \
    FUNCTION(bt_stream_borrow_trace_const)                                   \
    FUNCTION(bt_stream_class_supports_packets)                               \
    FUNCTION(bt_trace_borrow_environment_entry_value_by_name_const)          \
    FUNCTION(bt_value_array_append_string_element)                           \
    FUNCTION(bt_value_get_type)                                              \
    FUNCTION(bt_value_integer_signed_get)                                    \
    FUNCTION(bt_value_map_create)                                            \
    FUNCTION(bt_value_map_insert_empty_array_entry)                          \
    FUNCTION(bt_value_put_ref)                                               \
    FUNCTION(bt_value_string_get)

#define CTF_LIBRARY_MEMBER(name) __typeof__(&(name)) name;

struct ctf_library {
    CTF_LIBRARY_FUNCTIONS(CTF_LIBRARY_MEMBER)
};

#undef CTF_LIBRARY_MEMBER

/* NULL: libbabeltrace2 is not installed. It stays loaded. Any thread. */
const struct ctf_library *ctf_library(void);

#endif
