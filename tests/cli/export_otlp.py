#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends recordings to a receiver of OpenTelemetry that is slow, refuses, breaks connections, and accepts in part: nothing is lost
silently, and nothing arrives twice.

usage: export_otlp.py BUILD
"""
import http.server
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from export import Otlp, cairn, compare_otlp, events_of  # noqa: E402

PROTOBUF = "application/x-protobuf"


class Receiver(http.server.ThreadingHTTPServer):
    """Answers each request as the next word of `plan` says, and the rest well."""

    def __init__(self, plan=()):
        super().__init__(("127.0.0.1", 0), Handler)
        self.plan = list(plan)
        self.items = Otlp()
        self.headers = []
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        pass  # connections that it breaks, or that TLS refuses


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        step = self.server.plan.pop(0) if self.server.plan else "take"
        self.server.headers.append(dict(self.headers))
        if step == "break":
            self.connection.close()
        elif step == "later":
            self.reply(503, Retry_After="1")
        elif step == "busy":
            self.reply(429)
        elif step == "refuse":
            self.reply(400)
        elif step == "partial":
            is_json = self.headers["Content-Type"] != PROTOBUF
            self.reply(200, b'{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"no"}}' if is_json else
                       b"\x0a\x06\x08\x03\x12\x02no")
        else:
            if step == "slow":
                time.sleep(0.2)
            self.server.items.take(self.path.removeprefix("/v1/"), body, self.headers["Content-Type"] != PROTOBUF)
            self.reply(200)


def export(build, form, url, recording, timeout_ms=20000, **environment):
    """(exit status, standard error)"""
    done = subprocess.run([build / "cairn", "export", "-f", form, "-o", url, recording], stdin=subprocess.DEVNULL, check=False,
                          stderr=subprocess.PIPE, env={**os.environ, "OTEL_EXPORTER_OTLP_TIMEOUT": str(timeout_ms), **environment})
    return done.returncode, done.stderr.decode()


def check_delivery(build, recording, form, plan):
    events = events_of(build, recording)
    receiver = Receiver(plan)
    status, text = export(build, form, receiver.url, recording, OTEL_EXPORTER_OTLP_HEADERS="x-key=a%20b")
    assert status == 0, text
    assert all(headers["x-key"] == "a b" for headers in receiver.headers)
    compare_otlp(events, receiver.items)
    return len(receiver.headers)


def check_losses(build, recording):
    """Each is reported with its number, and by the exit status."""
    for form in ("otlp", "otlp_json"):
        status, text = export(build, form, Receiver(["partial"]).url, recording)
        assert status == 3 and ": 3 spans and log records were rejected" in text and "no" in text, text
    status, text = export(build, "otlp", Receiver(["refuse"]).url, recording)
    assert status == 3 and "status 400" in text and ": 512 spans and log records were not delivered" in text, text
    receiver = Receiver(["refuse", "busy"])  # after a refusal, requests are repeated
    status, text = export(build, "otlp", receiver.url, recording)
    assert status == 3 and ": 512 spans and log records were not delivered" in text and len(receiver.items.logs) == 888, text
    status, text = export(build, "otlp", Receiver(["busy"] * 1000).url, recording, timeout_ms=250)
    assert status == 3 and "status 429" in text and ": 1400 spans and log records were not delivered" in text, text
    silent = Receiver()
    silent.shutdown()
    silent.server_close()
    status, text = export(build, "otlp", silent.url, recording, timeout_ms=250)
    assert status == 3 and ": 1400 spans and log records were not delivered" in text, text


def check_certificate(build, work, recording):
    """A certificate is accepted if it is named, and refused otherwise."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", work / "key", "-out", work / "certificate"], check=True,
                   stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(work / "certificate", work / "key")
    receiver = Receiver()
    receiver.socket = context.wrap_socket(receiver.socket, server_side=True)
    url = receiver.url.replace("http", "https")
    status, text = export(build, "otlp", url, recording)
    assert status == 3 and "certificate" in text and ": 1400 spans and log records were not delivered" in text, text
    assert not receiver.headers
    status, text = export(build, "otlp", url, recording, OTEL_EXPORTER_OTLP_CERTIFICATE=str(work / "certificate"))
    assert status == 0 and len(receiver.items.logs) == 1400, text


def main(build):
    build = pathlib.Path(build).resolve()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        os.environ["CAIRN_TRACING_DIR"] = str(work / "tracing")
        (work / "tracing").mkdir(mode=0o700)
        many, nested = work / "many.cairn", work / "nested.cairn"
        cairn(build, "record", "-q", "-o", many, "--", build / "tests/cli/work", "700")
        cairn(build, "record", "-q", "-o", nested, "--", build / "tests/cli/work", "nested")
        status, text = export(build, "otlp", "http://127.0.0.1:1", nested, timeout_ms=1)
        if "without" in text:
            print(text)
            sys.exit(77)
        assert check_delivery(build, many, "otlp", ["later", "break", "busy", "slow", "break"]) == 7
        assert check_delivery(build, nested, "otlp_json", ["busy", "take", "break"]) == 4
        check_losses(build, many)
        if shutil.which("openssl"):
            check_certificate(build, work, many)


if __name__ == "__main__":
    main(sys.argv[1])
