#!/usr/bin/env python3
"""What is wrong with an event is said by the compiler in words that help.

usage: check_bad.py SOURCE_ROOT
"""
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

PROGRAM = """#include <cairn/eventheader.h>
CAIRN_PROVIDER(p, "Bad");
int write_bad(int n, const char *text, float *reals, struct cairn_tracepoint *no_provider);
int write_bad(int n, const char *text, float *reals, struct cairn_tracepoint *no_provider)
{{
    (void)n, (void)text, (void)reals, (void)no_provider;
    return {};
}}
"""
PROVIDER = "#include <cairn/eventheader.h>\nCAIRN_PROVIDER(p, {});\n"
COMPILERS = {"gcc": "c", "clang": "c", "g++": "c++", "clang++": "c++"}
BOTH = ("c", "c++")

MANY = ", ".join(f'u8("F{i}", 1)' for i in range(128))

# What is written behind the event's name, what the compiler is to say, in which languages.
BAD = [
    ("level(n)", "cairn: level(...) takes", BOTH),
    ("level(0)", "cairn: level(...) takes", BOTH),
    ("level(256)", "cairn: level(...) takes", BOTH),
    ("level(LOUD)", "LOUD", BOTH),
    ("keyword(n)", "cairn: keyword(...) takes a constant", BOTH),
    ("opcode(n)", "cairn: opcode(...) takes", BOTH),
    ("opcode(256)", "cairn: opcode(...) takes", BOTH),
    ("tag(0x10000)", "cairn: tag(...) takes", BOTH),
    ("id_version(0x10000, 0)", "cairn: id_version(...) takes", BOTH),
    ("id_version(1, 256)", "cairn: id_version(...) takes", BOTH),
    ('u8(text, 1)', "cairn: a field's name must be a string literal", BOTH),
    ('u8("A", 1, tag(0x10000))', "cairn: a tag is a constant", ("c",)),
    ('u8("A", 1, format(128))', "cairn: format(...) takes", ("c",)),
    ('u8("A", 1, format(128))', "a format, and a number of fields, up to 127", ("c++",)),
    ('u8("A", 1, tag(-1))', "-1", ("c++",)),
    ('u8("A", 1, format(BIG))', "BIG", BOTH),
    ('u8("A", 1), u33("B", 1), u8("C", 1)', "u33", BOTH),
    ('u33("B", 1)', "cairn: there is no such field or option, or too many", BOTH),
    ('struct("S", u33("B", 1))', "u33", BOTH),
    ('u32("A", text)', 'the value of field \\"A\\" must be an integer', ("c",)),
    ('u32("A", text)', "invalid conversion", ("g++",)),
    ('u32("A", 0.5)', 'the value of field \\"A\\" must be an integer', ("c",)),
    ('f64("A", text)', 'the value of field \\"A\\" must be a number', ("c",)),
    ('str8("A", n)', 'the value of field \\"A\\" must be a string', ("c",)),
    ('str16("A", text)', 'the value of field \\"A\\" must be a string of 16-bit', ("c",)),
    ('u32_slice("A", reals, 1)', 'the value of field \\"A\\" must be a pointer to uint32_t', ("c",)),
    ('u32_array("A", reals, 1)', 'the value of field \\"A\\" must be a pointer to uint32_t', ("c",)),
    ('u32_nullable("A", n)', 'the value of field \\"A\\" must be a pointer to uint32_t', ("c",)),
    ('u32_nullable("A", 0)', 'the value of field \\"A\\" must be a pointer to uint32_t', ("c",)),
    ('f32_array("A", reals, n)', "the length of an array that is not a slice is a constant", ("c",)),
    ('f32_array("A", reals, n)', "n", ("c++",)),
    ('f32_array("A", reals, 0)', "the length of an array that is not a slice is a constant", ("c",)),
    ('f32_array("A", reals, 0)', "not a slice has a length from 1 to 65535", ("c++",)),
    ('f32_array("A", reals, 65536)', "the length of an array that is not a slice is a constant", ("c",)),
    ('f32_array("A", reals, 65536)', "not a slice has a length from 1 to 65535", ("c++",)),
    ('raw_meta_array("A", VALUE8, 0)', "the length of an array that is not a slice is a constant", ("c",)),
    ('raw_meta_array("A", VALUE8, 0)', "not a slice has a length from 1 to 65535", ("c++",)),
    ('str8("A", NULL)', 'the value of field \\"A\\" must be a string (char *), and not NULL', ("c",)),
    ('str8("A", NULL)', "ambiguous", ("c++",)),
    ('struct("S", u8("A", 1), debug())', "cairn: options of the event", BOTH),
    ('debug(), u33("B", 1)', "u33", BOTH),
    ('binary("A", text, text)', 'the value of field \\"A\\" must be an integer', ("c",)),
    ('guid("A", n)', 'the value of field \\"A\\" must be a pointer', ("c",)),
    (f'struct("S", {MANY})', "cairn: a struct has 1 to 127 fields", BOTH),
    ('struct("S")', "cairn: a struct has 1 to 127 fields", BOTH),
    ('struct("S", u8("A", 1), level(3))', "cairn: options of the event", BOTH),
    ('struct("S", keyword(3), u8("A", 1))', "cairn: options of the event", BOTH),
    ('struct("S", u8("A", 1), tag(3))', "cairn: options of the event", BOTH),
]
WHOLE = [
    ('CAIRN_WRITE_EVENT(p, text)', "cairn: an event's name must be a string literal", BOTH),
    ('CAIRN_WRITE_EVENT(*no_provider, "Name")', "cairn: the first argument is the name of a provider", ("c",)),
    ('CAIRN_PROVIDER_ENABLED(p, n, 1)', "n", BOTH),
]
PROVIDERS = [
    ('"Name", group("g")', "cairn: a provider takes group_name(...) and options(...), each once", BOTH),
    ('"Name", options("A"), options("B")', "cairn: a provider takes group_name(...) and options(...), each once", BOTH),
    ('"Name", group_name("g"), options("B"), 0', "cairn: a provider takes group_name", BOTH),
    ('""', "cairn: a provider's name has 1 to 199 bytes", BOTH),
    (f'"{"N" * 150}", options("A{"x" * 49}")', "cairn: a provider's name has 1 to 199 bytes, with its options", BOTH),
    (f'"{"N" * 150}", group_name("g"), options("A{"x" * 47}")', None, BOTH),
]
# Good, and shown all the same.
SHOWN = [
    ('CAIRN_WRITE_EVENT(p, "Name", keyword(3), u8("A", n > 1), debug(), str8("B", text))', 'plan "1" "t"', BOTH),
    ('CAIRN_WRITE_EVENT(p, "Name", debug(), keyword(3), u8("A", n > 1))', "| (3)", BOTH),
    (f'CAIRN_WRITE_EVENT(p, "Name", {MANY}, debug(), struct("S", tag(1), str8("B", text)))', r'"B" "\0\12"', BOTH),
]


