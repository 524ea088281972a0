/* SPDX-License-Identifier: MIT */
/*
 * A graph of libbabeltrace2: a source for each trace, a muxer that orders their messages by time,
 * and a sink that keeps a batch of them.
 */
#include "ctf/messages.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- errors ---- */

/* Keeps the innermost cause of an error of the library. */
static void set_error(struct ctf_messages *m, const bt_error *error)
{
    const char *text;

    if (m->bt->bt_error_get_cause_count(error)) {
        text = m->bt->bt_error_cause_get_message(m->bt->bt_error_borrow_cause_by_index(error, 0));
        (void)snprintf(m->error_text, sizeof(m->error_text), "%s", text);
        m->error_text[strcspn(m->error_text, "\n")] = '\0';
    }
    m->bt->bt_error_release(error);
}

/* Returns the errno code of a status of the library. */
static int fail(struct ctf_messages *m, int status)
{
    const bt_error *error = m->bt->bt_current_thread_take_error();

    if (error)
        set_error(m, error);
    return status == BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR ? ENOMEM : EBADMSG;
}

static int refuse(struct ctf_messages *m, const char *what)
{
    (void)snprintf(m->error_text, sizeof(m->error_text), "%s is not installed", what);
    return EOPNOTSUPP;
}

/* ---- the sink ---- */

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
                                                                  void *data)
{
    struct ctf_messages *m = (struct ctf_messages *)data;

    m->next = 0;
    m->count = 0;
    /* The statuses have the same numbers. */
    return (bt_graph_simple_sink_component_consume_func_status)m->bt->bt_message_iterator_next(
        iterator, &m->messages, &m->count);
}

/* ---- the graph ---- */

static int find_plugin(struct ctf_messages *m, const char *name, const bt_plugin **ret_plugin)
{
    int status =
        m->bt->bt_plugin_find(name, BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, ret_plugin);
    char what[64];

    if (!status)
        return 0;
    m->bt->bt_current_thread_clear_error();
    (void)snprintf(what, sizeof(what), "the plugin %s of libbabeltrace2", name);
    return refuse(m, what);
}

/* The parameters of a source: {"inputs": [path]}. */
static bt_value *make_parameters(const struct ctf_library *bt, const char *path)
{
    bt_value *map = bt->bt_value_map_create();
    bt_value *inputs;

    if (map && !bt->bt_value_map_insert_empty_array_entry(map, "inputs", &inputs) &&
        !bt->bt_value_array_append_string_element(inputs, path))
        return map;
    bt->bt_value_put_ref(map);
    return NULL;
}

static int add_source(struct ctf_messages *m, const bt_component_class_source *class,
                      const char *path, size_t number, const bt_component_source **ret_source)
{
    bt_value *parameters = make_parameters(m->bt, path);
    char name[32];
    int status;

    if (!parameters)
        return fail(m, BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR);
    (void)snprintf(name, sizeof(name), "trace-%zu", number);
    status = m->bt->bt_graph_add_source_component(m->graph, class, name, parameters,
                                                  BT_LOGGING_LEVEL_NONE, ret_source);
    m->bt->bt_value_put_ref(parameters);
    return status ? fail(m, status) : 0;
}

/* Connects the streams of a source to the muxer, which has one free port at any time. */
static int connect_source(struct ctf_messages *m, const bt_component_source *source,
                          const bt_component_filter *muxer, uint64_t *used)
{
    uint64_t count = m->bt->bt_component_source_get_output_port_count(source);

    for (uint64_t i = 0; i < count; i++) {
        int status = m->bt->bt_graph_connect_ports(
            m->graph, m->bt->bt_component_source_borrow_output_port_by_index_const(source, i),
            m->bt->bt_component_filter_borrow_input_port_by_index_const(muxer, (*used)++), NULL);

        if (status)
            return fail(m, status);
    }
    return 0;
}

static int add_sources(struct ctf_messages *m, const struct ctf_paths *paths,
                       const bt_component_filter *muxer)
{
    const bt_component_class_source *class =
        m->bt->bt_plugin_borrow_source_component_class_by_name_const(m->ctf, "fs");
    const bt_component_source *source;
    uint64_t used = 0;
    int err = class ? 0 : refuse(m, "the source ctf.fs of libbabeltrace2");

    for (size_t i = 0; i < paths->count && !err; i++) {
        err = add_source(m, class, paths->paths[i], i, &source);
        if (!err)
            err = connect_source(m, source, muxer, &used);
    }
    return err;
}

