#!/usr/bin/env python3
"""Test of common programs with the tracefs of `cairn run`: shells, their tools, Perl and Python, trace-cmd. Runs by a mount, on the
system as it is and without the kernel's tracefs (skipped without the right to mount something over it); and by a library, which
serves files by their paths, and no directories.

usage: programs.py CAIRN
"""
import ctypes
import glob
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "run"))
from mounting import SKIP, can_mount  # noqa: E402

OWN_MOUNTS = ("unshare", "--map-root-user", "--mount")
NOT_MOUNTED = ("unshare", "--mount", "sh", "-c", 'umount /sys/kernel/tracing 2>/dev/null; exec "$@"', "sh")
NO_TRACEFS = 'mount -t tmpfs tmpfs /sys/kernel/tracing; exec "$@"'
TRACING = "/sys/kernel/tracing"
EVENTS = TRACING + "/events/user_events"

# (script, expected output). The events ev1 and ev2 exist and are disabled; $T is the tracefs directory, $E contains the events.
SHELL = [
    ("cd $T && echo 1 > events/user_events/ev1/enable && cat events/user_events/ev1/enable; pwd -P", "1\n" + TRACING),
    ("cd $E/ev1; echo 0 > enable; cat enable ../ev1/enable ../../enable; cd ../..; pwd -P", "0\n0\n0\n" + TRACING + "/events"),
    ("cd /sys/kernel/debug/tracing/events && head -1 user_events/ev2/format", "name: ev2"),
    ("cd /sys/kernel; cat tracing/events/../events/user_events/ev2/enable; test -e tracing/events/user_events/ev1; echo $?", "0\n0"),
    ("echo $E/ev*/id; cd $T/events; echo */ev2/[f]*",
     EVENTS + "/ev1/id " + EVENTS + "/ev2/id\nuser_events/ev2/filter user_events/ev2/format"),
    ("test -w $T/user_events_data && test -r $T/trace && test -d $E/ev1 && test -f $T/trace_pipe && echo yes", "yes"),
    ("test -e $T/nothing || test -d $T/trace || test -e $E/ev3 || echo no", "no"),
    ("x=$(cat $E/ev1/enable); echo $x > $E/ev1/enable; echo $?", "0"),
    ("echo 'u:ev4 u32 a' >> $T/dynamic_events; echo '!u:ev4' >> $T/dynamic_events; test -e $E/ev4; echo $?", "1"),
    ("cd $T/..; pwd -P", "/sys/kernel"),
    ("exec 5< $E/ev1; python3 -c 'import os; print(os.read(os.open(\"enable\", os.O_RDONLY, dir_fd=5), 9)); os.fchdir(5); "
     "print(os.getcwd(), open(\"enable\").read())'",
     "b'0\\n'\n" + EVENTS + "/ev1 0"),
    ("echo 2 2>/dev/null > $E/ev1/enable; echo $?; { echo 1 && cat $E/ev1/enable >&2 && echo 0; } 2>&1 > $E/ev1/enable", "1\n1"),
    ("{ echo 'u:ev4 u32 a'; echo '!u:ev4'; echo '!u:ev4' 2>/dev/null || echo gone >&2; } 2>&1 >> $T/dynamic_events", "gone"),
    ("cd $T/events; echo bad 2>/dev/null > user_events/ev1/filter || cat user_events/ev1/filter | head -1; "
     "echo 0 > user_events/ev1/filter", "bad"),
]
TOOLS = [
    ("echo 1 | tee $E/ev1/enable; cat $E/ev1/enable; echo 0 | tee $E/ev1/enable >/dev/null", "1\n1"),
    ("echo 2 | tee $E/ev1/enable 2>/dev/null; echo $?", "2\n1"),
    ("/usr/bin/printf 3 2>/dev/null > $E/ev1/enable; echo $?", "1"),
    ("printf 1 | dd of=$E/ev1/enable bs=1 conv=notrunc status=none; dd if=$E/ev1/enable status=none; "
     "echo 0 > $E/ev1/enable",
     "1"),
    ("printf 'u:ev4 u32 a\\n' > $OWN/lines; cat $OWN/lines >> $T/dynamic_events; grep ev4 $T/dynamic_events; "
     "echo '!u:ev4' >> $T/dynamic_events",
     "u:ev4 u32 a"),
    ("printf 'q' > $OWN/lines; cat $OWN/lines 2>/dev/null >> $T/dynamic_events; echo $?", "1"),
    ("cp $E/ev1/enable $OWN/copy; cat $OWN/copy; cp $OWN/copy $E/ev2/enable; cat $E/ev2/enable", "0\n0"),
    ("cp -r $E $OWN/all; ls $OWN/all/ev1; cmp $OWN/all/ev1/format $E/ev1/format", "enable\nfilter\nformat\nid"),
    ("ls $E; ls -lR $T/events 2>&1 >/dev/null", "enable\nev1\nev2\nfilter"),
    ("ls -l $E/ev1 | cut -c1-10 | tail -4", "-rw-r-----\n-rw-r-----\n-r--r-----\n-r--r-----"),
    ("find $T/events -name id | sort", EVENTS + "/ev1/id\n" + EVENTS + "/ev2/id"),
    ("cd $T; find . -path '*/ev1/*' -type f | sort; find events -name ev2 -exec cat {}/enable ';'",
     "\n".join("./events/user_events/ev1/" + n for n in ("enable", "filter", "format", "id")) + "\n0"),
    ("grep -rl ev1 $T/events", EVENTS + "/ev1/format"),
    ("cd $T/events && grep -rl 'name: ev' . | sort", "./user_events/ev1/format\n./user_events/ev2/format"),
    ("realpath $T/events/../trace; cd $T; realpath events/user_events; readlink -f $E/ev1",
     TRACING + "/trace\n" + EVENTS + "\n" + EVENTS + "/ev1"),
    ("ln -sfn $T $OWN/link; cat $OWN/link/events/user_events/ev1/enable; tail -n 1 $OWN/link/dynamic_events; rm $OWN/link",
     "0\nu:ev2 u64 c"),
    ("ln -sfn $E/ev1 $OWN/link; cat $OWN/link/enable; cd $OWN/link && pwd -P; ls; rm $OWN/link",
     "0\n" + EVENTS + "/ev1\nenable\nfilter\nformat\nid"),
    ("stat -c '%F %a' $T/user_events_data $E/ev1/id $E; stat -f -c %T $T",
     "regular empty file 640\nregular empty file 440\ndirectory 750\nfuseblk"),
    ("tar cf - -C $E ev1 2>&1 | tar tf - | wc -l", "5"),
    ("diff $E/ev1/format $E/ev2/format | head -1", "1,2c1,2"),
    ("for f in /proc/mounts /proc/self/mounts /proc/self/mountinfo; do grep -c ' /sys/kernel/tracing .*fuse.cairn' $f; done",
     "1\n1\n1"),
]
PERL = [
    ("open F,'>',\"$ENV{E}/ev1/enable\"; syswrite F,'1'; close F; open F,'<',\"$ENV{E}/ev1/enable\"; print <F>;"
     "open F,'>',\"$ENV{E}/ev1/enable\"; print F 0; close F", "1"),
    ("chdir $ENV{T}; open F,'>','events/user_events/ev1/enable'; syswrite F,'1'; close F; "
     "open F,'<','events/user_events/ev1/enable'; print <F>;"
     "open F,'>','events/user_events/ev1/enable'; print F 0; close F; print join(' ',glob('events/user_events/ev*'))",
     "1\nevents/user_events/ev1 events/user_events/ev2"),
    ("use Cwd; chdir \"$ENV{T}/events\"; print getcwd(),' ',Cwd::abs_path('../trace'),' ', "
     "-w 'enable' ? 1 : 0,-e 'user_events/ev3' ? 1 : 0",
     TRACING + "/events " + TRACING + "/trace 10"),
    ("use File::Find; find(sub { print \"$File::Find::name\\n\" if /^id$/ }, $ENV{T})",
     EVENTS + "/ev1/id\n" + EVENTS + "/ev2/id"),
]
OTHERS = [
    ("trace-cmd", ["list", "-e"], "user_events:ev1\nuser_events:ev2"),
    ("trace-cmd", ["list", "-e", "ev1", "-F"], None),
    ("findmnt", ["-n", "-o", "FSTYPE", TRACING], None),
]


