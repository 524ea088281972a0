# SPDX-License-Identifier: MIT
"""Figures: a name, a value, a unit; written to bench.tsv, and printed as a table with their goals."""
import statistics

# name, dividend, divisor, comparison, goal
GOALS = [
    ('enabled event, to the floor', 'enabled_ns', 'floor_ns', '<=', 1.15),
    ('enabled event, LTTng-UST to us', 'lttng_enabled_ns', 'enabled_ns', '>=', 9),
    ('disabled event, to LTTng-UST', 'disabled_ns', 'lttng_disabled_ns', '<=', 1.5),
    ('two threads, to one', 'two_thread_rate', 'one_thread_rate', '>=', 1.9),
    ('paced event, 99.9 % of them, to the median', 'latency_p999_ns', 'latency_ns', '<=', 3),
    ('paced event, 99.99 %, to the median', 'latency_p9999_ns', 'latency_ns', '<=', 10),
    ('first event of a thread, to creating one', 'first_of_thread_ns', 'thread_created_ns', '<=', 0.5),
    ('first event of a process, to the same', 'first_of_process_ns', 'thread_created_ns', '<=', 2),
    ('recorded without loss, to LTTng-UST', 'lossless_rate', 'lttng_lossless_rate', '>=', 1.5),
    ('eight fields, to the floor', 'mixed_ns', 'mixed_floor_ns', '<=', 2.5),
    ('eight fields, LTTng-UST to us', 'lttng_mixed_ns', 'mixed_ns', '>=', 6),
    ('eight fields by the builder, to the floor', 'mixed_dynamic_ns', 'mixed_floor_ns', '<=', 8),
    ('left out by a filter in the program', 'refused_number_ns', 'refused_number_floor_ns', '<=', 1.5),
    ('the same by its text, to the floor', 'refused_text_ns', 'refused_text_floor_ns', '<=', 1.5),
    ('written by a filter, to the floor', 'selected_number_ns', 'selected_number_floor_ns', '<=', 2.15),
    ('the same by its text, to the floor', 'selected_text_ns', 'selected_text_floor_ns', '<=', 2.15),
    ('enabled in a kernel, to the floor', 'kernel_host_enabled_ns', 'kernel_host_floor_ns', '<=', 1.2),
    ('facade, three fields, to the floor', 'tracing_enabled_ns', 'tracing_floor_ns', '<=', 2.5),
    ('facade, a span entered and left, to it', 'tracing_span_ns', 'tracing_floor_ns', '<=', 2),
    ('facade disabled, to LTTng-UST', 'tracing_disabled_ns', 'lttng_disabled_ns', '<=', 1.5),
    ('facade, lttng_ust_tracef to us', 'lttng_tracef_ns', 'tracing_enabled_ns', '>=', 1),
    ('facade, spdlog to us', 'spdlog_ns', 'tracing_enabled_ns', '>=', 1),
    ('facade disabled, to spdlog', 'tracing_filtered_ns', 'spdlog_disabled_ns', '<=', 1),
    ('a line of text at once, glibc to us', 'glibc_line_ns', 'tracing_stderr_ns', '>=', 1),
    ('1,000 call sites registered, to openat', 'register_1000_us', 'openat_1000_us', '<=', 10),
    ('10,000 providers, to openat', 'register_10000_providers_us', 'openat_10000_us', '<=', 10),
    ('a write under cairn run, to pwritev', 'run_write_accelerated_ns', 'run_pwritev_accelerated_ns', '<=', 1.5),
    ('a write by a mount alone, to a FUSE file', 'run_write_mount_ns', 'run_minimal_fuse_ns', '<=', 1.5),
    ('scheduler recorded, processor time, to perf', 'sched_cpu_s', 'perf_sched_cpu_s', '<=', 1),
    ('Windows: u32 and a literal, to an empty call', 'etw_enabled_ns', 'etw_stub_ns', '<=', 2.5),
    ('Windows: disabled, to Linux', 'etw_disabled_ns', 'etw_disabled_linux_ns', '<=', 1.5),
    ('decode to JSON, to perf script', 'decode_rate', 'perf_script_rate', '>=', 14),
    ('decode to JSON, to babeltrace2', 'decode_rate', 'babeltrace2_rate', '>=', 15),
    ('decode a trace file, to perf script', 'decode_cairn_rate', 'perf_script_rate', '>=', 20),
    ('text of kernel events, to perf script', 'decode_kernel_rate', 'perf_script_kernel_rate', '>=', 12),
    ('SQL: events counted, to DuckDB loaded', 'query_count_s', 'duckdb_count_s', '<=', 2),
    ('SQL: by name, to DuckDB loaded', 'query_group_s', 'duckdb_group_s', '<=', 2),
    ('SQL: a percentile, to DuckDB loaded', 'query_percentile_s', 'duckdb_percentile_s', '<=', 2),
    ('SQL: spans and states, to DuckDB loaded', 'query_join_s', 'duckdb_join_s', '<=', 2),
    ('SQL: a percentile, DuckDB\'s load to us', 'duckdb_load_s', 'query_percentile_s', '>=', 10),
    *((f'export as {name}, to JSON lines', f'export_{name}_s', 'export_jsonl_s', '<=', 2)
      for name in ('ctf', 'ctf2', 'perfetto', 'chrome', 'folded', 'stacks', 'otlp', 'otlp_json', 'firefox', 'sqlite', 'csv',
                   'trace_dat')),
    ('memory of an export, to 64 MiB', 'export_memory_mib', 'export_memory_limit_mib', '<=', 1),
    ('two threads decode it, to one', 'decode_cairn_two_rate', 'decode_cairn_rate', '>=', 1.8),
]


