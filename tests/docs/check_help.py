#!/usr/bin/env python3
"""The program's --help, its man pages and the README list the same verbs and the same options.

usage: check_help.py CAIRN SOURCE_ROOT
"""
import pathlib
import re
import subprocess
import sys

import pages

VERB = re.compile(r"^  ([a-z]+) {2,}", re.M)
OPTION = re.compile(r"^ +(?:-(\w))?(?:, | +)?(?:--([a-z][\w-]*))?(?:\[?[ =]([A-Z]+)\]?)?(?= |$)")


def help_of(*command):
    return subprocess.run([*command, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()


def options(text):
    """(letter or None, long name or None, argument or None) of each line that begins with an option."""
    return {OPTION.match(line).groups() for line in text.splitlines() if re.match(r" +-", line)}


def shown(option):
    letter, name, value = option
    return " ".join(word for word in (letter and f"-{letter}", name and f"--{name}", value) if word)


def check_verb(cairn, verb, page):
    printed = options(help_of(cairn, verb))
    for option in sorted(printed ^ page.options(), key=shown):
        yield f"{page.path.name}: {shown(option)} is not both there and in `cairn {verb} --help`"


def main(cairn, root):
    root = pathlib.Path(root).resolve()
    verbs = set(VERB.findall(help_of(cairn)))
    found = {page.path.stem: page for page in pages.pages(root) if page.section == "1"}
    main_page = found.pop("cairn")

    bad = [f"the verb {name} is not both in cairn.1 and in `cairn --help`"
           for name in sorted(verbs ^ set(re.findall(r"^\.It Cm (\w+)$", main_page.text, re.M)))]
    bad += [f"the verb {name} is not both in README.md and in `cairn --help`"
            for name in sorted(verbs ^ set(re.findall(r"^\| `cairn (\w+)", (root / "README.md").read_text(), re.M)))]
    bad += [f"cairn-{name}.1 and the verbs of `cairn --help` do not match"
            for name in sorted(verbs ^ {stem.removeprefix("cairn-") for stem in found})]
    for verb in sorted(verbs):
        if f"cairn-{verb}" in found:
            bad += check_verb(cairn, verb, found[f"cairn-{verb}"])

    print("\n".join(bad) or f"{len(verbs)} verbs")
    return bool(bad) or not verbs


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
