#!/usr/bin/env python3
"""examples/httpd.c under load, recorded: each request has a start and a stop, the right parent, and none is lost.

usage: check_httpd.py CAIRN HTTPD

The load comes from wrk where that is installed, and from four threads of our own where it is not.
"""
import collections
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


def get(port, path, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers or {})
    status = connection.getresponse().status
    connection.close()
    return status


def load(port):
    if shutil.which("wrk"):
        subprocess.run(["wrk", "-t1", "-c8", "-d1", f"http://127.0.0.1:{port}/load"], check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        return
    threads = [threading.Thread(target=lambda: [get(port, "/load") for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def start(command, environment):
    """The server's process, or its recorder's, and its port."""
    process = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    return process, int(re.fullmatch(r"listening on port (\d+)\n", process.stdout.readline())[1])


def stop(process, server_pid):
    os.kill(server_pid, 15)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, f"status {process.returncode}: {err}"
    return int(re.search(r"(\d+) requests", out)[1]), err


def child_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def check_spans(events, requests):
    starts = collections.defaultdict(dict)
    stops = collections.defaultdict(dict)
    for event in events:
        kinds = {"activity_start": starts, "activity_stop": stops}.get(event.get("opcode"))
        if kinds is not None:
            spans = kinds[event["event"]]
            assert event["activity"] not in spans, f"twice: {event}"
            spans[event["activity"]] = event
    assert len(starts["request"]) == requests, f"{requests} requests, {len(starts['request'])} started"
    for name in ("request", "connection"):
        assert starts[name].keys() == stops[name].keys(), f"a {name} has no other end"
    for activity, event in stops["request"].items():
        begin = starts["request"][activity]
        assert event["fields"]["status"] == 200 and begin["fields"]["status"] == "", event
        assert event["fields"]["duration_ns"] > 0 and event["time"] >= begin["time"], event
        if event["fields"]["path"] == "/remote":
            assert (begin["fields"]["trace_id"], begin["fields"]["parent_span_id"]) == (TRACE, PARENT), begin
            continue
        connection = starts["connection"][event["related_activity"]]
        assert connection["fields"]["trace_id"] == event["fields"]["trace_id"], event
        assert connection["fields"]["span_id"] == begin["fields"]["parent_span_id"], begin
    inside = [event for event in events if "GET /" in event["fields"].get("message", "")]
    assert len(inside) == requests and all(event["activity"] in starts["request"] for event in inside)


def check_recorded(cairn, httpd, folder):
    file = folder / "httpd.data"
    process, port = start([cairn, "record", "-e", "Example_Httpd_L4*", "--buffer-size", "128M", "-o", file, "--", httpd, "0"],
                          {"CAIRN_TRACING_DIR": str(folder / "tracing")})
    server = child_of(process.pid)
    load(port)
    assert get(port, "/remote", {"traceparent": f"00-{TRACE}-{PARENT}-01"}) == 200
    requests, err = stop(process, server)
    assert "lost 0" in err, err
    text = subprocess.run([cairn, "decode", "-f", "jsonl", file], check=True, capture_output=True, timeout=100).stdout
    check_spans([json.loads(line) for line in text.splitlines()], requests)
    return requests


def check_lines(httpd, folder):
    process, port = start([httpd, "0"], {"CAIRN_LOG": 'warn,[request{path="/x"}]=info', "CAIRN_BACKEND": "none",
                                         "CAIRN_TRACING_DIR": str(folder / "tracing")})
    assert get(port, "/y") == 200 and get(port, "/x") == 200
    _, err = stop(process, process.pid)
    assert re.fullmatch(r"\S+Z  INFO request\{method=\"GET\" path=\"/x\" status=200\}: httpd: GET /x status=200\n",
                        err), err


def main(cairn, httpd):
    with tempfile.TemporaryDirectory(prefix="cairn-httpd-") as folder:
        folder = pathlib.Path(folder)
        requests = check_recorded(cairn, httpd, folder)
        check_lines(httpd, folder)
    print(f"{requests} requests")


if __name__ == "__main__":
    main(*sys.argv[1:])
