#!/usr/bin/env python3
"""Tracepoints compile without a warning, link and are found: in C17 and C++17, with gcc and clang, for programs and kernels, at
each optimization level (a share of the combinations: tests/extent.py). A disabled one is two loads and a branch in a program, and one no-op in a kernel: checked by disassembly.
The compiler explains mistakes in a useful sentence.

usage: check_tracepoint.py SOURCE_ROOT CORE_LIBRARY
"""
import concurrent.futures
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

from check_good import ALL, BUILDS, COMPILERS, LANGUAGES, WARNINGS, installed, linker_of, share

MACHINE = platform.machine()
NOP = {"x86_64": "0f1f440000", "aarch64": "d503201f", "riscv64": "00000013"}
MODES = {"a program": [], "a kernel": ["-DCAIRN_KERNEL"]}
KERNELS = ("-O0", "-O2 -fPIE")
# Builds whose objects are linked with lld, too.
WITH_LLD = {"--gc-sections": ["-fuse-ld=lld", "-Wl,--gc-sections"]}

HEAD = "#include <cairn/typed_tracepoint.h>\n"
# A definition and a use of it, on one line.
FUNCTION = "int write_bad(int n); {} int write_bad(int n) {{ {}; return n; }}\n"
BOTH = ("c", "c++")


def tracepoint(fields="__field(int, n)", assign="", printk='TP_printk("%d", __entry->n)', system="TP_SYSTEM(bad)",
               args="TP_ARGS(n)"):
    return (f"CAIRN_TRACEPOINT(bad, {system}, TP_PROTO(int n), {args}, TP_STRUCT__entry({fields}), "
            f"TP_fast_assign({assign}), {printk});")


