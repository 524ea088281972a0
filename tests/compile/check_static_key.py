#!/usr/bin/env python3
"""A disabled static key is one no-op in the code: checked by disassembly, for each architecture with an installed compiler. Sites
compile without a warning as C17 and C++17, and link with all options (a share of the combinations: tests/extent.py).

usage: check_static_key.py SOURCE_ROOT
"""
import itertools
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import share  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
NOP = {"x86_64": ["0f", "1f", "44", "00", "00"], "aarch64": ["d503201f"], "riscv64": ["00000013"]}
MACHINE = platform.machine()
TRIPLE = "{}-linux-gnu"
HOW = [["-O0"], ["-O2"], ["-O2", "-fPIE"], ["-O3", "-fPIC"], ["-Os", "-fno-pie"]]
# Compiler and linker options.
LINKS = [(["-O2", "-fPIE"], ["-pie"]), (["-O2", "-fno-pie"], ["-no-pie"]), (["-O2", "-fPIC"], ["-shared"]),
         (["-O2", "-fPIE", "-ffunction-sections"], ["-pie", "-Wl,--gc-sections"])]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def compilers():
    """Returns (architecture, [command], is C++) of each installed compiler."""
    for arch in NOP:
        prefix = "" if arch == MACHINE else TRIPLE.format(arch) + "-"
        freestanding = ["-ffreestanding"] if prefix else []
        for name, language in (("gcc", "c"), ("g++", "c++")):
            if shutil.which(prefix + name):
                yield arch, [prefix + name, *freestanding], language
        for name, language in (("clang", "c"), ("clang++", "c++")):
            # The disassembler's name for the architecture, if it supports that.
            known = rf"^\s*{arch.replace('_', '-')}\s" if shutil.which(name) else ""
            if known and re.search(known, run(name, "--print-targets"), re.M):
                yield arch, [name, f"--target={TRIPLE.format(arch)}", *freestanding], language


def instructions(text, function):
    """Returns the bytes of each instruction of a function, up to the first return."""
    text = text[text.index(f"<{function}>:"):]
    found = re.findall(r"^ *[0-9a-f]+:\t((?:[0-9a-f]{2,8} )+)\s*(\S+)", text, re.M)
    end = next((i for i, (_, name) in enumerate(found) if name.startswith("ret")), len(found))
    return [row[0].split() for row in found[:end + 1]]


def check_no_op(arch, compiler, root, directory):
    objdump = "objdump" if arch == MACHINE else TRIPLE.format(arch) + "-objdump"
    if not shutil.which(objdump):
        return
    file = directory / "no_op.o"
    # With compressed instructions a short no-op may precede the site to align it.
    how = ["-march=rv64g", "-mabi=lp64d", "-mno-relax"] if arch == "riscv64" else []
    run(*compiler, "-std=c17", "-O2", "-ffunction-sections", *how, "-DCAIRN_STATIC_KEYS", f"-I{root / 'include'}", "-c",
        root / "tests/compile/static_key_site.c", "-o", file)
    text = run(objdump, "-d", file)
    plain, asking = (instructions(text, name) for name in ("site_plain", "site_asking"))
    if len(plain) < 2 or asking != [*plain[:-1], NOP[arch], plain[-1]]:
        raise RuntimeError(f"{' '.join(compiler)}: {asking} is not {plain} and {NOP[arch]}")


def check_compiles(number, compiler, language, root, directory):
    standard = {"c": "-std=c17", "c++": "-std=c++17"}[language]
    for how, keys in share(itertools.product(HOW, ([], ["-DCAIRN_STATIC_KEYS"])), number, 2 * len(HOW)):
        run(*compiler, "-x", language, standard, *WARNINGS, *how, *keys, f"-I{root / 'include'}", "-c",
            root / "tests/compile/static_key_site.c", "-o", directory / "site.o")


def check_links(number, compiler, language, root, directory):
    """Links two objects with the same inline functions."""
    (directory / "other.c").write_text(
        "#define site_plain other_plain\n#define site_use other_use\n#define site_key other_key\n"
        f'#include "{root / "tests/compile/static_key_site.c"}"\n')
    (directory / "main.c").write_text(
        "void site_slow(unsigned *); void site_slow(unsigned *a) { ++*a; }\n"
        "unsigned site_use(unsigned *); unsigned other_use(unsigned *);\n"
        "int main() { unsigned a = 1; return site_use(&a) + other_use(&a) != 4; }\n")
    for how, link in share(LINKS, number, 2):
        objects = []
        for source in (root / "tests/compile/static_key_site.c", directory / "other.c", directory / "main.c"):
            objects.append(directory / (source.stem + ".o"))
            more = ["-x", language] if source.stem != "main" else ["-x", "c"]
            run(*compiler, *more, *how, "-Wno-odr", "-DCAIRN_STATIC_KEYS", f"-I{root / 'include'}", "-c", source, "-o", objects[-1])
        run(*compiler, *link, *objects, "-o", directory / "linked")
        if "-shared" not in link:
            run(directory / "linked")


def main(root):
    root = pathlib.Path(root).resolve()
    bad = 0
    with tempfile.TemporaryDirectory(prefix="cairn-static-key-") as directory:
        directory = pathlib.Path(directory)
        for number, (arch, compiler, language) in enumerate(compilers()):
            try:
                check_compiles(number, compiler, language, root, directory)
                if language == "c":
                    check_no_op(arch, compiler, root, directory)
                if arch == MACHINE and language == "c++":
                    check_links(number // 2, compiler, language, root, directory)
                print(f"ok: {' '.join(compiler)}")
            except RuntimeError as error:
                bad += 1
                print(f"not ok: {error}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
