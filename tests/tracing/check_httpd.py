#!/usr/bin/env python3
"""Test of examples/httpd.c under load: in the recording, each request has a start and a stop and the right parent, and none is
missing; on standard error, each has a line.

usage: check_httpd.py CAIRN HTTPD clients|wrk

The load comes from clients in this file, some of which close early or send malformed requests; or from wrk, with kept and with
new connections. Without wrk that test is skipped.
"""
import collections
import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from extent import size  # noqa: E402

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
SKIPPED = 77
WRK = ["wrk", "-d1", "--timeout", "60s"]
WRK_SECONDS = size(2, 0.08)  # after which it is interrupted
LINE = re.compile(r'\S+Z  (INFO|WARN) connection\{peer_port=\d+ fd=\d+\}:'
                  r'request\{method="(\w*)" path="(\S*)" status=(\d+)\}: httpd: (.*)\n')

Expected = collections.namedtuple("Expected", "requests connections exact")


# ---- load ----

def catches_interrupts(process):
    caught = re.search(r"^SigCgt:\s*(\w+)$", pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii"), re.M)
    return bool(int(caught[1], 16) & 1 << signal.SIGINT - 1)


def run_wrk(port, *arguments):
    with subprocess.Popen([*WRK, *arguments, f"http://127.0.0.1:{port}/load"], stdout=subprocess.PIPE, text=True) as process:
        while not catches_interrupts(process):
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(WRK_SECONDS)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=1000)
    assert process.returncode == 0, said
    assert "Socket errors" not in said and "Non-2xx" not in said, said
    return int(re.search(r"(\d+) requests in", said)[1])


def wrk(port):
    """Returns the smallest number of answered requests: wrk does not count those that its end interrupted."""
    kept = run_wrk(port, "-t2", "-c64")
    new = run_wrk(port, "-t1", "-c8", "-H", "Connection: close")
    assert kept and new
    return Expected({("GET", "/load", 200): kept + new}, 64 + new, False)


class Clients:
    """Each method is a kind of client: it opens one connection, and its requests are counted."""

    def __init__(self, port):
        self.port = port
        self.lock = threading.Lock()
        self.requests = collections.Counter()
        self.connections = 0

    def count(self, method, path, status, number=1):
        with self.lock:
            self.requests[method, path, status] += number

    def connect(self):
        with self.lock:
            self.connections += 1
        return socket.create_connection(("127.0.0.1", self.port), timeout=600)

    def get(self, path, headers=None, times=1):
        """Sends requests over one connection."""
        with self.lock:
            self.connections += 1
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        for _ in range(times):
            connection.request("GET", path, headers=headers or {})
            response = connection.getresponse()
            assert (response.status, response.read()) == (200, b"hello\n")
        connection.close()
        self.count("GET", path, 200, times)

    def talk(self, data, answers):
        """Sends everything at once, and reads to the end."""
        with self.connect() as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: client.recv(65536), b""))
            assert answer.count(b"HTTP/1.1 ") == answers, answer

    def kept(self):
        self.get("/kept", times=20)

    def short(self):
        self.get("/short", {"Connection": "close"})

    def pipelined(self):
        self.talk(b"GET /pipelined HTTP/1.1\r\n\r\n" * 10, 10)
        self.count("GET", "/pipelined", 200, 10)

    def in_pieces(self):
        with self.connect() as client:
            for byte in b"GET /pieces HTTP/1.1\r\n\r\n":
                client.sendall(bytes([byte]))
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
        self.count("GET", "/pieces", 200)

    def another_method(self):
        self.talk(b"PUT /put HTTP/1.1\r\n\r\n", 1)
        self.count("PUT", "/put", 405)

    def nonsense(self):
        self.talk(b"\xff\xfe\x1b[31m\r\n\r\n", 1)

    def too_long(self):
        with self.connect() as client, contextlib.suppress(ConnectionError):
            client.sendall(b"GET /" + b"x" * 9000)
            assert client.recv(65536) == b""

    def half_a_request(self):
        with self.connect() as client:
            client.sendall(b"GET /half HTT")

    def reset(self):
        with self.connect() as client:
            client.sendall(b"GET /half HTT")
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def silent(self):
        self.connect().close()

    KINDS = [kept, short, pipelined, in_pieces, another_method, too_long, half_a_request, reset, silent]

    def run(self, times):
        for _ in range(times):
            for kind in self.KINDS:
                kind(self)