# A definition, a use of it, the expected error, and the languages.
N = "TP_printk(\"n\")"
HIT = "trace_bad(n)"
BAD = [
    (tracepoint("__field(double, n)", printk=N), HIT, "cairn: the type of field n of tracepoint bad", BOTH),
    (tracepoint("__field(long double, n)", printk=N), HIT, "cairn: the type of field n of tracepoint bad", BOTH),
    (tracepoint("__field(__int128, n)", printk=N), HIT, "cairn: the type of field n of tracepoint bad", BOTH),
    (tracepoint("__array(float, n, 2)", printk=N), HIT, "cairn: the type of field n of tracepoint bad", BOTH),
    (tracepoint("__dynamic_array(float, n, 2)", printk=N), HIT, "cairn: the type of field n of tracepoint bad", BOTH),
    (tracepoint("__array(char, n, 0)", printk=N), HIT, "cairn: array n of tracepoint bad", BOTH),
    (tracepoint("__array(char, n, 65535)", printk=N), HIT, "too large for a record", BOTH),
    (tracepoint("__feild(int, n)", printk=N), HIT, "cairn: tracepoint bad has a field of a kind that does not exist: __feild", BOTH),
    (tracepoint("__field(int, n) __feild(int, m)", printk=N), HIT, "a field of a kind that does not exist: __feild(int, m)", BOTH),
    (tracepoint("__field(int, n) field(int, m) __array(int, o, 2)", printk=N), HIT, "a kind that does not exist: field(int, m)", BOTH),
    (tracepoint("__field(int, n) __field(int, n)", printk=N), HIT, "cairn__tracepoint_bad_has_this_field_twice__n", BOTH),
    (tracepoint('__string(n, "a") __field(int, n)', printk=N), HIT, "cairn__tracepoint_bad_has_this_field_twice__n", BOTH),
    *[(tracepoint(system=f"TP_SYSTEM({system})"), HIT, f"cairn: TP_SYSTEM of tracepoint bad takes an identifier, not: {system}", BOTH)
      for system in ("bad-name", "bad name")],
    *[(tracepoint(printk=f"TP_printk({format})"), HIT, "cairn: TP_printk of tracepoint bad takes a string literal first", BOTH)
      for format in ("", "n", '"%d" n', '("%d"), n')],
    *[(tracepoint(args=f"TP_ARGS({args})"), HIT, f"cairn: TP_ARGS of tracepoint bad takes the names of the parameters of TP_PROTO, in their order, not: ({args})", BOTH)
      for args in ("", "n, n", "5", "int n", "n n")],
    (tracepoint(args="TP_ARGS(m, n)").replace("TP_PROTO(int n", "TP_PROTO(int n, char *m"), "trace_bad(n, NULL)", "cairn: TP_ARGS of tracepoint bad takes the names", BOTH),
    (tracepoint().replace("TP_PROTO(int n", "TP_PROTO(void"), "trace_bad()", "cairn: TP_ARGS of tracepoint bad takes the names", BOTH),
    ("CAIRN_TRACEPOINT_EVENT(base, bad-name, TP_SYSTEM(bad), TP_PROTO(int n), TP_ARGS(n));", "n", "cairn: a tracepoint has an identifier as its name, not: bad-name", BOTH),
    (tracepoint().replace("(bad, ", "(bad-name, "), "n", "cairn: a tracepoint has an identifier as its name, not: bad-name", BOTH),
    (tracepoint(system='TP_SYSTEM("bad")'), HIT, "cairn__TP_SYSTEM_takes_an_identifier__not__", BOTH),
    (tracepoint(system="bad"), HIT, "cairn: part 1 of tracepoint bad is TP_SYSTEM(identifier), not: bad", BOTH),
    (tracepoint(system='"bad"'), HIT, "cairn__TP_SYSTEM_belongs_here__not__", BOTH),
    *[(tracepoint(system=f"TP_{system}"), HIT, f"cairn: part 1 of tracepoint bad is TP_SYSTEM(identifier), not: TP_{system}", BOTH)
      for system in ("SYSTME(bad)", "SYSTEM()", "SYSTEM(bad, b)", "SYSTEM(bad) TP_PROTO(int n)")],
    (tracepoint(args="TP_PROTO(int n)"), HIT, "cairn: part 3 of tracepoint bad is TP_ARGS(...), not: TP_PROTO(int n)", BOTH),
    (tracepoint(printk='TP_print("%d", __entry->n)'), HIT, "cairn: part 6 of tracepoint bad is TP_printk(...), not: TP_print(", BOTH),
    (tracepoint(printk=f"{N}, 5"), HIT, "cairn: tracepoint bad has too many parts: 5", BOTH),
    ("CAIRN_TRACEPOINT();", HIT, "cairn: a tracepoint has no name", BOTH),
    ("CAIRN_TRACEPOINT(bad);", HIT, "cairn: part 1 of tracepoint bad is TP_SYSTEM(identifier), not: ", BOTH),
    ('CAIRN_TRACEPOINT("bad");', HIT, "cairn__a_tracepoint_has_an_identifier_as_its_name__not__", BOTH),
    ("CAIRN_TRACEPOINT_CONDITION(bad, TP_SYSTEM(bad), TP_PROTO(int n), TP_ARGS(n), n > 1);", HIT, "part 4 of tracepoint bad is TP_CONDITION(...), not: n > 1", BOTH),
    ("CAIRN_TRACEPOINT_CLASS(bad, TP_PROTO(int n), TP_ARGS(n));", HIT, "part 1 of tracepoint bad is TP_SYSTEM(identifier), not: TP_PROTO(int n)", BOTH),
    ("CAIRN_TRACEPOINT_EVENT(base, bad, TP_SYSTEM(bad), TP_PROTO(int n));", HIT, "part 3 of tracepoint bad is TP_ARGS(...), not: ", BOTH),
    ("CAIRN_TRACEPOINT_EVENT_CONDITION(base, bad, TP_SYSTEM(bad), TP_PROTO(int n), TP_ARGS(n));", HIT, "part 4 of tracepoint bad is TP_CONDITION(...)", BOTH),
    ('CAIRN_TRACEPOINT_EVENT_PRINT(base, bad, TP_SYSTEM(bad), TP_PROTO(int n), TP_ARGS(n), "n");', HIT, "part 4 of tracepoint bad is TP_printk(...)", BOTH),
    (tracepoint(args="TP_ARGS(m)"), HIT, "declared", BOTH),
    (tracepoint(printk='TP_printk("%d %d", __entry->n)'), HIT, "format", BOTH),
    (tracepoint(printk='TP_printk("%s", __entry->n)'), HIT, "format", BOTH),
    (tracepoint(printk='TP_printk("%s", __get_str(n))'), HIT, "__data_loc_n", BOTH),
    (tracepoint(printk='TP_printk("%d", __entry->m)'), HIT, "no member named 'm'", BOTH),
    (tracepoint(assign="__assign_str(n);"), HIT, "cairn_i_field_n", BOTH),
    (tracepoint(assign='__entry->n = "text";'), HIT, "pointer", ("c",)),
    (tracepoint(assign='__entry->n = "text";'), HIT, "const char", ("c++",)),
    (tracepoint(args=f"TP_ARGS({', '.join(17 * 'n')})"), HIT, "more than sixteen arguments", BOTH),
    (tracepoint("".join(f"__field(int, n{i})" for i in range(129)), printk=N), HIT, "more than 128 fields", BOTH),
    (tracepoint(), "trace_bad()", "few arguments", ("gcc", "clang", "g++")),
    (tracepoint(), "trace_bad(n, n)", "many arguments", ("gcc", "clang", "g++")),
    (tracepoint(), "register_trace_bad(write_bad, NULL)", "incompatible", ("c",)),
    ("CAIRN_TRACEPOINT(bad, TP_SYSTEM(bad), TP_PROTO(int n), TP_ARGS(n));", HIT, "part 4 of tracepoint bad is TP_STRUCT__entry(...), not: ", BOTH),
]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1200, check=False, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def include_arguments(root):
    return [f"-I{root / 'include'}", f"-I{root / 'include/cairn/linux'}"]


