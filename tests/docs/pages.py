"""Parses man pages in mdoc: names, prototypes, options, error codes, programs."""
import re
import shlex

import headers


class Page:
    def __init__(self, path):
        self.path = path
        self.text = path.read_text()
        self.section = path.suffix[1:]
        self.sections = {}  # heading -> lines
        lines = self.sections[None] = []
        for line in self.text.splitlines():
            if line.startswith(".Sh "):
                lines = self.sections.setdefault(line[4:].strip(), [])
            else:
                lines.append(line)

    def lines(self, heading):
        return self.sections.get(heading, [])

    def names(self):
        """The names in NAME."""
        return {line.split()[1] for line in self.lines("NAME") if line.startswith(".Nm ")}

    def includes(self):
        return {line.split()[1] for line in self.lines("SYNOPSIS") if line.startswith(".In ")}

    def structs(self):
        """The structs in SYNOPSIS that have no functions."""
        return {line.split()[2] for line in self.lines("SYNOPSIS") if line.startswith(".Vt struct ")}

    def calls(self):
        """name -> (return type or None, [argument]) of SYNOPSIS; a macro has no return type."""
        found = {}
        kind = name = None
        for line in self.lines("SYNOPSIS"):
            words = shlex.split(line) if line.startswith(".F") else [line]
            if words[0] == ".Ft":
                kind = headers.tidy(" ".join(words[1:]))
            elif words[0] == ".Fn":
                found[words[1]] = (kind, [headers.tidy(word) for word in words[2:]])
                kind = None
            elif words[0] == ".Fo":
                name, found[words[1]] = words[1], (kind, [])
                kind = None
            elif words[0] == ".Fa":
                found[name][1].extend(headers.tidy(word) for word in words[1:])
        return {name: (kind, [] if arguments == ["void"] else arguments)
                for name, (kind, arguments) in found.items()}

    def options(self):
        """(letter or None, long name or None, argument or None) of each option."""
        found = set()
        for line in self.lines("DESCRIPTION"):
            if line.startswith(".It Fl "):
                words = line[4:].replace(",", " ").split()
                flags = [words[i + 1] for i, word in enumerate(words) if word == "Fl"]
                values = {words[i + 1] for i, word in enumerate(words) if word == "Ar"}
                found.add((next((flag for flag in flags if len(flag) == 1), None),
                           next((flag[1:] for flag in flags if flag[0] == "-"), None),
                           " ".join(sorted(values)) or None))
        return found

    def codes(self):
        """Error codes that the page explains."""
        return {code for line in self.text.splitlines() if line.startswith(".It Er ")
                for code in headers.codes(line)}

    def references(self):
        """(name, section) of each cross reference."""
        return set(re.findall(r"^\.Xr (\S+) (\d)", self.text, re.M))

    def programs(self):
        """The C programs of EXAMPLES."""
        for block in re.findall(r"^\.Bd -literal$\n(.*?)^\.Ed$", "\n".join(self.lines("EXAMPLES")), re.M | re.S):
            if "int main(" in block:
                yield block.replace(r"\e", "\\").replace(r"\&", "")


def pages(root):
    return [Page(path) for path in sorted(root.glob("man/*.[1-9]"))]