def clients(port):
    """Runs several threads; a failure in one of them is raised."""
    failures = []
    ours = Clients(port)

    def run():
        try:
            ours.run(20)
        except Exception as failure:  # pylint: disable=broad-except
            failures.append(failure)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return Expected(ours.requests, ours.connections, True)


# ---- the server ----

@contextlib.contextmanager
def running(command, environment, **options):
    """The process of the server, or of its recorder, and the port. The processes end also when a check fails."""
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE, text=True,
                               start_new_session=True, **options)
    try:
        yield process, int(re.fullmatch(r"listening on port (\d+)\n", process.stdout.readline())[1])
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def stop(process, server_pid):
    """Stops the server and returns its number of requests."""
    os.kill(server_pid, signal.SIGTERM)
    out, err = process.communicate(timeout=1000)
    assert process.returncode == 0, f"status {process.returncode}: {err}"
    requests, lost = re.search(r"(\d+) requests, (\d+) events lost", out).groups()
    assert lost == "0", out
    return int(requests), err


def child_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


# ---- the recording ----

def sort_events(events):
    """Sorts spans by name and activity: starts, stops; and the events inside spans by activity."""
    starts, stops, inside = (collections.defaultdict(dict) for _ in range(3))
    for event in events:
        kind = {"activity_start": starts, "activity_stop": stops}.get(event.get("opcode"))
        if kind is None:
            inside.setdefault(event["activity"], []).append(event)
        else:
            assert event["activity"] not in kind[event["event"]], f"twice: {event}"
            kind[event["event"]][event["activity"]] = event
    return starts, stops, inside


def check_ends(starts, stops):
    """Each span begins and ends, and related events have the same ids."""
    assert starts.keys() == stops.keys() == {"request", "connection"}, (starts.keys(), stops.keys())
    for name, begins in starts.items():
        assert begins.keys() == stops[name].keys(), f"a {name} has no other end"
        for activity, begin in begins.items():
            end = stops[name][activity]
            ids = begin["fields"]["trace_id"], begin["fields"]["span_id"]
            assert ids == (end["fields"]["trace_id"], end["fields"]["span_id"])
            assert activity.replace("-", "") == ids[0][16:] + ids[1], begin
            assert end["time"] >= begin["time"] and end["fields"]["duration_ns"] > 0, (begin, end)


def check_requests(starts, stops, inside):
    """Each request is in its connection, also in time, and has one event; the requests of a connection do not overlap."""
    last = {}
    for activity, begin in starts["request"].items():
        end, messages = stops["request"][activity], inside.pop(activity)
        assert len(messages) == 1, messages
        assert begin["fields"]["status"] is None and messages[0]["fields"]["status"] == end["fields"]["status"]
        assert messages[0]["related_activity"] == begin["related_activity"] == end["related_activity"]
        if end["fields"]["path"] == "/remote":
            assert (begin["fields"]["trace_id"], begin["fields"]["parent_span_id"]) == (TRACE, PARENT), begin
            continue
        above = starts["connection"][begin["related_activity"]]
        below = stops["connection"][begin["related_activity"]]
        times = [last.get(above["activity"], above["time"]), begin["time"], messages[0]["time"], end["time"], below["time"]]
        assert times == sorted(times), times
        last[above["activity"]] = end["time"]
        assert above["fields"]["trace_id"] == begin["fields"]["trace_id"], begin
        assert above["fields"]["span_id"] == begin["fields"]["parent_span_id"], begin
    assert not inside, inside