def harness_of(root, compilers, mode, directory):
    """Compiles the harness, which all builds for a mode share."""
    to = directory / "harness.o"
    run(next(filter(shutil.which, compilers)), "-std=c17", "-fPIC", *mode, *include_arguments(root), "-c",
        root / "tests/compile/tracepoint_harness.c", "-o", to)
    return to


def build_and_run(root, core, harness, language, compiler, build, mode, directory):
    how, link = BUILDS[build]
    here = root / "tests/compile"
    include = include_arguments(root)
    objects = [directory / "first.o", directory / "second.o"]
    for source, to, more in zip((here / "tracepoint_first.c", here / "tracepoint_second.c"), objects,
                                ([], ["-DDECLARE_ONLY"] if build == "-O2 -fPIE" else [])):
        run(compiler, "-x", language, LANGUAGES[language], *WARNINGS, *how, *mode, *more, *include, "-c", source, "-o", to)
    if "-shared" in link:
        run(compiler, *link, *objects, "-o", directory / "libgood.so")
        objects, link = [directory / "libgood.so", f"-Wl,-rpath,{directory}"], []
    program = directory / "program"
    for options in [link, WITH_LLD[build]] if build in WITH_LLD and shutil.which("ld.lld") else [link]:
        run(compiler, *options, *linker_of(compiler, how), harness, *objects, core, "-o", program)
        run(program)


def check_both_languages(root, core, name, directory):
    """A source in C and one in C++ can share tracepoints."""
    include = include_arguments(root)
    objects = []
    for source, language in (("first", "c++"), ("second", "c"), ("harness", "c")):
        objects.append(directory / f"{source}.o")
        run(COMPILERS[name][language], "-x", language, LANGUAGES[language], "-O2", *include, "-c",
            root / f"tests/compile/tracepoint_{source}.c", "-o", objects[-1])
    run(COMPILERS[name]["c"], *objects, core, "-o", directory / "program")
    run(directory / "program")


