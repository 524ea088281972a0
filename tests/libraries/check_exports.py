#!/usr/bin/env python3
"""The libraries export the public names of the headers and no others, and the engine is in one of them only.

libcairn-mount and libcairn-query are static alone: of them, the names are compared that they define.

usage: check_exports.py SOURCE_ROOT LIBCAIRN_SO LIBCAIRN_COLLECT_SO LIBCAIRN_A...
"""
import pathlib
import re
import subprocess
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
PUBLIC = re.compile(r"\bCAIRN_API\b[^;{}(]*?\b(cairn_\w+)\s*[(\[;]")
PRIVATE = re.compile(r"\bCORE_PRIVATE_API\((\w+)\);")

failures = []


def expect(bad, what):
    """Prints a statement that holds, or each item in `bad` for which it does not."""
    print("FAIL" if bad else "ok  ", what, *sorted(bad), sep="\n     " if bad else " ")
    if bad:
        failures.append(what)


def output(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def marked(paths, name):
    """The names whose declarations in these headers have a mark."""
    found = set()
    for path in paths:
        text = re.sub(r"^[ \t]*#.*$", "", COMMENT.sub(" ", path.read_text()), flags=re.M)
        found |= set(name.findall(ATTRIBUTE.sub(" ", text)))
    return found


class Library:
    """A shared library: the names that it exports, by version, and the libraries that it needs."""

    def __init__(self, path, prefixes):
        self.path = path
        self.prefixes = prefixes
        self.name = pathlib.Path(path).name.split(".")[0]
        self.versions = {}
        for line in output("nm", "-D", "--defined-only", path).splitlines():
            _, kind, name = line.split()
            if kind != "A":  # the versions themselves
                name, _, version = name.partition("@@")
                self.versions.setdefault(version, set()).add(name)
        self.exported = set().union(*self.versions.values())
        self.needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-dW", path))

    def contained(self):
        """Its functions and variables with a prefix of ours, exported or not."""
        return {line.split()[2] for line in output("nm", "--defined-only", self.path).splitlines()
                if line.split()[1] in "tTdDbBrR" and line.split()[2].startswith(self.prefixes)}

    def public(self):
        return set().union(*(names for version, names in self.versions.items() if "PRIVATE" not in version))

    def private(self):
        return self.exported - self.public()


def static_public(archive):
    """The public functions that an archive defines."""
    entries = (line.split() for line in output("nm", "--defined-only", "--extern-only", archive).splitlines())
    return {entry[-1] for entry in entries if len(entry) == 3 and entry[-1].startswith("cairn_")}


def main(root, cairn_path, collect_path, *archives):
    root = pathlib.Path(root)
    prefixes = ("cairn_", "libcairn_", *(f"{component.name}_" for component in root.glob("src/*/")))
    cairn, collect = Library(cairn_path, prefixes), Library(collect_path, prefixes)
    public = marked(root.glob("include/cairn/**/*.h"), PUBLIC)
    private = {"libcairn_" + name for name in marked(root.glob("src/**/*.h"), PRIVATE)}
    undefined = {line.split()[-1] for line in output("nm", "-D", "--undefined-only", collect_path).splitlines()}

    expect({"too few"} if len(public) < 100 or not private else set(),
           f"{len(public)} public names and {len(private)} private ones are found in the headers")
    static = set().union(*map(static_public, archives))
    expect((cairn.public() | collect.public() | static) ^ public, "the public names exported are those that public headers mark")
    expect(cairn.private() ^ private, "the private names exported are those that internal headers mark")
    expect(collect.private(), "libcairn-collect has no private names")
    expect({name for name in private if not any(entry.partition("@")[0] == name for entry in undefined)},
           "libcairn-collect uses each private name")
    expect(cairn.exported & collect.exported, "no name is exported by both")
    expect(cairn.contained() & collect.contained(), "no function or variable is contained in both")
    expect(set() if "libcairn.so.0.1" in collect.needed else {*collect.needed, "nothing"}, "libcairn-collect needs libcairn")
    expect({name for name in cairn.needed if not re.match(r"(libc|ld-linux.*)\.so", name)}, "libcairn needs libc alone")
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