def says(root, compiler, text, always=False):
    """What the compiler says, or nothing when it takes the program and is not always to be heard."""
    done = subprocess.run([compiler, "-x", COMPILERS[compiler], "-O2", f"-I{root / 'include'}", "-S", "-", "-o", "/dev/null"],
                          input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=600, check=False)
    return done.stdout or "nothing" if done.returncode or always else ""


def main(root):
    root = pathlib.Path(root).resolve()
    cases = [(f'CAIRN_WRITE_EVENT(p, "Name", {text})', wanted, where) for text, wanted, where in BAD] + WHOLE
    cases += [('CAIRN_WRITE_EVENT(p, "Name", u8("A", n > 1))', None, BOTH)]  # the program itself is good
    cases = [(PROGRAM.format(text), wanted, where) for text, wanted, where in cases]
    cases += [(PROVIDER.format(text), wanted, where) for text, wanted, where in PROVIDERS]
    jobs = []
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for compiler in filter(shutil.which, COMPILERS):
            for text, wanted, where in cases:
                if COMPILERS[compiler] in where or compiler in where:
                    jobs.append((compiler, text, wanted, pool.submit(says, root, compiler, text)))
            for text, wanted, _ in SHOWN:
                text = PROGRAM.format(text)
                jobs.append((compiler, text, wanted, pool.submit(says, root, compiler, text, True)))
                jobs.append((compiler, text, None, pool.submit(says, root, compiler, text)))
        for compiler, text, wanted, job in jobs:
            said = job.result().replace("\\'", "'")
            if bool(said) != (wanted is not None) or (wanted or "") not in said:
                bad += 1
                print(f"{compiler}: {text[-300:]}\n  wanted: {wanted}\n  it says: {said[:1500] or 'nothing'}")
    print(f"{len(jobs)} programs, {bad} bad")
    return bad or not jobs


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
