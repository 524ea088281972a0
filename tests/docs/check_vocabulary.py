#!/usr/bin/env python3
"""The field types and options of events are the same in the header, in docs/eventheader.md and in the golden events, and so are
their encodings. Those of tracepoints are in docs/tracepoints.md.

usage: check_vocabulary.py SOURCE_ROOT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "tests/golden"))
import events  # noqa: E402

OPTIONS = {"level", "keyword", "opcode", "activity_id", "related_id", "tag", "id_version", "channel", "task", "debug"}
FORMATS = {"default": "-", "unsigned": "UNSIGNED_INT", "signed": "SIGNED_INT", "hex": "HEX_INT", "utf": "STRING_UTF",
           "json": "STRING_JSON", "xml": "STRING_XML", "ip": "IP_ADDRESS"}
ENCODINGS = {"value": "VALUE", "zstring": "ZSTRING_CHAR", "counted": "STRING_LENGTH16_CHAR"}


def encoding(name, pointer_bits=8 * events.POINTER_BYTES):
    if name == "binary":
        return {"BINARY_LENGTH16_CHAR8"}
    kind, bits = re.fullmatch(r"([a-z]+)(\d+)", name).groups()
    return {ENCODINGS[kind] + bits} | ({"VALUE_PTR"} if int(bits) == pointer_bits else set())


def main():
    text = (root / "docs/eventheader.md").read_text()
    headers = root / "include/cairn/eventheader"
    header = "".join((headers / name).read_text() for name in ("fields.h", "fields_more.h"))
    words = {word.replace("errno_number", "errno")  # errno is a macro of the C library, so the header has another name
             for word in re.findall(r"^#define CAIRN_I_X_(\w+)\(", header, re.M)}
    golden = {row.word: row for row in events.rows()}
    table = {word: (row[2].strip(), row[3].strip()) for row in
             (line.strip("|").split("|") for line in text.splitlines() if re.match(r"\| `\w+`.*\|.*\|.*\|.*\|$", line))
             for word in re.findall(r"`(\w+)`", row[0])}

    bad = [f"{word} is not in docs/eventheader.md" for word in sorted(words) if not re.search(rf"`{word}[(`]", text)]
    typed = {word for word in words - OPTIONS if word != "struct" and not word.startswith("raw_")}
    bad += [f"{word} is not among the golden events" for word in sorted(typed - set(golden))]
    bad += [f"{word} is in no table of docs/eventheader.md, or no field" for word in sorted(typed ^ set(table))]
    for word in sorted(set(table) & set(golden)):
        row = golden[word]
        if table[word][0] not in encoding(row.encoding) or table[word][1] != FORMATS.get(row.format, row.format.upper()):
            bad.append(f"{word}: docs/eventheader.md says {table[word]}")

    tracepoints = (root / "docs/tracepoints.md").read_text()
    own = set(re.findall(r"^#define (__\w+)\(", (root / "include/cairn/typed_tracepoint/words.h").read_text(), re.M))
    bad += [f"{word} is not in docs/tracepoints.md" for word in sorted(own) if not re.search(rf"`{word}[(`]", tracepoints)]
    if not own:
        bad.append("no words of tracepoints were found")
    print("\n".join(bad) or f"{len(words)} and {len(own)} words")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