def check_documentation(root, compiler, language):
    """The program in docs/tracepoints.md compiles, its pieces joined in order."""
    text = "".join(re.findall(r"^```c\n(.*?)^```$", (root / "docs/tracepoints.md").read_text(), re.M | re.S))
    done = subprocess.run([compiler, "-x", language, LANGUAGES[language], *WARNINGS, "-Wno-unused-function",
                           f"-I{root / 'include'}", "-fsyntax-only", "-"], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    if done.returncode or text.count("CAIRN_TRACEPOINT") < 4:
        raise RuntimeError(done.stdout)


def bytes_of(text, function):
    """Returns (bytes, text) of each instruction of a disassembled function, up to its first return."""
    text = text[text.index(f"<{function}>:"):]
    found = re.findall(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2,8} )+)\s*(\S.*?)\s*$", text, re.M)
    end = next((i for i, (_, name) in enumerate(found) if name.startswith("ret")), len(found))
    return [(digits.replace(" ", ""), name) for digits, name in found[:end + 1]]


def check_kernel_site(root, arch, compiler, directory):
    objdump = "objdump" if arch == MACHINE else f"{arch}-linux-gnu-objdump"
    if not shutil.which(objdump):
        return
    # With compressed instructions a no-op may be needed to align the site.
    how = ["-march=rv64g", "-mabi=lp64d", "-mno-relax"] if arch == "riscv64" else []
    run(*compiler, "-std=c17", "-O2", "-ffreestanding", "-ffunction-sections", *how, "-DCAIRN_KERNEL", "-DCAIRN_STATIC_KEYS",
        f"-I{root / 'include'}", "-c", root / "tests/compile/tracepoint_site.c", "-o", directory / "site.o")
    disassembled = run(objdump, "-d", directory / "site.o")
    plain, traced = (bytes_of(disassembled, name) for name in ("site_plain", "site_traced"))
    if len(plain) != 1 or [digits for digits, _ in traced] != [NOP[arch], plain[0][0]]:
        raise RuntimeError(f"{' '.join(compiler)}: {traced} is not one no-op more than {plain}")


def check_linker_script(root, directory):
    """A kernel's linker script with include/cairn/cairn.ld keeps the section, and defines its begin and end."""
    script = directory / "kernel.ld"
    script.write_text("SECTIONS { .text : { *(.text*) } .rodata : { *(.rodata*) INCLUDE cairn/cairn.ld } .data : { *(.data*) } }")
    run("gcc", "-std=c17", "-O2", "-ffreestanding", "-fno-pie", "-DCAIRN_KERNEL", "-DCAIRN_STATIC_KEYS",
        f"-I{root / 'include'}", "-c", root / "tests/compile/tracepoint_site.c", "-o", directory / "site.o")
    run("ld", f"-L{root / 'include'}", "-T", script, "--gc-sections", "-e", "site_traced", "--unresolved-symbols=ignore-all",
        directory / "site.o", "-o", directory / "kernel")
    symbols = {name: int(address, 16) for address, name in
               re.findall(r"^([0-9a-f]+) \w (\w+)$", run("nm", directory / "kernel"), re.M)}
    sizes = {name: symbols["__stop_" + name] - symbols["__start_" + name] for name in ("cairn_trace_events",
                                                                                     "cairn_static_branches")}
    if sizes != {"cairn_trace_events": 8, "cairn_static_branches": 12} or "cairn_event_site" not in symbols:
        raise RuntimeError(f"sections of {sizes} bytes")


def check_program_site(root, compiler, directory):
    """Expects two loads, a test and a branch; gcc 16 tests memory directly."""
    run(compiler, "-std=c17", "-O2", "-fno-pie", f"-I{root / 'include'}", "-c", root / "tests/compile/tracepoint_site.c",
        "-o", directory / "site.o")
    traced = [text for _, text in bytes_of(run("objdump", "-d", directory / "site.o"), "site_traced")]
    wanted = r"mov +0x0.*,%r\w+.*\n(mov\w* +\(%r\w+\),%\w+\ntest .*|cmpb +\$0x0,\(%r\w+\))\njne .*\nret.*"
    if not re.fullmatch(wanted, "\n".join(traced)):
        raise RuntimeError(f"{compiler}: a disabled tracepoint is {traced}")