# Words of scripts that use directories.
OF_DIRECTORIES = ("cd ", "chdir", "ln -s", "cp ", "find", "ls ", "grep -r", "realpath", "stat -f", "tar ", "exec 5", "ev*", "mounts")


def served(scripts):
    if "CAIRN_TEST_LIBRARY" not in os.environ:
        return scripts
    plain = [s for s in scripts if not any(word in s[0] for word in OF_DIRECTORIES)]
    assert plain or scripts is PERL
    return plain


def run_all(program, scripts, own):
    env = dict(os.environ, T=TRACING, E=EVENTS, OWN=own)
    failures = 0
    if not shutil.which(program):
        return 0
    for script, expected in served(scripts):
        option = "-e" if program == "perl" else "-c"
        done = subprocess.run([program, option, script], env=env, check=False, text=True, stdout=subprocess.PIPE)
        lines = sorted(done.stdout.split("\n")) if "File::Find" in script else done.stdout.split("\n")
        if "\n".join(lines).strip("\n") != expected:
            print("%s: %s\n  printed %r\n  not     %r" % (program, script, done.stdout, expected), file=sys.stderr)
            failures += 1
    return failures


def run_others():
    failures = 0
    for program, arguments, expected in OTHERS:
        if not shutil.which(program):
            continue
        done = subprocess.run([program, *arguments], check=False, text=True, stdout=subprocess.PIPE)
        text = done.stdout.strip()
        if done.returncode or (text != expected if expected else not ("name: ev1" in text or "fuse.cairn" in text)):
            print("%s %s: %d %r" % (program, arguments, done.returncode, done.stdout), file=sys.stderr)
            failures += 1
    return failures


