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

# A statement, and the expected error.
BAD = [
    ('CAIRN_INFO("%s", 3);', "format"),
    ('CAIRN_INFO((kv("a", 1)), "%d", "text");', "format"),
    ('struct timespec *t = 0; CAIRN_INFO((kv("a", *(struct cairn_guid *)t)));', "cairn_guid|no matching|incompatible"),
    ("CAIRN_INFO((" + ", ".join(f'kv("f{i}", {i})' for i in range(33)) + "));", "at most 32 fields"),
    ('CAIRN_INFO((unknown("a", 1)));', "unknown"),
    ('CAIRN_INFO(("a", 1));', 'a_field_kv_or_an_option_such_as_target_belongs_here__not__'),
    ('CAIRN_INFO((-1));', 'a_field_kv_or_an_option_such_as_target_belongs_here__not__'),
    ('int x = 1; CAIRN_INFO((tag(x)));', "constant|TAG"),
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
    """Compiles all mistakes in one program, each on a line: every line must have an error, and the expected one."""
    lines = [f"void f{i}(void); void f{i}(void) {{ {statement} }}\n" for i, (statement, _) in enumerate(BAD)]
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    done = subprocess.run([compiler, "-x", language, standard, limit, *WARNINGS, f"-I{root / 'include'}", "-c", "-", "-o", "/dev/null"],
                          input="#include <cairn/tracing.h>\n" + "".join(lines), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=600, check=False, text=True)
    errors = re.split(r"\n(?=[^\n]*: error: )", done.stdout)
    for number, (statement, expected) in enumerate(BAD, 2):
        if not any(re.search(rf"<stdin>:{number}:", error) and re.search(expected, error) for error in errors):
            yield f"{compiler}: {statement[:70]}: no error that matches '{expected}':\n{done.stdout}"


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
                results += [values(root, directory, compiler, build, libraries) for build in share(BUILDS, number // 2, 3)]
    failures = [*filter(None, results), *(error for compiler in found for error in bad(root, *compiler))]
    print("\n".join([*failures, f"{len(results)} builds, {len(failures)} bad"]))
    return bool(failures) or not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