def compile_text(root, compiler, language, text):
    """Returns the compiler's output, or an empty text if it accepts the program."""
    limit = "-ferror-limit=0" if compiler.startswith("clang") else "-fmax-errors=0"
    done = subprocess.run([compiler, "-x", language, LANGUAGES[language], "-Wall", "-Werror", limit,
                           f"-I{root / 'include'}", "-fsyntax-only", "-"], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    return re.sub("[‘’]", "'", done.stdout or "nothing") if done.returncode else ""


def errors_by_line(said):
    """Returns the errors of each line of the program, which the first position in the program names."""
    found = {}
    for error in re.split(r"\n(?=[^\n]*: error: )", said):
        line = re.search(r"<stdin>:(\d+):\d+:", error)
        if line:
            found[int(line[1])] = found.get(int(line[1]), "") + error
    return found


def check_bad(root, compiler, language):
    """Compiles all mistakes in one program; a mistake that the compiler misses there is compiled alone."""
    cases = [case for case in BAD if case[2] and (language in case[3] or compiler in case[3])]
    lines = [FUNCTION.format(*case[:2]).replace("bad", f"bad{i}") for i, case in enumerate(cases)]
    found = errors_by_line(compile_text(root, compiler, language, HEAD + "".join(lines)))
    for i, (definition, use, wanted, _) in enumerate(cases):
        if wanted.replace("bad", f"bad{i}") in found.get(i + 2, ""):
            continue
        said = compile_text(root, compiler, language, HEAD + FUNCTION.format(definition, use))
        if not said or wanted not in said:
            raise RuntimeError(f"{definition} {use}\n  wanted: {wanted}\n  found: {said[:1500] or 'nothing'}")


def cross_compilers():
    for arch in NOP:
        gcc = "gcc" if arch == MACHINE else f"{arch}-linux-gnu-gcc"
        if shutil.which(gcc):
            yield arch, [gcc]
        if shutil.which("clang"):
            yield arch, ["clang", f"--target={arch}-linux-gnu"]


def jobs_of(root, core, directory):
    """Yields (name, function, arguments)."""
    harnesses = {mode: harness_of(root, [compilers["c"] for compilers in COMPILERS.values()], flags, directory())
                 for mode, flags in MODES.items()}
    # The builds that check_good.py leaves out.
    for number, (language, compiler) in enumerate(installed()):
        combinations = [*((build, "a program") for build in share(BUILDS, 2 * number + 1, 8)),
                        *((build, "a kernel") for build in share(KERNELS, number - 1, 4))]
        for build, mode in combinations:
            yield f"{compiler}, {build}, {mode}", build_and_run, (root, core, harnesses[mode], language, compiler, build,
                                                                  MODES[mode], directory())
        yield compiler, check_bad, (root, compiler, language)
    for language, compiler in share(installed(), 1, 2):
        yield f"docs/tracepoints.md, {compiler}", check_documentation, (root, compiler, language)
    for name in share((name for name, compilers in COMPILERS.items() if all(map(shutil.which, compilers.values()))), 0, 2):
        yield f"C and C++, {name}", check_both_languages, (root, core, name, directory())
    for number, pair in enumerate(cross_compilers()):
        # Of gcc and clang in turn.
        if ALL or number % 4 in (0, 3):
            yield f"no-op on {pair[0]}", check_kernel_site, (root, *pair, directory())
    if MACHINE == "x86_64":
        yield "a kernel's linker script", check_linker_script, (root, directory())
        for compiler in filter(shutil.which, ("gcc", "clang")):
            yield "loads and a branch", check_program_site, (root, compiler, directory())


def main(root, core):
    root = pathlib.Path(root).resolve()
    bad = []
    with tempfile.TemporaryDirectory(prefix="cairn-tracepoint-") as directory, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(what, pool.submit(check, *arguments))
                for what, check, arguments in jobs_of(root, core, lambda: pathlib.Path(tempfile.mkdtemp(dir=directory)))]
        bad = [f"{what}: {job.exception()}" for what, job in jobs if job.exception()]
    print("\n".join([*bad, f"{len(jobs)} checks, {len(bad)} bad"]))
    return bool(bad) or not jobs


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