static int add_muxer(struct ctf_messages *m, const bt_component_filter **ret_muxer)
{
    const bt_component_class_filter *class =
        m->bt->bt_plugin_borrow_filter_component_class_by_name_const(m->utils, "muxer");
    int status;

    if (!class)
        return refuse(m, "the filter utils.muxer of libbabeltrace2");
    status = m->bt->bt_graph_add_filter_component(m->graph, class, "muxer", NULL,
                                                  BT_LOGGING_LEVEL_NONE, ret_muxer);
    return status ? fail(m, status) : 0;
}

static int add_sink(struct ctf_messages *m, const bt_component_filter *muxer)
{
    const bt_component_sink *sink;
    int status =
        m->bt->bt_graph_add_simple_sink_component(m->graph, "sink", NULL, consume, NULL, m, &sink);

    if (!status)
        status = m->bt->bt_graph_connect_ports(
            m->graph, m->bt->bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
            m->bt->bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL);
    return status ? fail(m, status) : 0;
}

int ctf_messages_open(struct ctf_messages *messages, const struct ctf_paths *paths)
{
    struct ctf_messages *m = messages;
    const bt_component_filter *muxer;
    int err;

    m->bt = ctf_library();
    if (!m->bt)
        return refuse(m, "libbabeltrace2.so.0");
    err = find_plugin(m, "ctf", &m->ctf);
    if (!err)
        err = find_plugin(m, "utils", &m->utils);
    if (err)
        return err;
    m->graph = m->bt->bt_graph_create(0);
    if (!m->graph)
        return fail(m, BT_GRAPH_RUN_ONCE_STATUS_MEMORY_ERROR);
    err = add_muxer(m, &muxer);
    if (!err)
        err = add_sources(m, paths, muxer);
    return err ? err : add_sink(m, muxer);
}

static void drop_batch(struct ctf_messages *m)
{
    if (m->event)
        m->bt->bt_message_put_ref(m->event);
    m->event = NULL;
    while (m->next < m->count)
        m->bt->bt_message_put_ref(m->messages[m->next++]);
}

void ctf_messages_close(struct ctf_messages *messages)
{
    if (!messages->bt)
        return;
    drop_batch(messages);
    if (messages->graph)
        messages->bt->bt_graph_put_ref(messages->graph);
    if (messages->ctf)
        messages->bt->bt_plugin_put_ref(messages->ctf);
    if (messages->utils)
        messages->bt->bt_plugin_put_ref(messages->utils);
}

/* ---- messages ---- */

static int next_batch(struct ctf_messages *m)
{
    const bt_error *error;
    int status;

    do {
        status = m->bt->bt_graph_run_once(m->graph);
        if (status < 0)
            return fail(m, status);
        error = m->bt->bt_current_thread_take_error();
        if (error) { /* a damaged packet may end a stream without another sign */
            set_error(m, error);
            m->has_failed = true;
        }
    } while (status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN);
    if (status != BT_GRAPH_RUN_ONCE_STATUS_END)
        return 0;
    return m->has_failed ? EBADMSG : ENODATA;
}

typedef bt_property_availability lost_count(const bt_message *message, uint64_t *ret_count);

/* Adds the size of a gap; one whose size is unknown counts as 1. */
static void add_lost(uint64_t *sum, lost_count *get_count, const bt_message *message)
{
    uint64_t count;

    *sum += get_count(message, &count) == BT_PROPERTY_AVAILABILITY_AVAILABLE ? count : 1;
}

int ctf_messages_next(struct ctf_messages *messages, const bt_message **ret_event)
{
    struct ctf_messages *m = messages;

    if (m->event)
        m->bt->bt_message_put_ref(m->event);
    m->event = NULL;
    for (;;) {
        const bt_message *message;
        bt_message_type type;

        if (m->next == m->count) {
            int err = next_batch(m);

            if (err)
                return err;
            continue; /* it may be empty */
        }
        message = m->messages[m->next++];
        type = m->bt->bt_message_get_type(message);
        if (type == BT_MESSAGE_TYPE_EVENT) {
            m->event = message;
            *ret_event = message;
            return 0;
        }
        if (type == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
            add_lost(&m->lost, m->bt->bt_message_discarded_events_get_count, message);
        else if (type == BT_MESSAGE_TYPE_DISCARDED_PACKETS)
            add_lost(&m->lost_packets, m->bt->bt_message_discarded_packets_get_count, message);
        m->bt->bt_message_put_ref(message);
    }
}