def median_ratio(dividends, divisors):
    return statistics.median(a / b for a, b in zip(dividends, divisors))


class Figures:
    def __init__(self):
        self.values = {}  # name: (value, unit, samples)

    def add(self, name, unit, samples, value=None):
        """Adds a figure: the median of the samples, unless a value is given."""
        value = statistics.median(samples) if value is None else value
        self.values[name] = (value, unit, sorted(samples))

    def add_turns(self, unit, turns, ours):
        """Adds figures of {name: a sample of each turn}.

        The machine may be slower in some turns, so samples of one turn are compared. The figure of
        `ours` is the median of its samples; each other one is that figure times the median of its
        ratios to ours, turn by turn.
        """
        self.add(ours, unit, turns[ours])
        for name, samples in turns.items():
            if name != ours:
                self.add(name, unit, samples, self[ours] * median_ratio(samples, turns[ours]))

    def __getitem__(self, name):
        return self.values[name][0]

    def write(self, path):
        with open(path, 'w', encoding='utf-8') as file:
            for name, (value, unit, samples) in self.values.items():
                file.write(f'{name}\t{value:.6g}\t{unit}\n')
                if len(samples) > 1:
                    file.write(f'# {name}: {samples[0]:.6g} to {samples[-1]:.6g} '
                               f'in {len(samples)} runs\n')

    def show(self):
        for name, (value, unit, samples) in self.values.items():
            spread = f'{readable(samples[0])} to {readable(samples[-1])}' if len(samples) > 1 else ''
            print(f'  {name:<24}{readable(value):>10} {unit:<12}{spread:>20}')
        print()
        for text, dividend, divisor, better, goal in GOALS:
            # A peer may not be installed, and a rate may be 0.
            if dividend in self.values and divisor in self.values and self[divisor]:
                ratio = self[dividend] / self[divisor]
                reached = ratio <= goal if better == '<=' else ratio >= goal
                print(f'  {text:<42}{ratio:>8.2f}   goal {better} {goal:<5}'
                      f'{"reached" if reached else "not reached"}')


def readable(value):
    for unit, size in (('G', 1e9), ('M', 1e6), ('k', 1e3)):
        if abs(value) >= size:
            return f'{value / size:.3g} {unit}'
    return f'{value:.3g}'
