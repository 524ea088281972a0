#!/usr/bin/env python3
"""Writes the golden events as a C source for Windows.

usage: generate_windows.py OUTPUT
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import events  # noqa: E402
import generate  # noqa: E402


def some_events():
    """All but those with options that take anything elsewhere, and those whose raw data are in a form of EventHeader."""
    for event in events.all_events():
        if event.name not in ("Ignored", "DeepAndWide"):
            yield event


def main(output):
    bodies = [f"    return {event.text};\n" for event in some_events()]
    text = generate.BEGIN + events.DECLARATIONS.replace("pid_t pids", "unsigned long pids")
    for number, body in enumerate(bodies):
        text += f"\nstatic int event_{number}(void)\n{{\n{body}}}\n"
    text += "\nint (*const golden_events[])(void) = {\n"
    text += "".join(f"    event_{number},\n" for number in range(len(bodies)))
    text += f"}};\nconst int golden_event_count = {len(bodies)};\n"
    pathlib.Path(output).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
