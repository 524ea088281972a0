#!/usr/bin/env python3
"""The tracing facade compiles without a warning, links and runs: in C17 and C++17, with gcc and clang, at each optimization
level (a share of the combinations: tests/extent.py). The compiler explains mistakes.

usage: check_tracing.py SOURCE_ROOT LINK_ARGUMENTS...
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import share  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILERS = [("gcc", "c", "-std=c17"), ("g++", "c++", "-std=c++17"), ("clang", "c", "-std=c17"),
             ("clang++", "c++", "-std=c++17")]
BUILDS = [["-O0"], ["-O2", "-fPIE"], ["-O3", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]]
SHARED = ["-O2", "-fPIC", "-shared"]

# A statement, and the first error about it: a sentence of cairn, which names the field or option, or the compiler's.
LITERAL = "a string literal without a NUL: "
TYPE = "cairn: (a field|field .{0,2}Field.{0,2}) takes a number of up to 64 bits, a string"
ONCE = r"cairn: target\(...\), name\(...\), tag\(...\), parent\(...\) and remote\(...\) can each be given once"
NOT_A_WORD = "a_field_kv_or_an_option_such_as_target_belongs_here__not__"
NOT_A_LEVEL = "cairn__a_level_such_as_INFO_belongs_here__not__"
MESSAGE = r"cairn: an event takes a string as its message, or kv\(...\) and other words in parentheses before it"
COMMA = "cairn: a comma is missing after a string: "
HANDLE = "cairn: CAIRN_SCOPE_AS and CAIRN_FUNCTION_AS take a name for a variable, before the level: "
SPAN = "takes a pointer to a struct cairn_span, or NULL: "
CONTEXT = r"cairn: remote\(...\) takes a pointer to a struct cairn_trace_context, or NULL: "
NAME = "cairn: CAIRN_RECORD takes a string as the field.{1,2}s name"
BAD = [
    ('CAIRN_INFO("%s", 3);', "format"),
    ('CAIRN_INFO((kv("a", 1)), "%d", "text");', "format"),
    ("CAIRN_INFO((" + ", ".join(f'kv("f{i}", {i})' for i in range(33)) + "));", "at most 32 fields"),
    ('CAIRN_INFO((unknown("a", 1)));', r"cairn: there is no such field or option.*unknown\("),
    ('CAIRN_INFO((kv("a", 1), unknown("b", 1), kv("c", 1)));', r"cairn: there is no such field or option.*unknown\("),
    ('CAIRN_SCOPE(INFO, "scope", unknown(1));', r"cairn: there is no such field or option.*unknown\(1\)"),
    ('CAIRN_INFO((target("a", "b")));', r"cairn: there is no such field or option, or it has too many arguments: target\("),
    ('CAIRN_INFO((kv("Field", 1) kv("b", 2)));', "cairn: a comma is missing in: kv.*Field"),
    ('CAIRN_INFO((kv("Field", 1)) "text");', "cairn: a comma is missing in: kv.*Field"),
    ('CAIRN_INFO((kv("Field" 1)));', "cairn: field .*Field.* has no value"),
    ('CAIRN_INFO((kv("Field")));', "cairn: field .*Field.* has no value"),
    ('CAIRN_INFO((kv("Field", )));', "cairn: field .*Field.* has no value"),
    ('CAIRN_SCOPE(INFO, "scope", kv("Field"));', "cairn: field .*Field.* has no value"),
    ('CAIRN_INFO((kv(Field, 1)));', LITERAL + "Field"),
    ('CAIRN_INFO((kv("Fi\\0eld", 1)));', LITERAL + ".*Fi.*eld"),
    ('CAIRN_INFO((target("a\\0b")));', r"target\(...\) takes " + LITERAL),
    ('CAIRN_INFO((target(5)));', r"target\(...\) takes " + LITERAL + "5"),
    ('const char *text = ""; CAIRN_INFO((name(text)));', r"name\(...\) takes " + LITERAL + "text"),
    ('const char *text = ""; CAIRN_SCOPE(INFO, text);', "a span.{1,2}s name must be " + LITERAL + "text"),
    ('CAIRN_SCOPE(INFO, );', "a span.{1,2}s name must be " + LITERAL),
    ('CAIRN_SCOPE_AS(scope, INFO, "a\\0b");', "a span.{1,2}s name must be " + LITERAL),
    ('CAIRN_INFO((target("a"), target("b")));', ONCE),
    ('CAIRN_INFO((name("a"), kv("b", 1), name("c")));', ONCE),
    ('CAIRN_INFO((tag(1), tag(2)));', ONCE),
    ('int n = 1; CAIRN_INFO((tag(n)));', r"tag\(...\) takes a constant from 0 to 0xffff: n"),
    ('CAIRN_INFO((tag(70000)));', r"tag\(...\) takes a constant from 0 to 0xffff: 70000"),
    ('int n = 1; CAIRN_INFO((keyword(n)));', r"keyword\(...\) takes a constant integer"),
    ('CAIRN_INFO((keyword(-1)));', r"keyword\(...\) takes a constant integer"),
    ('CAIRN_INFO((keyword("a")));', r"keyword\(...\) takes a constant integer"),
    ('struct cairn_guid id = {{0}}; CAIRN_INFO((kv("Field", id)));', TYPE),
    ('CAIRN_INFO((kv("Field", (__int128)1)));', TYPE),
    ('struct timespec *times = 0; CAIRN_RECORD((struct cairn_span *)times, "Field", *(struct cairn_trace_context *)times);', TYPE),
    ('CAIRN_INFO(("a", 1));', NOT_A_WORD),
    ('CAIRN_INFO((-1));', NOT_A_WORD),
    ('CAIRN_SCOPE(INFO, "scope", "b");', NOT_A_WORD),
    ('CAIRN_SCOPE("scope", "name");', NOT_A_LEVEL),
    ('CAIRN_FUNCTION("scope");', NOT_A_LEVEL),
    *[(f"{macro};", NOT_A_LEVEL) for macro in (
        'CAIRN_SPAN(LOUD, "a")', 'CAIRN_SPAN(, "a")', 'CAIRN_SPAN(3, "a")', 'CAIRN_SCOPE(LOUD, "a")', 'CAIRN_SCOPE_AS(scope, LOUD, "a")', "CAIRN_FUNCTION()", "CAIRN_FUNCTION(info)", "CAIRN_FUNCTION_AS(scope, LOUD)",
        "CAIRN_ENABLED()", "CAIRN_ENABLED(LOUD)", "CAIRN_ENABLED(4)")],
    *[(f"CAIRN_SCOPE_AS({scope});", "a span.{1,2}s name must be " + LITERAL) for scope in ("scope", "scope, INFO")],
    *[(f'CAIRN_{macro};', HANDLE) for macro in (
        "SCOPE_AS()", 'SCOPE_AS(5, INFO, "a")', 'SCOPE_AS(a-b, INFO, "a")', 'SCOPE_AS(a b, INFO, "a")', "FUNCTION_AS(5, INFO)",
        "FUNCTION_AS()")],
    ('CAIRN_SCOPE_AS("scope", INFO, "a");', "cairn__a_name_for_a_variable_belongs_here__not__"),
    ('CAIRN_FUNCTION(INFO kv("a", 1));', "cairn: a comma is missing after the level in: "),
    ('CAIRN_ENABLED(INFO target("a"));', "cairn: a comma is missing after the level in: "),
    *[(f"int n = 1; (void)n; CAIRN_INFO({text});", MESSAGE) for text in (
        "", "5", "n", "&n", 'kv("a", 1)', 'kv("a", 1), "text"', 'target("a"), "text"', '(kv("a", 1)), n', '(kv("a", 1)), ', '(kv("a", 1)), kv("b", 2)')],
    *[(f"int n = 1; (void)n; CAIRN_INFO({text});", COMMA) for text in ('"a" n', '"a %d" n, 1', '(kv("a", 1)), "a" n', '"a" 5')],
    *[(f"int n = 1; (void)n; CAIRN_INFO((parent({value})));", r"cairn: parent\(...\) " + SPAN) for value in ("5", "", "n", "&n", '"a"', "1.5")],
    *[(f"int n = 1; (void)n; CAIRN_INFO((remote({value})));", CONTEXT) for value in ("5", "", "n", "&n", '"a"')],
    ('CAIRN_SPAN(INFO, "a", parent(5));', r"cairn: parent\(...\) " + SPAN),
    *[(f"CAIRN_IN_SPAN({value});", "cairn: CAIRN_IN_SPAN " + SPAN) for value in ("5", "", '"a"')],
    *[(f"CAIRN_RECORD({values});", "cairn: CAIRN_RECORD " + SPAN) for values in ("", "5, \"a\", 1", '"a", 1')],
    *[(f"struct cairn_span *span = 0; CAIRN_RECORD(span{values});", NAME) for values in ("", ", 5, 1", ", , 1")],
    *[(f'struct cairn_span *span = 0; CAIRN_RECORD(span, "Field"{value});', "cairn: field .*Field.* has no value") for value in ("", ", ")],
    *[(f"CAIRN_INFO(({word}()));", rf"cairn: {word}\(...\) takes a constant") for word in ("tag", "keyword")],
]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False, text=True)


def good(root, directory, compiler, language, standard, build, libraries):
    sources = [root / "tests/compile" / name for name in ("tracing_first.c", "tracing_second.c")]
    common = [compiler, "-x", language, standard, *WARNINGS, f"-I{root / 'include'}"]
    program = directory / "program"
    if build is SHARED:
        library = directory / "libsecond.so"
        done = run([*common, *SHARED, sources[1], "-o", library])
        done = done if done.returncode else run([*common, "-O2", sources[0], "-x", "none", library, *libraries, "-o", program,
                                                 f"-Wl,-rpath,{directory}"])
    else:
        done = run([*common, *build, *sources, "-x", "none", *libraries, "-o", program])
    done = done if done.returncode else run([program])
    return "" if not done.returncode else f"{compiler} {build}: status {done.returncode}\n{done.stdout}"


def call_sites(root, directory, compiler, build, libraries):
    """Call sites of C++ in both files, or in a plugin that is loaded and unloaded."""
    first, second = (root / "tests/compile" / f"tracing_places_{name}.cpp" for name in ("first", "second"))
    common = [compiler, "-std=c++17", *WARNINGS, f"-I{root / 'include'}"]
    program, plugin = directory / "call_sites", directory / "plugin.so"
    if build is SHARED:
        # The plugin uses the program's copy of the library.
        done = run([*common, *SHARED, second, "-o", plugin])
        done = done if done.returncode else run([*common, "-DPLUGIN", "-O2", first, "-rdynamic", *whole(libraries), "-o", program])
        done = done if done.returncode else run([program, plugin])
    else:
        done = run([*common, *build, first, second, *libraries, "-o", program])
        done = done if done.returncode else run([program])
    return "" if not done.returncode else f"{compiler} {build}, call sites of C++: status {done.returncode}\n{done.stdout}"


def values(root, directory, compiler, build, libraries):
    """Values of types that only C++ has."""
    program = directory / "values"
    done = run([compiler, "-std=c++17", *WARNINGS, f"-I{root / 'include'}", *build, root / "tests/compile/tracing_values.cpp",
                *libraries, "-o", program])
    done = done if done.returncode else run([program])
    return "" if not done.returncode else f"{compiler} {build}, values of C++: status {done.returncode}\n{done.stdout}"


def whole(libraries):
    return ["-Wl,--whole-archive", libraries[0], "-Wl,--no-whole-archive", *libraries[1:]]


def bad(root, compiler, language, standard):
    """Compiles all mistakes in one program, each on a line: the first error about a line must be the expected one. Without
    -Wpedantic, with which clang reports first that kv("Field") is no ISO C."""
    lines = [f"void f{i}(void); void f{i}(void) {{ {statement} }}\n" for i, (statement, _) in enumerate(BAD)]
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    warnings = [warning for warning in WARNINGS if warning != "-Wpedantic"]
    done = subprocess.run([compiler, "-x", language, standard, limit, *warnings, f"-I{root / 'include'}", "-c", "-", "-o", "/dev/null"],
                          input="#include <cairn/tracing.h>\n" + "".join(lines), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600, check=False, text=True)
    # gcc mentions the line before an error in a template, clang after it.
    said = re.sub("[‘’]", "'", done.stdout).replace("required from here\n", "required from here ")
    errors = re.split(r"\n(?=[^\n]*: error: )", said)
    for number, (statement, expected) in enumerate(BAD, 2):
        first = next((error for error in errors if "error: " in error and re.search(rf"<stdin>:{number}:", error)), "")
        sentence = next((line for line in first.split("\n") if "error: " in line), "")
        if not re.search(expected, sentence.replace("\\", "")) or re.search("CAIRN_I_|cairn_i_", sentence):
            yield f"{compiler}: {statement[:70]}: no error that matches '{expected}':\n{first or done.stdout}"


def main(root, *libraries):
    root = pathlib.Path(root).resolve()
    found = [compiler for compiler in COMPILERS if shutil.which(compiler[0])]
    builds = [*BUILDS, SHARED]
    with tempfile.TemporaryDirectory(prefix="cairn-tracing-") as directory:
        directory = pathlib.Path(directory)
        results = [good(root, directory, *compiler, build, libraries) for number, compiler in enumerate(found)
                   for build in share(builds, number, 4)]
        for number, (compiler, language, _) in enumerate(found):
            if language == "c++":
                results += [call_sites(root, directory, compiler, build, libraries) for build in share(builds, number, 4)]
                results += [values(root, directory, compiler, build, libraries) for build in share(BUILDS, number, 6)]
    failures = [*filter(None, results), *(error for compiler in found for error in bad(root, *compiler))]
    print("\n".join([*failures, f"{len(results)} builds, {len(failures)} bad"]))
    return bool(failures) or not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
