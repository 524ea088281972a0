#!/usr/bin/env python3
"""The words of events are the same in the header, in docs/eventheader.md and among the golden events; so is what they become.
Those of tracepoints are in docs/tracepoints.md. The macros of field types have the numbers of their table, and so has the encoder
of the golden events.

usage: check_vocabulary.py SOURCE_ROOT
"""
import ast
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / "tests/golden"))
import encoder  # noqa: E402
import events  # noqa: E402

OPTIONS = {"level", "keyword", "opcode", "activity_id", "related_id", "tag", "id_version", "channel", "task", "debug"}
FORMATS = {"default": "-", "unsigned": "UNSIGNED_INT", "signed": "SIGNED_INT", "hex": "HEX_INT", "utf": "STRING_UTF",
           "utf_bom": "STRING_UTF_BOM", "json": "STRING_JSON", "xml": "STRING_XML", "ip": "IP_ADDRESS"}
ENCODINGS = {"value": "VALUE", "zstring": "ZSTRING_CHAR", "counted": "STRING_LENGTH16_CHAR"}


def encoding(name, pointer_bits=8 * events.POINTER_BYTES):
    if name == "binary":
        return {"BINARY_LENGTH16_CHAR8"}
    kind, bits = re.fullmatch(r"([a-z]+)(\d+)", name).groups()
    return {ENCODINGS[kind] + bits} | ({"VALUE_PTR"} if int(bits) == pointer_bits else set())


def table_of(header, row):
    """name -> [number, ...] of a table of field types"""
    return {name: [int(number), *rest.split(", ")] for name, number, rest in
            re.findall(rf"^    {row}\((\w+), (\d+), ([^)]*)\)", header, re.M)}


def check_field_types(header):
    """The preprocessor cannot make the macros of field types of their tables: they have the same numbers."""
    codes = {name: ast.literal_eval(f"b{text}")[-1]
             for name, text in re.findall(r'^#define CAIRN_I_(\w*CODE_\w+) +("[^"]*")$', header, re.M)}
    named = dict(re.findall(r"^#define CAIRN_I_(\w+) +CAIRN_I_HIT\(CAIRN_(\w+)\)$", header, re.M))
    encodings, formats = table_of(header, "ENCODING"), table_of(header, "FORMAT")
    wanted = {f"FORMAT_CODE_{name}": row[0] for name, row in formats.items()
              if name not in ("DEFAULT", "IP_ADDRESS_OBSOLETE")}  # a format that is not written
    for name, (number, extent, _) in encodings.items():
        if name in ("INVALID", "STRUCT"):  # no field of one value
            continue
        wanted |= {f"CODE_{name}": number, f"CODE_{name}_CHAIN": number | 0x80}
        if extent == "FIXED":
            wanted |= {f"CODE_{name}_VARRAY": number | 0x40, f"CODE_{name}_VARRAY_CHAIN": number | 0xc0}
        if named.get(f"ENCODING_{name}") != f"ENCODING_{name}":
            yield f"ENCODING_{name} has no name for arguments"
    for name in formats:
        if name != "IP_ADDRESS_OBSOLETE" and named.get(f"FORMAT_{name}") != f"FORMAT_{name}":
            yield f"FORMAT_{name} has no name for arguments"
    for name in sorted(set(wanted) | set(codes)):
        if wanted.get(name) != codes.get(name):
            yield f"CAIRN_I_{name} is {codes.get(name)}, by the table {wanted.get(name)}"
    written = {FORMATS.get(name, name.upper()) if name != "default" else "DEFAULT": number
               for name, number in encoder.FORMATS.items()}
    for name, row in formats.items():
        if name != "IP_ADDRESS_OBSOLETE" and written.get(name) != row[0]:
            yield f"the golden events have the number {written.get(name)} for {name}, the table {row[0]}"
    if [row[0] for row in encodings.values()] != list(encoder.ENCODINGS.values()):
        yield "the golden events have other numbers of encodings than the table"


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

    bad += check_field_types((headers / "field_types.h").read_text())
    tracepoints = (root / "docs/tracepoints.md").read_text()
    own = set(re.findall(r"^#define (__\w+)\(", (root / "include/cairn/typed_tracepoint/words.h").read_text(), re.M))
    bad += [f"{word} is not in docs/tracepoints.md" for word in sorted(own) if not re.search(rf"`{word}[(`]", tracepoints)]
    if not own:
        bad.append("no words of tracepoints were found")
    print("\n".join(bad) or f"{len(words)} and {len(own)} words")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
