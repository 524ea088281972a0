#!/usr/bin/env python3
"""Man pages and headers agree: each public function has a page, with its prototype and its error codes.

usage: check_man.py SOURCE_ROOT
"""
import pathlib
import re
import sys

import headers
import pages

# Constants that the macro of a table makes.
MADE_BY_TABLES = ("CAIRN_STYLE_", "CAIRN_EXCHANGE_")


class Header:
    """A public header: its functions and macros, internal ones left out, and the error codes that it names."""

    def __init__(self, root, path):
        text = path.read_text()
        self.name = str(path.relative_to(root / "include"))
        self.codes = headers.codes(text)
        self.calls = {name: (None, parameters) for name, parameters in headers.macros(text).items()}
        self.calls |= {name: call for name, call in headers.functions(text).items() if not name.startswith("cairn_i_")}


def shown(name, call):
    kind, arguments = call
    return f"{kind or 'macro'} {name}({', '.join(arguments)})"


def check_names(page):
    for name in sorted(set(page.calls()) ^ (page.names() - page.structs())):
        yield f"{page.path.name}: {name} is not both in NAME and in SYNOPSIS"


def agree(on_page, in_header):
    """True for the same prototypes. A macro that checks the number of its arguments takes any: the page names those that it needs."""
    kind, arguments = in_header
    if kind is None and on_page[0] is None and arguments[-1:] == ["..."]:
        return on_page[1][:len(arguments) - 1] == arguments[:-1] and len(on_page[1]) >= len(arguments)
    return on_page == in_header


def check_calls(page, declared):
    """A page has the prototypes of the headers."""
    for name, call in page.calls().items():
        header = declared.get(name)
        if not header:
            yield f"{page.path.name}: {name} is in no header"
            continue
        if not agree(call, header.calls[name]):
            yield f"{page.path.name}: {shown(name, call)} is in {header.name} {shown(name, header.calls[name])}"
        if header.name not in page.includes():
            yield f"{page.path.name}: {name} needs .In {header.name}"


def check_codes(page, declared):
    """A page explains the error codes in the headers of its functions."""
    for header in {declared[name] for name in page.calls() if name in declared}:
        for code in sorted(header.codes - page.codes()):
            yield f"{page.path.name}: {header.name} names {code}, the page does not explain it"


def check_members(page, known):
    """The constants and members that a page names are in a header."""
    for line in page.text.splitlines():
        match = re.match(r"\.(?:It )?(?:Va|Dv) (.*)", line)
        for name in re.findall(r"[A-Za-z_]\w{2,}", match[1]) if match else ():
            if name not in known and not name.startswith(MADE_BY_TABLES):
                yield f"{page.path.name}: {name} is in no public header"


def check_references(page, all_pages):
    known = {(name, other.section) for other in all_pages for name in (other.path.stem, *other.names())}
    for name, section in sorted(page.references() - known):
        if name.startswith("cairn"):
            yield f"{page.path.name}: there is no page {name}({section})"


def check_table(root, sources):
    """docs/errors.md has each code that a header or a page names."""
    table = set(re.findall(r"^\| `(\w+)`", (root / "docs/errors.md").read_text(), re.M))
    for name, codes in sources:
        for code in sorted(codes - table):
            yield f"{name} names {code}, docs/errors.md does not"


def main(root):
    root = pathlib.Path(root).resolve()
    found = [Header(root, path) for path in sorted(root.glob("include/cairn/**/*.h"))]
    declared = {name: header for header in found for name in header.calls}
    all_pages = pages.pages(root)
    functions = [page for page in all_pages if page.section == "3"]
    installed = (root / "man/meson.build").read_text()

    bad = [line for page in functions for line in (*check_names(page), *check_calls(page, declared),
                                                   *check_codes(page, declared))]
    text = " ".join(path.read_text() for path in root.glob("include/cairn/**/*.h"))
    known = set(re.findall(r"\w+", text)) | {"errno", "struct", "enum"}
    bad += [line for page in functions for line in check_members(page, known)]
    documented = {name for page in functions for name in page.calls()}
    bad += [f"{declared[name].name}: {name} has no man page" for name in sorted(set(declared) - documented)]
    bad += check_table(root, [(header.name, header.codes) for header in found] +
                       [(page.path.name, page.codes()) for page in all_pages])
    for page in all_pages:
        bad += check_references(page, all_pages)
        if f"'{page.path.name}'" not in installed:
            bad.append(f"{page.path.name}: man/meson.build does not install it")

    print("\n".join(bad) or f"{len(declared)} functions and macros, {len(all_pages)} pages")
    return bool(bad) or not declared


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
