#!/usr/bin/env python3
"""Prints events of the tracing facade without the parts that differ between runs: ids become T1, S1, ... in order of
appearance, times and durations become a word.

usage: cairn decode -f jsonl FILE | tracing_events.py

A line: provider, event, level, keyword, opcode, activity, related activity, fields. An activity is printed as the trace id and
the span id that it is made of.
"""
import json
import re
import sys

LETTERS = {"trace_id": "T", "traceId": "T", "span_id": "S", "spanId": "S", "parent_span_id": "S", "parentId": "S"}
DIGITS = {"T": 32, "S": 16}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|\+00:00)")

names = {"4bf92f3577b34da6a3ce929d0e0e4736": "remote trace", "00f067aa0ba902b7": "remote span"}


def name_of(letter, digits):
    assert re.fullmatch(f"[0-9a-f]{{{DIGITS[letter]}}}", digits), digits
    return names.setdefault(digits, letter + str(1 + sum(name[0] == letter for name in names.values())))


def without_ids(key, value):
    if isinstance(value, dict):
        return {name: without_ids(name, below) for name, below in value.items()}
    if key in LETTERS:
        return name_of(LETTERS[key], value)
    if key == "duration_ns":
        assert value > 0
        return "DURATION"
    return "TIME" if isinstance(value, str) and TIME.fullmatch(value) else value


def activity_of(text):
    """The last half of the trace id, and the span id."""
    digits = text.replace("-", "")
    trace = next(name for known, name in names.items() if len(known) == 32 and known[16:] == digits[:16])
    return f"{trace}/{names[digits[16:]]}"


def main():
    events = [json.loads(line) for line in sys.stdin]
    fields = [without_ids("", event["fields"]) for event in events]  # all ids are known then
    for event, shown in zip(events, fields):
        activities = [activity_of(event[key]) if key in event else "-" for key in ("activity", "related_activity")]
        print(event["provider"], event["event"], event["level"], event["keyword"], event.get("opcode", "-"), *activities,
              json.dumps(shown, separators=(",", ":")))


if __name__ == "__main__":
    main()
