#!/usr/bin/env python3
"""Links in .md files have a target, pages of docs/ that sources name exist, and each component has a README that names its files.

usage: check_links.py SOURCE_ROOT
"""
import fnmatch
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|<img[^>]*\ssrc=\"([^\"]+)\"")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*)$", re.M)


def anchor(heading):
    """The fragment of a link to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def check_page(root, path):
    text = FENCE.sub("", path.read_text())
    for match in LINK.finditer(text):
        link = match[1] or match[2]
        if re.match(r"[a-z]+:", link):
            continue
        name, _, fragment = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists() or not target.resolve().is_relative_to(root):
            yield f"{path.relative_to(root)}: {link} does not exist"
        elif fragment and fragment not in map(anchor, HEADING.findall(FENCE.sub("", target.read_text()))):
            yield f"{path.relative_to(root)}: {link}: no such heading"


def check_headers(root):
    """The list of public headers has all of them."""
    readme = (root / "include/README.md").read_text()
    for path in sorted([*root.glob("include/cairn/*.h"), *root.glob("include/cairn/kernel/*.h")]):
        if f"`{path.relative_to(root / 'include')}`" not in readme:
            yield f"include/README.md does not name {path.name}"


def check_source(root, path):
    """The pages that a source names for further reading exist."""
    for name in sorted(set(re.findall(r"\bdocs/[\w-]+\.md\b", path.read_text()))):
        if not (root / name).exists():
            yield f"{path.relative_to(root)}: there is no {name}"


def check_component(root, component):
    readme = component / "README.md"
    if not readme.exists():
        yield f"{component.relative_to(root)} has no README.md"
    elif "may use" not in re.sub(r"\s+", " ", readme.read_text().lower()):
        yield f"{readme.relative_to(root)} does not state what the component may use"
    else:
        yield from check_files(root, component, readme)


def check_files(root, component, readme):
    """The reading order has all files. A source also stands for its header, and `hook_*.c` for several files."""
    named = [pathlib.PurePath(name).stem for name in re.findall(r"`([\w*./-]+\.[ch])`", readme.read_text())]
    for path in sorted(component.glob("*.[ch]")):
        if not any(fnmatch.fnmatch(path.stem, name) for name in named):
            yield f"{readme.relative_to(root)} does not name {path.name}"


def main(root):
    root = pathlib.Path(root).resolve()
    found = [path for path in sorted(root.rglob("*.md")) if not path.relative_to(root).parts[0].startswith((".", "build"))]
    components = [directory for directory in sorted((root / "src").iterdir()) if any(directory.glob("*.c"))]
    bad = [line for path in found for line in check_page(root, path)]
    bad += [line for component in components for line in check_component(root, component)]
    bad += check_headers(root)
    for pattern in "src/**/*.[ch]", "include/**/*.h", "examples/*.c", "tests/**/*.c":
        bad += [line for path in sorted(root.glob(pattern)) for line in check_source(root, path)]
    index = (root / "docs/README.md").read_text()
    bad += [f"docs/README.md does not link to {path.name}" for path in sorted((root / "docs").glob("*.md"))
            if path.name != "README.md" and f"({path.name})" not in index]
    print("\n".join(bad) or f"{len(found)} pages, {len(components)} components")
    return bool(bad) or not components


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
