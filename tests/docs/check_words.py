#!/usr/bin/env python3
"""Texts use plain English: none contains a word of words.tsv, which has a better one for each.

usage: check_words.py SOURCE_ROOT PATH...

A PATH is a file or a directory below SOURCE_ROOT. Code blocks and `code` in .md files, and displays and .Dl lines in man pages, are
exempt. Other files are checked completely.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
EXEMPT = {
    ".md": re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S),
    ".man": re.compile(r"^\.Bd -literal.*?^\.Ed$|^\.D[l1] [^\n]*$|^\.\\\"[^\n]*$", re.M | re.S),
}
# A comment begins with a noun or a verb.
BEGINNING = re.compile(r"/\*[\s*]*(What|Whether|Where|Of|How)\b")
SUFFIXES = {".md", ".man", ".c", ".h", ".py", ".sh", ".t", ".build", ".tsv", ".cpp"}


def kind(path):
    return ".man" if re.fullmatch(r"\.[1-9]", path.suffix) else path.suffix


def letters(word):
    """The longest run of letters that each match has, to search for first: an expression that ignores case is slow."""
    if re.search(r"\(.*\(|[][\\{]", word) or "|" in re.sub(r"\(.*?\)", "", word):
        return ""
    certain = re.sub(r"\(.*?\)[?*+]?|.[?*]", "-", word)
    return max(re.findall(r"[a-z]+", certain.lower()), key=len, default="")


def words():
    """(letters, pattern, better words) of each line of the list."""
    for line in (HERE / "words.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            word, better = line.split("\t")
            yield letters(word), re.compile(rf"\b(?:{word})\b".replace(" ", r"\s+"), re.I), better


def blanked(match):
    """As many lines as before, with nothing in them."""
    return re.sub(r"[^\n]", " ", match[0])


def check(path, name, listed):
    text = path.read_text()
    if kind(path) in EXEMPT:
        text = EXEMPT[kind(path)].sub(blanked, text)
    if path.suffix in {".c", ".h"}:
        for match in BEGINNING.finditer(text):
            yield f'{name}:{text.count(chr(10), 0, match.start()) + 1}: a comment begins with "{match[1]}": begin with a noun or a verb'
    lower = text.lower()
    for certain, pattern, better in listed:
        for match in pattern.finditer(text) if certain in lower else ():
            line = text.count("\n", 0, match.start()) + 1
            found = re.sub(r"\s+", " ", match[0])
            yield f'{name}:{line}: "{found}": write {better}'


def files(root, names):
    for name in names:
        path = root / name
        if not path.exists():
            sys.exit(f"{name} does not exist")
        inside = [file for file in sorted(path.rglob("*")) if kind(file) in SUFFIXES] if path.is_dir() else [path]
        yield from (file for file in inside if file.is_file() and file != HERE / "words.tsv")


def main(root, *names):
    root = pathlib.Path(root).resolve()
    listed = list(words())
    found = list(files(root, names))
    bad = [line for path in found for line in check(path, path.relative_to(root), listed)]
    print("\n".join(bad) or f"{len(listed)} words, {len(found)} files")
    return bool(bad) or not found or not listed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
