#!/usr/bin/env python3
"""The server of `cairn view`: the page, its index and its data, for those who know the token, and nothing for others; a recording,
and running programs.

usage: view.py BUILD
"""
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

failures = []


def expect(shown, wanted, what):
    if shown != wanted:
        failures.append(f"{what}: {shown!r}, not {wanted!r}")


class View:
    def __init__(self, cairn, directory, environment, *arguments):
        self.process = subprocess.Popen([cairn, "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=directory, env=environment)
        self.url = self.process.stdout.readline().decode().strip()
        self.port, self.path = re.fullmatch(r"http://127\.0\.0\.1:(\d+)(/[0-9a-f]{32}/)", self.url).groups()
        self.connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=60)

    def get(self, path, method="GET", **headers):
        self.connection.request(method, path, headers=headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), answer

    def index(self, is_ready):
        """The index, when it is as expected."""
        for _ in range(600):
            status, body, _ = self.get(self.path + "index")
            index = json.loads(body)
            if status == 200 and is_ready(index):
                return index
            time.sleep(0.05)
        sys.exit(f"the index is not as expected: {index['events']} events, live: {index['is_live']}")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate()[1].decode()


def check_requests(view):
    status, body, answer = view.get(view.path)
    expect((status, body[:15]), (200, b"<!doctype html>"), "the page")
    expect(answer.headers["X-Content-Type-Options"], "nosniff", "a header")
    index = view.index(lambda index: not index["is_live"])
    expect(index["events"], 400, "events")
    offset, size, *_ = index["rows"][0]
    status, body, answer = view.get(view.path + "data", Range=f"bytes={offset}-{offset + size - 1}")
    expect((status, len(body)), (206, size), "a range")
    end = int(answer.headers["Content-Range"].split("/")[1])
    expect(view.get(view.path + "data", Range=f"bytes={end - 5}-")[:2], (206, view.get(view.path + "data", Range=f"bytes={end - 5}-{end + 99}")[1]), "the end")
    expect(view.get(view.path + "data", Range=f"bytes={end}-")[0], 416, "a range after the end")
    expect(view.get(view.path + "data")[0], 416, "without a range")
    expect(view.get(view.path + "other")[0], 404, "another path")
    expect(view.get("/")[0], 404, "without the token")
    expect(view.get("/" + "0" * 32 + "/")[0], 404, "with another token")
    expect(view.get(view.path, Host="example.com")[0], 403, "of another host")
    expect(view.get(view.path, Host=f"localhost:{view.port}")[0], 200, "of localhost")
    expect(view.get(view.path, method="POST")[0], 405, "another method")
    view.connection.close()
    expect(view.get(view.path, **{"X-Long": "x" * 9000})[0], 400, "a head that is too long")


def main(build):
    build = pathlib.Path(build).resolve()
    cairn, work = build / "cairn", build / "tests/cli/work"
    with tempfile.TemporaryDirectory() as directory:
        directory = pathlib.Path(directory)
        (directory / "td").mkdir(mode=0o700)
        environment = {**os.environ, "CAIRN_TRACING_DIR": str(directory / "td")}
        subprocess.run([cairn, "record", "-q", "-e", "Cli_Work*", "-o", "t.cairn", "--", work, "200"], check=True,
                       cwd=directory, env=environment)
        view = View(cairn, directory, environment, "t.cairn")
        check_requests(view)
        expect(view.end(), "", "messages")
        view = View(cairn, directory, environment, "--live", "-e", "Cli_Work*", "--", work, "100")
        index = view.index(lambda index: not index["is_live"])
        expect([index["events"], index["sources"][0]["lost"]], [200, 0], "events of a program")
        expect(view.end(), "", "messages")
        expect(view.process.returncode, 0, "the exit status")
    print("\n".join(failures) or "served as expected")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
