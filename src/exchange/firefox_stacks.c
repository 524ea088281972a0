/* SPDX-License-Identifier: MIT */
/* The tables of a thread's stacks: samples have stacks, these frames, and these functions, which
 * are of files, in the terms of the format "resources". */
#include "exchange/firefox_stacks.h"

#include "exchange/json.h"
#include "export/number.h"

#include <string.h>

int exchange_ff_stacks_add(struct exchange_ff_stacks *stacks, struct exchange_spool *spool,
                           uint32_t call, struct cairn_slice time)
{
    char text[24];
    char *at = text;
    int err;

    if (stacks->count)
        *at++ = ',';
    at = export_put_unsigned(at, call - 1);
    err = exchange_stream_add(spool, &stacks->stacks, text, (size_t)(at - text));
    if (!err && stacks->count)
        err = exchange_stream_add(spool, &stacks->times, ",", 1);
    if (!err)
        err = exchange_stream_add(spool, &stacks->times, time.text, time.length);
    stacks->count++;
    return err;
}

/* ---- columns ---- */

/* A value of a row. */
typedef void put_fn(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                    uint32_t row, uint32_t base);

static void put_null(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                     uint32_t row, uint32_t base)
{
    (void)stacks;
    (void)row;
    (void)base;
    export_output_string(out, "null");
}

static void put_base(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                     uint32_t row, uint32_t base)
{
    (void)stacks;
    (void)row;
    exchange_json_number(out, base);
}

static void put_row(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                    uint32_t row, uint32_t base)
{
    (void)stacks;
    exchange_json_number(out, (uint64_t)row + base);
}

static void put_no_address(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                           uint32_t row, uint32_t base)
{
    (void)stacks;
    (void)row;
    (void)base;
    export_output_string(out, "-1");
}

static void put_false(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                      uint32_t row, uint32_t base)
{
    (void)stacks;
    (void)row;
    (void)base;
    export_output_string(out, "false");
}

static void put_prefix(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                       uint32_t row, uint32_t base)
{
    uint32_t caller = stacks->calls.calls[row].caller;

    (void)base;
    if (caller)
        exchange_json_number(out, caller - 1);
    else
        export_output_string(out, "null");
}

static void put_frame(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                      uint32_t row, uint32_t base)
{
    (void)base;
    exchange_json_number(out, stacks->calls.calls[row].function);
}

/* The file of a function; -1: unknown. */
static void put_resource(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                         uint32_t row, uint32_t base)
{
    uint32_t call = stacks->objects.calls[row].function;

    (void)base;
    if (stacks->calls.functions[row].object_bytes)
        exchange_json_number(out, call);
    else
        export_output_string(out, "-1");
}

static void write_column(const struct exchange_ff_stacks *stacks, struct export_print_output *out,
                         const char *name, uint32_t rows, put_fn *put, uint32_t base)
{
    export_output_string(out, ",\"");
    export_output_string(out, name);
    export_output_string(out, "\":[");
    for (uint32_t n = 0; n < rows; n++) {
        if (n)
            export_output_byte(out, ',');
        put(stacks, out, n, base);
    }
    export_output_byte(out, ']');
}

static void begin_table(struct export_print_output *out, const char *name, uint64_t rows)
{
    export_output_string(out, "\"");
    export_output_string(out, name);
    export_output_string(out, "\":{\"length\":");
    exchange_json_number(out, rows);
}

static void end_table(struct export_print_output *out)
{
    export_output_string(out, "},\n");
}

/* ---- tables ---- */

static int write_samples(const struct exchange_ff_stacks *stacks, struct exchange_spool *spool,
                         struct export_print_output *out)
{
    int err;

    begin_table(out, "samples", stacks->count);
    export_output_string(out, ",\"weight\":null,\"weightType\":\"samples\",\"stack\":[");
    err = exchange_stream_copy(spool, &stacks->stacks, out);
    export_output_string(out, "],\"time\":[");
    if (!err)
        err = exchange_stream_copy(spool, &stacks->times, out);
    export_output_byte(out, ']');
    end_table(out);
    return err;
}

static void write_stacks(const struct exchange_ff_stacks *stacks, struct export_print_output *out)
{
    uint32_t rows = stacks->calls.call_count;

    begin_table(out, "stackTable", rows);
    write_column(stacks, out, "prefix", rows, put_prefix, 0);
    write_column(stacks, out, "frame", rows, put_frame, 0);
    write_column(stacks, out, "category", rows, put_base, 0);
    write_column(stacks, out, "subcategory", rows, put_base, 0);
    end_table(out);
}

