#!/usr/bin/env python3
"""One source can have events and typed tracepoints, whose macros are in two headers: it compiles without a warning with either
header first, and the format text of the tracepoint is right.

usage: check_together.py SOURCE_ROOT
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile

from check_good import LANGUAGES, WARNINGS, installed, run

HEADERS = ("#include <cairn/eventheader.h>\n", "#include <cairn/typed_tracepoint.h>\n")
SOURCE = """#include <string.h>
CAIRN_PROVIDER(both, "Both");
CAIRN_TRACEPOINT(together, TP_SYSTEM(both), TP_PROTO(int n, const char *text), TP_ARGS(n, text),
    TP_STRUCT__entry(__field(int, n) __string(text, text) __dynamic_array(uint32_t, list, 2)),
    TP_fast_assign(__entry->n = n; __assign_str(text); memset(__get_dynamic_array(list), 0, 8);),
    TP_printk("%d %s %s %s", __entry->n, __get_str(text), __print_symbolic(__entry->n, {1, "one"}, {2, "two"}),
              __print_array(__get_dynamic_array(list), 2, 4)));
int use(int n, const char *text);
int use(int n, const char *text)
{
    trace_together(n, text);
    return CAIRN_WRITE_EVENT(both, "Event", level(INFORMATION), i32("n", n), str8("text", text),
                             struct("s", u8("a", 1), str8("b", text)));
}
"""
# Words of TP_printk after the compiler: CAIRN_I_WORD must not be a macro of either header.
FORMAT = (b'"%d %s %s %s", __entry->n, CAIRN_I_WORD(__get_str, _, text), '
          b'CAIRN_I_WORD(__print_symbolic, _, __entry->n, {1, "one"}, {2, "two"}), '
          b'CAIRN_I_WORD(__print_array, _, CAIRN_I_WORD(__get_dynamic_array, _, list), 2, 4)\0')


def check(root, compiler, language, headers, directory):
    """Raises RuntimeError if the source does not compile or the text is wrong."""
    source, to = directory / "together.source", directory / "together.o"
    source.write_text("".join(headers) + SOURCE)
    run([compiler, "-x", language, LANGUAGES[language], *WARNINGS, "-O1", f"-I{root / 'include'}", "-c", source, "-o", to])
    if FORMAT not in to.read_bytes():
        raise RuntimeError(f"{compiler}, {headers[0].strip()} first: the format text is not {FORMAT}")


def main(root):
    bad, count = [], 0
    with tempfile.TemporaryDirectory(prefix="cairn-together-") as directory:
        for (language, compiler), headers in itertools.product(installed(), itertools.permutations(HEADERS)):
            count += 1
            try:
                check(pathlib.Path(root).resolve(), compiler, language, headers, pathlib.Path(directory))
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                bad.append(str(error))
    print("\n".join([*bad, f"{count} checks, {len(bad)} bad"]))
    return bool(bad) or not count


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
