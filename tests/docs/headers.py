"""Parses the public headers: functions with their prototypes, macros, error codes."""
import errno
import re

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\\n|\\.)*", re.M)
CODE = re.compile(r"\bE[A-Z0-9]{2,}\b")
DEPRECATED = re.compile(r"^#ifndef CAIRN_NO_DEPRECATED$.*?^#endif$", re.M | re.S)
FUNCTION = re.compile(r"([A-Za-z_][\w\s]*?(?:\*\s*const)?[\s*]+)([a-z]\w*)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Z]\w*)\(([^)]*)\)", re.M)


def tidy(text):
    """A canonical spelling of a declaration: single spaces, and only the necessary ones around stars and commas."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s*\*\s*", " *", text)
    text = re.sub(r"\* \*", "**", text)
    return re.sub(r"\s*([,()])\s*", r"\1", text).strip()


def arguments(text):
    """The arguments of a parameter list, tidied; none for (void)."""
    depth = 0
    parts = [""]
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append("")
        else:
            parts[-1] += c
    parts = [tidy(part) for part in parts]
    return [] if parts in ([""], ["void"]) else parts


def statements(text):
    """The outermost declarations of a header, without bodies and former names; those in an extern "C" are outermost."""
    text = DEPRECATED.sub("", text)
    text = DIRECTIVE.sub("", COMMENT.sub(" ", text)).replace('extern "C" {', "")
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    depth = 0
    current = ""
    for c in text:
        if c == "{":
            depth += 1
        elif c == "}":
            depth = max(depth - 1, 0)
            if not depth and FUNCTION.search(current.strip()):
                c = ";"
        if not depth and c == ";":
            yield current.strip()
            current = ""
        elif not depth and c != "}":
            current += c


def functions(text):
    """name -> (return type, [argument])"""
    found = {}
    for statement in statements(text):
        match = FUNCTION.fullmatch(statement)
        if match and "typedef" not in statement and "=" not in statement:
            kind = re.sub(r"\b(CAIRN_API|static|inline|extern)\b", " ", match[1])
            found[match[2]] = (tidy(kind), arguments(match[3]))
    return found


def macros(text):
    """name -> [parameter] of the function-like macros that are for users."""
    return {name: arguments(parameters) for name, parameters in MACRO.findall(COMMENT.sub(" ", text))
            if not name.startswith("CAIRN_I_")}


def codes(text):
    """The error codes that a text names."""
    return {word for word in CODE.findall(text) if word in errno.errorcode.values()}
