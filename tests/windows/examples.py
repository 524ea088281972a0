#!/usr/bin/env python3
"""Runs an example for Windows, and looks at what it does.

usage: examples.py httpd WINE PROGRAM
"""
import os
import re
import socket
import subprocess
import sys

SKIP = 77


def start(wine, *program, **variables):
    environment = dict(os.environ, WINEDEBUG="-all", **variables)
    return subprocess.Popen([wine, *program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)


def ask(port, *requests):
    """Sends requests through one connection. Returns what is answered until the other side closes it."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for request in requests:
            connection.sendall(request)
        answer = b""
        while part := connection.recv(4096):
            answer += part
    return answer


def httpd(wine, program):
    """Two requests of a connection, and one that is no request of another: the lines have the spans."""
    server = start(wine, program, "0", "3", CAIRN_LOG="info")
    first = server.stdout.readline()
    if not first:
        return SKIP
    port = int(re.fullmatch(rb"listening on port (\d+)\r?\n", first)[1])
    trace = b"traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
    both = ask(port, b"GET /one HTTP/1.1\r\n" + trace + b"\r\nGET /t", b"wo HTTP/1.1\r\nConnection: close\r\n\r\n")
    bad = ask(port, b"what\r\n\r\n")
    out, lines = server.communicate(timeout=60)
    assert both.count(b"HTTP/1.1 200 OK\r\n") == 2 and both.endswith(b"\r\n\r\nhello\n"), both
    assert bad.startswith(b"HTTP/1.1 400 Bad Request\r\n"), bad
    assert server.returncode == 0 and out.split() == b"3 requests, 0 events lost".split(), (server.returncode, out)
    lines = lines.decode().replace("\r\n", "\n").splitlines()
    pattern = r'\S+Z  INFO connection\{peer_port=\d+ fd=\d+\}:request\{method="(\w+)" path="(.*)" status=(\d+)\}: httpd: (.*)'
    found = [re.fullmatch(pattern, line) for line in lines]
    assert all(found) and [match.groups() for match in found] == [
        ("GET", "/one", "200", "GET /one status=200"), ("GET", "/two", "200", "GET /two status=200"),
        ("what", "", "400", "what  status=400")], lines
    return 0


if __name__ == "__main__":
    sys.exit({"httpd": httpd}[sys.argv[1]](*sys.argv[2:]))