def check_counts(found, requests, expected):
    """found: number of requests for each method, path and status."""
    assert sum(found.values()) == requests, f"{requests} requests, {found} found"
    if expected.exact:
        assert found == expected.requests, f"{expected.requests} expected, {found} found"
    else:
        assert found.keys() == expected.requests.keys(), found.keys()
        assert all(found[key] >= least for key, least in expected.requests.items()), (found, expected.requests)


def decoded(cairn, file):
    text = subprocess.run([cairn, "decode", "-f", "jsonl", file], check=True, capture_output=True, timeout=1000).stdout
    return map(json.loads, text.splitlines())


def check_recorded(cairn, httpd, load, directory):
    file = directory / "httpd.data"
    command = [cairn, "record", "-e", "Example_Httpd_L3*", "-e", "Example_Httpd_L4*", "--buffer-size", "128M", "-o", file,
               "--", httpd, "0"]
    with running(command, {"CAIRN_TRACING_DIR": str(directory / "tracing"), "CAIRN_BACKEND": "local"},
                 stderr=subprocess.PIPE) as (process, port):
        expected = load(port)
        remote = Clients(port)
        remote.get("/remote", {"traceparent": f"00-{TRACE}-{PARENT}-01"})
        requests, err = stop(process, child_of(process.pid))
    assert re.search(r"\blost 0\b", err), err
    starts, stops, inside = sort_events(decoded(cairn, file))
    check_ends(starts, stops)
    check_requests(starts, stops, inside)
    found = collections.Counter((span["fields"]["method"], span["fields"]["path"], span["fields"]["status"])
                                for span in stops["request"].values())
    check_counts(found, requests, expected._replace(requests=expected.requests | remote.requests))
    connections = expected.connections + remote.connections
    assert len(starts["connection"]) >= connections, f"{len(starts['connection'])} of {connections} connections"
    assert not expected.exact or len(starts["connection"]) == connections
    return requests


# ---- lines ----

def check_lines(httpd, load, directory):
    """Checks the lines of a whole load, without a recorder."""
    path = directory / "lines"
    with open(path, "wb") as lines, running([httpd, "0"], {"CAIRN_LOG": "info", "CAIRN_BACKEND": "none"},
                                            stderr=lines) as (process, port):
        expected = load(port)
        requests, _ = stop(process, process.pid)
    found = collections.Counter()
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            level, method, target, status, message = LINE.fullmatch(line).groups()
            assert (level, message) == ("INFO", f"{method} {target} status={status}"), line
            found[method, target, int(status)] += 1
    check_counts(found, requests, expected)


def check_filter(httpd, _, directory):
    """Checks the lines of some requests only, in which input is escaped."""
    path = directory / "filtered"
    directives = 'warn,[request{path="/x"}]=info,[request{status=400}]=info'
    with open(path, "wb") as lines, running([httpd, "0"], {"CAIRN_LOG": directives, "CAIRN_BACKEND": "none"},
                                            stderr=lines) as (process, port):
        ours = Clients(port)
        ours.get("/y")
        ours.get("/x")
        ours.nonsense()
        stop(process, process.pid)
    text = path.read_text(encoding="utf-8")
    assert re.fullmatch(r"""\S+Z  INFO request\{method="GET" path="/x" status=200\}: httpd: GET /x status=200\n"""
                        r"""\S+Z  INFO request\{.*status=400\}: httpd: \\xff\\xfe\\x1b\[31m  status=400\n""", text), text


def main(cairn, httpd, kind):
    if kind == "wrk" and not shutil.which("wrk"):
        print("skipped: wrk is not installed (tools/setup.sh test installs it)")
        return SKIPPED
    load = {"clients": clients, "wrk": wrk}[kind]
    with tempfile.TemporaryDirectory(prefix="cairn-httpd-") as directory:
        directory = pathlib.Path(directory)
        requests = check_recorded(cairn, httpd, load, directory)
        check_lines(httpd, load, directory)
        check_filter(httpd, load, directory)
    print(f"{requests} requests recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