/* A frame is a function: addresses are not kept. */
static void write_frames(const struct exchange_ff_stacks *stacks, struct export_print_output *out)
{
    static const char *const nulls[] = {"category",       "subcategory", "nativeSymbol",
                                        "implementation", "line",        "column"};
    uint32_t rows = stacks->calls.function_count;

    begin_table(out, "frameTable", rows);
    write_column(stacks, out, "address", rows, put_no_address, 0);
    write_column(stacks, out, "inlineDepth", rows, put_base, 0);
    write_column(stacks, out, "func", rows, put_row, 0);
    write_column(stacks, out, "innerWindowID", rows, put_base, 0);
    for (size_t n = 0; n < sizeof(nulls) / sizeof(*nulls); n++)
        write_column(stacks, out, nulls[n], rows, put_null, 0);
    end_table(out);
}

static void write_functions(const struct exchange_ff_stacks *stacks,
                            struct export_print_output *out, uint32_t strings)
{
    uint32_t rows = stacks->calls.function_count;

    begin_table(out, "funcTable", rows);
    write_column(stacks, out, "isJS", rows, put_false, 0);
    write_column(stacks, out, "relevantForJS", rows, put_false, 0);
    write_column(stacks, out, "name", rows, put_row, strings);
    write_column(stacks, out, "resource", rows, put_resource, 0);
    write_column(stacks, out, "fileName", rows, put_null, 0);
    write_column(stacks, out, "lineNumber", rows, put_null, 0);
    write_column(stacks, out, "columnNumber", rows, put_null, 0);
    end_table(out);
}

/* Resources of type 1 are libraries. */
static void write_resources(const struct exchange_ff_stacks *stacks,
                            struct export_print_output *out, uint32_t strings)
{
    uint32_t rows = stacks->objects.function_count;

    begin_table(out, "resourceTable", rows);
    write_column(stacks, out, "lib", rows, put_null, 0);
    write_column(stacks, out, "name", rows, put_row, strings);
    write_column(stacks, out, "host", rows, put_null, 0);
    write_column(stacks, out, "type", rows, put_base, 1);
    end_table(out);
}

/* The call N of `objects` is of function N of `calls`: each is entered as called by the one before,
 * so that all differ. */
static int find_objects(struct exchange_ff_stacks *stacks)
{
    uint32_t call = 0;
    int err = 0;

    for (uint32_t n = 0; n < stacks->calls.function_count && !err; n++) {
        const char *path = timeline_function_object(&stacks->calls.functions[n]);

        err = timeline_calls_enter(&stacks->objects, &(struct cairn_frame){.symbol = path}, &call);
    }
    return err;
}

int exchange_ff_stacks_write(struct exchange_ff_stacks *stacks, struct exchange_spool *spool,
                             struct cairn_exporter *exporter, uint32_t strings)
{
    struct export_print_output *out = &exporter->out;
    int err = find_objects(stacks);

    if (err)
        return err;
    err = write_samples(stacks, spool, out);
    write_stacks(stacks, out);
    write_frames(stacks, out);
    write_functions(stacks, out, strings);
    write_resources(stacks, out, strings + stacks->calls.function_count);
    begin_table(out, "nativeSymbols", 0);
    export_output_string(out, ",\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]");
    end_table(out);
    return err;
}

void exchange_ff_stacks_write_strings(const struct exchange_ff_stacks *stacks,
                                      struct cairn_exporter *exporter, bool has_before)
{
    struct export_print_output *out = &exporter->out;

    for (uint32_t n = 0; n < stacks->calls.function_count; n++) {
        if (n || has_before)
            export_output_byte(out, ',');
        exchange_json_function(exporter, out, &stacks->calls.functions[n]);
    }
    for (uint32_t n = 0; n < stacks->objects.function_count; n++) {
        export_output_byte(out, ',');
        exchange_json_function(exporter, out, &stacks->objects.functions[n]);
    }
}

void exchange_ff_stacks_free(struct exchange_ff_stacks *stacks)
{
    timeline_calls_free(&stacks->calls);
    timeline_calls_free(&stacks->objects);
    exchange_stream_free(&stacks->stacks);
    exchange_stream_free(&stacks->times);
}
