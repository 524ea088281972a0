#!/usr/bin/env python3
"""Joins the modules and the style sheet of a report's page to one document, and writes it as C.

The modules become one script: those that a module imports come before it, all in one scope, so that no two of them may define
the same name. The page's policy allows this script, its worker and this style sheet, by their hashes, and nothing else: text of
a recording that got into the document as markup would not run.

usage: join.py PAGE_DIRECTORY OUTPUT.c
       join.py --script MODULE.js       print one script, for a test
"""
import base64
import hashlib
import json
import pathlib
import re
import sys

SCRIPT_MAX_BYTES = 300 << 10
IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w-]+\.js)';\n", re.M)
DEFINED = re.compile(r"^(?:export )?(?:async )?(?:const|let|function\*?|class) (\w+)", re.M)


def modules(directory, name, done):
    """Adds the text of a module to `done`, after what it imports."""
    if name in done:
        return
    text = (directory / name).read_text()
    done[name] = None  # modules that import each other: only functions may be used
    for names, other in IMPORT.findall(text):
        if " as " in names:
            sys.exit(f"{name}: names keep their name when they are imported")
        modules(directory, other, done)
    text = IMPORT.sub("", text)
    if re.search(r"^import\b", text, re.M):
        sys.exit(f"{name}: imports have the form import {{ a, b }} from './module.js';")
    del done[name]
    done[name] = re.sub(r"^export ", "", text, flags=re.M)


def script(directory, name):
    done = {}
    modules(directory, name, done)
    owner = {}
    for module, text in done.items():
        for defined in DEFINED.findall(text):
            if defined in owner:
                sys.exit(f"{module} and {owner[defined]} both define {defined}")
            owner[defined] = module
    return "(() => {\n'use strict';\n" + "".join(done.values()) + "})();\n"


def literal(text):
    """A text as a literal of a script within a document."""
    return json.dumps(text).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def hashed(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def document(directory, connect):
    """The document in two parts: up to the data, and after it."""
    worker = script(directory, "worker.js")
    main = script(directory, "main.js").replace("'WORKER_SOURCE'", literal(worker))
    style = (directory / "page.css").read_text()
    if "</script" in main or "<!--" in main or "</style" in style:
        sys.exit("a script or a style sheet ends within itself")
    if len(main.encode()) > SCRIPT_MAX_BYTES:
        sys.exit(f"the script has {len(main.encode())} bytes, more than {SCRIPT_MAX_BYTES}")
    policy = f"default-src 'none'; script-src {hashed(main)} blob:; worker-src blob:; style-src {hashed(style)}; " + \
             f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    shell = (directory / "page.html").read_text()
    begin, end = shell.replace("POLICY", policy).replace("STYLE", style).split("DATA\n")
    return begin, end.replace("SCRIPT", main)


def c_array(name, text):
    data = text.encode()
    lines = [",".join(map(str, data[at:at + 32])) for at in range(0, len(data), 32)]
    return f"const unsigned char {name}[] = {{\n" + ",\n".join(lines) + f"}};\nconst size_t {name}_size = {len(data)};\n"


def main(directory, output):
    directory = pathlib.Path(directory)
    begin, end = document(directory, "'none'")
    whole = "".join(document(directory, "'self'"))
    with open(output, "w") as out:
        out.write('/* Made by join.py. */\n#include "report/page.h"\n')
        for name, text in (("begin", begin), ("end", end), ("whole", whole)):
            out.write(c_array(f"report_page_{name}", text))


if __name__ == "__main__":
    if sys.argv[1] == "--script":
        path = pathlib.Path(sys.argv[2])
        print(script(path.parent, path.name))
    else:
        main(*sys.argv[1:])