def look_around():
    """Uses Python's own functions for files and directories."""
    files = ["enable", "filter", "format", "id"]
    os.chdir(TRACING)
    assert os.getcwd() == TRACING
    assert sorted(e.name for e in os.scandir("events/user_events") if e.is_dir()) == ["ev1", "ev2"]
    assert sorted(glob.glob(TRACING + "/events/*/ev*/id")) == [EVENTS + "/ev1/id", EVENTS + "/ev2/id"]
    assert sorted(map(str, pathlib.Path(TRACING).glob("events/**/id"))) == [EVENTS + "/ev1/id", EVENTS + "/ev2/id"]
    assert {d: sorted(f) for d, _, f in os.walk("events")}["events/user_events/ev1"] == files
    assert [sorted(f) for d, _, f, _ in os.fwalk(TRACING) if d.endswith("ev2")] == [files]
    assert os.path.realpath("events/../trace") == TRACING + "/trace"
    assert os.path.samefile("trace", "/sys/kernel/debug/tracing/trace")
    directory = os.open("events", os.O_RDONLY | os.O_DIRECTORY)
    assert sorted(os.listdir(directory)) == ["enable", "user_events", "user_events_multi"]
    assert os.access("user_events/ev1/enable", os.W_OK, dir_fd=directory)
    with open(os.open("user_events/ev1/enable", os.O_RDWR, dir_fd=directory), "r+", buffering=1, encoding="ascii") as switch:
        assert switch.read() == "0\n"
    shutil.copyfile(EVENTS + "/ev1/format", os.environ["CAIRN_TRACING_DIR"] + "/copy")
    os.chdir("../..")
    assert os.getcwd() == "/sys"
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.open(b"/sys/kernel/tracing/../tracing/trace", os.O_RDONLY) >= 0


def inside():
    for line in (b"u:ev1 u32 a", b"u:ev2 u64 c"):
        # Not opened with mode "a", which seeks to the end: this file does not support that.
        events = os.open(TRACING + "/dynamic_events", os.O_WRONLY | os.O_APPEND)
        assert os.write(events, line) == len(line)
        os.close(events)
    if "CAIRN_TEST_OTHERS" in os.environ:
        return run_others() != 0
    with tempfile.TemporaryDirectory() as own:
        failures = sum(run_all(shell, SHELL, own) for shell in ("dash", "bash", "zsh", "ksh"))
        failures += run_all("sh", TOOLS, own) + run_all("perl", PERL, own)
    if "CAIRN_TEST_LIBRARY" in os.environ:
        with open(EVENTS + "/ev1/enable", "r+", buffering=1, encoding="ascii") as switch:
            assert switch.read() == "0\n"
        return failures != 0
    failures += run_others()
    look_around()
    return failures != 0


def run(cairn, transport, world, env):
    with tempfile.TemporaryDirectory(prefix="cairn-programs-", ignore_cleanup_errors=True) as directory:
        command = [cairn, "run", "-q", "--backend=local", "--transport=" + transport, "--", sys.executable, __file__, "inside"]
        return subprocess.run([*world, *command], env=dict(os.environ, CAIRN_TRACING_DIR=directory, **env), check=False).returncode


def main():
    if sys.argv[1] == "inside":
        return inside()
    cairn = os.path.abspath(sys.argv[1])
    if run(cairn, "preload", [], {"CAIRN_TEST_LIBRARY": "1"}):
        return 1
    if not can_mount(cairn):
        return SKIP
    worlds = [[]]
    if not subprocess.run([*OWN_MOUNTS, "sh", "-c", NO_TRACEFS, "sh", "true"], check=False).returncode:
        worlds.append([*OWN_MOUNTS, "sh", "-c", NO_TRACEFS, "sh"])
    # Root's trace-cmd mounts the kernel's tracefs where none is mounted.
    if not os.geteuid() and run(cairn, "mount", NOT_MOUNTED, {"CAIRN_TEST_OTHERS": "1"}):
        return 1
    return int(any(run(cairn, "mount", world, {}) for world in worlds))


if __name__ == "__main__":
    sys.exit(main())
